"""Loading of compiled code from the cache only: the window's process must not compile for minutes.

A mark in the cache folder records that an engine is compiled, but only loading its code proves it:
the code may be for another processor, another environment or another copy of the program, or be
damaged.
"""

from __future__ import annotations

import threading

from snakestudio.engines.registry import run_once

_LOADED: set[str] = set()
"""Kinds that are loaded in this process."""


_MISSING: set[str] = set()
"""Kinds that are not in the cache, even if they are marked as compiled."""


class _NotCompiledError(Exception):
    """Aborts a call that would compile."""


def load(kind: str) -> bool:
    """Load all compiled code of `kind`, so that its engines start immediately.

    Returns
    -------
    bool
        False if some of it is not in the cache; nothing is compiled then.
    """
    if kind in _LOADED:
        return True
    from snakestudio.kernels._jit import reporting_compilation

    own = threading.get_ident()

    def refuse(count: int, name: str) -> None:
        if threading.get_ident() == own:  # other threads may compile
            raise _NotCompiledError

    try:
        with reporting_compilation(refuse):
            run_once(kind)
    except _NotCompiledError:
        _MISSING.add(kind)
        return False
    _LOADED.add(kind)
    _MISSING.discard(kind)
    return True


def is_missing(kind: str) -> bool:
    """Return whether code of `kind` was missing in the cache; loads nothing."""
    return kind in _MISSING
