"""Warnings about implausible units of measured tracks, with remedies."""

from __future__ import annotations

import numpy as np

from snakestudio.model.capture import Capture
from snakestudio.text import capitalized

_FASTEST = 10.0
"""Speed that snake robots do not reach, m/s."""

_SMALLEST = 0.005
"""Size of a box around a track that is too small for a run, m."""

_LENGTHS = 50.0
"""Number of robot lengths that exceeds the width of a motion-capture hall."""

_ROBOT = 1.3
"""Default length of a robot, m."""


def suspicions(capture: Capture, robot_length_m: float | None = None) -> list[str]:
    """Return the signs of a wrong unit, one sentence each; empty if there are none.

    Parameters
    ----------
    robot_length_m : float, optional
        Length of the robot in the compared run.
    """
    length = robot_length_m or _ROBOT
    size = 0.0
    speeds = []
    for b in range(len(capture.bodies)):
        seen = capture.measured[:, b]
        if np.count_nonzero(seen) < 2:
            continue
        position = capture.position[seen, b]
        time = capture.time[seen]
        size = max(size, float(np.ptp(position, axis=0).max()))
        speeds.append(
            float(np.median(np.linalg.norm(np.diff(position, axis=0), axis=1) / np.diff(time)))
        )
    if not speeds:
        return []
    what = f"moves {size:.3g} m in {capture.duration:.3g} s"
    robot = f"a robot of {length:.3g} m"
    if size > _LENGTHS * length:
        unit = "millimetres" if size / 1000.0 > 0.01 * length else "centimetres"
        return [
            f"{capitalized(robot)} that {what}: are the values in {unit}? If so, choose that unit of length."
        ]
    if size < _SMALLEST:
        return [
            f"The track {what}, which is very little: is the unit of length too small? Try metres."
        ]
    if max(speeds) > _FASTEST:
        return [
            f"The track {what}, at {max(speeds):.3g} m/s: is the time in another unit, or are these millimetres? "
            "If so, choose that unit."
        ]
    if capture.rate > 5000.0 or capture.rate < 1.0:
        return [
            f"There are {capture.rate:.3g} rows per second: is the time in another unit? If so, choose it."
        ]
    return []
