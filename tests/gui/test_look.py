"""Appearance: text follows the system's size, the keyboard focus is visible, and the sheet of shortcuts is complete."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QMainWindow,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from snakestudio.gui.app import features
from snakestudio.gui.core import theme
from snakestudio.gui.shell.commands import table
from snakestudio.gui.shell.help_dialogs import MOUSE, ShortcutSheet
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.shell.modal_overlay import open_overlay
from snakestudio.gui.viewport.corners import FocusFrame
from snakestudio.paths import resource
from tests.gui.conftest import fill_docks


def keyboard() -> QWidget:
    """Widget with the keyboard focus."""
    now: QWidget | None = QApplication.focusWidget()
    assert now is not None
    return now


@pytest.fixture
def large_text(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system with 13-point text at 96 dpi."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    with monkeypatch.context() as patch:
        patch.setattr(theme, "_system_size", 13 * 96 / 72)
        theme.apply(app, "dark")
        yield
    # no window has to be restyled
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    theme.apply(app, "dark")


# --- size of text ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("points", "pixels"), [(7, 13), (9, 13), (10, 13), (13, 17), (60, 26)])
def test_text_has_the_size_of_the_system_within_limits(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, points: int, pixels: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(theme, "_system_size", points * 96 / 72)
        theme.adopt_text_size(qapp)
        assert qapp.font().pixelSize() == pixels
        assert theme.value_font(13).pixelSize() == pixels
        assert theme.scaled(130) == 10 * pixels
    theme.adopt_text_size(qapp)


def test_large_text_is_not_clipped_and_buttons_are_named(
    large_text: None, window: MainWindow
) -> None:
    # The fixture of the window restyles the program, after which the system's size still applies.
    assert QApplication.font().pixelSize() == 17
    window.resize(1600, 1000)
    fill_docks(window)
    QTest.qWait(50)  # the layout settles in later turns of the event loop
    assert window.width() == 1600
    for button in window.findChildren(QPushButton) + window.findChildren(QToolButton):
        icon_only = (
            isinstance(button, QToolButton)
            and button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        if button.isVisible() and (not button.text() or (icon_only and not button.icon().isNull())):
            assert button.toolTip(), button.objectName()
        elif button.isVisible():
            expected = button.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, button.text())
            assert button.width() >= expected.width(), button.text()
            assert button.height() >= expected.height(), button.text()
    for label in window.findChildren(QLabel):
        if label.isVisible() and label.text() and not label.wordWrap():
            assert label.height() >= label.fontMetrics().height(), label.text()
    for box in window.findChildren(QComboBox):
        if box.isVisible():
            assert box.height() >= box.fontMetrics().height() + 4, box.currentText()
    sheet = window.context.help_controller.shortcuts()
    assert sheet.rect().contains(sheet.frame.geometry())


# --- keyboard focus -------------------------------------------------------------------------------


@pytest.mark.parametrize("palette", ["dark", "light"])
@pytest.mark.parametrize("role", ["", "flat", "link", "primary", "chip"])
def test_focused_button_looks_different(
    qtbot: QtBot, qapp: QApplication, palette: str, role: str
) -> None:
    theme.apply(qapp, palette)
    holder = QWidget()
    qtbot.addWidget(holder)
    button = QToolButton(holder)
    other = QToolButton(holder)
    for index, each in enumerate((button, other)):
        each.setText("Button")
        each.setProperty("role", role)
        each.setGeometry(10, 10 + 50 * index, 90, 36)
    holder.resize(120, 120)
    holder.show()
    qtbot.waitExposed(holder)
    holder.activateWindow()
    qtbot.waitUntil(holder.isActiveWindow)
    other.setFocus()
    without = button.grab().toImage()
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    with_keyboard = button.grab().toImage()
    changed = sum(
        without.pixel(x, y) != with_keyboard.pixel(x, y)
        for x in range(without.width())
        for y in range(without.height())
    )
    assert changed > 100  # about the length of its outline
    theme.apply(qapp, "dark")


def test_viewport_has_a_frame_after_keyboard_focus(window: MainWindow, qtbot: QtBot) -> None:
    frame = window.context.viewport.findChild(FocusFrame)
    assert isinstance(frame, FocusFrame)
    assert not frame.isVisible()
    while window.context.focus_cycle.present() is window.context.viewport:
        QTest.keySequence(keyboard(), QKeySequence("F6"))
    QTest.keySequence(keyboard(), QKeySequence("Shift+F6"))
    assert keyboard() is window.context.viewport
    assert frame.isVisible()
    assert frame.geometry() == window.context.viewport.rect()
    QTest.mouseClick(window.context.viewport, Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    assert not frame.isVisible()


def test_menus_open_with_a_key(window: MainWindow) -> None:
    titles = [action.text() for action in window.menuBar().actions()]
    assert all(title.startswith("&") for title in titles)
    assert len({title[1] for title in titles}) == len(titles)


# --- icons, keys and mouse ------------------------------------------------------------------------


def test_every_icon_of_a_command_exists() -> None:
    for spec in table(features()):
        assert not spec.icon or resource("icons", f"{spec.icon}.svg").is_file(), spec.id


def test_sheet_of_shortcuts_has_all_keys_and_gestures(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1500, 900)
    QTest.keySequence(window.context.viewport, QKeySequence("F1"))
    sheet = open_overlay(window, ShortcutSheet)
    assert sheet is not None
    keys = sum(bool(spec.shortcuts) for spec in table(features()))
    assert len(sheet.rows) == keys + sum(len(gestures) for _, gestures in MOUSE)
    assert ("Find a Command", "Ctrl+K", "Help") in sheet.rows
    QTest.keyClicks(sheet.search, "REDO edit")
    assert sheet.rows == [("Redo", "Ctrl+Shift+Z or Ctrl+Y", "Edit")]
    sheet.search.setText("no (such] key")
    assert not sheet.rows
    assert not sheet.table.isVisible()
    sheet.search.setText("edit")
    QTest.keyClick(sheet.search, Qt.Key.Key_PageDown)
    assert sheet.table.verticalScrollBar().value() > 0
    QTest.keyClick(sheet.search, Qt.Key.Key_Escape)
    assert sheet.search.text() == ""
    QTest.keyClick(sheet.search, Qt.Key.Key_Escape)
    assert not sheet.is_open


def test_sheet_of_shortcuts_can_be_sorted_by_key(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    sheet = ShortcutSheet(
        window, [("Edit", [("G", "Move"), ("B", "Box Select")])], [("Mouse", [("Click", "Select")])]
    )
    header = sheet.table.horizontalHeader()
    assert [row[1] for row in sheet.rows] == ["G", "B", "Click"], "sorted like the menus"
    header.setSortIndicator(1, Qt.SortOrder.AscendingOrder)
    assert [row[1] for row in sheet.rows] == ["B", "Click", "G"]
    header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    assert [row[1] for row in sheet.rows] == ["G", "B", "Click"]
