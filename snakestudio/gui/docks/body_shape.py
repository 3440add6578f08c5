"""A small live drawing of the robot's shape as it is, over the shape the gait asks for."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from snakestudio.gui import theme
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

__all__ = ["BodyShape", "gait_angles", "shape_of_angles"]

FloatArray = NDArray[np.float64]


def gait_angles(scene: Scene, snapshot: Snapshot | None) -> FloatArray:
    """Joint angles (rad, yaw) that the scene's gait asks for at the phase the robot is in.

    The phase is the one at which the gait fits the references best, because a change of frequency while the robot
    moves shifts it against time.
    """
    gait, n = scene.gait, scene.robot.n_joints
    lag = np.arange(n) * gait.phase_shift
    phase = 0.0
    if snapshot is not None and snapshot.valid & Fields.REFERENCE and len(snapshot.joint_angle_ref) == n:
        told = snapshot.joint_angle_ref[:, 0]
        basis = np.stack([np.cos(lag), np.sin(lag), np.ones(n)], axis=1)
        (sine, cosine, _), *_ = np.linalg.lstsq(basis, told, rcond=None)
        if math.hypot(sine, cosine) > 1e-9:
            phase = math.atan2(sine, cosine)
    angles: FloatArray = gait.amplitude * np.sin(phase + lag) + gait.offset
    return angles


def shape_of_angles(angles: FloatArray, link_length: float) -> FloatArray:
    """Points of a chain with these joint angles, (n+1, 2), m: the ends of all links, first link along x."""
    headings = np.concatenate([[0.0], np.cumsum(angles)])
    steps = link_length * np.stack([np.cos(headings), np.sin(headings)], axis=1)
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


def _shape_of_snapshot(snapshot: Snapshot, link_length: float) -> FloatArray:
    pose = snapshot.link_pose
    w, x, y, z = pose[:, 3], pose[:, 4], pose[:, 5], pose[:, 6]
    axis = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z)], axis=1)
    ends = pose[:, :2] + 0.5 * link_length * axis
    return np.concatenate([pose[:1, :2] - 0.5 * link_length * axis[:1], ends])


def _levelled(points: FloatArray, head_right: bool) -> FloatArray:
    """Centred, the line from end to end lying level, the head at the right."""
    points = points - points.mean(axis=0)
    direction = points[-1] - points[0]
    if np.hypot(*direction) < 0.2 * np.hypot(*np.ptp(points, axis=0)):  # rolled up: take the longest direction
        _, _, vectors = np.linalg.svd(points, full_matrices=False)
        direction = vectors[0] * (1.0 if vectors[0] @ direction >= 0 else -1.0)
    angle = -math.atan2(direction[1], direction[0]) + (math.pi if head_right else 0.0)
    c, s = math.cos(angle), math.sin(angle)
    turned: FloatArray = points @ np.array([[c, s], [-s, c]])
    return turned


class BodyShape(QWidget):
    """The robot from above, drawn level with its head at the right.

    The bright line is the robot, the dim one what the gait asks for with the present parameters.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            "Body shape now, head at the right; dim: what the gait asks for with the parameters as they stand"
        )
        self._scene: Scene | None = None
        self._snapshot: Snapshot | None = None

    def sizeHint(self) -> QSize:
        return QSize(240, 84)

    def show_state(self, scene: Scene, snapshot: Snapshot | None) -> None:
        """Draw another state."""
        self._scene, self._snapshot = scene, snapshot
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("card"))
        painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        if self._scene is not None:
            self._draw(painter, self._scene, self._snapshot)
        painter.end()

    def _draw(self, painter: QPainter, scene: Scene, snapshot: Snapshot | None) -> None:
        length = scene.robot.link_length_m
        head_right = scene.robot.head == "first"
        wanted = _levelled(shape_of_angles(gait_angles(scene, snapshot), length), head_right)
        now = None
        if snapshot is not None and snapshot.valid & Fields.POSE and snapshot.n_links == scene.robot.n_links:
            now = _levelled(_shape_of_snapshot(snapshot, length), head_right)
        elif snapshot is not None and snapshot.valid & Fields.JOINTS and len(snapshot.joint_angle):
            now = _levelled(shape_of_angles(snapshot.joint_angle[:, 0], length), head_right)
        # One scale whatever the shape, so that more amplitude looks like more.
        margin = 16.0
        scale = (self.width() - 2 * margin) / max(scene.robot.length, 1e-9)
        tall = max(float(np.ptp(points[:, 1])) for points in (wanted, *(() if now is None else (now,))))
        scale = min(scale, (self.height() - 2 * margin) / max(tall, 1e-9))
        centre = QPointF(self.width() / 2, self.height() / 2)

        def line(points: FloatArray) -> QPolygonF:
            return QPolygonF([QPointF(centre.x() + scale * x, centre.y() - scale * y) for x, y in points])

        dim = theme.colour("dim")
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(dim, 1.5, Qt.PenStyle.DashLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.drawPolyline(line(wanted))
        if now is None:
            return
        accent = theme.colour("accent")
        shape = line(now)
        painter.setPen(QPen(accent, 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.drawPolyline(shape)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        painter.drawEllipse(shape.at(0 if scene.robot.head == "first" else len(now) - 1), 4.0, 4.0)
