"""The contact problem of a step in a common exchange format: mass, directions and friction cones.

Find velocities v and impulses r with M v = H r + f and, for every contact, u = H^T v in the dual of
the cone of r (Acary and others, FCLIB: a collection of discrete 3D frictional contact problems,
INRIA RT-0444, 2014). Joint constraints are eliminated: v are the robot's generalised velocities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray


@dataclass(frozen=True)
class Contact:
    """Force directions of one contact in generalised coordinates."""

    normal: FloatArray
    """Direction of the normal impulse."""

    friction: FloatArray | None = None
    """Rows of friction, scaled by its coefficient, so that the pair of impulses is in the disc
    whose radius is the normal impulse."""

    rolling: FloatArray | None = None
    """Rows of rolling friction, scaled in the same way."""


@dataclass(frozen=True)
class FrictionProblem:
    """Contact problem of a step, made by `friction_problem`."""

    mass: FloatArray
    """M, symmetric and positive definite."""

    force: FloatArray
    """f."""

    directions: FloatArray
    """H: for each contact its normal and two tangents, and with rolling friction two directions of
    rotation. If friction differs along and across, the direction with less friction is scaled down
    by the ratio."""

    mu: FloatArray
    """Friction coefficients."""

    mu_rolling: FloatArray | None
    """Coefficients of rolling friction. Shape (m,). None without rolling friction: d is then 3,
    else 5."""

    coordinates: str
    """Description of v in one sentence."""

    @property
    def spacedim(self) -> int:
        """Number of directions of a contact."""
        return 3 if self.mu_rolling is None else 5


def friction_problem(
    mass: FloatArray,
    force: FloatArray,
    contacts: list[Contact],
    unit: list[float],
    coordinates: str,
) -> FrictionProblem:
    """Return the problem with the given contacts.

    Parameters
    ----------
    mass, force, coordinates
        See `FrictionProblem`.
    unit : list of float
        Friction coefficient of each contact in its rougher direction, by which
        `Contact.friction` is scaled, alternating with that of rolling friction: 2 c numbers; 0
        if there is none.
    """
    rolls = any(number > 0.0 for number in unit[1::2])
    size = len(force)
    wide = 5 if rolls else 3
    directions = np.zeros((size, wide * len(contacts)))
    for index, contact in enumerate(contacts):
        directions[:, wide * index] = contact.normal
        for place, pair, most in (
            (1, contact.friction, unit[2 * index]),
            (3, contact.rolling, unit[2 * index + 1]),
        ):
            if pair is not None and most > 0.0:
                directions[:, wide * index + place : wide * index + place + 2] = pair.T / most
    return FrictionProblem(
        mass,
        force,
        directions,
        np.array(unit[::2]),
        np.array(unit[1::2]) if rolls else None,
        coordinates,
    )


def rotated(vector: FloatArray) -> FloatArray:
    """Return the (3, 3) matrix whose product with an angular velocity is its cross product with `vector` (3,)."""
    x, y, z = vector
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
