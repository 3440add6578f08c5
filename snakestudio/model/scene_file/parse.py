"""Conversion of TOML text to a scene, with all errors reported together: key, value and remedy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pydantic

from snakestudio.errors import Problem, SceneError
from snakestudio.inputs import SCENE, InputError, parse_toml
from snakestudio.model.scene import FORMAT, Scene, structure_problems
from snakestudio.model.scene_file.toml_merge import tuples
from snakestudio.model.validation_messages import problem_of

_BY_DEFAULT = {
    name: Scene.model_fields[name].get_default(call_default_factory=True)
    for name in ("model", "gait")
}
_FIRST_KINDS = {name: part.kind for name, part in _BY_DEFAULT.items()} | {"obstacles": "cylinder"}
"""Kinds that can be omitted because there used to be only one: those of a default scene."""

MOST_MISTAKES = 200
"""Largest number of reported errors: a table of a million invalid values has a million errors."""

_MOST_TOLD = 200_000


def parse_scene(text: str, source: str = "scene") -> Scene:
    """Read a scene from TOML text; `source` is its name in messages.

    Raises `SceneError` as `load_scene`.
    """
    try:
        values = parse_values(text)
    except InputError as error:
        problem = error.problem()
        raise SceneError(f"{source}: {error}", [problem]) from None
    return _validate(values, source)


def scene_from_dict(values: dict[str, Any], source: str = "") -> Scene:
    """Create a scene from nested plain values, as TOML parsers return; `source` is its name in messages.

    Raises `SceneError` as `load_scene`.
    """
    return _validate(values, source)


@lru_cache(maxsize=2)
def parse_values(text: str) -> dict[str, Any]:
    """Return the values of a TOML text; read-only, because saving uses the same cached result.

    Raises `InputError` if it is not valid TOML (with the line), or too large for a scene.
    """
    return parse_toml(text, SCENE)


def _validate(values: dict[str, Any], source: str) -> Scene:
    version = values.get("format")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT:
        what = f"format = {version} is newer than this program, which reads up to {FORMAT}"
        raise _scene_error(source, [Problem("error", "", what, "update SnakeStudio")])
    values = _with_first_kinds(values)
    problems = []
    if "format" not in values:
        problems.append(
            Problem("error", "format", "is missing", f"start the file with format = {FORMAT}")
        )
    try:
        scene = Scene.model_validate(tuples(values))
    except pydantic.ValidationError as error:
        count = error.error_count()
        # Each error takes a kilobyte.
        details = error.errors(include_url=False) if count <= _MOST_TOLD else []
        problems += [problem_of(detail) for detail in details[:MOST_MISTAKES]]
        if count > MOST_MISTAKES:
            rest = count - min(len(details), MOST_MISTAKES)
            more = f"there are {rest} {'more ' if details else ''}errors in the file"
            problems.append(
                Problem("error", "", more, "fix these first" if details else "check its lists")
            )
        if count <= MOST_MISTAKES:
            problems += _contradictions(
                values, {str(detail["loc"][0]) for detail in details if detail["loc"]}
            )
        raise _scene_error(source, problems) from None
    return complete(scene, [*problems, *structure_problems(scene)], source)


def _with_first_kinds(values: dict[str, Any]) -> dict[str, Any]:
    """`values` with the kinds that older scenes did not have to contain."""

    def filled(part: Any, kind: str) -> Any:
        if isinstance(part, list | tuple):
            return [filled(entry, kind) for entry in part]
        return {"kind": kind, **part} if isinstance(part, dict) else part

    return values | {
        name: filled(values[name], kind) for name, kind in _FIRST_KINDS.items() if name in values
    }


def _contradictions(values: dict[str, Any], wrong: set[str]) -> list[Problem]:
    """Return the contradictions between the valid parts, so that all errors can be reported together."""
    sound = {name: part for name, part in values.items() if name not in wrong}
    try:
        scene = Scene.model_validate(tuples(sound))
    except pydantic.ValidationError:
        return []
    # A problem counts only if everything it compares is valid.
    compared = {
        "control": {"control", "solver"},
        "run": {"run", "solver"},
        "start": {"start", "robot"},
        "path": {"path"},
        "obstacles": {"obstacles"},
    }
    return [p for p in structure_problems(scene) if not compared[p.key.partition(".")[0]] & wrong]


def complete(scene: Scene, problems: Sequence[Problem], source: str = "") -> Scene:
    """Return the scene if there are no problems.

    Raises
    ------
    SceneError
    """
    if problems:
        raise _scene_error(source, problems)
    return scene


def _scene_error(source: str, problems: Sequence[Problem]) -> SceneError:
    return SceneError.of(problems, source)
