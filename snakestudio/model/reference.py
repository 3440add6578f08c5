"""References of the robot over a time interval: JointReference, identical for a simulation and for the robot on CAN.

StrainReference is the counterpart for a continuous body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.field_docs import with_field_docs


def between_knots(
    knots: FloatArray, angle: FloatArray, rate: FloatArray, time: float
) -> tuple[FloatArray, FloatArray]:
    """Angle and rate at `time`, each (m,), by cubic Hermite interpolation of `knots`, (k, m); constant outside."""
    if time >= knots[-1]:
        return angle[-1], rate[-1]
    index = int(np.clip(np.searchsorted(knots, time, side="right") - 1, 0, len(knots) - 2))
    h = knots[index + 1] - knots[index]
    s = float(np.clip((time - knots[index]) / h, 0.0, 1.0))
    a0 = angle[index]
    a1 = angle[index + 1]
    r0 = rate[index]
    r1 = rate[index + 1]
    value = (
        (1 + 2 * s) * (1 - s) ** 2 * a0
        + s * (1 - s) ** 2 * h * r0
        + s**2 * (3 - 2 * s) * a1
        + s**2 * (s - 1) * h * r1
    )
    slope = (
        6 * s * (s - 1) / h * a0
        + (1 - s) * (1 - 3 * s) * r0
        - 6 * s * (s - 1) / h * a1
        + s * (3 * s - 2) * r1
    )
    held = (a0 == a1) & (r0 == 0.0) & (r1 == 0.0)  # to the last bit, as in the kernels
    return np.where(held, a0, value), np.where(held, 0.0, slope)


@with_field_docs
@dataclass(frozen=True, slots=True)
class JointReference:
    """Joint angles at knots in time, with cubic Hermite interpolation between them, or joint torques."""

    time: FloatArray
    """Times of the knots, s, strictly ascending, k >= 2. Shape (k,)."""

    angle: FloatArray
    """Angles of the m joint axes at the knots, in the order of `scene.body.axes` and with the signs of P1/P2,
    rad. Shape (k, m)."""

    rate: FloatArray
    """Rates at the knots, rad/s. Shape (k, m)."""

    acceleration: FloatArray
    """Accelerations at the knots, rad/s^2. Shape (k, m)."""

    torque: FloatArray | None = None
    """Motor torques, N m, with the signs of the angles, linear between the knots; angles, rates and
    accelerations are then NaN because there are no references for them. None: the joints follow their
    angles. Shape (k, m)."""

    @classmethod
    def held(
        cls, begin: float, end: float, angle: FloatArray, rate: FloatArray | None = None
    ) -> JointReference:
        """Return the reference that holds the joints at `angle` (m,) from `begin` to `end`, s.

        With a `rate` (m,), it moves from `angle` at this constant rate.
        """
        angles = np.array([angle, angle], np.float64)
        rates = np.zeros_like(angles)
        if rate is not None:
            rates[:] = rate
            angles[1] += rates[1] * (end - begin)
        return cls(np.array([begin, end]), angles, rates, np.zeros_like(angles))

    @classmethod
    def driven(cls, begin: float, end: float, torque: FloatArray) -> JointReference:
        """Return the reference under which the motors exert a constant `torque` (m,), N m, from `begin` to `end`, s."""
        torques = np.array([torque, torque], np.float64)
        nothing = np.full_like(torques, np.nan)
        return cls(np.array([begin, end]), nothing, nothing, nothing, torques)

    @classmethod
    def joined(cls, parts: Sequence[JointReference]) -> JointReference:
        """Return the reference of consecutive parts without torques.

        Where references jump between two parts, the second of the knots at this time is just after the first.
        """
        time = np.concatenate([part.time for part in parts])
        same = np.flatnonzero(np.diff(time) <= 0.0)
        # Usually the two knots are equal; where references jump between parts, both sides of the
        # jump remain.
        alike = np.array(
            [
                np.array_equal(a.angle[-1], b.angle[0]) and np.array_equal(a.rate[-1], b.rate[0])
                for a, b in pairwise(parts)
            ],
            np.bool_,
        )
        keep = np.ones(len(time), np.bool_)
        keep[same[alike] + 1] = False
        time[same[~alike] + 1] = np.nextafter(time[same[~alike] + 1], np.inf)
        columns = (
            np.concatenate([getattr(part, name) for part in parts])[keep]
            for name in ("angle", "rate", "acceleration")
        )
        return cls(time[keep], *columns)

    def copy(self) -> JointReference:
        """Copy with separate, contiguous arrays."""
        torque = None if self.torque is None else np.array(self.torque, np.float64, order="C")
        return JointReference(
            np.array(self.time, np.float64),
            np.array(self.angle, np.float64, order="C"),
            np.array(self.rate, np.float64, order="C"),
            np.array(self.acceleration, np.float64, order="C"),
            torque,
        )

    def since(self, time: float) -> JointReference:
        """Part around and after `time` that an engine at `time` can still use."""
        begin = _begin(self.time, time)
        torque = None if self.torque is None else self.torque[begin:]
        return JointReference(
            self.time[begin:],
            self.angle[begin:],
            self.rate[begin:],
            self.acceleration[begin:],
            torque,
        )

    def at(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Return the angle and rate at `time`, each (m,); constant outside the knots."""
        return between_knots(self.time, self.angle, self.rate, time)


@dataclass(frozen=True, slots=True)
class StrainReference:
    """Strain along a continuous body, and its holds, at knots in time."""

    time: FloatArray
    """Times of the knots, s, strictly ascending, k >= 2. Shape (k,)."""

    abscissa: FloatArray
    """Material abscissas X of the points, evenly spaced from 0 to l, m odd, m. Shape (m,)."""

    strain: FloatArray
    """Strains gamma_X, Gamma_Y, Gamma_Z (1) and K_X, K_Y, K_Z (1/m). Shape (k, m, 6)."""

    rate: FloatArray
    """Derivatives of the strains in time. Shape (k, m, 6)."""

    acceleration: FloatArray
    """Second derivatives of the strains in time. Shape (k, m, 6)."""

    speed: FloatArray
    """Axial speed V_o and its derivative, m/s and m/s^2; NaN where the contacts alone determine it.
    Shape (k, 2)."""

    travel: FloatArray
    """Integral of V_o since the start, m. Shape (k,)."""

    hold: FloatArray
    """For each anchor or support: 1 if it holds (from this knot on) or 0, its abscissa C (m) and
    dC/dt, d^2C/dt^2. Shape (k, p, 4)."""

    hold_twist: FloatArray
    """Twist of the object it is fixed to, in the frame of the cross-section there, and its time
    derivative (m/s, rad/s). Shape (k, p, 12)."""

    def since(self, time: float) -> StrainReference:
        """Part around and after `time` that an engine at `time` can still use."""
        begin = _begin(self.time, time)
        return StrainReference(
            **{
                f.name: getattr(self, f.name)[0 if f.name == "abscissa" else begin :]
                for f in fields(self)
            }
        )


def _begin(knots: FloatArray, time: float) -> int:
    """Even number of knots to drop such that at least two knots before `time` remain, and pairs stay pairs."""
    before = int(np.searchsorted(knots, time, side="right")) - 1
    return max(0, min(before - 3, len(knots) - 3) // 2 * 2)


Reference = JointReference | StrainReference
"""Reference under which an engine advances."""
