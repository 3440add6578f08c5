"""How far a preparation is: by the clock between what it tells, never back, never done before it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.session import compile_schedule
from snakestudio.session.compile_schedule import Progressing, Recorder, Schedule, expected
from snakestudio.session.time_left import TimeLeft, percent, time_left


def test_between_what_is_told_it_goes_by_the_clock() -> None:
    left = TimeLeft(100.0, 0.0)
    assert (left.fraction(0.0), left.seconds(0.0)) == (0.0, 100.0)
    left.told(0.1, 10.0)
    assert left.fraction(10.0) == pytest.approx(0.1)
    assert left.fraction(15.0) == pytest.approx(0.15)
    assert left.seconds(15.0) == pytest.approx(85.0)


@pytest.mark.parametrize("slower", [0.25, 3.0])
def test_it_learns_the_pace_of_the_machine(slower: float) -> None:
    left = TimeLeft(100.0, 0.0)
    for tenth in range(1, 8):
        left.told(tenth / 10, slower * 10 * tenth)
    assert left.seconds(slower * 70) == pytest.approx(slower * 30, rel=0.25)
    assert left.fraction(slower * 75) == pytest.approx(0.75, abs=0.03)


def test_one_long_phase_at_the_end_is_not_done_before_it_is() -> None:
    left = TimeLeft(20.0, 0.0)
    left.told(0.4, 8.0)
    shown = [left.fraction(8.0 + second) for second in range(60)]
    assert shown == sorted(shown)
    assert shown[6] == pytest.approx(0.7)
    assert left.seconds(19.0) == pytest.approx(1.0)
    assert left.seconds(25.0) is None, "nobody knows how much longer than expected it takes"
    assert 0.97 < shown[-1] <= 0.99
    left.told(1.0, 68.0)
    assert left.fraction(68.0) == 1.0


def test_what_ran_ahead_waits_and_does_not_go_back() -> None:
    left = TimeLeft(10.0, 0.0)
    before = left.fraction(8.0)
    left.told(0.2, 8.0)
    assert left.fraction(8.0) == before
    assert left.seconds(8.0) == pytest.approx(0.8 * (0.12 * 10.0 + 8.0) / (0.12 + 0.2))


def test_another_priority_is_another_pace() -> None:
    left = TimeLeft(20.0, 0.0)
    left.told(0.1, 100.0)  # while nobody waited, it got little of the processor
    shown = left.fraction(100.0)
    left.begin_again(100.0)
    assert left.fraction(100.0) == pytest.approx(shown)
    assert left.seconds(100.0) == pytest.approx(20.0 * (1.0 - shown), rel=0.01)


@given(st.lists(st.tuples(st.floats(0.0, 30.0), st.floats(0.0, 1.0)), max_size=12), st.floats(0.1, 300.0))
def test_it_never_goes_back(told: list[tuple[float, float]], seconds: float) -> None:
    left, now, shown = TimeLeft(seconds, 0.0), 0.0, 0.0
    for passed, fraction in told:
        now += passed
        for at in (now - passed / 2, now):
            assert left.fraction(at) >= shown
            shown = left.fraction(at)
        left.told(fraction, now)
        assert shown <= left.fraction(now) <= (1.0 if fraction == 1.0 or shown == 1.0 else 0.99)
        shown = left.fraction(now)
        assert (left.seconds(now) or 0.0) >= 0.0


def test_what_it_says_it_is_doing_becomes_a_share_of_the_time() -> None:
    progressing = Progressing(Schedule(40.0, (("load", 0.0), ("helper", 4.0), ("step", 10.0), ("helper", 30.0))))
    told = [("load", 0.0), ("helper", 0.3), ("unheard of", 0.6), ("step", 0.9), ("helper", 0.92)]
    assert [progressing.fraction(*one) for one in told] == [0.0, 0.1, 0.1, 0.25, 0.75]
    assert Progressing(Schedule(40.0)).fraction("anything", 0.3) == 0.3, "without times, what it counts"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a program that knows two engines."""
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path))
    shipped = {"a": Schedule(20.0, (("begin", 0.0), ("end", 15.0))), "b": Schedule(60.0, (("begin", 0.0),))}
    monkeypatch.setattr(compile_schedule, "_shipped", lambda: shipped)
    return tmp_path


def test_this_machine_is_remembered(folder: Path) -> None:
    assert expected("a").seconds == 20.0
    recorder = Recorder(100.0)
    recorder.note("begin", 101.0)
    recorder.note("end", 125.0)
    recorder.note("end", 130.0)
    recorder.keep("a", 140.0)
    assert expected("a") == Schedule(40.0, (("begin", 1.0), ("end", 25.0)))
    assert expected("b") == Schedule(120.0, (("begin", 0.0),)), "the machine takes twice as long"
    assert expected("never heard of").seconds > 0.0
    assert [path.name for path in folder.iterdir()] == ["preparation_times.json"]


def test_times_of_another_program_say_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Recorder(0.0).keep("a", 40.0)
    monkeypatch.setattr(compile_schedule, "_shipped", lambda: {"a": Schedule(5.0), "b": Schedule(9.0)})
    assert (expected("a").seconds, expected("b").seconds) == (5.0, 9.0)


@pytest.mark.parametrize(
    "text", ["", "[1]", '{"a": 3}', '{"a": {"seconds": "x", "marks": []}}', '{"a": {"seconds": 0}}']
)
def test_a_damaged_file_is_no_file(folder: Path, text: str) -> None:
    (folder / "preparation_times.json").write_text(text)
    assert expected("a").seconds == 20.0
    Recorder(0.0).keep("a", 40.0)
    assert json.loads((folder / "preparation_times.json").read_text())["a"]["seconds"] == 40.0


def test_words() -> None:
    assert percent(0.9999) == "99 %"
    told = [time_left(seconds) for seconds in (None, 0.2, 9.2, 57.0, 59.0, 61.0, 83.0, 7200.0)]
    assert told == [
        "longer than expected", "1 s left", "9 s left", "57 s left", "1 min left", "1 min left", "1 min 25 s left",
        "2.0 h left",
    ]  # fmt: skip
