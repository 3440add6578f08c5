"""Rows of a colour and a text under the legend: whose ghosts there are, what the controller does."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme

__all__ = ["Swatches"]

_PAD, _SWATCH = 12, 20


class Swatches(QWidget):
    """A row for every entry; hidden while there are none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.entries: list[tuple[str, str]] = []
        """Colours and texts."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._height = theme.scaled(22)
        self.hide()

    def say(self, entries: list[tuple[str, str]]) -> None:
        """Show colours and texts."""
        if entries == self.entries:
            return
        self.entries = entries
        metrics = QFontMetrics(self._font())
        widest = max((metrics.horizontalAdvance(text) for _, text in entries), default=0)
        self.resize(2 * _PAD + _SWATCH + 8 + widest, 12 + len(entries) * self._height)
        self.setVisible(bool(entries))
        self.update()

    def _font(self) -> QFont:
        font = self.font()
        font.setPixelSize(theme.scaled(12))
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = theme.colour("ground" if theme.current() is theme.DARK else "card")
            ground.setAlpha(225)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(self.rect(), 6, 6)
            painter.setFont(self._font())
            for index, (colour, text) in enumerate(self.entries):
                middle = 6 + (index + 0.5) * self._height
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(colour))
                painter.drawRoundedRect(QRectF(_PAD, middle - 4, _SWATCH, 8), 4, 4)
                painter.setPen(theme.colour("text"))
                place = QRectF(_PAD + _SWATCH + 8, middle - self._height / 2, self.width(), self._height)
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        finally:
            painter.end()
