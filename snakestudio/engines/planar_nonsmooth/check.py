"""What is wrong or doubtful in a scene for this formulation, in plain numpy (no compiled code is loaded for it)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import Problem, SceneError
from snakestudio.model.motion import JointAnglesStart, StateStart
from snakestudio.model.pose import initial_state, planar_pose
from snakestudio.model.scene import Scene

__all__ = ["check", "largest_stable_step"]

FloatArray = NDArray[np.float64]

TOLERATED = 1e-3
"""Overlap with an obstacle and gap in a joint up to which a start is accepted, m."""

TILT = 1e-3
"""Angle up to which a given orientation counts as flat, rad."""


def _stiffest_mode(theta: FloatArray, mass: float, inertia: float, length: float) -> float:
    """Largest eigenvalue, 1/(kg m^2), of a free chain with link directions `theta`.

    Linearised, its joints obey phi'' = -D Q D^T (K_P phi + K_D phi'): Q is the inverse of the mass matrix in the
    coordinates (x, y of the rear end, all link angles), and D takes differences of link angles.
    """
    n = len(theta)
    normal = np.column_stack([-np.sin(theta), np.cos(theta)])
    reach = np.tril(np.full((n, n), length), -1) + np.diag(np.full(n, 0.5 * length))
    velocity = np.zeros((n, 2, n + 2))
    velocity[:, :, :2] = np.eye(2)
    velocity[:, :, 2:] = reach[:, None, :] * normal.T[None, :, :]
    rows = velocity.reshape(2 * n, n + 2)
    mass_matrix = mass * rows.T @ rows
    mass_matrix[2:, 2:] += inertia * np.eye(n)
    difference = np.zeros((n - 1, n + 2))
    difference[np.arange(n - 1), np.arange(2, n + 1)] = -1.0
    difference[np.arange(n - 1), np.arange(3, n + 2)] = 1.0
    response = difference @ np.linalg.solve(mass_matrix, difference.T)
    return float(np.linalg.eigvalsh(0.5 * (response + response.T))[-1])


def largest_stable_step(scene: Scene) -> float:
    """Step up to which the joint controllers are stable on the free chain in the poses of the gait, s.

    They are evaluated at (q_M, u_A). One mode x'' = -lambda (K_P x + K_D x') under the midpoint scheme then has trace
    2 - A - b and determinant 1 - b with A = lambda K_P dt^2, b = lambda K_D dt; both its eigenvalues lie in the unit
    disc while A + 2 b <= 4. Of a longer chain sixty links are enough: its stiffest mode is a local one.
    """
    robot, gait, gains = scene.robot, scene.gait, scene.joint_controller
    joints = np.arange(min(robot.n_links, 60) - 1)
    stiffest = 0.0
    for phase in np.linspace(0.0, math.pi, 6, endpoint=False):
        angle = gait.amplitude * np.sin(phase + joints * gait.phase_shift) + gait.offset
        theta = np.concatenate([[0.0], np.cumsum(angle)])
        mode = _stiffest_mode(theta, robot.mass_kg, robot.inertia_kg_m2, robot.link_length_m)
        stiffest = max(stiffest, mode)
    kp, kd = gains.kp_nm_per_rad * stiffest, gains.kd_nms_per_rad * stiffest
    if kp > 0.0:
        return 4.0 / (math.sqrt(kd * kd + 4.0 * kp) + kd)
    return 2.0 / kd if kd > 0.0 else math.inf


def _flatness(scene: Scene, base_dir: Path | None) -> list[Problem]:
    """Whether a given state lies flat and moves in the plane."""
    pose, twist = initial_state(scene, base_dir)
    problems = []
    x, y = pose[:, 4], pose[:, 5]
    tilted = np.flatnonzero(2.0 * np.hypot(x, y) > TILT)
    if len(tilted):
        problems.append(
            Problem(
                "error",
                "start.orientation_wxyz",
                f"link {tilted[0] + 1} does not lie flat, and this model is planar",
                "turn the links about z only, or choose a spatial model",
                links=tuple(int(i) for i in tilted),
            )
        )
    if np.any(np.abs(twist[:, 2:5]) > 1e-6):
        problems.append(
            Problem(
                "warning",
                "start.velocity_m_s",
                "velocities out of the plane are left out by this planar model",
                "give velocities along x and y and angular velocities about z",
            )
        )
    return problems


def _joint_gaps(scene: Scene, q: FloatArray) -> list[Problem]:
    """Whether the joints of a given state are closed."""
    axis = 0.5 * scene.robot.link_length_m * np.column_stack([np.cos(q[:, 2]), np.sin(q[:, 2])])
    gap = np.linalg.norm(q[1:, :2] - axis[1:] - q[:-1, :2] - axis[:-1], axis=1)
    if not len(gap) or not gap.max() > TOLERATED:
        return []
    worst = int(gap.argmax())
    return [
        Problem(
            "error",
            "start",
            f"joint {worst + 1} is open by {1e3 * gap[worst]:.3g} mm",
            "give positions that fit robot.link_length_m, or start from link angles",
            links=(worst, worst + 1),
        )
    ]


def _overlaps(scene: Scene, q: FloatArray) -> list[Problem]:
    """Links that start inside an obstacle; one finding for each obstacle."""
    if not scene.obstacles:
        return []
    robot = scene.robot
    circles = np.array([(o.x_m, o.y_m, o.radius_m) for o in scene.obstacles])
    reach = robot.contact_half_length_m + robot.radius_m
    low, high = q[:, :2].min(axis=0) - reach, q[:, :2].max(axis=0) + reach
    near = np.all((circles[:, :2] + circles[:, 2:] >= low) & (circles[:, :2] - circles[:, 2:] <= high), axis=1)
    problems = []
    for j in np.flatnonzero(near):
        away = circles[j, :2] - q[:, :2]
        axis = np.column_stack([np.cos(q[:, 2]), np.sin(q[:, 2])])
        half = robot.contact_half_length_m
        lever = np.clip(np.einsum("ij,ij->i", away, axis), -half, half)
        gap = np.linalg.norm(lever[:, None] * axis - away, axis=1) - circles[j, 2] - robot.radius_m
        k = int(gap.argmin())
        if gap[k] < -TOLERATED:
            name = scene.obstacles[j].name
            called = f" ({name})" if name else ""
            problems.append(
                Problem(
                    "error",
                    f"obstacles[{j + 1}]",
                    f"link {k + 1} starts {-1e3 * gap[k]:.3g} mm deep inside obstacle {j + 1}{called}",
                    "move the obstacle or the start",
                    obstacles=(int(j),),
                    links=(k,),
                )
            )
    return problems


def _joint_stops(scene: Scene, q: FloatArray) -> list[Problem]:
    """Whether gait and start keep within the joints' stops."""
    limit = scene.robot.joint_limit_deg
    if limit is None:
        return []
    problems = []
    reach = scene.gait.amplitude_deg + abs(scene.gait.offset_deg)
    if reach > limit:
        problems.append(
            Problem(
                "error",
                "gait.amplitude_deg",
                f"amplitude and offset reach {reach:g}° but the joints stop at {limit:g}°",
                "reduce gait.amplitude_deg or gait.offset_deg, or raise robot.joint_limit_deg",
            )
        )
    angle = np.degrees(np.abs(np.diff(q[:, 2])))
    if len(angle) and angle.max() > limit + 1e-9:
        worst = int(angle.argmax())
        key = "start.joint_angles_deg" if isinstance(scene.start, JointAnglesStart) else "start"
        problems.append(
            Problem(
                "error",
                key,
                f"joint {worst + 1} starts at {angle[worst]:.4g}° but the joints stop at {limit:g}°",
                "start with smaller joint angles, or raise robot.joint_limit_deg",
                links=(worst, worst + 1),
            )
        )
    return problems


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """What is wrong or doubtful in `scene`.

    Parameters
    ----------
    scene : Scene
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    problems = []
    try:
        q, _ = planar_pose(scene, base_dir)
    except SceneError as error:
        key, _, message = str(error).partition(": ")
        what, _, remedy = message.rpartition("; ")
        return [Problem("error", key, what or message.rstrip("."), remedy.rstrip(".") if what else "")]
    if scene.start.kind in ("state", "recording"):
        problems += _flatness(scene, base_dir)
        if isinstance(scene.start, StateStart) or scene.start.kind == "recording":
            problems += _joint_gaps(scene, q)
    problems += _overlaps(scene, q)
    problems += _joint_stops(scene, q)
    rough = [j for j, obstacle in enumerate(scene.obstacles) if obstacle.friction > 0.0]
    if rough:
        friction = scene.obstacles[rough[0]].friction
        problems.append(
            Problem(
                "error",
                f"obstacles[{rough[0] + 1}].friction",
                f"{friction:g} cannot be: this model's obstacles are frictionless (P2)",
                "set it to 0",
                obstacles=tuple(rough),
            )
        )
    stable = largest_stable_step(scene)
    if scene.solver.step_s > stable:
        problems.append(
            Problem(
                "warning",
                "solver.step_s",
                f"{scene.solver.step_s:g} s is too long for the joint controllers' gains: the joints will oscillate",
                f"take at most {stable:.3g} s, or smaller gains",
            )
        )
    ground = scene.ground
    if ground.mu_along == 0.0 and ground.mu_across == 0.0:
        problems.append(
            Problem("hint", "ground.mu_along", "the ground has no friction at all", "raise it if that is not meant")
        )
    elif ground.gravity[2] == 0.0:
        problems.append(
            Problem(
                "hint",
                "ground.gravity_m_s2",
                "nothing presses the links on the ground, so there is no friction",
                "raise gravity or reduce the slope if that is not meant",
            )
        )
    return problems
