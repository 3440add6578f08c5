"""Range of target angles: targets far beyond the range of a joint are usually degrees instead of radians."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.robot.axis_values import AxisValues

_BEYOND = math.pi
"""Largest angle beyond a joint limit, rad: controllers may press a joint against its stop."""

_UNLIMITED = 2.0 * math.pi
"""Largest target of a joint without limits, rad."""


class TargetLimits:
    """Range of the target angles of the m joint axes of a robot."""

    def __init__(self, values: AxisValues) -> None:
        limited = np.isfinite(values.lower) & np.isfinite(values.upper)
        self.lower: FloatArray = np.where(limited, values.lower - _BEYOND, -_UNLIMITED)
        """Smallest target of each axis, (m,), rad."""

        self.upper: FloatArray = np.where(limited, values.upper + _BEYOND, _UNLIMITED)
        """Largest target of each axis, (m,), rad."""

        self.nearest = float(np.minimum(-self.lower, self.upper).min(initial=_UNLIMITED))
        """Targets up to this magnitude are in the range of every axis, rad."""

    def first_beyond(self, targets: FloatArray) -> int | None:
        """Return the index of the first of the targets (m,), rad, that is out of range; NaN is in range."""
        wrong = np.flatnonzero((targets < self.lower) | (targets > self.upper))
        return int(wrong[0]) if len(wrong) else None


def beyond_text(name: str, axis: str, target: float) -> str:
    """Return the message about a target that is out of range, rad."""
    return (
        f"{name} ({axis}) is {target:g} rad ({math.degrees(target):.0f}°), far beyond the range of the joint. "
        "Targets are in radians: convert degrees with np.radians."
    )
