"""Measures how long the program takes to start: SNAKESTUDIO_TRACE_START=1 prints it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

__all__ = ["StartTrace"]

_IMPORTED = time.time()


def _process_start() -> float:
    """When this process began, s since the epoch; where that cannot be known, when this module was imported."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        uptime = float(Path("/proc/uptime").read_text().split()[0])
    except OSError:
        return _IMPORTED
    ticks = os.sysconf("SC_CLK_TCK")
    return time.time() - (uptime - int(fields[19]) / ticks)


class StartTrace:
    """Prints the time since the process began, once for each thing that happens, where it is `on`."""

    def __init__(self) -> None:
        self.on = bool(os.environ.get("SNAKESTUDIO_TRACE_START"))
        self._began = _process_start() if self.on else 0.0
        self._said: set[str] = set()

    def mark(self, what: str) -> None:
        """`what` has just happened."""
        if self.on and what not in self._said:
            self._said.add(what)
            print(f"start: {what}: {1000 * (time.time() - self._began):.0f} ms", file=sys.stderr, flush=True)
