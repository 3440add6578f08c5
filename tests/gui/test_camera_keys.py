"""Camera keyframes: set at the displayed time, listed, moved in time, shown, removed, saved with the scene."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.document import Document
from snakestudio.gui.runs.video.camera_dialog import CameraDialog
from snakestudio.gui.runs.video.camera_keys import CameraKeys
from snakestudio.gui.viewport.navigation import Navigator
from tests.gui.conftest import MAIN_SCENE
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import show_widget, type_into

Parts = tuple[CameraKeys, CameraDialog, Navigator]


@pytest.fixture
def parts(
    document: Document, session_controller: FakeSessionController, qtbot: QtBot, tmp_path: Path
) -> Parts:
    settings = QSettings(str(tmp_path / "a.ini"), QSettings.Format.IniFormat)
    navigator = Navigator(document)
    keys = CameraKeys(
        document,
        session_controller,
        lambda: navigator.camera,
        navigator.animate_to,
        settings,
        document,
    )  # type: ignore[arg-type]
    dialog = CameraDialog(keys)
    show_widget(qtbot, dialog)
    return keys, dialog, navigator


def texts(dialog: CameraDialog) -> list[str]:
    return [dialog.table.item(row, 0).text() for row in range(dialog.table.rowCount())]


def click(qtbot: QtBot, dialog: CameraDialog, name: str) -> None:
    qtbot.mouseClick(getattr(dialog, name), Qt.MouseButton.LeftButton)


def test_keyframes_are_set_shown_and_removed(
    parts: Parts, session_controller: FakeSessionController, qtbot: QtBot
) -> None:
    keys, dialog, navigator = parts
    assert "add a keyframe" in dialog.sentence.text()
    assert not dialog.save_button.isEnabled()
    session_controller.set_cursor(30)
    click(qtbot, dialog, "add")
    first = navigator.camera
    navigator.jump(replace(first, distance=7.0))
    session_controller.set_cursor(10)
    click(qtbot, dialog, "add")
    assert texts(dialog) == ["0.100 s", "0.300 s"]
    assert "from 0.10 s to 0.30 s" in dialog.sentence.text()
    assert dialog.chosen == 0, "the new one is selected"
    dialog.table.selectRow(1)
    click(qtbot, dialog, "go")
    navigator.finish()
    assert session_controller.cursor == 30
    assert navigator.camera == first
    qtbot.mouseClick(
        dialog.follow, Qt.MouseButton.LeftButton, pos=QPoint(10, dialog.follow.height() // 2)
    )
    assert keys.path.follow
    click(qtbot, dialog, "delete")
    assert texts(dialog) == ["0.100 s"]
    assert "One keyframe" in dialog.sentence.text()


def test_time_is_edited_in_the_list(
    parts: Parts, session_controller: FakeSessionController, qtbot: QtBot
) -> None:
    keys, dialog, _ = parts
    for row in (10, 20):
        session_controller.set_cursor(row)
        keys.add()
    item = dialog.table.item(0, 0)
    for typed, times, message in (
        ("0,35 s", ["0.200 s", "0.350 s"], ""),
        ("soon", ["0.200 s", "0.350 s"], "soon"),
    ):
        dialog.table.editItem(item)
        field = dialog.table.findChildren(QLineEdit)[-1]
        type_into(field, typed)
        qtbot.waitUntil(
            lambda times=times, message=message: (
                texts(dialog) == times and message in dialog.sentence.text()
            )
        )
        item = dialog.table.item(0, 0)


def test_camera_path_is_saved_with_its_scene(
    parts: Parts, session_controller: FakeSessionController, document: Document, tmp_path: Path
) -> None:
    keys, dialog, _ = parts
    session_controller.set_cursor(10)
    keys.add()
    path = keys.path
    dialog.write(tmp_path / "camera.toml")
    assert "--camera camera.toml" in dialog.sentence.text()
    document.open(MAIN_SCENE.with_name("sidewinding.toml"))
    assert texts(dialog) == []
    dialog.read(tmp_path / "camera.toml")
    assert texts(dialog) == ["0.100 s"]
    keys.set_path(keys.path.without(0))
    document.open(MAIN_SCENE)
    assert keys.path.keys[0].time == path.keys[0].time
    assert keys.path.keys[0].camera.distance == path.keys[0].camera.distance
    (tmp_path / "bad.toml").write_text("keyframes = 1")
    dialog.read(tmp_path / "bad.toml")
    assert "bad.toml" in dialog.sentence.text()
    assert texts(dialog) == ["0.100 s"], "existing keyframes stay"
    dialog.write(tmp_path / "no" / "camera.toml")
    assert "cannot be written" in dialog.sentence.text()


def test_without_a_run_no_keyframe_can_be_set(
    parts: Parts, session_controller: FakeSessionController, qtbot: QtBot
) -> None:
    _, dialog, _ = parts
    session_controller.set_recording(None)
    click(qtbot, dialog, "add")
    assert "no run" in dialog.sentence.text()
