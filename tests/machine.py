"""Processor time of processes, and time that the host takes from this machine: benchmarks report both.

No test depends on it: times in tests are virtual, or have bars that hold on a busy machine.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["processor_time", "stolen", "stolen_share"]


def processor_time(process: int) -> float:
    """Processor time of a process so far, s; NaN if the system does not report it."""
    try:
        fields = (
            Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return float("nan")


def stolen() -> float:
    """Processor time so far that the host gave to other machines, s; 0 if the system does not report it."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()
        return int(fields[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def stolen_share(since: float, before: float) -> float:
    """Share of all processors' time that the host took since a moment (s, monotonic) at which `stolen` was `before`."""
    return (stolen() - before) / max(time.monotonic() - since, 1e-3) / (os.cpu_count() or 1)
