"""Error values, trends and intervals of synthetic tracks, against known results."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter

from snakestudio.analysis.experiment.alignment import AlignmentOptions
from snakestudio.analysis.experiment.bootstrap import among_trials, interval, mean_in_blocks
from snakestudio.analysis.experiment.comparison import ExperimentComparison, compare_experiment
from snakestudio.analysis.experiment.trend import path_direction, trend_of
from snakestudio.errors import ExperimentError
from tests.experiment_runs import HERTZ, SPEED, make_run, seen, track

RUN = make_run()
AS_MEASURED = AlignmentOptions((0.0, 0.0), align_position=False, align_heading=False)


def _compare(*captures: object, options: AlignmentOptions = AS_MEASURED) -> ExperimentComparison:
    comparison = compare_experiment(RUN, list(captures), options)  # type: ignore[arg-type]
    assert comparison is not None
    return comparison


def test_errors_along_and_across() -> None:
    """A track 30 mm ahead and 40 mm to the left of the run has these components, independent of the robot's swing."""
    figures = _compare(seen(0.0, 0.0, (0.03, 0.04, 0.01))).trials[0].figures
    assert figures["position_rmse"].value == pytest.approx(0.05, abs=1e-6)
    assert figures["position_max"].value == pytest.approx(0.05, abs=1e-6)
    # The path's direction is along x within one or two degrees.
    assert figures["along_mean"].value == pytest.approx(0.03, abs=2e-3)
    assert figures["across_rmse"].value == pytest.approx(0.04, abs=2e-3)
    assert "height_rmse" not in figures  # the run is planar
    assert "heading_rmse" not in figures  # the height is not recorded


def test_interpolated_rows_do_not_count() -> None:
    capture = seen(0.0, 0.0, (0.0, 0.0, 0.0), gaps=((50, 60),))
    capture.position[50:60] += 1.0
    assert _compare(capture).trials[0].figures["position_max"].value < 1e-6


def test_headings_ignore_mounting_rotation() -> None:
    capture = seen(0.0, 0.0, (0.0, 0.0, 0.0), turned=True)
    figures = _compare(capture).trials[0].figures
    assert figures["heading_max"].value < 0.05
    assert capture.orientation is not None
    mounted = replace(
        capture, orientation=capture.orientation[..., [3, 1, 2, 0]] * [-1.0, 1.0, 1.0, 1.0]
    )
    trial = _compare(mounted).trials[0]
    assert trial.figures["heading_rmse"].value < 0.05
    assert any("mounted" in note for note in trial.notes)


def test_trend_and_oscillation_of_a_slower_robot() -> None:
    trial = _compare(seen(0.0, 5.0, (0.0, 0.0, 0.0), speed=0.9 * SPEED)).trials[0]
    speed, direction, frequency = (
        trial.figures[name] for name in ("trend_speed", "trend_direction", "frequency")
    )
    assert speed.run == pytest.approx(SPEED, rel=0.02)
    assert speed.experiment == pytest.approx(0.9 * SPEED, rel=0.02)
    assert direction.value == pytest.approx(5.0, abs=1.0)
    assert frequency.run == pytest.approx(HERTZ, rel=0.02)
    assert frequency.experiment == pytest.approx(HERTZ, rel=0.02)


def test_trend_of_a_linear_track_is_exact() -> None:
    time = np.arange(200) / 20.0
    middle = time - time[-1] / 2.0
    z = (
        (0.1 + 0.05j) * middle
        + 0.5 * 0.004j * middle**2
        + 0.03 * np.exp(2j * math.pi * 0.31 * middle)
    )
    trend = trend_of(time, np.stack([z.real, z.imag], axis=1))
    assert trend.speed == pytest.approx(abs(0.1 + 0.05j), rel=1e-6)
    assert trend.direction == pytest.approx(math.atan2(0.05, 0.1), abs=1e-6)
    assert trend.turning == pytest.approx((0.004j / (0.1 + 0.05j)).imag, rel=1e-5)
    assert trend.frequency == pytest.approx(0.31, abs=1e-6)
    assert trend.amplitude == pytest.approx(0.03, rel=1e-6)


def test_frequency_of_a_long_record() -> None:
    time = np.arange(12000) / 20.0
    z = 0.1 * time + 0.08 * np.cos(2.0 * math.pi * 0.2222 * time) * 1j + 0.01 * np.exp(3j * time)
    trend = trend_of(time, np.stack([z.real, z.imag], axis=1))
    assert trend.frequency == pytest.approx(0.2222, abs=1e-5)
    assert trend.amplitude == pytest.approx(0.08, rel=1e-3)


def test_without_an_oscillation_there_is_no_frequency() -> None:
    time = np.arange(200) / 20.0
    noise = np.random.default_rng(0).normal(0.0, 1e-3, (200, 2))
    trend = trend_of(time, np.stack([0.1 * time, 0.0 * time], axis=1) + noise)
    assert math.isnan(trend.frequency)
    assert trend.speed == pytest.approx(0.1, rel=0.01)


def test_path_continues_without_its_swing() -> None:
    """From one period at full speed on: before that, the swing is slower than the gait's period."""
    time = np.arange(1201) / 100.0
    ahead = path_direction(time, track(time, 5), np.linspace(5.0, 11.0, 50), 1.0 / HERTZ, 0.0)
    assert np.degrees(np.arctan2(ahead[:, 1], ahead[:, 0])) == pytest.approx(np.zeros(50), abs=1.5)
    np.testing.assert_allclose(np.linalg.norm(ahead, axis=1), 1.0)


def test_blocks_cover_the_mean_of_related_values() -> None:
    """A first-order process with known mean: 95 % intervals contain it in about 95 of 100 cases, unlike single rows."""
    inside = single = 0
    for seed in range(100):
        values = lfilter([1.0], [1.0, -0.8], np.random.default_rng(seed).normal(size=500))[100:]
        low, high = interval(mean_in_blocks(values, 25, seed))
        inside += low <= 0.0 <= high
        low, high = interval(mean_in_blocks(values, 1, seed))
        single += low <= 0.0 <= high
    assert inside >= 86
    assert single < 70


def test_trials_are_drawn_with_replacement() -> None:
    draws = np.repeat(np.array([[1.0], [2.0], [6.0]]), 2000, axis=1)
    means = among_trials(draws, 1)
    assert means.mean() == pytest.approx(3.0, abs=0.1)
    assert set(np.round(np.unique(means) * 3).astype(int)) == {3, 4, 5, 6, 8, 9, 10, 13, 14, 18}


def test_intervals_of_several_trials_contain_the_error() -> None:
    trials = [seen(0.1, 23.0, noise=0.002, seed=seed, name=f"trial {seed}") for seed in range(4)]
    comparison = _compare(*trials, options=AlignmentOptions())
    full = comparison.together["position_rmse"]
    # Noise of 2 mm in x and y.
    assert full.value == pytest.approx(0.002 * math.sqrt(2.0), rel=0.06)
    assert full.low < 0.002 * math.sqrt(2.0) < full.high
    assert "blocks of 2.75 s" in comparison.interval
    assert comparison.together["position_max"].value == max(
        t.figures["position_max"].value for t in comparison.trials
    )
    assert repr(_compare(*trials, options=AlignmentOptions()).together) == repr(comparison.together)


def test_missing_data_and_cancelling_are_reported() -> None:
    with pytest.raises(ExperimentError, match=r"experiment.*compare"):
        compare_experiment(RUN, [])
    assert compare_experiment(RUN, [seen()], progress=lambda _: False) is None
    with pytest.raises(ExperimentError, match=r"measured.*within"):
        _compare(replace(seen(), time=seen().time + 11.8))
