"""What of a measured trial the viewport draws: its track, where the robot was, and how far that is from the run."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.overlays import Ghost, Track
from snakestudio.drawing.style import Colour
from snakestudio.model.body import ChainBody
from snakestudio.model.robot.robot import Robot
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.viewmodel.experiment.motion import Instant, Motion, whole_robot

Pairs = tuple[tuple[int, int], ...]
"""Body of a capture and 0-based link of the run (-1: the centre of mass) that belong together."""

_MOST_LINES = 3
"""Bodies whose tracks are drawn; of more there is that of one in the middle alone, and the rest are
points."""

_OPACITY = 0.4


def simulated_place(snapshot: Snapshot, link: int) -> FloatArray | None:
    """Where a link (0-based; -1: the centre of mass) is in the run, (3,), m; None if that is not known."""
    if Fields.POSE not in snapshot.valid or not link < snapshot.n_links:
        return None
    place = snapshot.link_pose[link, :3] if link >= 0 else snapshot.centre_of_mass()
    return np.asarray(place, float) if np.isfinite(place).all() else None


def _gaps(motion: Motion, time: float, snapshot: Snapshot, pairs: Pairs) -> list[FloatArray]:
    """From the simulated to the measured place of every pair that both are known of, (2, 3) each, m."""
    instant = motion.at(time)
    if instant is None:
        return []
    ends = [(simulated_place(snapshot, link), instant.position[body]) for body, link in pairs]
    return [
        np.vstack([own, seen]) for own, seen in ends if own is not None and np.isfinite(seen).all()
    ]


def distance(motion: Motion, time: float, snapshot: Snapshot, pairs: Pairs) -> float | None:
    """Distance on the ground between measured and simulated places, m (root mean square); None if none is known.

    Parameters
    ----------
    motion : Motion
        Of the trial, in the places of the run.
    time : float
        Its time that belongs to the shown instant, s.
    snapshot : Snapshot
        What the run shows.
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
) -> list[Track]:
    """Lines and points of a trial.

    Parameters
    ----------
    motion, time, snapshot, pairs
        As for `distance`.
    colours : (Colour, Colour)
        Of the trial, and of the lines from simulated to measured places.
    heading_length : float
        How long the stroke is that shows where a body points, along its x axis, m; negative:
        against it.
    lift : float
        How far above the places everything is drawn, m: on the robot's back, or it would be hidden
        inside it.
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
        Track(ends + up, error_colour, width=3.0, opacity=1.0)
        for ends in _gaps(motion, time, snapshot, pairs)
    ]
    tracks.append(Track(np.zeros((0, 3)), colour, marks=instant.position + up))
    return tracks


def _headings(instant: Instant, colour: Colour, length: float, up: FloatArray) -> list[Track]:
    """A stroke ahead of every body whose attitude is known."""
    if instant.orientation is None:
        return []
    w, x, y, z = instant.orientation.T
    ahead = np.column_stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    return [
        Track(np.vstack([start, start + length * way]) + up, colour, width=2.0)
        for start, way in zip(instant.position, ahead, strict=True)
    ]


def ghost(motion: Motion, time: float, robot: Robot, colour: Colour) -> Ghost | None:
    """The whole measured robot; None where too little of it is known."""
    instant = motion.at(time)
    if instant is None:
        return None
    pose = whole_robot(instant, motion.capture.links, robot)
    return None if pose is None else Ghost(pose, colour, _OPACITY, ChainBody(robot))
