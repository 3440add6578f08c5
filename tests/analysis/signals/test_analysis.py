"""Spectra and statistics against closed forms, numpy and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal as scipy_signal

from snakestudio.analysis.signals import spectrum, statistics


@pytest.mark.parametrize("window", ["rectangular", "hann", "hamming", "blackman", "flattop"])
@pytest.mark.parametrize("count", [1000, 1001])
def test_sine_on_a_line_shows_its_amplitude(window: str, count: int) -> None:
    t = np.arange(count) / 100.0
    hz = 30 * 100.0 / count
    frequency, amplitude = spectrum(t, 3.0 + 2.5 * np.sin(2 * np.pi * hz * t + 0.4), window)  # type: ignore[arg-type]
    assert len(frequency) == len(amplitude) == count // 2 + 1
    assert frequency[30] == pytest.approx(hz)
    assert amplitude[30] == pytest.approx(2.5, rel=1e-9)
    assert amplitude[0] == pytest.approx(3.0, rel=1e-3)


def test_nyquist_frequency_counts_once() -> None:
    t = np.arange(100) / 100.0
    frequency, amplitude = spectrum(t, 0.7 * np.cos(np.pi * np.arange(100)), "rectangular")
    assert frequency[-1] == 50.0
    assert amplitude[-1] == pytest.approx(0.7)


@pytest.mark.parametrize("window", ["rectangular", "hann", "hamming", "blackman", "flattop"])
@pytest.mark.parametrize("count", [500, 501])
def test_spectrum_equals_scipy(window: str, count: int) -> None:
    rng = np.random.default_rng(0)
    t = np.arange(count) / 50.0
    x = rng.normal(size=count)
    frequency, amplitude = spectrum(t, x, window)  # type: ignore[arg-type]
    frequencies, power = scipy_signal.periodogram(
        x,
        50.0,
        window="boxcar" if window == "rectangular" else window,
        detrend="constant",
        scaling="spectrum",
    )
    expected = np.sqrt(2 * power)  # scipy's power is of effective values
    if count % 2 == 0:
        expected[-1] /= np.sqrt(2)
    np.testing.assert_allclose(frequency, frequencies)
    np.testing.assert_allclose(amplitude[1:], expected[1:], rtol=1e-10)


def test_gaps_and_uneven_times_leave_the_line_where_it_is() -> None:
    rng = np.random.default_rng(1)
    t = np.sort(rng.uniform(0, 20, 4000))
    x = 1.5 * np.sin(2 * np.pi * 2.0 * t)
    x[1000:1010] = np.nan
    frequency, amplitude = spectrum(t, x, "flattop")
    assert frequency[np.argmax(amplitude)] == pytest.approx(2.0, abs=0.06)
    assert amplitude.max() == pytest.approx(1.5, rel=0.01)


@pytest.mark.parametrize("values", [[], [1.0], [np.nan, np.nan, 2.0]])
def test_too_few_values_have_no_spectrum(values: list[float]) -> None:
    frequency, amplitude = spectrum(np.arange(len(values)), values)
    assert len(frequency) == len(amplitude) == 0


def test_statistics_of_a_sine_on_a_slope() -> None:
    t = np.arange(0, 2000) / 100.0
    x = 0.3 * t + 2 * np.sin(2 * np.pi * 1.37 * t)
    result = statistics(t, x)
    assert result.count == 2000
    assert result.gaps == 0
    assert (result.minimum, result.maximum) == (x.min(), x.max())
    assert result.peak_to_peak == x.max() - x.min()
    assert result.mean == pytest.approx(x.mean())
    assert result.std == pytest.approx(x.std())
    assert result.rms == pytest.approx(np.sqrt(x.mean() ** 2 + x.std() ** 2))
    assert result.slope == pytest.approx(np.polyfit(t, x, 1)[0])
    assert result.slope == pytest.approx(0.3, abs=0.02)
    assert result.integral == pytest.approx(
        0.15 * 19.99**2 + 2 / (2 * np.pi * 1.37) * (1 - np.cos(2 * np.pi * 1.37 * 19.99)), abs=2e-3
    )
    assert result.dominant_hz == pytest.approx(1.37, abs=0.002)


def test_gaps_do_not_count() -> None:
    t = np.arange(100) / 10.0
    x = 2 * t
    x[40:60] = np.nan
    result = statistics(t, x)
    assert (result.count, result.gaps) == (80, 20)
    assert result.slope == pytest.approx(2.0)
    assert result.integral == pytest.approx(9.9**2)
    assert result.maximum == pytest.approx(19.8)
    assert result.mean == pytest.approx(np.nanmean(x))


def test_few_values_give_few_statistics() -> None:
    nothing = statistics([0.0, 1.0], [np.nan, np.nan])
    assert (nothing.count, nothing.gaps) == (0, 2)
    assert np.isnan(nothing.mean)
    one = statistics([2.0], [5.0])
    assert (one.mean, one.rms, one.std, one.integral) == (5.0, 5.0, 0.0, 0.0)
    assert np.isnan(one.slope)
    still = statistics(np.arange(50), np.full(50, 7.0))
    assert still.slope == pytest.approx(0.0)
    assert np.isnan(still.dominant_hz)
