"""The sheet over the viewport on which rulers, dimensions and handles are drawn, crisp in any picture below it."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import FloatArray
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.gui.viewport.drafting.measure_tool import MeasureTool, measured
from snakestudio.gui.viewport.drafting.painting import Pen
from snakestudio.gui.viewport.drafting.rulers import THICK, paint_rulers
from snakestudio.gui.viewport.tools.robot_tool import RobotTool
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.viewport.dimensions import Dimension, selection_dimensions
from snakestudio.viewmodel.viewport.robot_drag import LEVER

__all__ = ["DraftingOverlay"]


class DraftingOverlay(QWidget):
    """Draws over the picture what must stay sharp and of constant size; it never takes the mouse.

    Parameters
    ----------
    viewport : ViewportApi
        Whose camera, scene and selection say what there is to be drawn, as do the tools.
    robot : RobotTool
    measure : MeasureTool

    Signals
    -------
    inset_changed()
        There are rulers now, or none any more.
    """

    inset_changed = Signal()

    def __init__(self, viewport: ViewportApi, robot: RobotTool, measure: MeasureTool) -> None:
        super().__init__(viewport.widget)
        self._viewport, self._robot, self._measure = viewport, robot, measure
        self._cursor: QPointF | None = None
        self._ruled = False
        self._known: tuple[tuple[object, ...], list[Dimension]] = ((), [])
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    @property
    def inset(self) -> int:
        """Width of the rulers at the left and the lower edge, pixels; 0 without them."""
        return THICK if self._viewport.drafting else 0

    def renew(self) -> None:
        """Something about the picture changed: draw again, soon, if there is anything to draw."""
        robot, measure = self._robot, self._measure
        busy = measure.measuring or measure.start is not None or robot.arc is not None or robot.label is not None
        self.setVisible(self._viewport.drafting or busy or len(robot.handles()) > 0)
        self.update()
        if self._viewport.drafting != self._ruled:
            self._ruled = self._viewport.drafting
            self.inset_changed.emit()

    def point_at(self, cursor: QPointF | None) -> None:
        """The cursor is there, or has left."""
        self._cursor = cursor
        if self._viewport.drafting:
            self.update()

    def dimensions(self) -> list[Dimension]:
        """The dimensions of what is selected."""
        viewport = self._viewport
        scene, snapshot, items = viewport.scene, viewport.snapshot, viewport.selection.items
        key = (scene, snapshot, items)
        if not (self._known[0] and all(a is b for a, b in zip(self._known[0], key, strict=True))):
            pose = snapshot.link_pose if snapshot is not None and Fields.POSE in snapshot.valid else None
            chosen = [index for index in viewport.selection.obstacles if index < len(scene.obstacles)]
            robot = any(kind in ("link", "robot", "beam", "start") for kind, _ in items)
            world = obstacles_of(scene.obstacles, viewport.document.base_dir)
            self._known = key, selection_dimensions(scene, world, pose, chosen, robot)
        return self._known[1]

    def draw_on(self, image: QImage) -> None:
        """Draw rulers and dimensions onto a picture of the viewport, without the cursor."""
        if not self._viewport.drafting:
            return
        painter = QPainter(image)
        try:
            painter.scale(image.width() / max(1, self.width()), image.height() / max(1, self.height()))
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
        drafting, area = self._viewport.drafting, QRectF(self.rect())
        free = area.adjusted(self.inset + 4, 4, -4, -self.inset - 4)
        pen = Pen(painter, free)
        if handles:
            self._paint_robot(pen)
        if drafting:
            for one in self.dimensions():
                start, end = self._at(one.start), self._at(one.end)
                pen.dimension(start, end, one.text, beside=one.beside, role=one.role)
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
            legs = [self._leg(tool.arc.centre, way) for way in (tool.arc.begin, tool.arc.end)]
            if centre is not None and legs[0] is not None and legs[1] is not None:
                pen.arc(centre, legs[0], legs[1], tool.arc.text)
        if tool.label is not None:
            at, text = tool.label
            pen.words(at + QPointF(0.0, -26.0), text, "accent", away=QPointF(0.0, -1.0))

    def _leg(self, centre: FloatArray, way: FloatArray) -> QPointF | None:
        """The end of a leg of an angle, as long wherever it is."""
        pixel = float(self._viewport.navigator.camera.view_height(centre)) / max(1, self.height())
        return self._seen(centre + np.array([*(LEVER * pixel * way), 0.0]))

    def _at(self, point: FloatArray) -> QPointF:
        """Where a point of the ground, (2,), m, is seen."""
        return self._viewport.pixel((float(point[0]), float(point[1]), 0.0))

    def _seen(self, point: FloatArray) -> QPointF | None:
        """Where a point (3,), m, is seen; None behind the eye."""
        x, y, z = (float(value) for value in point)
        seen = self._viewport.pixel((x, y, z))
        return None if math.isnan(seen.x()) else seen
