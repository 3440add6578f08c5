"""Sideways slip of a body with given strains: its mobility on annular supports (P5 (50), (56), (63))."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.robot.strain_law import StrainField


class Slip(NamedTuple):
    """Sideways slip of a body whose head does not slip."""

    size: FloatArray
    """Slip of each point: the largest of V_Y, V_Z and Omega_X times the radius, m/s. Shape (k, m)."""

    speed: FloatArray
    """V_o as given, or with the least slip, m/s. Shape (k,)."""

    undetermined: int | None
    """Index of the first time at which the slip does not depend on V_o."""


def slip(
    field: StrainField,
    turn: FloatArray,
    position: FloatArray,
    points: FloatArray,
    radius: float,
    speed: FloatArray | None,
) -> Slip:
    """Return the slip due to strains and their rates, from P5 (7) with a head that does not slip.

    Parameters
    ----------
    field : StrainField
        Strains at k times and m = 2N+1 evenly spaced points.
    turn, position : (k, m, 3, 3), (k, m, 3) arrays
        Poses relative to the head, as from `beam_shape.shape`.
    points : (m,) array
        Abscissas, m.
    radius : float
        m.
    speed : (k,) array or None
        V_o, m/s; None: the V_o with the least slip.
    """
    k, m = turn.shape[:2]
    xi = field.strain[:, 0]
    rate = field.rate[:, 0]
    gamma = np.where(xi[:, :1] != 0.0, xi[:, :1], 1.0)
    # Twists of the head, P5 (61) with shear: of V_o = 1, and the contribution of the shear rates.
    unit = np.zeros((k, 6))
    added = np.zeros((k, 6))
    unit[:, 0] = 1.0
    unit[:, 4:] = xi[:, 4:] / gamma
    added[:, 4] = rate[:, 2] / gamma[:, 0]
    added[:, 5] = -rate[:, 1] / gamma[:, 0]
    along = carried(turn, position, unit[:, None, :])
    sources = gathered(turn, position, field.rate, points)
    rest = carried(turn, position, added[:, None, :] + sources)
    weigh = np.array([1.0, 1.0, radius])
    a, b = rest[:, :, 1:4] * weigh, along[:, :, 1:4] * weigh
    undetermined = None
    if speed is None:
        strength = np.einsum("kmi,kmi->k", b, b) / m
        loose = np.flatnonzero(strength < 1e-16)
        undetermined = int(loose[0]) if len(loose) else None
        speed = -np.einsum("kmi,kmi->k", a, b) / m / np.where(strength < 1e-16, 1.0, strength)
    return Slip(np.abs(a + speed[:, None, None] * b).max(axis=2), speed, undetermined)


def carried(turn: FloatArray, position: FloatArray, twist: FloatArray) -> FloatArray:
    """Transform twists (k, 1 or m, 6) from the frame of the head to those of the points, (k, m, 6): P5 (15)."""
    linear = twist[..., :3] + np.cross(twist[..., 3:], position)
    angular = np.broadcast_to(twist[..., 3:], linear.shape)
    return np.concatenate(
        [np.einsum("kmji,kmj->kmi", turn, part) for part in (linear, angular)], axis=-1
    )


def gathered(
    turn: FloatArray, position: FloatArray, rate: FloatArray, points: FloatArray
) -> FloatArray:
    """Twist of each point due to the strain rates between it and the head, (k, m, 6), in the frame of the head.

    The integral of Ad_g of the rates, which solves P5 (7), by Simpson's rule; at midpoints, by the
    integral of the same parabola.
    """
    angular = np.einsum("kmij,kmj->kmi", turn, rate[..., 3:])
    linear = np.einsum("kmij,kmj->kmi", turn, rate[..., :3]) + np.cross(position, angular)
    f = np.concatenate([linear, angular], axis=-1)
    h = points[2] - points[0]
    first = f[:, :-2:2]
    middle = f[:, 1::2]
    last = f[:, 2::2]
    result = np.zeros_like(f)
    result[:, 2::2] = np.cumsum(h / 6.0 * (first + 4.0 * middle + last), axis=1)
    result[:, 1::2] = result[:, :-2:2] + h / 24.0 * (5.0 * first + 8.0 * middle - last)
    return result
