"""Shapes of a scene's links and joints for this formulation, in plain numpy without compiled code."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.model.robot.robot import Joint, Robot

BODY_AXIS = {"yaw": Z, "pitch": Y, "roll": X}
"""Body axis of each kind of joint axis."""


def link_values(robot: Robot, name: str) -> FloatArray:
    """Return a value of all links, (n,), by its name in `Link`."""
    return np.array([getattr(link, name) for link in robot.links], dtype=np.float64)


def arms(robot: Robot) -> tuple[FloatArray, FloatArray]:
    """Return distances from the centres of mass of all links to the joints behind and ahead, each (n,), m.

    The yaw axis of a joint with an offset is half the offset ahead of the end of the link ahead,
    the pitch axis half of it behind. At a free end of the robot, the next joint is repeated.
    """
    offsets = [joint.axis_offset for joint in robot.joint_list] or [robot.axis_offset_m]
    behind = np.array([offsets[0], *offsets])
    ahead = np.array([*offsets, offsets[-1]])
    length = link_values(robot, "length")
    shift = link_values(robot, "centre_of_mass")
    n = robot.n_links
    return 0.5 * (length - behind[:n]) + shift, 0.5 * (length - ahead[:n]) - shift


def contact_segments(robot: Robot) -> tuple[FloatArray, FloatArray]:
    """Return signed positions of the centres of the rear and front spheres, from the centres of mass, each (n,), m."""
    half = link_values(robot, "contact_half_length")
    shift = link_values(robot, "centre_of_mass")
    return -half - shift, half - shift


def joint_axes(joint: Joint, ahead: FloatArray, behind: FloatArray) -> FloatArray:
    """Return unit vectors of the axes of a joint, (3, 3), in their order; zeros for axes that it lacks.

    `ahead` and `behind` (3, 3) are the orientations of the links at the joint, body axes as
    columns.
    """
    result = np.zeros((3, 3))
    for row, name in zip(result, joint.axes, strict=False):
        row[:] = ahead[:, BODY_AXIS[name]]
        if name == "roll" or (name == "pitch" and joint.axes == ("yaw", "pitch")):
            row[:] = behind[:, BODY_AXIS[name]]
        elif name == "pitch" and "yaw" in joint.axes:
            across = np.cross(ahead[:, Z], behind[:, X])
            row[:] = across / max(float(np.linalg.norm(across)), 1e-12)
    return result


def missing_turn(joint: Joint, ahead: FloatArray, behind: FloatArray) -> float:
    """Return the relative rotation of the links at a joint about axes that it lacks, rad."""
    names = joint.axes
    if len(names) == 3:
        return 0.0
    if len(names) == 2:  # the first turns with the link ahead, the second with the one behind
        first = ahead[:, BODY_AXIS[names[0]]]
        second = behind[:, BODY_AXIS[names[1]]]
        return float(abs(np.arcsin(np.clip(first @ second, -1.0, 1.0))))
    if len(names) == 1:
        one = ahead[:, BODY_AXIS[names[0]]]
        other = behind[:, BODY_AXIS[names[0]]]
        return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))
    turn = ahead.T @ behind
    sine = 0.5 * np.linalg.norm(
        [turn[Z, Y] - turn[Y, Z], turn[X, Z] - turn[Z, X], turn[Y, X] - turn[X, Y]]
    )
    return float(np.arctan2(sine, 0.5 * (np.trace(turn) - 1.0)))
