"""Where the light comes from, and how soft the shadows are that it throws on the floor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray

LIGHT_DIRECTION: FloatArray = np.array([-0.42, -0.30, 1.0]) / math.sqrt(0.42**2 + 0.30**2 + 1.0)
"""Unit vector towards the key light."""

THROW: FloatArray = -LIGHT_DIRECTION[:2] / LIGHT_DIRECTION[2]
"""Way of a shadow on the floor for a metre of height."""

SOFT_FOOT = 0.006
SOFTNESS = 0.22
"""Half of a shadow edge's width at the foot of what throws it, m, and more for a metre of height:
the tangent of the light's angular radius."""

FADING = 1.4
"""How a shadow fades with every metre of height: 1 / (1 + FADING h)."""


@dataclass(frozen=True, slots=True)
class Region:
    """Rectangle of the floor that shadows are made for: corner and extent along x and y, m."""

    x: float
    y: float
    width: float
    depth: float
