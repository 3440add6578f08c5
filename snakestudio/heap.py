"""Memory of this process: what the C library keeps of what was freed, and how much more there is."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path


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
