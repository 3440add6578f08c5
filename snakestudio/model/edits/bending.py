"""Bending of the robot's start at a joint: one part of the chain stays in place, the other turns about the joint."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.edits.pose import (
    as_joint_angles,
    as_state,
    changed_start,
    placed_at,
    tidy,
    with_start,
)
from snakestudio.model.motion import (
    JointAnglesStart,
    LinkAnglesStart,
    RecordingStart,
    StateStart,
    WrappedStart,
)
from snakestudio.model.robot.joint_axes import entry_of
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.robot.robot import Robot
from snakestudio.model.rotations import matrices, quaternions
from snakestudio.model.scene import Scene

Axis = Literal["yaw", "pitch", "roll"]
"""Kind of an axis of a joint; planar models only have yaw."""


def angle_limits(scene: Scene, joint: int, axis: Axis) -> tuple[float, float]:
    """Return the range of the angle of a joint (0-based), rad: its limits, or half a turn to either side."""
    entry = entry_of(scene.body.axes, joint, axis)
    values = scene.axis_values
    return max(float(values.lower[entry]), -math.pi), min(float(values.upper[entry]), math.pi)


def turns_behind(robot: Robot, joint: int) -> bool:
    """Return whether the links after a joint (0-based) are the part that turns.

    The shorter part turns; in the middle, the one away from the head.
    """
    before = joint + 1
    after = robot.n_links - 1 - joint
    return robot.head == "first" if before == after else after < before


def joint_points(pose: FloatArray, robot: Robot) -> FloatArray:
    """Return the positions of the first axes of the joints, (n-1, 3), m.

    Parameters
    ----------
    pose : (n, 7) array
        As in `Snapshot`.
    """
    links = robot.links[:-1]
    offset = np.array([joint.axis_offset for joint in robot.joint_list])
    arm = 0.5 * (np.array([link.length for link in links]) - offset) - np.array(
        [link.centre_of_mass for link in links]
    )
    points: FloatArray = pose[:-1, :3] + arm[:, None] * matrices(pose[:-1, 3:])[:, :, 0]
    return points


def joint_axis(
    pose: FloatArray, robot: Robot, joint: int, axis: Axis
) -> tuple[FloatArray, FloatArray]:
    """Point (3,), m, and unit vector (3,) of a joint's axis; positive angles turn the following links about it.

    The yaw axis is upright in the link before the joint, the roll axis is along the link after it, and
    the pitch axis is perpendicular to both.
    """
    before, after = matrices(pose[joint : joint + 2, 3:])
    if axis == "yaw":
        return joint_points(pose, robot)[joint], before[:, 2]
    own = robot.joint_list[joint]
    behind = robot.links[joint + 1]
    point = (
        pose[joint + 1, :3]
        - (0.5 * (behind.length - own.axis_offset) + behind.centre_of_mass) * after[:, 0]
    )
    if axis == "roll":
        return point, after[:, 0]
    if "roll" not in own.axes:
        return point, after[:, 1]
    across = np.cross(before[:, 2], after[:, 0]) if "yaw" in own.axes else before[:, 1]
    return point, across / max(float(np.linalg.norm(across)), 1e-300)


def bent_robot(
    scene: Scene, joint: int, angle: float, axis: Axis = "yaw", base_dir: Path | None = None
) -> Scene:
    """Return the scene whose robot starts with another angle of one joint; the longer part stays in place.

    Starts with link angles or full states keep their kind; any other start becomes one with joint
    angles. A robot in space that lies on the ground still does afterwards.

    Raises `SceneError` if a file of the start is unreadable, or a position is out of range.


    Parameters
    ----------
    scene : Scene
        Scene with a robot of links.
    joint : int
        0-based.
    angle : float
        Angle of the joint, rad; clipped to the joint's limits.
    axis : {"yaw", "pitch", "roll"}
        Kind of an axis of the joint.
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    robot = scene.robot
    start = scene.start
    lower, upper = angle_limits(scene, joint, axis)
    angle = min(max(angle, lower), upper)
    behind = turns_behind(robot, joint)
    stays = joint if behind else joint + 1
    by = angle - float(
        initial_joint_angles(scene, base_dir)[entry_of(scene.body.axes, joint, axis)]
    )
    if isinstance(start, StateStart | RecordingStart | WrappedStart):
        return with_start(
            scene, _bent_state(as_state(scene, base_dir), robot, joint, by, axis, behind)
        )
    if isinstance(start, LinkAnglesStart) and axis == "yaw":
        placed = placed_at(scene, start, stays)
        assert isinstance(placed, LinkAnglesStart)
        turned = np.array(placed.link_angles_deg)
        turned[slice(joint + 1, None) if behind else slice(0, joint + 1)] += math.degrees(
            by if behind else -by
        )
        return with_start(
            scene, changed_start(placed, link_angles_deg=tuple(tidy(value) for value in turned))
        )
    joint_start = placed_at(scene, as_joint_angles(scene, base_dir), stays)
    assert isinstance(joint_start, JointAnglesStart)
    alone = len(robot.joint_list[joint].axes) == 1
    name = "joint_angles_deg" if axis == "yaw" or alone else f"joint_{axis}_deg"
    angles = list(getattr(joint_start, name) or (0.0,) * robot.n_joints)
    angles[joint] = tidy(math.degrees(angle))
    return with_start(scene, changed_start(joint_start, **{name: tuple(angles)}))


def _bent_state(
    start: StateStart, robot: Robot, joint: int, by: float, axis: Axis, behind: bool
) -> StateStart:
    """Return the state of each link after one part was turned about a joint; the joint's rate is unchanged."""
    pose = np.column_stack([np.array(start.position_m), np.array(start.orientation_wxyz)])
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True).clip(1e-300)
    point, about = joint_axis(pose, robot, joint, axis)
    part = slice(joint + 1, None) if behind else slice(0, joint + 1)
    half = 0.5 * (by if behind else -by)
    turn = matrices(np.concatenate([[math.cos(half)], math.sin(half) * about])[None])[0]
    position = np.array(start.position_m)
    orientation = np.array(start.orientation_wxyz)
    before = position[part] - point
    position[part] = point + before @ turn.T
    orientation[part] = quaternions(turn @ matrices(pose[part, 3:]))
    changes: dict[str, Any] = {"position_m": position, "orientation_wxyz": orientation}
    if start.velocity_m_s is not None and start.angular_velocity_rad_s is not None:
        # Velocities relative to the fixed part turn with it.
        velocity = np.array(start.velocity_m_s)
        spin = np.array(start.angular_velocity_rad_s)
        rest = joint if behind else joint + 1
        base = velocity[rest] + np.cross(spin[rest], point - np.array(start.position_m)[rest])
        relative = velocity[part] - base - np.cross(spin[rest], before)
        velocity[part] = base + np.cross(spin[rest], before @ turn.T) + relative @ turn.T
        spin[part] = spin[rest] + (spin[part] - spin[rest]) @ turn.T
        changes |= {"velocity_m_s": velocity, "angular_velocity_rad_s": spin}
    return changed_start(
        start, **{name: tuple(map(tuple, rows.tolist())) for name, rows in changes.items()}
    )
