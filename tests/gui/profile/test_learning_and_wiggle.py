"""Learning from traffic and the wiggle test, from the first button to the resulting profile and report."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import can
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from snakestudio.gui.profile import learning_dialog
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.learning_dialog import LearningDialog
from snakestudio.gui.profile.wiggle_dialog import WiggleDialog, room_for
from snakestudio.link.frame import Frame
from snakestudio.link.learning.motion import Cue
from snakestudio.link.learning.proposal import FoundMessage, Move, propose
from snakestudio.link.messages import LinkState, Traffic
from snakestudio.link.profile.library import new_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Axis, Limits
from tests.gui.pages.hands import show_widget
from tests.gui.pages.parts import timer
from tests.gui.profile.robots import FakeRobot
from tests.link.learning.traffic_of_robots import frames_of, hand, little_endian

pytestmark = pytest.mark.gui


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return new_profile("lab_robot", tmp_path / "mine")


@pytest.fixture
def robot(path: Path) -> FakeRobot:
    robot = FakeRobot(load_profile(path))
    robot.become(LinkState.LISTENING)
    return robot


def record(moved: int, begin: float, end: float, angle: Callable[[float], float]) -> list[Frame]:
    def degrees(node: int, at: float) -> float:
        return math.degrees(angle(at)) * (node == moved)

    return frames_of(range(1, 4), lambda n: 0x380 + n, little_endian, begin, end, 0.02, degrees)


# ----------------------------------------------------------------------------------------- learning


def test_dialog_without_robot_names_the_remedy(qtbot: QtBot, path: Path) -> None:
    dialog = LearningDialog(ProfileDocument(path), FakeRobot())
    show_widget(qtbot, dialog)
    assert "Robot menu" in dialog.state.text()
    assert not dialog.quiet_button.isEnabled()


def test_quiet_traffic_is_recorded_and_analysed(
    qtbot: QtBot, path: Path, robot: FakeRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_dialog, "QUIET_S", 0.2)
    dialog = LearningDialog(ProfileDocument(path), robot)
    show_widget(qtbot, dialog)
    assert not dialog.move_button.isEnabled()
    dialog.quiet_button.click()
    assert dialog.busy
    assert robot.watchers == 1, "traffic takes time, and is only requested while it is recorded"
    assert "Keep everything still" in dialog.state.text()
    now = time.monotonic()
    alive = [
        Traffic(now + 0.1 * k, 0x701 + n, False, False, False, False, b"\5")
        for k in range(30)
        for n in range(3)
    ]
    own = Traffic(now, 0x10, False, False, False, True, b"\1")
    robot.traffic.emit([*alive, own])
    qtbot.waitUntil(lambda: bool(dialog.tree.proposals))
    (result,) = dialog.tree.proposals  # without the frames that this program sent
    assert (result.role, result.family.formula) == ("heartbeat", "0x700 + node")
    assert "choose a joint" in dialog.state.text()
    assert robot.watchers == 0
    assert dialog.move_button.isEnabled()


def test_silent_bus_is_reported(
    qtbot: QtBot, path: Path, robot: FakeRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_dialog, "QUIET_S", 0.1)
    dialog = LearningDialog(ProfileDocument(path), robot)
    show_widget(qtbot, dialog)
    dialog.quiet_button.click()
    qtbot.waitUntil(lambda: "frame" in dialog.message.text())
    assert not dialog.move_button.isEnabled()


def test_motion_is_shown_recorded_and_cancelled(qtbot: QtBot, path: Path, robot: FakeRobot) -> None:
    dialog = LearningDialog(ProfileDocument(path), robot)
    show_widget(qtbot, dialog)
    dialog.quiet = record(0, 0.0, 1.0, lambda t: 0.0)
    dialog.refresh()
    dialog.joint.setValue(3)
    dialog.axis.setCurrentText("pitch")
    dialog.move_button.click()
    assert dialog.cue_view.isVisible()
    qtbot.waitUntil(lambda: "Turn joint 3 (pitch)" in dialog.state.text())
    assert "link 4 first down, seen from link 3" in dialog.state.text()
    dialog.cancel.click()
    assert not dialog.busy
    assert robot.watchers == 0
    assert dialog.moves == []


def test_learned_messages_are_added_in_one_step(qtbot: QtBot, path: Path, robot: FakeRobot) -> None:
    document = ProfileDocument(path)
    dialog = LearningDialog(document, robot)
    show_widget(qtbot, dialog)
    cue = Cue(10.0, amplitude=math.radians(20))
    dialog.quiet = record(0, 0.0, 4.0, lambda t: 0.0)
    dialog.moves = [
        Move(1, "yaw", tuple(record(1, 9.0, cue.end + 1, hand(cue))), cue.angle, cue.begin, cue.end)
    ]
    dialog.analyse()
    qtbot.waitUntil(lambda: bool(dialog.tree.proposals))
    item = dialog.tree.topLevelItem(0)
    assert item is not None
    assert item.text(0) == "feedback"
    assert item.text(1) == "0x381 to 0x383"
    dialog.add_button.click()
    profile = document.profile
    assert [(a.joint, a.node) for a in profile.axes if a.axis == "yaw"][:3] == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]
    learned = next(message for message in profile.messages if message.id == "0x380 + node")
    assert {signal.quantity for signal in learned.signals} == {"angle", "counter", "checksum"}
    assert f"{learned.message}:" in document.dbc
    document.save()
    assert load_profile(path).profile == document.profile
    document.undo_stack.undo()
    assert "0x380 + node" not in {message.id for message in document.profile.messages}
    assert learned.message not in document.dbc
    item.setCheckState(0, Qt.CheckState.Unchecked)
    assert dialog.tree.chosen == []
    assert not dialog.add_button.isEnabled()


def test_unknown_message_can_be_added_as_a_heartbeat(
    qtbot: QtBot, path: Path, robot: FakeRobot
) -> None:
    document = ProfileDocument(path)
    dialog = LearningDialog(document, robot)
    show_widget(qtbot, dialog)
    noise = random.Random(1)
    dialog.quiet = [Frame(0x123, noise.randbytes(8), time=0.1 * k) for k in range(40)]
    dialog.analyse()
    qtbot.waitUntil(lambda: bool(dialog.tree.proposals) and not dialog.busy)
    item = dialog.tree.topLevelItem(0)
    assert item is not None
    assert item.text(0) == "unknown"
    assert not dialog.add_button.isEnabled(), "nothing is selected"
    item.setCheckState(0, Qt.CheckState.Checked)
    dialog.add_button.click()
    assert ("HEARTBEAT_123", "heartbeat") in {
        (m.message, m.role) for m in document.profile.messages
    }


def test_new_profile_is_learned_from_a_log(qtbot: QtBot, path: Path, tmp_path: Path) -> None:
    cue = Cue(7.0, amplitude=math.radians(20))
    log = tmp_path / "turned.log"
    with can.CanutilsLogWriter(log) as writer:  # candump, written by python-can
        for frame in record(1, 0.0, cue.end + 1.0, hand(cue)):
            writer.on_message_received(
                can.Message(
                    timestamp=frame.time,
                    arbitration_id=frame.id,
                    data=frame.data,
                    is_extended_id=False,
                )
            )
    document = ProfileDocument(path)
    dialog = LearningDialog(document, FakeRobot())
    show_widget(qtbot, dialog)
    assert dialog.reset_box.isHidden()
    dialog.log.read(tmp_path / "none.log")
    qtbot.waitUntil(lambda: "Choose another file." in dialog.log.message.text())
    with log.open("a") as file:
        file.write("(99.5")  # the recording ended with a power failure
    dialog.log.read(log)
    qtbot.waitUntil(lambda: dialog.log.frames is not None)
    assert "last line" in dialog.log.message.text()
    assert "without motion" in dialog.state.text()
    dialog.quiet_button.click()
    qtbot.waitUntil(lambda: bool(dialog.tree.proposals) and not dialog.busy)
    dialog.log.start_box.setValue(7.2)  # read from a plot, inaccurate
    dialog.move_button.click()
    qtbot.waitUntil(lambda: any(message.angles for message in dialog.tree.proposals))
    dialog.reset_box.setChecked(True)
    dialog.add_button.click()
    assert not dialog.reset_box.isChecked(), "the next messages are added to this profile"
    profile = document.profile
    assert [(a.joint, a.node) for a in profile.axes] == [(1, 1), (2, 2), (3, 3)]
    assert [message.id for message in profile.messages] == ["0x380 + node"], (
        "no message of the previous profile"
    )
    assert profile.sequences.arm == ()
    assert profile.bus == load_profile(path).profile.bus
    document.save()
    assert "papers" not in path.read_text(), "comments of the previous robot are removed"
    assert load_profile(path).profile == profile
    dialog.reset_box.setChecked(True)
    dialog.log.close_log()
    assert not dialog.quiet_button.isEnabled()
    assert dialog.reset_box.isHidden()
    assert not dialog.reset_box.isChecked()


def written(path: Path) -> Path:
    """A log of a robot at rest."""
    with can.CanutilsLogWriter(path) as writer:
        for frame in record(0, 0.0, 1.0, lambda t: 0.0):
            writer.on_message_received(
                can.Message(
                    timestamp=frame.time,
                    arbitration_id=frame.id,
                    data=frame.data,
                    is_extended_id=False,
                )
            )
    return path


def test_log_can_be_opened_after_reopening_the_dialog(
    qtbot: QtBot, path: Path, robot: FakeRobot, tmp_path: Path
) -> None:
    dialog = LearningDialog(ProfileDocument(path), robot)
    show_widget(qtbot, dialog)
    dialog.close()
    dialog.show()
    assert dialog.log.isVisible()
    assert dialog.log.open_button.isVisible()
    dialog.log.read(written(tmp_path / "still.log"))
    qtbot.waitUntil(lambda: dialog.log.frames is not None)
    dialog.close()
    dialog.show()
    dialog.log.close_button.click()
    assert dialog.log.frames is None
    assert "Record" in dialog.quiet_button.text()


def test_unreadable_log_discards_nothing(
    qtbot: QtBot, path: Path, robot: FakeRobot, tmp_path: Path
) -> None:
    dialog = LearningDialog(ProfileDocument(path), robot)
    show_widget(qtbot, dialog)
    quiet = record(0, 0.0, 1.0, lambda t: 0.0)
    dialog.quiet = list(quiet)
    dialog.log.read(tmp_path / "none.log")
    qtbot.waitUntil(lambda: "Choose another file." in dialog.log.message.text())
    assert dialog.quiet == quiet
    dialog.log.read(written(tmp_path / "still.log"))
    qtbot.waitUntil(lambda: dialog.log.frames is not None)
    assert dialog.quiet == [], "traffic of another bus"
    frames = dialog.log.frames
    arguments = dialog.log.summary.text()
    assert arguments.startswith("still.log: ")
    empty = tmp_path / "empty.log"
    empty.touch()
    dialog.log.read(empty)
    qtbot.waitUntil(lambda: "empty.log" in dialog.log.message.text())
    assert (dialog.log.frames, dialog.log.summary.text()) == (frames, arguments)


def test_restart_cancels_the_current_step(
    qtbot: QtBot, path: Path, robot: FakeRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = LearningDialog(ProfileDocument(path), robot)
    show_widget(qtbot, dialog)
    dialog.quiet_button.click()
    assert dialog.busy
    dialog.start_over()
    assert not dialog.busy
    assert robot.watchers == 0
    result = threading.Event()
    may_end = threading.Event()

    def search(quiet: object, moves: object) -> list[FoundMessage]:
        may_end.wait()
        result.set()
        return propose(record(0, 0.0, 1.0, lambda t: 0.0))

    monkeypatch.setattr(learning_dialog, "propose", search)
    dialog.quiet = record(0, 0.0, 1.0, lambda t: 0.0)
    dialog.analyse()
    assert dialog.busy
    dialog.start_over()
    may_end.set()
    qtbot.waitUntil(result.is_set)
    assert not dialog.busy
    timer(dialog, "tick_timer").timeout.emit()  # any pending step
    assert dialog.tree.proposals == []


# ------------------------------------------------------------------------------------------- wiggle


def begun(qtbot: QtBot, robot: FakeRobot) -> WiggleDialog:
    dialog = WiggleDialog(robot)
    show_widget(qtbot, dialog)
    dialog.period.set_value(0.5)
    dialog.count.set_value(2)
    return dialog


def test_wiggle_test_needs_an_armed_robot(qtbot: QtBot, robot: FakeRobot) -> None:
    dialog = begun(qtbot, robot)
    assert dialog.table.rowCount() == 20
    assert not dialog.one.isEnabled()
    assert "not armed" in dialog.message.text()
    robot.become(LinkState.STREAMING)
    assert "gait" in dialog.message.text()
    robot.become(LinkState.ARMED)
    assert dialog.one.isEnabled()
    assert dialog.message.text() == ""


def test_joint_with_wrong_direction_is_reported(
    qtbot: QtBot, robot: FakeRobot, tmp_path: Path
) -> None:
    assert robot.link is not None
    robot.link.sign = -1.0
    dialog = begun(qtbot, robot)
    # a lag of half a period would look like the opposite direction: the delay is far from it on
    # slow machines
    dialog.period.set_value(1.0)
    robot.become(LinkState.ARMED)
    dialog.choose(4)
    dialog.one.click()
    assert robot.link.commands[-1] == (
        "wiggle",
        {"axis": 4, "amplitude_deg": 5.0, "period_s": 1.0, "count": 2},
    )
    assert dialog.end.isVisible()
    qtbot.waitUntil(lambda: "joint 3 yaw" in dialog.results)
    result = dialog.results["joint 3 yaw"]
    assert result.wrong_way
    assert result.lag == pytest.approx(0.05, abs=0.03)
    assert "Reverse its sign" in dialog.explanation.text()
    assert "sign" in dialog.table.item(4, 5).text()
    dialog.save_report(tmp_path / "report.csv")
    assert (
        (tmp_path / "report.csv")
        .read_text(encoding="utf-8")
        .splitlines()[1]
        .startswith("joint 3 yaw,")
    )
    dialog.save_report(tmp_path / "report.txt")
    assert "Reverse its sign" in (tmp_path / "report.txt").read_text(encoding="utf-8")
    dialog.save_report(tmp_path / "missing" / "report.txt")
    assert "cannot be written" in dialog.message.text()


def test_cancelling_stops_the_robot(qtbot: QtBot, robot: FakeRobot) -> None:
    assert robot.link is not None
    dialog = begun(qtbot, robot)
    robot.become(LinkState.ARMED)
    dialog.one.click()
    dialog.end.click()
    assert len(robot.link.stops) == 1
    assert "wiggle test" in robot.link.stops[0]
    assert dialog.results == {}
    assert "aborted" in dialog.message.text()


def test_closing_during_motion_stops_the_robot(qtbot: QtBot, robot: FakeRobot) -> None:
    assert robot.link is not None
    dialog = begun(qtbot, robot)
    robot.become(LinkState.ARMED)
    dialog.one.click()
    dialog.close()
    assert robot.link.stops


def test_stopped_robot_ends_the_wiggle_test(qtbot: QtBot, robot: FakeRobot) -> None:
    assert robot.link is not None
    dialog = begun(qtbot, robot)
    robot.become(LinkState.ARMED)
    dialog.one.click()
    robot.link.reason = "feedback of joint 2 yaw: 0.3 s ago"
    robot.link.state = LinkState.FAULT
    qtbot.waitUntil(lambda: robot.link.reason in dialog.message.text())
    assert not dialog.bar.isVisible()


def test_wiggle_needs_range_in_both_directions() -> None:
    axis = Axis(joint=2, axis="pitch", node=2, max_deg=20.0)
    limits = Limits(min_deg=-30.0, max_deg=40.0)
    assert room_for(axis, limits, math.radians(16.0), 3.0) == ""
    refusal = room_for(axis, limits, math.radians(18.0), 3.0)
    assert all(value in refusal for value in ("18.0°", "±3°", "-30°", "20°"))
    assert "joint 2 pitch" in room_for(axis, limits, math.nan, 3.0)
