"""Protection of edits in the window: recovery after a crash, questions that list the changes, imports."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from snakestudio.gui.scene.import_dialog import ImportDialog
from snakestudio.gui.scene.robot_import_dialog import RobotImportDialog
from snakestudio.gui.shell.document_recovery import when
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits import with_value
from snakestudio.model.edits.transform import move
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import resource
from snakestudio.session.recovery import RecoveryFile, process_start, recovery_dir
from tests.gui.conftest import MAIN_SCENE
from tests.gui.pages.hands import type_into
from tests.gui.pages.notices import NoticePage, answer


def leave_behind(scene: Scene, path: Path | None) -> Path:
    """Write the file of a killed window."""
    file = RecoveryFile()
    file.write(scene, path, file.next_order())
    text = file.path.read_text(encoding="utf-8")
    file.path.write_text(
        text.replace(f"started: {process_start(os.getpid())}", "started: 1"), encoding="utf-8"
    )
    return file.path


@pytest.fixture
def mine(window: MainWindow, tmp_path: Path) -> Path:
    """A file of the user, open in the window."""
    path = tmp_path / "mine.toml"
    path.write_text(MAIN_SCENE.read_text(encoding="utf-8"), encoding="utf-8")
    assert window.context.files.open(path)
    return path


def test_unsaved_changes_are_listed_and_restored(
    window: MainWindow, mine: Path, qtbot: QtBot
) -> None:
    saved = window.context.document.scene
    unsaved = with_value(move(saved, [1, 2, 3], (0.1, 0.0, 0.0)), "gait.amplitude_deg", 35.0)
    left = leave_behind(unsaved, mine)
    window.context.files.open(MAIN_SCENE)
    window.context.document_recovery.offer()
    dialog = window.context.document_recovery.dialog
    assert dialog is not None
    assert "mine.toml" in dialog.about.text()
    words = dialog.changes.toPlainText()
    assert "Gait: amplitude 40 → 35 °" in words
    assert "3 obstacles moved by (0.1, 0) m" in words
    qtbot.mouseClick(dialog.restore_button, Qt.MouseButton.LeftButton)
    assert window.context.document.scene == unsaved
    assert window.context.document.path == mine
    assert window.context.document.dirty
    assert not left.exists()
    assert len(list(recovery_dir().glob("unsaved-*.toml"))) == 1, (
        "it is stored again before the old file is removed"
    )
    window.context.document.undo_stack.undo()
    assert window.context.document.scene == saved


def test_several_files_are_offered_in_sequence(
    window: MainWindow, mine: Path, qtbot: QtBot
) -> None:
    first = leave_behind(
        with_value(window.context.document.scene, "gait.amplitude_deg", 35.0), mine
    )
    second = leave_behind(with_value(Scene(), "run.duration_s", 3.0), None)
    same = leave_behind(window.context.document.scene, mine)
    window.context.action_registry["restore_unsaved"].trigger()
    dialog = window.context.document_recovery.dialog
    assert dialog is not None
    assert not same.exists(), "it equals its file"
    assert dialog.list.count() == 2
    row = next(i for i in range(2) if "untitled" in dialog.list.item(i).text())
    dialog.list.setCurrentRow(row)
    assert "Run: duration 10 → 3 s" in dialog.changes.toPlainText()
    qtbot.mouseClick(dialog.discard_button, Qt.MouseButton.LeftButton)
    assert not second.exists()
    assert "amplitude" in dialog.changes.toPlainText()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert first.exists(), "Esc defers the decision"
    first.unlink()
    window.context.document_recovery.offer(on_request=True)
    assert "no unsaved changes" in window.context.banners.files.text


def test_revert_asks_with_the_changes(window: MainWindow, mine: Path) -> None:
    action = window.context.action_registry["revert"]
    window.context.action_registry.refresh()
    assert not action.isEnabled()
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    window.context.action_registry.refresh()
    assert action.isEnabled()
    asked = answer("Cancel")
    action.trigger()
    assert window.context.document.scene.gait.amplitude_deg == 12.0
    assert "Gait: amplitude 12 → 40 °" in asked[0]
    asked = answer("Revert")
    action.trigger()
    assert window.context.document.scene.gait.amplitude_deg == 40.0
    assert not window.context.document.dirty


def test_saving_over_changes_of_others_asks(window: MainWindow, mine: Path) -> None:
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    save_scene(with_value(load_scene(mine), "run.duration_s", 3.0), mine)
    asked = answer("Cancel")
    assert not window.context.files.save()
    assert "Run: duration 3 → 10 s" in asked[0]
    assert load_scene(mine).run.duration_s == 3.0
    asked = answer("Overwrite")
    assert window.context.files.save()
    assert load_scene(mine) == window.context.document.scene


def test_reloading_over_unsaved_changes_asks(window: MainWindow, mine: Path, qtbot: QtBot) -> None:
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    save_scene(with_value(load_scene(mine), "run.duration_s", 3.0), mine)
    qtbot.waitUntil(lambda: "was changed" in window.context.banners.disk.text)
    asked = answer("Reload")
    NoticePage(window.context.banners.disk).press("reload")
    assert "Gait: amplitude 12 → 40 °" in asked[0]
    assert window.context.document.scene == load_scene(mine)
    assert window.context.banners.disk.text == ""


def test_write_protected_file_is_not_replaced(
    window: MainWindow, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    before = mine.read_bytes()
    # the user who runs the tests may have all permissions
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert not window.context.files.save()
    assert "write-protected" in window.context.banners.files.text
    assert mine.read_bytes() == before
    assert any("Save As" in text for text in NoticePage(window.context.banners.files).texts)


D = TypeVar("D", ImportDialog, RobotImportDialog)


def import_through(
    window: MainWindow,
    act: Callable[[D], None],
    start: Callable[[], object],
    kind: type[D] = ImportDialog,
) -> None:
    """Start an import and act in its dialog."""

    def later() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, kind):
            QTimer.singleShot(20, later)
            return
        try:
            act(dialog)
        finally:
            if dialog.isVisible():
                dialog.reject()

    QTimer.singleShot(0, later)
    start()


def test_obstacles_are_imported_as_one_step(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    table = tmp_path / "pegs.csv"
    table.write_text("x,y,diameter\n1000,2000,100\n3000,1000,50\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: (str(table), ""))
    before = window.context.document.scene
    seen: list[str] = []

    def act(dialog: ImportDialog) -> None:
        assert not dialog.start.isEnabled(), "an obstacle of 50 m cannot be 3000 m away"
        dialog.unit.setCurrentIndex(dialog.unit.findData("mm"))
        type_into(dialog.scale, "0")
        assert "greater than 0" in dialog.message.text()
        type_into(dialog.scale, "0.5", enter=False)
        dialog.scale.commit()
        seen.append(dialog.summary.text())
        dialog.grab()
        qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)

    table.write_text("x,y,diameter\n1000,20000,100\n3000,1000,50\n")
    import_through(window, act, window.context.action_registry["import_obstacles"].trigger)
    new = window.context.document.scene.obstacles[len(before.obstacles) :]
    assert [(o.x_m, o.y_m, o.group) for o in new] == [(0.5, 10.0, "pegs"), (1.5, 0.5, "pegs")]
    assert "radius 0.0125 to 0.025 m" in seen[0]
    assert window.context.document.undo_stack.undoText() == "Import obstacles from pegs.csv"
    window.context.document.undo_stack.undo()
    assert window.context.document.scene == before


def test_dropped_drawing_is_imported_or_refused(window: MainWindow, tmp_path: Path) -> None:
    drawing = tmp_path / "plan.svg"
    drawing.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="4000mm" height="2000mm" viewBox="0 0 4 2">'
        '<circle cx="1" cy="0.5" r="0.1"/></svg>'
    )
    import_through(
        window,
        lambda dialog: dialog.accept(),
        lambda: window.context.experiment_files.open_dropped(drawing),
    )
    pipe = window.context.document.scene.obstacles[-1]
    assert (pipe.x_m, pipe.y_m, pipe.group) == (1.0, 1.5, "plan")
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("x,y,r\n1,2\n")
    before = window.context.document.scene
    assert not window.context.experiment_files.open_dropped(wrong)
    assert "line 2: 2 values instead of 3" in window.context.banners.files.text
    assert window.context.document.scene is before


def test_dropped_robot_replaces_that_of_the_scene(window: MainWindow, tmp_path: Path) -> None:
    document = window.context.document
    take = window.context.experiment_files.open_dropped
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    before = document.scene
    path = resource("robots", "eight_modules.urdf")

    def into(dialog: RobotImportDialog) -> None:
        assert (len(dialog.links.texts), len(dialog.joints.texts)) == (8, 7)
        assert "capsule" in dialog.notes.toPlainText()
        dialog.target.setCurrentIndex(1)
        dialog.accept()

    import_through(window, into, lambda: take(path), RobotImportDialog)
    assert (document.scene.robot.n_links, document.scene.gait) == (8, before.gait)
    assert document.undo_stack.undoText() == "Import robot from eight_modules.urdf"
    document.undo_stack.undo()
    assert document.scene == before
    document.undo_stack.undo()  # a scene without changes causes no question
    import_through(window, lambda dialog: dialog.accept(), lambda: take(path), RobotImportDialog)
    assert (document.scene.robot.joints, document.path) == ("alternating", None)
    document.undo_stack.undo()
    wrong = tmp_path / "wrong.urdf"
    wrong.write_text("<robot/>")
    assert not take(wrong)
    assert "<link>" in window.context.banners.files.text


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (datetime(2026, 3, 5, 9, 7), "today at 09:07"),
        (datetime(2026, 3, 4, 23, 59), "yesterday at 23:59"),
        (datetime(2026, 2, 1, 8, 0), "1 February 2026 at 08:00"),
    ],
)
def test_times_are_relative(moment: datetime, words: str) -> None:
    assert when(moment, datetime(2026, 3, 5, 12, 0)) == words
