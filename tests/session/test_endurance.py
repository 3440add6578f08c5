"""Long runs: memory use stays constant."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from tests.benchmarks import bench_window_memory
from tests.benchmarks.bench_memory import growth


def _allocated() -> float:
    """Memory held by Python and numpy, MB: unlike resident memory, it does not depend on earlier tests."""
    return tracemalloc.get_traced_memory()[0] / 1e6


def test_memory_is_bounded_over_some_minutes(tmp_path: Path) -> None:
    tracemalloc.start(1)
    try:
        grown, disk, _ = growth(0.05, tmp_path, _allocated)
    finally:
        tracemalloc.stop()
    assert disk > 20  # would otherwise be in memory
    assert grown < 40  # blocks read again stay in a cache of fixed size


@pytest.mark.soak
def test_memory_is_bounded_over_a_simulated_hour(tmp_path: Path) -> None:
    grown, disk, _ = growth(1.0, tmp_path)
    assert disk > 400
    assert grown < 64


@pytest.mark.soak
def test_window_does_not_grow_over_a_long_run() -> None:
    for what, value, unit, bar, ok in bench_window_memory.hour(bench_window_memory.SIMULATED_S):
        assert ok, f"{what}: {value} {unit}, bar {bar}"


@pytest.mark.soak
def test_opened_scenes_leave_nothing_behind() -> None:
    for what, value, unit, bar, ok in bench_window_memory.scenes(bench_window_memory.N_SCENES):
        assert ok, f"{what}: {value} {unit}, bar {bar}"
