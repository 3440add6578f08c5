"""Overlay of rulers, dimensions and handles, drawn sharply over images of any quality."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import FloatArray
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.gui.core import theme
from snakestudio.gui.viewport.drafting.measure_tool import MeasureTool, measured
from snakestudio.gui.viewport.drafting.rulers import THICK, paint_rulers
from snakestudio.gui.viewport.tools.robot_tool import RobotTool
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.viewport.dimensions import Dimension, selection_dimensions
from snakestudio.viewmodel.viewport.robot_drag import LEVER


class DraftingOverlay(QWidget):
    """Draws what must stay sharp and of constant size over the viewport; it ignores the mouse.

    Parameters
    ----------
    viewport : ViewportApi
        Its camera, scene, selection and tools determine the content.

    Signals
    -------
    inset_changed()
        Rulers appeared or disappeared.
    """

    inset_changed = Signal()

    def __init__(self, viewport: ViewportApi, robot: RobotTool, measure: MeasureTool) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self._robot = robot
        self._measure = measure
        self._cursor: QPointF | None = None
        self._ruled = False
        self._known: tuple[tuple[object, ...], list[Dimension]] = ((), [])
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    @property
    def inset(self) -> int:
        """Width of the rulers at the left and lower edges, pixels; 0 without rulers."""
        return THICK if self._viewport.drafting else 0

    def refresh(self) -> None:
        """Schedule a repaint if there is anything to draw."""
        robot = self._robot
        measure = self._measure
        busy = (
            measure.measuring
            or measure.start is not None
            or robot.arc is not None
            or robot.label is not None
        )
        self.setVisible(self._viewport.drafting or busy or len(robot.handles()) > 0)
        self.update()
        if self._viewport.drafting != self._ruled:
            self._ruled = self._viewport.drafting
            self.inset_changed.emit()

    def point_at(self, cursor: QPointF | None) -> None:
        """Set the position of the cursor; None if it has left."""
        self._cursor = cursor
        if self._viewport.drafting:
            self.update()

    def dimensions(self) -> list[Dimension]:
        """Return the dimensions of the selection."""
        viewport = self._viewport
        scene = viewport.scene
        snapshot = viewport.snapshot
        items = viewport.selection.items
        key = (scene, snapshot, items)
        if not (self._known[0] and all(a is b for a, b in zip(self._known[0], key, strict=True))):
            pose = (
                snapshot.link_pose
                if snapshot is not None and Fields.POSE in snapshot.valid
                else None
            )
            chosen = [
                index for index in viewport.selection.obstacles if index < len(scene.obstacles)
            ]
            robot = any(kind in ("link", "robot", "beam", "start") for kind, _ in items)
            world = obstacles_of(scene.obstacles, viewport.document.base_dir)
            self._known = key, selection_dimensions(scene, world, pose, chosen, robot)
        return self._known[1]

    def draw_on(self, image: QImage) -> None:
        """Draw rulers and dimensions onto an image of the viewport, without the cursor."""
        if not self._viewport.drafting:
            return
        painter = QPainter(image)
        try:
            painter.scale(
                image.width() / max(1, self.width()), image.height() / max(1, self.height())
            )
            self._paint(painter, None, handles=False)
        finally:
            painter.end()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self._paint(painter, self._cursor, handles=True)
        finally:
            painter.end()

    def _paint(self, painter: QPainter, cursor: QPointF | None, *, handles: bool) -> None:
        drafting = self._viewport.drafting
        area = QRectF(self.rect())
        free = area.adjusted(self.inset + 4, 4, -4, -self.inset - 4)
        pen = Pen(painter, free)
        if handles:
            self._paint_robot(pen)
        if drafting:
            for one in self.dimensions():
                start, end = self._at(one.start), self._at(one.end)
                pen.dimension(start, end, one.text, aside_px=one.offset, role=one.role)
        self._paint_measure(pen)
        if drafting:
            camera = self._viewport.navigator.camera
            pixels = self.height() / float(camera.view_height((0.0, 0.0, 0.0)))
            paint_rulers(painter, area, self._at(np.zeros(2)), pixels, cursor)

    def _paint_measure(self, pen: Pen) -> None:
        measure = self._measure
        points = measure.points
        if points is not None:
            start, end = (self._at(snap.point) for snap in points)
            corner = np.array([points[1].point[0], points[0].point[1]])
            pen.legs(start, self._at(corner), end, "accent")
            pen.dimension(start, end, measured(*points), role="accent")
        for snap in (measure.start, measure.end, measure.cursor):
            if snap is not None:
                pen.mark(self._at(snap.point), snap.kind, "accent")

    def _paint_robot(self, pen: Pen) -> None:
        tool = self._robot
        for index, point in enumerate(tool.handles()):
            seen = self._seen(point)
            if seen is not None:
                pen.handle(seen, strong=index == tool.hovered)
        if tool.arc is not None:
            centre = self._seen(tool.arc.centre)
            legs = [
                self._leg(tool.arc.centre, direction)
                for direction in (tool.arc.begin, tool.arc.end)
            ]
            if centre is not None and legs[0] is not None and legs[1] is not None:
                pen.arc(centre, legs[0], legs[1], tool.arc.text)
        if tool.label is not None:
            at, text = tool.label
            pen.draw_text(at + QPointF(0.0, -26.0), text, "accent", away=QPointF(0.0, -1.0))

    def _leg(self, centre: FloatArray, direction: FloatArray) -> QPointF | None:
        """Return the end of a leg of an angle, of constant length on the screen."""
        pixel = float(self._viewport.navigator.camera.view_height(centre)) / max(1, self.height())
        return self._seen(centre + np.array([*(LEVER * pixel * direction), 0.0]))

    def _at(self, point: FloatArray) -> QPointF:
        """Return the position in the widget of a point of the ground, (2,), m."""
        return self._viewport.pixel((float(point[0]), float(point[1]), 0.0))

    def _seen(self, point: FloatArray) -> QPointF | None:
        """Return the position in the widget of a point (3,), m; None behind the eye."""
        x, y, z = (float(value) for value in point)
        seen = self._viewport.pixel((x, y, z))
        return None if math.isnan(seen.x()) else seen


_FONT = 12
_ARROW = 8.0
_HALF = 2.6
_AIR = 3.0
_BEYOND = 5.0
"""Gap between an outline and its extension line, and extension beyond the dimension line, pixels."""


class Pen:
    """Draws dimensions one after the other, without overlaps of their texts.

    Parameters
    ----------
    area : QRectF
        Area for texts.
    """

    def __init__(self, painter: QPainter, area: QRectF) -> None:
        self._painter = painter
        self._area = area
        self._occupied: list[QRectF] = []
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.value_font(_FONT, bold=False))
        self._metrics = QFontMetricsF(painter.font())

    def dimension(
        self, start: QPointF, end: QPointF, text: str, *, aside_px: float = 0.0, role: str = "text"
    ) -> None:
        """Draw a dimension line from start to end, or offset to the right of it, with extension lines."""
        painter = self._painter
        colour = theme.colour(role)
        span = end - start
        length = math.hypot(span.x(), span.y())
        along = span / length if length > 1e-6 else QPointF(1.0, 0.0)
        aside = QPointF(-along.y(), along.x())  # y points down on a screen: this is to the right
        a, b = start + aside * aside_px, end + aside * aside_px
        painter.setPen(_line(colour, 1.0, 0.65))
        if abs(aside_px) > _AIR:
            sign = math.copysign(1.0, aside_px)
            for foot, tip in ((start, a), (end, b)):
                painter.drawLine(foot + aside * (sign * _AIR), tip + aside * (sign * _BEYOND))
        inside = length > 2.0 * _ARROW + 8.0
        painter.setPen(_line(colour, 1.3))
        if inside:
            painter.drawLine(a, b)
        else:  # arrows that do not fit between the ends point inwards from outside
            painter.drawLine(a - along * (2.2 * _ARROW), a)
            painter.drawLine(b, b + along * (2.2 * _ARROW))
        for tip, sign in ((a, 1.0), (b, -1.0)):
            self._arrow(tip, along * (sign if inside else -sign), colour)
        size = self._size(text)
        reach, height = (
            0.5 * (abs(w.x()) * size.width() + abs(w.y()) * size.height()) for w in (along, aside)
        )
        if length > 2.0 * (reach + _ARROW):
            at = (a + b) / 2.0
        elif inside:
            at = (a + b) / 2.0 + aside * (height + 6.0)
        else:
            at = b + along * (reach + 2.6 * _ARROW)
        self.draw_text(at, text, role, away=aside)

    def _size(self, text: str) -> QSizeF:
        """Return the size of a text."""
        lines = text.split("\n")
        width = max(self._metrics.horizontalAdvance(line) for line in lines)
        return QSizeF(width + 12.0, len(lines) * self._metrics.height() + 4.0)

    def _arrow(self, tip: QPointF, along: QPointF, colour: QColor) -> None:
        across = QPointF(-along.y(), along.x()) * _HALF
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(colour)
        self._painter.drawPolygon(
            QPolygonF([tip, tip + along * _ARROW + across, tip + along * _ARROW - across])
        )

    def draw_text(
        self, centre: QPointF, text: str, role: str = "text", away: QPointF | None = None
    ) -> None:
        """Draw a label centred at `centre`, or at the next free position in the direction `away`."""
        width, height = self._size(text).toTuple()
        rect = QRectF(centre.x() - 0.5 * width, centre.y() - 0.5 * height, width, height)
        shift = away if away is not None else QPointF(0.0, 1.0)
        for _ in range(8):
            if not any(rect.intersects(other) for other in self._occupied):
                break
            rect.translate(shift * (height + 2.0))
        area = self._area
        rect.moveLeft(min(max(rect.left(), area.left()), max(area.left(), area.right() - width)))
        rect.moveTop(min(max(rect.top(), area.top()), max(area.top(), area.bottom() - height)))
        self._occupied.append(rect)
        ground = theme.colour("ground" if theme.current() is theme.DARK else "card")
        ground.setAlphaF(0.86)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(ground)
        self._painter.drawRoundedRect(rect, 4.0, 4.0)
        self._painter.setPen(theme.colour(role))
        self._painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def legs(self, start: QPointF, corner: QPointF, end: QPointF, role: str) -> None:
        """Draw a faint path from start to end round a corner."""
        pen = _line(theme.colour(role), 1.0, 0.6)
        pen.setStyle(Qt.PenStyle.DashLine)
        self._painter.setPen(pen)
        self._painter.drawPolyline(QPolygonF([start, corner, end]))

    def mark(self, at: QPointF, kind: str, role: str) -> None:
        """Draw the mark of a point: a ring at a centre, a square at a corner or an edge, a cross elsewhere."""
        painter = self._painter
        painter.setPen(_line(theme.colour(role), 1.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if kind == "centre":
            painter.drawEllipse(at, 5.0, 5.0)
        elif kind in ("corner", "edge"):
            painter.drawRect(QRectF(at.x() - 4.0, at.y() - 4.0, 8.0, 8.0))
        painter.drawLine(at - QPointF(4.0, 0.0), at + QPointF(4.0, 0.0))
        painter.drawLine(at - QPointF(0.0, 4.0), at + QPointF(0.0, 4.0))

    def handle(self, at: QPointF, *, strong: bool) -> None:
        """Draw a disc that can be dragged."""
        ring = theme.colour("accent")
        inner = (
            ring if strong else theme.colour("ground" if theme.current() is theme.DARK else "card")
        )
        self._painter.setPen(QPen(ring, 1.8))
        self._painter.setBrush(inner)
        size = 6.5 if strong else 4.5
        self._painter.drawEllipse(at, size, size)

    def arc(self, centre: QPointF, begin: QPointF, end: QPointF, text: str) -> None:
        """Draw the smaller angle at `centre` between the directions to `begin` and `end`."""
        painter = self._painter
        accent = theme.colour("accent")
        painter.setPen(_line(accent, 1.0, 0.55))
        painter.drawLine(centre, begin)
        painter.setPen(_line(accent, 1.4))
        painter.drawLine(centre, end)
        first, last = (
            math.degrees(math.atan2(centre.y() - p.y(), p.x() - centre.x())) for p in (begin, end)
        )
        swept = math.remainder(last - first, 360.0)
        reach = 0.62 * math.hypot(begin.x() - centre.x(), begin.y() - centre.y())
        box = QRectF(centre.x() - reach, centre.y() - reach, 2.0 * reach, 2.0 * reach)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(box, round(16 * first), round(16 * swept))
        middle = math.radians(first + 0.5 * swept)
        direction = QPointF(math.cos(middle), -math.sin(middle))
        self.draw_text(centre + direction * (reach + 30.0), text, "accent", away=direction)


def _line(colour: QColor, width: float, opacity: float = 1.0) -> QPen:
    colour = QColor(colour)
    colour.setAlphaF(opacity)
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
