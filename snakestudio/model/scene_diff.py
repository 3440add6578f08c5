"""Differences of two scenes in words: before undo, reload or restore, and on the command line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from snakestudio.model.edits import changed_keys, get_value
from snakestudio.model.fields import field_doc, field_names
from snakestudio.model.obstacles.shape import SHAPES, Obstacle
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.obstacle_match import sources

_PLACE = ("x_m", "y_m", "z_m")
_TURN = ("yaw_deg", "pitch_deg", "roll_deg", "heading_deg")
_LONGEST = 40


def difference_in_words(before: Scene, after: Scene) -> list[str]:
    """Return the changes that turn one scene into the other; empty only if they are equal.

    Returns
    -------
    list of str
        One line per change; many of the same kind are one line ("12 obstacles moved").
    """
    others = before.model_copy(update={"obstacles": after.obstacles})
    return [
        *(_value_line(before, after, key) for key in changed_keys(others, after)),
        *_obstacle_lines(before, after),
    ]


# ------------------------------------------------------------------------------------------- values


def _value_line(before: Scene, after: Scene, key: str) -> str:
    owner, _, name = key.rpartition(".")
    parent = get_value(after, owner) if owner else after
    label = field_doc(type(parent), name).label
    part = field_doc(Scene, owner.partition(".")[0].partition("[")[0]).label if owner else ""
    same = not part or label.lower().startswith(part.lower())
    what = label if same else f"{part}: {_small(label)}"
    return f"{what} {_change(type(parent), name, get_value(before, key), get_value(after, key))}"


def _small(label: str) -> str:
    """Return the label within a sentence: symbols and abbreviations keep their capitals."""
    return label if label[1:2].isupper() or len(label) == 1 else label[:1].lower() + label[1:]


def _change(part: type[BaseModel], name: str, old: Any, new: Any) -> str:
    """Return the change of a value of a part of the scene, to follow its name."""
    info = part.model_fields.get(name)
    unit = field_doc(part, name).unit
    free = info is None or info.annotation is str
    if isinstance(old, bool) and isinstance(new, bool):
        return "switched on" if new else "switched off"
    if isinstance(old, tuple) and isinstance(new, tuple):
        if len(old) != len(new):
            return f"changed ({len(old)} → {len(new)} entries)"
        return (
            f"changed ({sum(a != b for a, b in zip(old, new, strict=True))} of {len(new)} entries)"
        )
    a, b = _value_text(old, free), _value_text(new, free)
    if a == b:
        a, b = repr(old), repr(new)
    if max(len(a), len(b)) > _LONGEST:
        return "changed"
    behind = f" {unit}" if unit and isinstance(new, int | float) else ""
    return f"{a} → {b}{behind}"


def _value_text(value: Any, free: bool) -> str:
    """Return the value in one line; `free` for text that a user typed."""
    if value is None:
        return "none"
    if isinstance(value, BaseModel):
        return str(getattr(value, "kind", "changed")).replace("_", " ")
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return f'"{_line(value)}"' if free else value.replace("_", " ")
    return str(value)


def _line(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------------------------------- obstacles


def _obstacle_lines(before: Scene, after: Scene) -> list[str]:
    old, new = before.obstacles, after.obstacles
    if old == new:
        return []
    pairs = sources(old, new)
    stayed = {index for index in pairs if index is not None}
    lines = _counted([o for i, o in enumerate(old) if i not in stayed], "removed")
    lines += _counted([o for o, source in zip(new, pairs, strict=True) if source is None], "added")
    changed: dict[tuple[str, ...], list[tuple[int, Obstacle, Obstacle]]] = {}
    for index, (obstacle, source) in enumerate(zip(new, pairs, strict=True)):
        if source is not None and obstacle != old[source]:
            names = field_names(obstacle)
            fields = tuple(
                n for n in names if getattr(obstacle, n) != getattr(old[source], n, None)
            )
            sorts = dict.fromkeys(
                "move" if n in _PLACE else "turn" if n in _TURN else n for n in fields
            )
            for sort in sorts:
                changed.setdefault((sort,), []).append((index, old[source], obstacle))
    for (sort,), members in changed.items():
        lines += _sort_lines(sort, members)
    order = [index for index in pairs if index is not None]
    if order != sorted(order) or not lines:
        lines.append("Obstacles in another order")
    return lines


def _counted(obstacles: Sequence[Obstacle], what: str) -> list[str]:
    kinds: dict[str, list[Obstacle]] = {}
    for obstacle in obstacles:
        kinds.setdefault(obstacle.kind, []).append(obstacle)
    lines = []
    for kind, members in kinds.items():
        if len(members) > 1:
            lines.append(f"{len(members)} {SHAPES[kind].plural} {what}")
        else:
            name = (
                f' "{_line(members[0].name)}"' if members[0].name else f" at {_point(members[0])}"
            )
            lines.append(f"{SHAPES[kind].title}{name} {what}")
    return lines


def _sort_lines(sort: str, members: Sequence[tuple[int, Obstacle, Obstacle]]) -> list[str]:
    """Return the lines for obstacles with one kind of change."""
    if len(members) == 1:
        index, old, new = members[0]
        name = f"Obstacle {index + 1}" + (
            f" ({_line(new.name)})" if new.name and sort != "name" else ""
        )
        if sort == "move":
            return [f"{name} moved from {_point(old)} to {_point(new)} m"]
        if sort == "turn":
            return [f"{name} turned"]
        label = _small(field_doc(type(new), sort).label)
        return [
            f"{name}: {label} {_change(type(new), sort, getattr(old, sort), getattr(new, sort))}"
        ]
    if sort == "turn":
        return [f"{len(members)} obstacles turned"]
    if sort == "move":
        steps = [
            tuple(_at(new, axis) - _at(old, axis) for axis in _PLACE) for _, old, new in members
        ]
        alike = all(math.dist(step, steps[0]) < 1e-6 for step in steps)
        by = (
            f" by ({', '.join(f'{round(step, 9) + 0.0:.6g}' for step in steps[0][:2])}) m"
            if alike
            else ""
        )
        return [f"{len(members)} obstacles moved{by if not steps[0][2] else ''}"]
    label = _small(field_doc(type(members[0][2]), sort).label)
    changes = {
        _change(type(new), sort, getattr(old, sort), getattr(new, sort)) for _, old, new in members
    }
    return [
        f"{len(members)} obstacles: {label} {changes.pop() if len(changes) == 1 else 'changed'}"
    ]


def _at(obstacle: Obstacle, axis: str) -> float:
    return float(getattr(obstacle, axis, 0.0))


def _point(obstacle: Obstacle) -> str:
    axes = _PLACE if _at(obstacle, "z_m") else _PLACE[:2]
    return f"({', '.join(f'{_at(obstacle, axis):.4g}' for axis in axes)})"
