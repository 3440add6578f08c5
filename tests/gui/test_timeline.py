"""The time bar: scrubbing, keys, events, playback of recordings, continued runs, and opened runs."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.export.mcap import write_mcap
from snakestudio.gui.runs.timeline.painting import TrackRows
from snakestudio.gui.runs.timeline.track import Card
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits import with_values
from snakestudio.model.plausibility import Plausibility, Violation
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run
from snakestudio.session.offline import run_offline

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def at(window: MainWindow, time: float) -> QPoint:
    track = window.context.time_bar.track
    return QPoint(round(track.x_of(time)), round(TrackRows.of(track.height()).bar))


def test_click_shows_that_time(recorded: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(recorded.context.time_bar.track, LEFT, NONE, at(recorded, 0.5))
    assert not recorded.context.session_controller.live
    assert recorded.context.session_controller.displayed is not None
    assert recorded.context.session_controller.displayed.time == pytest.approx(0.5, abs=0.011)
    assert recorded.context.time_bar.live.isEnabled()
    qtbot.waitUntil(
        lambda: recorded.context.run_bar.time.value.startswith(
            f"{recorded.context.session_controller.displayed.time:.3f}"
        )
    )


def test_dragging_scrubs_and_the_end_is_live(recorded: MainWindow, qtbot: QtBot) -> None:
    track = recorded.context.time_bar.track
    seen: list[float] = []
    recorded.context.session_controller.cursor_changed.connect(
        lambda: seen.append(recorded.context.session_controller.displayed.time)
    )
    qtbot.mousePress(track, LEFT, NONE, at(recorded, 0.2))
    for time in (0.3, 0.4, 0.7):
        QTest.mouseMove(track, at(recorded, time))
    qtbot.mouseRelease(track, LEFT, NONE, at(recorded, 0.7))
    if len(seen) == 1:  # Qt's test mouse does not hold buttons on every platform
        for time in (0.3, 0.4, 0.7):
            track.seek(time)
    assert seen == sorted(seen)
    assert len(seen) == 4
    qtbot.mouseClick(track, LEFT, NONE, at(recorded, track.end))
    assert recorded.context.session_controller.live


def test_arrow_keys_go_row_by_row(recorded: MainWindow, qtbot: QtBot) -> None:
    track = recorded.context.time_bar.track
    recording = recorded.context.session_controller.recording
    assert recording is not None
    last = len(recording) - 1
    track.setFocus()
    qtbot.keyClick(track, Qt.Key.Key_Left)
    assert recorded.context.session_controller.cursor == last - 1
    qtbot.keyClick(track, Qt.Key.Key_Left)
    assert recorded.context.session_controller.cursor == last - 2
    qtbot.keyClick(track, Qt.Key.Key_Right)
    assert recorded.context.session_controller.cursor == last - 1
    qtbot.keyClick(track, Qt.Key.Key_Home)
    assert recorded.context.session_controller.cursor == 0
    qtbot.keyClick(track, Qt.Key.Key_End)
    assert recorded.context.session_controller.live


def test_live_button_returns_to_the_newest_state(recorded: MainWindow, qtbot: QtBot) -> None:
    recorded.context.time_bar.track.seek(0.3)
    qtbot.mouseClick(recorded.context.time_bar.live, LEFT)
    assert recorded.context.session_controller.live
    assert not recorded.context.time_bar.live.isEnabled()


def test_playing_returns_from_the_past(recorded: MainWindow, qtbot: QtBot) -> None:
    recorded.context.time_bar.track.seek(0.3)
    qtbot.keyClick(recorded.context.viewport, Qt.Key.Key_Space)
    assert recorded.context.session_controller.live
    qtbot.waitUntil(lambda: recorded.context.time_bar.track.recorded > 1.5)
    assert recorded.context.time_bar.track.end >= recorded.context.time_bar.track.recorded


def test_changes_of_the_scene_are_marked(recorded: MainWindow, qtbot: QtBot) -> None:
    recording = recorded.context.session_controller.recording
    track = recorded.context.time_bar.track
    assert recording is not None
    recorded.context.document.set_value("gait.amplitude_deg", 20.0, "Amplitude")
    qtbot.waitUntil(lambda: len(recording.changes) == 1)
    qtbot.waitUntil(lambda: any(moment.kind == "change" for moment in track.moments.all))
    (change,) = [moment for moment in track.moments.all if moment.kind == "change"]
    assert (change.time, change.text) == (recording.changes[0].time, "Gait: Amplitude 20")
    image = track.grab().toImage()
    ratio = image.devicePixelRatio()
    (cluster,) = [cluster for cluster in track.clusters() if change in cluster.moments]
    x = round(cluster.x * ratio)
    y = round(TrackRows.of(track.height()).marks * ratio)
    assert image.pixelColor(x, y).lightness() > 150


def test_playback_does_not_run_the_simulation(recorded: MainWindow, qtbot: QtBot) -> None:
    window = recorded
    session_controller = recorded.context.session_controller
    qtbot.mouseClick(window.context.time_bar.track, LEFT, NONE, at(window, 0.2))
    seen: list[float] = []
    session_controller.cursor_changed.connect(
        lambda: seen.append(session_controller.displayed.time)
    )
    transport = window.context.time_bar.transport
    assert transport is not None
    qtbot.mouseClick(transport.buttons["play_recorded"], LEFT)
    assert session_controller.playing
    qtbot.waitUntil(lambda: session_controller.live)  # playback ends at the end of the recording
    assert not session_controller.playing
    assert seen == sorted(seen)
    assert len(seen) > 5
    assert session_controller.status.state == "finished"


def test_loop_between_two_marks_is_played(recorded: MainWindow, qtbot: QtBot) -> None:
    window = recorded
    session_controller = recorded.context.session_controller
    track = recorded.context.time_bar.track
    for time, key in ((0.3, Qt.Key.Key_I), (0.5, Qt.Key.Key_O)):
        qtbot.mouseClick(track, LEFT, NONE, at(window, time))
        qtbot.keyClick(track, key)
    assert session_controller.replay is not None
    assert session_controller.replay.span == (
        pytest.approx(0.3, abs=0.011),
        pytest.approx(0.5, abs=0.011),
    )
    qtbot.keyClick(track, Qt.Key.Key_L)
    seen: list[float] = []
    session_controller.cursor_changed.connect(
        lambda: seen.append(session_controller.displayed.time)
    )
    session_controller.set_playing_speed(5.0)
    qtbot.keyClick(track, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: sum(b < a for a, b in pairwise(seen)) >= 2)
    assert min(seen) >= 0.29
    assert max(seen) <= 0.51
    assert session_controller.playing
    qtbot.keyClick(track, Qt.Key.Key_Right)  # stepping stops it
    assert not session_controller.playing


def test_keys_move_between_events_and_show_them(recorded: MainWindow, qtbot: QtBot) -> None:
    window = recorded
    track = recorded.context.time_bar.track
    times = [moment.time for moment in track.moments.all]
    assert len(times) >= 3, "impacts of the first second"
    qtbot.waitUntil(window.context.action_registry["event_back"].isEnabled)
    track.setFocus()
    control = Qt.KeyboardModifier.ControlModifier
    for expected in (times[-1], times[-2]):
        qtbot.keyClick(track, Qt.Key.Key_Left, control)
        assert window.context.session_controller.displayed is not None
        assert window.context.session_controller.displayed.time == pytest.approx(
            expected, abs=0.011
        )
    qtbot.keyClick(track, Qt.Key.Key_Right, control)
    assert window.context.session_controller.displayed.time == pytest.approx(times[-1], abs=0.011)
    card = track.findChild(Card)
    assert card is not None
    assert card.isVisible()
    assert card.lines == (f"{times[-1]:.3f} s: {track.moments.all[-1].text}",)
    qtbot.waitUntil(lambda: card.has_picture)
    track.shift(-1)
    qtbot.waitUntil(lambda: not card.isVisible())  # it was about the displayed time


def test_wheel_zooms_and_the_whole_run_is_restored(recorded: MainWindow, qtbot: QtBot) -> None:
    track = recorded.context.time_bar.track
    x = track.x_of(0.4)
    turn_wheel(track, x, 5)
    assert track.scale.zoomed
    assert track.x_of(0.4) == pytest.approx(x)
    assert track.scale.end - track.scale.begin == pytest.approx(0.8**5, rel=1e-6)
    begin = track.scale.begin
    turn_wheel(track, x, -1, Qt.KeyboardModifier.ShiftModifier)
    assert track.scale.begin > begin
    track.setFocus()
    qtbot.keyClick(track, Qt.Key.Key_0)
    assert not track.scale.zoomed
    qtbot.keyClick(track, Qt.Key.Key_Plus)
    assert track.scale.zoomed


def turn_wheel(
    widget: QWidget,
    x: float,
    notches: int,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    position = QPointF(x, widget.height() / 2)
    event = QWheelEvent(
        position,
        widget.mapToGlobal(position),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_continued_run_contains_the_old_rows(recorded: MainWindow, qtbot: QtBot) -> None:
    window = recorded
    session_controller = recorded.context.session_controller
    before = session_controller.recording
    assert before is not None
    window.context.document.set_value("gait.amplitude_deg", 20.0, "Amplitude")
    qtbot.waitUntil(lambda: len(before.changes) == 1)
    qtbot.mouseClick(window.context.time_bar.track, LEFT, NONE, at(window, 0.6))
    qtbot.keyClick(
        window,
        Qt.Key.Key_R,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    qtbot.waitUntil(
        lambda: (
            session_controller.recording is not before
            and session_controller.status.state == "paused"
        )
    )
    now = session_controller.recording
    assert now is not None
    assert len(now) == before.index_at(0.6) + 1
    assert now.events[-1].kind == "continued"
    assert window.context.document.scene.gait.amplitude_deg == 40.0, (
        "later changes are not applied yet"
    )
    assert window.context.document.undo_stack.undoText() == "Continue from 0.600 s"
    qtbot.waitUntil(lambda: "Space" in window.context.banners.source.text)
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: session_controller.status.state == "finished")
    qtbot.waitUntil(lambda: not window.context.banners.source.text)
    assert now.rows(0, 101).link_pose.tobytes() == before.rows(0, 101).link_pose.tobytes()


def test_opened_run_is_shown_played_and_closed(
    ready: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = ready
    session_controller = ready.context.session_controller
    scene = with_values(
        load_scene(scenes_dir() / "obstacle_aided_3d.toml"), {"run.duration_s": 0.5}
    )
    path = tmp_path / "monday.mcap"
    run_offline(scene, scenes_dir(), path=path)
    window.context.open_runs.open(path)
    qtbot.waitUntil(lambda: session_controller.source == "replay")
    assert window.context.run_bar.source.source == "Replay: monday.mcap"
    assert window.context.viewport.scene.robot == scene.robot
    assert window.context.viewport.scene.model.kind == "spatial_nonsmooth"
    assert window.context.time_bar.track.end == pytest.approx(0.5)
    assert (session_controller.cursor, window.context.document.scene.model.kind) == (
        0,
        "planar_nonsmooth",
    )
    assert "monday.mcap" in window.context.banners.source.text
    first = window.context.time_bar.track.moments.all[0]
    qtbot.waitUntil(window.context.action_registry["event_on"].isEnabled)
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert session_controller.displayed is not None
    assert session_controller.displayed.time == pytest.approx(first.time, abs=0.011)
    window.context.run_bar.speed.choose(0.5)
    assert session_controller.replay is not None
    assert session_controller.replay.speed == 0.5
    qtbot.waitUntil(window.context.action_registry["play"].isEnabled)
    qtbot.keyClick(window.context.viewport, Qt.Key.Key_Space)
    assert session_controller.playing
    qtbot.waitUntil(lambda: not session_controller.playing)
    assert session_controller.displayed is not None
    assert session_controller.displayed.time == pytest.approx(0.5)
    # an edit is of the open scene
    window.context.document.set_value("ground.mu_along", 0.1, "Friction")
    assert session_controller.source == "simulation"
    assert window.context.viewport.scene is window.context.document.scene
    assert window.context.run_bar.source.source == "Simulation"
    assert window.context.run_bar.speed.speed == math.inf


def test_opened_run_can_be_continued(ready: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = ready
    session_controller = ready.context.session_controller
    scene = with_values(
        window.context.document.scene, {"run.duration_s": 1.0, "gait.amplitude_deg": 33.0}
    )
    path = tmp_path / "tuesday.mcap"
    run_offline(scene, path=path)
    window.context.open_runs.open(path)
    qtbot.waitUntil(lambda: session_controller.source == "replay")
    window.context.time_bar.track.seek(0.7)
    qtbot.waitUntil(window.context.action_registry["continue_here"].isEnabled)
    window.context.action_registry["continue_here"].trigger()
    qtbot.waitUntil(
        lambda: session_controller.recording is not None and len(session_controller.recording) == 71
    )
    assert session_controller.source == "simulation"
    assert window.context.document.scene == scene
    assert session_controller.recording is not None
    assert session_controller.recording.events[-1].text == "Continued from tuesday.mcap"


def test_file_that_is_not_a_run_is_refused(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "other.mcap"
    path.write_bytes(b"no run")
    window.context.open_runs.open(path)
    qtbot.waitUntil(
        lambda: window.context.banners.source.text.startswith("other.mcap cannot be opened.")
    )
    assert window.context.session_controller.source == "simulation"


def test_reset_clears_the_marks(recorded: MainWindow, qtbot: QtBot) -> None:
    recorded.context.time_bar.track.seek(0.4)
    recorded.context.session_controller.reset()
    qtbot.waitUntil(lambda: recorded.context.session_controller.status.state == "ready")
    qtbot.waitUntil(lambda: recorded.context.time_bar.track.recorded == 0.0)
    assert recorded.context.session_controller.live
    assert recorded.context.time_bar.track.shown_time == 0.0


def test_past_shows_its_obstacles_and_an_edit_returns(recorded: MainWindow, qtbot: QtBot) -> None:
    window = recorded
    before = window.context.document.scene
    window.context.document.set_value("obstacles[7].y_m", 0.9, "Move cylinder 7")
    qtbot.waitUntil(
        lambda: (
            window.context.session_controller.recording is not None
            and len(window.context.session_controller.recording.changes) == 1
        )
    )
    qtbot.mouseClick(window.context.time_bar.track, LEFT, NONE, at(window, 0.3))
    assert window.context.viewport.scene.obstacles == before.obstacles
    window.context.document.set_value("obstacles[7].y_m", 0.8, "Move cylinder 7")
    assert window.context.session_controller.live
    assert window.context.viewport.scene.obstacles[6].y_m == 0.8


def test_notice_and_mark_lead_to_the_time_of_a_violation(
    recorded: MainWindow, qtbot: QtBot
) -> None:
    c = recorded.context
    notice = c.plausibility_notice
    qtbot.waitUntil(lambda: c.session_controller.recording.plausibility is not None)
    assert not notice.isVisible()
    violations = (
        Violation("speed", "speed", 0.4, 5.0, 1.0, "The robot flies.", "Limit the motors."),
        Violation("fling", "fling", 0.7, 5.0, 1.0, "It leaves.", "Limit the motors."),
    )
    c.session_controller.recording.set_plausibility(Plausibility(violations, ("speed", "fling")))
    notice.refresh()
    assert notice.isVisible()
    assert "speed and fling" in notice.text()
    assert "The robot flies. Limit the motors." in notice.toolTip()
    kinds = [(moment.kind, moment.time) for moment in c.time_bar.track.moments.all]
    assert [each for each in kinds if each[0] == "implausible"] == [
        ("implausible", 0.4),
        ("implausible", 0.7),
    ]
    for time in (0.4, 0.7, 0.4):
        qtbot.mouseClick(notice, LEFT)
        assert c.session_controller.displayed is not None
        assert c.session_controller.displayed.time == pytest.approx(time, abs=0.011)
    c.session_controller.recording.set_plausibility(Plausibility((), ("speed",)))
    notice.refresh()
    assert not notice.isVisible()


def test_opened_run_of_an_earlier_version_is_checked(
    ready: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    scene = with_values(
        load_scene(scenes_dir() / "obstacle_aided.toml"),
        {"gait.amplitude_deg": 90.0, "gait.frequency_deg_s": 40.0, "run.duration_s": 1.0},
    )
    path = tmp_path / "old.mcap"
    recording = run_offline(scene).recording
    recording.set_plausibility(None)
    write_mcap(path, recording)
    assert open_run(path).plausibility is None
    c = ready.context
    c.open_runs.open(path)
    qtbot.waitUntil(lambda: c.session_controller.source == "replay")
    qtbot.waitUntil(
        lambda: getattr(c.session_controller.recording, "plausibility", None) is not None
    )
    qtbot.waitUntil(c.plausibility_notice.isVisible)
    assert "joint torque" in c.plausibility_notice.text()
