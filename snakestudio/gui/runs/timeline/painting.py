"""Painting of the track: bar, ticks, event marks, loop range and overview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from snakestudio.gui.charts.tick_marks import paint_dash, paint_text, text_place
from snakestudio.gui.core import theme
from snakestudio.gui.runs.timeline.moments import KINDS, Kind, MomentCluster
from snakestudio.model.run_time import run_time
from snakestudio.viewmodel.timeline.scale import TimeScale


@dataclass(frozen=True, slots=True)
class TrackRows:
    """Heights of the rows of the track, px."""

    marks: float
    bar: float
    ticks: float
    overview: float

    @classmethod
    def of(cls, height: float) -> TrackRows:
        """Distribute the rows over the height of a track."""
        return cls(
            marks=0.2 * height, bar=0.48 * height, ticks=0.78 * height, overview=0.96 * height
        )


@dataclass(frozen=True, slots=True)
class TrackState:
    """Values that the painting depends on."""

    first: float
    """Time of the first row, s."""

    recorded: float
    """Time of the last row, s."""

    shown_time: float
    """Time that the views show, s."""

    hover: float | None
    """Time under the mouse, s."""

    span: tuple[float, float] | None
    """Loop range, s."""

    clusters: Sequence[MomentCluster]
    hovered_cluster: MomentCluster | None
    """Cluster under the mouse."""

    focused: bool


def paint(
    painter: QPainter, scale: TimeScale, width: float, height: float, state: TrackState
) -> None:
    """Paint a track."""
    rows = TrackRows.of(height)
    left, right = scale.x_of(scale.begin), scale.x_of(scale.end)
    _ticks(painter, scale, rows)
    _bar(painter, left, right, rows.bar, theme.colour("line"))
    first = scale.x_of(state.first)
    recorded = scale.x_of(state.recorded)
    x_shown = scale.x_of(state.shown_time)
    faint = theme.colour("accent")
    faint.setAlphaF(0.4)
    _bar(painter, first, max(recorded, x_shown), rows.bar, faint)
    _bar(painter, first, x_shown, rows.bar, theme.colour("accent"))
    if state.span is not None:
        _span(painter, scale, rows, state.span)
    if state.hover is not None and state.first <= state.hover <= state.recorded:
        painter.setPen(QPen(theme.colour("dim"), 1))
        x = scale.x_of(state.hover)
        painter.drawLine(QPointF(x, rows.bar - 8), QPointF(x, rows.bar + 8))
    for cluster in state.clusters:
        _mark(painter, cluster, rows.marks, cluster is state.hovered_cluster)
    if scale.shows(state.shown_time):
        painter.setPen(QPen(theme.colour("accent" if state.focused else "panel"), 2))
        painter.setBrush(theme.colour("text"))
        painter.drawEllipse(QPointF(x_shown, rows.bar), 7, 7)
    if scale.zoomed:
        _overview(painter, scale, rows, width, state)


def _bar(painter: QPainter, left: float, right: float, y: float, colour: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(QRectF(left, y - 2, max(0.0, right - left), 4), 2, 2)


def _ticks(painter: QPainter, scale: TimeScale, rows: TrackRows) -> None:
    painter.setFont(theme.text_font(10))
    metrics = painter.fontMetrics()
    times = scale.ticks(1.6 * metrics.horizontalAdvance("00:00.00"))
    step = times[1] - times[0] if len(times) > 1 else 1.0
    for time in times:
        x = scale.x_of(time)
        text = _figure(time, step)
        painter.setPen(QPen(theme.colour("line"), 1))
        paint_dash(painter, "below", rows.bar, x, 4, 8)
        painter.setPen(theme.colour("dim"))
        size = QSizeF(metrics.horizontalAdvance(text) + 2, metrics.height())
        paint_text(painter, text_place("below", rows.ticks - size.height() / 2, x, size, 0), text)


def _figure(time: float, step: float) -> str:
    if step >= 60.0:
        return (
            f"{int(time // 3600)}:{int(time % 3600 // 60):02d} h"
            if time >= 3600
            else f"{time / 60:.0f} min"
        )
    digits = 0 if step >= 1.0 else 1 if step >= 0.1 else 2
    return run_time(time, digits).removesuffix(" s")


def _span(painter: QPainter, scale: TimeScale, rows: TrackRows, span: tuple[float, float]) -> None:
    begin, end = scale.x_of(max(span[0], scale.begin)), scale.x_of(min(span[1], scale.end))
    wash = theme.colour("good")
    wash.setAlphaF(0.18)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(wash)
    painter.drawRect(QRectF(begin, rows.bar - 7, end - begin, 14))
    painter.setPen(QPen(theme.colour("good"), 2))
    for x, time, inwards in ((begin, span[0], 4), (end, span[1], -4)):
        if scale.shows(time):
            painter.drawPolyline(
                QPolygonF(
                    [
                        QPointF(x + inwards, rows.bar - 8),
                        QPointF(x, rows.bar - 8),
                        QPointF(x, rows.bar + 8),
                        QPointF(x + inwards, rows.bar + 8),
                    ]
                )
            )


def _mark(painter: QPainter, cluster: MomentCluster, y: float, pointed: bool) -> None:
    colour = theme.colour(KINDS[cluster.kind][0])
    x = cluster.x
    if len(cluster.moments) > 1:
        _pill(painter, str(len(cluster.moments)), colour, x, y, pointed)
        return
    r = 5.0 if pointed else 4.0
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    _shape(painter, cluster.kind, colour, x, y, r)


def _shape(painter: QPainter, kind: Kind, colour: QColor, x: float, y: float, r: float) -> None:
    if kind == "impact":  # a diamond
        painter.drawPolygon(
            QPolygonF([QPointF(x, y - r), QPointF(x + r, y), QPointF(x, y + r), QPointF(x - r, y)])
        )
    elif kind == "jam":
        painter.drawRect(QRectF(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r))
    elif kind in ("freed", "unsolved"):  # a ring, and a bar
        painter.setBrush(Qt.BrushStyle.NoBrush if kind == "freed" else colour)
        if kind == "freed":
            painter.setPen(QPen(colour, 1.8))
            painter.drawEllipse(QPointF(x, y), r - 1, r - 1)
        else:
            painter.drawRect(QRectF(x - 1.2, y - r, 2.4, 2 * r))
    elif kind == "fault":  # a cross
        painter.setPen(QPen(colour, 2.4))
        painter.drawLine(QPointF(x - r, y - r), QPointF(x + r, y + r))
        painter.drawLine(QPointF(x - r, y + r), QPointF(x + r, y - r))
    elif kind == "continued":  # a branch
        painter.setPen(QPen(colour, 1.8))
        low = y + 0.4 * r
        painter.drawPolyline(
            QPolygonF([QPointF(x - r, y - r), QPointF(x - r, low), QPointF(x + r, low)])
        )
        painter.drawLine(QPointF(x + r, low), QPointF(x + 0.3 * r, low - 0.7 * r))
        painter.drawLine(QPointF(x + r, low), QPointF(x + 0.3 * r, low + 0.7 * r))
    elif kind == "change":  # a wedge
        painter.drawPolygon(
            QPolygonF([QPointF(x, y + r), QPointF(x - r, y - r), QPointF(x + r, y - r)])
        )
    else:
        painter.drawEllipse(QPointF(x, y), 0.6 * r, 0.6 * r)


def _pill(painter: QPainter, text: str, colour: QColor, x: float, y: float, pointed: bool) -> None:
    painter.setFont(theme.text_font(9, strong=True))
    metrics = painter.fontMetrics()
    width = metrics.horizontalAdvance(text) + 8.0
    height = metrics.height() - 1.0
    rect = QRectF(x - width / 2, y - height / 2, width, height)
    wash = QColor(colour)
    wash.setAlphaF(0.45 if pointed else 0.22)
    painter.setPen(QPen(colour, 1.2))
    painter.setBrush(wash)
    painter.drawRoundedRect(rect, height / 2, height / 2)
    painter.setPen(theme.colour("text"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def _overview(
    painter: QPainter, scale: TimeScale, rows: TrackRows, width: float, state: TrackState
) -> None:
    """Paint the whole run as a line with the visible part marked."""
    left = scale.x_of(scale.begin)
    length = width - 2 * left
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("line"))
    painter.drawRect(QRectF(left, rows.overview - 1, length, 2))
    painter.setBrush(theme.colour("accent"))
    begin, end = (
        left + length * scale.begin / scale.run_end,
        left + length * scale.end / scale.run_end,
    )
    painter.drawRoundedRect(QRectF(begin, rows.overview - 2, max(6.0, end - begin), 4), 2, 2)
    painter.setBrush(theme.colour("text"))
    painter.drawRect(
        QRectF(
            left + length * min(state.shown_time / scale.run_end, 1.0) - 1, rows.overview - 3, 2, 6
        )
    )
