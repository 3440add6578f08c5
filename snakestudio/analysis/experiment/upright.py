"""Vertical axis of a measurement, from the tracks: a robot on a floor moves least along the vertical."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CLEAR = 0.35
"""An axis is vertical if the motion along it is less than this fraction of the smaller range of
the others."""


def up_axis(position: NDArray[np.float64]) -> str:
    """Return the axis, "x", "y" or "z", of positions (k, b, 3) with NaN for missing data; "z" if it is not clear."""
    spans = np.zeros(3)
    for body in np.moveaxis(position, 1, 0):
        seen = body[np.isfinite(body).all(axis=1)]
        if len(seen) > 1:
            spans = np.maximum(spans, np.ptp(seen, axis=0))
    order = np.argsort(spans, kind="stable")
    return "xyz"[order[0]] if spans[order[0]] < _CLEAR * spans[order[1]] else "z"
