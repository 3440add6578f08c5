"""Kinds of a scene that come from plug-ins, and kinds that are missing because a plug-in is not loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snakestudio.errors import PluginError, Problem
from snakestudio.model.edits import tree
from snakestudio.model.registry import UncheckedFields
from snakestudio.model.scene import PARTS_WITH_KINDS, Scene
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.plugins.loaded import Plugin, find
from snakestudio.plugins.scenes import named_plugins


def _parts(scene: Scene) -> Iterator[tuple[str, Any]]:
    """Yield the parts of the scene that have a kind, with their keys."""
    for name in PARTS_WITH_KINDS:
        part = getattr(scene, name)
        if isinstance(part, tuple):
            yield from ((f"{name}[{number}]", each) for number, each in enumerate(part, 1))
        else:
            yield name, part


def is_complete(scene: Scene) -> bool:
    """Return whether all kinds of a scene are available."""
    return not any(issubclass(fields, UncheckedFields) for _, fields in _types(scene))


def problems(scene: Scene, base_dir: Path | None) -> list[Problem]:
    """Return missing plug-ins: an error for each missing kind, and a warning for each plug-in without any of them."""
    if not scene.plugin and is_complete(scene):
        return []
    missing = [each for each in named_plugins(scene.plugins, base_dir) if each.state != "loaded"]
    missing_kinds = []
    reasons = [each.refusal() for each in missing]
    for key, part in _parts(scene):
        if not isinstance(part, UncheckedFields):
            continue
        what = f'"{part.kind}" is not a kind of SnakeStudio'  # type: ignore[attr-defined]
        remedy = "load the plug-in that provides it"
        if reasons:
            what = f"{what}: {' and '.join(reason for reason, _ in reasons)}"
            remedy = reasons[0][1]
        missing_kinds.append(Problem("error", f"{key}.kind", what, remedy))
    if not missing_kinds:
        return [Problem("warning", "plugin", reason, remedy) for reason, remedy in reasons]
    return missing_kinds


def require_kinds(scene: Scene, base_dir: Path | None, source: str = "") -> None:
    """Refuse a scene whose kinds are missing because a plug-in is not loaded or not trusted.

    Raises
    ------
    PluginError
    """
    head = f"{source}: " if source else ""
    missing = [each for each in problems(scene, base_dir) if each.severity == "error"]
    if missing:
        raise PluginError("\n".join(f"{head}{problem.sentence()}" for problem in missing))


def renewed(scene: Scene) -> Scene:
    """Rebuild the parts of a scene with the currently loaded kinds; missing kinds get placeholders.

    Raises `SceneError` if values are invalid for the kinds.
    """
    scene = _with_stand_ins(scene)
    return (
        scene
        if all(_is_current(name, kind) for name, kind in _types(scene))
        else scene_from_dict(tree(scene))
    )


def _types(scene: Scene) -> Iterator[tuple[str, Any]]:
    """Yield the classes of the parts of a scene with the names of the parts; each class once."""
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


def _is_missing(name: str, fields: Any) -> bool:
    return fields.model_fields["kind"].default not in PARTS_WITH_KINDS[name] and not issubclass(
        fields, UncheckedFields
    )


def _with_stand_ins(scene: Scene) -> Scene:
    changed: dict[str, Any] = {}
    for name in {name for name, fields in _types(scene) if _is_missing(name, fields)}:
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
    """Return the plug-ins whose kinds a scene uses."""
    return _sources(scene, tuple(PARTS_WITH_KINDS))


def plugin_records(scene: Scene) -> tuple[str, ...]:
    """Return a line for each plug-in that a scene uses, for its run files: file or package, SHA-256, kinds."""
    records = []
    for plugin in plugins_in_use(scene):
        kinds = ", ".join(f"{role} {name}" for role, name in plugin.adds)
        records.append(f"{plugin.source.file or plugin.name} sha256:{plugin.digest} ({kinds})")
    return tuple(records)


def driving_plugins(scene: Scene) -> tuple[Plugin, ...]:
    """Return the plug-ins that command the joints."""
    return _sources(scene, ("controller", "gait"))
