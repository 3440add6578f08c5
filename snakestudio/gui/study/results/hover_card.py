"""Small card at the mouse: values and results of a point of a study, and its path from above."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import FloatArray
from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.model.ticks import step_above
from snakestudio.study.evaluate import Trace
from snakestudio.text import number_text
from snakestudio.viewmodel.study.result_columns import ResultColumn
from snakestudio.viewmodel.study.result_rows import Results

_KEPT = 64
"""Number of cached traces."""
_REPEATS = 8
"""Number of repeats of a point whose paths are drawn."""
_WIDTH = 264
_PICTURE = 128
_MOST_LINES = 12
_MARGIN = 12
_AWAY = 18


class HoverCard(ThemedWidget):
    """Card over its parent widget; hidden while the mouse is over no point."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fetch: Callable[[str], Trace | None] = lambda key: None
        self.row = -1
        self.lines: list[tuple[str, str, bool]] = []
        """Titles, values, and whether each is a goal or a limit."""
        self.title = ""
        self.sentence = ""
        self.traces: list[Trace] = []
        self._known: OrderedDict[str, Trace | None] = OrderedDict()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def apply_theme(self) -> None:
        self.update()

    def fetch_with(self, trace: Callable[[str], Trace | None]) -> None:
        """Clear the cache and fetch traces by the key of their run: runs may have been repeated."""
        self._fetch = trace
        self._known.clear()

    def show_row(self, results: Results, row: int, position: QPoint) -> None:
        """Show a row next to a position on the screen; hide the card for -1."""
        if row < 0 or row >= len(results):
            self.row = -1
            self.hide()
            return
        if row != self.row or self.isHidden():
            self.row = row
            self._read(results, row)
            self.resize(self._suitable_size())
            self.update()
        self._move_next_to(position)
        self.show()
        self.raise_()

    def _read(self, results: Results, row: int) -> None:
        state = results.columns["state"]
        parts = [] if state.values[row] == 0.0 else [state.text(state.values[row])]
        parts += (
            ["best"]
            if row == results.best
            else ["on the Pareto front"]
            if row in results.on_front
            else []
        )
        self.title = " · ".join([f"Point {int(results.points[row])}", *parts])
        self.sentence = results.sentence(row)
        listed: list[ResultColumn] = results.named("varied", "goal", "limit")[:_MOST_LINES]
        self.lines = [
            (c.title, c.text_with_unit(float(c.values[row])), c.role != "varied") for c in listed
        ]
        repeats = results.table.rows[row]
        run_traces = [
            self._trace_of(request.key)
            for request, outcome in repeats[:_REPEATS]
            if outcome is not None
        ]
        self.traces = [trace for trace in run_traces if trace is not None]
        if len(repeats) > 1:
            self.title += f" · {len(repeats)} repeats"

    def _trace_of(self, key: str) -> Trace | None:
        if key in self._known:
            self._known.move_to_end(key)
        else:
            self._known[key] = self._fetch(key)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[key]

    # --- position -------------------------------------------------------------------------------

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(theme.text_font(12))

    def _sentence_height(self) -> float:
        if not self.sentence:
            return 0.0
        area = QRectF(0, 0, theme.scaled(_WIDTH) - 2 * _MARGIN, 200)
        return (
            self._metrics().boundingRect(area, Qt.TextFlag.TextWordWrap, self.sentence).height() + 6
        )

    def _suitable_size(self) -> QSize:
        line = self._metrics().height() + 3
        height = 2 * _MARGIN + line * (1 + len(self.lines)) + 6 + self._sentence_height()
        if self.traces:
            height += theme.scaled(_PICTURE) + 8
        return QSize(theme.scaled(_WIDTH), int(height))

    def _move_next_to(self, position: QPoint) -> None:
        parent = self.parentWidget()
        assert parent is not None
        at = parent.mapFromGlobal(position)
        left = at.x() + _AWAY
        if left + self.width() > parent.width() - 4:
            left = at.x() - _AWAY - self.width()
        top = at.y() + _AWAY
        if top + self.height() > parent.height() - 4:
            top = at.y() - _AWAY - self.height()
        self.move(
            min(max(left, 4), max(4, parent.width() - self.width() - 4)),
            min(max(top, 4), max(4, parent.height() - self.height() - 4)),
        )

    # --- painting ---------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(theme.colour("raised"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.setFont(theme.text_font(12, strong=True))
        metrics = self._metrics()
        line = metrics.height() + 3
        width = self.width() - 2 * _MARGIN
        y = float(_MARGIN)
        painter.setPen(theme.colour("text"))
        title = QFontMetricsF(painter.font()).elidedText(
            self.title, Qt.TextElideMode.ElideRight, width
        )
        painter.drawText(QPointF(_MARGIN, y + metrics.ascent()), title)
        y += line + 4
        painter.setFont(theme.text_font(12))
        if self.sentence:
            painter.setPen(theme.colour("warning"))
            area = QRectF(_MARGIN, y, width, self._sentence_height())
            painter.drawText(area, Qt.TextFlag.TextWordWrap, self.sentence)
            y += self._sentence_height()
        for title, value, strong in self.lines:
            room_value = metrics.horizontalAdvance(value)
            painter.setPen(theme.colour("dim"))
            title = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, width - room_value - 12)
            painter.drawText(QPointF(_MARGIN, y + metrics.ascent()), title)
            painter.setPen(theme.colour("accent" if strong else "text"))
            painter.drawText(
                QPointF(self.width() - _MARGIN - room_value, y + metrics.ascent()), value
            )
            y += line
        if self.traces:
            self._paint_traces(painter, QRectF(_MARGIN, y + 6, width, theme.scaled(_PICTURE)))

    def _paint_traces(self, painter: QPainter, area: QRectF) -> None:
        """Paint paths and last poses from above, all on the same scale."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("card"))
        painter.drawRoundedRect(area, 5, 5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        parts = [part for trace in self.traces for part in (trace.track, trace.posture[:, :2])]
        every = np.concatenate(parts)
        every = every[np.isfinite(every).all(axis=1)]
        if not len(every):
            return
        low, high = every.min(axis=0), every.max(axis=0)
        size = np.maximum(high - low, 1e-6)
        inner = area.adjusted(10, 10, -10, -16)
        scale = min(inner.width() / size[0], inner.height() / size[1])
        middle = (low + high) / 2

        def polygon(places: FloatArray) -> QPolygonF:
            at = (places[:, :2] - middle) * scale
            return QPolygonF(
                [QPointF(inner.center().x() + x, inner.center().y() - y) for x, y in at.tolist()]
            )

        for number, trace in reversed(list(enumerate(self.traces))):
            track = theme.colour("accent")
            body = theme.colour("text")
            for ink in (track, body):
                ink.setAlphaF(1.0 if number == 0 else 0.28)
            thick = QPen(body, 4.0 if number == 0 else 2.0)
            thick.setCapStyle(Qt.PenCapStyle.RoundCap)
            thick.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.setPen(thick)
            painter.drawPolyline(polygon(trace.posture))
            painter.setPen(QPen(track, 1.6))
            path = polygon(trace.track)
            painter.drawPolyline(path)
            if number == 0:
                painter.setBrush(theme.colour("card"))
                painter.drawEllipse(path.first(), 3.0, 3.0)
                painter.setBrush(Qt.BrushStyle.NoBrush)
        length = step_above(0.25 * inner.width() / scale)
        if length * scale > 0.6 * inner.width():
            length /= 10
        left = area.left() + 10
        bottom = area.bottom() - 7
        painter.setPen(QPen(theme.colour("dim"), 1.2))
        painter.drawLine(QPointF(left, bottom), QPointF(left + length * scale, bottom))
        painter.setFont(theme.chart_font())
        painter.drawText(QPointF(left + length * scale + 5, bottom + 4), f"{number_text(length)} m")
