"""Drags of the robot's start: cursor distances become metres, or degrees of a lever."""

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
"""Length of the lever that a drag turns, pixels; a drag across the robot by this length turns it by 45
degrees."""

_FINE_M = 1e-4
_COARSE_M = 1e-2
_FINE_DEG = 0.1
_COARSE_DEG = 5.0
"""Steps of a drag, fine and with Ctrl."""


class Arc(NamedTuple):
    """Angle to draw: a centre (3,), m, two directions (2,) from above, and its text."""

    centre: FloatArray
    begin: FloatArray
    end: FloatArray
    text: str


class Displacement(NamedTuple):
    """Displacement of the cursor since the button was pressed."""

    ground: FloatArray
    """Displacement on the plane of the grabbed part, m. Shape (2,)."""

    up: float
    """Upward displacement in the image, pixels."""

    pixel: float
    """Size of a pixel at the grabbed part, m."""

    coarse: bool
    """Whether to use coarse steps."""


@dataclass
class Drag(ABC):
    """Drag of the robot, from a scene and its initial pose (n, 7)."""

    before: Scene
    base_dir: Path | None
    pose: FloatArray
    amount: str = ""
    """Amount of the drag as text."""

    arc: Arc | None = None
    """Angle that the drag changes."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Text of the undo step."""

    @abstractmethod
    def scene_at(self, displacement: Displacement) -> Scene:
        """Return the scene after a displacement of the cursor.

        Raises `SceneError` if the robot cannot have this pose.
        """

    def keep_to_axis(self, axis: str) -> bool:
        """Constrain the drag to "x" or "y", or release it; return False if this does not apply."""
        return False


@dataclass
class Move(Drag):
    """Drag of the whole robot over the ground."""

    along: str = ""

    @property
    def text(self) -> str:
        """Name of the edit."""
        return "Move robot"

    def keep_to_axis(self, axis: str) -> bool:
        """Constrain the drag to an axis, or release it; return whether this applies."""
        self.along = "" if self.along == axis else axis
        return True

    def scene_at(self, displacement: Displacement) -> Scene:
        """Return the scene after the drag so far."""
        step = _COARSE_M if displacement.coarse else _FINE_M
        shift = np.round(displacement.ground / step) * step
        if self.along:
            shift[1 if self.along == "x" else 0] = 0.0
        dx, dy = (round(float(value), 6) + 0.0 for value in shift)
        self.amount = f"Δx {dx:+.3f} m   Δy {dy:+.3f} m"
        return moved_robot(self.before, (dx, dy, 0.0), self.base_dir)


@dataclass
class _Swing(Drag):
    """Drag that turns a lever by any number of turns."""

    swung: float = 0.0

    def _turned_by(self, displacement: Displacement, along: FloatArray) -> float:
        """Return the rotation of a lever that pointed `along` (2,), degrees."""
        tip = LEVER * displacement.pixel * along + displacement.ground
        angle = math.atan2(along[0] * tip[1] - along[1] * tip[0], float(along @ tip))
        self.swung += math.remainder(angle - self.swung, math.tau)
        return math.degrees(self.swung)


@dataclass
class Turn(_Swing):
    """Rotation of the whole robot about the middle of the grabbed link, at a point (3,), m."""

    link: int = 0
    grabbed: FloatArray | None = None

    @property
    def text(self) -> str:
        """Name of the edit."""
        return "Turn robot"

    def scene_at(self, displacement: Displacement) -> Scene:
        """Return the scene after the drag so far."""
        centre = self.pose[self.link, :3]
        along = _direction(self.pose, self.link)
        if self.grabbed is not None and float((self.grabbed - centre)[:2] @ along) < 0.0:
            along = -along  # the grabbed end follows the cursor
        degrees = _stepped(self._turned_by(displacement, along), displacement.coarse)
        self.amount = f"{decimal_text(degrees, 1)}°"
        self.arc = Arc(centre, along, _rotated(along, degrees), self.amount)
        return turned_robot(
            self.before, (0.0, 0.0, 1.0), math.radians(degrees), centre, self.base_dir
        )


@dataclass
class Bend(_Swing):
    """Rotation of a joint (0-based) about one of its axes; `at` (3,), m, is the position of its handle."""

    joint: int = 0
    axis: Axis = "yaw"
    at: FloatArray | None = None

    @property
    def text(self) -> str:
        """Name of the edit."""
        return f"Bend joint {self.joint + 1}"

    def scene_at(self, displacement: Displacement) -> Scene:
        """Return the scene after the drag so far."""
        robot = self.before.robot
        behind = turns_behind(robot, self.joint)
        along = (
            _direction(self.pose, self.joint + 1) if behind else -_direction(self.pose, self.joint)
        )
        if self.axis == "yaw":
            sign = 1.0 if behind else -1.0
            by = self._turned_by(displacement, along)
        else:  # positive pitch lowers the following links; raising either end decreases it
            sign = -1.0 if self.axis == "pitch" else 1.0
            by = math.degrees(math.atan2(displacement.up, LEVER))
        entry = entry_of(self.before.body.axes, self.joint, self.axis)
        was = math.degrees(float(initial_joint_angles(self.before, self.base_dir)[entry]))
        lower, upper = map(math.degrees, angle_limits(self.before, self.joint, self.axis))
        target = _stepped(was + sign * by, displacement.coarse)
        degrees = min(max(target, lower), upper)
        limit = "" if degrees == target else ", its limit"
        name = "" if self.axis == "yaw" else f"{self.axis} "
        label = f"{name}{decimal_text(degrees, 1)}°{limit}"
        self.amount = f"Joint {self.joint + 1}: {label}"
        end = _rotated(along, sign * (degrees - was)) if self.axis == "yaw" else along
        centre = self.pose[self.joint, :3] if self.at is None else self.at
        self.arc = Arc(centre, along, end, label)
        return bent_robot(self.before, self.joint, math.radians(degrees), self.axis, self.base_dir)


def _direction(pose: FloatArray, link: int) -> FloatArray:
    """Return the unit vector (2,) along a link from above; x if it is upright."""
    along = matrices(pose[link : link + 1, 3:])[0, :2, 0]
    size = float(np.hypot(*along))
    return along / size if size > 1e-6 else np.array([1.0, 0.0])


def _stepped(degrees: float, coarse: bool) -> float:
    step = _COARSE_DEG if coarse else _FINE_DEG
    return round(round(degrees / step) * step, 6) + 0.0


def _rotated(vector: FloatArray, degrees: float) -> FloatArray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])
