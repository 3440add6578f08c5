"""Snapshot: all there is to know about a robot at one instant, whoever moves it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, Int32Array

GROUND = -1
"""`Contacts.other` of a contact with the ground; obstacles count from 0."""

SUPPORT = -2
"""`Contacts.other` of an anchor or a support of a continuous body."""


class Fields(enum.Flag):
    """Which fields of a Snapshot are valid: a robot on CAN, say, has joint angles but no pose.

    SHAPE stands where POSE does not: the links are bent as the joints are, but where the robot is
    nobody measured. That is good for drawing it, and for nothing else.
    """

    NONE = 0
    POSE = enum.auto()
    TWIST = enum.auto()
    JOINTS = enum.auto()
    REFERENCE = enum.auto()
    TORQUE = enum.auto()
    CONTACTS = enum.auto()
    ENERGY = enum.auto()
    SOLVER = enum.auto()
    SHAPE = enum.auto()
    ALL = POSE | TWIST | JOINTS | REFERENCE | TORQUE | CONTACTS | ENERGY | SOLVER


class ContactState(enum.IntEnum):
    """What a contact does."""

    OPEN = 0
    STICK = 1
    SLIP = 2


@dataclass(frozen=True, slots=True)
class Contacts:
    """The contacts that carried load over an interval, k of them."""

    link: Int32Array
    """0-based link. Shape (k,)."""

    other: Int32Array
    """`GROUND`, `SUPPORT`, or the 0-based obstacle. Shape (k,)."""

    point: FloatArray
    """Contact point, world frame, m. Shape (k, 3)."""

    force_normal: FloatArray
    force_friction: FloatArray
    """`force_normal` and `force_friction`: mean force on the link over the interval (impulse over
    time), normal and tangential part, world frame, N. Shape (k, 3)."""

    state: Int32Array
    """`ContactState` at the end of the interval. Shape (k,)."""

    def __len__(self) -> int:
        return len(self.link)

    @classmethod
    def none(cls) -> Contacts:
        """No contact at all."""
        return _NO_CONTACTS


_NO_CONTACTS = Contacts(
    np.zeros(0, np.int32),
    np.zeros(0, np.int32),
    np.zeros((0, 3)),
    np.zeros((0, 3)),
    np.zeros((0, 3)),
    np.zeros(0, np.int32),
)


@dataclass(frozen=True, slots=True)
class SolverStats:
    """How well the contact problems were solved."""

    residual: float = 0.0
    """Worst residual over the interval (definition in ARCHITECTURE.md), dimensionless."""

    iterations: float = 0.0
    """Mean Newton iterations a step over the interval."""

    unconverged: int = 0
    """Steps with a residual above 1e-8 since the start of the run."""


@dataclass(frozen=True, slots=True)
class BodyFields:
    """What goes on inside a continuous body at its n sampled cross-sections, and at its p anchors or supports."""

    abscissa: FloatArray
    """Material abscissas X of the cross-sections, m. Shape (n,)."""

    strain: FloatArray
    """Gamma_X, Gamma_Y, Gamma_Z (1) and K_X, K_Y, K_Z (1/m). Shape (n, 6)."""

    wrench: FloatArray
    """Lambda in the cross-section's frame: force N_X, N_Y, N_Z (N) and couple C_X, C_Y, C_Z (N m)
    that the part behind exerts on the part in front (P5 (13)). Shape (n, 6)."""

    active: NDArray[np.bool_]
    """Which anchors or supports hold. Shape (p,)."""

    hold: FloatArray
    """Their material abscissas, m. Shape (p,)."""

    point: FloatArray
    axis: FloatArray
    """`point` and `axis`: where they are (m) and the unit normal t_X of the cross-section there,
    world frame. Shape (p, 3)."""

    force: FloatArray
    torque: FloatArray
    """`force` and `torque`: what they exert on the body, world frame, N and N m. Shape (p, 3)."""


@lru_cache(maxsize=16)
def mass_shares(n: int, continuous: bool, links: tuple[float, ...] = ()) -> FloatArray:
    """Share of the mass that goes with each of `n` links, or cross-sections of a continuous body, (n,).

    Links weigh the same unless `links` gives their shares. Of a body its evenly spaced
    cross-sections are samples: Simpson's rule, or the trapezoidal one for an even number of them,
    makes integrals of these.
    """
    if links:
        return _kept(np.array(links))
    if not continuous:
        return _kept(np.full(n, 1.0 / n))
    shares = np.full(n, 1.0)
    if n % 2:
        shares[1:-1:2] = 4.0
        shares[2:-1:2] = 2.0
    else:
        shares[1:-1] = 2.0
    return _kept(shares / shares.sum())


def _kept(shares: FloatArray) -> FloatArray:
    """`shares` for whoever asks, so that nobody may write to them."""
    shares.flags.writeable = False
    return shares


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a robot of n links at one instant."""

    time: float
    """s."""

    link_pose: FloatArray
    """Centre of gravity (m) and unit quaternion w x y z of every link; x runs along the link to the
    next one, z is up when it lies flat. A planar link lies on the ground. Shape (n, 7)."""

    link_twist: FloatArray
    """Velocity of the centre of gravity (m/s) and angular velocity (rad/s), world frame. Shape (n,
    6)."""

    joint_angle: FloatArray
    joint_rate: FloatArray
    joint_angle_ref: FloatArray
    joint_rate_ref: FloatArray
    joint_torque: FloatArray
    """`joint_angle`, `joint_rate`, `joint_angle_ref`, `joint_rate_ref` and `joint_torque`: of the m
    joint axes, in the order of `scene.body.axes`; rad, rad/s, N m. A continuous body has none.
    Shape (m,)."""

    contacts: Contacts = field(default_factory=Contacts.none)
    """Over the control period (or, in a recording, since the row before)."""

    energy: dict[str, float] = field(default_factory=dict)
    """J; "kinetic", "potential", "work_actuator", "work_friction" and what else the model keeps;
    work is cumulative."""

    solver: SolverStats = field(default_factory=SolverStats)
    control: dict[str, float] = field(default_factory=dict)
    """What controller and model make of it all, by the names of their channels, each ending in its
    unit."""

    body: BodyFields | None = None
    """The inside of a continuous body, whose sampled cross-sections are the links, the head
    first."""

    mass_shares: FloatArray | None = None
    """Share of every link in the mass of the robot; None: they weigh the same. Shape (n,)."""

    valid: Fields = Fields.ALL
    """Which of the above are valid."""

    @property
    def n_links(self) -> int:
        """Number of links."""
        return len(self.link_pose)

    @property
    def drawn(self) -> bool:
        """Whether its links can be drawn, wherever they are."""
        return bool(self.valid & (Fields.POSE | Fields.SHAPE))

    def centre_of_mass(self) -> FloatArray:
        """Centre of mass of the robot, (3,), m."""
        shares = (
            mass_shares(self.n_links, self.body is not None)
            if self.mass_shares is None
            else self.mass_shares
        )
        centre: FloatArray = shares @ self.link_pose[:, :3]
        return centre
