"""Errors and warnings of a scene for this formulation, in numpy only (without compiled code)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines import checks, planar_checks, smooth_checks
from snakestudio.engines.centred_map import centred_map, make_chain
from snakestudio.engines.smooth_joints import is_linearized, make_joints
from snakestudio.errors import Problem, SceneError
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.smooth_robot import SmoothJoints
from snakestudio.model.ground_friction import axial_friction, ground_friction_problems
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene

LONGEST_PIECE = 60
"""Number of links whose stability is analysed together."""


def _rest_friction(scene: Scene, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the slope of friction over velocity at rest, along and across each link, (n,) each, N s/m.

    For the roughest patch, without the factors given by formulas; `weight` (n,) is the load of the
    links on the ground, N.
    """
    ground = scene.ground
    with_axis, against_axis, sideways = np.moveaxis(axial_friction(scene.robot, ground), 2, 0)
    along = np.maximum(with_axis, against_axis).max(axis=0) * weight
    across = sideways.max(axis=0) * weight
    if ground.law == "ellipse":
        largest = np.maximum(np.maximum(along, across), 1e-300)
        along, across = along * (along / largest), across * (across / largest)
    smoothing = ground.coulomb_smoothing_m_s
    return (
        ground.viscous_along_ns_per_m + along / smoothing,
        ground.viscous_across_ns_per_m + across / smoothing,
    )


def _linear_motion(
    scene: Scene, law: SmoothJoints, first: int, angle: FloatArray, friction: bool
) -> FloatArray:
    """Return the matrix of the linearized motion about rest, for (joint angles, theta_1, p) and their rates.

    The links are those connected by the joint angles, from `first` (0-based) on. At rest, smoothed
    Coulomb friction is viscous and has its steepest slope.
    """
    joints = len(angle)
    n = joints + 1
    here = slice(first, first + n)
    between = slice(first, first + joints)
    chain = make_chain(scene.robot, here)
    theta = np.concatenate([[0.0], np.cumsum(angle)])
    axis = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    normal = np.stack([-axis[:, Y], axis[:, X]], axis=1)
    # Link angles and centre of mass as functions of these coordinates; then the velocities of the
    # links, (n, 2, n + 2).
    angles = np.zeros((n + 2, n + 2))
    angles[:n, :joints] = np.tril(np.ones((n, joints)), -1)
    angles[:n, joints] = 1.0
    angles[n:, n:] = np.eye(2)
    jacobian = np.zeros((n, 2, n + 2))
    levers = centred_map(n, chain.back, chain.weight) * chain.half
    jacobian[:, :, :n] = levers[:, None, :] * normal.T[None, :, :]
    jacobian[:, :, n:] = np.eye(2)
    jacobian = jacobian @ angles
    turning = angles[:n]
    mass = np.einsum("k,kai,kaj->ij", chain.mass, jacobian, jacobian) + turning.T @ (
        chain.inertia[:, None] * turning
    )
    damping = np.zeros_like(mass)
    if friction:
        load = np.array([link.mass for link in scene.robot.links]) * max(
            -scene.ground.gravity[2], 0.0
        )
        for direction, resistance in zip((axis, normal), _rest_friction(scene, load), strict=True):
            sliding = np.einsum("ka,kai->ki", direction, jacobian)
            damping += sliding.T @ (resistance[here, None] * sliding)
    stiffness = np.zeros_like(mass)
    free = slice(joints, None)
    own = np.arange(joints)
    stops = np.isfinite(law.lower) | np.isfinite(law.upper)
    stiffness[own, own] = (law.spring + law.stop_stiffness * stops)[between]
    damping[own, own] += law.damper[between]
    if is_linearized(scene):
        law_angle, law_rate = np.zeros((2, joints, n + 2))
        law_angle[own, own] = law.kp[between]
        law_rate[own, own] = law.kd[between]
        rest = np.linalg.inv(mass[free, free])
        from_angle = np.vstack([-law_angle, rest @ mass[free, :joints] @ law_angle])
        from_rate = np.vstack([-law_rate, rest @ (mass[free, :joints] @ law_rate - damping[free])])
    else:
        stiffness[own, own] += law.kp[between]
        damping[own, own] += law.kd[between]
        from_angle = -np.linalg.solve(mass, stiffness)
        from_rate = -np.linalg.solve(mass, damping)
    motion: FloatArray = np.block([[np.zeros_like(mass), np.eye(n + 2)], [from_angle, from_rate]])
    return motion


def _longest_step(eigenvalues: NDArray[np.complex128]) -> float:
    """Return the largest stable step of the classical Runge-Kutta scheme for modes with these eigenvalues, s."""
    size = np.abs(eigenvalues)
    decaying = eigenvalues[(size > 1e-3) & (eigenvalues.real <= 1e-6 * size)]
    if not len(decaying):
        return math.inf
    ray = decaying / np.abs(decaying)
    # Along each ray into the left half plane, the stable part is one interval from 0 to a limit
    # below 3.6.
    inner = np.zeros(len(ray))
    outer = np.full(len(ray), 4.0)
    for _ in range(40):
        middle = 0.5 * (inner + outer)
        z = middle * ray
        stable = np.abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))) <= 1.0
        inner = np.where(stable, middle, inner)
        outer = np.where(stable, outer, middle)
    return float((inner / np.abs(decaying)).min())


def largest_stable_step(scene: Scene, friction: bool = True) -> float:
    """Return the largest step for which the scheme is stable in the poses of the gait, with or without friction, s.

    For longer chains of equal links, sixty links are sufficient because the stiffest mode is local;
    chains of unequal links are analysed in pieces of that length.
    """
    yaw = scene.waves.yaw
    n = scene.robot.n_links
    law = make_joints(scene, is_linearized(scene), stops=False)
    most = min(n, LONGEST_PIECE)
    alike = scene.robot.equal_links and not scene.robot.joint
    begins = [0] if alike else sorted({*range(0, n - most, max(1, most // 2)), n - most})
    joints = np.arange(most - 1)
    phases = np.linspace(0.0, math.pi, 6 if len(begins) == 1 else 2, endpoint=False)
    waves = [
        yaw.amplitude * np.sin(phase + joints * yaw.phase_shift) + yaw.offset for phase in phases
    ]
    straight = [] if scene.controller.uses_gait else [np.zeros(len(joints))]
    steps = [
        _longest_step(
            np.linalg.eigvals(_linear_motion(scene, law, first, angle, friction)).astype(
                np.complex128
            )
        )
        for first in begins
        for angle in (*straight, *waves)
    ]
    return min(steps)


def _step_length(scene: Scene) -> list[Problem]:
    """Return the problem of a time step that is too long for joint controllers or friction."""
    problems = checks.long_step(scene, largest_stable_step(scene, friction=False))
    if problems:
        return problems
    stable = largest_stable_step(scene)
    if scene.solver.step_s <= stable:
        return []
    return [
        Problem(
            "warning",
            "solver.step_s",
            f"{scene.solver.step_s:g} s is too long for such stiff friction: slow links will oscillate",
            f"set it to at most {stable:.3g} s, or increase ground.coulomb_smoothing_m_s",
        )
    ]


def _obstacles(scene: Scene) -> list[Problem]:
    """Return the problem of obstacles, which this model does not support."""
    if not scene.obstacles:
        return []
    return [
        Problem(
            "error",
            "obstacles",
            "this model does not support obstacles",
            'remove them, or set model.kind to "planar_nonsmooth", "planar_nonholonomic" or "spatial_nonsmooth"',
            obstacles=tuple(range(len(scene.obstacles))),
        )
    ]


def _no_friction(scene: Scene) -> list[Problem]:
    """Return problems of missing friction; viscous friction needs no load."""
    ground = scene.ground
    if ground.viscous_along_ns_per_m or ground.viscous_across_ns_per_m:
        return []
    return checks.missing_friction(scene)


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return errors and warnings of `scene`.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    """
    problems = smooth_checks.joint_problems(scene)
    problems += ground_friction_problems(scene, base_dir)
    if any(problem.severity == "error" for problem in problems):
        return problems
    try:
        q, _ = planar_pose(scene, base_dir)
    except SceneError as error:
        return [checks.unusable_file(error)]
    problems += planar_checks.explicit_state(scene, q, base_dir)
    problems += _obstacles(scene)
    problems += planar_checks.ignored_pitch(scene)
    problems += _step_length(scene)
    problems += checks.endless_soft_start(scene)
    return problems + _no_friction(scene)
