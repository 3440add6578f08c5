"""State of objects from plug-ins: their public attributes, saved and restored by name."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from snakestudio.errors import MistakeError

_PLAIN = (bool, int, float, str, np.generic)


def public_state(thing: Any) -> dict[str, Any]:
    """Return copies of all attributes whose names do not begin with an underscore.

    Raises `MistakeError` if the value of one of them cannot be saved.
    """
    state = {name: value for name, value in vars(thing).items() if not name.startswith("_")}
    for name, value in state.items():
        if not _can_be_saved(value):
            raise MistakeError(
                f"the attribute {name} of {type(thing).__name__} has the type "
                f"{type(value).__name__}, which cannot be saved",
                f"use numbers, texts, arrays, tuples, lists and dicts, or call it _{name} if it is "
                "not part of the state",
            )
    return copy.deepcopy(state)


def _can_be_saved(value: Any) -> bool:
    if value is None or isinstance(value, _PLAIN):
        return True
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject and not value.dtype.names
    if type(value) in (tuple, list):
        return all(map(_can_be_saved, value))
    if type(value) is dict:
        return all(isinstance(key, str) and _can_be_saved(each) for key, each in value.items())
    return False


def with_public_state(thing: Any, state: dict[str, Any]) -> None:
    """Set the attributes of an object to those from `public_state`."""
    for name in [name for name in vars(thing) if not name.startswith("_") and name not in state]:
        delattr(thing, name)
    for name, value in copy.deepcopy(state).items():
        setattr(thing, name, value)
