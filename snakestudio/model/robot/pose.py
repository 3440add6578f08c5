"""Poses and velocities of the links at the start of a run, in numpy only: the editor needs no engine."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import SceneError
from snakestudio.inputs import InputError, local_path, nearest_row
from snakestudio.model.motion import (
    GaitStart,
    JointAnglesStart,
    LinkAnglesStart,
    PlacedStart,
    RecordingStart,
    StateStart,
    WrappedStart,
)
from snakestudio.model.registry import FORMULATIONS
from snakestudio.model.robot.beam_shape import initial_body
from snakestudio.model.robot.chain import (
    chain,
    gait_joint_angles,
    height_of_lowest,
    joint_angles,
    level_frame,
    level_gait_frame,
    wave_directions,
)
from snakestudio.model.robot.joint_axes import by_joint, entries, joints, single_axes
from snakestudio.model.robot.overrides import AXES
from snakestudio.model.robot.wrapped_start import wrapped
from snakestudio.model.rotations import quaternions, rotation
from snakestudio.model.scene import Scene

FLAT_DEPTH = 1e-6
"""Penetration of the lowest contact sphere of a robot that lies on the ground, m: with a gap of 0,
rounding would decide which spheres touch."""


def planar_arms(scene: Scene) -> tuple[float, float]:
    """Distances from the middle of a link of [robot] to the joints before and behind it, in a planar model, m.

    The pitch axes, fixed there, are in the links behind the joints; only some models represent them.
    """
    robot = scene.robot
    offset = (
        robot.axis_offset_m
        if "robot.axis_offset_m" in FORMULATIONS[scene.model.kind].reads
        else 0.0
    )
    return 0.5 * (robot.link_length_m - offset), 0.5 * (robot.link_length_m + offset)


def joint_arms(scene: Scene) -> tuple[FloatArray, FloatArray]:
    """Return the distances from the links' centres of gravity to each joint, in a planar model, each (n-1,), m.

    The first array is for the link before the joint, the second for the link behind it; see
    `planar_arms`.
    """
    robot = scene.robot
    knows = "robot.axis_offset_m" in FORMULATIONS[scene.model.kind].reads
    offset = np.array([joint.axis_offset if knows else 0.0 for joint in robot.joint_list])
    length, centred = (
        np.array([getattr(link, name) for link in robot.links])
        for name in ("length", "centre_of_mass")
    )
    return 0.5 * (length[:-1] - offset) - centred[:-1], 0.5 * (length[1:] + offset) + centred[1:]


def _planar_chain(
    theta: FloatArray, arms: tuple[FloatArray, FloatArray], link: int, x: float, y: float
) -> FloatArray:
    """Centres of gravity, (n, 2), of a closed chain with link directions `theta`, link `link` (0-based) at (x, y)."""
    front = arms[0][:, None]
    rear = arms[1][:, None]
    axis = np.column_stack([np.cos(theta), np.sin(theta)])
    centre = np.zeros((len(theta), 2))
    centre[1:] = np.cumsum(front * axis[:-1] + rear * axis[1:], axis=0)
    centre += np.array([x, y]) - centre[link]
    return centre


def _gait_directions(scene: Scene, start: GaitStart, base_dir: Path | None) -> FloatArray:
    """Directions of all links in the plane, (n,), rad, in the gait's pose at t = 0 with the start's heading."""
    heading = math.radians(start.heading_deg)
    waves = start.shape(scene.gait).waves(scene.robot)
    if scene.gait.of_waves and not waves.envelope:
        return wave_directions(waves.yaw, scene.robot.n_links, heading)
    turned = np.concatenate([[0.0], np.cumsum(_gait_angles(scene, start, base_dir))])
    directions: FloatArray = heading + turned - turned.mean()
    return directions


def _gait_angles(scene: Scene, start: GaitStart, base_dir: Path | None) -> FloatArray:
    """Return the angles of all joint axes in the gait's pose at t = 0, (m,), rad."""
    own = scene.gait.first_angles(scene, base_dir)
    if own is not None:
        return own
    return gait_joint_angles(
        start.shape(scene.gait).waves(scene.robot), scene.body.axes, scene.robot.n_links
    )


def _placed(
    scene: Scene, start: PlacedStart, base_dir: Path | None
) -> tuple[FloatArray, FloatArray]:
    """Return the planar state of a start with a placed link."""
    n = scene.robot.n_links
    link = start.link - 1
    if isinstance(start, LinkAnglesStart):
        theta = np.radians(np.array(start.link_angles_deg))
    elif isinstance(start, GaitStart):
        theta = _gait_directions(scene, start, base_dir)
    elif isinstance(start, JointAnglesStart):
        bends = np.concatenate([[0.0], np.cumsum(np.radians(np.array(start.joint_angles_deg)))])
        theta = math.radians(start.heading_deg) + bends - bends[link]
    else:
        theta = np.full(n, math.radians(getattr(start, "heading_deg", 0.0)))
    centre = _planar_chain(theta, joint_arms(scene), link, start.x_m, start.y_m)
    omega = math.radians(start.omega_deg_s)
    velocity = np.array([start.vx_m_s, start.vy_m_s]) + omega * np.column_stack(
        [start.y_m - centre[:, 1], centre[:, 0] - start.x_m]
    )
    return np.column_stack([centre, theta]), np.column_stack([velocity, np.full(n, omega)])


def _spatial_joint_angles(scene: Scene, start: PlacedStart, base_dir: Path | None) -> FloatArray:
    """Return the angles of all joint axes, (m,), rad, of a spatial start with a placed link."""
    axes = scene.body.axes
    if isinstance(start, GaitStart):
        return _gait_angles(scene, start, base_dir)
    angles = np.zeros(len(axes))
    if isinstance(start, JointAnglesStart):
        lists = start.joint_angles_deg, start.joint_pitch_deg, start.joint_roll_deg
        for kind, degrees in zip(AXES, lists, strict=True):
            if degrees is not None:
                angles[entries(axes, kind)] += np.radians(np.array(degrees))[joints(axes, kind)]
        alone = [entry for entry in single_axes(axes) if axes[entry].kind != "yaw"]
        angles[alone] += np.radians(np.array(start.joint_angles_deg))[
            [axes[entry].joint for entry in alone]
        ]
    elif isinstance(start, LinkAnglesStart):
        bends = np.diff(np.radians(np.array(start.link_angles_deg)))
        angles[entries(axes, "yaw")] = bends[joints(axes, "yaw")]
    return angles


def _placed_in_space(
    scene: Scene, start: PlacedStart, base_dir: Path | None
) -> tuple[FloatArray, FloatArray]:
    """Pose (n, 7) and twist (n, 6) of a spatial start with a placed link."""
    robot = scene.robot
    link = start.link - 1
    angles = _spatial_joint_angles(scene, start, base_dir)
    heading = (
        start.link_angles_deg[link]
        if isinstance(start, LinkAnglesStart)
        else getattr(start, "heading_deg", 0.0)
    )
    frame = rotation(*(math.radians(angle) for angle in (heading, start.pitch_deg, start.roll_deg)))
    if isinstance(start, GaitStart):  # the heading is that of the wave, not of a link
        if scene.gait.of_waves:
            frame = frame @ level_gait_frame(
                start.shape(scene.gait).waves(robot), robot, scene.body.axes
            )
        else:
            frame = frame @ level_frame(angles, robot, scene.body.axes)
        centre, turns = chain(frame, angles, robot, scene.body.axes)
    else:
        centre, turns = chain(np.eye(3), angles, robot, scene.body.axes)
        onto = frame @ turns[link].T
        centre = centre @ onto.T
        turns = onto @ turns
    centre += np.array([start.x_m, start.y_m, start.z_m or 0.0]) - centre[link]
    if start.z_m is None:
        centre[:, 2] += height_of_lowest(centre, turns, robot) - FLAT_DEPTH
    omega_x, omega_y, omega = start.omega
    arm = centre - centre[link]
    twist = np.zeros((len(centre), 6))
    twist[:, 0] = start.vx_m_s - omega * (centre[:, 1] - start.y_m) + omega_y * arm[:, 2]
    twist[:, 1] = start.vy_m_s + omega * (centre[:, 0] - start.x_m) - omega_x * arm[:, 2]
    twist[:, 2] = start.vz_m_s + omega_x * arm[:, 1] - omega_y * arm[:, 0]
    twist[:, 3:] = start.omega
    return np.column_stack([centre, quaternions(turns)]), twist


def _unwrapped(pose: FloatArray) -> FloatArray:
    """Link directions (n,) of poses (n, 7), every joint angle between -pi and pi."""
    w, x, y, z = pose[:, 3], pose[:, 4], pose[:, 5], pose[:, 6]
    theta: FloatArray = np.unwrap(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
    return theta


def _recorded(
    scene: Scene, start: RecordingStart, base_dir: Path | None
) -> tuple[FloatArray, FloatArray]:
    """Pose (n, 7) and twist (n, 6) in the row of a CSV file nearest to the start's time."""
    path = local_path(start.file, base_dir)
    n = scene.robot.n_links
    try:
        nearest = nearest_row(path, "time_s", start.time_s)
    except InputError as error:
        raise SceneError(
            f"start.file: '{path}' cannot be read ({error.message}); give a CSV file recorded by this program."
        ) from None
    n_recorded = sum(f"link_{i}_x_m" in nearest for i in range(1, 1001))
    if n_recorded != n:
        raise SceneError(
            f"start.file: '{path}' contains {n_recorded} links but robot.n_links is {n}; "
            "choose a recording of the same robot."
        )

    def columns(names: tuple[str, ...]) -> FloatArray:
        return np.array(
            [[float(nearest[f"link_{i}_{name}"]) for name in names] for i in range(1, n + 1)]
        )

    moving = ("vx_mps", "vy_mps", "vz_mps", "wx_radps", "wy_radps", "wz_radps")
    try:
        pose = columns(("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz"))
        twist = columns(moving) if f"link_1_{moving[0]}" in nearest else np.zeros((n, 6))
    except (KeyError, TypeError, ValueError) as error:
        raise SceneError(
            f"start.file: the row of '{path}' nearest to {start.time_s:g} s is incomplete ({error}); "
            "give a CSV file recorded by this program."
        ) from error
    return pose, twist


def initial_state(scene: Scene, base_dir: Path | None = None) -> tuple[FloatArray, FloatArray]:
    """Pose (n, 7) and twist (n, 6) of each link at the start of `scene`, as in `Snapshot`.

    Raises `SceneError` if a file used by the start, or a formula of the strain law, is unusable.


    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    """
    if scene.body.strained:
        return initial_body(scene)
    start = scene.start
    if isinstance(start, RecordingStart):
        return _recorded(scene, start, base_dir)
    if isinstance(start, WrappedStart):
        wrapping = wrapped(scene, start)
        pose = np.column_stack([wrapping.centre, quaternions(wrapping.turns)])
        return pose, np.zeros((len(pose), 6))
    if isinstance(start, StateStart):
        pose = np.column_stack([np.array(start.position_m), np.array(start.orientation_wxyz)])
        pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True).clip(1e-300)
        twist = np.zeros((len(pose), 6))
        if start.velocity_m_s is not None:
            twist[:, :3] = np.array(start.velocity_m_s)
        if start.angular_velocity_rad_s is not None:
            twist[:, 3:] = np.array(start.angular_velocity_rad_s)
        return pose, twist
    if scene.model.spatial:
        return _placed_in_space(scene, start, base_dir)
    q, u = _placed(scene, start, base_dir)
    n = len(q)
    pose = np.zeros((n, 7))
    pose[:, :2] = q[:, :2]
    pose[:, 2] = [link.radius for link in scene.robot.links]
    pose[:, 3] = np.cos(0.5 * q[:, 2])
    pose[:, 6] = np.sin(0.5 * q[:, 2])
    twist = np.zeros((n, 6))
    twist[:, :2] = u[:, :2]
    twist[:, 5] = u[:, 2]
    return pose, twist


def initial_joint_angles(scene: Scene, base_dir: Path | None = None) -> FloatArray:
    """Return the initial angles of all axes of `scene.body.axes`, (m,), rad.

    A continuous body has no joints.

    Raises `SceneError` as `initial_state`.
    """
    if not scene.body.jointed:
        return np.zeros(0)
    if not scene.model.spatial:
        yaw: FloatArray = np.diff(planar_pose(scene, base_dir)[0][:, 2])[
            joints(scene.body.axes, "yaw")
        ]
        return yaw
    if isinstance(scene.start, PlacedStart):
        return _spatial_joint_angles(scene, scene.start, base_dir)
    return joint_angles(initial_state(scene, base_dir)[0], scene.body.axes)


def joint_lists(scene: Scene, angles: FloatArray) -> dict[str, tuple[float, ...]]:
    """Angles (m,), rad, of all joint axes as lists for `JointAnglesStart`, in degrees; all-zero lists are omitted."""
    axes = scene.body.axes
    n_joints = scene.robot.n_joints
    alone = single_axes(axes)
    first = by_joint(angles, axes, "yaw", n_joints)
    first[[axes[entry].joint for entry in alone]] = angles[alone]
    rest = angles.copy()
    rest[alone] = 0.0
    lists = {"joint_angles_deg": first}
    lists |= {
        f"joint_{kind}_deg": by_joint(rest, axes, kind, n_joints) for kind in AXES if kind != "yaw"
    }
    return {
        name: tuple(np.degrees(radians).tolist())
        for name, radians in lists.items()
        if name == "joint_angles_deg" or radians.any()
    }


def planar_pose(scene: Scene, base_dir: Path | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the planar state at the start of `scene`: q (n, 3) = x, y, theta and u (n, 3) = vx, vy, omega; m, rad, s.

    Joint angles are differences of theta and not wrapped.

    Raises `SceneError` as `initial_state`.
    """
    if isinstance(scene.start, PlacedStart):
        return _placed(scene, scene.start, base_dir)
    pose, twist = initial_state(scene, base_dir)
    return np.column_stack([pose[:, :2], _unwrapped(pose)]), twist[:, [0, 1, 5]]
