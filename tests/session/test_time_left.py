"""Progress of a preparation: it advances with time between reports, never backwards, and ends only with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.session.time_left import TimeLeft, percent, time_left


def test_progress_advances_between_reports() -> None:
    left = TimeLeft(100.0, 0.0)
    assert (left.fraction(0.0), left.seconds(0.0)) == (0.0, 100.0)
    left.update(0.1, 10.0)
    assert left.fraction(10.0) == pytest.approx(0.1)
    assert left.fraction(15.0) == pytest.approx(0.15)
    assert left.seconds(15.0) == pytest.approx(85.0)


@pytest.mark.parametrize("slower", [0.25, 3.0])
def test_estimate_adapts_to_the_machine(slower: float) -> None:
    left = TimeLeft(100.0, 0.0)
    for tenth in range(1, 8):
        left.update(tenth / 10, slower * 10 * tenth)
    assert left.seconds(slower * 70) == pytest.approx(slower * 30, rel=0.25)
    assert left.fraction(slower * 75) == pytest.approx(0.75, abs=0.03)


def test_long_last_phase_is_not_reported_as_done() -> None:
    left = TimeLeft(20.0, 0.0)
    left.update(0.75, 15.0)
    fractions = [left.fraction(15.0 + second) for second in range(60)]
    assert fractions == sorted(fractions)
    assert fractions[3] == pytest.approx(0.9)
    assert left.seconds(19.0) == pytest.approx(1.0)
    assert left.seconds(25.0) is None, "nobody knows how much longer than expected it takes"
    assert 0.97 < fractions[-1] <= 0.99
    left.update(1.0, 75.0)
    assert left.fraction(75.0) == 1.0


def test_busy_machine_does_not_show_almost_done() -> None:
    left = TimeLeft(8.0, 0.0)
    assert left.fraction(60.0) == pytest.approx(0.25), "nothing was told yet"
    left.update(0.1, 60.0)
    assert left.fraction(60.0) == pytest.approx(0.25)
    assert left.fraction(600.0) == pytest.approx(0.35)


def test_progress_ahead_of_reports_waits() -> None:
    left = TimeLeft(10.0, 0.0)
    before = left.fraction(8.0)
    left.update(0.2, 8.0)
    assert left.fraction(8.0) == before
    assert left.seconds(8.0) == pytest.approx(0.8 * (0.12 * 10.0 + 8.0) / (0.12 + 0.2))


@given(
    st.lists(st.tuples(st.floats(0.0, 30.0), st.floats(0.0, 1.0)), max_size=12),
    st.floats(0.1, 300.0),
)
def test_progress_never_decreases(reports: list[tuple[float, float]], seconds: float) -> None:
    left = TimeLeft(seconds, 0.0)
    now = 0.0
    largest = 0.0
    for passed, fraction in reports:
        now += passed
        for at in (now - passed / 2, now):
            assert left.fraction(at) >= largest
            largest = left.fraction(at)
        left.update(fraction, now)
        assert largest <= left.fraction(now) <= (1.0 if fraction == 1.0 or largest == 1.0 else 0.99)
        largest = left.fraction(now)
        assert (left.seconds(now) or 0.0) >= 0.0


def test_text_of_the_time_left() -> None:
    assert percent(0.9999) == "99 %"
    assert "slower" in time_left(None)
    reports = [time_left(seconds) for seconds in (0.2, 9.2, 57.0, 59.0, 61.0, 83.0, 7200.0)]
    assert reports == [
        "1 s left",
        "9 s left",
        "57 s left",
        "1 min left",
        "1 min left",
        "1 min 25 s left",
        "2.0 h left",
    ]
