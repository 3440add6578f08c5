"""Times of runs: no digit is lost, for runs of any length."""

from __future__ import annotations

import math

import pytest

from snakestudio.model.run_time import run_time, run_time_of


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.000 s"),
        (12.3456, "12.346 s"),
        (999.999, "999.999 s"),
        (999.9996, "0:16:40.000"),
        (1365.19, "0:22:45.190"),
        (7038.19, "1:57:18.190"),
        (7199.9999, "2:00:00.000"),
        (1e6, "277:46:40.000"),
        (-2000.5, "-0:33:20.500"),
        (-0.25, "-0.250 s"),
        (math.nan, "–"),
    ],
)
def test_times_are_in_seconds_and_then_by_the_clock(seconds: float, text: str) -> None:
    assert run_time(seconds) == text


def test_decimals_and_significant_digits_are_as_requested() -> None:
    assert run_time(7038.19, 0) == "1:57:18"
    assert run_time(59.996, 2) == "60.00 s"
    assert run_time(8.94, significant=3) == "8.94 s"
    assert run_time(7038.19, significant=3) == "1:57:18", "no power of ten"


def test_time_has_the_format_of_the_run_length() -> None:
    assert run_time_of(1.5, 10.0) == "1.500 / 10.000 s"
    assert run_time_of(365.19, 40_000.0) == "0:06:05.190 / 11:06:40.000"
