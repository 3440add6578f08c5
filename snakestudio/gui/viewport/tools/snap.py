"""Snapping: a shift that brings edges and middles in line with those of others, or a pivot onto the grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.drawing.gizmo import Guide
from snakestudio.gui.viewport.tools.edit_settings import EditSettings

__all__ = ["Targets", "snapped_shift", "stepped"]


_NEAREST = 24
"""Of so many obstacles around it something may snap to: with all of a large scene it would snap to anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """What something may snap to, and where it was itself before it was moved.

    Attributes
    ----------
    low, high : (k, 3) arrays
        Boxes around the others, m.
    own_low, own_high : (3,) arrays
        Box around what is moved, m.
    """

    low: FloatArray
    high: FloatArray
    own_low: FloatArray
    own_high: FloatArray


def stepped(value: float, step: float) -> float:
    """The nearest multiple of a step."""
    return round(value / step) * step


def snapped_shift(
    shift: FloatArray, pivot: FloatArray, axes: str, choices: EditSettings, targets: Targets | None, reach: float
) -> tuple[FloatArray, tuple[Guide, ...]]:
    """A shift after snapping, and what it was snapped to.

    Parameters
    ----------
    shift : (3,) array
        As the cursor says, m.
    pivot : (3,) array
        Where the pivot was before, m: it is what goes to the grid.
    axes : str
        Of "xyz", along which the shift may be changed.
    choices : EditSettings
    targets : Targets or None
    reach : float
        How near edges have to come, m.
    """
    snapped, guides = shift.copy(), []
    near = _near(shift, targets) if choices.objects and targets is not None else None
    for name in axes:
        k = "xyz".index(name)
        if targets is not None and near is not None and len(near):
            found = _aligned(shift[k], k, targets, near, reach)
            if found is not None:
                snapped[k], level, other = found
                guides.append((name, level, other))
                continue
        if choices.grid:
            snapped[k] = stepped(pivot[k] + shift[k], choices.grid_m) - pivot[k]
    return snapped, tuple(_guide(name, level, other, snapped, targets) for name, level, other in guides)


def _near(shift: FloatArray, targets: Targets) -> NDArray[np.intp]:
    """The others nearest to where it is now, by the gaps between boxes."""
    low, high = targets.own_low + shift, targets.own_high + shift
    gap = np.maximum(np.maximum(targets.low - high, low - targets.high), 0.0)
    distance = (gap[:, :2] ** 2).sum(axis=1)
    if len(distance) <= _NEAREST:
        return np.arange(len(distance))
    return np.argpartition(distance, _NEAREST)[:_NEAREST]


def _levels(low: FloatArray, high: FloatArray) -> FloatArray:
    """Middle and edges, (..., 3): of what is equally near the middle is meant."""
    return np.stack((0.5 * (low + high), low, high), axis=-1)


def _aligned(
    shift: float, k: int, targets: Targets, near: NDArray[np.intp], reach: float
) -> tuple[float, float, int] | None:
    """Shift along axis k that brings an edge or middle in line, the level of that, and whose it is; None if too far."""
    own = _levels(targets.own_low[k], targets.own_high[k])
    theirs = _levels(targets.low[near, k], targets.high[near, k])
    away = theirs[:, :, None] - own - shift
    if k == 2:
        away[:, :, [0, 2]] = np.inf  # upwards only the foot goes onto something
    best = np.unravel_index(int(np.argmin(np.abs(away))), away.shape)
    if not abs(away[best]) <= reach:
        return None
    return shift + float(away[best]), float(theirs[best[0], best[1]]), int(near[best[0]])


def _guide(name: str, level: float, other: int, shift: FloatArray, targets: Targets | None) -> Guide:
    """The line from the middle of what is moved to that of what it was snapped to, at their common level."""
    assert targets is not None
    start = 0.5 * (targets.own_low + targets.own_high) + shift
    end = 0.5 * (targets.low[other] + targets.high[other])
    k = "xyz".index(name)
    start[k] = end[k] = level
    if k != 2:
        start[2] = end[2] = float(max(targets.own_high[2] + shift[2], targets.high[other, 2]))
    return Guide(_triple(start), _triple(end), dot=True)


def _triple(point: FloatArray) -> tuple[float, float, float]:
    x, y, z = point
    return float(x), float(y), float(z)
