"""Paints a kept run in the list: its picture, its name, when it was made, what it is, and its tags."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QByteArray, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImageReader, QPainter, QPainterPath, QPixmap, QPixmapCache
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from snakestudio.gui.core import theme
from snakestudio.gui.runs.run_list import RUN, facts, moment
from snakestudio.runfile.library import KeptRun

__all__ = ["RunDelegate"]

_MARGIN = 6
_RADIUS = 4.0

_LARGEST = 2000
"""Pixels of a picture either way."""


class RunDelegate(QStyledItemDelegate):
    """Three lines beside a picture.

    Parameters
    ----------
    colour_of : callable
        The colour in which the run of a file is seen beside the window's own; "" if it is not.
    present : callable
        The file of the run that the window makes at present, or None.
    """

    def __init__(
        self, colour_of: Callable[[Path], str], present: Callable[[], Path | None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._colour_of, self._present = colour_of, present

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        lines = QFontMetrics(theme.text_font(13, strong=True)).height() + 2 * QFontMetrics(theme.text_font(12)).height()
        return QSize(160, lines + 2 * _MARGIN + 2)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        run: KeptRun = index.data(RUN)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._paint_ground(painter, rect, state)
        height = rect.height() - 2 * _MARGIN
        place = QRect(rect.left() + _MARGIN, rect.top() + _MARGIN, round(height * 1.5), height)
        self._paint_picture(painter, place, run)
        left = place.right() + 10
        self._paint_texts(painter, QRect(left, place.top(), rect.right() - left - _MARGIN, height), run)
        painter.restore()

    def _paint_ground(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag) -> None:
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
            painter.fillPath(outline, theme.colour("raised" if selected else "card"))
            if selected and state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(theme.colour("accent"))
                painter.drawPath(outline)

    def _paint_picture(self, painter: QPainter, place: QRect, run: KeptRun) -> None:
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(place), _RADIUS, _RADIUS)
        painter.fillPath(outline, theme.colour("ground"))
        pixmap = _pixmap(run)
        painter.save()
        painter.setClipPath(outline)
        if pixmap is not None:
            scaled = pixmap.size().scaled(place.size(), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
            target = QRect(place.topLeft(), scaled)
            target.moveCenter(place.center())
            painter.drawPixmap(target, pixmap)
        else:
            icon = theme.icon("warning" if run.info is None else "snakestudio", "dim")
            size = theme.scaled(20)
            icon.paint(painter, QRect(place.center().x() - size // 2, place.center().y() - size // 2, size, size))
        painter.restore()
        if run.info is not None and run.info.robot:  # what a robot did is told from what was computed
            size = theme.scaled(18)
            mark = QRect(place.right() - size, place.bottom() - size, size, size)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("panel"))
            painter.drawRoundedRect(mark, _RADIUS, _RADIUS)
            theme.icon("robot", "danger").paint(painter, mark.adjusted(2, 2, -2, -2))
        colour = self._colour_of(run.path)
        if colour:  # as its curves and its ghost
            painter.fillRect(QRect(place.left(), place.top(), 4, place.height()), QColor(colour))

    def _paint_texts(self, painter: QPainter, place: QRect, run: KeptRun) -> None:
        running = run.path == self._present()
        when = "this run" if running else moment(run.created)
        painter.setFont(theme.text_font(13, strong=True))
        painter.setPen(theme.colour("text" if run.info is not None else "dim"))
        top = _line(painter, run.name, place, place.top())
        painter.setFont(theme.text_font(12))
        painter.setPen(theme.colour("accent" if running else "dim"))
        tags = "  ".join(f"#{tag}" for tag in run.tags)
        top = _line(painter, f"{when}   {tags}" if tags else when, place, top)
        painter.setPen(theme.colour("dim" if run.info is not None else "warning"))
        _line(painter, facts(run, running), place, top)


def _line(painter: QPainter, text: str, place: QRect, top: int) -> int:
    """Paint a line as far as there is room; where the next one begins, px."""
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(QRect(place.left(), top, place.width(), metrics.height()), Qt.AlignmentFlag.AlignVCenter, shown)
    return top + metrics.height()


def _pixmap(run: KeptRun) -> QPixmap | None:
    """The picture of a run, from Qt's cache while the file is the same."""
    if run.picture is None or not run.picture.is_file():  # a pipe would be waited for
        return None
    try:
        key = f"{run.picture}:{run.picture.stat().st_mtime_ns}"
    except OSError:
        return None
    pixmap = QPixmap()
    if QPixmapCache.find(key, pixmap):
        return pixmap
    reader = QImageReader(str(run.picture), QByteArray(b"png"))  # of no other kind, whatever it is called
    size = reader.size()
    if not 0 < max(size.width(), size.height()) <= _LARGEST:
        return None
    pixmap = QPixmap.fromImage(reader.read())
    QPixmapCache.insert(key, pixmap)
    return None if pixmap.isNull() else pixmap
