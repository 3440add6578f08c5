"""Data for all plots of a fit: both runs of a fitted trial and the measurement in one frame, from above."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.fitting.misfit import Misfit
from snakestudio.analysis.fitting.result import TrialOutcome
from snakestudio.analysis.fitting.tracks import CENTRE_OF_MASS, Track
from snakestudio.model.recording import Recording


@dataclass(frozen=True, slots=True, eq=False)
class FitPlotData:
    """A trial in the frame of the fitted run.

    The run before the fit is also aligned with the measurement in the best way, so that the plot shows errors
    of its motion and not of the camera frame.
    """

    link: int | None
    """0-based tracked link of the paths (`CENTRE_OF_MASS` for the centre of mass); None if no position
    was measured."""

    measured: FloatArray
    """Measured path, m; empty without such a link. Shape (k, 2)."""

    before: FloatArray
    """Path with the scene's own values, m; empty without such a link. Shape (k, 2)."""

    after: FloatArray
    """Path with the fitted values, m; empty without such a link. Shape (k, 2)."""

    places: FloatArray
    """Last measured positions of the tracked links, m. Shape (b, 2)."""

    pose_before: FloatArray
    """Positions of the links with the scene's own values at that time, m. Shape (n, 2)."""

    pose_after: FloatArray
    """Positions of the links with the fitted values at that time, m. Shape (n, 2)."""

    instant: float
    """Time of `places`, in the clock of the fitted run, s."""

    time_before: FloatArray
    """Times of `distance_before`, s. Shape (t,)."""

    distance_before: FloatArray
    """Root mean square distance with the initial values, m. Shape (t,)."""

    time_after: FloatArray
    """Times of `distance_after`, s. Shape (t,)."""

    distance_after: FloatArray
    """Root mean square distance with the fitted values, m. Shape (t,)."""

    @property
    def link_name(self) -> str:
        """Name of the tracked link."""
        if self.link is None:
            return ""
        return "centre of mass" if self.link == CENTRE_OF_MASS else f"link {self.link + 1}"


def pictured(outcome: TrialOutcome) -> FitPlotData:
    """Prepare a trial for plots."""
    trial = outcome.trial
    one = outcome.misfit_before
    other = outcome.misfit_after
    tracks = [track for track in trial.tracks if isinstance(track, Track) and track.used.any()]
    nothing = np.zeros((0, 2))
    courses = (one.time, one.distance, other.time, other.distance)
    instant = float(other.time[-1])
    pose = [
        _moved(_links_at(run, instant - misfit.offset_s + m.offset_s), m, other)
        for run, misfit, m in ((outcome.before, other, one), (outcome.after, other, other))
    ]
    if not tracks:
        return FitPlotData(
            None, nothing, nothing, nothing, nothing, pose[0], pose[1], instant, *courses
        )
    head = trial.scene.robot.head_index
    chosen = min(tracks, key=lambda track: (track.link == CENTRE_OF_MASS, abs(track.link - head)))
    clock = float(other.time[-1]) - other.offset_s
    last = [
        track.position[track.used][-1, :2]
        for track in tracks
        if track.time[track.used][-1] > clock - 1e-9
    ]
    return FitPlotData(
        chosen.link,
        other.placed(chosen.position[chosen.used][:, :2]),
        _moved(_path(outcome.before, chosen.link, one.time), one, other),
        _path(outcome.after, chosen.link, other.time),
        other.placed(np.array(last)),
        pose[0],
        pose[1],
        instant,
        *courses,
    )


def _moved(points: FloatArray, own: Misfit, other: Misfit) -> FloatArray:
    """Transform positions from the frame of one run to that of another, using their alignments."""
    return points if own is other else other.placed(own.unplaced(points))


def _path(recording: Recording, link: int, time: FloatArray) -> FloatArray:
    """Return the path of a link over the times of the measurement, (k, 2)."""
    parts = []
    for rows in recording.chunks():
        seen = (rows.time >= time[0]) & (rows.time <= time[-1])
        places = rows.link_pose[seen, :, :2]
        if link == CENTRE_OF_MASS:
            parts.append(np.einsum("n,kna->ka", recording.schema.mass_shares, places))
        else:
            parts.append(places[:, link])
    return np.concatenate(parts)


def _links_at(recording: Recording, time: float) -> FloatArray:
    """Return the positions of all links at a time, (n, 2)."""
    row = recording.index_at(time)
    places: FloatArray = recording.rows(row, row + 1).link_pose[0, :, :2]
    return places
