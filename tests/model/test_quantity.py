"""Typed numbers with units: conversions from a table, and messages for text that is not a number."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.model.formula.quantity import FACTOR, NumberTextError, is_unfinished, parse_number


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("0.25", "m", 0.25),
        ("12cm", "m", 0.12),
        ("12 cm + 3mm", "m", 0.123),
        ("1/3", "m", 1 / 3),
        ("1/4in", "m", 0.00635),
        ("-0.1*2", "m", -0.2),
        ("2*(3cm - 10mm)", "m", 0.04),
        ("0,5 m", "mm", 500.0),
        ("1e-3m", "m", 0.001),
        ("3 ft", "m", 0.9144),
        ("5µm", "m", 5e-6),
        ("30deg", "°", 30.0),
        ("pi/6 rad", "°", 30.0),
        ("(pi/2)rad", "°", 90.0),
        ("45 °", "°", 45.0),
        ("250ms", "s", 0.25),
        ("150%", FACTOR, 1.5),
        ("1.5", FACTOR, 1.5),
        ("2 N s/m", "N s/m", 2.0),
    ],
)
def test_units_are_converted(text: str, unit: str, value: float) -> None:
    assert parse_number(text, unit) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "unit", "sentence"),
    [
        ("30deg", "m", "“deg”"),
        ("3 cm", "°", "“cm”"),
        ("cm", "m", "“cm”"),
        ("3 apples", "", "“apples”"),
        ("1/0 cm", "m", "divides"),
        ("1..2", "m", "“1..2”"),
        ("2 3", "m", "“2 3”"),
        ("", "m", "Type a number."),
        ("cm 3", "m", "“cm 3”"),
        ("open('x')", "m", "“open('x')”"),
        ("9**9**9", "m", "number"),
    ],
)
def test_invalid_text_is_reported(text: str, unit: str, sentence: str) -> None:
    with pytest.raises(NumberTextError) as refusal:
        parse_number(text, unit)
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("text", ["", "-", "1/", "2*(", "2*(3", "0.", "12c", "1e", "1 + ", "3 p"])
def test_unfinished_text_is_recognized(text: str) -> None:
    assert is_unfinished(text, "m")


@pytest.mark.parametrize("text", ["1..2", "12cm", "3x", "30deg", "1 2"])
def test_complete_or_invalid_text_is_not_unfinished(text: str) -> None:
    assert not is_unfinished(text, "m")


@given(st.text(max_size=12))
def test_any_text_is_a_number_or_reported(text: str) -> None:
    try:
        value = parse_number(text, "m")
        sentence = ""
    except NumberTextError as refusal:
        value = 0.0
        sentence = str(refusal)
    assert math.isfinite(value)
    assert not sentence or sentence.endswith(".")


@given(
    st.floats(-1e6, 1e6),
    st.sampled_from([("cm", 0.01), ("mm", 0.001), ("km", 1000.0), ("in", 0.0254)]),
)
def test_unit_is_a_factor(value: float, unit: tuple[str, float]) -> None:
    assert parse_number(f"{value!r} {unit[0]}", "m") == pytest.approx(value * unit[1], rel=1e-12)
