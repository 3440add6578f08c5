"""Edits: pure functions from a Profile to a Profile, used alike by the editor's tables, undo and learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import ValidationError

from snakestudio.errors import ProfileError, SceneError
from snakestudio.link.profile.schema import Axis, Profile
from snakestudio.model.edits import parse_key, tree, value_at
from snakestudio.model.scene_file.toml_merge import tuples
from snakestudio.model.validation_messages import problem_of

__all__ = ["AxesOfJoint", "Numbering", "generate_axes", "get_value", "with_value", "with_values"]

AxesOfJoint = Literal["yaw", "pitch", "yaw and pitch", "alternating"]
"""Which axes the joints of a robot have; alternating: yaw, pitch, yaw ..., one axis a joint."""

Numbering = Literal["a node for each joint", "a node for each axis"]
"""Who moves them."""


def get_value(profile: Profile, key: str) -> Any:
    """The value at a dotted key such as ``axes[3].sign`` (counted from 1).

    Raises
    ------
    ProfileError
        If there is none.
    """
    try:
        return value_at(profile, parse_key(key))
    except (LookupError, SceneError):
        raise ProfileError(f"{key}: there is no such key in the profile.") from None


def with_value(profile: Profile, key: str, value: Any) -> Profile:
    """The profile with another value at a dotted key; None leaves the key out.

    Raises
    ------
    ProfileError
        Naming key, value and remedy.
    """
    return with_values(profile, {key: value})


def with_values(profile: Profile, values: Mapping[str, Any]) -> Profile:
    """The profile with other values at several dotted keys, taken together.

    Parameters
    ----------
    profile : Profile
    values : mapping of str to object
        As they stand in the file; parts and tuples of parts are welcome, too.

    Raises
    ------
    ProfileError
        Naming every mistake.
    """
    whole: Any = tree(profile)
    for key, value in values.items():
        try:
            *path, last = parse_key(key)
            holder: Any = whole
            for part in path:
                holder = holder[part]
            if value is None and isinstance(holder, dict):
                holder.pop(last, None)
            else:
                holder[last] = tree(value)
        except (KeyError, IndexError, TypeError, SceneError):
            raise ProfileError(f"{key}: there is no such key in the profile.") from None
    return _profile_of(whole)


def _profile_of(whole: Any) -> Profile:
    try:
        return Profile.model_validate(tuples(whole))
    except ValidationError as error:
        problems = [problem_of(detail, Profile) for detail in error.errors(include_url=False)]
        raise ProfileError("\n".join(problem.sentence() for problem in problems), problems) from None


def generate_axes(
    joints: int,
    axes: AxesOfJoint,
    first_node: int = 1,
    numbering: Numbering = "a node for each joint",
    first_joint: int = 1,
) -> tuple[Axis, ...]:
    """Rows of a robot whose joints are alike.

    Parameters
    ----------
    joints : int
        How many there are.
    axes : {"yaw", "pitch", "yaw and pitch", "alternating"}
    first_node : int
        Number of the first node; the others follow on.
    numbering : {"a node for each joint", "a node for each axis"}
    first_joint : int
        Number of the first joint.

    Raises
    ------
    ProfileError
        If a number is out of range.
    """
    made: list[dict[str, Any]] = []
    node = first_node
    for joint in range(joints):
        own = _axes_of(axes, joint)
        for slot, axis in enumerate(own):
            shared = numbering == "a node for each joint"
            made.append({"joint": first_joint + joint, "axis": axis, "node": node, "slot": slot if shared else 0})
            node += 0 if shared else 1
        node += 1 if numbering == "a node for each joint" else 0
    try:
        return tuple(Axis.model_validate(values) for values in made)
    except ValidationError as error:
        problem = problem_of(error.errors(include_url=False)[0], Axis)
        raise ProfileError(problem.sentence(), [problem]) from None


def _axes_of(axes: AxesOfJoint, joint: int) -> Sequence[str]:
    if axes == "yaw and pitch":
        return ("yaw", "pitch")
    if axes == "alternating":
        return ("pitch",) if joint % 2 else ("yaw",)
    return (axes,)
