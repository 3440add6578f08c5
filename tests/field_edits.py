"""Other valid values of every field of a scene, drawn from the declarations, for the tests of the window."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st
from pydantic import BaseModel

from snakestudio.errors import SceneError
from snakestudio.model.edits import declared, get_value, with_value
from snakestudio.model.fields import field_doc, field_names
from snakestudio.model.registry import options
from snakestudio.model.scene import Scene
from tests.strategies import numbers, texts

__all__ = ["field_keys", "with_other_value"]

Draw = Callable[[st.SearchStrategy[Any]], Any]

_SPAN = 20.0
"""Bound of a number that has none, or a far one: larger scenes take long to draw and to check."""

_ATTEMPTS = 3
"""Number of values drawn for a field until one is valid."""

_UNCHANGED = ("format", "kind")


def field_keys(scene: Scene) -> list[str]:
    """Dotted keys of all fields of all parts of the scene, also of the unset ones."""
    return [*_keys_of(scene, ""), *(f"{part}.kind" for part in _parts_with_kinds(scene))]


def _parts_with_kinds(scene: Scene) -> list[str]:
    return [
        name
        for name in type(scene).model_fields
        if isinstance(getattr(scene, name), BaseModel) and len(options(Scene, name) or {}) > 1
    ]


def _keys_of(part: Any, prefix: str) -> list[str]:
    if isinstance(part, tuple) and part and isinstance(part[0], BaseModel):
        return [
            key
            for index, entry in enumerate(part)
            for key in _keys_of(entry, f"{prefix}[{index + 1}]")
        ]
    if not isinstance(part, BaseModel):
        return [prefix]
    dot = f"{prefix}." if prefix else ""
    return [
        key
        for name in field_names(part)
        if name not in _UNCHANGED
        for key in _keys_of(getattr(part, name), f"{dot}{name}")
    ]


def with_other_value(scene: Scene, key: str, draw: Draw) -> Scene | None:
    """Return the scene with another value of a field; None if the drawn values are refused with a message."""
    value = get_value(scene, key)
    model, name = declared(scene, key)
    if name == "kind":
        kinds = options(Scene, key.partition(".")[0]) or {}
        values = st.sampled_from(sorted(set(kinds) - {value}))
    else:
        values = _values(model, name, value)
    for _ in range(_ATTEMPTS):
        try:
            changed = with_value(scene, key, draw(values))
        except SceneError:
            continue
        if changed != scene:
            return changed
    return None


def _values(model: type[BaseModel], name: str, value: Any) -> st.SearchStrategy[Any]:
    """Values of a field by its annotation, or by its present value."""
    doc = field_doc(model, name)
    low = -_SPAN if doc.minimum is None else doc.minimum
    high = low + 2 * _SPAN if doc.maximum is None else min(doc.maximum, low + 2 * _SPAN)
    for kind in _kinds(model.model_fields[name].annotation):
        if get_origin(kind) is Literal:
            return st.sampled_from(get_args(kind))
        if kind is bool:
            return st.booleans()
        if kind is int:
            return st.integers(int(low), int(high))
        if kind is float:
            near = st.sampled_from([low, high, *(doc.slider or ())])
            return st.one_of(numbers(low, high), near)
        if kind is str:
            return texts
    if isinstance(value, tuple) and value:
        return st.one_of(
            st.just(value[:-1]), st.just((*value, value[-1])), st.permutations(value).map(tuple)
        )
    return st.sampled_from([value, None, (), "x"])


def _kinds(annotation: Any) -> tuple[Any, ...]:
    """Alternatives of an annotation without None."""
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(kind for each in get_args(annotation) for kind in _kinds(each))
    return () if annotation is type(None) else (annotation,)
