"""Freed memory is returned to the system."""

from __future__ import annotations

import platform

import pytest

from snakestudio import heap
from tests.benchmarks.bench_memory import resident
from tests.elsewhere import answer_of

COMMAND = """
import atexit, contextlib, gc, io, json, sys
from snakestudio.cli import main

before = gc.get_threshold()[0]
# Exit functions run in reverse order: this one after those that the command registers.
@atexit.register
def show():
    counts = gc.get_threshold()[0], gc.get_freeze_count(), len(gc.get_objects())
    print(json.dumps([before, *counts]))

sys.argv = ["snakestudio", "scenes"]
with contextlib.redirect_stdout(io.StringIO()):
    main()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc's malloc_trim")
def test_released_pages_are_no_longer_resident() -> None:
    blocks = [bytearray(1000) for _ in range(60_000)]
    # memory freed below these blocks is not returned automatically
    pins = [bytearray(1000) for _ in range(100)]
    del blocks
    before = resident()
    heap.release()
    assert resident() < before - 30
    assert len(pins) == 100


def test_commands_leave_no_collection_for_their_end() -> None:
    default, during, frozen, visited = answer_of(COMMAND)
    assert during > 10 * default
    assert frozen > 100 * visited
