"""Playback of a recording: the right row at the right time, without bursts, in loops and spans."""

from __future__ import annotations

import math

import pytest

from snakestudio.model.scene import Scene
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.replay import FASTEST, Replay
from tests.gui.fake import make_recording, make_rows


class Wall:
    """A clock that is set manually."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def replay(wall: Wall) -> Replay:
    return Replay(make_recording(Scene(), 301), "test", wall)  # 3 s


def looked(replay: Replay, wall: Wall, seconds: float) -> int:
    """Return the row due after some time, polled 60 times a second like a display."""
    for _ in range(round(seconds * 60)):
        wall.now += 1 / 60
        replay.advance()
    return replay.advance()


def test_rows_are_due_at_wall_clock_pace(replay: Replay, wall: Wall) -> None:
    assert (replay.advance(), replay.playing) == (0, False)
    replay.play()
    assert looked(replay, wall, 1.0) == pytest.approx(100, abs=1)
    replay.set_speed(0.5)
    assert looked(replay, wall, 1.0) == pytest.approx(150, abs=1)
    replay.pause()
    assert looked(replay, wall, 1.0) == pytest.approx(150, abs=1)


def test_lost_time_is_skipped(replay: Replay, wall: Wall) -> None:
    replay.play()
    looked(replay, wall, 0.5)
    wall.now += 60.0  # the computer was suspended
    assert replay.advance() <= 76
    assert replay.playing


def test_playback_stops_at_the_end_and_restarts(replay: Replay, wall: Wall) -> None:
    replay.play()
    assert looked(replay, wall, 4.0) == 300
    assert not replay.playing
    replay.play()
    assert replay.advance() == 0


def test_span_is_played_and_looped(replay: Replay, wall: Wall) -> None:
    replay.set_span(begin=1.0)
    replay.set_span(end=2.0)
    replay.play()
    assert replay.advance() == 100
    assert looked(replay, wall, 1.5) == 200
    replay.loop = True
    replay.play()
    assert looked(replay, wall, 2.25) == pytest.approx(125, abs=1)
    assert replay.playing
    replay.clear_span()
    assert (replay.begin, replay.end) == (0.0, 3.0)


def test_crossing_marks_move_each_other(replay: Replay) -> None:
    replay.set_span(begin=2.0)
    replay.set_span(end=1.0)
    assert (replay.begin, replay.end) == (0.0, 1.0)
    replay.set_span(begin=1.5)
    assert (replay.begin, replay.end) == (1.5, 3.0)


def test_seek_and_step_go_to_rows(replay: Replay, wall: Wall) -> None:
    replay.play()
    replay.seek(2.0)
    assert looked(replay, wall, 0.5) == pytest.approx(250, abs=1)
    assert replay.step(-1) == pytest.approx(249, abs=1)
    assert not replay.playing
    replay.seek(99.0)
    assert (replay.step(5), replay.step(-1000)) == (300, 0)


def test_maximum_speed_shows_frames(replay: Replay, wall: Wall) -> None:
    replay.set_speed(math.inf)
    replay.play()
    wall.now += 0.01
    assert replay.advance() == round(0.01 * FASTEST * 100)


def test_growing_recording_is_played_further(wall: Wall) -> None:
    recording = make_recording(Scene(), 51)
    replay = Replay(recording, clock=wall)
    replay.play()
    looked(replay, wall, 0.4)
    recording.append(make_rows(Scene(), 51, 201))
    assert looked(replay, wall, 1.0) == pytest.approx(140, abs=1)


def test_empty_recording_does_not_play(wall: Wall) -> None:
    recording = make_recording(Scene(), 1)
    replay = Replay(RunRecording(Scene(), recording.schema), clock=wall)
    replay.play()
    assert not replay.playing
