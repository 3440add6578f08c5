"""Motors of MJCF files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from snakestudio.robot_files.description import (
    Actuation,
    BodyDescription,
    JointDescription,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.mjcf_file import MjcfFile
from snakestudio.text import counted

_ACTUATORS = ("position", "motor", "velocity", "general")


def with_actuators(file: MjcfFile, bodies: list[BodyDescription]) -> list[BodyDescription]:
    """Bodies whose joints have the motors of the file."""
    motors: dict[str, Actuation] = {}
    others = 0
    for group in file.root.all("actuator"):
        for element in group.children:
            joint = element.get("joint") or element.get("jointinparent")
            if element.tag not in _ACTUATORS or not joint:
                others += 1
                continue
            before = motors.get(joint)
            new = _actuation(element)
            if before is not None:
                new = Actuation(
                    before.kp if new.kp is None else new.kp,
                    before.kd if new.kd is None else new.kd,
                    new.max_torque or before.max_torque,
                    new.max_speed or before.max_speed,
                )
            motors[joint] = new
    if others:
        file.reading.notes.append(
            f"{counted(others, 'actuator')} that do not act on joints ignored."
        )

    def driven(joint: JointDescription) -> JointDescription:
        if joint.name not in motors:
            return joint
        motor = motors[joint.name]
        own = joint.actuation.max_torque if joint.actuation is not None else None
        limits = [limit for limit in (motor.max_torque, own) if limit is not None]
        return replace(joint, actuation=replace(motor, max_torque=min(limits, default=None)))

    return [replace(body, joints=tuple(driven(joint) for joint in body.joints)) for body in bodies]


def _actuation(element: Element) -> Actuation:
    where = element.place
    gear = abs(float(vector_of(element.get("gear", "1"), (1, 2, 3, 4, 5, 6), f"{where} gear")[0]))
    kp = kd = None

    def largest(key: str, limited: str) -> float | None:
        if not element.get(key) or element.get(limited, "auto") == "false":
            return None
        return float(np.abs(vector_of(element.get(key), 2, f"{where} {key}")).max()) * gear or None

    torque = largest("forcerange", "forcelimited")
    if element.tag == "position":
        kp = float_of(element.get("kp", "1"), f"{where} kp") * gear**2
        kd = float_of(element.get("kv", "0"), f"{where} kv") * gear**2
    elif element.tag == "velocity":
        kd = float_of(element.get("kv", "1"), f"{where} kv") * gear**2
    elif element.tag == "general" and element.get("biastype") == "affine":
        bias = vector_of(element.get("biasprm", "0 0 0"), tuple(range(1, 11)), f"{where} biasprm")
        kp = -float(bias[1]) * gear**2 if len(bias) > 1 and bias[1] < 0 else None
        kd = -float(bias[2]) * gear**2 if len(bias) > 2 and bias[2] < 0 else None
    elif element.tag == "motor":
        control = largest("ctrlrange", "ctrllimited")
        limits = [limit for limit in (torque, control) if limit is not None]
        torque = min(limits, default=None)
    return Actuation(kp, kd, torque)
