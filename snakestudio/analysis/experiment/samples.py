"""Conversion of raw samples to a Capture: sorted times, short gaps interpolated and marked, long gaps reported."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.analysis.experiment.plausible import suspicions
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import Capture

_LATEST_S = 1e10
_FARTHEST_M = 1e7
"""Upper limit of plausible values; clocks may count from 1970."""

_MOST_ADDED = 4
"""Missing frames are inserted up to this multiple of the existing frames."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Content of a file in SI units and with z up; NaN where it has no value."""

    time: FloatArray
    """s. Shape (k,)."""

    bodies: tuple[str, ...]
    """As in `Capture`."""

    links: tuple[int | None, ...]
    """As in `Capture`."""

    position: FloatArray
    """Shape (k, b, 3)."""

    orientation: FloatArray | None = None
    """Shape (k, b, 4)."""

    joint_angle: FloatArray | None = None
    """Shape (k, n-1, 2)."""


def _evenly(time: FloatArray, samples: Samples) -> tuple[Samples, int]:
    """Insert missing frames of a file with a constant rate, as rows without data.

    Returns
    -------
    Samples
    int
        Number of inserted frames.
    """
    steps = np.diff(time)
    step = float(np.median(steps))
    with np.errstate(over="ignore"):
        counts = np.round(steps / step)
    if not np.isfinite(counts.sum()):
        return samples, 0
    even = np.all(np.abs(steps - counts * step) <= 0.2 * step) and np.all(counts >= 1)
    total = int(counts.sum()) + 1
    if not even or total == len(time) or total > _MOST_ADDED * len(time):
        return samples, 0
    index = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    grown = np.interp(np.arange(total), index, time)

    def spread(values: FloatArray | None) -> FloatArray | None:
        if values is None:
            return None
        result = np.full((total, *values.shape[1:]), np.nan)
        result[index] = values
        return result

    position = spread(samples.position)
    assert position is not None
    more = replace(
        samples,
        time=grown,
        position=position,
        orientation=spread(samples.orientation),
        joint_angle=spread(samples.joint_angle),
    )
    return more, total - len(time)


def rows_known(values: FloatArray) -> BoolArray:
    """Return rows (..., c) in which all numbers are known."""
    return cast(BoolArray, np.isfinite(values).all(axis=-1))


def runs_of(mask: BoolArray) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each stretch in which a mask (k,) is true."""
    edges = np.diff(np.concatenate([[0], mask.astype(np.int8), [0]]))
    return list(
        zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True)
    )


_PASSING = 5.0
"""A zero that is at most this many typical steps of the track from a neighbour is a
position."""


def without_unseen_zeros(position: FloatArray) -> FloatArray:
    """Return positions (k, b, 3), with NaN where a body was not visible and its file has 0, 0, 0.

    A track that starts at the origin or passes it is there: the positions before or after are close
    to it.
    """
    result = position.copy()
    for b in range(position.shape[1]):
        zero = (position[:, b] == 0.0).all(axis=1)
        known = np.isfinite(position[:, b]).all(axis=1) & ~zero
        if not zero.any() or np.count_nonzero(known) < 3:
            result[zero & (np.count_nonzero(known) > 0), b] = np.nan
            continue
        steps = np.linalg.norm(np.diff(position[known, b], axis=0), axis=1)
        near = _PASSING * float(np.median(steps))
        for start, stop in runs_of(zero):
            sides = [row for row in (start - 1, stop) if 0 <= row < len(zero) and known[row]]
            if not sides or min(np.linalg.norm(position[row, b]) for row in sides) > near:
                result[start:stop, b] = np.nan
    return result


def _fill_gaps(
    samples: Samples, max_gap_s: float
) -> tuple[FloatArray, FloatArray | None, list[str]]:
    """Return the positions and orientations with gaps of up to `max_gap_s` filled, and remarks.

    The length of a gap is the time between the samples on both sides. Positions follow a monotone
    cubic (PCHIP), which does not overshoot; orientations are interpolated at a constant rate.
    """
    time = samples.time
    position = samples.position.copy()
    orientation = None if samples.orientation is None else samples.orientation.copy()
    notes = []
    for b, name in enumerate(samples.bodies):
        seen = rows_known(position[:, b])
        position[~seen, b] = np.nan
        filled = 0
        spans = []
        long = []
        for start, stop in runs_of(~seen):
            if start == 0 or stop == len(time):
                continue  # nothing is known before the first and after the last sample
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
                if (
                    start > 0
                    and stop < len(time)
                    and time[stop] - time[start - 1] <= max_gap_s * (1.0 + 1e-9)
                ):
                    position[start:stop, b] = curve(time[start:stop])
            many = f"{len(spans)} gaps (longest " if len(spans) > 1 else "1 gap ("
            notes.append(
                f"{name}: {filled} rows in {many}{max(spans):.3g} s) were interpolated and are marked."
            )
        for begin, end in long:
            notes.append(
                f"{name}: no data {begin:.4g} to {end:.4g} s; longer than {max_gap_s:g} s, so the gap was not filled."
            )
        if orientation is not None:
            known_place = rows_known(position[:, b])
            orientation[:, b] = _turned(time, orientation[:, b], known_place)
    return position, orientation, notes


def _turned(time: FloatArray, quaternion: FloatArray, selected: BoolArray) -> FloatArray:
    """Return quaternions (k, 4), interpolated at the marked rows without data."""
    known = np.flatnonzero(np.isfinite(quaternion).all(axis=1))
    result = np.full_like(quaternion, np.nan)
    if len(known) < 2:
        result[known] = quaternion[known]
        return result
    own = quaternion[known] / np.linalg.norm(quaternion[known], axis=1, keepdims=True)
    # q and -q are the same rotation: choose the sign closest to the previous one.
    flips = np.cumprod(np.where(np.sum(own[1:] * own[:-1], axis=1) < 0.0, -1.0, 1.0))
    own[1:] *= flips[:, None]
    inside = selected & (time >= time[known[0]]) & (time <= time[known[-1]])
    for column in range(4):
        result[inside, column] = np.interp(time[inside], time[known], own[:, column])
    result /= np.linalg.norm(result, axis=1, keepdims=True)
    return result


def capture_of(
    path: Path, samples: Samples, max_gap_s: float, notes: list[str], digest: str
) -> Capture:
    """Convert samples to a Capture.

    Raises `ExperimentError` if they are empty, or their times are invalid.
    """
    notes = list(notes)
    _within_reason(path, samples)
    samples = _in_order(path, samples, notes)
    seen = rows_known(samples.position)
    empty = [
        name for name, own in zip(samples.bodies, seen.T, strict=True) if np.count_nonzero(own) < 2
    ]
    if len(empty) == len(samples.bodies):
        raise ExperimentError(
            f"{path}: No body is visible in more than one row. Choose other columns, or treat 0, 0, 0 as a position."
        )
    if empty:
        keep = [b for b, name in enumerate(samples.bodies) if name not in empty]
        notes.append(f"Ignored because they are never visible: {', '.join(empty)}.")
        samples = _only(samples, keep)
    samples, missing = _evenly(samples.time, samples)
    if missing:
        notes.append(
            f"{missing} {'frame is' if missing == 1 else 'frames are'} missing from the file."
        )
    seen = rows_known(samples.position)
    position, orientation, remarks = _fill_gaps(samples, max_gap_s)
    notes += remarks
    capture = Capture(
        path.stem,
        samples.time,
        samples.bodies,
        samples.links,
        position,
        orientation,
        samples.joint_angle,
        seen,
        source=path.name,
        digest=digest,
    )
    notes += suspicions(capture)
    return Capture(
        capture.name,
        capture.time,
        capture.bodies,
        capture.links,
        capture.position,
        capture.orientation,
        capture.joint_angle,
        capture.measured,
        tuple(notes),
        capture.source,
        capture.digest,
    )


def _within_reason(path: Path, samples: Samples) -> None:
    """Reject numbers so large that their squares or differences lose all precision."""
    limits = (("time", samples.time, _LATEST_S, "s"), ("place", samples.position, _FARTHEST_M, "m"))
    for what, values, most, unit in limits:
        size = np.abs(values[np.isfinite(values)])
        if size.size and size.max() > most:
            raise ExperimentError(
                f"{path}: There is a {what} of {size.max():.3g} {unit}. Choose another unit or column."
            )


def _only(samples: Samples, keep: list[int]) -> Samples:
    return Samples(
        samples.time,
        tuple(samples.bodies[b] for b in keep),
        tuple(samples.links[b] for b in keep),
        samples.position[:, keep],
        None if samples.orientation is None else samples.orientation[:, keep],
        samples.joint_angle,
    )


def _in_order(path: Path, samples: Samples, notes: list[str]) -> Samples:
    """Return the rows with a time, without duplicate times."""
    time = samples.time
    keep = np.isfinite(time)
    if np.count_nonzero(keep) < 2:
        raise ExperimentError(
            f"{path}: Fewer than two rows have a time. Choose another time column, delimiter or number of header rows."
        )
    if not keep.all():
        notes.append(f"{np.count_nonzero(~keep)} rows without a time were ignored.")
    times = time[keep]
    steps = np.diff(times)
    if np.any(steps < 0.0):
        at = int(np.flatnonzero(steps < 0.0)[0])
        raise ExperimentError(
            f"{path}: The time decreases from {times[at]:g} to {times[at + 1]:g} s. Choose another time column, "
            "or export the trials separately."
        )
    if np.any(steps == 0.0):
        twice = np.flatnonzero(keep)[1:][steps == 0.0]
        keep[twice] = False
        notes.append(f"{len(twice)} rows with the same time as the row before were ignored.")
        if np.count_nonzero(keep) < 2:
            raise ExperimentError(
                f"{path}: The time does not change. Choose another time column, or set the rate."
            )
    if keep.all():
        return samples
    return Samples(
        time[keep],
        samples.bodies,
        samples.links,
        samples.position[keep],
        None if samples.orientation is None else samples.orientation[keep],
        None if samples.joint_angle is None else samples.joint_angle[keep],
    )
