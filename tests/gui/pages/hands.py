"""User actions on a widget: show it, move the mouse over it, type into it."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

Shown = TypeVar("Shown", bound=QWidget)

LEFT = Qt.MouseButton.LeftButton
NO_BUTTON = Qt.MouseButton.NoButton
NO_MODIFIER = Qt.KeyboardModifier.NoModifier


def show_widget(qtbot: QtBot, widget: Shown, width: int = 0, height: int = 0) -> Shown:
    """Show a widget with a size in px (default: its own) and close it after the test."""
    qtbot.addWidget(widget)
    if width:
        widget.resize(width, height)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def move(
    widget: QWidget,
    to: QPoint | QPointF,
    *,
    held: Qt.MouseButton = NO_BUTTON,
    modifiers: Qt.KeyboardModifier = NO_MODIFIER,
) -> None:
    """Move the mouse with buttons and keys held, which QTest's mouse cannot."""
    at = QPointF(to)
    QApplication.sendEvent(
        widget,
        QMouseEvent(QEvent.Type.MouseMove, at, widget.mapToGlobal(at), NO_BUTTON, held, modifiers),
    )


def double_click(widget: QWidget, at: QPoint) -> None:
    """Double-click, with the release that QTest omits."""
    QTest.mouseClick(widget, LEFT, NO_MODIFIER, at)
    QTest.mouseDClick(widget, LEFT, NO_MODIFIER, at)
    QTest.mouseRelease(widget, LEFT, NO_MODIFIER, at)


def type_into(field: QLineEdit | QAbstractSpinBox, text: str, *, enter: bool = True) -> None:
    """Replace the text of a field by typing, and press Return unless `enter` is false."""
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    if enter:
        QTest.keyClick(field, Qt.Key.Key_Return)


def choose(box: QComboBox, data: object) -> None:
    """Choose an entry of a list by its data, like a click."""
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())
