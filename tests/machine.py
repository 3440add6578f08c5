"""What the machine that tests run on does to them: a shared one stands still at times, and then times say nothing."""

from __future__ import annotations

import functools
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

import pytest

__all__ = ["Late", "in_time", "real_time", "stolen", "stolen_share"]

_MUCH = 0.03
"""Of the processors' time. Without load next to nothing is wanted, so next to nothing is taken."""

P = ParamSpec("P")


class Late(AssertionError):  # noqa: N818 (a bar that was missed, as an assertion is, and no error)
    """Something did not come in time, which may be the machine's doing; whatever else fails is the program's."""


def in_time(value: float, bar: float) -> None:
    """See that a time is below its bar.

    Raises
    ------
    Late
        If it is not.
    """
    if not value < bar:
        raise Late(f"{value:g} is not below {bar:g}")


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


def real_time(test: Callable[P, None]) -> Callable[P, None]:
    """Mark a test of real times: what is late on a virtual machine whose host took its processors meanwhile is skipped.

    On a machine of its own it fails, and what is wrong and not late fails everywhere.
    """

    @functools.wraps(test)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        since, before = time.monotonic(), stolen()
        try:
            test(*args, **kwargs)
        except (Late, TimeoutError, subprocess.TimeoutExpired) as error:
            share = stolen_share(since, before)
            if share < _MUCH:
                raise
            said = str(error).split("\n", 1)[0][:120]
            pytest.skip(f"the host took {100 * share:.0f} % of the processors meanwhile, so times say nothing: {said}")

    return guarded
