"""Constants of links and joints in the smooth planar models, for compiled loops; not compiled itself."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray


class CentredChain(NamedTuple):
    """Constants of the links of a chain, each (n,) except the last."""

    half: FloatArray
    """l, half the distance between the joints, m."""

    back: FloatArray
    """b, distance from the joint before a link to its centre of gravity, in half links."""

    weight: FloatArray
    """w, mass divided by the mean mass."""

    share: FloatArray
    """sum_i w_i S_ij / n, displacement of the centre of mass per displacement of a link, in its half links."""

    mass: FloatArray
    """kg."""

    inertia: FloatArray
    """J, about the centre of gravity, kg m^2."""

    total: float
    """Mass of all links, kg."""


class SmoothJoints(NamedTuple):
    """Constants of the joints, each (n - 1,) except the last; rad, N m."""

    kp: FloatArray
    """0 where torques are given, as is `kd`."""

    kd: FloatArray
    most: FloatArray
    """Largest torque; inf if unlimited."""

    spring: FloatArray
    damper: FloatArray
    rest: FloatArray
    lower: FloatArray
    """Lower joint limits; -inf where there is none, and inf for `upper`."""

    upper: FloatArray
    stop_stiffness: float
