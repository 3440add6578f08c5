"""Waiting for what other threads and processes do, and a clock that a test turns."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Clock", "until", "wait_until"]


class Clock:
    """Time that goes on only when a test says so, s."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def until(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Wait until something is so, and give whether it is; the limit is for busy machines."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def wait_until(
    condition: Callable[[], object],
    seconds: float = 60.0,
    explain: Callable[[], str] = lambda: "waited in vain",
) -> None:
    """Wait until something is so; fails with an explanation if it never is."""
    assert until(condition, seconds), explain()
