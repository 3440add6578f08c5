"""Snapshot: the complete state of a simulated or real robot at one instant."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, Int32Array
from snakestudio.model import direction
from snakestudio.model.field_docs import with_field_docs
from snakestudio.model.renamed import FormerMethod

GROUND = -1
"""Value of `Contacts.other` for a contact with the ground; obstacles count from 0."""

SUPPORT = -2
"""`Contacts.other` of a contact with an anchor or a support of a continuous body."""


class Fields(enum.Flag):
    """Valid fields of a Snapshot: a robot on CAN, for example, has joint angles but no pose.

    SHAPE replaces POSE if links are bent as the joints are but the position of the robot is unknown.
    Such poses are only suitable for drawing.
    """

    NONE = 0
    """Nothing; a controller that needs nothing gets None instead of a snapshot."""

    POSE = enum.auto()
    """`link_pose`."""

    TWIST = enum.auto()
    """`link_twist`."""

    JOINTS = enum.auto()
    """`joint_angle` and `joint_rate`."""

    REFERENCE = enum.auto()
    """`joint_angle_ref` and `joint_rate_ref`."""

    TORQUE = enum.auto()
    """`joint_torque`."""

    CONTACTS = enum.auto()
    """`contacts`."""

    ENERGY = enum.auto()
    """`energy`."""

    SOLVER = enum.auto()
    """`solver`."""

    SHAPE = enum.auto()
    """`link_pose`, at an unknown position."""

    ALL = POSE | TWIST | JOINTS | REFERENCE | TORQUE | CONTACTS | ENERGY | SOLVER
    """All fields of a simulation."""


class ContactState(enum.IntEnum):
    """State of a contact."""

    OPEN = 0
    """The contact has opened again; it carried load earlier in the interval."""

    STICK = 1
    """Closed, without relative motion along the surface."""

    SLIP = 2
    """Closed and sliding."""


@with_field_docs
@dataclass(frozen=True, slots=True)
class Contacts:
    """Contacts that carried load in an interval, k of them.

    Indices count from 0, unlike the numbers in names of columns and scene keys: index 0 is
    `link_1_...`, and obstacle 0 is `obstacles[1]`.
    """

    link: Int32Array
    """Index of the link, counted from 0. Shape (k,)."""

    other: Int32Array
    """What the link touches: the index of the obstacle, counted from 0; -1 for the ground; -2 for an
    anchor or a support of a continuous body. Shape (k,)."""

    point: FloatArray
    """Contact point, world frame, m. Shape (k, 3)."""

    force_normal: FloatArray
    """Normal force on the link, mean over the interval (impulse over time), world frame, N. It points away
    from the obstacle, into the link. Shape (k, 3)."""

    force_friction: FloatArray
    """Friction force on the link, mean over the interval, world frame, N. Shape (k, 3)."""

    state: Int32Array
    """`ContactState` at the end of the interval: 0 open, 1 sticking, 2 slipping. Shape (k,)."""

    def __len__(self) -> int:
        return len(self.link)

    def force_of_obstacles(self, n_links: int) -> FloatArray:
        """Return the mean force of all obstacles on each link over the interval, world frame, (n_links, 3), N."""
        return self._force(self.other >= 0, n_links)

    def force_of_ground(self, n_links: int) -> FloatArray:
        """Return the mean force of the ground on each link over the interval, world frame, (n_links, 3), N."""
        return self._force(self.other == GROUND, n_links)

    def _force(self, chosen: NDArray[np.bool_], n_links: int) -> FloatArray:
        force = np.zeros((n_links, 3))
        np.add.at(force, self.link[chosen], self.force_normal[chosen] + self.force_friction[chosen])
        return force

    @classmethod
    def none(cls) -> Contacts:
        """Return empty contacts."""
        return _NO_CONTACTS


_NO_CONTACTS = Contacts(
    np.zeros(0, np.int32),
    np.zeros(0, np.int32),
    np.zeros((0, 3)),
    np.zeros((0, 3)),
    np.zeros((0, 3)),
    np.zeros(0, np.int32),
)


CONVERGED = 1e-8
"""Largest residual of a step that counts as solved."""


@with_field_docs
@dataclass(frozen=True, slots=True)
class SolverStats:
    """Quality of the solution of the contact problems."""

    residual: float = 0.0
    """Largest residual of a step in the interval, dimensionless; 1e-8 or less means solved."""

    iterations: float = 0.0
    """Mean Newton iterations per step in the interval."""

    unconverged: int = 0
    """Number of steps with a residual above 1e-8 since the start of the run."""


@with_field_docs
@dataclass(frozen=True, slots=True)
class BodyFields:
    """Internal state of a continuous body at its n sampled cross-sections, and at its p anchors or supports."""

    abscissa: FloatArray
    """Material abscissas X of the cross-sections, m. Shape (n,)."""

    strain: FloatArray
    """Gamma_X, Gamma_Y, Gamma_Z (1) and K_X, K_Y, K_Z (1/m). Shape (n, 6)."""

    wrench: FloatArray
    """Lambda in the cross-section's frame: force N_X, N_Y, N_Z (N) and couple C_X, C_Y, C_Z (N m)
    exerted by the part behind on the part in front (P5 (13)). Shape (n, 6)."""

    active: NDArray[np.bool_]
    """Whether each anchor or support holds. Shape (p,)."""

    hold: FloatArray
    """Material abscissas of the anchors or supports, m. Shape (p,)."""

    point: FloatArray
    """Position of the anchors or supports, world frame, m. Shape (p, 3)."""

    axis: FloatArray
    """Unit normal t_X of the cross-section at each anchor or support, world frame. Shape (p, 3)."""

    force: FloatArray
    """Force of the anchors or supports on the body, world frame, N. Shape (p, 3)."""

    torque: FloatArray
    """Torque of the anchors or supports on the body, world frame, N m. Shape (p, 3)."""


@lru_cache(maxsize=16)
def mass_shares(n: int, continuous: bool, links: tuple[float, ...] = ()) -> FloatArray:
    """Return the share of the mass for each of `n` links, or cross-sections of a continuous body, (n,).

    Links have equal masses unless `links` contains their shares. Cross-sections of a body are evenly
    spaced samples, weighted by Simpson's rule, or by the trapezoidal rule if their number is even.

    """
    if links:
        return _read_only(np.array(links))
    if not continuous:
        return _read_only(np.full(n, 1.0 / n))
    shares = np.full(n, 1.0)
    if n % 2:
        shares[1:-1:2] = 4.0
        shares[2:-1:2] = 2.0
    else:
        shares[1:-1] = 2.0
    return _read_only(shares / shares.sum())


def _read_only(shares: FloatArray) -> FloatArray:
    """Return the read-only `shares`."""
    shares.flags.writeable = False
    return shares


@with_field_docs
@dataclass(frozen=True, slots=True)
class Snapshot:
    """State of a robot of n links at one instant."""

    time: float
    """Simulated or measured time, s."""

    link_pose: FloatArray
    """Centre of gravity (m) and unit quaternion w x y z of each link; x points along the link to the
    next one, z is up if it is flat. A planar link lies on the ground. Shape (n, 7)."""

    link_twist: FloatArray
    """Velocity of the centre of gravity (m/s) and angular velocity (rad/s), world frame. Shape (n,
    6)."""

    joint_angle: FloatArray
    """Angles of the m joint axes in the order of `scene.body.axes`, rad; empty for a continuous body. Shape
    (m,)."""

    joint_rate: FloatArray
    """Rates of the joint axes, rad/s. Shape (m,)."""

    joint_angle_ref: FloatArray
    """Reference angles of the joint axes, rad. Shape (m,)."""

    joint_rate_ref: FloatArray
    """Reference rates of the joint axes, rad/s. Shape (m,)."""

    joint_torque: FloatArray
    """Motor torques of the joint axes, N m; positive torque increases the angle. Shape (m,)."""

    contacts: Contacts = field(default_factory=Contacts.none)
    """Contacts in the control period (or, in a recording, since the previous row)."""

    energy: dict[str, float] = field(default_factory=dict)
    """Energies, J: "kinetic", "potential", "work_actuator", "work_friction" and others of the model;
    work is cumulative."""

    solver: SolverStats = field(default_factory=SolverStats)
    """Accuracy of the contact solver over the interval."""

    control: dict[str, float] = field(default_factory=dict)
    """Values of the channels of controller and model, by names with a unit suffix."""

    body: BodyFields | None = None
    """Internal state of a continuous body, whose sampled cross-sections are the links, the head first."""

    mass_shares: FloatArray | None = None
    """Share of each link in the mass of the robot; None for equal masses. Shape (n,)."""

    head_last: bool = False
    """Whether the head is at the end of the last link; see `direction` for forward, left and right."""

    valid: Fields = Fields.ALL
    """Valid fields."""

    @property
    def n_links(self) -> int:
        """Number of links."""
        return len(self.link_pose)

    @property
    def drawn(self) -> bool:
        """Whether its links can be drawn, even at an unknown position."""
        return bool(self.valid & (Fields.POSE | Fields.SHAPE))

    @property
    def head(self) -> int:
        """0-based index of the head link."""
        return self.n_links - 1 if self.head_last else 0

    @property
    def turn_sign(self) -> float:
        """Sign of the yaw angles of joints that bend the front of the body to the left, 1 or -1."""
        return direction.ahead(self.head_last)

    @property
    def forward(self) -> FloatArray:
        """Direction from tail to head: mean of those of the links, world frame, (3,) unit vector.

        NaN if the mean is 0, as for links that form a closed ring.
        """
        return direction.forward(self.link_pose, self.head_last)

    @property
    def heading(self) -> float:
        """Heading of the robot: angle of `forward` about z from the x axis, rad in (-pi, pi]."""
        return float(direction.heading(self.forward))

    @property
    def head_heading(self) -> float:
        """Heading of the head link, rad in (-pi, pi]."""
        return self.link_heading.item(self.head)

    @property
    def link_heading(self) -> FloatArray:
        """Heading of each link's direction towards the head, (n,), rad in (-pi, pi]."""
        return direction.link_heading(self.link_pose, self.head_last)

    @property
    def link_yaw(self) -> FloatArray:
        """Heading of each link's x axis, which points to the next link, (n,), rad in (-pi, pi]."""
        return direction.link_yaw(self.link_pose)

    @property
    def link_obstacle_force(self) -> FloatArray:
        """Mean force of the obstacles on each link, (n, 3), N.

        Components along the link (forward), across it (to its left), and up.
        """
        force = self.contacts.force_of_obstacles(self.n_links)
        return direction.in_link_frames(force, self.link_pose, self.head_last)

    @property
    def link_ground_force(self) -> FloatArray:
        """Mean force of the ground on each link, (n, 3), N; components as in `link_obstacle_force`."""
        force = self.contacts.force_of_ground(self.n_links)
        return direction.in_link_frames(force, self.link_pose, self.head_last)

    @property
    def centre_of_mass(self) -> FloatArray:
        """Centre of mass of the robot, world frame, (3,), m; a new array."""
        centre: FloatArray = (self._shares @ self.link_pose[:, :3]).view(FormerMethod)
        return centre

    @property
    def centre_of_mass_velocity(self) -> FloatArray:
        """Velocity of the centre of mass, world frame, (3,), m/s; a new array."""
        velocity: FloatArray = self._shares @ self.link_twist[:, :3]
        return velocity

    @property
    def _shares(self) -> FloatArray:
        if self.mass_shares is None:
            return mass_shares(self.n_links, self.body is not None)
        return self.mass_shares
