"""Reductions of runs as text: values, units, and error messages."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.analysis.signals import REDUCTIONS, compile_reduction, compile_signal, statistics
from snakestudio.analysis.signals.signal import PIECE
from snakestudio.errors import SignalError
from snakestudio.model.columns import column_names
from tests.analysis.signals.made import SCHEMA, MadeRecording, even

NAMES = column_names(SCHEMA)
RUN = MadeRecording(
    np.linspace(0.0, 2.0, 201),
    a_m=lambda t: 2 * t,
    b_m=lambda t: t + 1,
    angle_rad=np.sin,
    force_n=lambda t: np.where(t < 0.995, np.nan, -3.0),
)


def number(text: str, run: MadeRecording = RUN) -> float:
    return compile_reduction(text, NAMES).value(run)


@pytest.mark.parametrize(
    ("text", "expected", "unit"),
    [
        ("first(b_m)", 1.0, "m"),
        ("last(a_m)", 4.0, "m"),
        ("mean(a_m)", 2.0, "m"),
        ("median(a_m)", 2.0, "m"),
        ("max(b_m)", 3.0, "m"),
        ("min(b_m)", 1.0, "m"),
        ("rms(a_m)", np.sqrt(16 / 3 + 0.0133), "m"),
        ("std(a_m)", np.sqrt(4 / 3 + 0.0133), "m"),
        ("peak_to_peak(b_m)", 2.0, "m"),
        ("integral(a_m)", 4.0, "ms"),
        ("integral(derivative(a_m))", 4.0, "m"),
        ("integral(force_n)", -3.0, "ns"),
        ("percentile(a_m, 95)", 3.8, "m"),
        ("percentile(a_m, 0)", 0.0, "m"),
        ("first(force_n)", -3.0, "n"),
        ("max(norm(?_m))", 5.0, "m"),
        ("last(a_m) - first(b_m)", 3.0, "m"),
        ("last(a_m)/last(time)", 2.0, "mps"),
        ("2*pi*last(a_m)", 8 * np.pi, "m"),
        ("sqrt(mean(a_m^2))", np.sqrt(16 / 3 + 0.0133), "m"),
        ("max(last(a_m), last(b_m), 5)", 5.0, "m"),
        ("-last(a_m)", -4.0, "m"),
        ("last(a_m) > 3", 1.0, ""),
        ("max(median(a_m, 0.1)) > 3.9", 1.0, ""),
        ("last(deg(angle_rad))", np.rad2deg(np.sin(2.0)), "deg"),
    ],
)
def test_numbers_and_units(text: str, expected: float, unit: str) -> None:
    assert number(text) == pytest.approx(expected, rel=1e-3, abs=1e-9)
    assert compile_reduction(text, NAMES).unit == unit


def test_values_are_those_of_the_strip_below_a_plot() -> None:
    values = statistics(RUN.times, np.sin(RUN.times))
    pairs = {
        "mean": values.mean,
        "rms": values.rms,
        "std": values.std,
        "max": values.maximum,
        "min": values.minimum,
    }
    for name, own in {
        **pairs,
        "peak_to_peak": values.peak_to_peak,
        "integral": values.integral,
    }.items():
        assert number(f"{name}(angle_rad)") == own, name


def test_of_some_rows_of_long_runs_and_of_two() -> None:
    figure = compile_reduction("max(a_m - other.a_m)", NAMES, NAMES)
    assert (figure.columns, figure.other_columns, figure.unit) == (("a_m",), ("a_m",), "m")
    slower = MadeRecording(RUN.times, a_m=lambda t: t)
    assert figure.value(RUN, other=slower) == pytest.approx(2.0)
    assert figure.value(RUN, 0, 101, other=slower) == pytest.approx(1.0)
    long = MadeRecording(even(3 * PIECE), a_m=lambda t: t)
    assert number("last(a_m)", long) == long.times[-1]
    assert long.most_rows < 2 * PIECE, "read by pieces"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "a_m",
            "'a_m' at character 1",
        ),
        ("last(a_m) + time", "'time' at character 13 changes with time"),
        ("3", "'3'"),
        ("percentile(a_m)", "at character 1 has 1 argument instead of 2. Write percentile(x, p)"),
        (
            "percentile(a_m, 101)",
            "character 17",
        ),
        ("max(?_m)", "'?_m' at character 5"),
        (
            "mean(last(a_m))",
            "'last' at character 6",
        ),
        ("lowpass(last(a_m), 5)", "lowpass()"),
        ("lst(a_m)", "'lst' at character 1"),
        ("last", "'last' at character 1 is a function. Write last(x)"),
        ("last(a_n)", "'a_n' at character 6"),
        ("last(other.a_m)", "'other.a_m' at character 6"),
        ("__import__('os').system('x')", "function"),
        ("last(a_m).__class__", "is not understood"),
        ("(lambda: 1)()", "function"),
        ("[a_m for a_m in a_m]", "is not understood"),
        ("log(first(a_m))", "'log(first(a_m))'"),
    ],
)
def test_errors_are_reported(text: str, sentence: str) -> None:
    with pytest.raises(SignalError) as raised:
        number(text)
    assert sentence.lower() in str(raised.value).lower()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "last(a_m) + last(force_n)",
            "'last(force_n)'",
        ),
        ("last(a_m) - 0.1*integral(a_m)", "'last(a_m)' (m) and '0.1*integral(a_m)' (m s)"),
        ("last(a_m) - last(a_m/b_m)", "'last(a_m)' (m) and 'last(a_m/b_m)' (a plain number)"),
        ("last(a_m)^3 - last(a_m)", "'last(a_m)^3' (another unit) and 'last(a_m)' (m)"),
        ("max(a_m - force_n)", "'a_m' (m) and 'force_n' (N)"),
        ("mean(a_m > force_n)", "'a_m' (m) and 'force_n' (N)"),
        ("mean(0 < a_m < force_n)", "'a_m' (m) and 'force_n' (N)"),
        ("last(a_m) % last(time)", "'last(a_m)' (m) and 'last(time)' (s)"),
        ("rms(norm(?_m, angle_rad, 3))", "'?_m' (m) and 'angle_rad' (rad)"),
        ("max(last(a_m), last(time))", "'last(a_m)' (m) and 'last(time)' (s)"),
        ("mean(where(force_n > 0, a_m, time))", "'a_m' (m) and 'time' (s)"),
        ("mean(atan2(a_m, time))", "'a_m' (m) and 'time' (s)"),
        (
            "last(angle_rad) - last(deg(angle_rad))",
            "'last(angle_rad)' (rad) and 'last(deg(angle_rad))' (°)",
        ),
    ],
)
def test_other_units_are_not_added_or_compared(text: str, sentence: str) -> None:
    with pytest.raises(SignalError) as raised:
        number(text)
    assert sentence in str(raised.value)
    if "last(" not in text:  # a plot of an older file can contain it, without a unit
        within = text[text.index("(") + 1 : -1]
        assert compile_signal(within, NAMES).unit in ("", "rad")


@pytest.mark.parametrize(
    ("text", "expected", "unit"),
    [
        ("plain(last(a_m)) - 0.1*last(plain(force_n))", 4.3, ""),
        ("last(a_m) + 1", 5.0, "m"),
        ("last(a_m*angle_rad) + last(b_m)", 4 * np.sin(2.0) + 3, ""),
        ("mean(b_m > 2 and angle_rad < 3)", 0.4975, ""),
        ("last(where(force_n < 0, a_m, 0))", 4.0, "m"),
        ("sqrt(last(a_m))^2 + last(b_m)", 7.0, "m"),
    ],
)
def test_radians_and_typed_numbers_fit_any_unit(text: str, expected: float, unit: str) -> None:
    assert number(text) == pytest.approx(expected, rel=1e-3)
    assert compile_reduction(text, NAMES).unit == unit


def test_unknown_signal_has_no_value() -> None:
    for name in REDUCTIONS:
        more = ", 50" if name == "percentile" else ""
        with pytest.raises(SignalError, match="value"):
            number(f"{name}(sqrt(-1 - a_m){more})")
