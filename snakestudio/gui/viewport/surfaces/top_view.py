"""Scene from above, drawn without OpenGL, for computers that cannot use it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache, singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import FloatArray
from snakestudio.drawing import path as path_parts
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.colour_bar import Bar, bar, bar_corner, bar_labels, bar_lines
from snakestudio.drawing.friction_picture import (
    OPACITY,
    FrictionPicture,
    friction_picture,
    tint_colours,
)
from snakestudio.drawing.gizmo import Gizmo, Guide, handles
from snakestudio.drawing.gizmo_solids import handle_colour
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.overlays import Overlays, PullMark
from snakestudio.drawing.pull import pull_text, pull_tip
from snakestudio.drawing.quantities import QUANTITIES, quantity_values, range_of
from snakestudio.drawing.quantities import colours as quantity_colours
from snakestudio.drawing.style import Colour, Theme
from snakestudio.drawing.tracks import track_segments
from snakestudio.drawing.view import reference_pixel
from snakestudio.gui.core import theme
from snakestudio.gui.viewport.drafting.rulers import THICK
from snakestudio.gui.viewport.surfaces.surface import FrameRequest
from snakestudio.model.body import Body, ChainBody, ContinuousBody
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.obstacles.outlines import solid_outline
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.world import GroundPatch

Projection = Callable[[ArrayLike], QPointF]
"""Position in the widget of a point of the world (m)."""


class TopView(QWidget):
    """Draws frames with QPainter, looking straight down.

    Signals
    -------
    drawn(seconds: float)
        A frame was drawn in this time.
    """

    drawn = Signal(float)

    def __init__(
        self, picture: Callable[[float], FrameRequest], reason: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._picture = picture
        self.reason = reason
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def refresh(self) -> None:
        """Schedule a frame."""
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        began = time.perf_counter()
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint(painter)
        finally:
            painter.end()
        self.drawn.emit(time.perf_counter() - began)

    def _paint(self, painter: QPainter) -> None:
        aspect = self.width() / max(1, self.height())
        scene, snapshot, overlays, camera, colours, base_dir, _ = self._picture(aspect)
        painter.fillRect(self.rect(), _qcolour(colours.floor))
        scale = self.height() / float(camera.view_height((0.0, 0.0, 0.0)))  # pixels a metre

        def project(point: ArrayLike) -> QPointF:
            ndc = camera.project(np.asarray(point, float), aspect)
            return QPointF((ndc[0] + 1) / 2 * self.width(), (1 - ndc[1]) / 2 * self.height())

        def project_all(points: FloatArray) -> FloatArray:
            ndc = camera.project(points, aspect)
            return np.column_stack(
                [(ndc[:, 0] + 1) / 2 * self.width(), (1 - ndc[:, 1]) / 2 * self.height()]
            )

        friction = friction_picture(scene.ground, base_dir)
        if friction is not None:
            _paint_friction(painter, friction, colours, project)
        if overlays.show_grid:
            self._grid(painter, camera, scale, colours.grid_minor, colours.grid_major)
        _patches(painter, scene.ground.patch, overlays, colours, project)
        chosen = {(pick.kind, pick.index) for pick in overlays.selection}
        warned = {(pick.kind, pick.index) for pick in overlays.warned}
        hovered = (
            (overlays.hover.kind, overlays.hover.index) if overlays.hover is not None else None
        )

        def outline(item: tuple[str, int]) -> QPen:
            if item in chosen:
                return QPen(_qcolour(colours.accent), 3)
            if item in warned:
                return QPen(_qcolour(colours.force), 3)
            if item == hovered:
                return QPen(_qcolour(colours.hover), 2)
            return QPen(Qt.PenStyle.NoPen)

        for index, body in enumerate(
            obstacles_of(scene.obstacles, base_dir, shown_only=True).bodies
        ):
            painter.setPen(outline(("obstacle", index)))
            painter.setBrush(_qcolour(colours.terrain if body.earthen else colours.obstacle))
            for one in map(solid_outline, body.solids):
                if len(one.points) == 1:
                    painter.drawEllipse(
                        project((*one.points[0], 0.0)), one.radius * scale, one.radius * scale
                    )
                else:
                    painter.drawPolygon(QPolygonF([project((x, y, 0.0)) for x, y in one.points]))
        if overlays.show_path:
            path = scene.path if overlays.draft is None else overlays.draft
            self._path(painter, path, overlays.waypoint, colours, project)
            if snapshot is not None and path is scene.path:
                self._guides(painter, snapshot, colours, project)
        paint_tracks(painter, overlays, scale, project_all)
        if isinstance(overlays.trail, np.ndarray) and len(overlays.trail) > 1:
            painter.setPen(QPen(_qcolour(colours.accent), 2))
            painter.drawPolyline(QPolygonF([project(point) for point in overlays.trail]))
        for ghost in overlays.ghosts:
            faint = _qcolour(ghost.colour or colours.ghost)
            faint.setAlphaF(ghost.opacity)
            _paint_ghost(ghost.body or scene.body, painter, ghost.pose, faint, scale, project)
        if snapshot is not None and snapshot.drawn:
            sheet = _Sheet(project, scale, colours, outline)
            _paint_body(scene.body, painter, snapshot, overlays, sheet)
        if snapshot is not None and Fields.POSE in snapshot.valid and overlays.show_forces:
            self._arrows(painter, snapshot, overlays, project)
        if overlays.pull is not None:
            _paint_pull(painter, overlays.pull, scene.body, colours, project)
        paint_gizmo(painter, overlays, camera, colours, project)
        painter.setPen(_qcolour(colours.text_dim))
        painter.drawText(
            self.rect().adjusted(12 + THICK, 0, -12, -10 - THICK),
            Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft,
            "Plain view from above",
        )

    def _grid(
        self, painter: QPainter, camera: Camera, scale: float, minor: Colour, major: Colour
    ) -> None:
        step = 10.0 ** np.ceil(np.log10(40 / scale))
        x0, y0, _ = camera.target
        across = self.width() / 2 / scale
        up = self.height() / 2 / scale
        for k in range(int(np.floor((x0 - across) / step)), int(np.ceil((x0 + across) / step)) + 1):
            painter.setPen(QPen(_qcolour(minor if k % 10 else major), 1))
            x = self.width() / 2 + (k * step - x0) * scale
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        for k in range(int(np.floor((y0 - up) / step)), int(np.ceil((y0 + up) / step)) + 1):
            painter.setPen(QPen(_qcolour(minor if k % 10 else major), 1))
            y = self.height() / 2 - (k * step - y0) * scale
            painter.drawLine(QPointF(0, y), QPointF(self.width(), y))

    @staticmethod
    def _path(
        painter: QPainter,
        path: GroundPath,
        chosen: int,
        colours: Theme,
        project: Projection,
    ) -> None:
        """Paint the path with its arrows and waypoints, one of which can be highlighted."""
        colour = _qcolour(colours.path)
        painter.setPen(QPen(colour, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in (path_parts.outline(path), *path_parts.arrow_heads(path)):
            painter.drawPolyline(QPolygonF([project((x, y, 0.0)) for x, y in line]))
        painter.setPen(Qt.PenStyle.NoPen)
        for index, (x, y) in enumerate(path.waypoints_m):
            painter.setBrush(_qcolour(colours.accent) if index == chosen else colour)
            size = 6.0 if index == chosen else 4.0
            painter.drawEllipse(project((x, y, 0.0)), size, size)

    @staticmethod
    def _guides(painter: QPainter, snapshot: Snapshot, colours: Theme, project: Projection) -> None:
        """Paint the points that guide the robot."""
        guides = path_parts.guide_points(snapshot)
        if guides is None:
            return
        centre, nearest, ahead = (project((x, y, 0.0)) for x, y in guides)
        painter.setPen(QPen(_qcolour(colours.text), 1))
        painter.setBrush(_qcolour(colours.text))
        painter.drawLine(centre, ahead)
        painter.drawEllipse(nearest, 2.5, 2.5)
        painter.drawEllipse(ahead, 4.5, 4.5)

    def _arrows(
        self,
        painter: QPainter,
        snapshot: Snapshot,
        overlays: Overlays,
        project: Projection,
    ) -> None:
        contacts = snapshot.contacts
        painter.setPen(QPen(_qcolour(theme.render_theme().force), 3))
        for point, force in zip(contacts.point, contacts.force_normal, strict=True):
            if np.linalg.norm(force[:2]) >= overlays.force_minimum:
                painter.drawLine(project(point), project(point + overlays.force_scale * force))


def _paint_friction(
    painter: QPainter, picture: FrictionPicture, colours: Theme, project: Projection
) -> None:
    """Paint the image of the ground's friction as a tint."""
    image = _tint(picture, *tint_colours(colours))
    low, right, high = (
        project((*point, 0.0))
        for point in (picture.corner, picture.corner + picture.along, picture.corner + picture.up)
    )
    along = (right - low) / image.width()
    down = (low - high) / image.height()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setOpacity(OPACITY)
    painter.setTransform(
        QTransform(along.x(), along.y(), down.x(), down.y(), high.x(), high.y()), True
    )
    painter.drawImage(0, 0, image)
    painter.restore()


@lru_cache(maxsize=2)
def _tint(picture: FrictionPicture, dark: Colour, light: Colour) -> QImage:
    """Return the image between two colours, first row at the top."""
    fraction = picture.grey[::-1, :, None] / 255.0
    parts = np.array(dark) + (np.array(light) - np.array(dark)) * fraction
    pixels = np.ascontiguousarray(np.rint(255.0 * parts).astype(np.uint8))
    height, width, _ = pixels.shape
    return QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def _patches(
    painter: QPainter,
    patches: tuple[GroundPatch, ...],
    overlays: Overlays,
    colours: Theme,
    project: Projection,
) -> None:
    """Paint patches of the ground as tinted polygons with corners; the selected patch and a corner are highlighted."""
    outline = _qcolour(colours.support)
    tint = _qcolour(colours.support)
    tint.setAlphaF(0.22)
    index = 0
    for number, patch in enumerate(patches):
        chosen = number == overlays.patch
        corners = [project((x, y, 0.0)) for x, y in patch.points_m]
        painter.setPen(QPen(_qcolour(colours.accent) if chosen else outline, 3 if chosen else 1.5))
        painter.setBrush(tint)
        painter.drawPolygon(QPolygonF(corners))
        painter.setPen(Qt.PenStyle.NoPen)
        for corner in corners:
            painter.setBrush(_qcolour(colours.accent) if index == overlays.corner else outline)
            size = 6.0 if index == overlays.corner else 3.0
            painter.drawEllipse(corner, size, size)
            index += 1


def _paint_pull(
    painter: QPainter, mark: PullMark, body: Body, colours: Theme, project: Projection
) -> None:
    """Paint a pulling force with its size, and the spring to the cursor."""
    start = project(mark.point)
    tip = project(pull_tip(mark, body))
    painter.setPen(QPen(_qcolour(colours.axis_x), 1))
    if mark.target is not None:
        painter.drawLine(start, project(mark.target))
    painter.setPen(QPen(_qcolour(colours.axis_x), 3))
    painter.drawLine(start, tip)
    painter.setPen(_qcolour(colours.text))
    painter.drawText(tip + QPointF(8.0, -8.0), pull_text(mark))


@singledispatch
def _paint_ghost(
    body: Body,
    painter: QPainter,
    pose: FloatArray,
    colour: QColor,
    scale: float,
    project: Projection,
) -> None:
    """Paint a faint robot, `scale` in pixels per metre."""
    raise NotImplementedError(type(body))


@_paint_ghost.register
def _(
    body: ChainBody,
    painter: QPainter,
    pose: FloatArray,
    colour: QColor,
    scale: float,
    project: Projection,
) -> None:
    for one, radius, half, middle in zip(pose, *body.sizes.of(len(pose)), strict=True):
        if np.isfinite(one).all():
            painter.setPen(_thick(colour, 2 * radius * scale))
            painter.drawLine(*map(project, _ends(one, half, middle)))


@_paint_ghost.register
def _(
    body: ContinuousBody,
    painter: QPainter,
    pose: FloatArray,
    colour: QColor,
    scale: float,
    project: Projection,
) -> None:
    painter.setPen(_thick(colour, 2 * body.radius * scale))
    painter.drawPolyline(_axis(pose, project))


class _Sheet(NamedTuple):
    """Mapping of the scene to the widget."""

    project: Projection
    scale: float
    """Pixels per metre."""
    colours: Theme
    outline: Callable[[tuple[str, int]], QPen]
    """Returns the pen around a part that is selected or under the cursor."""


@singledispatch
def _paint_body(
    body: Body, painter: QPainter, snapshot: Snapshot, overlays: Overlays, sheet: _Sheet
) -> None:
    """Paint the robot in a state."""
    raise NotImplementedError(type(body))


@_paint_body.register
def _(
    body: ChainBody, painter: QPainter, snapshot: Snapshot, overlays: Overlays, sheet: _Sheet
) -> None:
    sizes = zip(*body.sizes.of(len(snapshot.link_pose)), strict=True)
    for index, (pose, (radius, half, middle)) in enumerate(
        zip(snapshot.link_pose, sizes, strict=True)
    ):
        if not np.isfinite(pose).all():
            continue
        ends = tuple(map(sheet.project, _ends(pose, half, middle)))
        fill = sheet.colours.head if index == body.head_part else sheet.colours.link
        edge = sheet.outline(("link", index))
        width = 2 * radius * sheet.scale
        if edge.style() != Qt.PenStyle.NoPen:
            painter.setPen(_thick(edge.color(), width + 2 * edge.widthF()))
            painter.drawLine(*ends)
        painter.setPen(_thick(_qcolour(fill), width))
        painter.drawLine(*ends)


@_paint_body.register
def _(
    body: ContinuousBody, painter: QPainter, snapshot: Snapshot, overlays: Overlays, sheet: _Sheet
) -> None:
    """Paint a continuous body as a line of its width, with its head, contacts, and selected sections."""
    width = 2.0 * body.radius * sheet.scale
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(_thick(_qcolour(sheet.colours.link), width))
    painter.drawPolyline(_axis(snapshot.link_pose, sheet.project))
    if overlays.body_quantity and snapshot.body is not None:
        what = QUANTITIES[overlays.body_quantity]
        values = quantity_values(snapshot.body, overlays.body_quantity)
        span = overlays.body_range or range_of(values, what.signed)
        line = _axis(snapshot.link_pose, sheet.project)
        if len(values) == line.size():
            tints = quantity_colours(
                0.5 * (values[1:] + values[:-1]), span, what.signed, sheet.colours.support
            )
            for k, (red, green, blue) in enumerate(tints.tolist()):
                pen = _thick(_qcolour((red, green, blue)), width)
                if k + 1 < len(tints):
                    # round caps would make each piece overlap the previous one
                    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
                painter.setPen(pen)
                painter.drawLine(line.at(k), line.at(k + 1))
            paint_bar(
                painter, bar(overlays.body_quantity, span, 1.0, overlays.bar_top), sheet.colours
            )
    for index, pose in enumerate(snapshot.link_pose):
        edge = sheet.outline(("link", index))
        if not np.isfinite(pose).all() or (index and edge.style() == Qt.PenStyle.NoPen):
            continue
        painter.setPen(edge)
        painter.setBrush(_qcolour(sheet.colours.head if index == 0 else sheet.colours.link))
        painter.drawEllipse(sheet.project(pose[:3]), width / 2, width / 2)
    if snapshot.body is not None:
        inside = snapshot.body
        painter.setPen(QPen(_qcolour(sheet.colours.support), max(2.0, 0.15 * width)))
        for on, point, axis in zip(inside.active, inside.point, inside.axis, strict=True):
            if on and np.isfinite(point).all() and np.isfinite(axis).all():
                middle = sheet.project(point)
                ahead = sheet.project(point + 1e-3 * axis) - sheet.project(point)
                size = max(float(np.hypot(ahead.x(), ahead.y())), 1e-9)
                across = QPointF(-ahead.y(), ahead.x()) * (0.75 * width / size)
                painter.drawLine(middle - across, middle + across)


def _ends(pose: FloatArray, half: float, middle: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of a link's axis seen from above, m; its centre is `middle` ahead of its pose."""
    w, x, y, z = pose[3:]
    axis = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 0.0])
    return pose[:3] + (middle - half) * axis, pose[:3] + (middle + half) * axis


def _axis(pose: FloatArray, project: Projection) -> QPolygonF:
    """Return the axis of a continuous body in the widget, as far as it is known."""
    return QPolygonF([project(one[:3]) for one in pose if np.isfinite(one).all()])


def _qcolour(parts: Colour) -> QColor:
    return QColor.fromRgbF(*parts)


def _thick(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)


_HEAD = 13.0
_BOX = 5.0
_DASH = 9.0
_MARK = 5.0
"""Length of a dash and radius of a point, px."""


def paint_bar(painter: QPainter, bar: Bar | None, colours: Theme) -> None:
    """Paint the bar in the upper right corner of the painter's area."""
    if bar is None:
        return
    device = painter.viewport()
    left, top, size = bar_corner(
        bar, device.width(), device.height(), reference_pixel(device.height())
    )
    painter.save()
    painter.translate(left, top)
    painter.scale(size, size)
    # antialiasing would leave gaps between the colours
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for x0, y0, _, width, x1, y1, _, opacity, red, green, blue, _ in bar_lines(
        bar, colours, 1.0
    ).tolist():
        pen = QPen(QColor.fromRgbF(red, green, blue, opacity), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLine(QPointF(x0, y0), QPointF(x1, y1))
    font = painter.font()
    font.setPixelSize(12)
    painter.setFont(font)
    for label in bar_labels(bar, colours, 1.0):
        x, y, _ = label.position
        wide = painter.fontMetrics().horizontalAdvance(label.text) + 1.0
        high = painter.fontMetrics().height()
        # Anchors are relative to the lower left corner of the text.
        rect = QRectF(x - label.anchor[0] * wide, y - (1.0 - label.anchor[1]) * high, wide, high)
        painter.setPen(QColor.fromRgbF(*label.colour, label.opacity))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label.text)
    painter.restore()


def paint_gizmo(
    painter: QPainter, overlays: Overlays, camera: Camera, colours: Theme, project: Projection
) -> None:
    """Paint the handles and guides of the overlays.

    Parameters
    ----------
    project : callable
        Returns the point of the widget for a point of the world.
    """
    for guide in overlays.guides:
        _guide(painter, guide, colours, project)
    if overlays.gizmo is not None:
        _gizmo(painter, overlays.gizmo, camera, colours, project)


def _guide(painter: QPainter, guide: Guide, colours: Theme, project: Projection) -> None:
    colour = QColor.fromRgbF(*colours.accent)
    painter.setPen(QPen(colour, 1.5))
    painter.drawLine(project(guide.start), project(guide.end))
    if guide.dot:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(project(guide.end), 4, 4)


def _gizmo(
    painter: QPainter, gizmo: Gizmo, camera: Camera, colours: Theme, project: Projection
) -> None:
    for handle in handles(gizmo, camera):
        bright = handle.name in (gizmo.hovered, gizmo.held)
        colour = QColor.fromRgbF(*handle_colour(gizmo, handle, colours))
        points = [project(point) for point in handle.points]
        if handle.kind == "ring":
            painter.setPen(QPen(colour, 4 if bright else 3))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF(points))
            continue
        if handle.kind == "axis":
            painter.setPen(QPen(colour, 4 if bright else 3))
            painter.drawLine(*points)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if handle.kind == "axis" and gizmo.mode == "move":
            painter.drawPolygon(_head(*points))
        elif handle.kind == "plane":
            painter.drawPolygon(QPolygonF(points))
        else:
            at = points[-1]
            painter.drawRect(int(at.x() - _BOX), int(at.y() - _BOX), int(2 * _BOX), int(2 * _BOX))


def _head(start: QPointF, end: QPointF) -> QPolygonF:
    """Return the head of an arrow whose base is at the end of its shaft."""
    direction = np.array((end.x() - start.x(), end.y() - start.y()))
    direction /= max(float(np.linalg.norm(direction)), 1e-9)
    along = QPointF(*(_HEAD * direction))
    across = QPointF(-0.5 * _HEAD * direction[1], 0.5 * _HEAD * direction[0])
    return QPolygonF([end + along, end + across, end - across])


def paint_tracks(
    painter: QPainter,
    overlays: Overlays,
    scale: float,
    project_all: Callable[[FloatArray], FloatArray],
) -> None:
    """Paint the tracks of the overlays.

    Parameters
    ----------
    scale : float
        Pixels per metre.
    project_all : callable
        Returns the points (k, 2) of the widget for points (k, 3) of the world.
    """
    for track in overlays.tracks:
        start, end, faint = track_segments(track, _DASH / scale)
        ends = np.hstack([project_all(start), project_all(end)])
        for which, opacity in ((~faint, track.opacity), (faint, 0.6 * track.opacity)):
            colour = QColor.fromRgbF(*track.colour)
            colour.setAlphaF(opacity)
            painter.setPen(QPen(colour, track.width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawLines([QLineF(*line) for line in ends[which].tolist()])
        if track.marks is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor.fromRgbF(*track.colour))
            for x, y in project_all(track.marks[np.isfinite(track.marks).all(axis=1)]).tolist():
                painter.drawEllipse(QPointF(x, y), _MARK, _MARK)
