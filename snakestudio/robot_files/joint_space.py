"""Inertia that a joint feels: the reciprocal of its acceleration per torque with all other joints free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import BodyDescription, JointDescription, Placement

_MOST = 3000
"""Largest number of degrees of freedom."""


def reflected_inertias(bodies: Sequence[BodyDescription]) -> dict[str, float]:
    """Return the reflected inertia of all hinges (kg m^2) and slides (kg) by name, in the pose with all joint angles 0.

    Rotor inertias are included. MuJoCo calls the reciprocal ``dof_invweight0``.

    Raises `InputError` if the robot has too many joints, or parts without mass that can move.
    """
    columns = _columns(bodies)
    count = sum(len(own) for _, own in columns)
    if count > _MOST:
        raise InputError(
            f"the robot has {count} degrees of freedom, more than {_MOST}", "choose a shorter one"
        )
    matrix, numbers = _matrix(bodies, columns, count)
    try:
        inverse = np.linalg.inv(matrix).diagonal()
    except np.linalg.LinAlgError:
        inverse = np.full(count, np.nan)
    if not (np.isfinite(inverse).all() and (inverse > 0.0).all()):
        raise InputError(
            "a part of the robot that can move has no mass", "give all links a mass and an inertia"
        )
    return {name: 1.0 / float(inverse[number]) for name, number in numbers.items()}


def _columns(
    bodies: Sequence[BodyDescription],
) -> list[tuple[Placement, list[tuple[JointDescription, FloatArray, FloatArray, FloatArray]]]]:
    """Return the world pose of each body, and its degrees of freedom: joint, turning axis, sliding axis and point."""
    result: list[
        tuple[Placement, list[tuple[JointDescription, FloatArray, FloatArray, FloatArray]]]
    ] = []
    for body in bodies:
        outer = Placement() if body.parent < 0 else result[body.parent][0]
        pose = outer.then(body.placement)
        own = []
        for joint in body.joints:
            point = pose.position + pose.rotation @ joint.position
            axis = pose.rotation @ joint.axis
            none = np.zeros(3)
            if joint.kind == "slide":
                own.append((joint, none, axis, point))
            elif joint.kind == "hinge":
                own.append((joint, axis, none, point))
            else:
                own += [(joint, each, none, point) for each in np.eye(3)]
            if joint.kind == "free":
                own += [(joint, none, each, point) for each in np.eye(3)]
        result.append((pose, own))
    return result


def _matrix(
    bodies: Sequence[BodyDescription],
    columns: Sequence[
        tuple[Placement, list[tuple[JointDescription, FloatArray, FloatArray, FloatArray]]]
    ],
    count: int,
) -> tuple[FloatArray, dict[str, int]]:
    """Return the joint-space inertia matrix, and the number of each hinge and slide in it."""
    matrix = np.zeros((count, count))
    turning, sliding, points = (np.zeros((count, 3)) for _ in range(3))
    numbers: dict[str, int] = {}
    above: list[list[int]] = []
    used = 0
    for body, (pose, own) in zip(bodies, columns, strict=True):
        moving = [] if body.parent < 0 else list(above[body.parent])
        for joint, turn, slide, point in own:
            turning[used], sliding[used], points[used] = turn, slide, point
            if joint.kind in ("hinge", "slide"):
                numbers[joint.name] = used
                matrix[used, used] += joint.armature
            moving.append(used)
            used += 1
        above.append(moving)
        inertial = body.inertial
        if inertial is None or not moving:
            continue
        centre = pose.position + pose.rotation @ inertial.centre
        inertia = pose.rotation @ inertial.inertia @ pose.rotation.T
        turn = turning[moving]
        move = sliding[moving] + np.cross(turn, centre - points[moving])
        matrix[np.ix_(moving, moving)] += inertial.mass * move @ move.T + turn @ inertia @ turn.T
    return matrix, numbers
