"""Translation of pydantic's validation errors to messages with key, value and remedy."""

from __future__ import annotations

import difflib
import re
import types
import typing
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from snakestudio.errors import Problem
from snakestudio.model import registry
from snakestudio.model.fields import field_doc
from snakestudio.model.scene import Scene
from snakestudio.text import listing, literal_text, noun, quoted

_PLAIN = ("str", "int", "float", "bool")

_WORDINGS: dict[str, tuple[str, str]] = {
    "extra_forbidden": ("is not a known key", "{meant}remove it"),
    "unexpected_keyword_argument": ("is not a known key", "remove it"),
    "missing": ("is missing", "give it a value{about}"),
    "greater_than": ("must be greater than {gt}{unit} (got {given})", ""),
    "greater_than_equal": ("must be at least {ge}{unit} (got {given})", ""),
    "less_than": ("must be less than {lt}{unit} (got {given})", ""),
    "less_than_equal": ("must be at most {le}{unit} (got {given})", ""),
    "finite_number": ("must be a finite number (got {given})", "give a number{about}"),
    "float_type": ("must be a number (got {given})", "give a number{about}"),
    "float_parsing": ("must be a number (got {given})", "give a number{about}"),
    "int_parsing": ("must be a whole number (got {given})", "give a whole number{about}"),
    "bool_parsing": ("must be true or false (got {given})", "use one of them{about}"),
    "int_type": ("must be a whole number (got {given})", "give a whole number{about}"),
    "int_from_float": ("must be a whole number (got {given})", "give a whole number{about}"),
    "bool_type": ("must be true or false (got {given})", "use one of them{about}"),
    "string_type": ("must be text (got {given})", "write text in quotes{about}"),
    "string_too_short": ("must not be empty", "enter text{about}"),
    "string_too_long": ("must have at most {max_length} characters", "shorten it"),
    "model_type": ("must be a table (got {given})", "write it as [{key}]"),
    "model_attributes_type": ("must be a table (got {given})", "write it as [{key}]"),
    "dict_type": ("must be a table (got {given})", "write it as [{key}]"),
    "tuple_type": ("must be a list (got {given})", "give a list{about}"),
    "too_short": (
        "needs at least {min_length} {entries} (got {actual_length})",
        "add more{about}",
    ),
    "too_long": ("must have at most {max_length} entries", "shorten it"),
    "literal_error": ("cannot be {given}", "{meant}give {choices}"),
    "union_tag_invalid": ("cannot be {given}", "{meant}give {choices}"),
    "union_tag_not_found": ("is missing", "set the kind"),
}
"""Message and remedy by pydantic's error type."""


def problem_of(detail: ErrorDetails, root: type = Scene) -> Problem:
    """Convert one of pydantic's errors about values of `root` (a scene, a robot profile) to a Problem."""
    # A discriminated union adds the chosen kind to the location, which is not a key of the file.
    location: list[str | int] = []
    model: Any = root
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
        if not options and part in _PLAIN:  # a union of plain types also adds its choice
            continue
        location.append(part)
        owner = next((option for option in options if part in option.model_fields), None)
        if owner is not None or options:
            model = (owner, part) if owner is not None else None
    key = _dotted(location)
    kind = detail["type"]
    context = dict(detail.get("ctx", {}))
    typed = detail["input"]
    names: list[str] = []
    closest_word: str | None = None
    if kind == "extra_forbidden":
        closest_word = closest(str(location[-1]), _siblings(detail["loc"], root))
    elif kind in ("literal_error", "union_tag_invalid"):
        names = re.findall(r"'([^']*)'", context.get("expected") or context["expected_tags"])
        typed = context.get("tag", typed)
        closest_word = _closest_word(str(typed), names)
    if kind.startswith("union_tag"):
        key = f"{key}.kind"
    doc = field_doc(*model) if isinstance(model, tuple) else None
    message, remedy = _WORDINGS.get(
        kind, ("is not valid: {error} (got {given})", "change the value{about}")
    )
    places = {
        **{name: literal_text(value, 1000) for name, value in context.items()},
        "key": key,
        "given": literal_text(typed),
        "unit": f" {doc.unit}" if doc is not None and doc.unit else "",
        "about": f" ({doc.help[0].lower()}{doc.help[1:]})" if doc is not None and doc.help else "",
        "entries": noun(context.get("min_length", 0), "entry"),
        "choices": listing(map(quoted, names), "or"),
        "error": detail["msg"][:1].lower() + detail["msg"][1:],
        "meant": "",
    }
    if closest_word is not None:
        suggestion = quoted(closest_word) if names else closest_word
        places["meant"] = f"did you mean {suggestion}? Otherwise "
    return Problem("error", key, message.format(**places), remedy.format(**places))


def _dotted(location: Iterable[str | int]) -> str:
    """Convert ``("obstacles", 1, "x_m")`` to ``obstacles[2].x_m``; text is 1-based."""
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _models(model: Any) -> list[type[BaseModel]]:
    """Return the possible parts at `model` (a part, or a part and the name of its field)."""
    if isinstance(model, tuple):
        owner, name = model
        declared = registry.options(owner, name)
        if declared is not None:
            return list(declared.values())
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
    declared = registry.options(owner, name)
    if declared is not None:
        return typing.Union[tuple(declared.values())]  # noqa: UP007 (of any number)
    arguments = typing.get_args(owner.model_fields[name].annotation)
    return arguments[0] if arguments and _parts(arguments[0]) else model


def _kind_of(model: type[BaseModel]) -> str | None:
    kind = model.model_fields.get("kind")
    return None if kind is None else str(kind.get_default())


def _siblings(location: tuple[str | int, ...], root: type[BaseModel]) -> list[str]:
    model: Any = root
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


def _closest_word(text: str, candidates: Sequence[str]) -> str | None:
    """Return the most similar word, or None."""
    return closest(text, candidates) or next(
        (candidate for candidate in candidates if len(text) > 2 and candidate.startswith(text)),
        None,
    )


_SHORTEST_PART = 3
"""Smallest number of letters by which a name is recognized as part of another."""


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar name, or the only one that contains it; None if all are too different."""
    plain = re.sub(r"[^a-z0-9_]", "_", name.lower())
    known = list(names)
    matches = difflib.get_close_matches(plain, known, n=1, cutoff=0.6)
    if not matches and len(plain) >= _SHORTEST_PART:
        matches = [each for each in known if plain in each.split("_") or each.startswith(plain)]
    return matches[0] if len(matches) == 1 else None
