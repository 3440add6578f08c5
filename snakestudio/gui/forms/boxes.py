"""Boxes with arrows: one of several choices, and numbers with the same room before their text as other fields."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

__all__ = ["ChoiceBox", "DoubleSpinBox", "SpinBox"]

_ROOM = 9
"""Pixels: the style sheet's padding, for which Qt makes such a field wide enough without keeping it before the text."""


class ChoiceBox(QComboBox):
    """A box that leaves the wheel to the panel it stands in; a text that is longer than it ends in "…"."""

    def paintEvent(self, event: QPaintEvent) -> None:
        # Qt's own cuts a text off in the middle of a letter.
        if self.currentIndex() < 0:
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        ).width() - (self.iconSize().width() + 4 if not self.itemIcon(self.currentIndex()).isNull() else 0)  # fmt: skip
        elide = Qt.TextElideMode.ElideRight
        option.currentText = option.fontMetrics.elidedText(option.currentText, elide, room)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SpinBox(QSpinBox):
    """A field for a whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _make_room(self)


class DoubleSpinBox(QDoubleSpinBox):
    """A field for a number with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _make_room(self)


def _make_room(box: QAbstractSpinBox) -> None:
    box.lineEdit().setTextMargins(_ROOM, 0, 0, 0)
