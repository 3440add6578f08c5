"""Edits: pure functions from a Profile to a Profile, used by the editor's tables, undo and learning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import ValidationError

from snakestudio.errors import Problem, ProfileError, SceneError
from snakestudio.link.profile.schema import Axis, Profile
from snakestudio.model.edits import parse_key, tree, value_at
from snakestudio.model.robot.axis_values import axis_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.toml_merge import tuples
from snakestudio.model.validation_messages import problem_of

AxesOfJoint = Literal["yaw", "pitch", "roll", "yaw and pitch", "alternating"]
"""Axes of a robot's joints; alternating: yaw, pitch, yaw ..., one axis per joint."""

Numbering = Literal["a node for each joint", "a node for each axis"]
"""Assignment of nodes to joints."""


def get_value(profile: Profile, key: str) -> Any:
    """Return the value at a dotted key such as ``axes[3].sign`` (counted from 1).

    Raises `ProfileError` if the key does not exist.
    """
    try:
        return value_at(profile, parse_key(key))
    except (LookupError, SceneError):
        raise ProfileError(f"{key} is not a key of the profile.") from None


def with_value(profile: Profile, key: str, value: Any) -> Profile:
    """Return the profile with another value at a dotted key; None removes the key.

    Raises `ProfileError` with key, value and remedy.
    """
    return with_values(profile, {key: value})


def with_values(profile: Profile, values: Mapping[str, Any]) -> Profile:
    """Return the profile with other values at several dotted keys, validated together.

    Raises `ProfileError` with all problems.

    Parameters
    ----------
    values : mapping of str to object
        Values as in the file, or parts of a profile and tuples of them.
    """
    values_tree: Any = tree(profile)
    for key, value in values.items():
        try:
            *path, last = parse_key(key)
            holder: Any = values_tree
            for part in path:
                holder = holder[part]
            if value is None and isinstance(holder, dict):
                holder.pop(last, None)
            else:
                holder[last] = tree(value)
        except (KeyError, IndexError, TypeError, SceneError):
            raise ProfileError(f"{key} is not a key of the profile.") from None
    return _profile_of(values_tree)


def _profile_of(values: Any) -> Profile:
    try:
        return Profile.model_validate(tuples(values))
    except ValidationError as error:
        problems = [problem_of(detail, Profile) for detail in error.errors(include_url=False)]
        raise ProfileError.of(problems) from None


def generate_axes(
    joints: int,
    axes: AxesOfJoint,
    first_node: int = 1,
    numbering: Numbering = "a node for each joint",
    first_joint: int = 1,
) -> tuple[Axis, ...]:
    """Return the axes of a robot with identical joints.

    Raises `ProfileError` if a number is out of range.

    Parameters
    ----------
    joints : int
        Number of joints.
    first_node : int
        Number of the first node; the others follow.
    first_joint : int
        Number of the first joint.
    """
    tables: list[dict[str, Any]] = []
    node = first_node
    for joint in range(joints):
        own = _axes_of(axes, joint)
        for slot, axis in enumerate(own):
            shared = numbering == "a node for each joint"
            tables.append(
                {
                    "joint": first_joint + joint,
                    "axis": axis,
                    "node": node,
                    "slot": slot if shared else 0,
                }
            )
            node += 0 if shared else 1
        node += 1 if numbering == "a node for each joint" else 0
    return _axes_from(tables)


def axes_of_scene(scene: Scene, template: Profile) -> tuple[Axis, ...]:
    """Return the axes of a scene's robot, in the order of its joints.

    Nodes are numbered from the template's first one: one for each axis, or one for each joint with
    its axes as slots if the template's nodes have several. Signs and offsets are those in which the
    robot itself counts its angles (``reversed`` and ``zero_deg`` of the scene's joints). An axis
    with narrower limits than the template gets separate limits.

    Raises `ProfileError` if the scene's robot has no joint axes.
    """
    axes = scene.robot.axes if scene.body.jointed else ()
    if not axes:
        what = "is a continuous body" if not scene.body.jointed else "has no joint axes"
        message = (
            f"The robot of {scene.title or 'the scene'} {what}. Use a scene of a robot with joints."
        )
        raise ProfileError(message, [Problem("error", "axes", message, "")])
    values = axis_values(scene.robot, scene.joint_controller, scene.actuator, axes)
    shared = any(axis.slot for axis in template.axes)
    first = template.nodes[0]
    limits = template.limits
    joints = list(dict.fromkeys(axis.joint for axis in axes))
    rows = []
    for number, axis in enumerate(axes):
        own = [kind for joint, kind in axes if joint == axis.joint]
        row: dict[str, Any] = {"joint": axis.joint + 1, "axis": axis.kind, "node": first + number}
        if shared:
            row |= {"node": first + joints.index(axis.joint), "slot": own.index(axis.kind)}
        sign = int(values.sign[number])
        zero = math.degrees(values.zero[number])
        row |= {"sign": sign, "offset_deg": round(-sign * zero, 6) + 0.0}
        lower, upper = (math.degrees(end[number]) for end in (values.lower, values.upper))
        if lower > limits.min_deg:
            row["min_deg"] = round(lower, 6)
        if upper < limits.max_deg:
            row["max_deg"] = round(upper, 6)
        rows.append(row)
    return _axes_from(rows)


def _axes_from(rows: Sequence[Mapping[str, Any]]) -> tuple[Axis, ...]:
    try:
        return tuple(Axis.model_validate(values) for values in rows)
    except ValidationError as error:
        problem = problem_of(error.errors(include_url=False)[0], Axis)
        raise ProfileError.of([problem]) from None


def _axes_of(axes: AxesOfJoint, joint: int) -> Sequence[str]:
    if axes == "yaw and pitch":
        return ("yaw", "pitch")
    if axes == "alternating":
        return ("pitch",) if joint % 2 else ("yaw",)
    return (axes,)
