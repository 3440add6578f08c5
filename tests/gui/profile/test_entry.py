"""Windows opened by menus: the profile editor, the wiggle test, created on demand, and pages of documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt, QUrl
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.profile import commands as entry
from snakestudio.gui.profile.editor import ProfileEditor
from snakestudio.gui.shell.help_dialogs import DocumentDialog
from snakestudio.link.profile.library import new_profile
from snakestudio.link.profile.loading import LoadedProfile, load_profile
from tests.gui.profile.robots import FakeRobot

pytestmark = pytest.mark.gui


class Window(QWidget):
    """The parts of the main window and its context that are needed."""

    def __init__(self, robot: FakeRobot, settings: Path) -> None:
        super().__init__()
        self.robot_controller, self.window = robot, self  # type: ignore[assignment,method-assign]
        self.settings = QSettings(str(settings), QSettings.Format.IniFormat)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Any:
    window = Window(FakeRobot(), tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.show()
    return window


def test_editor_opens_once_and_remembers_its_profile(window: Any, tmp_path: Path) -> None:
    editor = entry.open_editor(window)
    assert editor is not None
    assert editor.document.path.name == "lab_robot.toml"
    mine = new_profile("generic_servo", tmp_path / "mine")
    assert entry.open_editor(window, mine) is editor
    assert editor.document.profile == load_profile(mine).profile
    editor.close()
    window.robot_controller.deleteLater()
    fresh = Window(FakeRobot(), tmp_path / "settings.ini")
    again = entry.open_editor(fresh)  # type: ignore[arg-type]
    assert again is not None
    assert again.document.path == mine
    fresh.close()
    fresh.deleteLater()


def test_profile_of_connected_robot_is_edited_first(qtbot: QtBot, tmp_path: Path) -> None:
    mine = new_profile("mit_actuator", tmp_path / "mine")
    window: Any = Window(FakeRobot(load_profile(mine)), tmp_path / "settings.ini")
    qtbot.addWidget(window)
    editor = entry.open_editor(window)
    assert isinstance(editor, ProfileEditor)
    assert editor.document.path == mine
    assert editor.apply.isVisible()
    learning = entry.open_learning(window)
    assert learning is not None
    assert entry.open_learning(window) is learning
    wiggle = entry.prepare_wiggle(window)
    assert not wiggle.isVisible()
    assert entry.open_wiggle(window, 3) is wiggle
    assert wiggle.table.currentRow() == 3


def test_applying_connects_again_with_the_edited_profile(qtbot: QtBot, tmp_path: Path) -> None:
    mine = new_profile("lab_robot", tmp_path / "mine")
    robot: Any = FakeRobot(load_profile(mine))
    asked: list[LoadedProfile] = []
    robot.reconnect = asked.append
    window: Any = Window(robot, tmp_path / "settings.ini")
    qtbot.addWidget(window)
    editor = entry.open_editor(window)
    assert editor is not None
    editor.document.set_values({"name": "Mine"}, "Rename")
    editor.apply.click()
    (loaded,) = asked
    assert loaded.profile.name == "Mine"


def test_pages_have_headings_and_links(window: QWidget) -> None:
    dialog = DocumentDialog.open_page("safety", window)
    assert "Safety" in dialog.windowTitle()
    titles = [dialog.headings.item(row).text() for row in range(dialog.headings.count())]
    assert "A node drops out" in titles
    dialog.headings.setCurrentRow(titles.index("A node drops out"))
    assert dialog.text.textCursor().block().text() == "A node drops out"
    asked: list[str] = []
    dialog.page_requested.connect(asked.append)
    dialog.text.anchorClicked.emit(QUrl("robot-profile.md"))
    assert asked == ["robot-profile"]
    dialog.show_page("tutorials/cluster")
    dialog.text.anchorClicked.emit(QUrl("../robot-profile.md"))
    dialog.text.anchorClicked.emit(QUrl("train-a-policy.md"))
    assert asked[1:] == ["robot-profile", "tutorials/train-a-policy"]
    assert DocumentDialog.open_page("missing", window) is dialog
    assert "cannot be read" in dialog.text.toPlainText()
    assert dialog.testAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.close()
