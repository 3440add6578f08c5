"""Peaks, rises and quantiles of values that arrive in blocks."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.plausibility.accumulators import Peak, Quantiles, Rise


def test_quantiles_are_at_most_6_percent_above_those_of_numpy() -> None:
    values = np.random.default_rng(3).lognormal(-2.0, 3.0, 20_000)
    quantiles = Quantiles()
    for part in np.array_split(values, 7):
        quantiles.feed(part)
    for fraction in (0.05, 0.5, 0.9, 0.999):
        exact = np.quantile(values, fraction, method="inverted_cdf")
        assert exact <= quantiles.at(fraction) <= 1.06 * exact


def test_quantiles_of_nothing_and_of_zeros_are_zero() -> None:
    quantiles = Quantiles()
    assert quantiles.at(0.9) == 0.0
    quantiles.feed(np.zeros(10))
    quantiles.feed(np.array([np.nan, np.inf]))
    assert quantiles.at(0.9) == 0.0


def test_rise_is_measured_from_the_smallest_value_before() -> None:
    values = np.array([0.0, -3.0, -1.0, -5.0, -4.5])
    for cuts in ([], [2], [1, 3, 4]):
        rise = Rise()
        for part, time in zip(np.split(values, cuts), np.split(np.arange(5.0), cuts), strict=True):
            rise.feed(time, part)
        assert (rise.largest.value, rise.largest.time) == (2.0, 2.0)


def test_peak_has_the_time_and_part_of_the_first_largest_value() -> None:
    peak = Peak()
    peak.feed(np.array([0.0, 1.0]), np.array([[0.0, np.nan], [2.0, 3.0]]))
    peak.feed(np.array([2.0]), np.array([[3.0, 1.0]]))
    assert (peak.value, peak.time, peak.part) == (3.0, 1.0, 1)


@pytest.mark.parametrize("count", [0, 3])
def test_peak_of_no_positive_values_has_no_time(count: int) -> None:
    peak = Peak()
    peak.feed(np.arange(float(count)), np.zeros(count))
    assert peak.value == 0.0
    assert np.isnan(peak.time)
