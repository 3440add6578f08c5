"""Merging values into a TOML document written by a person: entries that are up to date and comments are preserved."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from typing import Any

import pydantic
import tomlkit
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from snakestudio.model.fields import field_names

_UNDECLARED = FieldInfo()
"""Declaration of a value that no kind declares: it has no default."""


def tuples(value: Any) -> Any:
    """Convert lists to tuples, because a frozen scene contains nothing mutable."""
    if isinstance(value, dict):
        return {key: tuples(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return tuple(tuples(part) for part in value)
    return value


def merge(table: Any, part: BaseModel, explicit: bool, leave: Collection[str] = ()) -> None:
    """Update a TOML table to the values of `part`, leaving entries that are up to date untouched.

    Parameters
    ----------
    explicit : bool
        Whether to write values that equal their default, too: a new scene file documents itself.
    leave : collection of str
        Keys to ignore, which are written elsewhere.
    """
    fields = type(part).model_fields
    names = field_names(part)
    for key in [key for key in table if key not in names and key not in leave]:
        del table[key]
    for name in sorted(
        names, key=lambda name: (name not in ("format", "kind"), _is_list_of_parts(part, name))
    ):
        if name in leave:
            continue
        info = fields.get(name, _UNDECLARED)
        value = getattr(part, name)
        required = explicit or info.is_required() or name in ("kind", "format")
        default = None if info.is_required() else info.get_default(call_default_factory=True)
        if isinstance(value, BaseModel):
            old = table.get(name)
            if value == default and getattr(value, "optional", False):
                if old is not None:
                    del table[name]
                continue
            if old is None and value == default and not required:
                continue
            if not isinstance(old, dict):
                if old is not None:
                    del table[name]
                table[name] = tomlkit.table()
            merge(table[name], value, explicit or old is None)
        elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
            _merge_list(table, name, value)
        elif value is None or (value in ((), {}) and value == default):
            if name in table:
                del table[name]
        elif name in table:
            old_value = tuples(plain(table[name]))
            if old_value != value or isinstance(old_value, bool) != isinstance(value, bool):
                _replace(table, name, value)
        elif required or value != default:
            table[name] = item(value)


def _is_list_of_parts(part: BaseModel, name: str) -> bool:
    value = getattr(part, name)
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], BaseModel)


def _replace(table: Any, name: str, value: Any) -> None:
    new = item(value)
    old = table[name]
    if hasattr(old, "trivia") and hasattr(
        new, "trivia"
    ):  # a comment after the old value belongs to the key
        new.trivia.comment = old.trivia.comment
        new.trivia.comment_ws = old.trivia.comment_ws
    table[name] = new


def _merge_list(table: Any, name: str, parts: tuple[BaseModel, ...]) -> None:
    old = table.get(name)
    if isinstance(old, tomlkit.items.Array):
        _merge_array(old, parts)
        return
    entries = list(old) if isinstance(old, tomlkit.items.AoT) else []
    if len(entries) == len(parts):
        for entry, part in zip(entries, parts, strict=True):
            merge(entry, part, explicit=False)
        return
    # Unchanged entries keep their comments at any new index.
    reusable: dict[
        str, list[Any]
    ] = {}  # keyed by the values as text because parts with tables cannot be hashed
    for entry in entries:
        with contextlib.suppress(pydantic.ValidationError):
            same = type(parts[0]).model_validate(tuples(plain(entry))).model_dump_json()
            reusable.setdefault(same, []).append(entry)
    array = tomlkit.aot()
    for part in parts:
        if matching := reusable.get(part.model_dump_json()):
            array.append(matching.pop(0))
        else:
            entry = tomlkit.table()
            merge(entry, part, explicit=True)
            array.append(entry)
    if old is not None:
        del table[name]
    table[name] = array


def _merge_array(array: tomlkit.items.Array, parts: tuple[BaseModel, ...]) -> None:
    """`_merge_list` for a list that is written as an array of inline tables."""
    kind = type(parts[0])
    if len(array) != len(parts):
        # Removed entries take only their own line with them, and new ones are appended: comments stay in
        # place.
        pending = list(parts)
        for at in reversed(range(len(array))):
            with contextlib.suppress(pydantic.ValidationError):
                entry = kind.model_validate(tuples(plain(array[at])))
                if entry in pending:
                    pending.remove(entry)
                elif len(array) > len(parts):
                    del array[at]
        while len(array) > len(parts):
            del array[len(array) - 1]
        for _ in range(len(parts) - len(array)):
            array.append(tomlkit.inline_table())
    for entry, part in zip(array, parts, strict=True):
        merge(entry, part, explicit=False)


def plain(part: Any) -> Any:
    """Return the plain value of a TOML item."""
    return part.unwrap() if hasattr(part, "unwrap") else part


def _listed(value: Any) -> Any:
    return [_listed(part) for part in value] if isinstance(value, tuple) else value


def item(value: Any) -> Any:
    """Return the TOML item of a plain value: long lists and nested lists get one line per entry."""
    if isinstance(value, tuple):
        array = tomlkit.item(_listed(value))
        if len(value) > 6 or (value and isinstance(value[0], tuple)):
            array.multiline(True)
        return array
    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update(value)
        return table
    if isinstance(value, str) and "\n" in value:
        return tomlkit.string(value, multiline=True)
    return tomlkit.item(value)
