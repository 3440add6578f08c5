"""Memory of this process: garbage collection, pages that the C library keeps after they are freed, and free memory."""

from __future__ import annotations

import atexit
import ctypes
import gc
import sys
from pathlib import Path

_YOUNG_OBJECTS = 20_000
"""New objects after which garbage is collected; 700 by default."""


def collect_rarely() -> None:
    """Collect garbage less often, and not while the process ends.

    Imports create a quarter of a million objects and next to no garbage. By default a tenth of the time of a
    short run is spent on looking for it during the imports, and a quarter on two more searches through all
    objects when the interpreter ends.
    """
    gc.set_threshold(_YOUNG_OBJECTS)
    atexit.register(gc.freeze)


def release() -> None:
    """Return free pages to the system, where the C library can (glibc); takes some milliseconds."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(ctypes.c_size_t(0))


def available_bytes() -> int | None:
    """Memory that this process may still take, by the machine and by the limit of its container; None if unknown."""
    limits = [_available_of_machine(), _available_of_container()]
    return min((limit for limit in limits if limit is not None), default=None)


def _available_of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    values = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return 1024 * values[0] if values else None


def _available_of_container() -> int | None:
    group = Path("/sys/fs/cgroup")
    try:
        most = int((group / "memory.max").read_text())  # "max" where there is none
        used = int((group / "memory.current").read_text())
        cached = [line.split() for line in (group / "memory.stat").read_text().splitlines()]
    except (OSError, ValueError):
        return None
    freeable = sum(int(parts[1]) for parts in cached if parts[0] == "inactive_file")
    return max(0, most - used + freeable)
