"""The dialog for robot imports has a field for sizes that the file does not have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from snakestudio.errors import RobotFileError
from snakestudio.gui.scene.robot_import_dialog import RobotImportDialog
from snakestudio.model.scene import Scene
from snakestudio.paths import resource
from snakestudio.robot_files.importing import RobotFile
from tests.robot_files.parts import Part, links, urdf


def opened(qtbot: QtBot, folder: Path, parts: list[Part]) -> RobotImportDialog:
    path = folder / "robot.urdf"
    path.write_text(urdf(parts))
    dialog = RobotImportDialog(path, RobotFile(path).imported, Scene())
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_unknown_radius_is_asked_for(qtbot: QtBot, tmp_path: Path) -> None:
    parts = [replace(part, shape="", moments=(0.05,) * 3) for part in links(4)]
    dialog = opened(qtbot, tmp_path, parts)
    assert not dialog.start.isEnabled()
    assert "link_1" in dialog.form.message.text()
    dialog.form.set(radius_mm=25.0)
    dialog.form.changed.emit()
    assert dialog.start.isEnabled()
    assert dialog.result_scene is not None
    assert dialog.result_scene.robot.radius_m == 0.025
    assert len(dialog.links.texts) == 4
    dialog.form.set(radius_mm=None)
    dialog.form.changed.emit()
    assert not dialog.start.isEnabled()
    assert dialog.result_scene is None


def test_radius_is_not_asked_for_if_the_file_has_geometry(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = opened(qtbot, tmp_path, links(4))
    assert not any(widget.isVisible() for widget in dialog.form.editors["radius_mm"].widgets)
    assert dialog.start.isEnabled()


def test_gait_is_proposed_verified_and_chosen(qtbot: QtBot, tmp_path: Path) -> None:
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    parts = [replace(part, axis=axes[k % 2]) for k, part in enumerate(links(8))]
    dialog = opened(qtbot, tmp_path, parts)
    page = dialog.gait
    assert [page.box.itemText(i) for i in range(2)] == ["Sidewinding", "Lateral rolling"]
    assert page.about.text().startswith("The gait is sidewinding, because")
    qtbot.waitUntil(lambda: "body lengths in 10 s" in page.about.text(), timeout=30_000)
    assert "body lengths in 10 s" in dialog.notes.toPlainText()
    dialog.tabs.setCurrentIndex(3)
    page.shape.grab()
    assert page.shape.reference is not None
    other = 1 - page.box.currentIndex()
    page.box.setCurrentIndex(other)
    page.box.activated.emit(other)
    assert dialog.result_scene is not None
    assert dialog.result_scene.gait == page.proposal.gait
    assert "as chosen" in dialog.notes.toPlainText()
    dialog.form.set(is_new=False)
    dialog.form.changed.emit()
    assert not dialog.tabs.isTabVisible(3)


def test_other_problems_prevent_the_dialog(tmp_path: Path) -> None:
    parts = links(4)
    parts[2] = replace(parts[2], kind="slide")
    path = tmp_path / "robot.urdf"
    path.write_text(urdf(parts))
    with pytest.raises(RobotFileError, match="slides"):
        RobotImportDialog(path, RobotFile(path).imported, Scene())
    urdf_path = resource("robots", "eight_modules.urdf")
    assert RobotFile(urdf_path).imported(0.02).links[0].radius != 0.02
