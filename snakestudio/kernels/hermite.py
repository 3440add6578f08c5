"""Evaluation of joint references, angles and torques, between their knots."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined


class JointKnots(NamedTuple):
    """A joint reference in the form that kernels use: k knots of m joints with one axis each."""

    time: FloatArray
    """Ascending, (k,), s."""

    angle: FloatArray
    """rad. Shape (k, m, 1)."""

    rate: FloatArray
    """rad/s. Shape (k, m, 1)."""

    acceleration: FloatArray
    """rad/s^2. Shape (k, m, 1)."""

    torque: FloatArray
    """Torques of the motors that replace the angles, (k, m, 1), N m; of length 0 if the joints
    follow the angles."""


@inlined
def find_knot(knots: JointKnots, time: float, knot: int) -> int:
    """Index of the last knot at or before `time`, excluding the final one, searched from `knot` on."""
    while knot < len(knots.time) - 2 and knots.time[knot + 1] <= time:
        knot += 1
    return knot


@inlined
def evaluate_reference(
    knots: FloatArray,
    angle: FloatArray,
    rate: FloatArray,
    axes: int,
    time: float,
    knot: int,
    reference: FloatArray,
) -> int:
    """Reference angles and rates at `time`, by cubic Hermite interpolation as in `JointReference.at`.

    Times must not decrease from call to call. The search begins at `knot`; return the knot where it
    ended.

    Parameters
    ----------
    knots, angle, rate : (k,), (k, n - 1, 2), (k, n - 1, 2)
        s, rad, rad/s.
    axes : int
        1 for yaw alone, 2 for yaw and pitch.
    reference : (n - 1, 2 axes)
        Filled with the angles, then the rates, of every joint.
    """
    while knot < len(knots) - 2 and knots[knot + 1] <= time:
        knot += 1
    h = knots[knot + 1] - knots[knot]
    s = min(max((time - knots[knot]) / h, 0.0), 1.0)
    r = 1.0 - s
    a0 = (1.0 + 2.0 * s) * r * r
    a1 = s * s * (3.0 - 2.0 * s)
    b0 = s * r * r * h
    b1 = -s * s * r * h
    slope = 6.0 * s * r / h
    d0 = r * (1.0 - 3.0 * s)
    d1 = s * (3.0 * s - 2.0)
    for i in range(reference.shape[0]):
        for a in range(axes):
            angle_0 = angle[knot, i, a]
            angle_1 = angle[knot + 1, i, a]
            rate_0 = rate[knot, i, a]
            rate_1 = rate[knot + 1, i, a]
            if angle_0 == angle_1 and rate_0 == 0.0 and rate_1 == 0.0:
                # Constant, to the last bit: steps must not depend on the positions of the knots.
                reference[i, a] = angle_0
                reference[i, axes + a] = 0.0
                continue
            reference[i, a] = a0 * angle_0 + a1 * angle_1 + b0 * rate_0 + b1 * rate_1
            reference[i, axes + a] = slope * (angle_1 - angle_0) + d0 * rate_0 + d1 * rate_1
    return knot


@inlined
def evaluate_linear(
    knots: FloatArray, values: FloatArray, axes: int, time: float, knot: int, reference: FloatArray
) -> None:
    """Reference accelerations or torques at `time`, linear between the knots.

    The second derivative of the angles' cubic would not be more accurate (both errors are of second
    order in the distance of the knots), would jump at every knot, and would be unbounded between
    the two knots of a jump of the angles.

    Parameters
    ----------
    knots, values : (k,), (k, n - 1, 2)
        s, rad/s^2 or N m.
    axes : int
        1 for yaw alone, 2 for yaw and pitch.
    knot : int
        Result of `evaluate_reference` for this time.
    reference : (n - 1, axes)
        Filled.
    """
    s = min(max((time - knots[knot]) / (knots[knot + 1] - knots[knot]), 0.0), 1.0)
    for i in range(reference.shape[0]):
        for a in range(axes):
            value_0 = values[knot, i, a]
            value_1 = values[knot + 1, i, a]
            reference[i, a] = value_0 if value_0 == value_1 else (1.0 - s) * value_0 + s * value_1
