"""Initial state of an imported robot: straight, or in the pose of the file's keyframe."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import JointAnglesStart, StraightStart
from snakestudio.model.robot.chain import height_of_lowest
from snakestudio.model.robot.pose import initial_state, joint_lists
from snakestudio.model.robot.robot import Robot
from snakestudio.model.rotations import matrices, quaternions, roll_pitch_yaw
from snakestudio.model.scene import Scene
from snakestudio.robot_files.alignment import Alignment
from snakestudio.robot_files.chain import Chain
from snakestudio.robot_files.compact import plain
from snakestudio.robot_files.description import Placement
from snakestudio.robot_files.joint_values import AxisFields
from snakestudio.robot_files.link_values import LinkValues
from snakestudio.robot_files.notes import Notes

_DEEP = 1e-4
"""Depth in the ground at the start above which the robot is moved onto it, m."""


def posed(
    straight: StraightStart,
    base: Placement | None,
    robot: Robot,
    chain: Chain,
    alignment: Alignment,
    links: Sequence[LinkValues],
    axes: Sequence[AxisFields],
    notes: Notes,
) -> StraightStart | JointAnglesStart:
    """Start in the pose of the keyframe; `straight` if the file has none, or one that only keeps the base.

    Parameters
    ----------
    straight : StraightStart
        The start without a keyframe.
    base : Placement or None
        Motion of the base from its pose in the file; None: the robot is where `straight` has it.
    robot : Robot
        The imported robot.
    chain, alignment, links, axes
        Intermediate results of the import.
    notes : Notes
        Notes, for a pose beyond joint limits.
    """
    angles = np.array(
        [_within_stops(axis, hinge.joint.start, notes) for axis, hinge in _pairs(alignment, axes)]
    )
    bent = bool((np.abs(angles) > 1e-9).any())
    if base is None and not bent:
        return straight
    declared = next(
        (kind, declared) for kind, declared in FORMULATIONS.items() if declared.fields.spatial
    )
    scene = Scene(model=declared[1].fields(kind=declared[0]), robot=robot)
    values: dict[str, Any] = {
        "link": straight.link,
        "heading_deg": straight.heading_deg,
        "z_m": None,
    }
    if base is not None:
        values = _placed(base, chain, alignment, links)
    if bent:
        values |= {
            name: tuple(round(angle, 9) + 0.0 for angle in list_values)
            for name, list_values in joint_lists(scene, angles).items()
        }
    start = JointAnglesStart(**values) if bent else StraightStart(**values)
    pose, _ = initial_state(scene.model_copy(update={"start": start}))
    if height_of_lowest(pose[:, :3], matrices(pose[:, 3:]), robot) > _DEEP:
        if values["z_m"] is not None:
            notes.add("", "The keyframe has the robot in the ground; here it lies on the ground")
        start = start.model_copy(update={"z_m": None})
    return start


def _pairs(alignment: Alignment, axes: Sequence[AxisFields]) -> Any:
    return zip(axes, [hinge for joint in alignment.joints for hinge in joint.hinges], strict=True)


def _within_stops(axis: AxisFields, start: float, notes: Notes) -> float:
    """Angle of an axis in the scene, rad."""
    angle = axis.zero + axis.sign * start if start else 0.0
    lower = -math.inf if axis.lower is None else axis.lower
    upper = math.inf if axis.upper is None else axis.upper
    if not lower - 1e-9 <= angle <= upper + 1e-9:
        notes.add(
            axis.name,
            "the keyframe has it beyond its limits; it starts at the limit",
            "beyond stops",
        )
    return min(max(angle, lower), upper)


def _placed(
    base: Placement, chain: Chain, alignment: Alignment, links: Sequence[LinkValues]
) -> dict[str, Any]:
    """Values that place the link with the file's base as in the keyframe."""
    link = 0
    while link < len(chain.hinges) and chain.hinges[link][0].backward:
        link += 1
    middle = alignment.middle(link, links[link].length)
    centre = middle + links[link].centre * alignment.frames[link][:, 0]
    centre = base.position + base.rotation @ centre
    turn = quaternions((base.rotation @ alignment.frames[link])[None])[0]
    roll, pitch, yaw = (
        plain(round(math.degrees(angle), 9)) + 0.0 for angle in roll_pitch_yaw(turn)
    )
    x, y, z = (plain(round(float(value), 9)) + 0.0 for value in centre)
    return {
        "link": link + 1,
        "x_m": x,
        "y_m": y,
        "z_m": z,
        "heading_deg": yaw,
        "pitch_deg": pitch,
        "roll_deg": roll,
    }
