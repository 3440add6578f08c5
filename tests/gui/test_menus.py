"""Menus: while one is open no key reaches the window behind it, and mnemonics are letters of the entries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

import snakestudio.gui
from snakestudio.gui.forms.menu import Menu, assign_mnemonics, plain
from snakestudio.gui.plots.channel_browser import ChannelBrowser
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.scene_tree import SceneTree
from snakestudio.gui.shell.main_window import MainWindow
from tests.gui.conftest import fill_docks
from tests.gui.pages.robot import connect_link

pytestmark = pytest.mark.gui


def letters(menu: QWidget) -> list[str]:
    entries = [action for action in menu.actions() if not action.isSeparator()]
    return [QKeySequence.mnemonic(action.text()).toString() for action in entries]


def filled(*texts: str) -> Menu:
    menu = Menu()
    for text in texts:
        menu.addAction(text)
    assign_mnemonics(menu)
    return menu


def texts(menu: QWidget) -> list[str]:
    return [action.text() for action in menu.actions()]


# --- letters --------------------------------------------------------------------------------------


def test_initials_are_preferred_and_fixed_mnemonics_stay(qtbot: QtBot) -> None:
    menu = filled("Save", "Save As", "&Anything", "Export && Send", "S", "12 rows")
    mnemonics = letters(menu)
    assert len(set(mnemonics)) == len(mnemonics)
    assert "" not in mnemonics
    assert texts(menu)[2] == "&Anything"
    assert [plain(text) for text in texts(menu)] == [
        "Save",
        "Save As",
        "Anything",
        "Export & Send",
        "S",
        "12 rows",
    ]


def test_mnemonic_is_left_to_entry_without_alternative(qtbot: QtBot) -> None:
    assert texts(filled("ab", "a")) == ["a&b", "&a"]
    assert texts(filled("ab", "bc", "a")) == ["a&b", "b&c", "&a"]


def test_mnemonics_are_reproducible(qtbot: QtBot) -> None:
    menu = filled("Box", "Board", "Ball", "Ramp")
    before = texts(menu)
    assign_mnemonics(menu)
    assert texts(menu) == before == texts(filled("Box", "Board", "Ball", "Ramp"))
    menu.actions()[0].setText(
        "Ramp B"
    )  # another text gets another mnemonic, the others keep theirs
    assign_mnemonics(menu)
    assert plain(texts(menu)[0]) == "Ramp B"
    assert texts(menu)[1:] == before[1:]
    assert len(set(letters(menu))) == 4


def test_entries_without_free_letter_have_no_mnemonic(qtbot: QtBot) -> None:
    menu = filled("1", "11", "111")
    assert texts(menu) == ["&1", "11", "111"]
    assign_mnemonics(menu)
    assert texts(menu) == ["&1", "11", "111"]


# --- keys -----------------------------------------------------------------------------------------


def test_key_in_an_open_menu_does_not_reach_the_window(qtbot: QtBot) -> None:
    behind = QWidget()
    qtbot.addWidget(behind)
    button = QPushButton(behind)
    done: list[str] = []
    for key in ("H", "Del", "P"):
        action = QAction(key, behind, shortcut=QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(lambda _=False, key=key: done.append(key))
        behind.addAction(action)
    behind.show()
    qtbot.waitExposed(behind)
    behind.activateWindow()
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    menu = Menu("Entries", behind)
    menu.addAction("Hide").triggered.connect(lambda: done.append("entry"))
    below = menu.addMenu("More")
    below.addAction("Open")
    menu.popup(behind.mapToGlobal(QPoint(4, 4)))
    qtbot.waitUntil(menu.isVisible)
    for key in (Qt.Key.Key_Delete, Qt.Key.Key_P):
        QTest.keyClick(menu, key)
    assert done == []
    assert menu.isVisible()
    QTest.keyClick(menu, Qt.Key.Key_H)
    assert done == ["entry"]
    assert isinstance(below, Menu)
    QTest.keyClick(button, Qt.Key.Key_P)  # it is closed again
    assert done == ["entry", "P"]


def test_all_menus_use_the_class_that_reserves_keys() -> None:
    root = Path(snakestudio.gui.__path__[0])
    plain_menus = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in root.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\bQMenu\(", line) and path.name != "menu.py"
    ]
    assert plain_menus == []


def menus_of(window: MainWindow) -> Iterator[tuple[str, QMenu]]:
    """All menus of a window: in its menu bar, on buttons, and context menus."""
    c = window.context
    c.selection.set([("obstacle", 2)])
    tree = window.findChild(SceneTree)
    browser = window.findChild(ChannelBrowser)
    plots = window.findChild(PlotPanel)
    inspector = window.findChild(Inspector)
    assert isinstance(tree, SceneTree)
    assert isinstance(browser, ChannelBrowser)
    assert isinstance(plots, PlotPanel)
    assert isinstance(inspector, Inspector)
    browser.tree.topLevelItem(0).setSelected(True)
    yield "channels", browser.menu()
    yield "plot", plots.plot_menu(plots.plots[0])
    row = next(iter(inspector.rows.values()))
    position = row.rect().center()
    for point in (row.rect().topLeft(), position):
        QApplication.sendEvent(
            row, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, row.mapToGlobal(point))
        )
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, QMenu)
        yield "value", popup
        popup.close()
    for menu in window.findChildren(Menu):
        menu.aboutToShow.emit()
        yield menu.title(), menu


def test_every_menu_entry_with_a_free_letter_has_a_mnemonic(
    window: MainWindow, qtbot: QtBot
) -> None:
    fill_docks(window)
    plots = window.findChild(PlotPanel)
    assert isinstance(plots, PlotPanel)
    browser = window.findChild(ChannelBrowser)
    assert isinstance(browser, ChannelBrowser)
    window.context.show_dock("channels")
    qtbot.waitUntil(
        lambda: (
            len(plots.plots) > 2 and not plots.grid.coming and browser.tree.topLevelItemCount() > 0
        )
    )
    bar = window.menuBar()
    assert "" not in letters(bar)
    assert len(set(letters(bar))) == len(bar.actions())
    seen = 0
    for name, menu in menus_of(window):
        if not menu.isVisible():
            menu.popup(window.mapToGlobal(QPoint(60, 60)))
        mnemonics = letters(menu)
        entries = [action.text() for action in menu.actions() if not action.isSeparator()]
        left = [text for text, letter in zip(entries, mnemonics, strict=True) if not letter]
        letters_of_left = {each for text in left for each in text.upper() if each.isalnum()}
        used = {letter.removeprefix("Alt+") for letter in mnemonics}
        assert letters_of_left <= used, (name, left)
        assert not any("(&" in text for text in entries), name
        used = [letter for letter in mnemonics if letter]
        assert len(set(used)) == len(used), (name, texts(menu))
        for key in (Qt.Key.Key_H, Qt.Key.Key_Delete, Qt.Key.Key_P):
            event = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
            event.ignore()
            QApplication.sendEvent(menu, event)
            assert event.isAccepted(), name
        menu.close()
        seen += 1
    assert seen > 40


def test_space_stops_a_robot_with_an_open_menu(window: MainWindow, qtbot: QtBot) -> None:
    robot = window.context.robot_controller
    link = connect_link(window)
    try:
        menu = window.context.action_registry.menus["View"]
        menu.popup(window.mapToGlobal(QPoint(60, 60)))
        qtbot.waitUntil(menu.isVisible)
        watched = window.context.robot_feature
        assert watched is not None
        # keys of a new window are handled after the next check for windows
        qtbot.wait(60)
        QTest.keyClick(menu, Qt.Key.Key_Space)
        assert link.stops
        menu.close()
    finally:
        robot.disconnect_robot()
