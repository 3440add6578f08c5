"""Takes compiled code from the cache and nowhere else: the window's process draws, and must not compile for minutes.

A mark in the cache folder says that an engine is compiled, but only its code itself proves it: that
may be for another processor, another environment or another copy of the program, or be damaged.
"""

from __future__ import annotations

import threading

from snakestudio.engines.registry import run_once

_LOADED: set[str] = set()
"""What this process has in memory."""


_MISSING: set[str] = set()
"""What was looked for in the cache and not found, whatever a mark says."""


class _NotCompiledError(Exception):
    """Ends the call that would have compiled."""


def load(kind: str) -> bool:
    """Load all compiled code of `kind`, so that its engines begin at once.

    Returns
    -------
    bool
        False if some of it is not in the cache; nothing was compiled then.
    """
    if kind in _LOADED:
        return True
    from snakestudio.kernels._jit import reporting_compilation

    own = threading.get_ident()

    def refuse(count: int, name: str) -> None:
        if threading.get_ident() == own:  # what others compile is their business
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
    """Whether code of `kind` was looked for and not found; loads nothing."""
    return kind in _MISSING
