"""Which kinds of a scene come from plug-ins, and which of them are missing because a plug-in is not loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snakestudio.errors import Problem
from snakestudio.model.edits import tree
from snakestudio.model.registry import Unchecked
from snakestudio.model.scene import PARTS_WITH_KINDS, Scene
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.plugins.loaded import Plugin, find
from snakestudio.plugins.scenes import named_plugins


def _parts(scene: Scene) -> Iterator[tuple[str, Any]]:
    """Parts that have a kind, with their keys."""
    for name in PARTS_WITH_KINDS:
        part = getattr(scene, name)
        if isinstance(part, tuple):
            yield from ((f"{name}[{number}]", each) for number, each in enumerate(part, 1))
        else:
            yield name, part


def is_complete(scene: Scene) -> bool:
    """Whether all kinds of a scene are there."""
    return not any(issubclass(fields, Unchecked) for _, fields in _types(scene))


def problems(scene: Scene, base_dir: Path | None) -> list[Problem]:
    """What a scene names and is not there: an error for each kind, and a warning for a plug-in with none of them."""
    if not scene.plugin and is_complete(scene):
        return []
    missing = [each for each in named_plugins(scene.plugins, base_dir) if each.state != "loaded"]
    found = []
    reasons = [each.refusal() for each in missing]
    for key, part in _parts(scene):
        if not isinstance(part, Unchecked):
            continue
        what = f'"{part.kind}" is not a kind of SnakeStudio'  # type: ignore[attr-defined]
        remedy = "load the plug-in that has it"
        if reasons:
            what = f"{what}: {' and '.join(reason for reason, _ in reasons)}"
            remedy = reasons[0][1]
        found.append(Problem("error", f"{key}.kind", what, remedy))
    if not found:
        return [Problem("warning", "plugin", reason, remedy) for reason, remedy in reasons]
    return found


def renewed(scene: Scene) -> Scene:
    """A scene whose parts are of the kinds as they are loaded now; those of kinds that are gone have stand-ins.

    Raises `SceneError` if values do not suit the kinds.
    """
    scene = _with_stand_ins(scene)
    return (
        scene
        if all(_is_current(name, kind) for name, kind in _types(scene))
        else scene_from_dict(tree(scene))
    )


def _types(scene: Scene) -> Iterator[tuple[str, Any]]:
    """The classes of which parts of a scene are, each once, with the parts' names: there may be many obstacles."""
    for name in PARTS_WITH_KINDS:
        part = getattr(scene, name)
        yield from (
            (name, kind)
            for kind in {type(each) for each in (part if isinstance(part, tuple) else (part,))}
        )


def _is_current(name: str, fields: Any) -> bool:
    kind = fields.model_fields["kind"].default
    registry = PARTS_WITH_KINDS[name]
    return kind not in registry or fields is registry[kind].fields


def _is_gone(name: str, fields: Any) -> bool:
    return fields.model_fields["kind"].default not in PARTS_WITH_KINDS[name] and not issubclass(
        fields, Unchecked
    )


def _with_stand_ins(scene: Scene) -> Scene:
    changed: dict[str, Any] = {}
    for name in {name for name, fields in _types(scene) if _is_gone(name, fields)}:
        part = getattr(scene, name)
        registry = PARTS_WITH_KINDS[name]
        parts = part if isinstance(part, tuple) else (part,)
        replaced = tuple(
            each if each.kind in registry else registry.unchecked(tree(each)) for each in parts
        )
        changed[name] = replaced if isinstance(part, tuple) else replaced[0]
    return scene.model_copy(update=changed) if changed else scene


def _sources(scene: Scene, names: tuple[str, ...]) -> tuple[Plugin, ...]:
    used: dict[str, None] = {}
    for name in names:
        part = getattr(scene, name)
        for each in part if isinstance(part, tuple) else (part,):
            used[PARTS_WITH_KINDS[name].source(each.kind)] = None
    return tuple(plugin for name in used if name and (plugin := find(name)) is not None)


def plugins_in_use(scene: Scene) -> tuple[Plugin, ...]:
    """The plug-ins whose kinds a scene has."""
    return _sources(scene, tuple(PARTS_WITH_KINDS))


def plugin_records(scene: Scene) -> tuple[str, ...]:
    """A line for every plug-in whose kinds a scene has, for files of its runs: file or package, SHA-256, its kinds."""
    records = []
    for plugin in plugins_in_use(scene):
        kinds = ", ".join(f"{role} {name}" for role, name in plugin.adds)
        records.append(f"{plugin.source.file or plugin.name} sha256:{plugin.digest} ({kinds})")
    return tuple(records)


def driving_plugins(scene: Scene) -> tuple[Plugin, ...]:
    """Those of them that say what the joints do."""
    return _sources(scene, ("controller", "gait"))
