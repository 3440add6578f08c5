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


def wrong_kind(name: str, wanted: str, given: object) -> UsageError:
    """Error that argument `name` has the wrong type."""
    what = "None" if given is None else f"a {type(given).__name__}"
    return UsageError(f"{name} must be {wanted}, not {what}.")


def path_of(name: str, given: object, wanted: str = "a file name (str or Path)") -> Path:
    """Path given by an argument; `wanted` describes the accepted values.

    Raises `UsageError` if it is not a path.
    """
    if isinstance(given, str) or (
        isinstance(given, os.PathLike) and isinstance(os.fspath(given), str)
    ):
        return local_path(given if isinstance(given, str) else Path(given))
    raise wrong_kind(name, wanted, given)


def scene_path_of(name: str, given: object, wanted: str = "a file name (str or Path)") -> Path:
    """Path of the scene file given by an argument, by path or by bare name; see `find_scene`.

    Raises `UsageError` if it is not a path.
    """
    return find_scene(path_of(name, given, wanted))


def number_of(name: str, given: object) -> float:
    """Number given by an argument, including numpy numbers.

    Raises `UsageError` if it is not a number.
    """
    if not is_number(given):
        raise wrong_kind(name, "a number", given)
    return float(given)


def is_number(given: object, kind: type = Real) -> TypeGuard[float]:
    """Whether this is a number of type `kind` (such as `numbers.Integral`), of Python or numpy, but not a bool."""
    return isinstance(given, kind) and not isinstance(given, bool)


def values_of(name: str, given: object) -> dict[str, Any]:
    """Scene values by dotted key; {} for None.

    Raises `UsageError` if it is not a mapping.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise wrong_kind(
            name,
            'a mapping of scene values by dotted key, such as {"gait.amplitude_deg": 30}',
            given,
        )
    return dict(given)
