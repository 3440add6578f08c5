"""Points and directions among the velocities and impulses of a contact problem, and room for those of a rescue."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.spatial_problem import SpatialImpulses

# Entries of RescueScratch.stop.
STOP_K, STOP_Q, STOP_S = range(3)


class Point(NamedTuple):
    """Velocities and impulses, or a direction in the space of them."""

    w: FloatArray
    """"""

    rate: FloatArray
    """"""

    gamma: FloatArray
    contact: FloatArray
    """`gamma` and `contact`: """

    stop: FloatArray
    """"""


class RescueScratch(NamedTuple):
    """Workspace for n links, m joint axes and c contacts."""

    here: Point
    trial: Point
    kept: Point
    best: Point
    """`here`, `trial`, `kept` and `best`: where the iteration stands, what it tries, where it
    returns to, and the best that the judge has seen."""

    newton: Point
    tangent: Point
    ahead: Point
    """`newton`, `tangent` and `ahead`: directions: Newton's step, the change along the path for a
    unit of ln tau, and the way the path is followed."""

    anchor: SpatialImpulses
    """Impulses from which contacts give way."""

    law: FloatArray
    """Linearised laws of every contact: dP = q - K dgamma, and s for a unit of ln tau. Of the
    normal K, q, s; of friction and rolling friction K (2 by the normal, 2 x 2), q (2), s (2)."""

    stop: FloatArray
    """K, q, s of the stops."""

    inertia: FloatArray
    root: FloatArray
    eliminated: FloatArray
    """`inertia`, `root` and `eliminated`: as in `SpatialScratch`."""

    pushed: FloatArray
    wrench: FloatArray
    """`pushed` and `wrench`: what the judge fills."""


# Entries of RescueScratch.law: of the normal, and where the two discs begin; then of a disc.
K_N = 0
Q_N = 1
S_N = 2
DISC_T = 3
DISC_V = 13
K_1N, K_2N, K_11, K_12, K_21, K_22, Q_1, Q_2, S_1, S_2 = range(10)
WIDTH = 23


def rescue_room(n: int, axes: int, contacts: int) -> FloatArray:
    """Workspace for `n` links, `axes` joint axes and `contacts` contacts: one array, for every one costs time."""
    return np.zeros(
        7 * (6 * n + 2 * axes + 10 * contacts) + (WIDTH + 5) * contacts + 12 * axes + 60 * n + 48
    )


@jit
def move(a: Point, step: float, d: Point, contacts: int, out: Point) -> None:
    """Put a + step d into `out`, which may be `a`."""
    for k in range(a.w.shape[0]):
        for i in range(6):
            out.w[k, i] = a.w[k, i] + step * d.w[k, i]
    for j in range(a.rate.shape[0]):
        out.rate[j] = a.rate[j] + step * d.rate[j]
        out.stop[j] = a.stop[j] + step * d.stop[j]
    for c in range(contacts):
        for i in range(5):
            out.gamma[c, i] = a.gamma[c, i] + step * d.gamma[c, i]
            out.contact[c, i] = a.contact[c, i] + step * d.contact[c, i]


@inlined
def accelerate(a: Point, d: Point, contacts: int) -> None:
    """Add a direction's velocities to those of `a`, whose impulses stay."""
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
    """Put a into `out`."""
    for k in range(a.w.shape[0]):
        for i in range(6):
            out.w[k, i] = a.w[k, i]
    for j in range(a.rate.shape[0]):
        out.rate[j] = a.rate[j]
        out.stop[j] = a.stop[j]
    for c in range(contacts):
        for i in range(5):
            out.gamma[c, i] = a.gamma[c, i]
            out.contact[c, i] = a.contact[c, i]


@jit
def scale(a: Point, factor: float, contacts: int, out: Point) -> None:
    """Put `factor` a into `out`, another point."""
    move(a, factor - 1.0, a, contacts, out)


@inlined
def product(a: Point, b: Point, contacts: int, per_length: float) -> float:
    """Product of the impulses of two directions; those of stops are divided by the link's length."""
    total = 0.0
    for c in range(contacts):
        for i in range(5):
            total += a.contact[c, i] * b.contact[c, i]
    for j in range(a.stop.shape[0]):
        total += per_length * per_length * a.stop[j] * b.stop[j]
    return total


@inlined
def largest_square(a: Point, contacts: int, per_length: float) -> float:
    """Square of the largest impulse of a point; those of stops are divided by the link's length."""
    largest = 0.0
    for c in range(contacts):
        for i in range(5):
            largest = max(largest, a.contact[c, i] * a.contact[c, i])
    for j in range(a.stop.shape[0]):
        largest = max(largest, (per_length * a.stop[j]) ** 2)
    return largest
