"""Kind of a declared value, read from its annotation: number, text, choice, switch, list, table of parts."""

from __future__ import annotations

import types
import typing
from typing import Annotated, Any, Literal, NamedTuple, Union

from pydantic import BaseModel

Kind = Literal[
    "integer",
    "number",
    "text",
    "choice",
    "switch",
    "numbers",
    "span",
    "points",
    "names",
    "pairs",
    "parts",
    "other",
]
"""Type of a value: "numbers" (a list of numbers), "span" (two numbers), "points" (pairs of coordinates),
"names" (a list of texts), "pairs" (names and values), "parts" (nested parts)."""


class FieldKind(NamedTuple):
    """Kind of a value, and what it offers."""

    kind: Kind
    optional: bool = False
    """Whether the value can be None."""

    choices: tuple[Any, ...] = ()
    """Values of a choice, without None."""

    @property
    def is_number(self) -> bool:
        """Whether the value is a single number."""
        return self.kind in ("integer", "number")

    @property
    def offered(self) -> tuple[Any, ...]:
        """Values of a choice, None first if the value is optional."""
        return (None, *self.choices) if self.choices and self.optional else self.choices


def field_kind(model: type[BaseModel], name: str) -> FieldKind:
    """Return the kind of field `name` of `model`.

    Raises `KeyError` if there is no such field.
    """
    return kind_of_hint(model.model_fields[name].annotation)


def kind_of_hint(hint: Any) -> FieldKind:
    """Return the kind of a value with a type hint."""
    options = _options(hint)
    optional = type(None) in options
    options = [option for option in options if option is not type(None)]
    if len(options) == 1:
        kind, choices = _kind_of(options[0])
        return FieldKind(kind, optional, choices)
    return FieldKind("parts" if options and all(map(_is_part, options)) else "other", optional)


def _options(annotation: Any) -> list[Any]:
    """Return the alternatives of a union; an annotation that is not a union is the only one."""
    if typing.get_origin(annotation) is Annotated:
        return _options(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return [option for part in typing.get_args(annotation) for option in _options(part)]
    return [annotation]


_SCALARS: dict[Any, Kind] = {int: "integer", float: "number", str: "text", bool: "switch"}
_TUPLES: dict[tuple[Any, ...], Kind] = {
    (float, float): "span",
    (float, ...): "numbers",
    (str, ...): "names",
}


def _kind_of(option: Any) -> tuple[Kind, tuple[Any, ...]]:
    """Return the kind of one alternative, and the values of a choice."""
    origin = typing.get_origin(option)
    arguments = typing.get_args(option)
    if origin is Literal:
        return "choice", arguments
    if origin is dict:
        return "pairs", ()
    if origin is not tuple:
        return "parts" if _is_part(option) else _SCALARS.get(option, "other"), ()
    members = tuple(_options(each)[0] for each in arguments)
    if members in _TUPLES:
        return _TUPLES[members], ()
    if len(members) == 2 and members[1] is ...:
        if typing.get_origin(members[0]) is tuple:
            return ("points" if _kind_of(members[0])[0] == "span" else "other"), ()
        return ("parts" if _is_part(members[0]) else "other"), ()
    return "other", ()


def _is_part(option: Any) -> bool:
    return isinstance(option, type) and issubclass(option, BaseModel)
