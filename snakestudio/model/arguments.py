"""Checks of the arguments of Python calls: errors name the argument and the accepted types."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any, TypeGuard

from snakestudio.errors import UsageError
from snakestudio.inputs import local_path
from snakestudio.paths import find_scene


def wrong_kind(name: str, accepted: str, value: object) -> UsageError:
    """Return the error that argument `name` has the wrong type."""
    return UsageError(f"{name} must be {accepted}, not {kind_of(value)}.")


def kind_of(value: object) -> str:
    """Return the type of a value with its article: "an int"; "None" for None."""
    name = type(value).__name__
    article = "an" if name[0].lower() in "aeiou" or name == "ndarray" else "a"
    return "None" if value is None else f"{article} {name}"


def path_of(name: str, argument: object, expected: str = "a file name (str or Path)") -> Path:
    """Return the path given by an argument; `expected` describes the valid values.

    Raises `UsageError` if it is not a path.
    """
    if isinstance(argument, str) or (
        isinstance(argument, os.PathLike) and isinstance(os.fspath(argument), str)
    ):
        return local_path(argument if isinstance(argument, str) else Path(argument))
    raise wrong_kind(name, expected, argument)


def scene_path_of(name: str, value: object, accepted: str = "a file name (str or Path)") -> Path:
    """Return the path of the scene file given by an argument, by path or by bare name; see `find_scene`.

    Raises `UsageError` if it is not a path.
    """
    return find_scene(path_of(name, value, accepted))


def number_of(name: str, value: object) -> float:
    """Return the number given by an argument, including numpy numbers.

    Raises `UsageError` if it is not a number.
    """
    if not is_number(value):
        raise wrong_kind(name, "a number", value)
    return float(value)


def is_number(value: object, kind: type = Real) -> TypeGuard[float]:
    """Whether this is a number of type `kind` (such as `numbers.Integral`), of Python or numpy, but not a bool."""
    return isinstance(value, kind) and not isinstance(value, bool)


def values_of(name: str, argument: object) -> dict[str, Any]:
    """Return the scene values by dotted key; {} for None.

    Raises `UsageError` if it is not a mapping.
    """
    if argument is None:
        return {}
    if not isinstance(argument, Mapping) or not all(isinstance(key, str) for key in argument):
        raise wrong_kind(
            name,
            'a mapping of scene values by dotted key, such as {"gait.amplitude_deg": 30}',
            argument,
        )
    return dict(argument)
