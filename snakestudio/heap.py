"""The C library's heap: it keeps the pages of what was freed, which after a long run are a hundred megabytes."""

from __future__ import annotations

import ctypes
import sys

__all__ = ["release"]


def release() -> None:
    """Return free pages to the system, where the C library can (glibc); takes some milliseconds."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(ctypes.c_size_t(0))
