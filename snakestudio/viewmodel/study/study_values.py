"""Typed values of studies, and studies with one part changed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from snakestudio.errors import SceneError
from snakestudio.model.edits import declared, get_value
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.model.labels import label_of
from snakestudio.model.scene import Scene
from snakestudio.study.begin import range_near, range_of
from snakestudio.study.description import Plain, Vary
from snakestudio.viewmodel.scene.property_search import Property, find

P = TypeVar("P", bound=BaseModel)

_MOST_OBSTACLES = 200
"""Largest number of obstacles whose values are searched."""


def changed(part: P, **values: Any) -> P:
    """Return a part of a study with other values, which are already checked."""
    return part.model_copy(update=values)


def parts_with(parts: tuple[P, ...], index: int, part: P) -> tuple[P, ...]:
    """Return parts with one replaced, or appended."""
    return (*parts[:index], part, *parts[index + 1 :])


def parts_without(parts: tuple[P, ...], index: int) -> tuple[P, ...]:
    """Return parts without one of them."""
    return (*parts[:index], *parts[index + 1 :])


# ------------------------------------------------------------------------------ values of the scene


def doc_of(scene: Scene | None, keys: Sequence[str]) -> FieldDoc:
    """Return the declaration of a scene value; for an unknown key, only its name."""
    if scene is not None and keys:
        with contextlib.suppress(SceneError):
            return field_doc(*declared(scene, keys[0].replace("[*]", "[1]")))
    return FieldDoc(
        "Value", "", "Not a value of the scene", "", None, False, None, None, False, None
    )


def title_of(scene: Scene | None, keys: Sequence[str]) -> str:
    """Return the title of a scene value."""
    if not keys:
        return "No value yet"
    if "[*]" in keys[0]:
        return f"All obstacles: {doc_of(scene, keys).label}"
    name = label_of(scene, keys[0]) if scene is not None else keys[0]
    return name if len(keys) == 1 else f"{name} and {len(keys) - 1} more"


def varied(scene: Scene, keys: Sequence[str]) -> Vary:
    """Return scene values that vary together, around the first one's value (see `begin.range_near`).

    Raises `SceneError` if a key does not exist.
    """
    first = range_near(scene, keys[0])
    for key in keys[1:]:
        declared(scene, key)
    return first if len(keys) == 1 else changed(first, key="", keys=tuple(keys))


def properties_found(scene: Scene, text: str, most: int) -> list[Property]:
    """Return scene values whose name, key or explanation contains all words of a text, the best first."""
    listed = find(scene, text)
    for index in range(min(len(scene.obstacles), _MOST_OBSTACLES)):
        if len(listed) >= most:
            break
        listed += [
            item for item in find(scene, text, (index,)) if item.keys[0].startswith("obstacles[")
        ]
    plain = []
    for item in listed:
        value = get_value(scene, item.keys[0])
        if not isinstance(value, tuple | BaseModel):
            plain.append(item)
    return plain[:most]


# --------------------------------------------------------------------------------- lists and ranges


def as_list(vary: Vary) -> Vary:
    """Return the variation with the values of its range as a list."""
    if vary.values or vary.low is None or vary.high is None:
        return vary
    count = min(vary.steps or 5, 20)
    values = tuple(vary.step(index, count) for index in range(count))
    return changed(vary, values=values, low=None, high=None, steps=None, scale="lin")


def whole_range(scene: Scene, vary: Vary) -> Vary | None:
    """Return the variation over the range of the first value's slider; None for one without a range."""
    full_range = range_of(scene, vary.all_keys[0])
    if full_range.low is None:
        return None
    return changed(
        vary, values=(), low=full_range.low, high=full_range.high, steps=full_range.steps
    )


def as_range(vary: Vary) -> Vary:
    """Return the variation with a range over the numbers of its list."""
    numbers = [float(value) for value in vary.values if isinstance(value, int | float)]
    low, high = (min(numbers), max(numbers)) if len(numbers) > 1 else (0.0, 1.0)
    return changed(vary, values=(), low=low, high=high, steps=max(2, len(numbers)))


def text_of(value: Plain | Sequence[Plain]) -> str:
    """Return the text of a value, or of several."""
    if isinstance(value, list | tuple):
        return ", ".join(text_of(each) for each in value)
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def value_of(text: str, present: object = None) -> Plain:
    """Return a typed value for a scene value with the type of the present one: number, switch or text."""
    text = text.strip()
    if isinstance(present, bool) and text.casefold() in ("on", "off", "true", "false"):
        return text.casefold() in ("on", "true")
    if isinstance(present, str):
        return text
    try:
        number = parse_number(text)
    except NumberTextError:
        return text
    return int(number) if number == round(number) and isinstance(present, int) else number
