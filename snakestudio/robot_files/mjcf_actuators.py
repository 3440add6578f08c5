"""Motors of MJCF files: gains and limits of actuators on joints, from the general form that MuJoCo gives them."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import Actuation, BodyDescription, JointDescription
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.joint_space import reflected_inertias
from snakestudio.robot_files.mjcf_file import MjcfFile
from snakestudio.robot_files.mjcf_joints import with_spring_dampers
from snakestudio.robot_files.notes import Notes
from snakestudio.text import counted

_SIZES = tuple(range(1, 11))


@dataclass(slots=True)
class _Actuator:
    """An actuator in the general form: force = gain * control + bias, both times the gear."""

    gain: FloatArray = field(default_factory=lambda: np.eye(10)[0])
    bias: FloatArray = field(default_factory=lambda: np.zeros(10))
    gain_type: str = "fixed"
    bias_type: str = "none"


@dataclass(frozen=True, slots=True)
class _Drive:
    """Effect of an actuator on its joint, in the units of the joint."""

    actuation: Actuation | None
    """None: it drives the joint by none of its signals."""

    ratio: float = 0.0
    """Damping ratio that gives the derivative gain; 0 if the gain is given."""

    armature: float = 0.0
    damping: float = 0.0


def with_actuators(file: MjcfFile, bodies: list[BodyDescription]) -> list[BodyDescription]:
    """Return the bodies whose joints have the motors of the file, and the stiffness and damping of ``springdamper``."""
    notes = file.notes
    drives: dict[str, list[_Drive]] = {}
    others = 0
    for group in file.root.all("actuator"):
        for element in group.children:
            joint = element.get("joint") or element.get("jointinparent")
            if joint:
                with file.reading.problems.collected():
                    drives.setdefault(joint, []).append(_drive(file, element, joint, notes))
            else:
                others += 1
    if others:
        actuators = counted(others, "actuator")
        notes.add("", f"Ignored because they act on no joint, but on tendons or sites: {actuators}")
    names = {joint.name for body in bodies for joint in body.joints}
    for name in drives:
        if name not in names:
            notes.add(name, "is not a joint of the robot; its actuator was ignored", "no joint")

    def with_rotor(joint: JointDescription) -> JointDescription:
        own = drives.get(joint.name, ())
        return replace(joint, armature=joint.armature + sum(drive.armature for drive in own))

    bodies = with_spring_dampers(file, _changed(bodies, with_rotor))
    inertias: dict[str, float] = {}
    if any(drive.ratio for own in drives.values() for drive in own):
        inertias = reflected_inertias(bodies)
    powered = file.flag("actuation")
    if drives and not powered:
        notes.add("", "Actuation is disabled in the file, so all joints are passive")

    def driven(joint: JointDescription) -> JointDescription:
        if joint.name not in drives:
            return joint
        motor = Actuation(0.0, 0.0)
        if powered:
            motor = _combined(drives[joint.name], inertias.get(joint.name, 0.0))
        own = joint.actuation.max_torque if joint.actuation is not None else None
        limits = [limit for limit in (motor.max_torque, own) if limit is not None]
        return replace(
            joint,
            damping=joint.damping + sum(drive.damping for drive in drives[joint.name]),
            actuation=replace(motor, max_torque=min(limits, default=None)),
        )

    return _changed(bodies, driven)


def _changed(
    bodies: list[BodyDescription], change: Callable[[JointDescription], JointDescription]
) -> list[BodyDescription]:
    return [replace(body, joints=tuple(change(joint) for joint in body.joints)) for body in bodies]


def _combined(drives: list[_Drive], inertia: float) -> Actuation:
    """Return the sum of the actuators of a joint; gains of 0 without any that is simulated."""
    motors = []
    for drive in drives:
        motor = drive.actuation
        if motor is not None and drive.ratio and motor.kp:
            motor = replace(motor, kd=2.0 * drive.ratio * math.sqrt(motor.kp * inertia))
        if motor is not None:
            motors.append(motor)
    if not motors:
        return Actuation(0.0, 0.0)

    def total(values: list[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    return Actuation(
        total([motor.kp for motor in motors]),
        total([motor.kd for motor in motors]),
        total([motor.max_torque for motor in motors]),
        min((motor.max_speed for motor in motors if motor.max_speed is not None), default=None),
    )


def _drive(file: MjcfFile, element: Element, joint: str, notes: Notes) -> _Drive:
    where = element.location
    gear = float(vector_of(element.get("gear", "1"), (1, 2, 3, 4, 5, 6), f"{where} gear")[0])
    armature = float_of(element.get("armature", "0"), f"{where} armature") * gear**2
    damping = vector_of(element.get("damping", "0"), (1, 2, 3), f"{where} damping")
    own = float(damping[0]) * gear**2
    motor = _general(file, element)
    if motor is None:
        notes.add(
            joint,
            f"its actuator is a <{element.tag}>, which is not simulated, so it is passive",
            f"no motor {element.tag}",
        )
        return _Drive(None, 0.0, armature, own)
    torque = file.largest(element, "forcerange", "forcelimited", joint)
    if motor.bias_type == "none":
        if motor.gain_type != "fixed":
            notes.add(
                joint, "its actuator has a gain that varies, so it is passive", "varying gain"
            )
            return _Drive(None, 0.0, armature, own)
        control = file.largest(element, "ctrlrange", "ctrllimited", joint)
        if control is not None and file.flag("clampctrl"):
            control *= abs(float(motor.gain[0]))
            torque = control if torque is None else min(torque, control)
        return _Drive(Actuation(None, None, _times(torque, gear)), 0.0, armature, own)
    stiffness = -float(motor.bias[1])
    damper = -float(motor.bias[2])
    ratio = 0.0
    if damper < 0.0 and float(motor.gain[0]) == stiffness:
        ratio = -damper
        damper = 0.0
    if min(stiffness, damper) < 0.0:
        raise InputError(f"{where}: a gain is negative", "set gains of 0 or more")
    if stiffness and not math.isclose(float(motor.gain[0]), stiffness, rel_tol=1e-6):
        notes.add(
            joint,
            f"its actuator multiplies references by {float(motor.gain[0]) / stiffness:g}; here it does not",
            "scaled reference",
        )
    speed = None
    if not stiffness:
        # The control is the speed of the actuator.
        speed = file.largest(element, "ctrlrange", "ctrllimited", joint)
        speed = speed / abs(gear) if speed and gear else None
    gains = Actuation(stiffness * gear**2 or None, damper * gear**2, _times(torque, gear), speed)
    return _Drive(gains, ratio, armature, own)


def _times(torque: float | None, gear: float) -> float | None:
    return None if torque is None else torque * abs(gear) or None


def _general(file: MjcfFile, element: Element) -> _Actuator | None:
    """Return the general form of an actuator; None for kinds that are not simulated.

    Elements of default classes set it one after the other. A shortcut such as <position> continues with what the last
    <general> left, and with its values since then, but not with those of other shortcuts.
    """
    if element.tag not in ("general", *_SHORTCUTS):
        return None
    result = _Actuator()
    before = _Actuator()
    since: dict[str, _Actuator] = {"pid": _Actuator()}
    for layer in (*file.classes.layers(element), file.classes.written(element)):
        if layer.tag == "general":
            _set_general(result, layer)
            before = deepcopy(result)
            since = {"pid": _Actuator()}
        elif layer.tag in _SHORTCUTS:
            result = deepcopy(since.get(layer.tag, before))
            _SHORTCUTS[layer.tag](result, layer)
            since[layer.tag] = deepcopy(result)
    return result


def _set_general(state: _Actuator, layer: Element) -> None:
    where = layer.location
    for name, values in (("gainprm", state.gain), ("biasprm", state.bias)):
        if layer.get(name):
            own = vector_of(layer.get(name), _SIZES, f"{where} {name}")
            values[: len(own)] = own
    state.gain_type = layer.get("gaintype", state.gain_type)
    state.bias_type = layer.get("biastype", state.bias_type)


def _set_motor(state: _Actuator, layer: Element) -> None:
    state.gain = np.eye(10)[0]
    state.bias = np.zeros(10)
    state.gain_type = "fixed"
    state.bias_type = "none"


def _set_position(state: _Actuator, layer: Element) -> None:
    where = layer.location
    kp = float_of(layer.get("kp", repr(float(state.gain[0]))), f"{where} kp")
    state.gain = kp * np.eye(10)[0]
    state.bias[1] = -kp
    if layer.get("kv"):
        state.bias[2] = -float_of(layer.get("kv"), f"{where} kv")
    elif layer.get("dampratio"):
        state.bias[2] = float_of(layer.get("dampratio"), f"{where} dampratio")
    state.gain_type = "fixed"
    state.bias_type = "affine"


def _set_velocity(state: _Actuator, layer: Element) -> None:
    kv = float_of(layer.get("kv", repr(float(state.gain[0]))), f"{layer.location} kv")
    state.gain = kv * np.eye(10)[0]
    state.bias = -kv * np.eye(10)[2]
    state.gain_type = "fixed"
    state.bias_type = "affine"


_SHORTCUTS: dict[str, Callable[[_Actuator, Element], None]] = {
    "motor": _set_motor,
    "position": _set_position,
    "intvelocity": _set_position,
    "pid": _set_position,
    "velocity": _set_velocity,
}
