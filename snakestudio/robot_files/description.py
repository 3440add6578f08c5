"""Description of a robot file, independent of its format: a tree of rigid bodies, used by readers and writers.

All values are in SI units and rad. Frames are right-handed; a rotation (3, 3) has the axes of the inner
frame as its columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem

_GROUNDS = ("plane", "height_field")


UNLIMITED = 1e4
"""Torque (N m), speed (rad/s) or angle (rad) that represents no limit in formats that require a number;
larger limits in files count as no limit."""


def limit_of(value: float | None) -> float | None:
    """Return a torque or speed limit; None if it is not positive, or so large that it represents no limit."""
    return value if value is not None and 0.0 < value < UNLIMITED else None


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Pose of a frame in another one."""

    position: FloatArray = field(default_factory=lambda: np.zeros(3))
    """(3,), m."""

    rotation: FloatArray = field(default_factory=lambda: np.eye(3))
    """(3, 3)."""

    def then(self, inner: Placement) -> Placement:
        """Return the pose of a frame that is at `inner` in this frame."""
        return Placement(
            self.position + self.rotation @ inner.position, self.rotation @ inner.rotation
        )

    def inverse(self) -> Placement:
        """Return the pose of the outer frame in this one."""
        return Placement(-self.rotation.T @ self.position, self.rotation.T)


@dataclass(frozen=True, slots=True, eq=False)
class Inertial:
    """Mass and inertia of a body."""

    mass: float
    """kg."""

    centre: FloatArray
    """Centre of mass in the body's frame, m. Shape (3,)."""

    inertia: FloatArray
    """Inertia about the centre of mass in the axes of the body's frame, kg m^2. Shape (3, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """A shape of a body or of the world."""

    kind: str
    """ "box", "sphere", "cylinder", "capsule", "plane", "mesh" or "height_field"."""

    size: tuple[float, ...]
    """Half sizes of a box, m; radius of a sphere; radius and half length (without the caps) of a
    cylinder or capsule along its z axis; for a mesh, the half sizes of its box along its principal
    axes, () if the file is missing."""

    placement: Placement = field(default_factory=Placement)
    """Pose in the body's frame."""

    file: str = ""
    """Name of a mesh or height field, as in the robot file."""

    friction: tuple[float, float] | None = None
    """Coefficients along and across, if the file has them."""

    friction_axis: FloatArray | None = None
    """Possible directions of the first coefficient in the body's frame, as columns, if the file has one: the
    first of them that is not normal to the ground. Shape (3, k)."""

    collides: bool = True
    """False if it is only drawn."""

    heights: FloatArray | None = None
    """(rows, columns) of a height field, m; rows along y, columns along x, over the box of `size`
    (x, y)."""

    vertices: FloatArray | None = None
    """Vertices (k, 3) of a convex mesh that is defined in the robot file itself, m."""

    name: str = ""

    rolling_friction: float | None = None
    """Largest torque against rolling per contact force, m; None if the file has none."""

    torsional_friction: float = 0.0
    """Largest torque against turning about the contact normal per contact force, m."""

    @property
    def solid(self) -> bool:
        """Whether it can be part of a body and its size is known."""
        return bool(self.size) and self.kind not in _GROUNDS


@dataclass(frozen=True, slots=True, eq=False)
class Actuation:
    """The motor of a joint."""

    kp: float | None = None
    """Proportional gain of a position servo, N m/rad."""

    kd: float | None = None
    """Derivative gain of a position servo, N m s/rad."""

    max_torque: float | None = None
    """N m."""

    max_speed: float | None = None
    """rad/s."""


@dataclass(frozen=True, slots=True, eq=False)
class JointDescription:
    """A joint of a body relative to its parent."""

    name: str
    kind: str
    """ "hinge", "slide", "ball" or "free"; a body without joints is fixed to its parent."""

    axis: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    """Unit vector in the body's frame. Shape (3,)."""

    position: FloatArray = field(default_factory=lambda: np.zeros(3))
    """A point on the axis in the body's frame, m. Shape (3,)."""

    lower: float = -math.inf
    upper: float = math.inf
    damping: float = 0.0
    """Passive damping, N m s/rad."""

    stiffness: float = 0.0
    """Stiffness of a passive spring, N m/rad."""

    rest: float = 0.0
    """Angle at which the spring is relaxed, rad."""

    friction: float = 0.0
    """Dry friction, N m."""

    armature: float = 0.0
    """Reflected inertia of the rotor, kg m^2."""

    actuation: Actuation | None = None

    start: float = 0.0
    """Angle in the initial pose, rad."""

    coupling: str = ""
    """Dependence of its motion on others, as a predicate: 'mimics "joint_1"'."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyDescription:
    """A rigid body."""

    name: str
    parent: int
    """0-based index of a previous body; -1: the world."""

    placement: Placement = field(default_factory=Placement)
    """Pose in the parent's frame with all joint angles 0."""

    inertial: Inertial | None = None
    geometries: tuple[Geometry, ...] = ()
    joints: tuple[JointDescription, ...] = ()
    """Joints in sequence, starting at the parent."""


@dataclass(frozen=True, slots=True, eq=False)
class RobotDescription:
    """Content of a robot file."""

    name: str
    bodies: tuple[BodyDescription, ...]
    """Parents precede children."""

    world: tuple[Geometry, ...] = ()
    """Fixed geometry: ground, posts, boxes, height fields."""

    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    time_step: float | None = None
    """Time step, s, if the file has one."""

    notes: tuple[str, ...] = ()
    """Notes on omissions and approximations, one sentence each."""

    base: Placement | None = None
    """Motion of the base in the world from its pose in the tree to its initial pose; None if the file does not
    define it."""

    default_friction: tuple[float, float] | None = None
    """Coefficients of links whose geometry has none, if the format or the simulator of the file defines them."""

    problems: tuple[Problem, ...] = ()
    """Features that a scene cannot represent; the description is that of the file without them."""
