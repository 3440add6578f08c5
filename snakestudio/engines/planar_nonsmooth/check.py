"""What is wrong or doubtful in a scene for this formulation, in plain numpy (no compiled code is loaded for it)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines import checks, crossing, planar_checks
from snakestudio.engines.planar_obstacles import obstacle_problems, overlaps
from snakestudio.errors import Problem, SceneError
from snakestudio.kernels.planar_problem import TURN
from snakestudio.model.robot.pose import planar_arms, planar_pose
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene

__all__ = ["check", "largest_stable_step"]


def _joint_response(theta: FloatArray, robot: Robot, rear: float) -> FloatArray:
    """Accelerations that unit joint torques make on a free chain with link directions `theta`, 1/(kg m^2).

    D Q D^T: Q is the inverse of the mass matrix in the coordinates (x, y of the rear end, all link angles), and D takes
    differences of link angles. `rear` is from the centres to the joints behind them.
    """
    n, length = len(theta), robot.link_length_m
    normal = np.column_stack([-np.sin(theta), np.cos(theta)])
    reach = np.tril(np.full((n, n), length), -1) + np.diag(np.full(n, rear))
    velocity = np.zeros((n, 2, n + 2))
    velocity[:, :, :2] = np.eye(2)
    velocity[:, :, 2:] = reach[:, None, :] * normal.T[None, :, :]
    rows = velocity.reshape(2 * n, n + 2)
    mass_matrix = robot.mass_kg * rows.T @ rows
    mass_matrix[2:, 2:] += robot.inertia_kg_m2 * np.eye(n)
    difference = np.zeros((n - 1, n + 2))
    difference[np.arange(n - 1), np.arange(2, n + 1)] = -1.0
    difference[np.arange(n - 1), np.arange(3, n + 2)] = 1.0
    response: FloatArray = difference @ np.linalg.solve(mass_matrix, difference.T)
    return 0.5 * (response + response.T)


def largest_stable_step(scene: Scene) -> float:
    """Step up to which the explicit joint controllers are stable on the free chain in the poses of the gait, s.

    Of a longer chain sixty links are enough: its stiffest mode is a local one. Joints that do not follow a gait may be
    straight, which is when they are stiffest.
    """
    robot, yaw, gains = scene.robot, scene.gait.yaw, scene.joint_controller
    joints = np.arange(min(robot.n_links, 60) - 1)
    responses = []
    phases = np.linspace(0.0, math.pi, 6, endpoint=False)
    waves = (yaw.amplitude * np.sin(phase + joints * yaw.phase_shift) + yaw.offset for phase in phases)
    straight = () if scene.controller.uses_gait else (np.zeros(len(joints)),)
    for angle in (*straight, *waves):
        theta = np.concatenate([[0.0], np.cumsum(angle)])
        responses.append(_joint_response(theta, robot, planar_arms(scene)[1]))
    kp, kd = (np.full(len(joints), gain) for gain in (gains.kp_nm_per_rad, gains.kd_nms_per_rad))
    return checks.largest_stable_step(responses, kp, kd)


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """What is wrong or doubtful in `scene`.

    Parameters
    ----------
    scene : Scene
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    problems = checks.joint_shape(scene.robot)
    if problems:
        return problems
    try:
        q, u = planar_pose(scene, base_dir)
    except SceneError as error:
        return [checks.unusable_file(error)]
    problems += planar_checks.given_state(scene, q, base_dir)
    problems += obstacle_problems(scene.obstacles, scene.robot.radius_m)
    problems += overlaps(scene, q)
    problems += crossing.foreseen(scene, base_dir, u[:, :2], u[:, TURN])
    problems += checks.joint_stops(scene, np.diff(q[:, TURN]))
    problems += planar_checks.no_pitch(scene)
    problems += checks.joint_control(scene, largest_stable_step)
    problems += checks.soft_start_never_ends(scene)
    return problems + checks.slippery_ground(scene)
