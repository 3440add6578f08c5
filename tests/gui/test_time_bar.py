"""The time bar: scrubbing, keys, the way back to the newest state, and what it marks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from snakestudio.gui.main_window import MainWindow

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def at(window: MainWindow, time: float) -> QPoint:
    track = window.time_bar.track
    return QPoint(round(track.x_of(time)), track.height() // 2)


def test_a_click_looks_at_that_moment(recorded: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(recorded.time_bar.track, LEFT, NONE, at(recorded, 0.5))
    assert not recorded.bridge.live
    assert recorded.bridge.displayed is not None
    assert recorded.bridge.displayed.time == pytest.approx(0.5, abs=0.011)
    assert recorded.time_bar.live.isEnabled()
    qtbot.waitUntil(lambda: recorded.run_bar.time.value.startswith(f"{recorded.bridge.displayed.time:.3f}"))


def test_dragging_scrubs_and_the_end_is_the_newest_state(recorded: MainWindow, qtbot: QtBot) -> None:
    track = recorded.time_bar.track
    seen: list[float] = []
    recorded.bridge.cursor_changed.connect(lambda: seen.append(recorded.bridge.displayed.time))
    qtbot.mousePress(track, LEFT, NONE, at(recorded, 0.2))
    for time in (0.3, 0.4, 0.7):
        QTest.mouseMove(track, at(recorded, time))
    qtbot.mouseRelease(track, LEFT, NONE, at(recorded, 0.7))
    if len(seen) == 1:  # Qt's test mouse does not hold buttons on every platform
        for time in (0.3, 0.4, 0.7):
            track.go_to(time)
    assert seen == sorted(seen)
    assert len(seen) == 4
    qtbot.mouseClick(track, LEFT, NONE, at(recorded, track.end))
    assert recorded.bridge.live


def test_arrow_keys_go_row_by_row(recorded: MainWindow, qtbot: QtBot) -> None:
    track = recorded.time_bar.track
    recording = recorded.bridge.recording
    assert recording is not None
    last = len(recording) - 1
    track.setFocus()
    qtbot.keyClick(track, Qt.Key.Key_Left)
    assert recorded.bridge.cursor == last - 1
    qtbot.keyClick(track, Qt.Key.Key_Left)
    assert recorded.bridge.cursor == last - 2
    qtbot.keyClick(track, Qt.Key.Key_Right)
    assert recorded.bridge.cursor == last - 1
    qtbot.keyClick(track, Qt.Key.Key_Home)
    assert recorded.bridge.cursor == 0
    qtbot.keyClick(track, Qt.Key.Key_End)
    assert recorded.bridge.live


def test_the_live_button_returns(recorded: MainWindow, qtbot: QtBot) -> None:
    recorded.time_bar.track.go_to(0.3)
    qtbot.mouseClick(recorded.time_bar.live, LEFT)
    assert recorded.bridge.live
    assert not recorded.time_bar.live.isEnabled()


def test_playing_leaves_the_past(recorded: MainWindow, qtbot: QtBot) -> None:
    recorded.time_bar.track.go_to(0.3)
    qtbot.keyClick(recorded.viewport, Qt.Key.Key_Space)
    assert recorded.bridge.live
    qtbot.waitUntil(lambda: recorded.time_bar.track.recorded > 1.5, timeout=30_000)
    assert recorded.time_bar.track.end >= recorded.time_bar.track.recorded


def test_changes_and_unsolved_rows_are_marked(recorded: MainWindow, qtbot: QtBot) -> None:
    recording, track = recorded.bridge.recording, recorded.time_bar.track
    assert recording is not None
    recorded.document.set_value("gait.amplitude_deg", 20.0, "Amplitude")
    qtbot.waitUntil(lambda: len(recording.changes) == 1, timeout=20_000)
    qtbot.waitUntil(lambda: _differs(recorded, recording.changes[0].time), timeout=20_000)
    # Rows that were not solved: none in this run, so one is made up.
    rows = recording.rows(10, 11)
    assert track.unsolved == []
    rows.solver_residual[:] = 3e-7
    track._forget()
    qtbot.waitUntil(lambda: track.unsolved == [(pytest.approx(0.1), pytest.approx(3e-7))])


def _differs(window: MainWindow, time: float) -> bool:
    """Whether a mark stands above the bar at that time: something lighter than the ground there."""
    track = window.time_bar.track
    image = track.grab().toImage()
    ratio = image.devicePixelRatio()
    x, y = round(track.x_of(time) * ratio), round((track.height() / 2 - 9) * ratio)
    return bool(image.pixelColor(x, y).lightness() > 150)


def test_a_reset_forgets_the_marks(recorded: MainWindow, qtbot: QtBot) -> None:
    recorded.time_bar.track.go_to(0.4)
    recorded.reset()
    qtbot.waitUntil(lambda: recorded.bridge.status.state == "ready", timeout=20_000)
    qtbot.waitUntil(lambda: recorded.time_bar.track.recorded == 0.0)
    assert recorded.bridge.live
    assert recorded.time_bar.track.shown == 0.0


def test_looking_back_shows_the_obstacles_of_that_time_and_an_edit_returns(recorded: MainWindow, qtbot: QtBot) -> None:
    window = recorded
    before = window.document.scene
    window.document.set_value("obstacles[7].y_m", 0.9, "Move cylinder 7")
    qtbot.waitUntil(lambda: window.bridge.recording is not None and len(window.bridge.recording.changes) == 1)
    qtbot.mouseClick(window.time_bar.track, LEFT, NONE, at(window, 0.3))
    assert window.viewport.scene.obstacles == before.obstacles
    window.document.set_value("obstacles[7].y_m", 0.8, "Move cylinder 7")
    assert window.bridge.live
    assert window.viewport.scene.obstacles[6].y_m == 0.8
