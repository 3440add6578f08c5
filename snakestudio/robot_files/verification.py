"""Comparison of an imported robot with sums over the bodies of its file, independent of the conversion.

Masses, number of axes, centre of mass, inertia and the axes at rest must agree, except for the effects that notes of
the conversion state as data. A difference that they do not explain is an error of the conversion.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.robot.robot import Robot
from snakestudio.robot_files.description import JointDescription, Placement, RobotDescription
from snakestudio.robot_files.joint_values import AxisFields
from snakestudio.robot_files.notes import Change, Effect
from snakestudio.robot_files.reading import names_text
from snakestudio.text import counted

_ROUNDING = 1e-5
"""Relative difference of values that the conversion rounds or unifies."""

_AXES = {"hinge": 1, "ball": 3}
"""Number of axes of each kind of joint."""

_DIRECTIONS = {"roll": 0, "pitch": 1, "yaw": 2}


@dataclass(slots=True, eq=False)
class _Whole:
    """A robot at rest as one rigid body with axes, in the world of the file."""

    mass: float
    centre: FloatArray
    """(3,), m."""
    inertia: FloatArray
    """About the centre, (3, 3), kg m^2."""
    names: list[str]
    """Joint of each axis."""
    points: FloatArray
    """(n, 3), a point on each axis, m."""
    axes: FloatArray
    """(n, 3), unit vectors; 0 for the axes of a ball joint."""


def differences(
    description: RobotDescription,
    robot: Robot,
    axes: Sequence[AxisFields],
    first: Placement,
    changes: Sequence[Change],
) -> list[str]:
    """Return the differences between an imported robot and its file that no change explains, as clauses.

    Names of joints must be unique.

    Parameters
    ----------
    first : Placement
        Frame of the first link in the world of the file: its middle, x along the link.
    """
    removed = {body for c in changes if c.effect == Effect.BODIES_LEFT_OUT for body in c.bodies}
    left_out = {joint for c in changes if c.effect == Effect.JOINTS_LEFT_OUT for joint in c.joints}
    file = _of_file(description, removed)
    scene = _of_scene(robot, axes, first)
    result = _axis_differences(_expected(description, left_out), Counter(scene.names))
    amount = dict.fromkeys(Effect, 0.0)
    for change in changes:
        amount[change.effect] += change.amount
    masses_known = not any(change.effect == Effect.MASSES_CHOSEN for change in changes)
    reach = _reach(file, scene)
    # An axis that is turned at one end moves the other one.
    pose = amount[Effect.JOINT_MOVED] + (amount[Effect.AXIS_TURNED] + _ROUNDING) * 2.0 * reach
    if not result:
        result += _pose_differences(file, scene, pose, amount[Effect.AXIS_TURNED])
    if not masses_known:
        return result
    if abs(file.mass - scene.mass) > _ROUNDING * file.mass:
        result.append(
            f"its mass is {scene.mass:.6g} kg, but that of the bodies in the file is {file.mass:.6g} kg"
        )
        return result
    gap = float(np.linalg.norm(file.centre - scene.centre))
    if gap * file.mass > amount[Effect.MASS_MOVED] + file.mass * pose:
        result.append(f"its centre of mass is {1e3 * gap:.3g} mm from that of the file")
    explained = (
        amount[Effect.INERTIA_CHANGED]
        + 4.0 * reach * amount[Effect.MASS_MOVED]
        + file.mass * pose * (4.0 * reach + pose)
        + _ROUNDING * float(np.abs(file.inertia).max())
    )
    unlike = float(np.abs(file.inertia - scene.inertia).max())
    if not unlike <= explained:
        result.append(
            f"its moments of inertia at rest differ from those of the file by {unlike:.3g} kg m²"
        )
    return result


def _reach(file: _Whole, scene: _Whole) -> float:
    """Return the largest distance of an axis from the centre of mass, m."""
    gaps = np.concatenate([file.points - file.centre, scene.points - scene.centre])
    return float(np.linalg.norm(gaps, axis=1).max(initial=1e-3))


def _expected(description: RobotDescription, left_out: set[str]) -> Counter[str]:
    """Return the number of axes by the name of their joint, without the joints that were left out."""
    return Counter(
        {
            joint.name: _AXES[joint.kind]
            for body in description.bodies
            for joint in body.joints
            if joint.kind in _AXES and joint.name not in left_out
        }
    )


def _axis_differences(expected: Counter[str], own: Counter[str]) -> list[str]:
    result = []
    for counts, text in (
        (expected - own, "it has {} less than the file ({})"),
        (own - expected, "it has {} more than the file ({})"),
    ):
        if counts:
            number = counted(counts.total(), "axis", "axes")
            result.append(text.format(number, names_text(counts)))
    return result


def _pose_differences(file: _Whole, scene: _Whole, distance: float, angle: float) -> list[str]:
    """Return the axes that are at another position or have another direction than in the file."""
    places = {name: row for row, name in enumerate(file.names)}
    rows = [places[name] for name in scene.names]
    directions = file.axes[rows]
    off = _distances(file, rows, scene.points)
    sines = np.linalg.norm(np.cross(scene.axes, directions), axis=1)
    result = []
    worst = int(off.argmax())
    if off[worst] > distance:
        result.append(
            f"joint {scene.names[worst]} is {1e3 * off[worst]:.3g} mm from its axis in the file"
        )
    worst = int(sines.argmax())
    if sines[worst] > angle + _ROUNDING:
        turn = math.degrees(math.asin(min(1.0, float(sines[worst]))))
        result.append(
            f"the axis of joint {scene.names[worst]} is {turn:.3g}° from that in the file"
        )
    return result


def _distances(file: _Whole, rows: Sequence[int], points: FloatArray) -> FloatArray:
    """Return the distance of each point from its axis in the file; those of a ball joint have no direction."""
    directions = file.axes[rows]
    gaps = points - file.points[rows]
    across = gaps - (gaps * directions).sum(axis=1)[:, None] * directions
    result: FloatArray = np.linalg.norm(across, axis=1)
    return result


# --- the file ---------------------------------------------------------------------------------------


def _of_file(description: RobotDescription, removed: set[int]) -> _Whole:
    poses: list[tuple[FloatArray, FloatArray]] = []
    parts: list[tuple[float, FloatArray, FloatArray]] = []
    names: list[str] = []
    points: list[FloatArray] = []
    axes: list[FloatArray] = []
    for index, body in enumerate(description.bodies):
        turn = body.placement.rotation
        position = body.placement.position
        if body.parent >= 0:
            outer, origin = poses[body.parent]
            position = origin + outer @ position
            turn = outer @ turn
        for joint in body.joints:
            count = _AXES.get(joint.kind, 0)
            if count:
                names += [joint.name] * count
                points += [position + turn @ joint.position] * count
                axes += [turn @ joint.axis if count == 1 else np.zeros(3)] * count
            value = _rest(joint)
            if joint.kind == "slide":
                position = position + value * turn @ joint.axis
            elif value:
                anchor = position + turn @ joint.position
                turn = turn @ _rotation(joint.axis, value)
                position = anchor - turn @ joint.position
        poses.append((turn, position))
        if body.inertial is not None and index not in removed:
            parts.append(
                (
                    body.inertial.mass,
                    position + turn @ body.inertial.centre,
                    turn @ body.inertial.inertia @ turn.T,
                )
            )
    mass, centre, inertia = _sum(parts)
    return _Whole(mass, centre, inertia, names, _rows(points), _rows(axes))


def _rows(vectors: Sequence[FloatArray]) -> FloatArray:
    return np.array(vectors, dtype=np.float64).reshape(-1, 3)


def _rest(joint: JointDescription) -> float:
    """Return the position of a joint at rest, rad or m: 0, or its limits if they are equal."""
    held = joint.kind in ("hinge", "slide") and joint.upper - joint.lower < 1e-9
    return joint.lower if held else 0.0


def _rotation(axis: FloatArray, angle: float) -> FloatArray:
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn: FloatArray = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return turn


def _sum(
    parts: Sequence[tuple[float, FloatArray, FloatArray]],
) -> tuple[float, FloatArray, FloatArray]:
    """Return mass, centre of mass and inertia about it; parts without a mass are frames."""
    parts = [part for part in parts if part[0] > 0]
    mass = sum(part[0] for part in parts)
    centre = sum((m * c for m, c, _ in parts), np.zeros(3)) / (mass or 1.0)
    inertia = np.zeros((3, 3))
    for own, position, table in parts:
        x, y, z = position - centre
        inertia += table + own * np.array(
            [
                [y * y + z * z, -x * y, -x * z],
                [-x * y, x * x + z * z, -y * z],
                [-x * z, -y * z, x * x + y * y],
            ]
        )
    return mass, centre, inertia


# --- the scene --------------------------------------------------------------------------------------


def _of_scene(robot: Robot, axes: Sequence[AxisFields], first: Placement) -> _Whole:
    """Return the robot of the scene with the joints where those of the file are at rest."""
    turn = first.rotation
    middle = first.position
    parts = []
    points = []
    directions = []
    remaining = iter(axes)
    for k, link in enumerate(robot.links):
        if k:
            joint = robot.joint_list[k - 1]
            half = 0.5 * joint.axis_offset
            point = middle + (0.5 * robot.links[k - 1].length - half) * turn[:, 0]
            for kind in joint.axes:
                if kind == "pitch":
                    point = point + 2.0 * half * turn[:, 0]
                column = _DIRECTIONS[kind]
                points.append(point)
                directions.append(turn[:, column])
                turn = turn @ _rotation(np.eye(3)[column], next(remaining).zero)
            middle = point + (0.5 * link.length - half) * turn[:, 0]
        table = np.diag([link.axial_inertia, link.inertia, link.inertia])
        parts.append((link.mass, middle + link.centre_of_mass * turn[:, 0], turn @ table @ turn.T))
    mass, centre, inertia = _sum(parts)
    names = [axis.name for axis in axes]
    return _Whole(mass, centre, inertia, names, _rows(points), _rows(directions))
