"""The cards of the gallery: a scene with its picture, and small ones for what else one can start with."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.viewmodel.gallery import Entry

__all__ = ["Card", "SceneCard", "StartCard"]

_RADIUS = 8.0
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class Card(QAbstractButton):
    """Something to open, by a click, Enter or the space bar.

    Signals
    -------
    looked_at(card: Card)
        It got the keyboard, or the mouse was moved over it.
    arrow(card: Card, right: int, down: int)
        The neighbour in that direction is wanted.
    typed(text: str)
        Text was typed while it had the keyboard.
    """

    looked_at = Signal(object)
    arrow = Signal(object, int, int)
    typed = Signal(str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    @abstractmethod
    def height_for(self, width: int) -> int:
        """Its height at a width, px."""

    def sizeHint(self) -> QSize:
        width = theme.scaled(236)
        return QSize(width, self.height_for(width))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _ARROWS:
            self.arrow.emit(self, *_ARROWS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif key != Qt.Key.Key_Space and event.text().isprintable() and event.text():
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.looked_at.emit(self)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # Not when it is entered: cards that move under a mouse at rest, as while one types, are not looked at.
        super().mouseMoveEvent(event)
        self.looked_at.emit(self)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
            painter.fillPath(outline, theme.colour("raised" if self.underMouse() else "card"))
            painter.save()
            painter.setClipPath(outline)
            self.paint_inside(painter)
            painter.restore()
            pen = painter.pen()
            pen.setColor(theme.colour("accent" if self.hasFocus() else "line"))
            pen.setWidthF(2.0 if self.hasFocus() else 1.0)
            painter.setPen(pen)
            painter.drawPath(outline)
        finally:
            painter.end()

    @abstractmethod
    def paint_inside(self, painter: QPainter) -> None:
        """Paint what it shows."""


class SceneCard(Card):
    """A shipped scene: picture, title, where it is from, and the beginning of what to look for.

    Parameters
    ----------
    entry : Entry
    """

    def __init__(self, entry: Entry, parent: QWidget) -> None:
        super().__init__(entry.title, parent)
        self.entry = entry
        self.setAccessibleDescription(entry.description)
        self._picture = QPixmap()
        self._theme = ""

    def _pixmap(self) -> QPixmap:
        if self._theme != theme.current().name:
            self._theme = theme.current().name
            self._picture = QPixmap(str(self.entry.picture(self._theme)))
        return self._picture

    def height_for(self, width: int) -> int:
        title, small = QFontMetrics(theme.text_font(13, strong=True)), QFontMetrics(theme.text_font(12))
        return _picture_height(width) + 8 + title.height() + 2 + small.height() + 6 + 2 * small.height() + 12

    def paint_inside(self, painter: QPainter) -> None:
        width, left = self.width(), 12
        top = _picture_height(width)
        pixmap = self._pixmap()
        if not pixmap.isNull():
            painter.drawPixmap(QRect(0, 0, width, top), pixmap)
        room = width - 2 * left
        top += 8
        painter.setFont(theme.text_font(13, strong=True))
        painter.setPen(theme.colour("text"))
        top = _line(painter, self.entry.title, QRect(left, top, room, 0)) + 2
        painter.setFont(theme.text_font(12))
        painter.setPen(theme.colour("accent"))
        top = _line(painter, f"{self.entry.source} · {self.entry.model}", QRect(left, top, room, 0)) + 6
        painter.setPen(theme.colour("dim"))
        _two_lines(painter, self.entry.description, QRect(left, top, room, 0))


class StartCard(Card):
    """A small card: an icon, a name, and a dim line below it.

    Parameters
    ----------
    icon : str
        File name in `resources/icons`.
    text, below : str
    path : Path, optional
        The file it opens.
    """

    def __init__(self, icon: str, text: str, below: str, parent: QWidget, path: Path | None = None) -> None:
        super().__init__(text, parent)
        self._icon, self._text, self.below, self.path = icon, text, below, path
        self.setText(text)

    def height_for(self, width: int) -> int:
        return (
            24
            + QFontMetrics(theme.text_font(13, strong=True)).height()
            + QFontMetrics(theme.text_font(12)).height()
        )  # fmt: skip

    def paint_inside(self, painter: QPainter) -> None:
        size = theme.scaled(20)
        icon: QIcon = theme.icon(self._icon, "accent")
        icon.paint(painter, QRect(14, (self.height() - size) // 2, size, size))
        left = 14 + size + 12
        room = self.width() - left - 10
        painter.setFont(theme.text_font(13, strong=True))
        painter.setPen(theme.colour("text"))
        below = _line(painter, self._text, QRect(left, 11, room, 0)) + 1
        painter.setFont(theme.text_font(12))
        painter.setPen(theme.colour("dim"))
        _line(painter, self.below, QRect(left, below, room, 0), Qt.TextElideMode.ElideMiddle)


def _picture_height(width: int) -> int:
    return round(width * 0.6)


def _line(
    painter: QPainter, text: str, place: QRect, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> int:  # fmt: skip
    """Paint one line as far as there is room; returns where it ends, px."""
    metrics = painter.fontMetrics()
    place = QRect(place.x(), place.y(), place.width(), metrics.height())
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(text, mode, place.width()))
    return place.y() + metrics.height()


def _two_lines(painter: QPainter, text: str, place: QRect) -> None:
    """Paint what of a text has room on two lines."""
    metrics = painter.fontMetrics()
    first = ""
    words = text.split()
    while words and metrics.horizontalAdvance(f"{first} {words[0]}".strip()) <= place.width():
        first = f"{first} {words.pop(0)}".strip()
    below = _line(painter, first, place)
    if words:
        _line(painter, " ".join(words), QRect(place.x(), below, place.width(), 0))
