"""Arithmetic of the track: visible span, positions of marks, and merging of marks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.gui.runs.timeline.moments import Moment, clustered
from snakestudio.viewmodel.timeline.scale import TimeScale, time_step


def scale_of(width: float, duration: float) -> TimeScale:
    scale = TimeScale(10)
    scale.fit(width, duration)
    return scale


@given(
    st.floats(1.0, 7200.0),
    st.lists(
        st.tuples(st.floats(0.01, 5.0), st.floats(0.0, 1.0), st.floats(-1.0, 1.0)), max_size=8
    ),
)
def test_visible_span_stays_in_the_run(
    duration: float, moves: list[tuple[float, float, float]]
) -> None:
    scale = scale_of(500, duration)
    for factor, about, pan in moves:
        time = scale.begin + about * (scale.end - scale.begin)
        x = scale.x_of(time)
        scale.zoom(factor, time)
        assert 0.0 <= scale.begin < scale.end <= duration * (1 + 1e-9)
        if scale.zoomed and scale.begin > 0.0 and scale.end < duration:
            assert scale.x_of(time) == pytest.approx(x, abs=1e-3)
        scale.pan(pan * duration)
        assert 0.0 <= scale.begin < scale.end <= duration * (1 + 1e-9)
    for fraction in (0.0, 0.3, 1.0):
        time = scale.begin + fraction * (scale.end - scale.begin)
        assert scale.time_at(scale.x_of(time)) == pytest.approx(time, abs=1e-6 * duration)


def test_page_advances_when_the_time_leaves_it() -> None:
    scale = scale_of(520, 3600.0)
    scale.zoom(0.01, 100.0)
    assert not scale.reveal(100.0)
    length = scale.end - scale.begin
    assert scale.reveal(scale.end + 1.0)
    assert scale.end - scale.begin == pytest.approx(length)
    assert scale.reveal(0.0)
    assert scale.begin == 0.0


@pytest.mark.parametrize(
    ("least", "step"),
    [
        (0.013, 0.02),
        (0.02, 0.02),
        (0.3, 0.5),
        (7.0, 10.0),
        (25.0, 50.0),
        (31.0, 60.0),
        (5000.0, 7200.0),
    ],
)
def test_track_ticks_are_round(least: float, step: float) -> None:
    assert time_step(least) == pytest.approx(step)


def test_ticks_are_visible_and_do_not_overlap() -> None:
    scale = scale_of(620, 30.0)
    times = scale.ticks(60.0)
    assert times[0] == 0.0
    assert times[-1] == 30.0
    assert all(scale.x_of(b) - scale.x_of(a) >= 60.0 for a, b in pairwise(times))


def test_nearby_events_are_one_mark_of_the_worst_kind() -> None:
    moments = [
        Moment(1.0, "impact", "a"),
        Moment(1.5, "fault", "b"),
        Moment(1.6, "impact", "c"),
        Moment(8.0, "note", "d"),
    ]
    first, second = clustered(moments, lambda time: 10 * time, 10.0)
    assert (first.x, first.kind, first.first.text) == (13.0, "fault", "b")
    assert first.lines() == ["1.000 s: a", "1.500 s: b", "1.600 s: c"]
    assert (second.x, second.kind, second.moments) == (80.0, "note", (moments[3],))
    many = [Moment(0.01 * i, "impact" if i % 3 else "jam", "x") for i in range(100)]
    (only,) = clustered(many, lambda time: time, 10.0)
    assert only.lines() == ["0.000 s to 0.990 s", "34 jams, 66 impacts"]
