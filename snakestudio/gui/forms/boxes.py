"""Combo boxes and spin boxes, with the same text margin as other fields."""

from __future__ import annotations

import html
from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent, QWheelEvent
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

_TEXT_MARGIN = 9
"""Padding of the style sheet, px, which Qt includes in the width of a spin box but not in front of
its text."""


class ChoiceBox(QComboBox):
    """A combo box that ignores the wheel, which scrolls its panel.

    A text that is too long ends in "…", and the tooltip shows the whole text.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tip = ""
        self.currentTextChanged.connect(lambda _: self.refresh_tip())

    def setToolTip(self, tip: str) -> None:
        self._tip = tip
        self.refresh_tip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh_tip()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.refresh_tip()

    def refresh_tip(self) -> None:
        """Add an elided text to the tooltip; call after entries changed without signals."""
        text = self.currentText()
        cut = self.fontMetrics().horizontalAdvance(text) > self._text_width()
        rich = self._tip.startswith("<qt>")
        full = (
            f"<qt>{html.escape(text)}</qt><br><br>"
            if rich
            else f"{text}\n\n"
            if self._tip
            else text
        )
        super().setToolTip(f"{full}{self._tip}" if cut else self._tip)

    def _text_width(self) -> int:
        """Return the width available for the text, px."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        complex_control = QStyle.ComplexControl.CC_ComboBox
        part = QStyle.SubControl.SC_ComboBoxEditField
        width = self.style().subControlRect(complex_control, option, part, self).width()
        has_icon = self.currentIndex() >= 0 and not self.itemIcon(self.currentIndex()).isNull()
        return width - (self.iconSize().width() + 4 if has_icon else 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        # Qt cuts a text off in the middle of a letter.
        if self.currentIndex() < 0:
            super().paintEvent(event)
            return
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        elide = Qt.TextElideMode.ElideRight
        option.currentText = option.fontMetrics.elidedText(
            option.currentText, elide, self._text_width()
        )
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def narrow(box: ChoiceBox, characters: int = 8) -> ChoiceBox:
    """Let a box be narrower than its longest choice, and return it."""
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(characters)
    return box


def make_editable(box: ChoiceBox, edited: Callable[[], object]) -> None:
    """Make a box editable; `edited` is called when an entry is chosen or the focus leaves the box."""
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.activated.connect(lambda _: edited())
    line = box.lineEdit()
    assert line is not None
    line.editingFinished.connect(edited)


class SpinBox(QSpinBox):
    """A field for a whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _reserve_width(self)


class DoubleSpinBox(QDoubleSpinBox):
    """A field for a number with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _reserve_width(self)


def _reserve_width(box: QAbstractSpinBox) -> None:
    box.lineEdit().setTextMargins(_TEXT_MARGIN, 0, 0, 0)
