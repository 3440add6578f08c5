"""Deadlines keep their phase, and missed ones are skipped: nothing is sent twice to catch up."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.link.core.sender import Deadlines, SendTimes


def test_deadlines_keep_their_phase() -> None:
    deadlines = Deadlines(0.1)
    deadlines.start(5.0)
    assert deadlines.next_due(5.0) == (0.0, 0)
    assert deadlines.next_due(5.05) is None
    late, skipped = deadlines.next_due(5.13) or (math.nan, -1)
    assert (late, skipped) == (pytest.approx(0.03), 0)
    assert deadlines.next == pytest.approx(5.2)


def test_missed_deadlines_are_skipped() -> None:
    deadlines = Deadlines(0.1)
    deadlines.start(0.0)
    deadlines.next_due(0.0)
    late, skipped = deadlines.next_due(0.42) or (math.nan, -1)
    assert (late, skipped) == (pytest.approx(0.02), 3)
    assert deadlines.next_due(0.42) is None
    assert deadlines.next == pytest.approx(0.5)


def test_set_points_are_never_sent_close_together() -> None:
    deadlines = Deadlines(0.1)
    deadlines.start(0.0)
    deadlines.next_due(0.0)
    assert deadlines.next_due(0.19) == (pytest.approx(0.09), 1)
    assert deadlines.next == pytest.approx(0.3)


def test_slow_transmission_keeps_the_distance_to_the_next() -> None:
    deadlines = Deadlines(0.1)
    assert deadlines.sending_ended(3.0) == 0  # it does not run
    deadlines.start(0.0)
    deadlines.next_due(0.0)
    assert deadlines.sending_ended(0.04) == 0
    assert deadlines.next == pytest.approx(0.1)
    assert deadlines.next_due(0.13) == (pytest.approx(0.03), 0)
    assert deadlines.sending_ended(0.16) == 1  # 0.2 is at most 0.04 s away
    assert deadlines.next == pytest.approx(0.3)
    assert deadlines.next_due(0.31) == (pytest.approx(0.01), 0)
    assert deadlines.sending_ended(0.76) == 5  # 0.4 to 0.7 have passed, and 0.8 is too close
    assert deadlines.next == pytest.approx(0.9)


def test_no_deadline_before_start_and_after_end() -> None:
    deadlines = Deadlines(0.1)
    assert deadlines.next_due(1.0) is None
    deadlines.start(1.0)
    deadlines.stop()
    assert deadlines.next_due(9.0) is None
    assert deadlines.next == math.inf


_TIMES = st.lists(st.tuples(st.floats(0.0, 0.5), st.just(0.0) | st.floats(0.0, 0.5)), max_size=60)


@given(_TIMES, st.sampled_from([0.1, 0.01]), st.floats(0, 1e6))
def test_irregular_polling_never_sends_a_burst(
    times: list[tuple[float, float]], period: float, begin: float
) -> None:
    """Each deadline is at least half a period after the previous frame; with skipped ones they account for the time."""
    deadlines = Deadlines(period)
    deadlines.start(begin)
    now = begin
    left = -math.inf
    sent = 0
    skipped = 0
    for wait, took in times:
        now += wait
        if (due := deadlines.next_due(now)) is not None:
            assert now - left >= period / 2 - 1e-6
            assert 0.0 <= due[0] < period + 1e-6
            now += took
            sent = sent + 1
            left = now
            skipped = skipped + due[1] + deadlines.sending_ended(now)
    assert begin + (sent + skipped) * period == pytest.approx(deadlines.next)


def test_statistics_cover_the_last_ten_seconds() -> None:
    """By hand: 101 periods of 0.1 s, one of them sent 40 ms late, are in the last 10 s."""
    times = SendTimes()
    times.add(0.0, 0.5, 7)
    for index in range(1, 202):
        late = 0.04 if index == 150 else 0.001
        times.add(0.1 * index + late, late, 0)
    mean, p99, gap = times.statistics()
    assert mean == pytest.approx(0.1, rel=1e-3)
    assert p99 == pytest.approx(0.001)
    assert gap == pytest.approx(0.139)
    assert times.skipped == 7


def test_statistics_without_cycles_are_empty() -> None:
    assert all(math.isnan(figure) for figure in SendTimes().statistics())
