"""Alignment of a measured track with a run: time offset by correlation, frame by a planar rigid motion.

The clock of a capture starts when its computer is triggered (50 to 150 ms off the robot's on Aiko: P1
VIII-F 7, P2 VIII-E 1), and its frame is that of the cameras. The offset is determined first, from the
oscillation of the tracks, which neither frame nor friction changes much (`time_offset`). Then, at
that offset, rotation and translation are the rigid motion with the least mean square distance
(Procrustes, in closed form).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.time_offset import OffsetSearch, plane
from snakestudio.analysis.experiment.tracks import RunTracks
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import CENTRE_OF_MASS, Capture
from snakestudio.model.recording import Recording
from snakestudio.model.rotations import matrices, quaternions, rotation

_UNSURE_S = 0.03
"""Standard deviation of the offset above which it is reported, s."""


@dataclass(frozen=True, slots=True)
class AlignmentOptions:
    """Options for aligning a capture with a run."""

    offset_bounds_s: tuple[float, float] = (-0.5, 0.5)
    """Bounds of the time offset, s; equal bounds set it."""

    align_position: bool = True
    """Whether the capture is translated. False if it was measured in the frame of the run."""

    align_heading: bool = True
    """Whether the capture is rotated about the vertical. False if it was measured in the frame of the run."""

    over_s: float | None = None
    """Duration at the start of the common time over which the frame is aligned; None: all of it."""

    link: int | None = None
    """0-based link that is compared, -1 for the centre of mass; None: the links that the capture assigns to
    its bodies."""


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Alignment of a capture: x_run = R(heading) (x - pivot) + pivot + shift, t_run = t - begin + offset."""

    offset_s: float
    """Positive if the clock of the capture started after that of the run."""

    heading_rad: float
    """Rotation about the vertical through the pivot."""

    shift_m: FloatArray
    """Translation, m. Shape (3,)."""

    pivot_m: FloatArray
    """Centre of the rotation, m. Shape (3,)."""

    correlation: float
    """Correlation of the oscillations of both tracks at this offset, 0 to 1."""

    offset_std_s: float
    """Standard deviation of the offset, from the growth of the misfit around it; infinite if it is not
    determined."""

    pairs: tuple[tuple[int, int], ...]
    """Pairs of a body of the capture and the corresponding link of the run."""

    notes: tuple[str, ...] = ()
    """Remarks on doubtful results."""

    begin_s: float = 0.0
    """Subtracted from the times of the capture first: the start of its clock if that is far from the
    run."""

    def apply(self, capture: Capture) -> Capture:
        """Return the capture with times and positions in those of the run."""
        turn = rotation(self.heading_rad)
        position = (capture.position - self.pivot_m) @ turn.T + self.pivot_m + self.shift_m
        orientation = capture.orientation
        if orientation is not None:
            known = np.isfinite(orientation).all(axis=2)
            orientation = orientation.copy()
            orientation[known] = quaternions(turn @ matrices(orientation[known]))
        links = list(capture.links)
        for body, link in self.pairs:
            links[body] = link
        return replace(
            capture,
            time=capture.time - self.begin_s + self.offset_s,
            position=position,
            orientation=orientation,
            links=tuple(links),
        )


def tracked_pairs(
    capture: Capture, n_links: int, link: int | None
) -> tuple[tuple[tuple[int, int], ...], list[str]]:
    """Return the pairs of a body of a capture and a link of a run to compare, with remarks.

    Raises `ExperimentError` if there is no pair.
    """
    numbered = [(b, own) for b, own in enumerate(capture.links) if own is not None]
    if link is not None:
        own = [pair for pair in numbered if pair[1] == link]
        if own:
            return (own[0],), []
        if len(capture.bodies) == 1:
            return ((0, link),), []
        if not [b for b, known in enumerate(capture.links) if known is None]:
            known_links = ", ".join(_link_name(known) for _, known in numbered)
            raise ExperimentError(
                f"{capture.name}: No body is on {_link_name(link)}. Choose one of {known_links}."
            )
        first = next(b for b, known in enumerate(capture.links) if known is None)
        return ((first, link),), [
            f"No body is assigned to {_link_name(link)}; {capture.bodies[first]}, the first unassigned one, is used."
        ]
    first_of = {own: (b, own) for b, own in reversed(numbered) if own < n_links}
    if first_of:
        links = sorted(
            (pair for key, pair in first_of.items() if key != CENTRE_OF_MASS),
            key=lambda pair: pair[1],
        )
        return tuple(links) or (first_of[CENTRE_OF_MASS],), []
    if numbered:
        raise ExperimentError(
            f"{capture.name}: Its bodies are on links that the run's {n_links} links do not include. Choose the link."
        )
    middle = n_links // 2
    note = (
        f"{capture.bodies[0]} is not assigned to a link; link {middle + 1}, the middle one, is used "
        "(as on Aiko, P2 VIII-C). Choose the link if it is on another one."
    )
    return ((0, middle),), [note]


def _link_name(link: int) -> str:
    return "the centre of mass" if link == CENTRE_OF_MASS else f"link {link + 1}"


def align(
    recording: Recording | RunTracks, capture: Capture, options: AlignmentOptions | None = None
) -> Alignment:
    """Align a capture with a run.

    Raises `ExperimentError` if they overlap too little.

    Parameters
    ----------
    recording : Recording or RunTracks
        The run, or its tracks if several captures are aligned with it.
    """
    options = options or AlignmentOptions()
    low, high = options.offset_bounds_s
    if not -math.inf < low <= high < math.inf:
        raise ExperimentError(
            f"The bounds of the time offset, {low:g} and {high:g} s, are reversed. Swap them."
        )
    run = recording if isinstance(recording, RunTracks) else RunTracks(recording)
    pairs, notes = tracked_pairs(capture, run.n_links, options.link)
    seen = capture.time[capture.measured[:, [body for body, _ in pairs]].any(axis=1)]
    begin = own_beginning(seen, (float(run.time[0]), float(run.time[-1])), options.offset_bounds_s)
    if begin != 0.0:
        notes.append(
            f"The times begin at {seen[0]:.10g} s, far from the run ({run.time[0]:g} to {run.time[-1]:g} s); they are "
            "counted from their start."
        )
        capture = replace(capture, time=capture.time - begin)
    search = OffsetSearch(run, capture, pairs, options.align_heading)
    if high > low:
        offset, remarks = search.best(low, high)
        notes += remarks
    else:
        offset = low
    correlation = search.match(offset)
    std = search.deviation(offset) if high > low else 0.0
    if std > _UNSURE_S:
        size = "not at all" if std > 1.0 else f"only to within {std:.2g} s"
        notes.append(
            f"The tracks determine the time offset {size} (one standard deviation): the motion is too uniform, or they "
            "are too different. Narrow the bounds, or set the offset."
        )
    heading, shift, pivot = _frame(search.common(offset), options)
    return Alignment(offset, heading, shift, pivot, correlation, std, pairs, tuple(notes), begin)


def own_beginning(time: FloatArray, run: tuple[float, float], bounds: tuple[float, float]) -> float:
    """Return the start of measured times (k,) that are far from a run, to be subtracted; 0 if they are not far.

    They are far if no time offset in the bounds brings any of them into the run (start, end, in s).
    """
    inside = (time >= run[0] - bounds[1] - 1e-9) & (time <= run[1] - bounds[0] + 1e-9)
    return float(time[0]) - run[0] if len(time) and not inside.any() else 0.0


def _frame(
    parts: list[tuple[FloatArray, FloatArray, FloatArray]], options: AlignmentOptions
) -> tuple[float, FloatArray, FloatArray]:
    """Return the rotation, translation and pivot with the least mean square distance over the common times."""
    if options.over_s is not None:
        begin = min(float(part[0][0]) for part in parts)
        parts = [
            (time[early], position[early], run[early])
            for time, position, run in parts
            if np.any(early := time <= begin + options.over_s + 1e-9)
        ]
    measured = np.concatenate([position for _, position, _ in parts])
    simulated = np.concatenate([run for _, _, run in parts])
    pivot = measured.mean(axis=0) if options.align_position else measured[0]
    aim = simulated.mean(axis=0) if options.align_position else pivot
    heading = 0.0
    if options.align_heading:
        product = np.vdot(plane(measured - pivot), plane(simulated - aim))
        heading = float(np.angle(product)) if abs(product) > 0.0 else 0.0
    return heading, aim - pivot, pivot
