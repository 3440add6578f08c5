"""Long runs: memory stays where it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.bench_memory import growth


def test_memory_is_bounded_over_some_minutes(tmp_path: Path) -> None:
    grown, disk, _ = growth(0.05, tmp_path)
    assert disk > 20  # megabytes that would otherwise be in memory
    assert grown < 40


@pytest.mark.soak
def test_memory_is_bounded_over_a_simulated_hour(tmp_path: Path) -> None:
    grown, disk, _ = growth(1.0, tmp_path)
    assert disk > 400
    assert grown < 64
