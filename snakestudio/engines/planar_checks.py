"""Checks of a scene shared by the planar formulations, in numpy only (without compiled code)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines import checks, start_checks
from snakestudio.engines.row_buffers import QUAT_X, QUAT_Y
from snakestudio.errors import Problem
from snakestudio.kernels.axes import Z
from snakestudio.kernels.planar_problem import TURN
from snakestudio.model.motion import PlacedStart
from snakestudio.model.robot.pose import initial_state, joint_arms
from snakestudio.model.scene import Scene

TILT = 1e-3
"""Tilt angle up to which an explicit orientation counts as flat, rad."""


def _flatness(scene: Scene, pose: FloatArray, twist: FloatArray) -> list[Problem]:
    """Return problems of an explicit state that is not flat or does not move in the plane."""
    problems = []
    x, y = pose[:, QUAT_X], pose[:, QUAT_Y]
    tilted = np.flatnonzero(2.0 * np.hypot(x, y) > TILT)
    if len(tilted):
        problems.append(
            Problem(
                "error",
                "start.orientation_wxyz",
                f"link {tilted[0] + 1} is not flat, but this model is planar",
                "turn the links only about z, or choose a spatial model",
                links=tuple(int(i) for i in tilted),
            )
        )
    if scene.start.gives_state and np.any(
        np.abs(pose[:, Z] - scene.robot.radius_m) > scene.robot.radius_m
    ):
        problems.append(
            Problem(
                "warning",
                "start.position_m",
                "heights are ignored by this planar model, in which all links lie on the ground",
                f"set z to {scene.robot.radius_m:g}, the links' radius, or choose a spatial model",
            )
        )
    if np.any(np.abs(twist[:, 2:5]) > 1e-6):
        problems.append(
            Problem(
                "warning",
                "start.velocity_m_s",
                "velocities out of the plane are ignored by this planar model",
                "set only velocities along x and y and angular velocities about z",
            )
        )
    return problems


def _joint_gaps(scene: Scene, q: FloatArray) -> list[Problem]:
    """Return the problem of open joints in an explicit state."""
    front, rear = (arms[:, None] for arms in joint_arms(scene))
    axis = np.column_stack([np.cos(q[:, TURN]), np.sin(q[:, TURN])])
    return checks.joint_gaps(q[:-1, :2] + front * axis[:-1], q[1:, :2] - rear * axis[1:])


def explicit_state(scene: Scene, q: FloatArray, base_dir: Path | None) -> list[Problem]:
    """Return problems of a start with full link states that a planar robot cannot have; `q` (n, 3) is that start."""
    if isinstance(scene.start, PlacedStart):
        return []
    pose, twist = initial_state(scene, base_dir)
    problems = start_checks.unit_quaternions(scene, pose)
    if problems:
        return problems
    problems = _flatness(scene, pose, twist) + _joint_gaps(scene, q)
    if any(problem.severity == "error" for problem in problems):
        return problems
    axis = np.column_stack([np.cos(q[:, TURN]), np.sin(q[:, TURN]), np.zeros(len(q))])
    front, rear = (arms[:, None] for arms in joint_arms(scene))
    upright = np.tile([0.0, 0.0, 1.0], (len(q) - 1, 1, 1))
    flat = twist * [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    sweep = np.zeros((len(q) - 1, 3))
    return problems + start_checks.separating_velocities(
        scene, flat, front * axis[:-1], -rear * axis[1:], upright, sweep
    )


def ignored_pitch(scene: Scene) -> list[Problem]:
    """Return the problem of a pitch wave, which planar joints cannot follow."""
    wave = scene.waves.pitch
    if wave.amplitude == 0.0 and wave.offset == 0.0:
        return []
    amplitude, offset = scene.gait.wave_keys[1]
    return [
        Problem(
            "warning",
            amplitude if wave.amplitude else offset,
            "the pitch wave is ignored by this planar model",
            'set model.kind to "spatial_nonsmooth" to use it, or set it to 0',
            fixes=(checks.SPATIAL,),
        )
    ]
