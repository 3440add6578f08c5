"""Limits, gains, motors and springs of each joint axis of a scene's robot, and the friction of each link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.model.robot.overrides import selected, values_of
from snakestudio.model.robot.robot import Actuator, Axis, JointController, Robot
from snakestudio.model.world import Ground


class AxisValues(NamedTuple):
    """Values of the m axes of a robot, each (m,), in the order of `scene.body.axes`; SI and rad."""

    lower: FloatArray
    """Joint limits; -inf and inf if unlimited."""

    upper: FloatArray
    kp: FloatArray
    kd: FloatArray
    max_torque: FloatArray
    """Torque at which the motor saturates, N m; inf if unlimited."""

    max_speed: FloatArray
    """Largest rate of the reference, rad/s; inf if unlimited."""

    free_play: FloatArray
    """Width of the band without motor torque, rad."""

    spring: FloatArray
    """Stiffness of the passive spring, N m/rad; 0 for none."""

    damper: FloatArray
    """Passive damping, N m s/rad."""

    rest: FloatArray
    rotor: FloatArray
    """Inertia of the rotor, reflected to the joint, kg m^2."""

    dry: FloatArray
    """Dry friction, N m."""

    dry_rise: FloatArray
    """Relative increase of the dry friction near rest."""

    dry_speed: FloatArray
    """Speed scale of this increase, rad/s."""

    restitution: FloatArray
    """Restitution of the limits, 0 to 1."""

    efficiency: FloatArray
    """Fraction of the motor's torque that the gear transmits."""

    back_emf: FloatArray
    """Torque that the motor loses per unit of its rate, N m s/rad."""

    max_current_torque: FloatArray
    """Torque at the current limit, N m; inf if unlimited."""

    sign: FloatArray
    """-1 where the robot counts the angle with the opposite sign, else 1."""

    zero: FloatArray
    """Angle at which the robot reads 0: its reading is sign * (angle - zero)."""


_FROM_DEGREES = {
    "lower_limit_deg": "lower",
    "upper_limit_deg": "upper",
    "max_speed_deg_s": "max_speed",
    "free_play_deg": "free_play",
    "rest_deg": "rest",
    "zero_deg": "zero",
    "dry_friction_speed_deg_s": "dry_speed",
}
_AS_GIVEN = {
    "kp_nm_per_rad": "kp",
    "kd_nms_per_rad": "kd",
    "max_torque_nm": "max_torque",
    "spring_nm_per_rad": "spring",
    "damper_nms_per_rad": "damper",
    "rotor_inertia_kg_m2": "rotor",
    "dry_friction_nm": "dry",
    "dry_friction_rise": "dry_rise",
    "restitution": "restitution",
    "efficiency": "efficiency",
    "back_emf_nms_per_rad": "back_emf",
    "max_current_torque_nm": "max_current_torque",
}


def axis_values(
    robot: Robot, gains: JointController, actuator: Actuator, axes: Sequence[Axis]
) -> AxisValues:
    """Return the values of all `axes`: those common to all joints, overridden by joint tables."""
    count = len(axes)
    pitch = np.array([axis.kind == "pitch" for axis in axes], dtype=bool)
    most, current = (
        math.inf if limit is None else limit
        for limit in (actuator.max_torque_nm, actuator.max_current_torque_nm)
    )
    fastest = (
        math.inf if actuator.max_speed_deg_s is None else math.radians(actuator.max_speed_deg_s)
    )
    values = AxisValues(
        lower=np.full(count, -robot.joint_limit),
        upper=np.full(count, robot.joint_limit),
        kp=np.where(pitch, gains.kp[1], gains.kp[0]),
        kd=np.where(pitch, gains.kd[1], gains.kd[0]),
        max_torque=np.full(count, most),
        max_speed=np.full(count, fastest),
        free_play=np.full(count, math.radians(actuator.free_play_deg)),
        spring=np.zeros(count),
        damper=np.zeros(count),
        rest=np.zeros(count),
        rotor=np.full(count, actuator.rotor_inertia_kg_m2),
        dry=np.full(count, actuator.dry_friction_nm),
        dry_rise=np.full(count, actuator.dry_friction_rise),
        dry_speed=np.full(count, math.radians(actuator.dry_friction_speed_deg_s)),
        restitution=np.full(count, actuator.restitution),
        efficiency=np.full(count, actuator.efficiency),
        back_emf=np.full(count, actuator.back_emf_nms_per_rad),
        max_current_torque=np.full(count, current),
        sign=np.ones(count),
        zero=np.zeros(count),
    )
    for override in robot.joint:
        chosen = set(selected(override.index, robot.n_joints))
        here = [
            j
            for j, axis in enumerate(axes)
            if axis.joint in chosen and override.only in (None, axis.kind)
        ]
        for name, number in values_of(override):
            if name in _FROM_DEGREES:
                getattr(values, _FROM_DEGREES[name])[here] = math.radians(float(number))  # type: ignore[arg-type]
            elif name in _AS_GIVEN:
                getattr(values, _AS_GIVEN[name])[here] = number
            elif name == "reversed":
                values.sign[here] = -1.0 if number else 1.0
    return values


def with_rotors(response: FloatArray, rotor: FloatArray) -> FloatArray:
    """Return (Q^-1 + I_R)^-1 for a joint response Q (m, m), 1/(kg m^2), and rotor inertias I_R (m,), kg m^2."""
    if not rotor.any():
        return response
    result = np.asarray(
        np.linalg.solve(np.eye(len(rotor)) + response * rotor, response), dtype=np.float64
    )
    return 0.5 * (result + result.T)


def limit_problems(robot: Robot, axes: Sequence[Axis], values: AxisValues) -> list[Problem]:
    """Return the joint limits whose lower limit is not below the upper one."""
    wrong = np.nonzero(values.lower >= values.upper)[0]
    if not len(wrong):
        return []
    axis = axes[int(wrong[0])]
    lower, upper = (math.degrees(float(end[wrong[0]])) for end in (values.lower, values.upper))
    number = next(
        number
        for number, override in enumerate(robot.joint, start=1)
        if axis.joint in selected(override.index, robot.n_joints)
        and (override.lower_limit_deg is not None or override.upper_limit_deg is not None)
    )
    message = f"the lower limit of joint {axis.joint + 1} ({lower:g}°) is not below its upper limit ({upper:g}°)"
    return [
        Problem(
            "error",
            f"robot.joint[{number}]",
            message,
            "swap the two limits, or increase the upper one",
        )
    ]


def link_friction(robot: Robot, ground: Ground) -> FloatArray:
    """Friction coefficients of each link on the ground, (n, 3): sliding head first, sliding tail first, across.

    A link's own values override those of the ground. Passive wheels have exactly 0 along the link; a
    ratchet has exactly 0 head first, and tail first the coefficient across.
    """
    result = np.empty((robot.n_links, 3))
    for row, link in zip(result, robot.links, strict=True):
        along = ground.mu_along if link.mu_along is None else link.mu_along
        if link.mu_backward is not None:
            backward = link.mu_backward
        elif link.mu_along is not None or ground.mu_backward is None:
            backward = along
        else:
            backward = ground.mu_backward
        across = ground.mu_across if link.mu_across is None else link.mu_across
        if link.wheels == "passive":
            along = backward = 0.0
        elif link.wheels == "ratchet":
            along = 0.0
            backward = across
        row[:] = along, backward, across
    return result
