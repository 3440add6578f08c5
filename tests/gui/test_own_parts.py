"""A feature from outside the program: one file, and its entry in the list of features, are enough."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from snakestudio.gui.app import features
from snakestudio.gui.core.feature import Feature
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.commands import table
from snakestudio.gui.shell.main_window import MainWindow
from tests.gui.conftest import fill_docks
from tests.toys.notes import FEATURE, Notes

pytestmark = pytest.mark.gui


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Callable[[], MainWindow]:
    with_notes: tuple[Feature[Any], ...] = (*features(), FEATURE)

    def make_one() -> MainWindow:
        settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(settings, table(with_notes), with_notes)
        qtbot.addWidget(
            window, before_close_func=lambda w: w.context.document.undo_stack.setClean()
        )
        window.show()
        qtbot.waitExposed(window)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        return window

    return make_one


def notes_of(window: MainWindow) -> Notes:
    notes = getattr(window.context, "notes", None)
    assert isinstance(notes, Notes)
    return notes


def test_command_is_in_menu_palette_and_shortcuts(
    make: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    window = make()
    notes = notes_of(window)
    actions = window.context.action_registry
    texts = [plain(action.text()) for action in actions.menus["Simulation"].actions()]
    assert texts[-1] == "Note the Scene"
    palette = window.context.help_controller.palette()
    qtbot.waitUntil(palette.field.hasFocus)
    QTest.keyClicks(palette.field, "note the")
    assert palette.matches[0][0].id == "note"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(notes.titles) == 1)
    QTest.keyClick(
        window, Qt.Key.Key_F9, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    assert notes.titles == [window.context.document.scene.title] * 2
    actions.refresh()
    assert not actions["note"].isEnabled(), "it declares when it can be used"


def test_changes_update_commands_and_status_bar(
    make: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    window = make()
    window.context.action_registry.refresh()
    assert window.context.action_registry["note"].isEnabled()
    for title in ("one", "two"):
        notes_of(window).add(title)
    qtbot.waitUntil(lambda: not window.context.action_registry["note"].isEnabled())
    qtbot.waitUntil(lambda: "2 notes" in window.context.status_bar.right.text)


def test_dock_is_in_the_menu_and_keeps_its_place(
    make: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    window = make()
    dock = window.context.docks["notes"]
    assert not dock.isVisible(), "it is shown on request"
    panels = window.context.action_registry.menus["View/Panels"].actions()
    assert "Notes" in [plain(action.text()) for action in panels]
    fill_docks(window)
    window.context.show_dock("notes")
    content = dock.widget()
    assert isinstance(content, QLabel)
    qtbot.waitUntil(content.isVisible)
    notes_of(window).add("A title")
    assert content.text() == "A title"
    window.close()
    assert not notes_of(window).is_open, "the window closes its parts"
    assert make().context.docks["notes"].isVisible()


def test_unknown_place_in_the_menus_is_an_error() -> None:
    feature: Feature[Any] = Feature(commands={"tea": ()})
    with pytest.raises(ValueError, match=r'place "tea".*simulation'):
        table((feature,))
