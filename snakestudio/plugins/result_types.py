"""Check of values against the type hints of the interface for plug-ins."""

from __future__ import annotations

import numbers
import re
import types
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

_NUMBERS: dict[type, type] = {float: numbers.Real, int: numbers.Integral}
"""Classes of which numbers of numpy are, too."""


def conforms(value: Any, hint: Any) -> bool:
    """Return whether a value has the type of a hint; hints that cannot be checked accept any value."""
    if hint is Any or hint is object or isinstance(hint, TypeVar | str):
        return True
    if hint is None or hint is type(None):
        return value is None
    origin = get_origin(hint)
    arguments = get_args(hint)
    if origin is None:
        return not isinstance(hint, type) or _is(value, hint)
    if origin in (Union, types.UnionType):
        return any(conforms(value, each) for each in arguments)
    if origin is Annotated:
        return conforms(value, arguments[0])
    if origin is Literal:
        return any(
            value is each or (type(value) is type(each) and value == each) for each in arguments
        )
    if origin is type:
        return isinstance(value, type) and issubclass(value, arguments[0])
    return _contains(value, origin, arguments)


def _is(value: Any, expected: type) -> bool:
    if getattr(expected, "_is_protocol", False):
        return True
    if isinstance(value, bool) and expected in (float, int):
        return False
    if expected is bool and type(value).__name__ in ("bool", "bool_"):  # includes NumPy's bool
        return True
    return isinstance(value, _NUMBERS.get(expected, expected))


def _contains(value: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    """Return whether a container and its elements have the types of a generic hint."""
    if origin is Callable:
        return callable(value)
    if getattr(origin, "__name__", "") == "ndarray":
        return _is_numeric(value)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return all(conforms(each, arguments[0]) for each in value)
        return len(value) == len(arguments) and all(map(conforms, value, arguments))
    if origin is Sequence:
        return isinstance(value, list | tuple) and all(
            conforms(each, arguments[0]) for each in value
        )
    if not isinstance(value, origin):
        return False
    if isinstance(value, Mapping):
        return all(map(conforms, value, [arguments[0]] * len(value))) and all(
            conforms(each, arguments[1]) for each in value.values()
        )
    if isinstance(value, list | set | frozenset):
        return all(conforms(each, arguments[0]) for each in value)
    return True


def _is_numeric(value: Any) -> bool:
    import numpy as np  # faults of plug-ins are also reported by commands that need no arrays

    try:
        return np.asarray(value).dtype.kind in "fiub"
    except Exception:
        return False


def text_of(hint: Any) -> str:
    """Return the hint as code: "list[Problem]"."""
    text = hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
    text = re.sub(r"numpy\.ndarray\[.*\]", "array", text)
    return re.sub(r"[\w.]+\.(?=\w)", "", text).replace("NoneType", "None")


def described(value: Any) -> str:
    """Return the short text of a value that never fails: its `repr` if it is short, otherwise its type."""
    if value is None or isinstance(value, type):
        return str(value)
    try:
        text = repr(value)
    except BaseException:
        text = ""
    if text and len(text) <= 60 and "\n" not in text and " object at 0x" not in text:
        return text
    return f"a value of type {type(value).__name__}"


def hints_of(thing: Any) -> dict[str, Any]:
    """Return the type hints of a class or function; {} if they cannot be resolved."""
    return _hints_of(thing)


@lru_cache(maxsize=128)
def _hints_of(thing: Any) -> dict[str, Any]:
    try:
        return get_type_hints(thing)
    except Exception:
        return {}


def result_hint(hint: Any) -> Any:
    """Return the type of the result of the function in a hint: `str` for `Callable[[Scene], str] | None`."""
    for each in (hint, *get_args(hint)):
        if get_origin(each) is Callable:
            return get_args(each)[1]
    return Any
