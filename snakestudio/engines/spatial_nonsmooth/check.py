"""Errors and warnings of a scene for this formulation, in numpy only (without compiled code)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines import checks, crossing, start_checks
from snakestudio.engines.spatial_nonsmooth.geometry import (
    BODY_AXIS,
    arms,
    contact_segments,
    joint_axes,
    link_values,
    missing_turn,
)
from snakestudio.engines.spatial_nonsmooth.overlap import depth_in_solid
from snakestudio.errors import Problem, SceneError
from snakestudio.kernels.axes import X, Z
from snakestudio.model.ground_friction import ground_friction_problems
from snakestudio.model.motion import PlacedStart
from snakestudio.model.obstacles.outlines import plan_boxes
from snakestudio.model.obstacles.shape import obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Relief, Solid
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.robot.robot import Joint, Robot
from snakestudio.model.rotations import matrices, rotation
from snakestudio.model.scene import Scene

MOST_HEIGHTS = 20_000_000
"""Largest total number of points of height fields; more would need gigabytes during preparation."""

SQUARENESS = 1e-3
"""Largest deviation of a joint's axes from perpendicular in an explicit state, rad (P1 (19): z_k .
y_k+1 = 0)."""

LONGEST = 24
"""Number of links that is sufficient for the stability bound of longer chains, because their
stiffest mode is local."""


def _joint_response(robot: Robot, angles: FloatArray) -> FloatArray:
    """Return accelerations due to unit torques about the joint axes on the free chain, (a, a), 1/(kg m^2).

    D M^-1 D^T in the paper's coordinates: here the joint angles are coordinates themselves, in
    addition to the motion of the first link, and this is their block of the inverse mass matrix.
    Rows are in the order of the axes.

    Parameters
    ----------
    robot : Robot
        Robot whose first `LONGEST` links are used.
    angles : (m,)
        Angles of its axes, rad; a is the number of axes between the used links.
    """
    n = min(robot.n_links, LONGEST)
    angles = np.ravel(angles)
    rear, front = arms(robot)
    centre = np.zeros((n, 3))
    along = np.zeros((n, 3))
    turn = np.eye(3)
    directions: list[FloatArray] = []
    points: list[FloatArray] = []
    joints: list[int] = []
    for k in range(n):
        along[k] = turn[:, X]
        if k == n - 1:
            break
        at = centre[k] + front[k] * along[k]
        joint = robot.joint_list[k]
        for name in joint.axes:
            angle = float(angles[len(joints)])
            directions.append(turn[:, BODY_AXIS[name]])
            points.append(at)
            joints.append(k)
            turn = turn @ rotation(
                *(angle if name == kind else 0.0 for kind in ("yaw", "pitch", "roll"))
            )
            if name == "yaw":
                at = at + joint.axis_offset * turn[:, X]
        centre[k + 1] = at + rear[k + 1] * turn[:, X]
    axes = np.array(directions).reshape(-1, 3)
    point = np.array(points).reshape(-1, 3)
    moves = (np.arange(n)[:, None] > np.array(joints))[:, :, None]  # links behind the joint
    omega = np.zeros((n, 3, 6 + len(axes)))
    velocity = np.zeros_like(omega)
    velocity[:, :, :3] = omega[:, :, 3:6] = np.eye(3)
    velocity[:, :, 3:6] = np.cross(np.eye(3), (centre - centre[0])[:, None, :]).swapaxes(1, 2)
    omega[:, :, 6:] = (moves * axes).swapaxes(1, 2)
    velocity[:, :, 6:] = (moves * np.cross(axes, centre[:, None, :] - point)).swapaxes(1, 2)
    spin = np.einsum("ki,kij->kj", along, omega)
    own, across, axial = (
        link_values(robot, name)[:n] for name in ("mass", "inertia", "axial_inertia")
    )
    mass = np.einsum("k,kij,kil->jl", own, velocity, velocity)
    mass += np.einsum("k,kij,kil->jl", across, omega, omega)
    mass += np.einsum("k,kj,kl->jl", axial - across, spin, spin)
    response = np.linalg.inv(mass)[6:, 6:]
    return 0.5 * (response + response.T)


def largest_stable_step(scene: Scene) -> float:
    """Return the largest step for which explicit joint controllers are stable, straight and in gait poses, s."""
    robot = scene.robot
    waves = scene.waves
    values = scene.axis_values
    joints = np.array([axis.joint for axis in scene.body.axes], dtype=np.int64)
    count = int(np.count_nonzero(joints < LONGEST - 1))
    if not count:
        return math.inf
    poses = [np.zeros(len(joints))]
    for phase in np.linspace(0.0, math.pi, 4, endpoint=False):
        pose = np.zeros(len(joints))
        for kind, wave in waves.of_kinds:
            own = np.array([axis.kind == kind for axis in scene.body.axes])
            pose[own] = waves.angles(wave, joints[own], phase + wave.phase)
        poses.append(pose)
    responses = (_joint_response(robot, pose) for pose in poses)
    return checks.largest_stable_step(
        responses, values.kp[:count], values.kd[:count], values.rotor[:count]
    )


def _given_state(scene: Scene, pose: FloatArray, twist: FloatArray) -> list[Problem]:
    """Return problems of explicit link states without direction, or that do not match at joints, also in motion."""
    problems = start_checks.unit_quaternions(scene, pose)
    if problems or len(pose) < 2:
        return problems
    robot = scene.robot
    turns = matrices(pose[:, 3:])
    rear, front = arms(robot)
    joints = robot.joint_list
    axes = np.array([joint_axes(*at) for at in zip(joints, turns[:-1], turns[1:], strict=True)])
    # The piece between yaw and pitch axis; the offset is 0 unless a joint has both.
    first, second, _ = np.moveaxis(axes, 1, 0)
    piece = np.array([joint.axis_offset for joint in joints])[:, None] * np.cross(second, first)
    ahead = front[:-1, None] * turns[:-1, :, X] + piece
    behind = -rear[1:, None] * turns[1:, :, X]
    problems = checks.joint_gaps(pose[:-1, :3] + ahead, pose[1:, :3] + behind)
    skew = np.array([missing_turn(*at) for at in zip(joints, turns[:-1], turns[1:], strict=True)])
    if skew.max() > SQUARENESS:
        worst = int(skew.argmax())
        forbids = _FORBIDS[len(joints[worst].axes)]
        problems.append(
            Problem(
                "error",
                "start",
                f"joint {worst + 1} is twisted by {math.degrees(skew[worst]):.3g}°, {forbids}",
                _turning(joints[worst]),
                links=(worst, worst + 1),
            )
        )
    if problems:
        return problems
    return start_checks.separating_velocities(
        scene, twist, ahead, behind, axes, np.cross(first, piece)
    )


_FORBIDS = ("but it is fixed", "which its axis does not allow", "which its two axes do not allow")


def _turning(joint: Joint) -> str:
    """Return a remedy that aligns the links at a joint."""
    if joint.axes == ("yaw", "pitch"):
        return "turn each link about z of the link before, then about its own y, or start from joint angles"
    if not joint.axes:
        return "give both links the same orientation, or start from joint angles"
    names = ", then ".join(f"{'xyz'[BODY_AXIS[name]]} ({name})" for name in joint.axes)
    return f"turn the link behind only about {names}, or start from joint angles"


def _in_the_ground(scene: Scene, pose: FloatArray, axis: FloatArray) -> list[Problem]:
    """Return the problem of links that start below the ground."""
    rear, front = contact_segments(scene.robot)
    lowest = np.minimum(rear * axis[:, Z], front * axis[:, Z])
    depth = link_values(scene.robot, "radius") - lowest - pose[:, Z]
    sunk = np.flatnonzero(depth > checks.TOLERATED)
    if not len(sunk):
        return []
    deepest = int(depth.argmax())
    placed = isinstance(scene.start, PlacedStart)
    return [
        Problem(
            "error",
            "start.z_m" if placed else "start",
            f"link {deepest + 1} starts {1e3 * depth[deepest]:.3g} mm below the ground",
            "raise the start"
            + (", or remove z_m to place the robot on the ground" if placed else ""),
            links=tuple(int(k) for k in sunk),
        )
    ]


def _obstacles(
    scene: Scene, base_dir: Path | None, centre: FloatArray, axis: FloatArray
) -> list[Problem]:
    """Return problems of unusable obstacles, and of links that start inside one; one problem per obstacle."""
    problems = []
    rear, front = contact_segments(scene.robot)
    half = 0.5 * (front - rear)
    radius = link_values(scene.robot, "radius")
    centre = centre + (0.5 * (rear + front))[:, None] * axis  # middles of the contact segments
    reach = float((half + radius).max())
    boxes = plan_boxes(scene.obstacles)
    low = centre[:, :2].min(axis=0) - reach
    high = centre[:, :2].max(axis=0) + reach
    near = ((boxes.low <= high) & (boxes.high >= low)).all(axis=1)
    points = 0
    for j, obstacle in enumerate(scene.obstacles):
        if not near[j] and not shape_of(obstacle).files:  # files can be missing
            continue
        try:
            solids = obstacle_solids(obstacle, base_dir)
        except SceneError as error:
            for p in error.problems:
                problems.append(
                    Problem(
                        p.severity,
                        f"obstacles[{j + 1}].{p.key}",
                        p.message,
                        p.remedy,
                        obstacles=(j,),
                    )
                )
            continue
        own = sum(solid.heights.size for solid in solids if isinstance(solid, Relief))
        if own:
            points += own
            if points > MOST_HEIGHTS:
                what = f"the height fields have more than {MOST_HEIGHTS} points in total"
                remedy = "remove some, or use smaller images"
                problems.append(
                    Problem("error", f"obstacles[{j + 1}]", what, remedy, obstacles=(j,))
                )
                break
        depth = np.max(
            [depth_in_solid(solid, centre, axis, half, radius) for solid in solids], axis=0
        )
        inside = np.flatnonzero(depth > checks.TOLERATED)
        if len(inside):
            links = [int(k) for k in inside[np.argsort(-depth[inside])]]

            few = len(problems) < checks.MAX_FIXED_OBSTACLES

            def clear(shift: FloatArray, solids: Sequence[Solid] = solids) -> bool:
                # equivalent to moving the robot in the opposite direction
                from_it = centre - [shift[0], shift[1], 0.0]
                return all(
                    depth_in_solid(solid, from_it, axis, half, radius).max() < 0.0
                    for solid in solids
                )

            problems.append(
                checks.inside_obstacle(
                    scene, j, links, float(depth[links[0]]), clear if few else None
                )
            )
    return problems


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return errors and warnings of `scene`.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
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
        problems += checks.joint_limits(scene, initial_joint_angles(scene, base_dir))
        problems += crossing.likely_crossings(scene, base_dir, twist[:, :3], twist[:, 3:])
    problems += ground_friction_problems(scene, base_dir)
    problems += checks.joint_control(scene, largest_stable_step)
    problems += checks.endless_soft_start(scene)
    return problems + checks.missing_friction(scene)
