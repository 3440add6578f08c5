"""Overlay of a measured trial in the viewport: track, measured robot, and distances from the run."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.overlays import Ghost, MeasuredLine
from snakestudio.drawing.style import Colour
from snakestudio.model.body import ChainBody
from snakestudio.model.robot.robot import Robot
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.viewmodel.experiment.motion import Instant, Motion, whole_robot

Pairs = tuple[tuple[int, int], ...]
"""Pairs of a body of a capture and the 0-based link of the run that carries it (-1: centre of mass)."""

_MOST_LINES = 3
"""Largest number of bodies whose tracks are all drawn; of more bodies, only the middle one has a track
and the others are points."""

_OPACITY = 0.4


def simulated_place(snapshot: Snapshot, link: int) -> FloatArray | None:
    """Return the simulated position of a link (0-based; -1: centre of mass), (3,), m; None if unknown."""
    if Fields.POSE not in snapshot.valid or not link < snapshot.n_links:
        return None
    position = snapshot.link_pose[link, :3] if link >= 0 else snapshot.centre_of_mass
    return np.asarray(position, float) if np.isfinite(position).all() else None


def _gaps(motion: Motion, time: float, snapshot: Snapshot, pairs: Pairs) -> list[FloatArray]:
    """Return the simulated and measured positions of each pair with both known, (2, 3) each, m."""
    instant = motion.at(time)
    if instant is None:
        return []
    ends = [(simulated_place(snapshot, link), instant.position[body]) for body, link in pairs]
    return [
        np.vstack([own, seen]) for own, seen in ends if own is not None and np.isfinite(seen).all()
    ]


def distance(motion: Motion, time: float, snapshot: Snapshot, pairs: Pairs) -> float | None:
    """Return the RMS horizontal distance between measured and simulated positions, m; None if unknown.

    Parameters
    ----------
    motion : Motion
        Motion of the trial, aligned with the run.
    time : float
        Time of the trial that corresponds to the shown time of the run, s.
    snapshot : Snapshot
        Shown state of the run.
    """
    off = [
        float(np.linalg.norm((ends[1] - ends[0])[:2]))
        for ends in _gaps(motion, time, snapshot, pairs)
    ]
    return float(np.sqrt(np.mean(np.square(off)))) if off else None


def trial_tracks(
    motion: Motion,
    time: float,
    snapshot: Snapshot,
    pairs: Pairs,
    colours: tuple[Colour, Colour],
    heading_length: float,
    lift: float,
) -> list[MeasuredLine]:
    """Return lines and points of a trial.

    Parameters
    ----------
    motion, time, snapshot, pairs
        As for `distance`.
    colours : (Colour, Colour)
        Colours of the trial, and of the lines from simulated to measured positions.
    heading_length : float
        Length of the line that shows the direction of the x axis of a body, m; negative for the
        opposite direction.
    lift : float
        Height above the positions, m, so that everything is drawn on the robot's back and not
        hidden inside it.
    """
    capture = motion.capture
    (colour, error_colour) = colours
    count = len(capture.bodies)
    chosen = pairs[len(pairs) // 2][0] if pairs else 0
    bodies = range(count) if count <= _MOST_LINES else (chosen,)
    tracks = [motion.line(body, colour, 2.5 if body == chosen else 1.5, lift) for body in bodies]
    up = np.array([0.0, 0.0, lift])
    instant = motion.at(time)
    if instant is None:
        return tracks
    tracks += _headings(instant, colour, heading_length, up)
    tracks += [
        MeasuredLine(ends + up, error_colour, width=3.0, opacity=1.0)
        for ends in _gaps(motion, time, snapshot, pairs)
    ]
    tracks.append(MeasuredLine(np.zeros((0, 3)), colour, marks=instant.position + up))
    return tracks


def _headings(
    instant: Instant, colour: Colour, length: float, up: FloatArray
) -> list[MeasuredLine]:
    """Return the lines that show the direction of each body with known orientation."""
    if instant.orientation is None:
        return []
    w, x, y, z = instant.orientation.T
    ahead = np.column_stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    return [
        MeasuredLine(np.vstack([start, start + length * direction]) + up, colour, width=2.0)
        for start, direction in zip(instant.position, ahead, strict=True)
    ]


def ghost(motion: Motion, time: float, robot: Robot, colour: Colour) -> Ghost | None:
    """Return the measured robot as a ghost; None if too little is known."""
    instant = motion.at(time)
    if instant is None:
        return None
    pose = whole_robot(instant, motion.capture.links, robot)
    return None if pose is None else Ghost(pose, colour, _OPACITY, ChainBody(robot))
