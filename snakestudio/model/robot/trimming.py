"""Link and joint tables adapted to another number of links or to other axes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from snakestudio.model.robot.overrides import JointOverride, LinkOverride, selected, values_of
from snakestudio.model.robot.robot import Robot
from snakestudio.text import counted

Override = LinkOverride | JointOverride
_AnyOverride = TypeVar("_AnyOverride", LinkOverride, JointOverride)


class TrimmedTables(NamedTuple):
    """Tables of a robot with another number of links."""

    link: tuple[LinkOverride, ...]
    joint: tuple[JointOverride, ...]
    note: str
    """Sentence about removed values; "" if every table fits."""


def trimmed(robot: Robot, n_links: int) -> TrimmedTables:
    """Return the tables that a robot retains when its number of links changes.

    A range ends with the last link or joint; a table for links or joints that no longer exist is
    removed. If two tables now apply to the same links, the later one takes precedence, as before.
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
    return TrimmedTables(tuple(link), tuple(joint), note)


def with_axes_of(overrides: Iterable[JointOverride], robot: Robot) -> list[JointOverride]:
    """Return the joint tables without those about an axis that none of their joints has."""
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
    """Return the table without the values in `names`."""
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
    """Return the tables without contradictions: no two give one value for exactly the same links or joints."""
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
