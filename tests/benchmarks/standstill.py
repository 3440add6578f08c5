"""When the machine itself stands still: what no program on it can help, told beside what programs are measured on.

One bare process a processor, pinned to it, of the highest real-time priority, sleeps to deadlines
and does nothing else. Whenever one of them wakes late, that processor ran nothing that could have
been asked for: its host had given it away, or the kernel held it. A shared virtual machine does so
tens of times a minute, for up to hundreds of ms.
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
"""What counts as a standstill: half of the strictest bar that is measured beside it."""

_PRIORITY = 90


@dataclass(slots=True)
class Standstills:
    """What was seen until `watched` ended, empty where real-time priority is not granted.

    Attributes
    ----------
    spans : ndarray, shape (n, 2)
        Begin and end of each standstill of any processor, s on the monotonic clock.
    late : ndarray, shape (m,)
        How late each bare sleeper woke each time, s.
    """

    spans: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    late: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def longest(self) -> float:
        """The longest standstill, s; NaN if nothing was watched."""
        return float(self.late.max()) if self.late.size else float("nan")

    def free(self, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Which spans of time, (k,) s each, no standstill touched; (k,) bool."""
        order = np.sort(self.spans[:, 0]), np.sort(self.spans[:, 1])
        # As many had begun before a span's end as had ended before its begin: none lies in it.
        return np.searchsorted(order[0], ends) == np.searchsorted(order[1], begins)


@contextmanager
def watched() -> Iterator[Standstills]:
    """Watch the machine until the context ends; then the value yielded says what was seen."""
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
        told = [np.frombuffer(sleeper.communicate()[0]).reshape(-1, 2) for sleeper in sleepers]
        due, woke = np.concatenate([*told, np.empty((0, 2))]).T
        seen.late = woke - due
        seen.spans = np.column_stack([due, woke])[seen.late > _LATE_S]


def _sleep(cpu: int) -> None:
    """Be one of them until standard input ends; tell when each sleep was due and when it ended."""
    os.sched_setaffinity(0, {cpu})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    except PermissionError:
        return
    os.set_blocking(0, False)
    told: list[float] = []
    due = time.monotonic()
    while True:
        due += _PERIOD_S
        time.sleep(max(due - time.monotonic(), 0.0))
        woke = time.monotonic()
        told += (due, woke)
        due = max(due, woke - _PERIOD_S)
        if len(told) % 100 == 0:
            try:
                if os.read(0, 1) == b"":
                    break
            except BlockingIOError:
                pass
    sys.stdout.buffer.write(np.array(told).tobytes())


if __name__ == "__main__":
    _sleep(int(sys.argv[1]))
