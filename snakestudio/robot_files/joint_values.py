"""Limits, motors, springs and dampers of the axes of an aligned chain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.model.robot.axis_values import with_rotors
from snakestudio.robot_files.alignment import Alignment
from snakestudio.robot_files.link_values import LinkValues
from snakestudio.robot_files.notes import Notes
from snakestudio.robot_files.rotations import rounded_angles

_FULL_TURN = 2.0 * math.pi
_SAG = 20.0
"""Stiffness per weight moment of a lifted quarter of the robot, N m/rad per N m: it sags by 1/20 rad."""

_STEPS = (2.5e-4, 1e-4, 5e-5, 2.5e-5)
_LONGEST = 1e-3
"""Largest time step of a file that is used, s: larger ones are meant for implicit controllers and soft
contacts."""

_LIMIT = 4.0
"""Stability limit of the eigenvalues of the explicit joint controllers over a time step."""

_WINDOW = 24
"""Number of links per window of a longer chain: its stiffest motions are local."""


@dataclass(slots=True)
class AxisFields:
    """Values of one axis; rad and N m. None: not in the file."""

    joint: int
    kind: str
    name: str
    driven: bool
    sign: float = 1.0
    zero: float = 0.0
    lower: float | None = None
    upper: float | None = None
    kp: float | None = None
    kd: float | None = None
    max_torque: float | None = None
    max_speed: float | None = None
    spring: float = 0.0
    damper: float = 0.0
    rest: float = 0.0
    rotor: float = 0.0
    dry: float = 0.0


def joint_values(alignment: Alignment, notes: Notes) -> list[AxisFields]:
    """Return the values of all axes, joint by joint, each in the order yaw, pitch, roll."""
    axes = []
    for number, aligned in enumerate(alignment.joints):
        for hinge, kind, sign, zero in zip(
            aligned.hinges, aligned.kinds, aligned.signs, aligned.zeros, strict=True
        ):
            joint = hinge.joint
            motor = hinge.joint.actuation
            axis = AxisFields(number, kind, joint.name, motor is not None, sign, zero)
            axis.lower, axis.upper = _limits(
                joint.name, joint.lower, joint.upper, sign, zero, notes
            )
            if motor is not None:
                axis.kp = motor.kp
                axis.kd = motor.kd
                axis.max_torque = motor.max_torque
                axis.max_speed = motor.max_speed
            axis.damper = joint.damping
            axis.spring = joint.stiffness
            axis.rest = zero + sign * joint.rest if joint.stiffness else 0.0
            axis.rotor = joint.armature
            axis.dry = joint.friction
            axes.append(axis)
    return axes


def _limits(
    name: str, low: float, high: float, sign: float, zero: float, notes: Notes
) -> tuple[float | None, float | None]:
    """Return the joint limits in the angles of the scene; None if there are none."""
    changed = False
    if math.isfinite(low + high):
        (low, high), changed = rounded_angles([low, high])
    if changed:
        notes.add(
            name,
            "joint limits rounded to 90°",
            "limit rounding",
        )
    ends = sorted([zero + sign * low, zero + sign * high])
    lower = None if not math.isfinite(ends[0]) or ends[0] <= -_FULL_TURN + 1e-6 else float(ends[0])
    upper = None if not math.isfinite(ends[1]) or ends[1] >= _FULL_TURN - 1e-6 else float(ends[1])
    if (lower is not None and lower > 0) or (upper is not None and upper < 0):
        notes.add(
            name,
            f"its limits of {math.degrees(ends[0]):.3g}° and {math.degrees(ends[1]):.3g}° exclude the straight pose;"
            " they were widened to include it",
            "limits off",
        )
        lower = None if lower is None else min(lower, 0.0)
        upper = None if upper is None else max(upper, 0.0)
    return lower, upper


def give_gains(
    axes: list[AxisFields],
    links: list[LinkValues],
    gravity: float,
    file_step: float | None,
    notes: Notes,
) -> float:
    """Set gains of axes without gains in the file, and return a time step for which all are stable, s.

    The time step of the file is used if it is stable; 0 if no time step is.

    Raises `InputError` if a gain is negative, or the masses are not consistent.
    """
    for axis in axes:
        if min(axis.kp or 0.0, axis.kd or 0.0) < 0.0:
            raise InputError(
                f'a gain of joint "{axis.name}" is negative', "give gains of 0 or more"
            )
    any_driven = any(axis.driven for axis in axes)
    passive = [axis for axis in axes if any_driven and not axis.driven]
    for axis in passive:
        axis.kp = 0.0
        axis.kd = 0.0
        notes.add(
            axis.name, "has no actuator in the file and was imported as a passive joint", "passive"
        )
    if not any_driven:
        notes.add("", "No joint has a motor in the file; here all joints have one")
    open_axes = [axis for axis in axes if axis.kp is None]
    stiffness = _SAG * (gravity or 9.81) * lifted_moment(links)
    response = _responses(axes, links)
    stiffest = max(float(np.linalg.eigvalsh(each)[-1]) for _, each in response)
    step = _STEPS[0]
    for step in _STEPS:
        kp = min(stiffness, 0.2 / (stiffest * step**2))
        if kp >= 0.25 * stiffness:
            break
    kd = min(0.02 * kp, 0.25 / (stiffest * step))
    kp, kd = (float(f"{value:.2g}") for value in (kp, kd))
    for axis in axes:
        if axis.kp is None:
            axis.kp = kp
            if axis.kd is None:
                axis.kd = kd
        elif axis.kd is None:
            axis.kd = 0.0
    if open_axes:
        notes.add(
            "",
            f"The file has no gains; {kp:g} N m/rad and {kd:g} N m s/rad were chosen for its masses and sizes",
        )
    if (
        file_step is not None
        and 1e-5 <= file_step <= _LONGEST
        and _stable(axes, response, file_step, _LIMIT)
    ):
        return file_step
    for step in _STEPS:
        if _stable(axes, response, step):
            return step
    return 0.0


def lifted_moment(links: Sequence[LinkValues]) -> float:
    """Return the first moment of the mass of a quarter of the robot about its end, kg m; of 2 to 6 links."""
    mass = sum(link.mass for link in links) / len(links)
    length = sum(link.length for link in links) / len(links)
    reach = min(max(len(links), 8), 24)
    return mass * length * reach**2 / 32.0


def largest_step(axes: list[AxisFields], links: list[LinkValues], longest: float) -> float:
    """Largest step, `longest` divided by a power of 2, with which all gains are stable, s; 0 if there is none."""
    response = _responses(axes, links)
    step = longest
    while step > 1e-6:
        if _stable(axes, response, step):
            return step
        step *= 0.5
    return 0.0


def _stable(
    axes: list[AxisFields],
    responses: list[tuple[slice, FloatArray]],
    step: float,
    limit: float = 0.5 * _LIMIT,
) -> bool:
    """Return whether explicit controllers are stable, by default with a margin for bent poses.

    Springs and dampers are ignored: they are stable with any time step.
    """
    scale = np.array([(a.kp or 0.0) * step**2 + 2.0 * (a.kd or 0.0) * step for a in axes])
    for part, response in responses:
        root = np.sqrt(scale[part])
        if float(np.linalg.eigvalsh(root[:, None] * response * root)[-1]) > limit:
            return False
    return True


def _responses(axes: list[AxisFields], links: list[LinkValues]) -> list[tuple[slice, FloatArray]]:
    """Return the accelerations per torque about the axes for windows of the straight free chain, 1/(kg m^2)."""
    result = []
    starts = (
        range(0, max(1, len(links) - _WINDOW // 2), _WINDOW // 2) if len(links) > _WINDOW else [0]
    )
    for first in starts:
        last = min(first + _WINDOW, len(links))
        inside = [k for k, axis in enumerate(axes) if first <= axis.joint < last - 1]
        if inside:
            part = slice(inside[0], inside[-1] + 1)
            result.append((part, _response(axes[part], links[first:last], first)))
    return result


def _response(axes: list[AxisFields], links: list[LinkValues], first: int) -> FloatArray:
    count = len(links)
    ends = np.concatenate([[0.0], np.cumsum([link.length for link in links])])
    centre = np.zeros((count, 3))
    centre[:, 0] = 0.5 * (ends[:-1] + ends[1:]) + [link.centre for link in links]
    directions = {"yaw": (0.0, 0.0, 1.0), "pitch": (0.0, 1.0, 0.0), "roll": (1.0, 0.0, 0.0)}
    omega = np.zeros((count, 3, 6 + len(axes)))
    velocity = np.zeros_like(omega)
    velocity[:, :, :3] = np.eye(3)
    omega[:, :, 3:6] = np.eye(3)
    velocity[:, :, 3:6] = np.cross(np.eye(3), centre[:, None, :]).swapaxes(1, 2)
    for column, axis in enumerate(axes, start=6):
        joint = axis.joint - first
        direction = np.array(directions[axis.kind])
        behind = slice(joint + 1, None)
        omega[behind, :, column] = direction
        velocity[behind, :, column] = np.cross(
            direction, centre[behind] - [ends[joint + 1], 0.0, 0.0]
        )
    matrix = np.zeros((6 + len(axes),) * 2)
    for link, turn, move in zip(links, omega, velocity, strict=True):
        inertia = np.array([link.axial, link.inertia, link.inertia])
        matrix += link.mass * move.T @ move + turn.T @ (inertia[:, None] * turn)
    try:
        inverse = np.linalg.inv(matrix)[6:, 6:]
    except np.linalg.LinAlgError:
        inverse = np.full((len(axes),) * 2, np.nan)
    if not np.isfinite(inverse).all():
        raise InputError(
            "its masses and inertias are too unequal for a simulation",
            "correct those that are wrong",
        )
    free = 0.5 * (inverse + inverse.T)
    return with_rotors(free, np.array([axis.rotor for axis in axes]))
