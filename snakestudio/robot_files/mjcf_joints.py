"""Joints of MJCF files: axes, limits, springs and dampers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    UNLIMITED,
    Actuation,
    BodyDescription,
    JointDescription,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.joint_space import reflected_inertias
from snakestudio.robot_files.mjcf_file import MjcfFile


def joint_of(file: MjcfFile, element: Element) -> JointDescription:
    """Return a joint in the frame of its body, without the stiffness that follows from `springdamper`."""
    where = element.location
    name = element.get("name") or f"joint on line {element.line}"
    kind = "free" if element.tag == "freejoint" else element.get("type", "hinge")
    if kind not in ("hinge", "slide", "ball", "free"):
        raise InputError(
            f'{where}: "{kind}" is not a type of joint', "use hinge, slide, ball or free"
        )
    if element.tag == "freejoint":
        return JointDescription(name, kind)
    damping = _linear(file, element, "damping") if file.flag("damper") else 0.0
    stiffness = _linear(file, element, "stiffness") if file.flag("spring") else 0.0
    friction = _value(file, element, "frictionloss") if file.flag("frictionloss") else 0.0
    armature = _value(file, element, "armature")
    if kind == "free":
        if any((damping, stiffness, friction, armature)):
            file.notes.add(
                name,
                "its spring, damping, friction and rotor inertia act on a free body; they were ignored",
                "free joint",
            )
        return JointDescription(name, kind)
    turn = file.compiler.angle if kind == "hinge" else float
    zero = turn(_number(element, "ref")) if kind != "ball" else 0.0
    if kind == "hinge":
        file.references[name] = zero
    lower, upper = _limits(file, element, kind, turn)
    force = file.largest(element, "actuatorfrcrange", "actuatorfrclimited", name)
    frame = file.frame(element)
    position = vector_of(element.get("pos", "0 0 0"), 3, f"{where} pos")
    return JointDescription(
        name,
        kind,
        frame.rotation @ _axis(element),
        frame.position + frame.rotation @ position,
        lower - zero,
        upper - zero,
        damping,
        stiffness,
        turn(_number(element, "springref")) - zero if kind != "ball" else 0.0,
        friction,
        armature,
        Actuation(max_torque=force) if force else None,
    )


def _axis(element: Element) -> FloatArray:
    axis = vector_of(element.get("axis", "0 0 1"), 3, f"{element.location} axis")
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise InputError(f"{element.location}: the axis is 0 0 0", "set its direction")
    return axis / size


def _number(element: Element, key: str) -> float:
    return float_of(element.get(key, "0"), f"{element.location} {key}")


def _value(file: MjcfFile, element: Element, key: str) -> float:
    """Return a value that cannot be negative."""
    value = _number(element, key)
    if value < 0.0:
        where = element.get("name") or element.location
        file.notes.add(where, f"its {key} of {value:g} is negative; 0 was used", f"negative {key}")
    return max(0.0, value)


def _linear(file: MjcfFile, element: Element, key: str) -> float:
    """Return the linear term of a force law, which comes first; others are noted."""
    where = element.get("name") or element.location
    first, *others = vector_of(element.get(key, "0"), (1, 2, 3), f"{element.location} {key}")
    if any(others):
        terms = " and ".join(f"{value:g}" for value in others)
        file.notes.add(
            where,
            f"the terms of its {key} of higher order, {terms}, were ignored",
            f"higher order of {key}",
        )
    if first < 0.0:
        file.notes.add(where, f"its {key} of {first:g} is negative; 0 was used", f"negative {key}")
    return max(0.0, float(first))


def _limits(
    file: MjcfFile, element: Element, kind: str, turn: Callable[[float], float]
) -> tuple[float, float]:
    """Return the limits as `range` has them; infinite without limits."""
    where = element.location
    span = file.limits(element, "range", "limited")
    if span is None or not (file.flag("limit") and file.flag("constraint")):
        return -math.inf, math.inf
    low, high = span
    if low > high:
        raise InputError(
            f"{where}: the lower limit {low:g} is above the upper limit {high:g}", "swap them"
        )
    if kind == "ball":
        file.notes.add(
            element.get("name") or where, f"its limit of {high:g} was ignored", "limit of a ball"
        )
        return -math.inf, math.inf
    return (
        turn(low) if low > -UNLIMITED else -math.inf,
        turn(high) if high < UNLIMITED else math.inf,
    )


def with_spring_dampers(file: MjcfFile, bodies: list[BodyDescription]) -> list[BodyDescription]:
    """Return the bodies whose joints have the stiffness and damping of `springdamper`.

    Its two numbers are the time constant and the damping ratio of the joint with its reflected inertia.
    """
    requested: dict[str, tuple[float, float]] = {}
    for element in file.root.iter():
        if element.tag == "joint" and element.get("springdamper"):
            time, ratio = vector_of(
                element.get("springdamper"), 2, f"{element.location} springdamper"
            )
            if time > 0.0 and ratio > 0.0:
                requested[element.get("name") or f"joint on line {element.line}"] = (time, ratio)
    if not requested:
        return bodies
    inertias = reflected_inertias(bodies)

    def changed(joint: JointDescription) -> JointDescription:
        if joint.name not in requested or joint.name not in inertias:
            return joint
        time, ratio = requested[joint.name]
        inertia = inertias[joint.name]
        return replace(
            joint,
            stiffness=inertia / (time * ratio) ** 2 if file.flag("spring") else 0.0,
            damping=2.0 * inertia / time if file.flag("damper") else 0.0,
        )

    return [replace(body, joints=tuple(changed(joint) for joint in body.joints)) for body in bodies]
