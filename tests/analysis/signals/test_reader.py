"""Expressions as text: syntax, resulting units, and error messages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.analysis.signals import FUNCTIONS, compile_signal
from snakestudio.errors import SignalError
from snakestudio.model.column_units import unit_text
from snakestudio.model.columns import column_names
from tests.analysis.signals.made import EXTRA, SCHEMA, MadeRecording, even

NAMES = column_names(SCHEMA)


def value(text: str, time: float = 0.3) -> float:
    """Value of an expression for columns that are easy to compute by hand."""
    run = MadeRecording(
        np.array([time]),
        a_m=lambda t: 2 * t,
        b_m=lambda t: t + 1,
        angle_rad=np.sin,
        force_n=lambda t: 0 * t - 3,
    )
    return float(compile_signal(text, NAMES).values(run)[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_m", 0.6),
        ("a_m + b_m", 1.9),
        ("2*a_m^2 - b_m/4", 2 * 0.36 - 0.325),
        ("-a_m", -0.6),
        ("+a_m", 0.6),
        ("a_m·b_m", 0.78),
        ("a_m × b_m", 0.78),
        ("b_m − a_m", 0.7),
        ("a_m*b_m", 0.78),
        ("time", 0.3),
        ("time_s", 0.3),
        ("pi*time", np.pi * 0.3),
        ("hypot(a_m, b_m)", np.hypot(0.6, 1.3)),
        ("norm(?_m)", np.hypot(0.6, 1.3)),
        ("norm(a_m, b_m, force_n)", np.sqrt(0.36 + 1.69 + 9)),
        ("sum(?_m, 5)", 6.9),
        ("mean([ab]_m)", 0.95),
        ("max(*_m)", 1.3),
        ("min(a_m, b_m, 0)", 0.0),
        ("abs(force_n)", 3.0),
        ("sign(force_n)", -1.0),
        ("sqrt(a_m)", np.sqrt(0.6)),
        ("deg(angle_rad)", np.rad2deg(np.sin(0.3))),
        ("rad(a_m)", np.deg2rad(0.6)),
        ("atan2(a_m, b_m)", np.arctan2(0.6, 1.3)),
        ("sin(a_m) + cos(b_m)", np.sin(0.6) + np.cos(1.3)),
        ("exp(a_m) - log(b_m)*log10(b_m)", np.exp(0.6) - np.log(1.3) * np.log10(1.3)),
        ("a_m % 0.25", 0.1),
        ("a_m < b_m", 1.0),
        ("a_m > b_m", 0.0),
        ("0 < a_m < b_m <= 2", 1.0),
        ("0 < a_m < 0.1 <= 2", 0.0),
        ("a_m < 1 and b_m < 1", 0.0),
        ("a_m < 1 or b_m < 1", 1.0),
        ("not a_m < 1", 0.0),
        ("a_m == a_m", 1.0),
        ("where(force_n < 0, a_m, b_m)", 0.6),
        ("where(force_n > 0, a_m, b_m)", 1.3),
        ("  a_m\n+ 1 ", 1.6),
        ("sum(link_*_x_m, a_m)", 0.6),
        ("norm(link_1_v?_mps)", 0.0),
        ("tan(a_m)/tanh(a_m)", np.tan(0.6) / np.tanh(0.6)),
        ("1e-3*a_m", 6e-4),
        ("a_m*(2*3 - max(1, 4))", 1.2),
    ],
)
def test_text_is_evaluated(text: str, expected: float) -> None:
    assert value(text) == pytest.approx(expected, rel=1e-14, abs=1e-300)


@pytest.mark.parametrize(
    ("text", "unit", "label"),
    [
        ("a_m", "m", "m"),
        ("a_m + b_m", "m", "m"),
        ("a_m + 1", "m", "m"),
        ("2*a_m", "m", "m"),
        ("a_m/b_m", "", ""),
        ("derivative(a_m)", "mps", "m/s"),
        ("derivative(derivative(a_m))", "mps2", "m/s²"),
        ("a_m*b_m", "m2", "m²"),
        ("derivative(angle_rad)", "radps", "rad/s"),
        ("deg(angle_rad)", "deg", "°"),
        ("force_n/a_m", "npm", "N/m"),
        ("joint_1_yaw_torque_nm*joint_1_yaw_rate_radps", "w", "W"),
        ("joint_1_yaw_torque_nm*angle_rad", "j", "J"),
        ("integral(force_n)", "ns", "N s"),
        ("integral(force_n*link_1_vx_mps)", "j", "J"),
        ("sin(angle_rad)", "", ""),
        ("atan2(a_m, b_m)", "rad", "rad"),
        ("sqrt(a_m^2 + b_m^2)", "m", "m"),
        ("norm(link_1_v?_mps)", "mps", "m/s"),
        ("lowpass(a_m, 5)", "m", "m"),
        ("delay(force_n, 1)", "n", "N"),
        ("a_m - at(a_m, 0)", "m", "m"),
        ("a_m + force_n", "", ""),
        ("contacts_closed", "", ""),
        ("a_m*angle_rad", "m", "m"),
        ("1/time", "hz", "Hz"),
        ("where(a_m > 0, a_m, b_m)", "m", "m"),
        ("where(a_m > 0, angle_rad, 0)", "rad", "rad"),
        ("where(a_m > 0, 1, 0)", "", ""),
        ("deg(derivative(angle_rad))", "degps", "°/s"),
        ("rad(deg(derivative(angle_rad)))", "radps", "rad/s"),
        ("a_m > b_m", "", ""),
        ("link_1_vx_mps*angle_rad", "mps", "m/s"),
        ("other.a_m - a_m", "m", "m"),
        ("energy_kinetic_j", "j", "J"),
    ],
)
def test_units_follow_the_endings(text: str, unit: str, label: str) -> None:
    result = compile_signal(text, NAMES, NAMES).unit
    assert (result, unit_text(result)) == (unit, label)


@pytest.mark.parametrize(
    ("text", "marked", "says"),
    [
        ("2*a_m + link_1_xm", "link_1_xm", "Did you mean link_1_x_m"),
        ("b_m + other.a_m", "other.a_m", "second run"),
        ("sun(a_m, b_m)", "sun", "sum"),
        ("lowpas(a_m, 2)", "lowpas", "Did you mean lowpass"),
        ("lowpass(a_m)", "lowpass(a_m)", "Write lowpass(x, hz)"),
        ("1 + lowpass(a_m, 0)", "0", "positive"),
        ("lowpass(a_m, b_m)", "b_m", "plain number"),
        ("link_*_x_m", "link_*_x_m", "sum(link_*_x_m)"),
        ("sum(foo_*_m)", "foo_*_m", "matches no column"),
        ("max(a_m)", "max(a_m)", "several"),
        ("sin", "sin", "Write sin"),
        ("a_m + sqrt(-1)", "sqrt(-1)", "not finite"),
        ("a_m + 1/0", "1/0", "not finite"),
        ("2 + a_m(3)", "a_m", "Write * between"),
        ("a_m // 2", "a_m // 2", "+ - * / ^"),
        ("a_m, b_m", "a_m, b_m", "point"),
        ("a_m[0]", "a_m[0]", "several columns"),
        ("a_m.b_m", "a_m.b_m", "other."),
        ("abs(x=1)", "abs(x=1)", "abs(x)"),
        ("abs(*a_m)", "abs(*a_m)", "abs(x)"),
        ("'a' + a_m", "'a'", "understood"),
        ("a_m + ½", "½", "understood"),
        ("(lambda: 1)() + a_m", "lambda: 1", "not a function"),
        ("a_m in b_m", "a_m in b_m", "< <= > >= == !="),
        ("a_m + 1e999", "1e999", "finite"),
        ("a_m if b_m else 1", "a_m if b_m else 1", "understood"),
        ("~a_m", "~a_m", "not"),
        ("sum(other.*_m, 1)", "other.*_m", "second run"),
        ("a_m + __import__('os')", "__import__", "not a function"),
    ],
)
def test_error_is_reported_with_position_and_remedy(text: str, marked: str, says: str) -> None:
    with pytest.raises(SignalError) as caught:
        compile_signal(text, NAMES)
    error = caught.value
    assert text[error.start : error.stop] == marked
    assert says in str(error)
    assert error.remedy
    assert str(error).endswith((".", "?"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "a_m +",
        "(a_m",
        "a_m b_m",
        "1 + 2",
        "pi",
        "a_m # x",
        "a_m;",
        "a" * 2001,
        "-" * 1000 + "a_m",
        "(" * 300,
        "sum()",
        "x := a_m",
        "\x00",
        "\ud800",
        "[a_m]",
        "a_m = 1",
    ],
)
def test_text_without_a_signal_is_refused(text: str) -> None:
    with pytest.raises(SignalError) as caught:
        compile_signal(text, NAMES)
    assert caught.value.remedy


def test_position_of_a_syntax_error_refers_to_the_text() -> None:
    with pytest.raises(SignalError) as caught:
        compile_signal("a_m^2 + b_m^^2", NAMES)
    assert caught.value.start == "a_m^2 + b_m^^2".index("^^") + 1


@given(st.text(alphabet="ab_m*?[]().,+-^ 12other<=lowpas", max_size=30))
def test_any_text_is_a_signal_or_reported(text: str) -> None:
    refused = None
    try:
        signal = compile_signal(text, NAMES, NAMES)
    except SignalError as error:
        refused = error
    if refused is None:
        assert signal.values(MadeRecording(even(0.1)), other=MadeRecording(even(0.1))).shape == (
            11,
        )
    else:
        assert refused.message
        assert refused.remedy
        assert 0 <= refused.start <= max(refused.stop, len(text))


def test_every_function_can_be_called_by_its_signature() -> None:
    run = MadeRecording(even(1.0), a_m=np.cos, b_m=np.sin)
    numbers = {"hz": "5", "s": "0.1", "t": "0.5"}
    for name, function in FUNCTIONS.items():
        inside = function.signature[len(name) + 1 : -1].replace(", ...", "")
        arguments = [numbers.get(a.strip(), "a_m") for a in inside.split(",")]
        signal = compile_signal(f"{name}({', '.join(arguments)})", NAMES)
        assert signal.values(run).shape == (101,), name
        assert function.help
        assert signal.columns == ("a_m",)
    assert set(EXTRA) < set(NAMES)
