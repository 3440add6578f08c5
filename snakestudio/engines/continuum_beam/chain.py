"""A continuous body as a chain of n rigid links with the same motion: the discrete counterpart named in P5.

Link i is in the middle of its piece of the body, at X = (i - 1/2) h with h = l/n; the joints are at
X = j h. The displacement from one link's centre to the next is trans(h/2 Gamma) exp(h K^)
trans(h/2 Gamma) with the strains at the joint: a hinge where the body only bends, a slide where it
stretches. The first link moves like the cross-section at its centre. The Newton-Euler recursion
gives the motion of the other links and the wrenches in all joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.contact import share_out
from snakestudio.engines.continuum_beam.rigid_motion import (
    Displacement,
    hinged,
    one_after_another,
    rotated,
    shifted,
    then,
)
from snakestudio.engines.continuum_beam.section import Instant, Sections, wrench_from, wrench_to
from snakestudio.engines.continuum_beam.state import AT
from snakestudio.engines.time_stepping import copied
from snakestudio.kernels.axes import X
from snakestudio.model.rotations import quaternions


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """A chain of n links with the motion of a continuous body, at one instant."""

    joint: FloatArray
    """Abscissas of the joints, m. Shape (n - 1,)."""

    angle: FloatArray
    """Rotation vectors from each link to the next, h K, rad. Shape (n - 1, 3)."""

    wrench: FloatArray
    """Wrench of the links behind a joint on those in front of it, about the joint and in the axes
    half-way between both links: force (N) and couple (N m), as Lambda. The joint torque is minus
    the couple, because it acts on the part behind. Shape (n - 1, 6)."""

    body: FloatArray
    """Lambda of the continuous body at the same abscissas. Shape (n - 1, 6)."""

    pose: FloatArray
    """Centres (m) and unit quaternions w x y z of the links in the world. Shape (n, 7)."""

    hold_wrench: FloatArray
    """Wrenches of anchors and supports in the frame of the body's head. Shape (p, 6)."""

    velocity: FloatArray
    """Velocity of the chain's centre of mass, in the axes of the body's head, m/s. Shape (3,)."""

    body_velocity: FloatArray
    """Velocity of the body's centre of mass, in the same axes, m/s. Shape (3,)."""


def chain_of(instant: Instant, n: int, own_axes: bool = False) -> Chain:
    """Return the chain of `n` >= 2 links that moves like the body at `instant`.

    Parameters
    ----------
    own_axes : bool
        Whether an annular support pushes along the axes of its link. Away from the link's centre
        these differ from the body's axes by an angle of order h, and so do the wrenches of the
        supports: order 1. If False, the support's axes are turned by its share of the rotation in
        the nearest joint: order 2.
    """
    h = instant.params.length / n
    at_joints, links, half = _links(instant, n)
    angle = h * at_joints.strain[:, 3:]
    load = _inertial(instant, links, h)
    # A support exactly at a joint holds the link in front of it, in agreement with the body's
    # Lambda at that joint.
    held = np.clip(np.ceil(instant.work.hold[:, AT] / h - 1e-9).astype(np.int64) - 1, 0, n - 1)
    supports = _share(instant, links, load.sum(axis=0), held, h, None if own_axes else angle)
    np.subtract.at(load, held, supports)  # 0 for inactive supports
    middle = then(Displacement(*(part[:-1] for part in links)), half)
    wrench = wrench_from(middle.turn, middle.place, np.cumsum(load, axis=0)[:-1])
    turn = instant.turn @ links.turn
    place = instant.place + links.place @ instant.turn.T
    velocity = np.einsum("qij,qj->i", links.turn, links.twist[:, :3]) / n
    return Chain(
        at_joints.abscissa,
        angle,
        wrench,
        at_joints.wrench,
        np.column_stack([place, quaternions(turn)]),
        supports,
        velocity,
        instant.mean_velocity(),
    )


def _links(instant: Instant, n: int) -> tuple[Sections, Displacement, Displacement]:
    """Return the body at the joints, the links in the head's frame, and half-displacements through the joints."""
    h = instant.params.length / n
    first = instant.sections(np.array([0.5 * h]))
    joints = instant.sections(h * np.arange(1, n, dtype=np.float64))
    imposed = joints.strain, joints.rate, joints.acceleration
    arm = shifted(*(0.5 * h * part[:, :3] for part in imposed))
    bend = tuple(h * part[:, 3:] for part in imposed)
    begin = Displacement(first.turn, first.place, first.twist, first.growth)
    steps = hinged(arm, *bend)
    links = one_after_another(
        Displacement(*(np.concatenate(pair) for pair in zip(begin, steps, strict=True)))
    )
    half = then(arm, rotated(*(0.5 * part for part in bend)))
    return joints, links, half


def _inertial(instant: Instant, links: Displacement, h: float) -> FloatArray:
    """Return the wrench that each link needs for its motion and against gravity, (n, 6), in the head's frame.

    M eta_t - ad_eta^* M eta - F of a rigid link of length h: mass rho A h, and the inertia of a
    rod.
    """
    params = instant.params
    mass = params.mass * h
    inertia = params.inertia * h + np.array([0.0, 1.0, 1.0]) * mass * h * h / 12.0
    velocity = links.twist[:, :3]
    omega = links.twist[:, 3:]
    gravity = links.turn.transpose(0, 2, 1) @ (instant.turn.T @ params.gravity)
    force = mass * (links.growth[:, :3] + np.cross(omega, velocity) - gravity)
    couple = inertia * links.growth[:, 3:] + np.cross(omega, inertia * omega)
    return wrench_to(links.turn, links.place, np.concatenate([force, couple], axis=1))


def _share(
    instant: Instant,
    links: Displacement,
    resultant: FloatArray,
    held: NDArray[np.int64],
    h: float,
    angle: FloatArray | None,
) -> FloatArray:
    """Return the wrenches of supports on the links `held`, (p, 6), in the head's frame, shared as in the engine."""
    work = copied(instant.work)
    work.resultant[:] = resultant
    along = work.hold[:, AT] - (held + 0.5) * h
    turn = links.turn[held]
    place = links.place[held] + along[:, None] * turn[:, :, X]
    if angle is not None:
        joint = np.clip(np.where(along > 0.0, held, held - 1), 0, len(angle) - 1)
        share = (along / h)[:, None] * angle[joint]
        turn = turn @ rotated(share, np.zeros_like(share), np.zeros_like(share)).turn
    work.hold_frame[:] = np.concatenate([turn.reshape(-1, 9), place], axis=1)
    share_out(instant.params, work, instant.slice_length)
    return work.hold_wrench
