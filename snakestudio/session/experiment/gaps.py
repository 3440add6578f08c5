"""Gaps in measured tracks: short ones are filled by interpolation and marked, long ones stay open and are said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from snakestudio.session.experiment.samples import Samples

__all__ = ["evenly", "fill_gaps", "rows_known", "runs_of"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_MOST_ADDED = 4
"""Missing frames are put in up to this many times the frames that are there."""


def evenly(time: FloatArray, samples: Samples) -> tuple[Samples, int]:
    """Put in frames that are missing from a file with an even rate, as rows in which nothing is seen.

    Returns
    -------
    Samples
    int
        How many were put in.
    """
    steps = np.diff(time)
    step = float(np.median(steps))
    with np.errstate(over="ignore"):
        whole = np.round(steps / step)
    if not np.isfinite(whole.sum()):
        return samples, 0
    even = np.all(np.abs(steps - whole * step) <= 0.2 * step) and np.all(whole >= 1)
    total = int(whole.sum()) + 1
    if not even or total == len(time) or total > _MOST_ADDED * len(time):
        return samples, 0
    place = np.concatenate([[0], np.cumsum(whole)]).astype(np.int64)
    grown = np.interp(np.arange(total), place, time)

    def spread(values: FloatArray | None) -> FloatArray | None:
        if values is None:
            return None
        result = np.full((total, *values.shape[1:]), np.nan)
        result[place] = values
        return result

    position = spread(samples.position)
    assert position is not None
    more = replace(
        samples, time=grown, position=position, orientation=spread(samples.orientation),
        joint_angle=spread(samples.joint_angle),
    )  # fmt: skip
    return more, total - len(time)


def rows_known(values: FloatArray) -> BoolArray:
    """Which rows (..., c) have all their numbers."""
    return cast(BoolArray, np.isfinite(values).all(axis=-1))


def runs_of(mask: BoolArray) -> list[tuple[int, int]]:
    """Begin and end (behind the last) of every stretch in which a mask (k,) is true."""
    edges = np.diff(np.concatenate([[0], mask.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))


def fill_gaps(samples: Samples, max_gap_s: float) -> tuple[FloatArray, FloatArray | None, list[str]]:
    """Positions and orientations with the gaps filled that are no longer than `max_gap_s`, and what was done.

    A gap is as long as the time between the sights on both its sides. Positions follow a monotone cubic (PCHIP), which
    does not overshoot; orientations go evenly from the one to the other.
    """
    time = samples.time
    position = samples.position.copy()
    orientation = None if samples.orientation is None else samples.orientation.copy()
    notes = []
    for b, name in enumerate(samples.bodies):
        seen = rows_known(position[:, b])
        position[~seen, b] = np.nan
        filled, spans, long = 0, [], []
        for start, stop in runs_of(~seen):
            if start == 0 or stop == len(time):
                continue  # before the first and behind the last sight nothing is known
            span = float(time[stop] - time[start - 1])
            if span <= max_gap_s * (1.0 + 1e-9):
                filled += stop - start
                spans.append(span)
            else:
                long.append((time[start - 1], time[stop]))
        known = np.flatnonzero(seen)
        if filled:
            from scipy.interpolate import PchipInterpolator

            curve = PchipInterpolator(time[known], position[known, b], axis=0)
            for start, stop in runs_of(~seen):
                if start > 0 and stop < len(time) and time[stop] - time[start - 1] <= max_gap_s * (1.0 + 1e-9):
                    position[start:stop, b] = curve(time[start:stop])
            many = f"{len(spans)} gaps (longest " if len(spans) > 1 else "1 gap ("
            notes.append(f"{name}: {filled} rows in {many}{max(spans):.3g} s) were interpolated and are marked.")
        for begin, end in long:
            notes.append(
                f"{name}: nothing was seen from {begin:.4g} to {end:.4g} s; longer than {max_gap_s:g} s, so left out."
            )
        if orientation is not None:
            known_place = rows_known(position[:, b])
            orientation[:, b] = _turned(time, orientation[:, b], known_place)
    return position, orientation, notes


def _turned(time: FloatArray, quaternion: FloatArray, wanted: BoolArray) -> FloatArray:
    """Quaternions (k, 4) where they are wanted, from the neighbours where there are none."""
    known = np.flatnonzero(np.isfinite(quaternion).all(axis=1))
    result = np.full_like(quaternion, np.nan)
    if len(known) < 2:
        result[known] = quaternion[known]
        return result
    own = quaternion[known] / np.linalg.norm(quaternion[known], axis=1, keepdims=True)
    # q and -q are the same: each is taken near to the one before it.
    flips = np.cumprod(np.where(np.sum(own[1:] * own[:-1], axis=1) < 0.0, -1.0, 1.0))
    own[1:] *= flips[:, None]
    inside = wanted & (time >= time[known[0]]) & (time <= time[known[-1]])
    for column in range(4):
        result[inside, column] = np.interp(time[inside], time[known], own[:, column])
    result /= np.linalg.norm(result, axis=1, keepdims=True)
    return result
