"""Lay a measured track over a run: the time offset by correlation, the frame by a rigid motion in the plane.

A capture's clock starts when its computer is told to (50 to 150 ms off the robot's on Aiko: P1
VIII-F 7, P2 VIII-E 1), and its frame is that of the cameras. The offset is sought first, by what
neither frame nor friction changes much: the oscillation of the tracks (`offset_search`). Then, at
that offset, turn and shift are the rigid motion with the least mean square distance (Procrustes, in
closed form).
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
"""A standard deviation of the offset above this is worth a sentence, s."""


@dataclass(frozen=True, slots=True)
class AlignmentOptions:
    """How a capture is laid over a run."""

    offset_bounds_s: tuple[float, float] = (-0.5, 0.5)
    """Within which the time offset is sought, s; twice the same: it is given."""

    align_position: bool = True
    align_heading: bool = True
    """`align_position` and `align_heading`: whether the capture is shifted, and turned about the
    vertical. False where it was measured in the run's frame."""

    over_s: float | None = None
    """Shift and turn are those of the first so many seconds that both have; None: of all."""

    link: int | None = None
    """0-based link that is compared, -1 for the centre of mass; None: what the capture says, for
    all of its bodies."""


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How a capture lies over a run: x_run = R(heading) (x - pivot) + pivot + shift, t_run = t - begin + offset."""

    offset_s: float
    """A positive one: the capture's clock started after the run's."""

    heading_rad: float
    """Turn about the vertical through the pivot."""

    shift_m: FloatArray
    pivot_m: FloatArray
    """`shift_m` and `pivot_m`: shape (3,)."""

    correlation: float
    """Of the oscillations of both tracks at this offset, 0 to 1."""

    offset_std_s: float
    """Standard deviation of the offset, from how the misfit grows around it; infinite where nothing
    determines it."""

    pairs: tuple[tuple[int, int], ...]
    """Body of the capture and link of the run that belong together."""

    notes: tuple[str, ...] = ()
    """What is doubtful about it, in sentences."""

    begin_s: float = 0.0
    """What is subtracted from the capture's times first: where its clock begins, if that is far
    from the run."""

    def apply(self, capture: Capture) -> Capture:
        """The capture with times and places in those of the run."""
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
    """Which body of a capture is compared with which link of a run, and what is to be said about it.

    Raises `ExperimentError` if no body can be.
    """
    numbered = [(b, own) for b, own in enumerate(capture.links) if own is not None]
    if link is not None:
        own = [pair for pair in numbered if pair[1] == link]
        if own:
            return (own[0],), []
        if len(capture.bodies) == 1:
            return ((0, link),), []
        if not [b for b, known in enumerate(capture.links) if known is None]:
            given = ", ".join(_link_name(known) for _, known in numbered)
            raise ExperimentError(
                f"{capture.name}: no body sits on {_link_name(link)}; give one of {given}."
            )
        first = next(b for b, known in enumerate(capture.links) if known is None)
        return ((first, link),), [
            f"No body is said to sit on {_link_name(link)}; {capture.bodies[first]}, the first without one, is taken."
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
            f"{capture.name}: its bodies sit on links that the run's {n_links} links do not have; give the link."
        )
    middle = n_links // 2
    note = (
        f"{capture.bodies[0]} carries no number of a link; link {middle + 1}, the middle one, is taken "
        "(as on Aiko, P2 VIII-C). Give the link if it sits on another one."
    )
    return ((0, middle),), [note]


def _link_name(link: int) -> str:
    return "the centre of mass" if link == CENTRE_OF_MASS else f"link {link + 1}"


def align(
    recording: Recording | RunTracks, capture: Capture, options: AlignmentOptions | None = None
) -> Alignment:
    """Lay a capture over a run.

    Raises `ExperimentError` if they have too little in common.

    Parameters
    ----------
    recording : Recording or RunTracks
        The run; its tracks where several captures are laid over the same one.
    """
    options = options or AlignmentOptions()
    low, high = options.offset_bounds_s
    if not -math.inf < low <= high < math.inf:
        raise ExperimentError(
            f"The bounds of the time offset, {low:g} and {high:g} s, are the wrong way round."
        )
    run = recording if isinstance(recording, RunTracks) else RunTracks(recording)
    pairs, notes = tracked_pairs(capture, run.n_links, options.link)
    seen = capture.time[capture.measured[:, [body for body, _ in pairs]].any(axis=1)]
    begin = own_beginning(seen, (float(run.time[0]), float(run.time[-1])), options.offset_bounds_s)
    if begin != 0.0:
        notes.append(
            f"Its times begin at {seen[0]:.10g} s, far from the run ({run.time[0]:g} to {run.time[-1]:g} s), so they "
            "count from its own beginning."
        )
        capture = replace(capture, time=capture.time - begin)
    search = OffsetSearch(run, capture, pairs, options.align_heading)
    if high > low:
        offset, told = search.best(low, high)
        notes += told
    else:
        offset = low
    found = search.match(offset)
    std = search.deviation(offset) if high > low else 0.0
    if std > _UNSURE_S:
        size = "not at all" if std > 1.0 else f"only to within {std:.2g} s"
        notes.append(
            f"The tracks determine the time offset {size} (one standard deviation): the motion is too even, or the two "
            "are too unlike. Narrow the bounds, or give the offset."
        )
    heading, shift, pivot = _frame(search.common(offset), options)
    return Alignment(offset, heading, shift, pivot, found, std, pairs, tuple(notes), begin)


def own_beginning(time: FloatArray, run: tuple[float, float], bounds: tuple[float, float]) -> float:
    """What is to be subtracted from measured times (k,) that are far from a run; 0 where they are not.

    They are far if none can lie within the run (from, to, in s) at any time offset within the
    bounds.
    """
    inside = (time >= run[0] - bounds[1] - 1e-9) & (time <= run[1] - bounds[0] + 1e-9)
    return float(time[0]) - run[0] if len(time) and not inside.any() else 0.0


def _frame(
    parts: list[tuple[FloatArray, FloatArray, FloatArray]], options: AlignmentOptions
) -> tuple[float, FloatArray, FloatArray]:
    """Turn, shift and pivot with the least mean square distance of what both have in common."""
    if options.over_s is not None:
        begin = min(float(part[0][0]) for part in parts)
        parts = [
            (time[early], place[early], run[early])
            for time, place, run in parts
            if np.any(early := time <= begin + options.over_s + 1e-9)
        ]
    measured = np.concatenate([place for _, place, _ in parts])
    simulated = np.concatenate([run for _, _, run in parts])
    pivot = measured.mean(axis=0) if options.align_position else measured[0]
    aim = simulated.mean(axis=0) if options.align_position else pivot
    heading = 0.0
    if options.align_heading:
        product = np.vdot(plane(measured - pivot), plane(simulated - aim))
        heading = float(np.angle(product)) if abs(product) > 0.0 else 0.0
    return heading, aim - pivot, pivot
