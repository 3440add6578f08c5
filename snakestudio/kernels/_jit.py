"""The one decorator of everything compiled; numba is imported only here, after its cache folder is chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from snakestudio.kernels._cache import compile_cache

__all__ = ["inlined", "jit", "reporting_compilation"]

F = TypeVar("F", bound=Callable[..., Any])

_FOLDER = compile_cache()
os.environ["NUMBA_CACHE_DIR"] = str(_FOLDER)

import numba  # noqa: E402  (the cache folder must be known to it)

_config: Any = numba.config
_config.CACHE_DIR = str(_FOLDER)  # in case somebody else imported numba first
# Straight-line code on rows of eight becomes vector instructions: the chain's elimination takes half the time.
_config.SLP_VECTORIZE = 1

_STRICT: dict[str, Any] = {
    "nogil": True,
    "cache": True,
    # 1 / 0 is inf, and no exception.
    "error_model": "numpy",
    # Kernels allocate nothing and hand out no arrays, so they need not count references: without this a third of a
    # time step went into counters.
    "_nrt": False,
}


def jit(function: F) -> F:
    """Compile `function`: no interpreter lock, cached, strict floating point, no exceptions, no allocation."""
    return cast(F, numba.njit(**_STRICT)(function))


def inlined(function: F) -> F:
    """As `jit`, for parts of a time step and helpers in inner loops: always inlined into their caller."""
    return cast(F, numba.njit(**_STRICT, forceinline=True)(function))


@contextmanager
def reporting_compilation(report: Callable[[int, str], None]) -> Iterator[None]:
    """While this lasts, call `report` with the number of functions compiled so far and the name of the next."""
    from numba.core import event

    class Listener(event.Listener):
        count = 0

        def on_start(self, event: Any) -> None:
            report(self.count, f"Compiling {event.data['dispatcher'].__name__}")

        def on_end(self, event: Any) -> None:
            self.count += 1

    with event.install_listener("numba:compile", Listener()):
        yield
