"""What a drag makes of the robot's start: how far the cursor went becomes metres, or degrees of a lever it turns."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.edits.bending import Axis, angle_limits, bent_robot, turns_behind
from snakestudio.model.edits.pose import moved_robot, turned_robot
from snakestudio.model.robot.joint_axes import entry_of
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.text import decimal_text

LEVER = 70.0
"""Length of the lever that a drag turns, pixels: dragging across the robot by as much turns it by
45 degrees."""

_FINE_M = 1e-4
_COARSE_M = 1e-2
_FINE_DEG = 0.1
_COARSE_DEG = 5.0
"""Steps of a drag, and with Ctrl."""


class Arc(NamedTuple):
    """An angle to be drawn: a centre (3,), m, two directions (2,) seen from above, and what it amounts to."""

    centre: FloatArray
    begin: FloatArray
    end: FloatArray
    text: str


class Way(NamedTuple):
    """How far the cursor went since the button went down."""

    ground: FloatArray
    """On the plane of what was grabbed, m. Shape (2,)."""

    up: float
    """In the picture, pixels."""

    pixel: float
    """Size of a pixel there, m."""

    coarse: bool
    """Whether whole steps are wanted."""


@dataclass
class Drag(ABC):
    """One drag of the robot, from a scene and the pose (n, 7) that it starts in."""

    before: Scene
    base_dir: Path | None
    pose: FloatArray
    amount: str = ""
    """How far it went, in words."""

    arc: Arc | None = None
    """The angle that it changes."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Text of the undo step."""

    @abstractmethod
    def made(self, way: Way) -> Scene:
        """The scene when the cursor has gone that way.

        Raises `SceneError` if the robot cannot be there.
        """

    def keep_to_axis(self, axis: str) -> bool:
        """Go along "x" or "y" only, or freely again; False if that means nothing."""
        return False


@dataclass
class Move(Drag):
    """The whole robot over the ground."""

    along: str = ""

    @property
    def text(self) -> str:
        """What the edit is called."""
        return "Move robot"

    def keep_to_axis(self, axis: str) -> bool:
        """Keep to an axis, or no more; whether that can be asked."""
        self.along = "" if self.along == axis else axis
        return True

    def made(self, way: Way) -> Scene:
        """The scene that a drag so far makes."""
        step = _COARSE_M if way.coarse else _FINE_M
        shift = np.round(way.ground / step) * step
        if self.along:
            shift[1 if self.along == "x" else 0] = 0.0
        dx, dy = (round(float(value), 6) + 0.0 for value in shift)
        self.amount = f"Δx {dx:+.3f} m   Δy {dy:+.3f} m"
        return moved_robot(self.before, (dx, dy, 0.0), self.base_dir)


@dataclass
class _Swing(Drag):
    """A drag that turns a lever; it may go round and round."""

    swung: float = 0.0

    def _turned_by(self, way: Way, along: FloatArray) -> float:
        """By how much the drag has turned a lever that pointed `along` (2,), degrees."""
        tip = LEVER * way.pixel * along + way.ground
        angle = math.atan2(along[0] * tip[1] - along[1] * tip[0], float(along @ tip))
        self.swung += math.remainder(angle - self.swung, math.tau)
        return math.degrees(self.swung)


@dataclass
class Turn(_Swing):
    """The whole robot about the middle of the link that was grabbed, at a point (3,), m."""

    link: int = 0
    grabbed: FloatArray | None = None

    @property
    def text(self) -> str:
        """What the edit is called."""
        return "Turn robot"

    def made(self, way: Way) -> Scene:
        """The scene that a drag so far makes."""
        centre = self.pose[self.link, :3]
        along = _direction(self.pose, self.link)
        if self.grabbed is not None and float((self.grabbed - centre)[:2] @ along) < 0.0:
            along = -along  # the end that was taken hold of is the one that follows the cursor
        degrees = _stepped(self._turned_by(way, along), way.coarse)
        self.amount = f"{decimal_text(degrees, 1)}°"
        self.arc = Arc(centre, along, _rotated(along, degrees), self.amount)
        return turned_robot(
            self.before, (0.0, 0.0, 1.0), math.radians(degrees), centre, self.base_dir
        )


@dataclass
class Bend(_Swing):
    """One joint (0-based) about one of its axes; `at` (3,), m, is where its handle is."""

    joint: int = 0
    axis: Axis = "yaw"
    at: FloatArray | None = None

    @property
    def text(self) -> str:
        """What the edit is called."""
        return f"Bend joint {self.joint + 1}"

    def made(self, way: Way) -> Scene:
        """The scene that a drag so far makes."""
        robot = self.before.robot
        behind = turns_behind(robot, self.joint)
        along = (
            _direction(self.pose, self.joint + 1) if behind else -_direction(self.pose, self.joint)
        )
        if self.axis == "yaw":
            sign = 1.0 if behind else -1.0
            by = self._turned_by(way, along)
        else:  # a positive pitch lowers what follows; raising either end makes it smaller
            sign = -1.0 if self.axis == "pitch" else 1.0
            by = math.degrees(math.atan2(way.up, LEVER))
        entry = entry_of(self.before.body.axes, self.joint, self.axis)
        was = math.degrees(float(initial_joint_angles(self.before, self.base_dir)[entry]))
        lower, upper = map(math.degrees, angle_limits(self.before, self.joint, self.axis))
        wanted = _stepped(was + sign * by, way.coarse)
        degrees = min(max(wanted, lower), upper)
        limit = "" if degrees == wanted else ", its limit"
        name = "" if self.axis == "yaw" else f"{self.axis} "
        told = f"{name}{decimal_text(degrees, 1)}°{limit}"
        self.amount = f"Joint {self.joint + 1}: {told}"
        end = _rotated(along, sign * (degrees - was)) if self.axis == "yaw" else along
        centre = self.pose[self.joint, :3] if self.at is None else self.at
        self.arc = Arc(centre, along, end, told)
        return bent_robot(self.before, self.joint, math.radians(degrees), self.axis, self.base_dir)


def _direction(pose: FloatArray, link: int) -> FloatArray:
    """Unit vector (2,) along a link seen from above; x where it stands upright."""
    along = matrices(pose[link : link + 1, 3:])[0, :2, 0]
    size = float(np.hypot(*along))
    return along / size if size > 1e-6 else np.array([1.0, 0.0])


def _stepped(degrees: float, coarse: bool) -> float:
    step = _COARSE_DEG if coarse else _FINE_DEG
    return round(round(degrees / step) * step, 6) + 0.0


def _rotated(way: FloatArray, degrees: float) -> FloatArray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([c * way[0] - s * way[1], s * way[0] + c * way[1]])
