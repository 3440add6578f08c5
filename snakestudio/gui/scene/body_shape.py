"""Small live drawing of the robot's shape over the shape commanded by the gait, from above and in space."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.gui.core import theme
from snakestudio.gui.core.painting import paint_card
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.viewmodel.scene.gait_shape import (
    BodyChain,
    chain_of_angles,
    chain_of_snapshot,
    fitted,
    gait_angles,
    levelled,
    period,
    resting,
)

_PLAN = 84
_SPACE = 108
"""Heights of the two drawings, px."""
_MARGIN = 16.0
_HEAD_ROOM = 20.0
_FOOT_ROOM = 10.0
"""Margin above and below the view in space, px."""
_MAGNIFIED = (8.0, 5.0, 4.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.3, 0.2, 0.1)
"""Factors by which the view in space can magnify heights."""
_AZIMUTH = math.radians(20.0)
_ELEVATION = math.radians(25.0)
"""Initial elevation of the view in space, rad."""
_TURN = math.radians(0.6)
"""Rotation per pixel of a drag, rad."""
_PHASES = 8
"""Samples of a period that determine the height of a gait."""
_PALE = 0.6
"""Opacity of links off the ground."""


class BodyShape(QWidget):
    """The robot from above and, if it has a vertical wave, in space over its shadow, its head at the right.

    The bright line is the robot, the dashed line the shape commanded by the gait with its current
    parameters; links off the ground are thin and pale. Dragging the view from above to the right
    previews later times until the button is released. Dragging the view in space rotates it; a
    double-click resets it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setAccessibleName("Body shape")
        self._scene: Scene | None = None
        self._snapshot: Snapshot | None = None
        self._tall = False
        self._grabbed: float | None = None
        self._turning: QPointF | None = None
        self.azimuth = _AZIMUTH
        self.elevation = _ELEVATION
        """Elevation of the view in space, rad."""
        self.ahead = 0.0
        """Time by which the preview is ahead, s."""
        self.reference: BodyChain | None = None
        """Drawn shape commanded by the gait."""
        self._highest: tuple[object, float] = (None, 0.0)
        self._explain()

    def sizeHint(self) -> QSize:
        return QSize(240, _PLAN + _SPACE if self._tall else _PLAN)

    @property
    def shows_space(self) -> bool:
        """Whether the view in space is shown."""
        return self._tall

    def show_state(self, scene: Scene, snapshot: Snapshot | None) -> None:
        """Show a state."""
        self._scene = scene
        self._snapshot = snapshot
        tall = scene.body.in_space and (scene.gait.has_vertical_wave or not scene.gait.of_waves)
        if tall != self._tall:
            self._tall = tall
            self._explain()
            self.updateGeometry()
        self.update()

    def _explain(self) -> None:
        text = (
            "Current body shape, head at the right. Dashed: shape commanded by the gait with current parameters.<br>"
            "Drag to the right to preview later times."
        )
        if self._tall:
            text += (
                "<br>Thin and pale: links off the ground; for the gait, as if its rigid shape rested in balance on "
                "level ground.<br>Drag the lower view to rotate it; double-click to reset it."
            )
        self.setToolTip(f"<qt>{text}</qt>")

    # --- preview ----------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            if self._tall and event.position().y() > _PLAN:
                self._turning = event.position()
            else:
                self._grabbed = event.position().x()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._turning is not None:
            by = event.position() - self._turning
            self._turning = event.position()
            self.azimuth = (self.azimuth - _TURN * by.x()) % math.tau
            self.elevation = min(max(self.elevation + _TURN * by.y(), 0.0), 0.5 * math.pi)
            self.update()
        elif self._grabbed is not None and self._scene is not None:
            fraction = (event.position().x() - self._grabbed) / max(1.0, 0.6 * self.width())
            self.ahead = fraction * period(self._scene)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grabbed = self._turning = None
        self.ahead = 0.0
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._tall and event.position().y() > _PLAN:
            self.azimuth = _AZIMUTH
            self.elevation = _ELEVATION
            self.update()

    # --- drawing ----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_card(painter, self.rect())
            if self._scene is not None and self._scene.body.jointed:
                self._draw(painter, self._scene, self._snapshot)

    def _chains(
        self, scene: Scene, snapshot: Snapshot | None
    ) -> tuple[BodyChain, BodyChain | None]:
        """Shape commanded by the gait, and shape of the robot (None during a preview, or if its state is unknown)."""
        robot = scene.robot
        axes = scene.body.axes
        head_right = scene.robot.head == "first"
        angles = gait_angles(scene, snapshot, self.ahead)
        actual: BodyChain | None = None
        if snapshot is not None and scene.body.fits(snapshot) and snapshot.valid & Fields.POSE:
            actual = chain_of_snapshot(snapshot, robot)
        elif (
            snapshot is not None
            and snapshot.valid & Fields.JOINTS
            and len(snapshot.joint_angle) == len(axes)
        ):
            actual = resting(chain_of_angles(snapshot.joint_angle, robot, axes), robot.radius_m)
        reference = chain_of_angles(angles, robot, axes)
        if self._tall:
            # The robot may have rolled over: the shape is laid down the way the robot lies.
            reference = resting(
                reference if actual is None else fitted(reference, actual), robot.radius_m
            )
        reference = levelled(reference, head_right)
        return reference, None if actual is None or self.ahead else levelled(actual, head_right)

    def _draw(self, painter: QPainter, scene: Scene, snapshot: Snapshot | None) -> None:
        reference, actual = self._chains(scene, snapshot)
        self.reference = reference
        # One scale for all shapes, so that a larger amplitude looks larger.
        shapes = [reference, *(() if actual is None else (actual,))]
        tall = max(float(np.ptp(chain.joints[:, 1])) for chain in shapes)
        wide = max(scene.robot.length, *(float(np.ptp(chain.joints[:, 0])) for chain in shapes))
        scale = min(
            (self.width() - 2 * _MARGIN) / max(wide, 1e-9), (_PLAN - 2 * _MARGIN) / max(tall, 1e-9)
        )

        def plan(chain: BodyChain) -> list[QPointF]:
            return [
                QPointF(self.width() / 2 + scale * x, _PLAN / 2 - scale * y)
                for x, y, _ in chain.joints
            ]

        lifted_reference = self._lifted(scene, reference, None)
        lifted_actual = None
        if actual is not None:
            lifted_actual = self._lifted(scene, actual, snapshot)
        head = 0 if scene.robot.head == "first" else -1
        self._draw_shape(
            painter, plan(reference), lifted_reference, is_reference=not self.ahead, head=head
        )
        if actual is not None and lifted_actual is not None:
            self._draw_shape(painter, plan(actual), lifted_actual, is_reference=False, head=head)
        if self._tall:
            self._draw_space(
                painter, scene, reference, actual, lifted_reference, lifted_actual, head
            )
        if self.ahead:
            self._caption(
                painter, 0, f"{self.ahead:+.2f} s".replace("-", "−"), right=True, role="accent"
            )

    def _lifted(self, scene: Scene, chain: BodyChain, snapshot: Snapshot | None) -> BoolArray:
        """Return whether each link is off the ground; on steps and slopes contacts decide instead of heights."""
        if not self._tall:
            return np.zeros(len(chain.feet), dtype=bool)
        clear = chain.lifted(scene.robot.radius_m)
        if snapshot is not None and snapshot.valid & Fields.CONTACTS:
            clear[snapshot.contacts.link] = False
        return clear

    def _draw_space(
        self,
        painter: QPainter,
        scene: Scene,
        reference: BodyChain,
        actual: BodyChain | None,
        lifted_reference: BoolArray,
        lifted_actual: BoolArray | None,
        head: int,
    ) -> None:
        """Draw both shapes in a parallel projection, over their shadows on the ground."""
        radius = scene.robot.radius_m
        space = _SPACE - _HEAD_ROOM - _FOOT_ROOM
        sine = math.sin(self.elevation)
        cosine = math.cos(self.elevation)
        across = scene.robot.length
        # The floor is as wide as the straight robot is long for every shape: a larger amplitude
        # looks larger.
        scale = (self.width() - 2 * _MARGIN) / across
        depth = max(
            float(np.ptp(chain.joints[:, 1]))
            for chain in (reference, *(() if actual is None else (actual,)))
        )
        deep = 0.5 * (abs(math.sin(self.azimuth)) * across + abs(math.cos(self.azimuth)) * depth)
        scale = min(scale, space / max(2.0 * deep * sine, 1e-9))
        height = max(space - 2.0 * scale * deep * sine, 0.25 * space)
        reach = self._reach(scene)
        stretch = next(
            (m for m in _MAGNIFIED if m * scale * cosine * reach <= height), _MAGNIFIED[-1]
        )
        base = _PLAN + _SPACE - _FOOT_ROOM - scale * deep * sine

        def projected(chain: BodyChain, shade: bool = False) -> list[QPointF]:
            # the robot may be on top of an obstacle
            low = float(chain.joints[:, 2].min()) if chain is actual else radius
            x, y, z = chain.joints.T
            across = x * math.cos(self.azimuth) - y * math.sin(self.azimuth)
            behind = x * math.sin(self.azimuth) + y * math.cos(self.azimuth)
            up: FloatArray = behind * sine + (0.0 if shade else stretch * cosine) * (z - low)
            return [
                QPointF(self.width() / 2 + scale * a, max(_PLAN + 4.0, base - scale * b))
                for a, b in zip(across, up, strict=True)
            ]

        painter.setBrush(Qt.BrushStyle.NoBrush)
        shadow = QPen(theme.colour("line"), 5.0)
        shadow.setCapStyle(Qt.PenCapStyle.RoundCap)
        shadow.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(shadow)
        painter.drawPolyline(projected(reference if actual is None else actual, shade=True))
        self._draw_shape(
            painter, projected(reference), lifted_reference, is_reference=not self.ahead, head=head
        )
        if actual is not None and lifted_actual is not None:
            self._draw_shape(
                painter, projected(actual), lifted_actual, is_reference=False, head=head
            )
        self._caption(painter, 0, "from above")
        self._caption(
            painter, _PLAN, "in space" + (f", heights × {stretch:g}" if stretch != 1.0 else "")
        )
        self._caption(
            painter,
            _PLAN,
            f"{int(lifted_reference.sum())} of {len(lifted_reference)} lifted",
            right=True,
        )

    def _reach(self, scene: Scene) -> float:
        """Return the maximum height to which the gait lifts a joint in a period, m; the scale of all shapes."""
        key = (scene.gait, scene.robot)
        if self._highest[0] != key:
            highest = 1e-3
            for step in range(_PHASES):
                angles = gait_angles(scene, None, step / _PHASES * period(scene))
                chain = resting(
                    chain_of_angles(angles, scene.robot, scene.body.axes), scene.robot.radius_m
                )
                highest = max(highest, float(chain.joints[:, 2].max()) - scene.robot.radius_m)
            self._highest = (key, highest)
        return self._highest[1]

    def _draw_shape(
        self,
        painter: QPainter,
        points: list[QPointF],
        lifted: BoolArray,
        *,
        is_reference: bool,
        head: int,
    ) -> None:
        """Draw a chain link by link, thick where links are on the ground."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        pen = QPen(theme.colour("dim" if is_reference else "accent"))
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        first = 0
        # Neighbours of equal style are one line: a dashed line of short pieces would not look
        # dashed.
        while first < len(lifted):
            last = first
            while last + 1 < len(lifted) and lifted[last + 1] == lifted[first]:
                last += 1
            clear = bool(lifted[first])
            if is_reference:
                pen.setWidthF(1.0 if clear else 2.0)
                pen.setStyle(Qt.PenStyle.DotLine if clear else Qt.PenStyle.DashLine)
            else:
                pen.setWidthF(1.8 if clear else 3.4 if self._tall else 2.5)
                colour = theme.colour("accent")
                colour.setAlphaF(_PALE if clear else 1.0)
                pen.setColor(colour)
            painter.setPen(pen)
            painter.drawPolyline(points[first : last + 2])
            first = last + 1
        if not is_reference:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent"))
            painter.drawEllipse(points[head], 4.0, 4.0)

    def _caption(
        self, painter: QPainter, top: int, text: str, *, right: bool = False, role: str = "dim"
    ) -> None:
        painter.setFont(theme.value_font(10, bold=False))
        painter.setPen(theme.colour(role))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(
            QRectF(10, top + 4, self.width() - 20, 14), side | Qt.AlignmentFlag.AlignVCenter, text
        )
