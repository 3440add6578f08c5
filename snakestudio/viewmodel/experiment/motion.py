"""Interpolated motion of a measured robot, and poses of all its links if they are known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.drawing.overlays import MeasuredLine
from snakestudio.drawing.style import Colour
from snakestudio.model.capture import Capture
from snakestudio.model.robot.chain import chain
from snakestudio.model.robot.joint_axes import from_pairs
from snakestudio.model.robot.robot import Robot
from snakestudio.model.rotations import matrices, quaternions, rotation


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """State of a measured robot at one time."""

    position: FloatArray
    """Positions of the bodies, m; NaN where unknown. Shape (b, 3)."""

    orientation: FloatArray | None
    """Unit quaternions w x y z of the bodies. Shape (b, 4)."""

    joint_angle: FloatArray | None
    """Yaw and pitch angles of the joints, rad. Shape (n-1, 2)."""

    measured: BoolArray
    """Whether each body was measured; False where a gap was filled. Shape (b,)."""


class Motion:
    """Capture aligned with a run, interpolated between its rows."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self._lines: dict[tuple[int, Colour, float, float], MeasuredLine] = {}

    def line(self, body: int, colour: Colour, width: float, lift: float) -> MeasuredLine:
        """Return the track of a body, raised by `lift` (m), dashed where gaps were filled.

        The same object is returned for the same arguments, so that renderers can cache it.
        """
        key = body, colour, width, lift
        if key not in self._lines:
            seen = self.capture.measured[:, body]
            points = self.capture.position[:, body] + [0.0, 0.0, lift]
            self._lines[key] = MeasuredLine(points, colour, ~(seen[1:] & seen[:-1]), width)
        return self._lines[key]

    def at(self, time: float) -> Instant | None:
        """Return the state at a time, s; None half a sample before the first and after the last row."""
        c = self.capture
        if not len(c.time):
            return None
        nearest = float(np.clip(time, c.time[0], c.time[-1]))
        half = 0.5 * float(c.time[-1] - c.time[0]) / max(len(c.time) - 1, 1)
        if nearest != time and abs(nearest - time) >= half:
            return None
        time = nearest
        after = int(
            np.clip(np.searchsorted(c.time, time, side="right"), 1, max(len(c.time) - 1, 1))
        )
        before = after - 1
        after = min(after, len(c.time) - 1)
        span = float(c.time[after] - c.time[before])
        fraction = (time - float(c.time[before])) / span if span > 0 else 0.0

        def between(values: FloatArray) -> FloatArray:
            if fraction == 0.0:  # exactly this row, so unknown values of the next one do not matter
                return np.asarray(values[before], float)
            middle: FloatArray = (1.0 - fraction) * values[before] + fraction * values[after]
            return middle

        orientation = None
        if c.orientation is not None:
            first = c.orientation[before]
            second = c.orientation[after]
            # q and -q are the same orientation; the nearer one gives the shorter rotation.
            second = np.where(np.sum(first * second, axis=1, keepdims=True) < 0, -second, second)
            mixed = (
                (1.0 - fraction) * first + fraction * second
                if fraction
                else np.asarray(first, float)
            )
            with np.errstate(invalid="ignore", divide="ignore"):
                orientation = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        return Instant(
            between(c.position),
            orientation,
            None if c.joint_angle is None else between(c.joint_angle),
            c.measured[before] & c.measured[after],
        )


def whole_robot(instant: Instant, links: tuple[int | None, ...], robot: Robot) -> FloatArray | None:
    """Return the poses (n, 7) of all links of a measured robot; None if too little is known.

    All poses are known if each link has a body (without orientations, links are assumed to lie
    along the line through the bodies), or if the orientation of one body and all joint angles are
    known.
    """
    n = robot.n_links
    if set(range(n)) <= set(links):
        return _of_all_links(instant, [links.index(link) for link in range(n)])
    angles = instant.joint_angle
    if (
        angles is None
        or len(angles) != n - 1
        or not np.isfinite(angles).all()
        or instant.orientation is None
    ):
        return None
    for body, link in enumerate(links):
        known = (
            np.isfinite(instant.position[body]).all()
            and np.isfinite(instant.orientation[body]).all()
        )
        if link is not None and 0 <= link < n and known:
            centres, turns = chain(np.eye(3), from_pairs(angles, robot.axes), robot, robot.axes)
            turn = matrices(instant.orientation[body][None])[0] @ turns[link].T
            pose = np.empty((n, 7))
            pose[:, :3] = instant.position[body] + (centres - centres[link]) @ turn.T
            pose[:, 3:] = quaternions(turn @ turns)
            return pose
    return None


def _of_all_links(instant: Instant, bodies: list[int]) -> FloatArray | None:
    position = instant.position[bodies]
    if instant.orientation is not None:
        return np.hstack([position, instant.orientation[bodies]])
    if len(position) < 2 or not np.isfinite(position).all():
        return None
    along = np.gradient(position, axis=0)
    turns = np.array([_pointing(x, y, z) for x, y, z in np.asarray(along).tolist()])
    return np.hstack([position, quaternions(turns)])


def _pointing(x: float, y: float, z: float) -> FloatArray:
    """Return the rotation matrix (3, 3) of a link that points along a vector without roll."""
    return rotation(math.atan2(y, x), -math.atan2(z, math.hypot(x, y)))
