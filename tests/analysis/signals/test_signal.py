"""Signals over rows: against closed forms and SciPy, and pieces against the whole."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import signal as scipy_signal

from snakestudio.analysis.signals import compile_signal
from snakestudio.analysis.signals.running import BLOCK
from snakestudio.errors import SignalError
from snakestudio.model.columns import column_names
from tests.analysis.signals.made import SCHEMA, MadeRecording, even

NAMES = column_names(SCHEMA)
RNG = np.random.default_rng(3)


def noisy(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reproducible noise that depends only on time."""
    return np.sin(12.9898 * np.round(t * 1000)) * 43758.5453 % 1.0 + np.sin(3 * t)


def with_gaps(t: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where((np.floor(t * 7) % 5 == 3) | (np.abs(t - 2.02) < 0.004), np.nan, noisy(t))


ALL = (
    "a_m + 2*b_m",
    "derivative(a_m)",
    "integral(a_m)",
    "lowpass(a_m, 4)",
    "highpass(a_m, 2)",
    "moving_mean(a_m, 0.35)",
    "median(a_m, 0.17)",
    "delay(a_m, 0.234)",
    "delay(a_m, -0.234)",
    "a_m - at(a_m, 1.5)",
    "unwrap(angle_rad)",
    "derivative(lowpass(integral(a_m), 3))",
    "integral(derivative(lowpass(a_m, 8)))",
    "at(integral(b_m), 2.2)*a_m",
    "lowpass(delay(unwrap(angle_rad), 0.5), 6)",
    "norm(a_m, moving_mean(b_m, 1))",
    "integral(integral(b_m))",
)


def made_of(times: NDArray[np.float64]) -> MadeRecording:
    return MadeRecording(
        times,
        a_m=noisy,
        b_m=with_gaps,
        angle_rad=lambda t: (5 * t + np.sin(9 * t) + np.pi) % (2 * np.pi) - np.pi,
    )


@pytest.mark.parametrize("text", ALL)
@pytest.mark.parametrize("uneven", [False, True])
def test_pieces_are_those_of_the_whole(
    text: str, uneven: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snakestudio.analysis.signals.running.BLOCK", 64)
    times = even(6.0)
    if uneven:
        times = np.sort(np.concatenate([times[:250:2], times[250:], RNG.uniform(1, 5, 60)]))
    run = made_of(times)
    for expression in (text, text.replace("a_m", "b_m")):
        full = compile_signal(expression, NAMES).values(run)
        assert np.isfinite(full).any()
        signal = compile_signal(expression, NAMES)
        pieces = []
        start = 0
        while start < len(times):
            stop = min(start + int(RNG.integers(1, 90)), len(times))
            pieces.append(signal.values(run, start, stop))
            start = stop
        # The slope between adjacent rows magnifies their last bit.
        bit = 4 * np.finfo(float).eps / float(np.diff(times).min())
        np.testing.assert_allclose(np.concatenate(pieces), full, rtol=0, atol=max(3e-12, bit))


def test_long_work_in_pieces_is_that_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    run = made_of(even(60.0))
    expression = "lowpass(a_m, 3) + derivative(integral(a_m)) - moving_mean(a_m, 0.5)"
    full = compile_signal(expression, NAMES).values(run)
    monkeypatch.setattr("snakestudio.analysis.signals.signal.PIECE", 300)
    np.testing.assert_allclose(
        compile_signal(expression, NAMES).values(run), full, rtol=0, atol=1e-11
    )


def test_derivative_and_integral_are_those_of_the_closed_forms() -> None:
    run = MadeRecording(
        even(4.0, 1000), a_m=lambda t: np.sin(3 * t), b_m=lambda t: 2 * t**2 - t + 5
    )
    t = run.times
    np.testing.assert_allclose(
        compile_signal("derivative(a_m)", NAMES).values(run), 3 * np.cos(3 * t), atol=1e-4
    )
    # A parabola is exact, also at the ends.
    np.testing.assert_allclose(
        compile_signal("derivative(b_m)", NAMES).values(run), 4 * t - 1, atol=1e-9
    )
    np.testing.assert_allclose(
        compile_signal("integral(a_m)", NAMES).values(run), (1 - np.cos(3 * t)) / 3, atol=1e-6
    )
    uneven = np.sort(RNG.uniform(0, 3, 500))
    ragged = MadeRecording(uneven, b_m=lambda t: 2 * t**2 - t + 5)
    np.testing.assert_allclose(
        compile_signal("derivative(b_m)", NAMES).values(ragged), 4 * uneven - 1, atol=1e-6
    )


@pytest.mark.parametrize("kind", ["lowpass", "highpass"])
def test_filters_are_zero_phase_with_half_power_at_cutoff(kind: str) -> None:
    rate = 200.0
    cut = 6.0
    run = MadeRecording(
        even(30.0, rate),
        a_m=lambda t: np.sin(2 * np.pi * cut * t),
        b_m=lambda t: np.sin(2 * np.pi * 2 * cut * t),
    )
    t = run.times
    middle = (t > 5) & (t < 25)
    # Two passes of order 2, bilinear: the square of a Butterworth gain whose cut-off is shifted
    # so that both passes together are 1/sqrt(2) at `cut`.
    factor = (math.sqrt(2.0) - 1.0) ** 0.25
    for name, hz in (("a_m", cut), ("b_m", 2 * cut)):
        ratio = math.tan(math.pi * hz / rate) / math.tan(math.pi * cut / rate)
        gain = (
            1 / (1 + (ratio * factor) ** 4)
            if kind == "lowpass"
            else 1 / (1 + (factor / ratio) ** 4)
        )
        if name == "a_m":
            assert gain == pytest.approx(math.sqrt(0.5))
        result = compile_signal(f"{kind}({name}, {cut})", NAMES).values(run)
        np.testing.assert_allclose(
            result[middle], gain * np.sin(2 * np.pi * hz * t[middle]), atol=1e-9
        )


@pytest.mark.parametrize("kind", ["lowpass", "highpass"])
@pytest.mark.parametrize("hz", [0.2, 5.0, 40.0])
@pytest.mark.parametrize("rows", [3, 40, 900])
def test_filters_are_scipys_in_sections(kind: str, hz: float, rows: int) -> None:
    passes = (math.sqrt(2) - 1) ** (-0.25 if kind == "lowpass" else 0.25)
    warped = passes * math.tan(math.pi * hz / 100.0)
    sections = scipy_signal.butter(2, 2 / math.pi * math.atan(warped), kind, output="sos")
    run = made_of(np.arange(rows) / 100.0)
    expected = scipy_signal.sosfiltfilt(sections, noisy(run.times), padtype="odd", padlen=rows - 1)
    got = compile_signal(f"{kind}(a_m, {hz})", NAMES).values(run)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)


def test_low_pass_equals_scipy_filtfilt() -> None:
    run = made_of(even(20.0))
    b, a = scipy_signal.butter(
        2, 2 / math.pi * math.atan(math.tan(math.pi * 0.05) / (math.sqrt(2) - 1) ** 0.25)
    )
    expected = scipy_signal.filtfilt(b, a, noisy(run.times), padlen=100)
    result = compile_signal("lowpass(a_m, 5)", NAMES).values(run)
    np.testing.assert_allclose(result[200:-200], expected[200:-200], atol=1e-12)


def test_filter_above_the_sampling_limit_is_reported() -> None:
    with pytest.raises(SignalError, match=r"100.*50 Hz"):
        compile_signal("lowpass(a_m, 50)", NAMES).values(made_of(even(1.0)))


def test_running_windows_agree_with_single_rows() -> None:
    run = made_of(even(5.0))
    t = run.times
    x = with_gaps(run.times)
    for text, figure in (("moving_mean(b_m, 0.3)", np.nanmean), ("median(b_m, 0.3)", np.nanmedian)):
        result = compile_signal(text, NAMES).values(run)
        for i in range(len(t)):
            near = x[np.abs(t - t[i]) <= 0.15 + 1e-9]
            expected = figure(near) if np.isfinite(near).any() else np.nan
            assert result[i] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_median_removes_a_spike() -> None:
    run = MadeRecording(even(1.0), a_m=lambda t: t + 100.0 * (np.abs(t - 0.5) < 1e-6))
    np.testing.assert_allclose(
        compile_signal("median(a_m, 0.05)", NAMES).values(run)[2:-2],
        run.times[2:-2],
        atol=0.0100001,
    )


def test_delay_and_value_at_a_time() -> None:
    run = MadeRecording(even(2.0), a_m=lambda t: t**2)
    late = compile_signal("delay(a_m, 0.5)", NAMES).values(run)
    assert np.isnan(late[:50]).all()
    np.testing.assert_allclose(late[50:], run.times[:-50] ** 2, atol=1e-12)
    early = compile_signal("delay(a_m, -0.5)", NAMES).values(run)
    assert np.isnan(early[-50:]).all()
    np.testing.assert_allclose(early[:-50], run.times[50:] ** 2, atol=1e-12)
    np.testing.assert_allclose(
        compile_signal("a_m - at(a_m, 1)", NAMES).values(run), run.times**2 - 1, atol=1e-12
    )
    assert np.isnan(compile_signal("a_m - at(a_m, 3)", NAMES).values(run)).all()


def test_angle_is_unwrapped_as_numpy_does() -> None:
    run = made_of(even(20.0))
    folded = compile_signal("angle_rad", NAMES).values(run)
    result = compile_signal("unwrap(angle_rad)", NAMES).values(run)
    np.testing.assert_allclose(result, np.unwrap(folded), atol=1e-11)
    in_degrees = compile_signal("unwrap(deg(angle_rad))", NAMES).values(run)
    np.testing.assert_allclose(in_degrees, np.rad2deg(np.unwrap(folded)), atol=1e-9)


def test_gaps_stay_and_an_integral_continues_after_them() -> None:
    run = MadeRecording(even(4.0), b_m=lambda t: np.where((t > 0.995) & (t < 2.005), np.nan, t))
    gap = np.isnan(compile_signal("b_m", NAMES).values(run))
    for text in (
        "lowpass(b_m, 5)",
        "integral(b_m)",
        "b_m > 1",
        "sum(b_m, 1)",
        "where(b_m > 1, 1, 0)",
    ):
        assert np.array_equal(np.isnan(compile_signal(text, NAMES).values(run)), gap), text
    sums = compile_signal("integral(b_m)", NAMES).values(run)
    np.testing.assert_allclose(sums[~gap], 0.5 * run.times[~gap] ** 2, atol=1e-12)


def test_growing_run_equals_a_complete_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("snakestudio.analysis.signals.running.BLOCK", 50)
    times = even(8.0)
    growing = made_of(times[:3])
    signal = compile_signal("integral(lowpass(a_m, 3)) + integral(a_m - at(a_m, 4))", NAMES)
    for count in range(3, len(times) + 1, 37):
        growing.times = times[:count]
        signal.values(growing)
    growing.times = times
    expected = compile_signal(signal.text, NAMES).values(made_of(times))
    np.testing.assert_allclose(signal.values(growing), expected, atol=1e-11)


def test_following_an_integral_reads_only_new_rows() -> None:
    run = made_of(even(400.0))
    signal = compile_signal("integral(a_m)", NAMES)
    signal.values(run)
    run.rows_read = 0
    signal.values(run, len(run) - 10)
    assert run.rows_read <= BLOCK + 10


def test_other_run_is_read_at_the_times_of_this_one() -> None:
    run = MadeRecording(even(2.0), a_m=lambda t: 3 * t)
    other = MadeRecording(np.linspace(0.5, 1.5, 31), a_m=lambda t: 2 * t)
    signal = compile_signal("a_m - other.a_m", NAMES, NAMES)
    assert (signal.columns, signal.other_columns) == (("a_m",), ("a_m",))
    result = signal.values(run, other=other)
    overlap = (run.times > 0.4999) & (run.times < 1.5001)
    assert np.array_equal(np.isfinite(result), overlap)
    np.testing.assert_allclose(result[overlap], run.times[overlap], atol=1e-12)
    np.testing.assert_allclose(
        compile_signal("sum(other.?_m) - mean(a_m, other.a_m)", NAMES, NAMES).values(
            run, other=other
        )[overlap],
        (2 - 2.5) * run.times[overlap],
        atol=1e-12,
    )
    with pytest.raises(SignalError, match=r"needs.*second"):
        signal.values(run)


def test_missing_column_of_a_run_is_named() -> None:
    signal = compile_signal("link_7_x_m + a_m", ("link_7_x_m", "a_m"))
    with pytest.raises(SignalError, match="'link_7_x_m'"):
        signal.values(made_of(even(1.0)))


def test_short_runs_have_values_too() -> None:
    for count in (1, 2, 3, 4):
        run = made_of(even(1.0)[:count])
        for text in ALL:
            assert compile_signal(text, NAMES).values(run).shape == (count,), text
            assert compile_signal(text, NAMES).values(run, count, count).shape == (0,)
    with pytest.raises(IndexError):
        compile_signal("a_m", NAMES).values(run, 0, 5)


def test_long_run_is_read_in_pieces() -> None:
    run = MadeRecording(even(3600.0), a_m=lambda t: np.sin(2 * np.pi * t), b_m=lambda t: t)
    result = compile_signal("lowpass(derivative(a_m), 5) + integral(b_m)", NAMES).values(run)
    assert run.most_rows < 5000
    assert len(result) == 360_001
    assert result[-1] == pytest.approx(3600.0**2 / 2, rel=1e-6)


def test_nothing_keeps_a_recording_alive() -> None:
    import weakref

    signal = compile_signal("integral(a_m)", NAMES)
    run = made_of(even(100.0))
    signal.values(run)
    reference = weakref.ref(run)
    del run
    gc.collect()
    assert reference() is None


@given(st.lists(st.integers(0, 600), min_size=2, max_size=2, unique=True), st.sampled_from(ALL))
def test_any_span_is_that_of_the_whole(span: list[int], text: str) -> None:
    run = made_of(even(6.0))
    start, stop = sorted(span)
    signal = compile_signal(text, NAMES)
    np.testing.assert_allclose(
        signal.values(run, start, stop), signal.values(run)[start:stop], rtol=0, atol=1e-11
    )


@pytest.mark.parametrize("seconds", [0.17, 0.5, 2.0, 5.0, 11.9, 12.0, 1e5, 1e300])
def test_medians_agree_with_single_windows(seconds: float) -> None:
    run = made_of(even(6.0))
    values = with_gaps(run.times)
    n = len(run.times)
    half = int(min(0.5 * seconds / float(np.median(np.diff(run.times))) + 1e-6, n))
    near = [values[max(i - half, 0) : i + half + 1] for i in range(n)]
    expected = [np.median(x[np.isfinite(x)]) if np.isfinite(x).any() else np.nan for x in near]
    np.testing.assert_array_equal(
        compile_signal(f"median(b_m, {seconds:g})", NAMES).values(run), expected
    )


@pytest.mark.parametrize("kind", ["lowpass", "highpass"])
def test_slow_filters_use_no_more_memory_than_the_run(kind: str) -> None:
    """A filter of 1e-5 Hz covers a hundred million rows, which took gigabytes for six seconds."""
    run = made_of(even(6.0))
    tracemalloc.start()
    slow = compile_signal(f"{kind}(a_m, 1e-5)", NAMES).values(run)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000
    # Values still remembered at the run's end count; so do all slower filters.
    np.testing.assert_allclose(
        slow, compile_signal(f"{kind}(a_m, 1e-7)", NAMES).values(run), atol=1e-2
    )
    if kind == "lowpass":
        assert np.ptp(slow) < 3.0


def test_too_long_windows_are_refused_with_the_limit() -> None:
    run = MadeRecording(np.arange(3_000_000) / 100.0, a_m=np.sin)
    with pytest.raises(SignalError, match=r"4000000.*0\.00\d+ Hz"):
        compile_signal("lowpass(a_m, 1e-5)", NAMES).values(run, 0, 10)
    with pytest.raises(SignalError, match=r"sorts 100001.*400 s"):
        compile_signal("median(a_m, 1000)", NAMES).values(run, 0, 10)


def test_filtered_signal_imports_no_masked_arrays() -> None:
    """Their import blocks the window, in whichever thread the signal is evaluated."""
    code = (
        "import sys; import numpy as np\n"
        "from snakestudio.analysis.signals import compile_signal\n"
        "from tests.analysis.signals.made import NAMES, MadeRecording\n"
        "recording = MadeRecording(np.arange(5000) / 100)\n"
        "compile_signal('lowpass(derivative(a_m), 2)', NAMES).values(recording, 0, 5000)\n"
        "sys.exit('numpy.ma' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
