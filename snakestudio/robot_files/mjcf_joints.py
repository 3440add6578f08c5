"""Joints of MJCF files."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.inputs import InputError
from snakestudio.robot_files.description import (
    UNLIMITED,
    Actuation,
    JointDescription,
)
from snakestudio.robot_files.elements import Element, float_of, vector_of
from snakestudio.robot_files.mjcf_file import MjcfFile


def joint_of(file: MjcfFile, element: Element) -> JointDescription:
    """A joint in the frame of its body."""
    where = element.place
    compiler = file.compiler
    name = element.get("name") or f"joint on line {element.line}"
    kind = "free" if element.tag == "freejoint" else element.get("type", "hinge")
    if kind not in ("hinge", "slide", "ball", "free"):
        raise InputError(
            f'{where}: "{kind}" is not a type of joint', "use hinge, slide, ball or free"
        )
    if kind in ("free", "ball"):
        return JointDescription(name, kind)
    turn = compiler.angle if kind == "hinge" else float
    axis = vector_of(element.get("axis", "0 0 1"), 3, f"{where} axis")
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise InputError(f"{where}: the axis is 0 0 0", "set its direction")

    def value(key: str) -> float:
        return float_of(element.get(key, "0"), f"{where} {key}")

    zero = turn(value("ref"))
    if kind == "hinge":
        file.references[name] = zero
    lower = -math.inf
    upper = math.inf
    limited = element.get("limited", "auto")
    if element.get("range") and (limited == "true" or (limited == "auto" and compiler.auto_limits)):
        low, high = vector_of(element.get("range"), 2, f"{where} range")
        if low > high:
            raise InputError(
                f"{where}: the lower limit {low:g} is above the upper limit {high:g}",
                "swap them",
            )
        if float(low) > -UNLIMITED:
            lower = turn(float(low)) - zero
        if float(high) < UNLIMITED:
            upper = turn(float(high)) - zero
    force = None
    if text := element.get("actuatorfrcrange"):
        force = float(np.abs(vector_of(text, 2, f"{where} actuatorfrcrange")).max()) or None
    frame = file.frame(element)
    position = vector_of(element.get("pos", "0 0 0"), 3, f"{where} pos")
    return JointDescription(
        name,
        kind,
        frame.rotation @ (axis / size),
        frame.position + frame.rotation @ position,
        lower,
        upper,
        max(0.0, value("damping")) if len(element.get("damping").split()) < 2 else 0.0,
        max(0.0, value("stiffness")) if len(element.get("stiffness").split()) < 2 else 0.0,
        turn(value("springref")) - zero,
        max(0.0, value("frictionloss")),
        max(0.0, value("armature")),
        Actuation(max_torque=force) if force else None,
    )
