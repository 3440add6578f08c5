"""A step's contact problem in the form in which the field exchanges them: mass, directions and friction cones.

Find velocities v and impulses r with M v = H r + f and, for every contact, u = H^T v in the dual of
the cone of r (Acary and others, FCLIB: a collection of discrete 3D frictional contact problems,
INRIA RT-0444, 2014). Joints are not in it: v are the robot's generalised velocities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray


@dataclass(frozen=True)
class Contact:
    """Force directions of one contact in generalised coordinates."""

    normal: FloatArray
    """"""

    friction: FloatArray | None = None
    rolling: FloatArray | None = None
    """`friction` and `rolling`: scaled by their coefficients, so that each pair of impulses lives
    in the disc of the normal impulse."""


@dataclass(frozen=True)
class FrictionProblem:
    """What `friction_problem` makes."""

    mass: FloatArray
    """M, symmetric and positive definite."""

    force: FloatArray
    """f."""

    directions: FloatArray
    """H: of every contact its normal and two tangents, and with rolling friction two turning
    directions. Where friction differs along and across, the weaker direction is shorter by as
    much."""

    mu: FloatArray
    mu_rolling: FloatArray | None
    """`mu` and `mu_rolling`: coefficients; `mu_rolling` (m) is None if no contact has rolling
    friction, and d is 3, else 5."""

    coordinates: str
    """What v is, in a sentence."""

    @property
    def spacedim(self) -> int:
        """Directions of a contact."""
        return 3 if self.mu_rolling is None else 5


def friction_problem(
    mass: FloatArray,
    force: FloatArray,
    contacts: list[Contact],
    unit: list[float],
    coordinates: str,
) -> FrictionProblem:
    """Put contacts together.

    Parameters
    ----------
    mass, force, coordinates
        See `FrictionProblem`.
    unit : list of float
        Friction coefficient of every contact in its rougher direction, which `Contact.friction` is
        scaled by, and alternately that of rolling friction: 2 c numbers; 0 where there is none.
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
    """The matrix (3, 3) whose product with an angular velocity is that times `vector` (3,)."""
    x, y, z = vector
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
