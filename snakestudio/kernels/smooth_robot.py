"""Constants of links and joints in the smooth planar models, for compiled loops (nothing here is compiled)."""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray


class CentredChain(NamedTuple):
    """Constants of the links of a chain, (n,) each but the last."""

    half: FloatArray
    """l, half the distance between the joints, m."""

    back: FloatArray
    """b, from the joint before a link to its centre of gravity, in half links."""

    weight: FloatArray
    """w, mass over the mean mass."""

    share: FloatArray
    """sum_i w_i S_ij / n, how far the centre of mass moves with a link, in its half links."""

    mass: FloatArray
    """kg."""

    inertia: FloatArray
    """J, about the centre of gravity, kg m^2."""

    total: float
    """Mass of all links, kg."""


class SmoothJoints(NamedTuple):
    """Constants of the joints, (n - 1,) each but the last; rad, N m."""

    kp: FloatArray
    """0 where torques are given, as `kd`."""

    kd: FloatArray
    most: FloatArray
    """Largest torque; inf: unlimited."""

    spring: FloatArray
    damper: FloatArray
    rest: FloatArray
    lower: FloatArray
    """Stops; -inf and inf where there are none."""

    upper: FloatArray
    stop_stiffness: float
