"""From raw samples to a Capture: times in order, gaps filled and marked, and what is doubtful said."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import ExperimentError
from snakestudio.model.capture import Capture
from snakestudio.session.experiment.gaps import evenly, fill_gaps, rows_known
from snakestudio.session.experiment.plausible import suspicions

__all__ = ["Samples", "capture_of"]

FloatArray = NDArray[np.float64]

_LATEST_S, _FARTHEST_M = 1e10, 1e7
"""Beyond all measuring; clocks may count from 1970."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """What a file holds, in SI units and with z up; NaN wherever it holds nothing.

    Attributes
    ----------
    time : (k,) array
        s.
    bodies, links
        As in `Capture`.
    position : (k, b, 3) array
    orientation : (k, b, 4) array or None
    joint_angle : (k, n-1, 2) array or None
    """

    time: FloatArray
    bodies: tuple[str, ...]
    links: tuple[int | None, ...]
    position: FloatArray
    orientation: FloatArray | None = None
    joint_angle: FloatArray | None = None


def capture_of(path: Path, samples: Samples, max_gap_s: float, notes: list[str], digest: str) -> Capture:
    """Make a Capture of samples.

    Raises
    ------
    ExperimentError
        If there is nothing in them, or their times make no sense.
    """
    notes = list(notes)
    _within_reason(path, samples)
    samples = _in_order(path, samples, notes)
    seen = rows_known(samples.position)
    empty = [name for name, own in zip(samples.bodies, seen.T, strict=True) if np.count_nonzero(own) < 2]
    if len(empty) == len(samples.bodies):
        raise ExperimentError(
            f"{path}: no body is seen in more than one row; choose other columns, or see whether 0, 0, 0 is a place."
        )
    if empty:
        keep = [b for b, name in enumerate(samples.bodies) if name not in empty]
        notes.append(f"Left out, as they are never seen: {', '.join(empty)}.")
        samples = _only(samples, keep)
    samples, missing = evenly(samples.time, samples)
    if missing:
        notes.append(f"{missing} {'frame is' if missing == 1 else 'frames are'} missing from the file altogether.")
    seen = rows_known(samples.position)
    position, orientation, told = fill_gaps(samples, max_gap_s)
    notes += told
    capture = Capture(
        path.stem, samples.time, samples.bodies, samples.links, position, orientation, samples.joint_angle, seen,
        source=path.name, digest=digest,
    )  # fmt: skip
    notes += suspicions(capture)
    return Capture(
        capture.name, capture.time, capture.bodies, capture.links, capture.position, capture.orientation,
        capture.joint_angle, capture.measured, tuple(notes), capture.source, capture.digest,
    )  # fmt: skip


def _within_reason(path: Path, samples: Samples) -> None:
    """See that no number is beyond all measuring: squares and differences of such have no value."""
    limits = (("time", samples.time, _LATEST_S, "s"), ("place", samples.position, _FARTHEST_M, "m"))
    for what, values, most, unit in limits:
        size = np.abs(values[np.isfinite(values)])
        if size.size and size.max() > most:
            raise ExperimentError(
                f"{path}: there is a {what} of {size.max():.3g} {unit}; choose another unit or column."
            )


def _only(samples: Samples, keep: list[int]) -> Samples:
    return Samples(
        samples.time, tuple(samples.bodies[b] for b in keep), tuple(samples.links[b] for b in keep),
        samples.position[:, keep], None if samples.orientation is None else samples.orientation[:, keep],
        samples.joint_angle,
    )  # fmt: skip


def _in_order(path: Path, samples: Samples, notes: list[str]) -> Samples:
    """Rows with a time, each time once."""
    time = samples.time
    keep = np.isfinite(time)
    if np.count_nonzero(keep) < 2:
        raise ExperimentError(
            f"{path}: fewer than two rows have a time; choose another time column, delimiter or number of header rows."
        )
    if not keep.all():
        notes.append(f"{np.count_nonzero(~keep)} rows without a time were left out.")
    times = time[keep]
    steps = np.diff(times)
    if np.any(steps < 0.0):
        at = int(np.flatnonzero(steps < 0.0)[0])
        raise ExperimentError(
            f"{path}: the time goes back from {times[at]:g} to {times[at + 1]:g} s; choose another time column, "
            "or export the trials one by one."
        )
    if np.any(steps == 0.0):
        twice = np.flatnonzero(keep)[1:][steps == 0.0]
        keep[twice] = False
        notes.append(f"{len(twice)} rows with the same time as the row before were left out.")
        if np.count_nonzero(keep) < 2:
            raise ExperimentError(f"{path}: the time stands still; choose another time column or give the rate.")
    if keep.all():
        return samples
    return Samples(
        time[keep], samples.bodies, samples.links, samples.position[keep],
        None if samples.orientation is None else samples.orientation[keep],
        None if samples.joint_angle is None else samples.joint_angle[keep],
    )  # fmt: skip
