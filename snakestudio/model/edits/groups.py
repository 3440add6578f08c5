"""Groups of obstacles, and flags of several obstacles: locked, hidden, names. Pure functions from scene to scene."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from snakestudio.model.fields import field_names
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.scene import Scene

_NUMBERED = re.compile(r"(.*?)\s*\d+\Z", re.DOTALL)
_LONGEST = 80
"""Longest name of a group, characters."""


def with_obstacles(scene: Scene, obstacles: Iterable[Obstacle]) -> Scene:
    """Return the scene with other obstacles, each valid by itself: nothing else in a scene depends on them."""
    return scene.model_copy(update={"obstacles": tuple(obstacles)})


def obstacle_with(obstacle: Obstacle, **changes: object) -> Obstacle:
    """Return the obstacle with other values.

    Raises `pydantic.ValidationError` if a value is out of range.
    """
    values = {name: getattr(obstacle, name) for name in field_names(obstacle)}
    return type(obstacle).model_validate(values | changes)


def group_names(scene: Scene) -> list[str]:
    """Return the names of the groups in the order of first occurrence."""
    return list(dict.fromkeys(o.group for o in scene.obstacles if o.group))


def members(scene: Scene, name: str) -> tuple[int, ...]:
    """Return the 0-based obstacles of a group, ascending."""
    return tuple(i for i, o in enumerate(scene.obstacles) if o.group == name)


def whole_groups(scene: Scene, indices: Iterable[int]) -> tuple[int, ...]:
    """Return these obstacles and all others of their groups, 0-based, ascending."""
    chosen = set(indices)
    names = {scene.obstacles[i].group for i in chosen} - {""}
    return tuple(i for i, o in enumerate(scene.obstacles) if i in chosen or o.group in names)


def units(scene: Scene, indices: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the units of movement among some obstacles: each group together, every other obstacle alone.

    If all are of one group, each is a separate unit.
    """
    by_group: dict[str, list[int]] = {}
    for i in indices:
        by_group.setdefault(scene.obstacles[i].group, []).append(i)
    alone = by_group.pop("", [])
    if not alone and len(by_group) == 1:
        alone = next(iter(by_group.values()))
        by_group = {}
    return sorted([*(tuple(group) for group in by_group.values()), *((i,) for i in alone)])


def free_group_name(scene: Scene, like: str = "Group") -> str:
    """Return the unused group name: `like` itself, or with a number appended ("pegs 2")."""
    taken = set(group_names(scene))
    if like not in taken:
        return like
    match = _NUMBERED.match(like)
    base = (match[1] if match else like) or like
    number = 2
    while (name := f"{base[: _LONGEST - len(str(number)) - 1]} {number}") in taken:
        number += 1
    return name


def with_group(scene: Scene, indices: Iterable[int], name: str) -> Scene:
    """Return the scene with some obstacles (0-based) in the group `name`; "" ungroups them.

    Raises `pydantic.ValidationError` if the name is too long.
    """
    chosen = set(indices)
    return with_obstacles(
        scene,
        (
            obstacle_with(o, group=name) if i in chosen and o.group != name else o
            for i, o in enumerate(scene.obstacles)
        ),
    )


def renamed_group(scene: Scene, old: str, new: str) -> Scene:
    """Return the scene with a group renamed; the name of another group merges both."""
    return with_group(scene, members(scene, old), new)


def with_flag(
    scene: Scene, indices: Iterable[int], flag: Literal["locked", "hidden"], on: bool
) -> Scene:
    """Return the scene with the flag of some obstacles (0-based) set or cleared."""
    chosen = set(indices)
    return with_obstacles(
        scene,
        (
            o.model_copy(update={flag: on}) if i in chosen and getattr(o, flag) != on else o
            for i, o in enumerate(scene.obstacles)
        ),
    )
