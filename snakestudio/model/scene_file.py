"""Scene files: TOML read with every mistake named at once, written so that comments stay and no crash loses a scene."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pydantic
import tomlkit
from tomlkit.exceptions import TOMLKitError

from snakestudio.errors import Problem, SceneError
from snakestudio.model.scene import FORMAT, Scene, structure_problems
from snakestudio.model.sentences import problem_of
from snakestudio.model.toml_merge import merge, tuples

__all__ = [
    "MAX_BYTES",
    "complete",
    "dump_scene",
    "load_scene",
    "parse_scene",
    "read_scene_text",
    "save_scene",
    "scene_from_dict",
]

MAX_BYTES = 64 * 1024 * 1024
"""Larger files are refused unread: no scene is that large."""

_FIRST_KINDS = {"gait": "lateral_undulation", "obstacles": "cylinder"}
"""Kinds that may be left out, for there were no others once."""

CSV_SCENE_MARK = "#| "
"""Before every line of the scene in the header of an exported CSV."""


def load_scene(path: str | Path) -> Scene:
    """Read a scene file, or the scene in the header of a CSV that SnakeStudio exported.

    Raises
    ------
    SceneError
        With one sentence a mistake, each naming file, key, value and remedy.
    """
    path = Path(path)
    return parse_scene(read_scene_text(path), source=str(path))


def read_scene_text(path: Path) -> str:
    """The TOML text of a scene file (or in a CSV's header).

    Raises
    ------
    SceneError
        If there is no such file, or it is no text.
    """

    def refuse(what: str, remedy: str) -> SceneError:
        return SceneError(f"{path}: {what}; {remedy}.", [Problem("error", "", what, remedy)])

    try:
        if path.is_dir():
            raise refuse("this is a folder, not a scene file", "name a .toml file in it")
        if path.stat().st_size > MAX_BYTES:
            raise refuse("the file is too large to be a scene", "give a scene file of less than 64 MB")
        data = path.read_bytes()
    except FileNotFoundError:
        raise refuse("there is no such file", "check the path") from None
    except OSError as error:
        raise refuse(f"the file cannot be read ({error.strerror})", "check its permissions") from None
    except ValueError:
        raise refuse("this is not a path", "give the path of a scene file") from None
    if b"\0" in data:
        raise refuse("this is a binary file, not a scene", "give a scene in TOML")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(f"byte {error.start + 1} is not UTF-8 text", "save the file as UTF-8") from None
    if path.suffix.lower() == ".csv":
        header = [line for line in text.splitlines() if line.startswith(CSV_SCENE_MARK.rstrip())]
        if not header:
            raise refuse("this CSV holds no scene", "give a CSV that SnakeStudio exported, or a scene file")
        return "\n".join(line[len(CSV_SCENE_MARK) :] for line in header) + "\n"
    return text


def parse_scene(text: str, source: str = "scene") -> Scene:
    """Read a scene from TOML text; `source` names it in the sentences.

    Raises
    ------
    SceneError
        See `load_scene`.
    """
    return _validate(_parse_document(text, source).unwrap(), source)


def scene_from_dict(values: dict[str, Any], source: str = "") -> Scene:
    """Make a scene of nested plain values, as TOML gives them; `source` names it in the sentences.

    Raises
    ------
    SceneError
        See `load_scene`.
    """
    return _validate(values, source)


def save_scene(scene: Scene, path: str | Path, base: str | None = None) -> None:
    """Write a scene; comments and layout of the text it replaces stay.

    The file is replaced at once or not at all, and the file it replaces stays beside it as ``NAME.toml~``.

    Parameters
    ----------
    scene : Scene
    path : path
    base : str, optional
        TOML text whose comments and layout are to be kept; the text now at `path` if left out.

    Raises
    ------
    SceneError
        If the file cannot be written; the old one is untouched then.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise SceneError(f"{path}: this is a folder; give a file name ending in .toml.")
        old = path.read_bytes() if path.is_file() else None
        if base is None and old is not None:
            base = old.decode("utf-8", errors="replace")
        text = dump_scene(scene, base)
        if old is not None:
            _write_atomically(path.with_name(path.name + "~"), old)
        _write_atomically(path, text.encode("utf-8"))
    except OSError as error:
        raise SceneError(
            f"{path}: the scene cannot be written ({error.strerror}); choose another folder or free some space."
        ) from None


def _write_atomically(path: Path, data: bytes) -> None:
    target = path.resolve()  # a link stays a link: what it points to is replaced
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is None:
            umask = os.umask(0)
            os.umask(umask)
            mode = 0o666 & ~umask
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def dump_scene(scene: Scene, base: str | None = None) -> str:
    """The scene as TOML text, on top of `base` if that can be parsed (its comments and layout stay)."""
    document = tomlkit.document()
    if base is not None:
        with contextlib.suppress(SceneError):
            document = _parse_document(base, "base")
    merge(document, scene, explicit=not document)
    text = re.sub(r"\n{3,}", "\n\n", tomlkit.dumps(document))
    # What is on disk must be what was in memory, whatever the layout of `base` did to it.
    try:
        faithful = parse_scene(text) == scene
    except SceneError:
        faithful = False
    if faithful:
        return text
    plain = tomlkit.document()
    merge(plain, scene, explicit=True)
    return tomlkit.dumps(plain)


def _parse_document(text: str, source: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        what = f"this is not valid TOML: {message}"
        remedy = "mend the line"
        raise SceneError(f"{source}: {what}; {remedy}.", [Problem("error", "", what, remedy)]) from None


def _validate(values: dict[str, Any], source: str) -> Scene:
    version = values.get("format")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT:
        what = f"format = {version} is newer than this program, which reads up to {FORMAT}"
        raise _scene_error(source, [Problem("error", "", what, "update SnakeStudio")])
    values = _with_first_kinds(values)
    problems = []
    if "format" not in values:
        problems.append(Problem("error", "format", "the key is missing", f"begin the file with format = {FORMAT}"))
    try:
        scene = Scene.model_validate(tuples(values))
    except pydantic.ValidationError as error:
        details = error.errors(include_url=False)
        problems += [problem_of(detail) for detail in details]
        problems += _contradictions(values, {str(detail["loc"][0]) for detail in details if detail["loc"]})
        raise _scene_error(source, problems) from None
    return complete(scene, [*problems, *structure_problems(scene)], source)


def _with_first_kinds(values: dict[str, Any]) -> dict[str, Any]:
    """`values` with the kinds that older scenes did not have to give."""

    def filled(part: Any, kind: str) -> Any:
        if isinstance(part, list | tuple):
            return [filled(entry, kind) for entry in part]
        return {"kind": kind, **part} if isinstance(part, dict) else part

    return values | {name: filled(values[name], kind) for name, kind in _FIRST_KINDS.items() if name in values}


def _contradictions(values: dict[str, Any], wrong: set[str]) -> list[Problem]:
    """What contradicts itself among the parts that are right, so that all mistakes can be named at once."""
    sound = {name: part for name, part in values.items() if name not in wrong}
    try:
        scene = Scene.model_validate(tuples(sound))
    except pydantic.ValidationError:
        return []
    # A finding counts only if everything it compares is right.
    compared = {
        "control": {"control", "solver"}, "run": {"run", "solver"}, "start": {"start", "robot"}, "path": {"path"},
    }  # fmt: skip
    return [p for p in structure_problems(scene) if not compared[p.key.partition(".")[0]] & wrong]


def complete(scene: Scene, problems: Sequence[Problem], source: str = "") -> Scene:
    """The scene, if nothing was found about it.

    Raises
    ------
    SceneError
    """
    if problems:
        raise _scene_error(source, problems)
    return scene


def _scene_error(source: str, problems: Sequence[Problem]) -> SceneError:
    head = f"{source}: " if source else ""
    return SceneError("\n".join(head + problem.sentence() for problem in problems), problems)
