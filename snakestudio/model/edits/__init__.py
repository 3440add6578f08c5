"""Edits: pure functions from a Scene to a Scene, shared by panels, undo, `--set` and Python calls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, get_args

import numpy as np
from pydantic import BaseModel, ValidationError

from snakestudio.errors import Problem, SceneError
from snakestudio.model.fields import field_names
from snakestudio.model.gaits import GAITS, gait_named
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.registry import options
from snakestudio.model.robot.trimming import trimmed
from snakestudio.model.scene import Scene, structure_problems
from snakestudio.model.scene_file import complete, scene_from_dict
from snakestudio.model.validation_messages import closest, problem_of
from snakestudio.model.world import GroundPatch
from snakestudio.text import listing

__all__ = [
    "add_obstacle",
    "changed_keys",
    "declared",
    "get_value",
    "only_obstacles",
    "parse_key",
    "remove_obstacles",
    "tree",
    "trimming_note",
    "value_at",
    "with_patches",
    "with_path",
    "with_value",
    "with_values",
]

_PART = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)((?:\[\d{1,9}\])*)\Z")


def parse_key(key: str) -> tuple[str | int, ...]:
    """Parse ``obstacles[2].x_m`` to ``("obstacles", 1, "x_m")``; text is 1-based, the result 0-based.

    Raises `SceneError` if the key has another syntax.
    """
    path: list[str | int] = []
    for part in key.strip().split("."):
        match = _PART.match(part)
        if match is None:
            raise _error(
                key,
                "the text is not a scene key",
                "write it like gait.amplitude_deg or obstacles[2].x_m",
            )
        path.append(match[1])
        for number in re.findall(r"\d+", match[2]):
            if int(number) < 1:
                raise _error(key, "entries are numbered from 1", "write [1] for the first")
            path.append(int(number) - 1)
    return tuple(path)


def _error(key: str, message: str, remedy: str) -> SceneError:
    problem = Problem("error", key, message, remedy)
    return SceneError.of([problem])


def _no_such_key(scene: Scene, key: str) -> SceneError:
    """Return the error for a key that the scene does not have, with a suggestion."""
    remedy = "see the scene file for its keys"
    part: Any = scene
    head = ""
    for name in key.split("."):
        plain = name.partition("[")[0]
        fields = type(part).model_fields if isinstance(part, BaseModel) else {}
        if plain not in fields:
            owners = _owners(scene, plain)
            if owners and part is scene:
                remedy = f"did you mean {listing((f'{owner}.{key}' for owner in owners), 'or')}"
            elif part is scene and (joined := _joined(scene, plain)):
                remedy = f"did you mean {joined}"
            elif close := closest(plain, fields):
                remedy = f"did you mean {head}{close}"
            break
        part = getattr(part, plain)
        head = f"{head}{plain}."
    return _error(key, "the scene has no such key", remedy)


def _joined(scene: Scene, name: str) -> str:
    """Dotted key that is written with an underscore: gait.amplitude_deg for gait_amplitude_deg; "" if none is."""
    for owner in Scene.model_fields:
        rest = name.removeprefix(f"{owner}_")
        part = getattr(scene, owner)
        if rest != name and isinstance(part, BaseModel) and rest in field_names(part):
            return f"{owner}.{rest}"
    return ""


def _owners(scene: Scene, name: str) -> list[str]:
    """Return the parts of a scene that have a value with this name, unlike the scene itself."""
    if name in Scene.model_fields:
        return []
    parts = ((owner, getattr(scene, owner)) for owner in Scene.model_fields)
    return [
        owner
        for owner, part in parts
        if isinstance(part, BaseModel) and name in type(part).model_fields
    ]


def get_value(scene: Scene, key: str) -> Any:
    """Return the value at a dotted key.

    Raises `SceneError` if there is no such key.
    """
    path = parse_key(key)
    try:
        return value_at(scene, path)
    except LookupError:
        raise _no_such_key(scene, key) from None


def declared(scene: Scene, key: str) -> tuple[type[BaseModel], str]:
    """Return the part of the scene that declares the value at a dotted key, and the value's name there.

    Raises `SceneError` if there is no such key.
    """
    holder, _, name = key.rpartition(".")
    part = get_value(scene, holder) if holder else scene
    if not isinstance(part, BaseModel) or name not in field_names(part):
        raise _no_such_key(scene, key)
    return type(part), name


def value_at(root: Any, path: tuple[str | int, ...]) -> Any:
    """Return the value in a model at a parsed key.

    Raises `LookupError` if it does not exist.
    """
    value = root
    for part in path:
        if isinstance(part, int):
            if not isinstance(value, list | tuple):
                raise LookupError(part)
            value = value[part]
        elif isinstance(value, BaseModel) and part in field_names(value):
            value = getattr(value, part)
        else:
            raise LookupError(part)
    return value


def with_value(scene: Scene, key: str, value: Any) -> Scene:
    """Return the scene with another value at a dotted key.

    Raises `SceneError` with key, value and remedy; `scene` is unchanged.
    """
    return with_values(scene, {key: value})


def with_values(scene: Scene, values: dict[str, Any]) -> Scene:
    """Return the scene with other values at several dotted keys, validated together.

    If the number of links changes, tables of links and joints that no longer exist are trimmed
    (`trimming_note`). The value of "gait" can be the name of a gait of the library.

    Raises `SceneError` with every error.
    """
    values = _trimming(scene, {key: _plain(value) for key, value in _named_gait(values).items()})
    quick = _with_plain_values(scene, values)
    if quick is not None:
        return quick
    plain_scene: Any = tree(scene)
    for key, value in values.items():
        path = parse_key(key)
        if len(path) == 1 and (_owners(scene, key) or _joined(scene, key)):
            raise _no_such_key(scene, key)
        holder: Any = plain_scene
        for part in path[:-1]:
            try:
                holder = holder[part]
            except (KeyError, IndexError, TypeError):
                raise _no_such_key(scene, key) from None
        last = path[-1]
        if isinstance(holder, list) and isinstance(last, int) and not last < len(holder):
            raise _error(
                key,
                f"there are only {len(holder)} entries",
                f"use a number from 1 to {len(holder)}",
            )
        if not isinstance(holder, dict | list) or isinstance(holder, list) != isinstance(last, int):
            raise _no_such_key(scene, key)
        _drop_foreign(path, holder, value)
        if value is None and isinstance(holder, dict):
            holder.pop(last, None)
        else:
            holder[last] = value  # type: ignore[index]
    return scene_from_dict(plain_scene)


def _named_gait(values: dict[str, Any]) -> dict[str, Any]:
    """`values`, with those of a gait of the library instead of its name."""
    name = values.get("gait")
    if not isinstance(name, str):
        return values
    preset = gait_named(name)
    if preset is None:
        close = closest(name, [each.name for each in GAITS])
        remedy = (
            f"did you mean {close}" if close else "choose a name that 'snakestudio gaits' lists"
        )
        raise _error("gait", f'the library has no gait "{name}"', remedy)
    return {key: tree(value) for key, value in preset.values().items()} | {
        key: value for key, value in values.items() if key != "gait"
    }


def _trimming(scene: Scene, values: dict[str, Any]) -> dict[str, Any]:
    """`values`, extended by adapted tables if the number of links changes."""
    robot = scene.robot
    n_links = values.get("robot.n_links")
    tables = bool(robot.link or robot.joint)
    if (
        not tables
        or type(n_links) is not int
        or n_links < 1
        or n_links == robot.n_links
        or "robot" in values
    ):
        return values
    fitting = trimmed(robot, n_links)
    changed = {
        f"robot.{table}": [tree(override) for override in after]
        for table, before, after in (
            ("link", robot.link, fitting.link),
            ("joint", robot.joint, fitting.joint),
        )
        if before != after
    }
    return changed | values


def trimming_note(before: Scene, after: Scene) -> str:
    """Return the sentence about tables of links and joints that were removed with the number of links, or ""."""
    if before.robot.n_links == after.robot.n_links:
        return ""
    fitting = trimmed(before.robot, after.robot.n_links)
    return (
        fitting.note
        if (fitting.link, fitting.joint) == (after.robot.link, after.robot.joint)
        else ""
    )


def _plain(value: Any) -> Any:
    """Convert numpy numbers and arrays to Python's types, for scripts."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if type(value) is tuple:
        return tuple(_plain(each) for each in value)
    return value


def _with_plain_values(scene: Scene, values: dict[str, Any]) -> Scene | None:
    """`with_values` if only numbers and strings change, without validating the rest of a large scene again.

    None in other cases: another kind of part, lists, a nonexistent key.
    """
    groups: dict[tuple[str | int, ...], dict[str, Any]] = {}
    for key, value in values.items():
        *parent, last = parse_key(key)
        if (
            last == "kind"
            or not isinstance(last, str)
            or not isinstance(value, bool | int | float | str)
        ):
            return None
        groups.setdefault(tuple(parent), {})[last] = value
    problems: list[Problem] = []
    # often many change together: the tuple is rebuilt only once
    obstacles: list[Any] = list(scene.obstacles)
    for path, changes in groups.items():
        try:
            part = value_at(scene, path)
        except LookupError:
            return None
        if not isinstance(part, BaseModel) or not changes.keys() <= set(field_names(part)):
            return None
        try:
            old = {name: getattr(part, name) for name in field_names(part)}
            changed = type(part).model_validate(old | changes)
            if len(path) == 2 and path[0] == "obstacles":
                obstacles[int(path[1])] = changed
            else:
                scene = _replaced(scene, path, changed)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                detail["loc"] = (*path, *detail["loc"])
                problems.append(problem_of(detail))
    if any(path[:1] == ("obstacles",) for path in groups):
        scene = _with_obstacles(scene, tuple(obstacles))
    return complete(scene, problems or structure_problems(scene))


def _replaced(container: Any, path: tuple[str | int, ...], part: Any) -> Any:
    if not path:
        return part
    first = path[0]
    rest = path[1:]
    if isinstance(first, int):
        return (
            *container[:first],
            _replaced(container[first], rest, part),
            *container[first + 1 :],
        )
    return container.model_copy(update={first: _replaced(getattr(container, first), rest, part)})


def _drop_foreign(path: tuple[str | int, ...], holder: Any, value: Any) -> None:
    """After a change of kind, keep only values that both kinds share: others are unknown or of another type."""
    if (
        len(path) < 2
        or path[-1] != "kind"
        or not isinstance(holder, dict)
        or holder.get("kind") == value
    ):
        return
    kinds = _kinds(str(path[0])) if path[0] in Scene.model_fields else {}
    target = kinds.get(value)
    own = kinds.get(holder.get("kind"))
    if target is None:
        return
    theirs = target.model_fields
    # a kind whose plug-in is not loaded has no declarations
    ours = {} if own is None else own.model_fields
    for name in list(holder):
        known = name in theirs and (
            name not in ours or theirs[name].annotation == ours[name].annotation
        )
        if name != "kind" and not known:
            del holder[name]


def _kinds(name: str) -> dict[Any, type[BaseModel]]:
    """Return the kinds of part that a field of the scene, or a tuple of it, allows, by name."""
    declared = options(Scene, name)
    return _kinds_in(Scene.model_fields[name].annotation) if declared is None else declared


def _kinds_in(annotation: Any) -> dict[Any, type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        kind = annotation.model_fields.get("kind")
        return {} if kind is None else {kind.get_default(): annotation}
    return {
        name: model for option in get_args(annotation) for name, model in _kinds_in(option).items()
    }


def tree(part: Any) -> Any:
    """Convert a scene part to plain nested values, as in its file."""
    if isinstance(part, BaseModel):
        values = {name: tree(getattr(part, name)) for name in field_names(part)}
        return {name: value for name, value in values.items() if value is not None}
    if isinstance(part, tuple):
        return [tree(entry) for entry in part]
    return part


def changed_keys(before: Scene, after: Scene) -> list[str]:
    """Return the dotted keys at which two scenes differ; a list whose length changed counts as one key."""
    keys: list[str] = []

    def walk(a: Any, b: Any, key: str) -> None:
        if a is b or (type(a) is type(b) and a == b):
            return
        if isinstance(a, BaseModel) and type(a) is type(b):
            for name in dict.fromkeys((*field_names(a), *field_names(b))):
                walk(
                    getattr(a, name, None), getattr(b, name, None), f"{key}.{name}" if key else name
                )
        elif (
            isinstance(a, tuple)
            and isinstance(b, tuple)
            and len(a) == len(b)
            and all(isinstance(entry, BaseModel) for entry in a)
        ):
            for index, (x, y) in enumerate(zip(a, b, strict=True)):
                walk(x, y, f"{key}[{index + 1}]")
        else:
            keys.append(key)

    walk(before, after, "")
    return keys


def only_obstacles(before: Scene, after: Scene) -> bool:
    """Return whether an edit changed only obstacles, but not their number; fast, because it runs during drags."""
    same = all(
        getattr(before, name) is getattr(after, name)
        for name in type(after).model_fields
        if name != "obstacles"
    )
    return same and len(before.obstacles) == len(after.obstacles)


def same_numbers(before: Scene, after: Scene) -> bool:
    """Return whether an edit kept the numbers of obstacles and of patches, so that their indices still apply; fast."""
    return len(before.obstacles) == len(after.obstacles) and len(before.ground.patch) == len(
        after.ground.patch
    )


def add_obstacle(scene: Scene, obstacle: Obstacle) -> Scene:
    """Return the scene with one more obstacle at the end."""
    return _with_obstacles(scene, (*scene.obstacles, obstacle))


def remove_obstacles(scene: Scene, indices: Iterable[int]) -> Scene:
    """Return the scene without the obstacles at these 0-based indices."""
    removed = set(indices)
    return _with_obstacles(
        scene, tuple(o for i, o in enumerate(scene.obstacles) if i not in removed)
    )


def with_path(scene: Scene, path: GroundPath) -> Scene:
    """Return the scene with another path on the ground.

    Raises `SceneError` if the path contradicts itself; `scene` is unchanged.
    """
    changed = scene.model_copy(update={"path": path})
    return complete(changed, structure_problems(changed))


def with_patches(scene: Scene, patches: tuple[GroundPatch, ...]) -> Scene:
    """Return the scene with other friction patches on the ground.

    Raises `SceneError` if they contradict the scene; `scene` is unchanged.
    """
    changed = scene.model_copy(
        update={"ground": scene.ground.model_copy(update={"patch": patches})}
    )
    return complete(changed, structure_problems(changed))


def _with_obstacles(scene: Scene, obstacles: tuple[Obstacle, ...]) -> Scene:
    # The parts are already valid, and nothing else in a scene depends on the number of obstacles.

    return scene.model_copy(update={"obstacles": obstacles})
