"""Scene files: TOML read with every mistake named at once, written so that comments stay and no crash loses a scene."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import types
import typing
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pydantic
import tomlkit
from pydantic import BaseModel
from pydantic_core import ErrorDetails
from tomlkit.exceptions import TOMLKitError

from snakestudio.errors import SceneError
from snakestudio.model.fields import field_doc
from snakestudio.model.problems import Problem
from snakestudio.model.scene import FORMAT, Scene, structure_problems

__all__ = ["MAX_BYTES", "dump_scene", "load_scene", "parse_scene", "read_scene_text", "save_scene", "scene_from_dict"]

MAX_BYTES = 64 * 1024 * 1024
"""Larger files are refused unread: no scene is that large."""

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
    _merge(document, scene, explicit=not document)
    text = re.sub(r"\n{3,}", "\n\n", tomlkit.dumps(document))
    # What is on disk must be what was in memory, whatever the layout of `base` did to it.
    try:
        faithful = parse_scene(text) == scene
    except SceneError:
        faithful = False
    if faithful:
        return text
    plain = tomlkit.document()
    _merge(plain, scene, explicit=True)
    return tomlkit.dumps(plain)


def _parse_document(text: str, source: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        what = f"this is not valid TOML: {message}"
        remedy = "mend the line"
        raise SceneError(f"{source}: {what}; {remedy}.", [Problem("error", "", what, remedy)]) from None


# --- reading


def _validate(values: dict[str, Any], source: str) -> Scene:
    version = values.get("format")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT:
        what = f"format = {version} is newer than this program, which reads up to {FORMAT}"
        raise _scene_error(source, [Problem("error", "", what, "update SnakeStudio")])
    try:
        scene = Scene.model_validate(_tuples(values))
    except pydantic.ValidationError as error:
        problems = [_problem(detail) for detail in error.errors(include_url=False)]
        if "format" not in values:
            problems = [p for p in problems if p.key != "format"]
            problems.insert(
                0, Problem("error", "format", "the key is missing", f"begin the file with format = {FORMAT}")
            )
        raise _scene_error(source, problems) from None
    if "format" not in values:
        problem = Problem("error", "format", "the key is missing", f"begin the file with format = {FORMAT}")
        raise _scene_error(source, [problem])
    problems = structure_problems(scene)
    if problems:
        raise _scene_error(source, problems)
    return scene


def _scene_error(source: str, problems: Sequence[Problem]) -> SceneError:
    head = f"{source}: " if source else ""
    return SceneError("\n".join(head + problem.sentence() for problem in problems), problems)


def _tuples(value: Any) -> Any:
    """Lists become tuples: a frozen scene holds nothing that can change."""
    if isinstance(value, dict):
        return {key: _tuples(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_tuples(part) for part in value)
    return value


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= 60 else text[:57] + "..."


def _problem(detail: ErrorDetails) -> Problem:
    # A discriminated union puts the chosen kind into the location; it is no key of the file.
    location: list[str | int] = []
    model: Any = Scene
    for part in detail["loc"]:
        if isinstance(part, int):
            location.append(part)
            model = _element(model)
            continue
        options = _models(model)
        chosen = [option for option in options if _kind_of(option) == part]
        if len(options) > 1 and chosen:
            model = chosen[0]
            continue
        location.append(part)
        owner = next((option for option in options if part in option.model_fields), None)
        model = (owner, part) if owner is not None else None
    key = _dotted(location)
    given = detail["input"]
    doc = field_doc(*model) if isinstance(model, tuple) else None
    unit = f" {doc.unit}" if doc is not None and doc.unit else ""
    about = f" ({doc.help[0].lower()}{doc.help[1:]})" if doc is not None and doc.help else ""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        last = str(location[-1])
        siblings = _siblings(detail["loc"])
        close = _closest(last, siblings)
        remedy = f"did you mean {close}" if close else "remove it"
        return Problem("error", key, "there is no such key", remedy)
    if kind == "missing":
        return Problem("error", key, "the key is missing", f"give it a value{about}")
    limits = {
        "greater_than": ("must be greater than {gt}", "gt"),
        "greater_than_equal": ("must be at least {ge}", "ge"),
        "less_than": ("must be less than {lt}", "lt"),
        "less_than_equal": ("must be at most {le}", "le"),
    }
    if kind in limits:
        text, name = limits[kind]
        limit = context[name]
        return Problem(
            "error", key, f"{_shown(given)} {text.format(**{name: f'{limit:g}'})}{unit}", f"mend the value{about}"
        )
    if kind in ("finite_number", "nan"):
        return Problem("error", key, f"{_shown(given)} is not a finite number", f"give a number{about}")
    if kind in ("float_type", "int_type", "int_from_float"):
        wanted = "a whole number" if kind.startswith("int") else "a number"
        return Problem("error", key, f"{_shown(given)} is not {wanted}", f"give {wanted}{about}")
    if kind == "literal_error":
        return Problem("error", key, f"{_shown(given)} is not known", f"give {context['expected']}")
    if kind == "union_tag_invalid":
        return Problem(
            "error", f"{key}.kind", f"{_shown(context['tag'])} is not known", f"give one of {context['expected_tags']}"
        )
    if kind == "union_tag_not_found":
        return Problem("error", f"{key}.kind", "the key is missing", "say which kind it is")
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return Problem("error", key, f"{_shown(given)} is not a table", f"write it as [{key}]")
    if kind == "tuple_type":
        return Problem("error", key, f"{_shown(given)} is not a list", f"give a list{about}")
    if kind == "string_type":
        return Problem("error", key, f"{_shown(given)} is not a text", f"give a text in quotes{about}")
    if kind == "string_too_long":
        return Problem("error", key, f"the text is longer than {context['max_length']} characters", "shorten it")
    if kind == "too_long":
        return Problem("error", key, f"the list has more than {context['max_length']} entries", "shorten it")
    return Problem("error", key, f"{_shown(given)} is not valid ({detail['msg'].lower()})", f"mend the value{about}")


def _dotted(location: Iterable[str | int]) -> str:
    """``("obstacles", 1, "x_m")`` as ``obstacles[2].x_m``: people count from one."""
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _models(model: Any) -> list[type[BaseModel]]:
    """The scene parts that can stand where `model` (a part, or a part and the name of a field of it) is."""
    if isinstance(model, tuple):
        owner, name = model
        model = owner.model_fields[name].annotation
    return _parts(model)


def _parts(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, typing.Annotated):
        return [part for option in typing.get_args(annotation) for part in _parts(option)]
    return []


def _element(model: Any) -> Any:
    if not isinstance(model, tuple):
        return None
    owner, name = model
    arguments = typing.get_args(owner.model_fields[name].annotation)
    return arguments[0] if arguments and _parts(arguments[0]) else model


def _kind_of(model: type[BaseModel]) -> str | None:
    kind = model.model_fields.get("kind")
    return None if kind is None else str(kind.get_default())


def _siblings(location: tuple[str | int, ...]) -> list[str]:
    model: Any = Scene
    for part in location[:-1]:
        if isinstance(part, int):
            model = _element(model)
            continue
        options = _models(model)
        chosen = [option for option in options if _kind_of(option) == part]
        if len(options) > 1 and chosen:
            model = chosen[0]
            continue
        owner = next((option for option in options if part in option.model_fields), None)
        if owner is None:
            return []
        model = (owner, part)
    return [name for option in _models(model) for name in option.model_fields]


def _closest(name: str, names: Iterable[str]) -> str | None:
    import difflib

    found = difflib.get_close_matches(re.sub(r"[^a-z0-9_]", "_", name.lower()), list(names), n=1, cutoff=0.6)
    return found[0] if found else None


# --- writing


def _merge(table: Any, part: BaseModel, explicit: bool) -> None:
    """Make a TOML table say what `part` says, touching nothing that says so already.

    `explicit` writes values that equal their default too: a scene written anew documents itself.
    """
    fields = type(part).model_fields
    for key in [key for key in table if key not in fields]:
        del table[key]
    for name in sorted(fields, key=lambda name: (name not in ("format", "kind"), _is_list_of_parts(part, name))):
        info, value = fields[name], getattr(part, name)
        required = explicit or info.is_required() or name in ("kind", "format")
        default = None if info.is_required() else info.get_default(call_default_factory=True)
        if isinstance(value, BaseModel):
            old = table.get(name)
            if old is None and value == default and not required:
                continue
            if not isinstance(old, dict):
                if old is not None:
                    del table[name]
                table[name] = tomlkit.table()
            _merge(table[name], value, explicit or old is None)
        elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
            _merge_list(table, name, value)
        elif value is None or (value == () and value == default):
            if name in table:
                del table[name]
        elif name in table:
            old_value = _tuples(_plain(table[name]))
            if old_value != value or isinstance(old_value, bool) != isinstance(value, bool):
                _replace(table, name, value)
        elif required or value != default:
            table[name] = _item(value)


def _is_list_of_parts(part: BaseModel, name: str) -> bool:
    value = getattr(part, name)
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], BaseModel)


def _replace(table: Any, name: str, value: Any) -> None:
    item, old = _item(value), table[name]
    if hasattr(old, "trivia") and hasattr(item, "trivia"):  # the comment behind the old value belongs to the key
        item.trivia.comment = old.trivia.comment
        item.trivia.comment_ws = old.trivia.comment_ws
    table[name] = item


def _merge_list(table: Any, name: str, parts: tuple[BaseModel, ...]) -> None:
    old = table.get(name)
    entries = list(old) if isinstance(old, tomlkit.items.AoT) else []
    if len(entries) == len(parts):
        for entry, part in zip(entries, parts, strict=True):
            _merge(entry, part, explicit=False)
        return
    # Entries that stay keep their comments, wherever in the list they end up.
    kept: dict[BaseModel, list[Any]] = {}
    for entry in entries:
        with contextlib.suppress(pydantic.ValidationError):
            kept.setdefault(type(parts[0]).model_validate(_tuples(_plain(entry))), []).append(entry)
    array = tomlkit.aot()
    for part in parts:
        if kept.get(part):
            array.append(kept[part].pop(0))
        else:
            entry = tomlkit.table()
            _merge(entry, part, explicit=True)
            array.append(entry)
    if old is not None:
        del table[name]
    table[name] = array


def _plain(item: Any) -> Any:
    return item.unwrap() if hasattr(item, "unwrap") else item


def _listed(value: Any) -> Any:
    return [_listed(part) for part in value] if isinstance(value, tuple) else value


def _item(value: Any) -> Any:
    if isinstance(value, tuple):
        array = tomlkit.item(_listed(value))
        if len(value) > 6 or (value and isinstance(value[0], tuple)):
            array.multiline(True)
        return array
    if isinstance(value, str) and "\n" in value:
        return tomlkit.string(value, multiline=True)
    return tomlkit.item(value)
