"""Increase of dry friction at low sliding velocity (Stribeck effect)."""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined


@inlined
def stribeck(square: float, rise: float, velocity: float) -> float:
    """Factor of friction coefficients: 1 + rise exp(-(v / v_s)^2); `square` is v^2, m^2/s^2."""
    return 1.0 + rise * math.exp(-square / (velocity * velocity))
