"""Markdown tables of all keys of a kind of file, generated from the declarations that the program uses."""

from __future__ import annotations

import types
import typing
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel

from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.registry import options


def keys_markdown(root: type[BaseModel]) -> str:
    """Section for each table of a file with the root `root`, one row per key: type, unit, range, default, meaning."""
    sections: list[str] = []
    _section(root, "", sections)
    return "\n\n".join(sections)


def with_section(page: str, name: str, text: str) -> str:
    """Return the page with `text` between the two marks called `name`, replacing the old text.

    Raises `ValueError` if the page has no such marks.
    """
    begin = f"<!-- {name}: made from the program's declarations by packaging/document_keys.py -->"
    end = f"<!-- end of {name} -->"
    before, opened, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"The page has no marker for the {name}.")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def with_keys(page: str, root: type[BaseModel]) -> str:
    """Return the page with the current tables of files with the root `root` between its marks.

    Raises `ValueError` if the page has no marks.
    """
    return with_section(page, "keys", keys_markdown(root))


class KeyRow(NamedTuple):
    """Declaration of one key of a file, as text."""

    name: str
    value: str
    unit: str
    limits: str
    default: str
    doc: FieldDoc


def key_rows(model: type[BaseModel]) -> list[KeyRow]:
    """Return the declarations of all keys of a table of a file with the root `model`."""
    rows = []
    for name, info in model.model_fields.items():
        inner, many = _part(info.annotation)
        doc = field_doc(model, name)
        value = _value_text(info.annotation, inner, many)
        default = _default_text(info, doc, inner)
        rows.append(KeyRow(name, value, doc.unit, _range_text(doc), default, doc))
    return rows


def parts_of(model: type[BaseModel]) -> dict[str, tuple[type[BaseModel], ...]]:
    """Return the tables inside a table, by key; several if their kind decides."""
    parts: dict[str, tuple[type[BaseModel], ...]] = {}
    for name, info in model.model_fields.items():
        inner, _ = _part(info.annotation)
        kinds = options(model, name)
        if kinds is not None:
            parts[name] = tuple(kinds.values())
        elif inner is not None:
            parts[name] = (inner,)
        elif _is_union_of_parts(info.annotation):
            parts[name] = typing.get_args(info.annotation)
    return parts


def _section(model: type[BaseModel], key: str, sections: list[str]) -> None:
    title = (
        f"`[{key}]`"
        if key and not key.endswith("]")
        else f"`[[{key[:-2]}]]`"
        if key
        else "Beginning of the file"
    )
    about = " ".join((model.__doc__ or "").split("\n\n")[0].split())
    lines = [
        f"### {title}",
        "",
        about,
        "",
        "| Key | Value | Unit | Range | If omitted | Meaning |",
    ]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for row in key_rows(model):
        cells = (f"`{row.name}`", row.value, row.unit, row.limits, row.default, row.doc.help)
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    sections.append("\n".join(lines))
    documented: set[type[BaseModel]] = set()
    for name, info in model.model_fields.items():
        inner, many = _part(info.annotation)
        if inner is not None and inner not in documented:  # the five sequences hold the same steps
            documented.add(inner)
            full = f"{key}.{name}" if key else name
            _section(inner, full + ("[]" if many else ""), sections)


def _part(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """Return the part at a key, and whether it is a list of parts."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    if typing.get_origin(annotation) is tuple:
        first = typing.get_args(annotation)[0]
        if isinstance(first, type) and issubclass(first, BaseModel):
            return first, True
    return None, False


def _is_union_of_parts(annotation: Any) -> bool:
    parts = typing.get_args(annotation)
    return bool(parts) and all(
        isinstance(part, type) and issubclass(part, BaseModel) for part in parts
    )


def _value_text(annotation: Any, inner: type[BaseModel] | None, many: bool) -> str:
    if inner is not None:
        return "tables" if many else "table"
    if _is_union_of_parts(annotation):
        return "table"
    alternatives = [annotation]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        alternatives = [each for each in typing.get_args(annotation) if each is not type(None)]
    return " or ".join(dict.fromkeys(map(_option_text, alternatives)))


def _option_text(option: Any) -> str:
    if typing.get_origin(option) is typing.Literal:
        return ", ".join(f"`{_toml(choice)}`" for choice in typing.get_args(option))
    if typing.get_origin(option) is dict:
        return "names with values"
    if typing.get_origin(option) is tuple:
        parts = typing.get_args(option)
        if parts[-1] is not ...:
            return f"{_COUNTS[len(parts)]} {_many(parts[0])}"
        if typing.get_origin(parts[0]) is tuple:
            inner = _option_text(parts[0])
            return f"list of {inner if inner.startswith('list') else f'[{inner}]'}"
        return f"list of {_many(parts[0])}"
    return {str: "text", int: "whole number", float: "number", bool: "`true` or `false`"}[option]


_COUNTS = {2: "two", 3: "three", 4: "four"}


def _many(part: Any) -> str:
    """Return the description of the entries of a list."""
    if typing.get_origin(part) is Annotated:
        part = typing.get_args(part)[0]
    kinds = typing.get_args(part) or (part,)
    plurals = {float: "numbers", str: "texts"}
    return " and ".join(plurals[kind] for kind in kinds if kind in plurals)


def _range_text(doc: FieldDoc) -> str:
    low, high = doc.minimum, doc.maximum
    begin = "" if low is None else f"{'above' if doc.exclusive_minimum else 'from'} {low:.10g}"
    end = "" if high is None else f"{'to' if low is not None else 'up to'} {high:.10g}"
    return f"{begin} {end}".strip()


def _default_text(info: Any, doc: FieldDoc, inner: type[BaseModel] | None) -> str:
    if info.is_required():
        return "must be given"
    if inner is not None or _is_union_of_parts(info.annotation):
        return "none" if doc.default == () else "as below"
    if doc.default in (None, "", {}, ()):
        return "–"
    return f"`{_toml(doc.default)}`"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(part) for part in value)}]"
    return f"{value:.10g}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
