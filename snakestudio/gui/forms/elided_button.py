"""A button that can be narrower than its text, which then ends in "…" and is shown in full in the tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from snakestudio.gui.core import theme

_LEAST = 80
"""Least width, px of the design."""
_ROUNDING = 2
"""Rounding error of widths of texts, px."""


class ElidedButton(QToolButton):
    """A tool button with a text that may be long."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(hint.width(), theme.scaled(_LEAST)), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        available = self.width() - (
            self.sizeHint().width() - self.fontMetrics().horizontalAdvance(self.text())
        )
        elided = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, available + _ROUNDING
        )
        if elided == self.text():
            super().paintEvent(event)
            return
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelButtonTool, option)
        painter.setPen(theme.colour("text" if self.isChecked() else "dim"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, elided)
        painter.end()
