"""Direction of the light, and softness of its shadows on the floor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray

LIGHT_DIRECTION: FloatArray = np.array([-0.42, -0.30, 1.0]) / math.sqrt(0.42**2 + 0.30**2 + 1.0)
"""Unit vector towards the key light."""

THROW: FloatArray = -LIGHT_DIRECTION[:2] / LIGHT_DIRECTION[2]
"""Offset of a shadow on the floor per metre of height."""

SOFT_FOOT = 0.006
SOFTNESS = 0.22
"""Half-width of a shadow edge at the foot of the caster, m, and increase per metre of height: the
tangent of the light's angular radius."""

FADING = 1.4
"""Fading of a shadow with height h (m): 1 / (1 + FADING h)."""


@dataclass(frozen=True, slots=True)
class Region:
    """Rectangle of the floor with shadows: corner and extent along x and y, m."""

    x: float
    y: float
    width: float
    depth: float
