"""What a robot file says, whatever its format: a tree of rigid bodies, as its readers give it and its writers take it.

All of it is SI and rad. Frames are right-handed; a rotation (3, 3) has the axes of the inner frame
as its columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from snakestudio._arrays import FloatArray

_GROUNDS = ("plane", "height_field")


UNLIMITED = 1e4
"""Stands for a torque (N m), a speed (rad/s) and an angle (rad) without a limit where a format
demands a number; what a file limits to as much has no limit either."""


def limit_of(value: float | None) -> float | None:
    """A largest torque or speed; None where it is not positive, or so large that it means none."""
    return value if value is not None and 0.0 < value < UNLIMITED else None


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Where a frame is in another one."""

    position: FloatArray = field(default_factory=lambda: np.zeros(3))
    """(3,), m."""

    rotation: FloatArray = field(default_factory=lambda: np.eye(3))
    """(3, 3)."""

    def then(self, inner: Placement) -> Placement:
        """Where a frame is that `inner` places in this one."""
        return Placement(
            self.position + self.rotation @ inner.position, self.rotation @ inner.rotation
        )

    def inverse(self) -> Placement:
        """Where the other frame is in this one."""
        return Placement(-self.rotation.T @ self.position, self.rotation.T)


@dataclass(frozen=True, slots=True, eq=False)
class Inertial:
    """Mass and inertia of a body."""

    mass: float
    """kg."""

    centre: FloatArray
    """(3,), centre of mass in the body's frame, m."""

    inertia: FloatArray
    """(3, 3), about the centre of mass in the axes of the body's frame, kg m^2."""


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """A shape on a body, or a part of the world."""

    kind: str
    """ "box", "sphere", "cylinder", "capsule", "plane", "mesh" or "height_field"."""

    size: tuple[float, ...]
    """Half sizes of a box, m; radius of a sphere; radius and half length (without the caps) of a
    cylinder or capsule, along its z axis; of a mesh the half sizes of its box along its principal
    axes, () if the file is not there."""

    placement: Placement = field(default_factory=Placement)
    """In the body's frame."""

    file: str = ""
    """Of a mesh or a height field, as the robot file names it."""

    friction: tuple[float, float] | None = None
    """Coefficients along and across, where the file gives them."""

    friction_axis: FloatArray | None = None
    """(3,), direction of the first coefficient in the body's frame, where the file gives one."""

    collides: bool = True
    """False: it is only drawn."""

    heights: FloatArray | None = None
    """(rows, columns) of a height field, m; rows along y, columns along x, over the box of `size`
    (x, y)."""

    vertices: FloatArray | None = None
    """(k, 3) corners of a convex mesh that stands in the robot file itself, m."""

    name: str = ""

    @property
    def solid(self) -> bool:
        """Whether it can be a part of a body, and its size is known."""
        return bool(self.size) and self.kind not in _GROUNDS


@dataclass(frozen=True, slots=True, eq=False)
class Actuation:
    """The motor of a joint."""

    kp: float | None = None
    """Of a position servo, N m/rad."""

    kd: float | None = None
    """Of a position servo, N m s/rad."""

    max_torque: float | None = None
    """N m."""

    max_speed: float | None = None
    """rad/s."""


@dataclass(frozen=True, slots=True, eq=False)
class JointDescription:
    """A joint by which a body moves against its parent."""

    name: str
    kind: str
    """ "hinge", "slide", "ball" or "free"; a body without joints is fixed to its parent."""

    axis: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    """(3,), unit vector in the body's frame."""

    position: FloatArray = field(default_factory=lambda: np.zeros(3))
    """(3,), a point of the axis in the body's frame, m."""

    lower: float = -math.inf
    upper: float = math.inf
    damping: float = 0.0
    """Passive, N m s/rad."""

    stiffness: float = 0.0
    """Of a passive spring, N m/rad."""

    rest: float = 0.0
    """Angle at which the spring is relaxed, rad."""

    friction: float = 0.0
    """Dry friction, N m."""

    armature: float = 0.0
    """Inertia of the rotor as the joint feels it, kg m^2."""

    actuation: Actuation | None = None

    start: float = 0.0
    """Angle in the pose in which the robot starts, rad."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyDescription:
    """A rigid body."""

    name: str
    parent: int
    """0-based, before this one; -1: the world."""

    placement: Placement = field(default_factory=Placement)
    """In the parent's frame, with all joint angles 0."""

    inertial: Inertial | None = None
    geometries: tuple[Geometry, ...] = ()
    joints: tuple[JointDescription, ...] = ()
    """Applied one after the other, the first one next to the parent."""


@dataclass(frozen=True, slots=True, eq=False)
class RobotDescription:
    """A robot file."""

    name: str
    bodies: tuple[BodyDescription, ...]
    """Parents before children."""

    world: tuple[Geometry, ...] = ()
    """What does not move: ground, posts, boxes, height fields."""

    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    time_step: float | None = None
    """s, where the file gives it."""

    notes: tuple[str, ...] = ()
    """What was left out or approximated in reading: a sentence each."""

    base: Placement | None = None
    """How the base of the robot moves, in the world, from where it is in the tree to where it
    starts; None: the file does not say."""
