"""Time-dependent rigid displacements in plain numpy: the components of a chain of links."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray

SERIES = 1.0
"""Squared angle below which series replace differences that cancel."""


class Displacement(NamedTuple):
    """A frame g relative to another frame, and its motion relative to that frame, in its own axes."""

    turn: FloatArray
    """Rotation."""

    place: FloatArray
    """Position, m."""

    twist: FloatArray
    """g^-1 dg/dt as (V, Omega), m/s and rad/s. Shape (..., 6)."""

    growth: FloatArray
    """Time derivative of `twist`. Shape (..., 6)."""


def then(first: Displacement, second: Displacement) -> Displacement:
    """Return `second` in the base frame of `first`: twists add up in the second's axes (P5 (7), (8), for finite steps).

    With Ad = Ad of the second's inverse: eta = Ad eta_1 + eta_2 and d eta/dt = Ad d eta_1/dt -
    ad_eta_2 eta + d eta_2/dt.
    """
    twist = _carried(second, first.twist) + second.twist
    return Displacement(
        first.turn @ second.turn,
        first.place + _turned(first.turn, second.place),
        twist,
        _carried(second, first.growth) - _bracket(second.twist, twist) + second.growth,
    )


def one_after_another(steps: Displacement) -> Displacement:
    """Return the products of all steps up to each one, along the second-last axis, by recursive doubling."""
    count = steps.place.shape[-2]
    done = 1
    total = steps
    while done < count:
        begin = Displacement(*(_cut(part, i, None, done) for i, part in enumerate(total)))
        moved = then(
            Displacement(*(_cut(part, i, None, -done) for i, part in enumerate(total))),
            Displacement(*(_cut(part, i, done, None) for i, part in enumerate(total))),
        )
        total = Displacement(
            *(
                np.concatenate(pair, axis=-3 if i == 0 else -2)
                for i, pair in enumerate(zip(begin, moved, strict=True))
            )
        )
        done *= 2
    return total


def _cut(part: FloatArray, index: int, start: int | None, stop: int | None) -> FloatArray:
    """Return a slice of the displacements; rotations (`index` 0) have one axis more."""
    cut: FloatArray = part[..., start:stop, :, :] if index == 0 else part[..., start:stop, :]
    return cut


def shifted(place: FloatArray, rate: FloatArray, acceleration: FloatArray) -> Displacement:
    """Return translations by `place` (..., 3), m, with their `rate` and `acceleration`."""
    still = np.zeros_like(place)
    turn = np.broadcast_to(np.eye(3), (*place.shape, 3))
    return Displacement(
        turn,
        place,
        np.concatenate([rate, still], axis=-1),
        np.concatenate([acceleration, still], axis=-1),
    )


def rotated(angle: FloatArray, rate: FloatArray, acceleration: FloatArray) -> Displacement:
    """Return rotations by rotation vectors `angle` (..., 3), rad, with their `rate` and `acceleration`.

    Omega = w' - b w x w' + c w x (w x w') with b = (1 - cos |w|) / |w|^2 and c = (|w| - sin |w|) /
    |w|^3, the right derivative of the exponential, and its own derivative in time.
    """
    square = np.einsum("...i,...i", angle, angle)[..., None]
    a, b, c, db, dc = _coefficients(square)
    grows = 2.0 * np.einsum("...i,...i", angle, rate)[..., None]  # d|w|^2/dt
    once = np.cross(angle, rate)
    twice = np.cross(angle, once)
    omega = rate - b * once + c * twice
    next_once = np.cross(angle, acceleration)
    alpha = (
        acceleration
        - b * next_once
        + c * np.cross(angle, next_once)
        - db * grows * once
        + dc * grows * twice
        + c * np.cross(rate, once)
    )
    outer = angle[..., :, None] * angle[..., None, :]
    turn = (1.0 - b[..., None] * square[..., None]) * np.eye(3) + b[..., None] * outer
    x, y, z = np.moveaxis(a * angle, -1, 0)
    for (row, column), part in (((0, 1), z), ((1, 2), x), ((2, 0), y)):
        turn[..., row, column] -= part
        turn[..., column, row] += part
    still = np.zeros_like(angle)
    return Displacement(
        turn,
        still,
        np.concatenate([still, omega], axis=-1),
        np.concatenate([still, alpha], axis=-1),
    )


def hinged(
    arm: Displacement, angle: FloatArray, rate: FloatArray, acceleration: FloatArray
) -> Displacement:
    """Return the displacement between neighbouring links: `arm` to the joint, the rotation, `arm` again."""
    return then(then(arm, rotated(angle, rate, acceleration)), arm)


def _coefficients(square: FloatArray) -> tuple[FloatArray, ...]:
    """Return sin q / q, b and c of `rotated`, and db/d(q^2), dc/d(q^2), for q^2 = `square`."""
    near = square < SERIES
    s = np.where(near, 1.0, square)
    angle = np.sqrt(s)
    a = np.sin(angle) / angle
    b = (1.0 - np.cos(angle)) / s
    c = (1.0 - a) / s
    db = (1.0 - c * s - 2.0 * b) / (2.0 * s)
    dc = (b - 3.0 * c) / (2.0 * s)
    series = np.zeros((5, *square.shape))
    # square^k and (2k + 1)!
    power = np.ones_like(square)
    factorial = 1.0
    for k in range(
        12
    ):  # sums of (-square)^k / (2k + 1)!, / (2k + 2)!, / (2k + 3)!, and the derivatives of these two
        sign = -1.0 if k % 2 else 1.0
        of_b = factorial * (2 * k + 2)
        of_c = factorial * (2 * k + 2) * (2 * k + 3)
        series[:3] += (
            sign
            * power
            * np.array([1.0 / factorial, 1.0 / of_b, 1.0 / of_c]).reshape(3, *[1] * square.ndim)
        )
        after = factorial * (2 * k + 2) * (2 * k + 3)  # (2k + 3)!
        next_b = after * (2 * k + 4)
        next_c = after * (2 * k + 4) * (2 * k + 5)
        series[3] -= sign * (k + 1) * power / next_b
        series[4] -= sign * (k + 1) * power / next_c
        power = power * np.where(near, square, 0.0)
        factorial = after
    return tuple(np.where(near, series[i], exact) for i, exact in enumerate((a, b, c, db, dc)))


def _turned(turn: FloatArray, vector: FloatArray) -> FloatArray:
    result: FloatArray = np.squeeze(turn @ vector[..., None], axis=-1)
    return result


def _carried(step: Displacement, twist: FloatArray) -> FloatArray:
    """Return a twist (..., 6) of the frame before `step`, in the axes and at the origin of the frame after it."""
    back = np.swapaxes(step.turn, -1, -2)
    velocity = twist[..., :3] - np.cross(step.place, twist[..., 3:])
    return np.concatenate([_turned(back, velocity), _turned(back, twist[..., 3:])], axis=-1)


def _bracket(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return ad_a b of twists (..., 6), P5 (67)."""
    linear = np.cross(a[..., 3:], b[..., :3]) + np.cross(a[..., :3], b[..., 3:])
    return np.concatenate([linear, np.cross(a[..., 3:], b[..., 3:])], axis=-1)
