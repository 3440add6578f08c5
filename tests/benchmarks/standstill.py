"""Standstills of the machine itself, which no program can prevent, reported with the results of programs.

One bare process per processor, pinned to it and with the highest real-time priority, only sleeps
until deadlines. If one of them wakes late, its processor was not available: the host had assigned
it to others, or the kernel blocked it. On a shared virtual machine this happens tens of times a
minute, for up to hundreds of ms.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Standstills", "watched"]

_PERIOD_S = 0.001
_LATE_S = 0.0005
"""Shortest standstill: half of the strictest bar that is measured with it."""

_PRIORITY = 90


@dataclass(slots=True)
class Standstills:
    """Standstills until the end of `watched`; empty without real-time priority.

    Attributes
    ----------
    spans : ndarray, shape (n, 2)
        Start and end of each standstill of any processor, s on the monotonic clock.
    late : ndarray, shape (m,)
        Lateness of each wake-up of the bare sleepers, s.
    """

    spans: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    late: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def longest(self) -> float:
        """Longest standstill, s; NaN if nothing was watched."""
        return float(self.late.max()) if self.late.size else float("nan")

    def free(self, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Whether spans of time, (k,) s each, are free of standstills; (k,) bool."""
        order = np.sort(self.spans[:, 0]), np.sort(self.spans[:, 1])
        # If as many standstills started before the end of a span as ended before its start, none is
        # in it.
        return np.searchsorted(order[0], ends) == np.searchsorted(order[1], begins)


@contextmanager
def watched() -> Iterator[Standstills]:
    """Watch the machine in the context; the yielded value is filled at its end."""
    seen = Standstills()
    cpus = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    sleepers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.standstill", str(cpu)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for cpu in cpus
    ]
    try:
        yield seen
    finally:
        sleeps = [np.frombuffer(sleeper.communicate()[0]).reshape(-1, 2) for sleeper in sleepers]
        due, woke = np.concatenate([*sleeps, np.empty((0, 2))]).T
        seen.late = woke - due
        seen.spans = np.column_stack([due, woke])[seen.late > _LATE_S]


def _sleep(cpu: int) -> None:
    """Sleep repeatedly until standard input ends; print deadline and end of each sleep."""
    os.sched_setaffinity(0, {cpu})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    except PermissionError:
        return
    os.set_blocking(0, False)
    sleeps: list[float] = []
    due = time.monotonic()
    while True:
        due += _PERIOD_S
        time.sleep(max(due - time.monotonic(), 0.0))
        woke = time.monotonic()
        sleeps += (due, woke)
        due = max(due, woke - _PERIOD_S)
        if len(sleeps) % 100 == 0:
            try:
                if os.read(0, 1) == b"":
                    break
            except BlockingIOError:
                pass
    sys.stdout.buffer.write(np.array(sleeps).tobytes())


if __name__ == "__main__":
    _sleep(int(sys.argv[1]))
