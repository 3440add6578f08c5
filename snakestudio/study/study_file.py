"""Study files: read with all problems reported together, written with comments preserved."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import pydantic
import tomlkit
from tomlkit.exceptions import TOMLKitError

from snakestudio.errors import Problem, StudyError
from snakestudio.inputs import STUDY, InputError, local_path, parse_toml, read_text
from snakestudio.model.arguments import path_of
from snakestudio.model.atomic import write_atomically
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.parse import MOST_MISTAKES
from snakestudio.model.scene_file.toml_merge import merge, tuples
from snakestudio.model.validation_messages import problem_of
from snakestudio.paths import find_scene, is_bare_name
from snakestudio.study.description import FORMAT, StudyFields, problems

_MARKS = ("vary", "goals", "search", "repeats")
"""Tables of studies that scenes do not have."""


def load_study(path: str | Path, *, strict: bool = True) -> StudyFields:
    """Read a study file.

    Raises `StudyError` with one message per problem, each naming file, key, value and remedy. Raises
    `UsageError` if `path` is not a file name.

    Parameters
    ----------
    strict : bool
        Whether contradicting values (see `problems`) are errors: True for running a study, False
        for editing it.
    """
    path = path_of("path", path)
    try:
        text = read_text(path, STUDY)
    except InputError as error:
        raise StudyError(f"{path}: {error}", [error.problem()]) from None
    return parse_study(text, str(path), strict=strict)


def parse_study(text: str, source: str = "study", *, strict: bool = True) -> StudyFields:
    """Read a study from TOML text; `source` names it in messages, and `strict` is as in `load_study`.

    Raises `StudyError`: see `load_study`.
    """
    try:
        values = parse_toml(text, STUDY)
    except InputError as error:
        raise StudyError(f"{source}: {error}", [error.problem()]) from None
    version = values.get("format")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT:
        what = f"format = {version} is newer than this program, which reads up to {FORMAT}"
        raise _error(source, [Problem("error", "", what, "update SnakeStudio")])
    if (
        "scene" not in values
        and not any(name in values for name in _MARKS)
        and values.keys() & Scene.model_fields
    ):
        remedy = f"'snakestudio study new {source}' creates a study of it"
        raise _error(source, [Problem("error", "", "this is a scene, not a study", remedy)])
    mistakes: list[Problem] = []
    if "format" not in values:
        mistakes.append(
            Problem("error", "format", "is missing", f"start the file with format = {FORMAT}")
        )
    if isinstance(values.get("fixed"), dict):
        values["fixed"] = _flat(values["fixed"])
    if type(version) is int and version == 1:
        values = _from_format_1(values)
    try:
        study = StudyFields.model_validate(tuples(values))
    except pydantic.ValidationError as error:
        details = error.errors(include_url=False)
        mistakes += [problem_of(detail, StudyFields) for detail in details[:MOST_MISTAKES]]
        if len(details) > MOST_MISTAKES:
            mistakes.append(
                Problem("error", "", f"there are {len(details)} problems in it", "fix these first")
            )
        raise _error(source, mistakes) from None
    if strict:
        mistakes += problems(study)
    if mistakes:
        raise _error(source, mistakes)
    return study


def _from_format_1(values: dict[str, Any]) -> dict[str, Any]:
    """Convert from format 1, in which a goal without aim was maximised."""
    goals = values.get("goals")
    if isinstance(goals, list):
        goals = [{"aim": "maximise"} | goal if isinstance(goal, dict) else goal for goal in goals]
        values = values | {"goals": goals}
    return values | {"format": FORMAT}


def _flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Flatten nested tables to dotted keys: ``run.duration_s = 5`` is a table in TOML, but a scene key here."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{key}.")
        else:
            flat[f"{before}{key}"] = value
    return flat


def _error(source: str, problems: list[Problem]) -> StudyError:
    return StudyError.of(problems, source)


def is_study(path: Path) -> bool:
    """Return whether a TOML file seems to be a study, judged by its tables."""
    try:
        values = parse_toml(read_text(path, STUDY), STUDY)
    except InputError:
        return False
    return any(name in values for name in _MARKS)


def dump_study(study: StudyFields, base: str | None = None) -> str:
    """Return the study as TOML text, merged into `base` if that can be parsed (its comments and layout stay)."""
    if base is not None:
        with contextlib.suppress(TOMLKitError, ValueError, RecursionError, StudyError):
            text = _over(study, base)
            if parse_study(text, strict=False) == study:
                return text
    return _over(study, "")


def _over(study: StudyFields, base: str) -> str:
    document = tomlkit.parse(base)
    merge(document, study, explicit=False, leave=("fixed",))
    flat = tuples(_flat(document["fixed"].unwrap())) if "fixed" in document else {}
    if study.fixed != flat:
        table = tomlkit.table()
        for key, value in study.fixed.items():
            table[key] = list(value) if isinstance(value, tuple) else value
        if "fixed" in document:
            del document["fixed"]
        if study.fixed:
            document["fixed"] = table
    return tomlkit.dumps(document).rstrip("\n") + "\n"


def save_study(study: StudyFields, path: str | Path) -> None:
    """Write a study file; comments and unchanged parts of an existing file are preserved.

    Raises `StudyError` if it cannot be written; the old file is unchanged then.
    """
    path = path_of("path", path)
    base = None
    with contextlib.suppress(InputError):
        base = read_text(path, STUDY)
    try:
        write_atomically(path, dump_study(study, base).encode())
    except OSError as error:
        reason = error.strerror or str(error)
        raise StudyError(
            f"{path}: it cannot be written ({reason}). Save it to another location."
        ) from None


def scene_of(study: StudyFields, path: Path) -> Path:
    """Return the scene file of a study in the file `path`: relative to its folder, or a bundled scene.

    Raises `UsageError` if it is a file on another computer.
    """
    name = Path(study.scene)
    return (
        find_scene(name, path.parent)
        if is_bare_name(name)
        else local_path(study.scene, path.parent)
    )


def scene_named_from(folder: Path, name: str) -> str:
    """Return the name of a scene, given by path or bare name, in a study file in `folder`."""
    file = find_scene(local_path(name))
    if is_bare_name(Path(name)) and find_scene(Path(name), folder).resolve() == file.resolve():
        return name
    return named_from(folder, file)


def named_from(folder: Path, file: Path) -> str:
    """Return the path of a file relative to `folder`; absolute if they are on different drives."""
    with contextlib.suppress(ValueError):
        return Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
    return file.resolve().as_posix()
