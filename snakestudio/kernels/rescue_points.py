"""Points and directions in the space of velocities and impulses of a contact problem, and a rescue's workspace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.spatial_problem import SpatialImpulses

# Entries of RescueScratch.joint.
JOINT_K, JOINT_Q, JOINT_S = range(3)


class Point(NamedTuple):
    """Velocities and impulses, or a direction in their space."""

    w: FloatArray
    """Twists of the links, (n, 6)."""

    rate: FloatArray
    """Rates of the joint axes, (m,), rad/s."""

    gamma: FloatArray
    """Relative velocities of the contacts. Shape (c, 5)."""

    contact: FloatArray
    """Impulses of the contacts. Shape (c, 5)."""

    joint: FloatArray
    """Impulses of the laws of the joint axes, (m,), N m s."""


class RescueScratch(NamedTuple):
    """Workspace for n links, m joint axes and c contacts."""

    current: Point
    """The current iterate."""

    trial: Point
    """A trial point."""

    saved: Point
    """The point to return to."""

    best: Point
    """The point with the least residual."""

    newton: Point
    """Newton's step."""

    tangent: Point
    """Derivative of the path by ln tau."""

    ahead: Point
    """Direction in which the path is followed."""

    anchor: SpatialImpulses
    """Impulses relative to which contacts are compliant."""

    law: FloatArray
    """Linearised laws of every contact: dP = q - K dgamma, and s, the derivative by ln tau. For the
    normal: K, q, s; for friction and rolling friction: K (2 by the normal, 2 x 2), q (2), s (2)."""

    joint: FloatArray
    """K, q, s of the laws of the joint axes."""

    inertia: FloatArray
    """As in `SpatialScratch`."""

    root: FloatArray
    """As in `SpatialScratch`."""

    eliminated: FloatArray
    """As in `SpatialScratch`."""

    pushed: FloatArray
    """Workspace of `spatial_residual`."""

    wrench: FloatArray
    """Workspace of `spatial_residual`."""


# Entries of RescueScratch.law: those of the normal, the first ones of both discs, and those within
# a disc.
K_N = 0
Q_N = 1
S_N = 2
DISC_T = 3
DISC_V = 13
K_1N, K_2N, K_11, K_12, K_21, K_22, Q_1, Q_2, S_1, S_2 = range(10)
WIDTH = 23


def rescue_workspace(n: int, axes: int, contacts: int) -> FloatArray:
    """Workspace for `n` links, `axes` joint axes and `contacts` contacts: one array, since each costs call time."""
    return np.zeros(
        7 * (6 * n + 2 * axes + 10 * contacts) + (WIDTH + 5) * contacts + 12 * axes + 60 * n + 48
    )


@jit
def move(a: Point, step: float, d: Point, contacts: int, out: Point) -> None:
    """Set `out` to a + step d; it may be `a`."""
    for k in range(a.w.shape[0]):
        for i in range(6):
            out.w[k, i] = a.w[k, i] + step * d.w[k, i]
    for j in range(a.rate.shape[0]):
        out.rate[j] = a.rate[j] + step * d.rate[j]
        out.joint[j] = a.joint[j] + step * d.joint[j]
    for c in range(contacts):
        for i in range(5):
            out.gamma[c, i] = a.gamma[c, i] + step * d.gamma[c, i]
            out.contact[c, i] = a.contact[c, i] + step * d.contact[c, i]


@inlined
def accelerate(a: Point, d: Point, contacts: int) -> None:
    """Add a direction's velocities to those of `a`; its impulses are unchanged."""
    for k in range(a.w.shape[0]):
        for i in range(6):
            a.w[k, i] += d.w[k, i]
    for j in range(a.rate.shape[0]):
        a.rate[j] += d.rate[j]
    for c in range(contacts):
        for i in range(5):
            a.gamma[c, i] += d.gamma[c, i]


@jit
def copy(a: Point, contacts: int, out: Point) -> None:
    """Copy `a` to `out`."""
    for k in range(a.w.shape[0]):
        for i in range(6):
            out.w[k, i] = a.w[k, i]
    for j in range(a.rate.shape[0]):
        out.rate[j] = a.rate[j]
        out.joint[j] = a.joint[j]
    for c in range(contacts):
        for i in range(5):
            out.gamma[c, i] = a.gamma[c, i]
            out.contact[c, i] = a.contact[c, i]


@jit
def scale(a: Point, factor: float, contacts: int, out: Point) -> None:
    """Set `out`, another point, to `factor` a."""
    move(a, factor - 1.0, a, contacts, out)


@inlined
def product(a: Point, b: Point, contacts: int, per_length: float) -> float:
    """Inner product of the impulses of two directions; those of joint axes are divided by the link's length."""
    total = 0.0
    for c in range(contacts):
        for i in range(5):
            total += a.contact[c, i] * b.contact[c, i]
    for j in range(a.joint.shape[0]):
        total += per_length * per_length * a.joint[j] * b.joint[j]
    return total


@inlined
def largest_square(a: Point, contacts: int, per_length: float) -> float:
    """Square of the largest impulse of a point; those of joint axes are divided by the link's length."""
    largest = 0.0
    for c in range(contacts):
        for i in range(5):
            largest = max(largest, a.contact[c, i] * a.contact[c, i])
    for j in range(a.joint.shape[0]):
        largest = max(largest, (per_length * a.joint[j]) ** 2)
    return largest
