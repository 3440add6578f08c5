"""Waiting for other threads and processes, and a clock controlled by a test."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Clock", "until", "wait_until"]


class Clock:
    """Time that only a test advances, s."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def until(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Wait until a condition holds, and return whether it does; the limit is for busy machines."""
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
