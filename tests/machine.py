"""What processes take of the machine that is measured on, and what its host takes of it: benchmarks tell both.

No test looks at it: times of tests are virtual, or have bars that a busy machine keeps.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["processor_time", "stolen", "stolen_share"]


def processor_time(process: int) -> float:
    """Processor time that a process has taken so far, s; NaN where nobody says."""
    try:
        fields = (
            Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return float("nan")


def stolen() -> float:
    """Processor time that was wanted here and given to other machines so far, s; 0 where nobody says so."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()
        return int(fields[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def stolen_share(since: float, before: float) -> float:
    """Share of all processors' time that was taken since a moment (s, monotonic) at which `stolen` was `before`."""
    return (stolen() - before) / max(time.monotonic() - since, 1e-3) / (os.cpu_count() or 1)
