"""What a Python call is given: of the wrong kind, it is a sentence that names the argument and what it takes."""

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
    """That argument `name` was given something else than what it takes."""
    what = "None" if given is None else f"a {type(given).__name__}"
    return UsageError(f"{name} must be {wanted}, not {what}.")


def path_of(name: str, given: object, wanted: str = "a file name (str or Path)") -> Path:
    """The file that an argument names; `wanted` is all that it may be.

    Raises `UsageError` if it names none.
    """
    if isinstance(given, str) or (
        isinstance(given, os.PathLike) and isinstance(os.fspath(given), str)
    ):
        return local_path(given if isinstance(given, str) else Path(given))
    raise wrong_kind(name, wanted, given)


def scene_path_of(name: str, given: object, wanted: str = "a file name (str or Path)") -> Path:
    """The scene's file that an argument names, by its path or its bare name; see `find_scene`.

    Raises `UsageError` if it names none.
    """
    return find_scene(path_of(name, given, wanted))


def number_of(name: str, given: object) -> float:
    """The number that an argument is, numpy's among them.

    Raises `UsageError` if it is none.
    """
    if not is_number(given):
        raise wrong_kind(name, "a number", given)
    return float(given)


def is_number(given: object, kind: type = Real) -> TypeGuard[float]:
    """Whether this is a number, or one of a kind (`numbers.Integral`), of Python or numpy; True and False are none."""
    return isinstance(given, kind) and not isinstance(given, bool)


def values_of(name: str, given: object) -> dict[str, Any]:
    """Scene values by dotted key; none of None.

    Raises `UsageError` if it is no mapping.
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
