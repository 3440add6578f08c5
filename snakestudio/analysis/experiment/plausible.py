"""Doubts about the units of measured tracks, as sentences with what to do."""

from __future__ import annotations

import numpy as np

from snakestudio.model.capture import Capture
from snakestudio.text import capitalized

_FASTEST = 10.0
"""Speed that no snake robot reaches, m/s."""

_SMALLEST = 0.005
"""A track within a box of this size, m, is no run."""

_LENGTHS = 50.0
"""So many lengths of a robot are further than a motion-capture hall is wide."""

_ROBOT = 1.3
"""Length of a robot where no other one is known, m."""


def suspicions(capture: Capture, robot_length_m: float | None = None) -> list[str]:
    """What looks like a wrong unit, one sentence each; empty if nothing does.

    Parameters
    ----------
    robot_length_m : float, optional
        Length of the robot of the run that it is compared with.
    """
    length = robot_length_m or _ROBOT
    size = 0.0
    speeds = []
    for b in range(len(capture.bodies)):
        seen = capture.measured[:, b]
        if np.count_nonzero(seen) < 2:
            continue
        place = capture.position[seen, b]
        time = capture.time[seen]
        size = max(size, float(np.ptp(place, axis=0).max()))
        speeds.append(
            float(np.median(np.linalg.norm(np.diff(place, axis=0), axis=1) / np.diff(time)))
        )
    if not speeds:
        return []
    what = f"moves {size:.3g} m in {capture.duration:.3g} s"
    robot = f"a robot of {length:.3g} m"
    if size > _LENGTHS * length:
        unit = "millimetres" if size / 1000.0 > 0.01 * length else "centimetres"
        return [
            f"{capitalized(robot)} that {what}: are these {unit}? Then choose that unit of length."
        ]
    if size < _SMALLEST:
        return [
            f"The track {what}, next to nothing: is the unit of length too small? Metres may be right."
        ]
    if max(speeds) > _FASTEST:
        return [
            f"The track {what}, at {max(speeds):.3g} m/s: is the time in another unit, or are these millimetres? "
            "Then choose that unit."
        ]
    if capture.rate > 5000.0 or capture.rate < 1.0:
        return [
            f"There are {capture.rate:.3g} rows a second: is the time in another unit? Then choose that unit."
        ]
    return []
