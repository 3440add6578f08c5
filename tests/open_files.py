"""Open files of this process, and those that only the garbage collector closes: it can fail any other test."""

from __future__ import annotations

import gc
import os
import re
import sys
from pathlib import Path
from typing import Any

_FOLDER = Path("/proc/self/fd")
_NOT_COUNTED = re.compile(r"^/(dev|proc)/|\.mcap( \(deleted\))?$")
"""Devices, files of the system that threads of libraries read at any time, and run files: those of a
freed recording are closed by its `weakref.finalize`, which never warns."""


def open_files() -> dict[str, str]:
    """Open files, pipes and sockets by descriptor, as Linux names them; empty elsewhere."""
    if sys.platform != "linux":
        return {}
    files = {}
    for number in os.listdir(_FOLDER):
        try:
            files[number] = os.readlink(f"{_FOLDER}/{number}")
        except FileNotFoundError:  # the listing itself
            continue
    return files


def collect_garbage(*, files: bool = True) -> list[str]:
    """Collect all garbage; returns files that this closed, and reports of finalizers (sockets, processes, coroutines).

    Sockets without a report are closed by native libraries in their own threads, at any time.

    Parameters
    ----------
    files : bool
        Whether files that are closed without a report count.
    """
    problems: list[str] = []

    def note(unraisable: Any) -> None:
        problems.append(f"{unraisable.object!r}: {unraisable.exc_value!r}")

    hook = sys.unraisablehook
    sys.unraisablehook = note
    before = open_files()
    try:
        gc.collect()
    finally:
        sys.unraisablehook = hook
    after = open_files()
    closed = [
        name
        for number, name in before.items()
        if after.get(number) != name and name.startswith("/") and not _NOT_COUNTED.search(name)
    ]
    return [*(closed if files else ()), *problems]
