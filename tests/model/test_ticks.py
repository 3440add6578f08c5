"""Round steps and ticks: never too close, always multiples, with enough digits to distinguish them."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.model.ticks import (
    decade_texts,
    decades,
    decimals_of,
    multiples,
    power_text,
    round_steps,
    step_above,
    step_below,
    tick_step,
    tick_text,
)

SIZES = st.floats(1e-12, 1e12)


@given(SIZES)
def test_step_above_and_below_are_round_and_next_to_each_other(size: float) -> None:
    above = step_above(size)
    below = step_below(size)
    for step in (above, below):
        assert f"{step:.12e}"[0] in "125"
        assert float(f"{step:.12e}".partition("e")[0]) == pytest.approx(float(f"{step:.0e}"[0]))
    assert below <= size * (1 + 2e-9)
    assert above >= size * (1 - 2e-9)
    assert above / below <= 2.5 + 1e-6


@pytest.mark.parametrize("size", [0.0, -1.0, math.nan, math.inf, 5e-324, 1e308])
def test_step_without_a_positive_number_is_one(size: float) -> None:
    assert step_above(size) == step_below(size) == 1.0


def test_ticks_of_values_of_unusual_size_end() -> None:
    assert multiples(-1e308, 1e308, 1.0) == []
    assert len(decades(1e-305, 1e308, 5)) <= 5


def test_round_steps_ascend_through_the_decades() -> None:
    assert list(itertools.islice(round_steps(0.3), 5)) == pytest.approx([0.5, 1.0, 2.0, 5.0, 10.0])
    assert list(itertools.islice(round_steps(0.3, (1.0, 2.5)), 3)) == pytest.approx(
        [1.0, 2.5, 10.0]
    )


@given(SIZES, st.floats(40.0, 3000.0), st.floats(8.0, 40.0))
def test_ticks_are_at_least_so_far_apart(span: float, size: float, apart: float) -> None:
    assert tick_step(span, size, apart) / span * size >= apart * (1 - 1e-6)
    assert 2.0 <= span / tick_step(span, size, 0.0) <= 30.0


@given(st.floats(-1e3, 1e3), SIZES)
def test_multiples_are_in_the_range_with_distinct_texts(begin: float, span: float) -> None:
    low = begin * span
    high = (begin + 1.0) * span
    step = tick_step(span, 300.0, 12.0)
    values = multiples(low, high, step)
    assert all(low - 1e-6 * step <= value <= high + 1e-6 * step for value in values)
    texts = [tick_text(value, step) for value in values]
    assert len(set(texts)) == len(texts) > 1
    if 1e-4 <= step < 1e6:
        assert [float(text.replace("−", "-")) for text in texts] == pytest.approx(
            values, abs=1e-6 * step
        )


def test_tick_texts_have_the_digits_of_the_step() -> None:
    assert [tick_text(value, 0.05) for value in (-0.25, 0.0, 0.1)] == ["−0.25", "0", "0.10"]
    assert tick_text(1234567.0, 1.0) == "1234567"
    assert [tick_text(value, 2e-5) for value in (-4e-5, 1e-4, 1.2e-4)] == [
        "−4·10⁻⁵",
        "10⁻⁴",
        "1.2·10⁻⁴",
    ]
    assert tick_text(3e6, 1e6) == "3·10⁶"
    assert [decimals_of(step) for step in (0.005, 0.1, 1.0, 50.0)] == [3, 1, 0, 0]


def test_decades_get_finer_with_the_space() -> None:
    assert decades(0.01, 1.0, 9) == pytest.approx([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])
    assert decades(0.01, 1.0, 5) == pytest.approx([0.01, 0.03, 0.1, 0.3, 1.0])
    assert decades(0.01, 1.0, 3) == pytest.approx([0.01, 0.1, 1.0])
    assert decades(1e-9, 1.0, 4) == pytest.approx([1e-9, 1e-6, 1e-3, 1.0])
    assert len(decades(2.1, 4.9, 5)) < 2


def test_texts_of_decades_are_all_plain_or_all_powers() -> None:
    assert decade_texts([0.01, 0.1, 1.0]) == ["0.01", "0.1", "1"]
    assert decade_texts([1e-6, 1e-3, 1.0]) == ["10⁻⁶", "10⁻³", "10⁰"]
    assert power_text(-2e-7) == "−2·10⁻⁷"
    assert power_text(0.0) == "0"
