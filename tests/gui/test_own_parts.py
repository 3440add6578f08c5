"""A command and a dock from outside the program: one entry each in a table is enough."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.command import Command
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.commands import table
from snakestudio.gui.shell.context import Context
from snakestudio.gui.shell.docking import DockSpec
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.shell.panels import DOCKS, plot_panel
from tests.gui.conftest import fill_docks

pytestmark = pytest.mark.gui


@pytest.fixture
def waved() -> list[str]:
    return []


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path, waved: list[str]) -> Callable[[], MainWindow]:
    wave: Command[Context] = Command(
        "wave",
        "Simulation",
        "Wave",
        lambda c: waved.append(c.document.scene.title),
        ("Ctrl+Alt+F9",),
        enabled=lambda c: len(waved) < 2,
        tip="Says what scene it is",
    )
    waves: DockSpec[Context] = DockSpec(
        "waves",
        "Waves",
        Qt.DockWidgetArea.RightDockWidgetArea,
        lambda c: QLabel(c.document.scene.title),
        300,
        gap=8,
        behind="parameters",
    )

    def made() -> MainWindow:
        settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(settings, (*table(), wave), (*DOCKS, waves), plot_panel)
        qtbot.addWidget(
            window, before_close_func=lambda w: w.context.document.undo_stack.setClean()
        )
        window.show()
        qtbot.waitExposed(window)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        return window

    return made


def test_command_is_in_menu_palette_and_shortcuts(
    make: Callable[[], MainWindow], waved: list[str], qtbot: QtBot
) -> None:
    window = make()
    actions = window.context.action_registry
    assert "Wave" in [plain(action.text()) for action in actions.menus["Simulation"].actions()]
    palette = window.context.help_controller.palette()
    qtbot.waitUntil(palette.field.hasFocus)
    QTest.keyClicks(palette.field, "wave")
    assert palette.matches[0][0].id == "wave"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(waved) == 1)
    QTest.keyClick(
        window, Qt.Key.Key_F9, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    assert waved == [window.context.document.scene.title] * 2
    actions.refresh()
    assert not actions["wave"].isEnabled(), "it declares when it can be used"


def test_dock_is_in_the_menu_and_keeps_its_place(
    make: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    window = make()
    dock = window.context.docks["waves"]
    assert not dock.isVisible(), "it is shown on request"
    panels = window.context.action_registry.menus["View/Panels"].actions()
    assert "Waves" in [plain(action.text()) for action in panels]
    fill_docks(window)
    window.context.show_dock("waves")
    content = dock.widget()
    assert isinstance(content, QLabel)
    qtbot.waitUntil(content.isVisible)
    window.close()
    assert make().context.docks["waves"].isVisible()
