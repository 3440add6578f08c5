"""Link and joint tables that fit another number of links, or other axes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from snakestudio.model.robot.overrides import JointOverride, LinkOverride, selected, values_of
from snakestudio.model.robot.robot import Robot
from snakestudio.text import counted

Override = LinkOverride | JointOverride
_AnyOverride = TypeVar("_AnyOverride", LinkOverride, JointOverride)


class Trimmed(NamedTuple):
    """The tables of a robot of another number of links."""

    link: tuple[LinkOverride, ...]
    joint: tuple[JointOverride, ...]
    note: str
    """A sentence about what was removed; "" if every table fits."""


def trimmed(robot: Robot, n_links: int) -> Trimmed:
    """The tables that a robot keeps when it gets another number of links.

    A range ends with the last link or joint; a table for links or joints that no longer exist is
    removed. Where two tables are about the same links now, the later one holds, as before.
    """
    link = _agreeing(_fitting(robot.link, n_links), n_links)
    joint = _agreeing(_fitting(robot.joint, n_links - 1), n_links - 1)
    joint = with_axes_of(
        joint, robot.model_copy(update={"n_links": n_links, "link": link, "joint": tuple(joint)})
    )
    parts = []
    if tuple(link) != robot.link:
        parts.append("links")
    if tuple(joint) != robot.joint:
        parts.append("joints")
    note = ""
    if parts:
        links = counted(n_links, "link")
        note = f"Values given for {' and '.join(parts)} that do not exist in a robot with {links} were removed."
    return Trimmed(tuple(link), tuple(joint), note)


def with_axes_of(overrides: Iterable[JointOverride], robot: Robot) -> list[JointOverride]:
    """The joint tables but for those about an axis that none of their joints has."""
    return [
        override
        for override in overrides
        if override.only is None
        or any(
            override.only in robot.joint_list[joint].axes
            for joint in selected(override.index, robot.n_joints)
        )
    ]


def without(override: _AnyOverride, names: Iterable[str]) -> _AnyOverride:
    """The table without some of its values."""
    return override.model_copy(update=dict.fromkeys(names))


def _fitting(overrides: Sequence[_AnyOverride], count: int) -> list[_AnyOverride]:
    result = []
    for override in overrides:
        try:
            selected(override.index, count)
            result.append(override)
        except ValueError:
            numbers = [int(digits) for digits in re.findall(r"\d+", str(override.index))]
            if numbers and min(numbers[0], count) >= 1 and numbers[0] <= count:
                index = count if numbers[0] == count else f"{numbers[0]}-{count}"
                result.append(override.model_copy(update={"index": index}))
    return result


def _agreeing(overrides: Sequence[_AnyOverride], count: int) -> list[_AnyOverride]:
    """Tables of which no two give one value for the very same links or joints."""
    result: list[_AnyOverride] = []
    later: dict[tuple[range, str | None, str], Any] = {}
    for override in reversed(overrides):
        rows = selected(override.index, count)
        only = getattr(override, "only", None)
        values = dict(values_of(override))
        lost = [
            name
            for name, value in values.items()
            if later.setdefault((rows, only, name), value) != value
        ]
        if len(lost) < len(values) or not values:
            result.append(without(override, lost) if lost else override)
    return result[::-1]
