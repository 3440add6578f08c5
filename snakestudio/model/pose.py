"""Where the links are, and how they move, when a run starts: plain numpy, so that the editor needs no engine for it."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import SceneError
from snakestudio.model.motion import (
    GaitStart,
    JointAnglesStart,
    LateralUndulation,
    LinkAnglesStart,
    PlacedStart,
    RecordingStart,
    StateStart,
)
from snakestudio.model.scene import Scene

__all__ = [
    "gait_link_angles",
    "initial_joint_angles",
    "initial_state",
    "planar_pose",
]

FloatArray = NDArray[np.float64]


def gait_link_angles(gait: LateralUndulation, n_links: int, heading: float) -> FloatArray:
    """Directions of all links, (n,), rad, whose joints have the gait's angles at t = 0.

    The axis of the wave has direction `heading`: theta_i = H - A / (2 sin(delta/2)) cos((i - 3/2) delta), and an offset
    psi bends the robot evenly about its middle. Where the wave is so long that its links would turn by more than half a
    turn from the axis, no axis shows within the robot; then the mean direction is `heading`.
    """
    amplitude, delta, n = gait.amplitude, gait.phase_shift, n_links
    bend = gait.offset * (np.arange(n) - 0.5 * (n - 1))
    half_sine = 2.0 * math.sin(0.5 * delta)
    if amplitude <= math.pi * abs(half_sine):
        wave = -amplitude / half_sine * np.cos((np.arange(n) - 0.5) * delta) if amplitude else np.zeros(n)
    else:
        wave = np.concatenate([[0.0], np.cumsum(amplitude * np.sin(np.arange(n - 1) * delta))])
        wave -= wave.mean()
    angles: FloatArray = heading + wave + bend
    return angles


def _chain(theta: FloatArray, length: float, link: int, x: float, y: float) -> FloatArray:
    """Centres of gravity, (n, 2), of a closed chain with link directions `theta`, link `link` (0-based) at (x, y)."""
    axis = np.column_stack([np.cos(theta), np.sin(theta)])
    centre = np.zeros((len(theta), 2))
    centre[1:] = np.cumsum(0.5 * length * (axis[:-1] + axis[1:]), axis=0)
    centre += np.array([x, y]) - centre[link]
    return centre


def _placed(scene: Scene, start: PlacedStart) -> tuple[FloatArray, FloatArray]:
    """Planar state of a start that puts one link at a place."""
    n = scene.robot.n_links
    link = start.link - 1
    if isinstance(start, LinkAnglesStart):
        theta = np.radians(np.array(start.link_angles_deg))
    elif isinstance(start, GaitStart):
        theta = gait_link_angles(start.shape(scene.gait), n, math.radians(start.heading_deg))
    elif isinstance(start, JointAnglesStart):
        bends = np.concatenate([[0.0], np.cumsum(np.radians(np.array(start.joint_angles_deg)))])
        theta = math.radians(start.heading_deg) + bends - bends[link]
    else:
        theta = np.full(n, math.radians(getattr(start, "heading_deg", 0.0)))
    centre = _chain(theta, scene.robot.link_length_m, link, start.x_m, start.y_m)
    omega = math.radians(start.omega_deg_s)
    velocity = np.array([start.vx_m_s, start.vy_m_s]) + omega * np.column_stack(
        [start.y_m - centre[:, 1], centre[:, 0] - start.x_m]
    )
    return np.column_stack([centre, theta]), np.column_stack([velocity, np.full(n, omega)])


def _unwrapped(pose: FloatArray) -> FloatArray:
    """Link directions (n,) of poses (n, 7), every joint angle between -pi and pi."""
    w, x, y, z = pose[:, 3], pose[:, 4], pose[:, 5], pose[:, 6]
    theta: FloatArray = np.unwrap(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
    return theta


def _recorded(scene: Scene, start: RecordingStart, base_dir: Path | None) -> tuple[FloatArray, FloatArray]:
    """Pose (n, 7) and twist (n, 6) in the row of a CSV file nearest to the wanted time."""
    path = Path(start.file)
    if not path.is_absolute() and base_dir is not None:
        path = base_dir / path
    n = scene.robot.n_links
    nearest: dict[str, str] = {}
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            best = math.inf
            for row in csv.DictReader(line for line in stream if not line.startswith("#")):
                distance = abs(float(row["time_s"]) - start.time_s)
                if distance < best:
                    best, nearest = distance, row
    except OSError as error:
        raise SceneError(
            f"start.file: '{path}' cannot be read ({error.strerror}); give a CSV file recorded by this program."
        ) from error
    except (KeyError, TypeError, ValueError) as error:
        raise SceneError(
            f"start.file: '{path}' has no readable column time_s; give a CSV file recorded by this program."
        ) from error
    if not nearest:
        raise SceneError(f"start.file: '{path}' holds no rows; give a CSV file with at least the initial state.")
    found = sum(f"link_{i}_x_m" in nearest for i in range(1, 1001))
    if found != n:
        raise SceneError(
            f"start.file: '{path}' holds {found} links but robot.n_links is {n}; record it with the same robot."
        )

    def columns(names: tuple[str, ...]) -> FloatArray:
        return np.array([[float(nearest[f"link_{i}_{name}"]) for name in names] for i in range(1, n + 1)])

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
    """Pose (n, 7) and twist (n, 6) of every link at the start of `scene`, as in `Snapshot`.

    Parameters
    ----------
    scene : Scene
    base_dir : Path or None
        Folder that file names in the scene are relative to.

    Raises
    ------
    SceneError
        If a file that the start refers to cannot be used.
    """
    start = scene.start
    if isinstance(start, RecordingStart):
        return _recorded(scene, start, base_dir)
    if isinstance(start, StateStart):
        pose = np.column_stack([np.array(start.position_m), np.array(start.orientation_wxyz)])
        pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True).clip(1e-300)
        twist = np.zeros((len(pose), 6))
        if start.velocity_m_s is not None:
            twist[:, :3] = np.array(start.velocity_m_s)
        if start.angular_velocity_rad_s is not None:
            twist[:, 3:] = np.array(start.angular_velocity_rad_s)
        return pose, twist
    q, u = _placed(scene, start)
    n = len(q)
    pose = np.zeros((n, 7))
    pose[:, :2] = q[:, :2]
    pose[:, 2] = scene.robot.radius_m
    pose[:, 3] = np.cos(0.5 * q[:, 2])
    pose[:, 6] = np.sin(0.5 * q[:, 2])
    twist = np.zeros((n, 6))
    twist[:, :2] = u[:, :2]
    twist[:, 5] = u[:, 2]
    return pose, twist


def initial_joint_angles(scene: Scene, base_dir: Path | None = None) -> FloatArray:
    """Yaw of all joints at the start of `scene`, (n-1,), rad.

    Raises
    ------
    SceneError
        As `initial_state`.
    """
    return np.diff(planar_pose(scene, base_dir)[0][:, 2])


def planar_pose(scene: Scene, base_dir: Path | None = None) -> tuple[FloatArray, FloatArray]:
    """State in the plane at the start of `scene`: q (n, 3) = x, y, theta and u (n, 3) = vx, vy, omega; m, rad, s.

    Joint angles are differences of theta and are not wrapped.

    Raises
    ------
    SceneError
        As `initial_state`.
    """
    if isinstance(scene.start, PlacedStart):
        return _placed(scene, scene.start)
    pose, twist = initial_state(scene, base_dir)
    return np.column_stack([pose[:, :2], _unwrapped(pose)]), twist[:, [0, 1, 5]]
