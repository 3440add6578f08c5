"""Errors and warnings of a scene for this formulation, in numpy only (without compiled code)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines import checks, crossing, planar_checks, smooth_checks
from snakestudio.engines.planar_obstacles import obstacle_problems, overlaps
from snakestudio.errors import Fix, Problem, SceneError
from snakestudio.kernels.planar_problem import TURN
from snakestudio.model.ground_friction import ground_friction_problems
from snakestudio.model.robot.overrides import JointOverride, selected
from snakestudio.model.robot.pose import initial_joint_angles, joint_arms, planar_pose
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.model.shared_values import DRIVE_TRAIN

OF_JOINTS = frozenset(JointOverride.model_fields).difference(DRIVE_TRAIN) | {"rotor_inertia_kg_m2"}
"""Fields of joint tables that this model reads, or that do not apply to it."""

LONGEST_PIECE = 60
"""Number of links whose stability is analysed together."""


def _joint_response(theta: FloatArray, scene: Scene, first: int, moving: IntArray) -> FloatArray:
    """Return accelerations due to unit joint torques on a free chain with link directions `theta`, 1/(kg m^2).

    D Q D^T: Q is the inverse of the mass matrix in the coordinates (x, y of the rear end, all free
    directions), and D takes differences of link angles. The links start at `first` (0-based);
    `moving` are the joints between them that are not fixed.
    """
    n = len(theta)
    links = scene.robot.links[first : first + n]
    length, mass, inertia = (
        np.array([getattr(link, name) for link in links]) for name in ("length", "mass", "inertia")
    )
    rear = np.append(
        0.5 * length[0] + links[0].centre_of_mass, joint_arms(scene)[1][first : first + n - 1]
    )
    normal = np.column_stack([-np.sin(theta), np.cos(theta)])
    reach = np.tril(np.tile(length, (n, 1)), -1) + np.diag(rear)
    velocity = np.zeros((n, 2, n + 2))
    velocity[:, :, :2] = np.eye(2)
    velocity[:, :, 2:] = reach[:, None, :] * normal.T[None, :, :]
    # all directions from those of the rigid pieces between moving joints
    free = np.zeros((n + 2, 3 + len(moving)))
    free[[0, 1], [0, 1]] = 1.0
    piece = np.concatenate([[0], np.cumsum(np.isin(np.arange(n - 1), moving))])
    free[np.arange(2, n + 2), 2 + piece] = 1.0
    rows = velocity.reshape(2 * n, n + 2) @ free
    mass_matrix = rows.T @ (np.repeat(mass, 2)[:, None] * rows) + free[2:].T @ (
        inertia[:, None] * free[2:]
    )
    difference = free[2 + moving + 1] - free[2 + moving]
    response: FloatArray = difference @ np.linalg.solve(mass_matrix, difference.T)
    return 0.5 * (response + response.T)


def largest_stable_step(scene: Scene) -> float:
    """Return the largest step for which explicit joint controllers are stable on the free chain in gait poses, s.

    For longer chains of equal links, sixty links are sufficient because the stiffest mode is local;
    chains of unequal links are analysed in pieces of that length. Joints without a gait can be
    straight, which is the stiffest pose. Springs and dampers are stable at any step.
    """
    robot = scene.robot
    yaw = scene.waves.yaw
    values = scene.axis_values
    turning = np.array([axis.joint for axis in scene.body.axes], dtype=np.int64)
    most = min(robot.n_links, LONGEST_PIECE)
    alike = robot.equal_links and not robot.joint
    begins = (
        [0]
        if alike
        else sorted({*range(0, robot.n_links - most, max(1, most // 2)), robot.n_links - most})
    )
    stable = math.inf
    for first in begins:
        between = (turning >= first) & (turning < first + most - 1)
        moving = turning[between] - first
        joints = np.arange(most - 1)
        phases = np.linspace(0.0, math.pi, 6 if len(begins) == 1 else 2, endpoint=False)
        waves = (
            yaw.amplitude * np.sin(phase + joints * yaw.phase_shift) + yaw.offset
            for phase in phases
        )
        straight = () if scene.controller.uses_gait else (np.zeros(len(joints)),)
        responses = []
        for angle in (*straight, *waves):
            bends = np.where(np.isin(joints, moving), angle, 0.0)
            responses.append(
                _joint_response(np.concatenate([[0.0], np.cumsum(bends)]), scene, first, moving)
            )
        if len(moving):
            stable = min(
                stable,
                checks.largest_stable_step(
                    responses, values.kp[between], values.kd[between], values.rotor[between]
                ),
            )
    return stable


def _key_of_joint(robot: Robot, joint: int) -> str:
    """Return the key of the last table that sets the axes of a joint."""
    for number, override in reversed(list(enumerate(robot.joint, start=1))):
        if override.axes is not None and joint in selected(override.index, robot.n_joints):
            return f"robot.joint[{number}].axes"
    return "robot.joints"


def _joints_out_of_the_plane(scene: Scene) -> list[Problem]:
    """Return problems of joints without a yaw axis that are not fixed."""
    for k, joint in enumerate(scene.robot.joint_list):
        if joint.axes and "yaw" not in joint.axes:
            message = f"joint {k + 1} has no yaw axis ({' and '.join(joint.axes)}), but this model is planar"
            remedy = (
                'set it to "yaw", or to "fixed" to lock it, or set model.kind to spatial_nonsmooth'
            )
            key = _key_of_joint(scene.robot, k)
            return [
                Problem("error", key, message, remedy, links=(k, k + 1), fixes=(checks.SPATIAL,))
            ]
    return []


def _bent_where_fixed(scene: Scene, q: FloatArray) -> list[Problem]:
    """Return the problem of fixed joints that are bent at the start, although they are held straight."""
    bend = np.diff(q[:, TURN])
    wrong = [
        k
        for k, joint in enumerate(scene.robot.joint_list)
        if not joint.axes and abs(bend[k]) > 1e-9
    ]
    if not wrong:
        return []
    k = wrong[0]
    message = f"joint {k + 1} is fixed but starts at {math.degrees(bend[k]):.4g}°"
    remedy = "start it at 0°, start straight, or set equal link angles on both sides of it"
    return [Problem("error", "start", message, remedy, links=(k, k + 1))]


def _wheels_that_slip(scene: Scene) -> list[Problem]:
    """Return problems of wheels that slip sideways under the friction law."""
    along = scene.link_friction[:, :2]
    if scene.ground.law != "unit_velocity" or bool(along.all()):
        return []
    ratchets = np.flatnonzero((along == 0.0).sum(axis=1) == 1)
    fixes = (Fix("Use the ellipse law", (("ground.law", "ellipse"),)),)
    if len(ratchets):
        link = ratchets[0] + 1
        message = f"link {link} has no friction in one direction, which the unit-velocity law does not support"
        remedy = 'set ground.law to "ellipse", or set friction in both directions'
        return [
            Problem("error", "ground.law", message, remedy, links=(int(ratchets[0]),), fixes=fixes)
        ]
    message = "links without friction along their axes slip sideways when rolling under the unit-velocity law"
    return [
        Problem(
            "warning",
            "ground.law",
            message,
            'set ground.law to "ellipse" for wheels that hold',
            fixes=fixes,
        )
    ]


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return errors and warnings of `scene`.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    """
    problems = checks.joint_shape(scene.robot) or _joints_out_of_the_plane(scene)
    problems += ground_friction_problems(scene, base_dir)
    if problems:
        return problems
    try:
        q, u = planar_pose(scene, base_dir)
    except SceneError as error:
        return [checks.unusable_file(error)]
    problems += _bent_where_fixed(scene, q)
    problems += planar_checks.explicit_state(scene, q, base_dir)
    problems += obstacle_problems(scene.obstacles, max(link.radius for link in scene.robot.links))
    problems += overlaps(scene, q)
    problems += crossing.likely_crossings(scene, base_dir, u[:, :2], u[:, TURN])
    problems += checks.joint_limits(scene, initial_joint_angles(scene, base_dir))
    problems += planar_checks.ignored_pitch(scene)
    problems += smooth_checks.ignored_values(scene, joints=OF_JOINTS)
    problems += checks.joint_control(scene, largest_stable_step)
    problems += checks.endless_soft_start(scene)
    return problems + _wheels_that_slip(scene) + checks.missing_friction(scene)
