"""Frequently changing texts, painted because a label would trigger a new layout of the window each time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from snakestudio.gui.core import theme

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class SteadyLabel(QWidget):
    """Line of text in a colour of the palette."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._role = "dim"
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """Shown text."""
        return self._text

    def show_text(self, text: str, role: str = "dim") -> None:
        """Show `text` in the colour of `role`."""
        if (text, role) != (self._text, self._role):
            self._text = text
            self._role = role
            self.setAccessibleName(text)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(40, theme.scaled(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setFont(theme.value_font(13, bold=False))
            painter.setPen(theme.colour(self._role))
            text = painter.fontMetrics().elidedText(
                self._text, Qt.TextElideMode.ElideRight, self.width()
            )
            painter.drawText(self.rect(), _LEFT, text)
        finally:
            painter.end()


class FigureList(QWidget):
    """List of names on the left with values on the right.

    Parameters
    ----------
    names : tuple of (name, tip)
    """

    def __init__(self, names: tuple[tuple[str, str], ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tips = dict(names)
        self._values = {name: ("–", "text") for name, _ in names}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(", ".join(self._values))

    def value(self, name: str) -> str:
        """Return the value shown for a name."""
        return self._values[name][0]

    def show_value(self, name: str, text: str, role: str = "text") -> None:
        """Show a value in the colour of `role`."""
        if self._values[name] != (text, role):
            self._values[name] = text, role
            self.update()

    @property
    def _row(self) -> int:
        return theme.scaled(22)

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(200), len(self._values) * self._row)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            row = min(len(self._values) - 1, max(0, event.pos().y() // self._row))
            name = [*self._values][row]
            QToolTip.showText(
                event.globalPos(), f"<qt><b>{self.value(name)}</b><br>{self._tips[name]}</qt>", self
            )
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            names = theme.text_font(13)
            values = theme.value_font(13)
            painter.setFont(names)
            left = max(painter.fontMetrics().horizontalAdvance(name) for name in self._values) + 16
            for row, (name, (text, role)) in enumerate(self._values.items()):
                top = row * self._row
                painter.setFont(names)
                painter.setPen(theme.colour("dim"))
                painter.drawText(QRect(0, top, left, self._row), _LEFT, name)
                painter.setFont(values)
                painter.setPen(theme.colour(role))
                width = self.width() - left
                text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)
                painter.drawText(QRect(left, top, width, self._row), _LEFT, text)
        finally:
            painter.end()
