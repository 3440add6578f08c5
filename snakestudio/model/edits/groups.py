"""Groups of obstacles, and what is said of many at once: locked, hidden, named. Pure functions Scene -> Scene."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from snakestudio.model.fields import field_names
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.scene import Scene

_NUMBERED = re.compile(r"(.*?)\s*\d+\Z", re.DOTALL)
_LONGEST = 80
"""Longest name of a group."""


def with_obstacles(scene: Scene, obstacles: Iterable[Obstacle]) -> Scene:
    """The scene with other obstacles, each valid in itself: nothing else in a scene depends on them."""
    return scene.model_copy(update={"obstacles": tuple(obstacles)})


def obstacle_with(obstacle: Obstacle, **changes: object) -> Obstacle:
    """An obstacle with other values.

    Raises `pydantic.ValidationError` if one of them is out of range.
    """
    values = {name: getattr(obstacle, name) for name in field_names(obstacle)}
    return type(obstacle).model_validate(values | changes)


def group_names(scene: Scene) -> list[str]:
    """Names of the groups, in the order in which they first occur."""
    return list(dict.fromkeys(o.group for o in scene.obstacles if o.group))


def members(scene: Scene, name: str) -> tuple[int, ...]:
    """0-based obstacles of a group, ascending."""
    return tuple(i for i, o in enumerate(scene.obstacles) if o.group == name)


def whole_groups(scene: Scene, indices: Iterable[int]) -> tuple[int, ...]:
    """These obstacles and all others of their groups, 0-based, ascending."""
    chosen = set(indices)
    names = {scene.obstacles[i].group for i in chosen} - {""}
    return tuple(i for i, o in enumerate(scene.obstacles) if i in chosen or o.group in names)


def units(scene: Scene, indices: Sequence[int]) -> list[tuple[int, ...]]:
    """What moves as one among some obstacles: those of a group together, every other alone.

    If all of them are of one group, each is meant for itself.
    """
    together: dict[str, list[int]] = {}
    for i in indices:
        together.setdefault(scene.obstacles[i].group, []).append(i)
    alone = together.pop("", [])
    if not alone and len(together) == 1:
        alone = next(iter(together.values()))
        together = {}
    return sorted([*(tuple(group) for group in together.values()), *((i,) for i in alone)])


def free_group_name(scene: Scene, like: str = "Group") -> str:
    """A name no group has yet: `like` itself, or with a number behind ("pegs 2")."""
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
    """The scene with some obstacles (0-based) in the group `name`; "" takes them out of theirs.

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
    """The scene with a group called otherwise; the name of another group joins both."""
    return with_group(scene, members(scene, old), new)


def with_flag(
    scene: Scene, indices: Iterable[int], flag: Literal["locked", "hidden"], on: bool
) -> Scene:
    """The scene with some obstacles (0-based) locked or hidden, or neither any more."""
    chosen = set(indices)
    return with_obstacles(
        scene,
        (
            o.model_copy(update={flag: on}) if i in chosen and getattr(o, flag) != on else o
            for i, o in enumerate(scene.obstacles)
        ),
    )
