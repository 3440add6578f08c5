"""A figure that changes while one looks at it: a small caption over a value in steady digits."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from snakestudio.gui import theme

__all__ = ["Figure"]


class Figure(QWidget):
    """Caption and value. Painted here, as a label would ask the whole window for a new layout at every change.

    Parameters
    ----------
    caption : str
    widest : str
        The longest value it has to hold.
    tip : str
        Explanation.
    """

    def __init__(self, caption: str, widest: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caption, self._value, self._role = caption, "–", "text"
        self._small = theme.value_font(11, bold=False)
        self._large = theme.value_font(14)
        width = max(
            QFontMetrics(self._large).horizontalAdvance(widest),
            QFontMetrics(self._small).horizontalAdvance(caption),
        )
        self._size = QSize(width + 8, theme.scaled(40))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(tip)
        self.setAccessibleName(caption)

    @property
    def value(self) -> str:
        """What is shown."""
        return self._value

    @property
    def role(self) -> str:
        """Name of the value's colour in the palette."""
        return self._role

    def show_value(self, value: str, role: str = "text") -> None:
        """Show a value in a colour of the palette."""
        if (value, role) != (self._value, self._role):
            self._value, self._role = value, role
            self.setAccessibleDescription(value)
            self.update()

    def sizeHint(self) -> QSize:
        return self._size

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            half = self.height() // 2
            painter.setFont(self._small)
            painter.setPen(theme.colour("dim"))
            left = Qt.AlignmentFlag.AlignLeft
            painter.drawText(QRect(0, 2, self.width(), half - 2), left | Qt.AlignmentFlag.AlignVCenter, self._caption)
            painter.setFont(self._large)
            painter.setPen(theme.colour(self._role))
            painter.drawText(QRect(0, half, self.width(), half - 2), left | Qt.AlignmentFlag.AlignVCenter, self._value)
        finally:
            painter.end()
