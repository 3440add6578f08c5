"""Takes compiled code from the cache and nowhere else: the window's process draws, and must not compile for minutes.

A mark in the cache folder says that an engine is compiled, but only its code itself proves it: that may be for another
processor, another environment or another copy of the program, or be damaged.
"""

from __future__ import annotations

import threading
from importlib import import_module

__all__ = ["load"]

_LOADED: set[str] = set()
"""What this process has in memory."""


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
            import_module(f"snakestudio.engines.{kind}.warm").warm_up(lambda fraction, text: None)
    except _NotCompiledError:
        return False
    _LOADED.add(kind)
    return True
