"""A live value: a small caption over a value in digits of equal width."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from snakestudio.gui.core import theme

_GAP = 8
_BESIDE = 8
"""Space next to a value, px."""


class LiveValue(QWidget):
    """Caption and value, painted here because a label would cause a new layout of the window at every change.

    Parameters
    ----------
    widest : str
        The longest expected value.
    tip : str
        Tooltip.
    """

    def __init__(self, caption: str, widest: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caption = caption
        self._value = "–"
        self._role = "text"
        self._caption_role = "dim"
        self._small = theme.value_font(11, bold=False)
        self._large = theme.value_font(14)
        width = max(
            QFontMetrics(self._large).horizontalAdvance(widest),
            QFontMetrics(self._small).horizontalAdvance(caption),
        )
        self._size = QSize(width + _BESIDE, theme.scaled(40))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(tip)
        self.setAccessibleName(caption)

    @property
    def value(self) -> str:
        """The shown text."""
        return self._value

    @property
    def caption(self) -> str:
        """Text above the value."""
        return self._caption

    @property
    def role(self) -> str:
        """Name of the value's colour in the palette."""
        return self._role

    def show_value(self, value: str, role: str = "text") -> None:
        """Show a value in a colour of the palette."""
        if (value, role) != (self._value, self._role):
            self._value = value
            self._role = role
            width = QFontMetrics(self._large).horizontalAdvance(value) + _BESIDE
            if width > self._size.width():  # longer than expected: no digit may be cut off
                self._size.setWidth(width)
                self.updateGeometry()
            self.setAccessibleDescription(value)
            self.update()

    def set_caption(self, caption: str, role: str = "dim") -> None:
        """Set the text above the value, in a colour of the palette; the size does not change."""
        if (caption, role) != (self._caption, self._caption_role):
            self._caption = caption
            self._caption_role = role
            self.update()

    def sizeHint(self) -> QSize:
        return self._size

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            half = self.height() // 2
            painter.setFont(self._small)
            painter.setPen(theme.colour(self._caption_role))
            left = Qt.AlignmentFlag.AlignLeft
            painter.drawText(
                QRect(0, 2, self.width(), half - 2),
                left | Qt.AlignmentFlag.AlignVCenter,
                self._caption,
            )
            painter.setFont(self._large)
            painter.setPen(theme.colour(self._role))
            painter.drawText(
                QRect(0, half, self.width(), half - 2),
                left | Qt.AlignmentFlag.AlignVCenter,
                self._value,
            )
        finally:
            painter.end()


class LiveValueRow(QWidget):
    """Live values side by side. In a narrow window the last ones are hidden.

    Parameters
    ----------
    values : sequence of LiveValue
        Values, the most important first; they become children of the row.
    always : int
        Number of values that are always visible.
    """

    def __init__(
        self, values: Sequence[LiveValue], parent: QWidget | None = None, *, always: int = 1
    ) -> None:
        super().__init__(parent)
        self._values = values
        self._always = always
        for value in values:
            value.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return self._size_of(self._values)

    def minimumSizeHint(self) -> QSize:
        return self._size_of(self._values[: self._always])

    @staticmethod
    def _size_of(values: Sequence[LiveValue]) -> QSize:
        hints = [value.sizeHint() for value in values]
        width = sum(hint.width() for hint in hints) + _GAP * (len(hints) - 1)
        return QSize(width, max(hint.height() for hint in hints))

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # a value became wider
            self.updateGeometry()
            self._arrange()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        left = 0
        for value in self._values:
            hint = value.sizeHint()
            value.setGeometry(
                left, (self.height() - hint.height()) // 2, hint.width(), hint.height()
            )
            value.setVisible(left + hint.width() <= self.width())
            left += hint.width() + _GAP
