"""What pydantic found wrong in a file's values, said in our own words: key, value and remedy."""

from __future__ import annotations

import difflib
import re
import types
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from snakestudio.errors import Problem
from snakestudio.model import registry
from snakestudio.model.fields import field_doc
from snakestudio.model.scene import Scene

__all__ = ["closest", "problem_of"]


_PLAIN = ("str", "int", "float", "bool")


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= 60 else text[:57] + "..."


def problem_of(detail: ErrorDetails, root: type[BaseModel] = Scene) -> Problem:
    """One of pydantic's findings about values of `root` (a scene, a robot profile) as a Problem."""
    # A discriminated union puts the chosen kind into the location; it is no key of the file.
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
        if not options and part in _PLAIN:  # so does a union of plain types
            continue
        location.append(part)
        owner = next((option for option in options if part in option.model_fields), None)
        if owner is not None or options:
            model = (owner, part) if owner is not None else None
    key = _dotted(location)
    given = detail["input"]
    doc = field_doc(*model) if isinstance(model, tuple) else None
    unit = f" {doc.unit}" if doc is not None and doc.unit else ""
    about = f" ({doc.help[0].lower()}{doc.help[1:]})" if doc is not None and doc.help else ""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        last = str(location[-1])
        siblings = _siblings(detail["loc"], root)
        close = closest(last, siblings)
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
        return Problem(
            "error",
            key,
            f"{_shown(given)} is not known",
            f"{_meant(given, context['expected'])}give {context['expected']}",
        )
    if kind == "union_tag_invalid":
        remedy = f"{_meant(context['tag'], context['expected_tags'])}give one of {context['expected_tags']}"
        return Problem("error", f"{key}.kind", f"{_shown(context['tag'])} is not known", remedy)
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
    if kind == "string_too_short":
        return Problem("error", key, "the text is empty", f"give one{about}")
    if kind == "bool_type":
        return Problem("error", key, f"{_shown(given)} is neither true nor false", f"give true or false{about}")
    if kind == "too_long":
        return Problem("error", key, f"the list has more than {context['max_length']} entries", "shorten it")
    if kind == "too_short":
        if context["actual_length"]:
            message = f"needs at least {context['min_length']} entries (got {context['actual_length']})"
            return Problem("error", key, message, f"give more{about}")
        return Problem("error", key, "the list is empty", f"give entries{about}")
    return Problem("error", key, f"{_shown(given)} is not valid ({detail['msg'].lower()})", f"mend the value{about}")


def _dotted(location: Iterable[str | int]) -> str:
    """``("obstacles", 1, "x_m")`` as ``obstacles[2].x_m``: people count from one."""
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _models(model: Any) -> list[type[BaseModel]]:
    """The parts that can stand where `model` (a part, or a part and the name of a field of it) is."""
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


def _meant(given: Any, expected: str) -> str:
    """What somebody perhaps meant who gave something else than one of the expected words in quotes."""
    words = re.findall(r"'([^']*)'", expected)
    name = str(given)
    close = closest(name, words) or next((word for word in words if len(name) > 2 and word.startswith(name)), None)
    return f'did you mean "{close}"? Or ' if close else ""


def closest(name: str, names: Iterable[str]) -> str | None:
    """The name that is most like another one; None if all are too different."""
    found = difflib.get_close_matches(re.sub(r"[^a-z0-9_]", "_", name.lower()), list(names), n=1, cutoff=0.6)
    return found[0] if found else None
