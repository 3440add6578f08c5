"""What is wrong or doubtful in a scene for this formulation, in plain numpy (no compiled code is loaded for it)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines import checks, crossing, start_checks
from snakestudio.engines.spatial_nonsmooth.overlap import depth_in_solid
from snakestudio.errors import Problem, SceneError
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.model.motion import PlacedStart
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.model.obstacles.shape import obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Relief, Solid
from snakestudio.model.robot.chain import chain
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.robot.robot import Robot
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene

__all__ = ["check", "largest_stable_step"]


MOST_HEIGHTS = 20_000_000
"""Points of all height fields together: more take gigabytes while they are prepared."""

SQUARENESS = 1e-3
"""How far the axes of a joint may be from square in a given state, rad (P1 (19): z_k . y_k+1 = 0)."""

LONGEST = 24
"""Of a longer chain so many links are enough for the stability bound: its stiffest mode is a local one."""


def _joint_response(robot: Robot, angles: FloatArray) -> FloatArray:
    """Accelerations that unit torques about the joint axes make on the free chain, 1/(kg m^2).

    D M^-1 D^T of the paper's coordinates: here the joint angles are coordinates themselves, beside the motion of the
    first link, and it is their part of the inverse mass matrix. Rows in the order yaw 1, pitch 1, yaw 2 ...
    """
    same = {"n_links": len(angles) // 2 + 1, "link": (), "joint": (), "joints": "cardan"}
    cardan = robot.model_copy(update=same)
    centre, turns = chain(np.eye(3), angles, cardan, cardan.axes)
    n = len(centre)
    arm = 0.5 * (robot.link_length_m - robot.axis_offset_m)
    axes = np.stack([turns[:-1, :, Z], turns[1:, :, Y]], axis=1).reshape(-1, 3)  # z_k, y_k+1
    points = np.stack([centre[:-1] + arm * turns[:-1, :, X], centre[1:] - arm * turns[1:, :, X]], axis=1).reshape(-1, 3)
    moves = (np.arange(n)[:, None] > np.repeat(np.arange(n - 1), 2))[:, :, None]  # links behind the joint
    omega = np.zeros((n, 3, 6 + len(axes)))
    velocity = np.zeros_like(omega)
    velocity[:, :, :3] = omega[:, :, 3:6] = np.eye(3)
    velocity[:, :, 3:6] = np.cross(np.eye(3), (centre - centre[0])[:, None, :]).swapaxes(1, 2)
    omega[:, :, 6:] = (moves * axes).swapaxes(1, 2)
    velocity[:, :, 6:] = (moves * np.cross(axes, centre[:, None, :] - points)).swapaxes(1, 2)
    along = np.einsum("ki,kij->kj", turns[:, :, X], omega)
    mass = robot.mass_kg * np.einsum("kij,kil->jl", velocity, velocity)
    mass += robot.inertia_kg_m2 * np.einsum("kij,kil->jl", omega, omega)
    mass += (robot.axial_inertia_kg_m2 - robot.inertia_kg_m2) * along.T @ along
    response = np.linalg.inv(mass)[6:, 6:]
    return 0.5 * (response + response.T)


def largest_stable_step(scene: Scene) -> float:
    """Step up to which the explicit joint controllers are stable, straight and in the poses of the gait, s."""
    robot, gait = scene.robot, scene.gait
    joints = np.arange(min(robot.n_links, LONGEST) - 1)
    poses = [np.zeros(2 * len(joints))]
    for phase in np.linspace(0.0, math.pi, 4, endpoint=False):
        waves = (gait.yaw, gait.pitch)
        angle = [w.amplitude * np.sin(phase + joints * w.phase_shift + w.phase) + w.offset for w in waves]
        poses.append(np.column_stack(angle).ravel())
    responses = (_joint_response(robot, pose) for pose in poses)
    gains = scene.joint_controller
    return checks.largest_stable_step(responses, np.tile(gains.kp, len(joints)), np.tile(gains.kd, len(joints)))


def _given_state(scene: Scene, pose: FloatArray, twist: FloatArray) -> list[Problem]:
    """Whether the links of a given state have directions, and fit together in their joints, also as they move."""
    problems = start_checks.unit_quaternions(scene, pose)
    if problems:
        return problems
    robot, turns = scene.robot, matrices(pose[:, 3:])
    arm = 0.5 * (robot.link_length_m - robot.axis_offset_m)
    up, left = turns[:-1, :, Z], turns[1:, :, Y]
    front = pose[:-1, :3] + arm * turns[:-1, :, X] + robot.axis_offset_m * np.cross(left, up)
    problems = checks.joint_gaps(front, pose[1:, :3] - arm * turns[1:, :, X])
    skew = np.abs(np.arcsin(np.einsum("ki,ki->k", up, left).clip(-1.0, 1.0)))
    if len(skew) and skew.max() > SQUARENESS:
        worst = int(skew.argmax())
        problems.append(
            Problem(
                "error",
                "start",
                f"joint {worst + 1} is twisted by {math.degrees(skew[worst]):.3g}°, which its two axes do not allow",
                "turn the links about z of the link before, then about their own y, or start from joint angles",
                links=(worst, worst + 1),
            )
        )
    if problems:
        return problems
    piece = robot.axis_offset_m * np.cross(left, up)
    ahead, behind = arm * turns[:-1, :, X] + piece, -arm * turns[1:, :, X]
    return start_checks.torn_velocities(scene, twist, ahead, behind, np.stack([up, left], axis=1), np.cross(up, piece))


def _in_the_ground(scene: Scene, pose: FloatArray, axis: FloatArray) -> list[Problem]:
    """Whether links start in the ground."""
    robot = scene.robot
    depth = robot.radius_m + robot.contact_half_length_m * np.abs(axis[:, Z]) - pose[:, Z]
    sunk = np.flatnonzero(depth > checks.TOLERATED)
    if not len(sunk):
        return []
    deepest = int(depth.argmax())
    placed = isinstance(scene.start, PlacedStart)
    return [
        Problem(
            "error",
            "start.z_m" if placed else "start",
            f"link {deepest + 1} starts {1e3 * depth[deepest]:.3g} mm deep in the ground",
            "start higher" + (", or leave z_m out to let the robot lie on the ground" if placed else ""),
            links=tuple(int(k) for k in sunk),
        )
    ]


def _obstacles(scene: Scene, base_dir: Path | None, centre: FloatArray, axis: FloatArray) -> list[Problem]:
    """Obstacles that cannot be used, and links that start inside one; one finding for each obstacle."""
    problems = []
    half, radius = scene.robot.contact_half_length_m, scene.robot.radius_m
    reach = half + radius
    boxes = plan_boxes(scene.obstacles)
    low, high = centre[:, :2].min(axis=0) - reach, centre[:, :2].max(axis=0) + reach
    near = ((boxes.low <= high) & (boxes.high >= low)).all(axis=1)
    points = 0
    for j, obstacle in enumerate(scene.obstacles):
        if not near[j] and not shape_of(obstacle).files:  # which may be missing
            continue
        try:
            solids = obstacle_solids(obstacle, base_dir)
        except SceneError as error:
            for p in error.problems:
                problems.append(Problem(p.severity, f"obstacles[{j + 1}].{p.key}", p.message, p.remedy, obstacles=(j,)))
            continue
        own = sum(solid.heights.size for solid in solids if isinstance(solid, Relief))
        if own:
            points += own
            if points > MOST_HEIGHTS:
                what = f"the height fields have more than {MOST_HEIGHTS} points in all"
                remedy = "leave some out, or give them smaller pictures"
                problems.append(Problem("error", f"obstacles[{j + 1}]", what, remedy, obstacles=(j,)))
                break
        depth = np.max([depth_in_solid(solid, centre, axis, half, radius) for solid in solids], axis=0)
        inside = np.flatnonzero(depth > checks.TOLERATED)
        if len(inside):
            links = [int(k) for k in inside[np.argsort(-depth[inside])]]

            few = len(problems) < checks.MENDED

            def clear(shift: FloatArray, solids: Sequence[Solid] = solids) -> bool:
                from_it = centre - [shift[0], shift[1], 0.0]  # as if the robot had been moved the other way
                return all(depth_in_solid(solid, from_it, axis, half, radius).max() < 0.0 for solid in solids)

            problems.append(checks.inside_obstacle(scene, j, links, float(depth[links[0]]), clear if few else None))
    return problems


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
        pose, twist = initial_state(scene, base_dir)
    except SceneError as error:
        return [checks.unusable_file(error)]
    if not isinstance(scene.start, PlacedStart):
        problems += _given_state(scene, pose, twist)
    if not problems:
        axis = matrices(pose[:, 3:])[:, :, X]
        problems += _in_the_ground(scene, pose, axis)
        problems += _obstacles(scene, base_dir, pose[:, :3], axis)
        problems += checks.joint_stops(scene, initial_joint_angles(scene, base_dir))
        problems += crossing.foreseen(scene, base_dir, twist[:, :3], twist[:, 3:])
    problems += checks.joint_control(scene, largest_stable_step)
    problems += checks.soft_start_never_ends(scene)
    return problems + checks.slippery_ground(scene)
