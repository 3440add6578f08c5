"""Freed memory is returned to the system."""

from __future__ import annotations

import platform

import pytest

from snakestudio import heap
from tests.benchmarks.bench_memory import resident


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
