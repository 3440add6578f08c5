"""The robot in the window: stop from anywhere, arming by holding, and no outdated value shown as current."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from snakestudio.errors import LinkError
from snakestudio.gui.core import theme
from snakestudio.gui.robot.arming import HOLD_MS, Arming, HoldButton
from snakestudio.gui.robot.bar_part import BarPart
from snakestudio.gui.robot.connect_dialog import ConnectDialog
from snakestudio.gui.robot.connect_form import ConnectForm, options_of
from snakestudio.gui.robot.data_panel import DataPanel
from snakestudio.gui.robot.event_log import EventLog
from snakestudio.gui.robot.fault_menu import FaultMenu
from snakestudio.gui.robot.joint_table import COLUMNS, JointTable
from snakestudio.gui.robot.meters import NodeStrip
from snakestudio.gui.robot.panel import RobotPanel, TwinAndPoseForm
from snakestudio.gui.robot.stop_button import ModalStop, StopButton
from snakestudio.gui.robot.traffic_table import TITLES, TrafficTable
from snakestudio.gui.shell.help_dialogs import DocumentDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.shell.status_bar import StatusBar
from snakestudio.link.emulator.fault import FAULTS, parse_fault
from snakestudio.link.messages import AGED, LinkEvent, LinkState, Traffic
from snakestudio.link.profile.schema import Bus
from snakestudio.runfile.recording import RunRecording
from snakestudio.viewmodel.robot.robot_status import robot_status
from snakestudio.viewmodel.robot.services import LiveChoices
from snakestudio.viewmodel.robot.window_priority import WindowPriority
from tests.gui.conftest import fill_docks
from tests.gui.fake import make_rows
from tests.gui.fake_link import FakeLink, FakeLive, FakeLoaded, blank, profile, services
from tests.gui.pages.parts import timer
from tests.gui.pages.robot import connect_link, put

KEY = Qt.Key
NO = Qt.KeyboardModifier.NoModifier


def poll_link(window: MainWindow) -> None:
    """Make the window read the state of the link."""
    window.context.robot_controller.poll()


# --- poses and twin -------------------------------------------------------------------------------


def failing(window: MainWindow, pose: str) -> None:
    """Make live poses fail."""
    real = window.context.robot_controller.services

    def open_live(*loaded: Any) -> Any:
        if loaded[-1].pose == pose:
            raise LinkError("UDP port 80 is taken.")
        return real.open_live(*loaded)

    window.context.robot_controller.services = replace(real, open_live=open_live)


def test_failed_poses_change_nothing(window: MainWindow, link: FakeLink) -> None:
    second_form = TwinAndPoseForm(window.context.robot_controller, window)
    second_form.source.setText("0.0.0.0:22350")
    second_form.poses.click()
    assert window.context.robot_controller.choices == LiveChoices("0.0.0.0:22350")
    failing(window, "80")
    second_form.source.setText("80")
    second_form.source.editingFinished.emit()
    assert second_form.message.text() == "UDP port 80 is taken."
    assert window.context.robot_controller.choices == LiveChoices("0.0.0.0:22350")
    assert window.context.robot_controller.live is not None
    assert window.context.robot_controller.live.choices == LiveChoices("0.0.0.0:22350")  # type: ignore[attr-defined]
    assert second_form.source.text() == "0.0.0.0:22350"


def test_failed_pose_source_is_not_partly_connected(window: MainWindow) -> None:
    link = FakeLink()
    window.context.robot_controller.services = services(link)
    failing(window, "80")
    with pytest.raises(LinkError):
        window.context.robot_controller.connect_to(
            FakeLoaded(link.profile), link.profile.bus, LiveChoices("80")
        )  # type: ignore[arg-type]
    assert not window.context.robot_controller.connected
    assert link.closed


# --- stop -----------------------------------------------------------------------------------------


def give_keyboard(window: QWidget, to: QWidget, qtbot: QtBot) -> QWindow:
    """Give a widget of a window the keyboard focus; returns the window that the system's keys go to."""
    window.activateWindow()
    to.setFocus()
    qtbot.waitUntil(lambda: QGuiApplication.focusObject() is to)
    return window.windowHandle()


def test_space_stops_from_a_text_field_and_types_nothing(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    put(window, link, LinkState.STREAMING)
    field = QLineEdit(window)
    field.show()
    keys = give_keyboard(window, field, qtbot)
    for key in (KEY.Key_A, KEY.Key_Space, KEY.Key_B):
        QTest.keyClick(keys, key)
    assert ["space bar" in stop for stop in link.stops] == [True]
    assert field.text() == "ab"
    assert (
        window.context.robot_controller.state is LinkState.STREAMING
        or link.state is LinkState.FAULT
    )


def test_space_stops_once_per_press_and_never_plays(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    put(window, link, LinkState.ARMED)
    QTest.keyClick(give_keyboard(window, window.context.viewport, qtbot), KEY.Key_Space)
    assert ["space bar" in stop for stop in link.stops] == [True]
    assert window.context.session_controller.status.state != "running"
    assert window.context.action_registry["play"].shortcut().isEmpty()
    assert window.context.action_registry["stop_robot"].shortcut().toString() == "Space"


def test_space_stops_with_focus_in_button_menu_or_dialog(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    pressed = []
    dialog = QDialog(window)
    dialog.setModal(True)
    button = QPushButton("Do", dialog)
    button.clicked.connect(lambda: pressed.append(1))
    QVBoxLayout(dialog).addWidget(button)
    dialog.open()
    qtbot.waitExposed(dialog)
    QTest.keyClick(give_keyboard(dialog, button, qtbot), KEY.Key_Space)
    assert len(link.stops) == 1
    menu = QMenu(dialog)
    menu.addAction("Act")
    menu.popup(dialog.mapToGlobal(QPoint(5, 5)))
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is menu)
    # a menu has no keyboard focus: its window forwards keys
    QTest.keyClick(dialog.windowHandle(), KEY.Key_Space)
    assert len(link.stops) == 2
    qtbot.wait(60)  # its window is found
    QTest.keyClick(menu.windowHandle(), KEY.Key_Space)
    assert len(link.stops) == 3
    menu.close()
    dialog.close()
    dialog.deleteLater()
    assert not pressed


def test_space_of_the_system_or_an_input_method_stops(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    handle = window.windowHandle()
    QTest.keyClick(handle, KEY.Key_Space)  # through the window, like a real key
    assert len(link.stops) == 1
    field = QLineEdit(window)
    field.show()
    give_keyboard(window, field, qtbot)
    event = QInputMethodEvent()
    event.setCommitString("hand over ")
    QGuiApplication.sendEvent(field, event)
    assert len(link.stops) == 2


def test_stop_is_not_clipped_in_a_window_of_1280_pixels(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: window.width() == 1280)
    connect_link(window)
    qtbot.wait(100)
    button = window.context.run_bar.findChild(StopButton)
    assert button.isVisible()
    assert window.width() == 1280
    assert button.mapTo(window, button.rect().bottomRight()).x() < 1280
    window.context.robot_controller.disconnect_robot()


def test_holding_space_stops_once(window: MainWindow, link: FakeLink) -> None:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    for repeated in (False, True, True):
        QApplication.sendEvent(
            window.windowHandle(), QKeyEvent(QEvent.Type.KeyPress, KEY.Key_Space, NO, " ", repeated)
        )
    assert len(link.stops) == 1


def test_space_without_robot_plays_or_types(ready: MainWindow, qtbot: QtBot) -> None:
    assert not ready.context.robot_feature.stop_key_filter.on
    assert not ready.context.run_bar.findChild(StopButton).isVisible()
    field = QLineEdit(ready)
    qtbot.keyClicks(field, "a b")
    assert field.text() == "a b"
    ready.context.viewport.setFocus()
    qtbot.keyClick(ready.context.viewport, KEY.Key_Space)
    qtbot.waitUntil(
        lambda: ready.context.session_controller.status.state in ("running", "finished")
    )
    ready.context.session_controller.session.pause()


def test_button_stops_on_press_also_over_a_dialog(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    button = window.context.run_bar.findChild(StopButton)
    assert button.isVisible()
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    assert ["Stop button" in stop for stop in link.stops] == [True]
    qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    dialog = QDialog(window)
    dialog.setModal(True)
    dialog.open()
    qtbot.waitExposed(dialog)
    poll_link(window)
    over = dialog.findChild(ModalStop)
    assert over is not None
    assert over.isVisible()
    assert over.geometry().center() == button.screen_rect.center()
    qtbot.mousePress(over.button, Qt.MouseButton.LeftButton)
    assert len(link.stops) == 2
    dialog.close()
    poll_link(window)
    assert not over.isVisibleTo(dialog), "it was removed itself, not only the dialog below it"
    dialog.deleteLater()


def test_stop_key_reaches_the_link_within_5_ms(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    """At most 5 ms from the event to `Link.stop` (a hundredth is typical; the rest is for busy test machines)."""
    taken: list[float] = []
    begin = 0.0
    link.stop = lambda reason="": taken.append(time.perf_counter() - begin)  # type: ignore[method-assign]
    field = QLineEdit(window)
    field.show()
    keys = give_keyboard(window, field, qtbot)
    for _ in range(20):
        qtbot.wait(40)  # two presses within 30 ms count as one
        begin = time.perf_counter()
        QTest.keyClick(keys, KEY.Key_Space)
    assert len(taken) == 20
    assert sorted(taken)[10] < 0.005


# --- arming ---------------------------------------------------------------------------------------


def test_arming_needs_a_full_second_of_holding(qtbot: QtBot) -> None:
    button = HoldButton("Hold to Arm")
    qtbot.addWidget(button)
    button.show()
    held: list[int] = []
    button.does(lambda: held.append(1))
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    qtbot.wait(HOLD_MS // 4)
    assert 0.0 < button.held_fraction < 1.0
    qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert button.held_fraction == 0.0
    qtbot.keyPress(button, KEY.Key_Return)
    begin = time.monotonic()
    qtbot.waitUntil(lambda: bool(held))
    assert time.monotonic() - begin >= 0.95 * HOLD_MS / 1000
    qtbot.keyRelease(button, KEY.Key_Return)
    qtbot.keyPress(button, KEY.Key_Return)
    button.setEnabled(False)
    qtbot.wait(50)
    assert button.held_fraction == 0.0
    assert held == [1]


def held_long(button: HoldButton, qtbot: QtBot) -> bool:
    """Hold a button for the whole time; returns whether it started counting."""
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    counts = button.held_fraction > 0.0 or button.isEnabled()
    qtbot.wait(HOLD_MS + 200)
    qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    return counts


def test_buttons_follow_the_state_with_reasons(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    arming = Arming(window.context.robot_controller)
    qtbot.addWidget(arming)
    arming.show()
    assert arming.hold.isEnabled()
    window.context.robot_controller.live.not_ready = ("Node 7 is silent.",)  # type: ignore[union-attr, misc]
    poll_link(window)
    assert not arming.hold.isEnabled()
    assert "Node 7 is silent" in arming.reasons.text()
    assert not held_long(arming.hold, qtbot)
    assert link.state is LinkState.IDLE
    window.context.robot_controller.live.not_ready = ()  # type: ignore[union-attr, misc]
    poll_link(window)
    assert held_long(arming.hold, qtbot)
    poll_link(window)
    assert link.state is LinkState.ARMED
    states = {
        name for name in ("hold", "stream", "disarm", "reset") if getattr(arming, name).isVisible()
    }
    assert states == {"stream", "disarm"}
    arming.stream.click()
    assert link.state is LinkState.STREAMING
    window.context.robot_controller.stop()
    poll_link(window)
    states = {
        name for name in ("hold", "stream", "disarm", "reset") if getattr(arming, name).isVisible()
    }
    assert states == {"reset"}


# --- state of the robot ---------------------------------------------------------------------------


@pytest.mark.parametrize("state", list(LinkState))
@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize("fault", ["silent", "old", "no bus"])
def test_armed_is_never_shown_without_contact(
    state: LinkState, confirmed: bool, fault: str
) -> None:
    """Other programs show ARMED while disconnected, which users complain about."""
    now = time.monotonic()
    telemetry = replace(
        blank(10, 10, now),
        state=state,
        confirmed=confirmed,
        bus_open=True,
        heartbeat_time=np.full(10, now),
    )
    if fault == "old":
        telemetry = replace(telemetry, time=now - 1.0)
    elif fault == "no bus":
        telemetry = replace(telemetry, bus_open=False)
    status = robot_status(telemetry, fault != "silent", profile(), now)
    assert not status.armed
    assert "armed" not in status.title.lower()
    assert "streaming" not in status.title.lower()


def test_armed_is_shown_as_the_robot_reports_it() -> None:
    now = time.monotonic()
    loaded = profile()
    telemetry = replace(
        blank(10, 10, now),
        state=LinkState.ARMED,
        bus_open=True,
        heartbeat_time=np.full(10, now),
        angle_time=np.full(10, now),
        confirmed=True,
    )
    assert robot_status(telemetry, True, loaded, now).title == "Armed"
    assert (
        robot_status(replace(telemetry, confirmed=False), True, loaded, now).title
        == "Not confirmed"
    )
    assert robot_status(
        replace(telemetry, confirmed=False, says_status=False), True, loaded, now
    ).title == ("Armed (not confirmed)")
    # The status of a robot that has been silent for longer than the profile's lost time (0.5 s) is
    # not current.
    old = replace(
        telemetry, heartbeat_time=np.full(10, now - 0.6), angle_time=np.full(10, now - 0.6)
    )
    assert not robot_status(old, True, loaded, now).armed
    elsewhere = robot_status(replace(telemetry, state=LinkState.IDLE), True, loaded, now)
    assert elsewhere.title == "Armed elsewhere"
    assert elsewhere.armed


def silent_since_streaming(now: float, **changes: Any) -> Any:
    """Telemetry a second after the robot fell silent while it streamed: a stop was sent without confirmation."""
    return replace(
        blank(10, 10, now),
        state=LinkState.FAULT,
        reason="The last heartbeat of node 3 came 0.6 s ago.",
        bus_open=True,
        angle_time=np.full(10, now - 1.0),
        heartbeat_time=np.full(10, now - 1.0),
        meaning=np.full(10, 3, np.int8),
        **changes,
    )


def test_robot_silent_while_streaming_may_still_move() -> None:
    now = time.monotonic()
    loaded = profile()
    lost = silent_since_streaming(now)
    status = robot_status(lost, True, loaded, now)
    assert "CONTACT LOST" in status.title
    assert "MAY STILL MOVE" in status.title
    assert (status.role, status.lost, status.armed) == ("danger", True, False)
    assert status.sentence.startswith("The last heartbeat of node 3 came 0.6 s ago.")
    assert "switch the robot off" in status.sentence
    # One node of ten is enough, and so is a robot without status, a closed bus, or a link that has
    # ended.
    one = np.full(10, now)
    one[4] = now - 1.0
    assert robot_status(replace(lost, heartbeat_time=one), True, loaded, now).lost
    assert robot_status(replace(lost, meaning=np.zeros(10, np.int8)), True, loaded, now).lost
    assert robot_status(replace(lost, bus_open=False), True, loaded, now).lost
    assert robot_status(lost, False, loaded, now).lost
    for state in (LinkState.ARMED, LinkState.STREAMING):
        assert robot_status(replace(lost, state=state), True, loaded, now).lost
        assert robot_status(
            replace(lost, state=state, heartbeat_time=np.full(10, now)), False, loaded, now
        ).lost


def test_robot_with_confirmed_stop_is_stopped() -> None:
    now = time.monotonic()
    loaded = profile()
    lost = silent_since_streaming(now)
    assert (
        robot_status(replace(lost, heartbeat_time=np.full(10, now)), True, loaded, now).title
        == "Stopped"
    )
    assert (
        robot_status(replace(lost, meaning=np.full(10, 4, np.int8)), True, loaded, now).title
        == "Stopped"
    )
    silent = ~(np.arange(10) > 3)
    # those that still respond may report any state
    meaning = np.where(silent, 4, 3).astype(np.int8)
    heard_at = np.where(silent, now - 1.0, now)
    assert not robot_status(
        replace(lost, meaning=meaning, heartbeat_time=heard_at), True, loaded, now
    ).lost
    assert not robot_status(replace(lost, state=LinkState.IDLE), True, loaded, now).lost


def test_lost_contact_is_red_everywhere(window: MainWindow, link: FakeLink, qtbot: QtBot) -> None:
    panel = RobotPanel(window.context.robot_controller, lambda: None, lambda: None, window)
    bar = window.context.run_bar.findChild(BarPart)
    status = window.statusBar()
    assert isinstance(status, StatusBar)
    assert isinstance(bar, BarPart)
    put(window, link, LinkState.STREAMING)
    link.reason = "The last heartbeat of node 3 came 0.6 s ago."
    now = time.monotonic()
    silent = np.full(10, now - 1.0)
    link.changes = {
        "heartbeat_time": silent,
        "angle_time": silent,
        "meaning": np.full(10, 3, np.int8),
    }
    link.say(link.reason, "error", "fault")
    link.state = LinkState.FAULT
    poll_link(window)
    link.say("The log was ended.", "warning")
    poll_link(window)
    title = panel.state.title.text()
    assert "CONTACT LOST" in title
    assert "MAY STILL MOVE" in title
    danger = theme.colour("danger")
    banner = window.context.banners.robot
    assert banner.text.startswith(f"{title}\n{link.reason}")
    assert danger.name() in banner.styleSheet()
    assert danger.name() in panel.state.title.styleSheet()
    assert bar.state_value.caption.startswith("CONTACT LOST")
    assert (bar.state_value.value, bar.state_value.role) == ("MAY STILL MOVE", "danger")
    for show in (
        window.context.session_controller.show_robot,
        window.context.session_controller.close_run,
    ):  # whichever source is shown
        show()
        qtbot.waitUntil(lambda: status.left.text.startswith(f"robot: {title}"))
    link.changes = {}
    poll_link(window)
    assert "is restored" in banner.text
    qtbot.waitUntil(lambda: title not in status.left.text)


def test_stale_values_are_grey_immediately(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    table = JointTable(window.context.robot_controller, window)
    put(window, link, LinkState.STREAMING)
    table.refresh()
    measured = [column.title for column in COLUMNS].index("Measured °")
    cell = table.index(3, measured)
    name = table.index(3, 0)
    # node numbers are always dim
    grey = table.data(table.index(3, 1), Qt.ItemDataRole.ForegroundRole)
    assert not table.stale(3)
    assert table.data(cell, Qt.ItemDataRole.ForegroundRole) != grey
    assert not window.context.robot_overlay.stale()
    link.frozen = True
    qtbot.wait(320)  # the profile's stale time is 0.3 s
    poll_link(window)
    table.refresh()
    assert table.stale(3)
    assert table.data(cell, Qt.ItemDataRole.ForegroundRole) == grey
    assert table.data(name, Qt.ItemDataRole.ForegroundRole) != grey
    assert window.context.viewport.overlays().stale
    assert any("old" in text for _, text in window.context.viewport.legends.robot.entries)


def test_each_value_has_its_own_age(window: MainWindow, link: FakeLink) -> None:
    """A temperature whose message has ended is shown as old, next to an angle that is current."""
    table = JointTable(window.context.robot_controller, window)
    put(window, link, LinkState.STREAMING)
    telemetry = window.context.robot_controller.telemetry
    assert telemetry is not None
    heard_at = telemetry.heard_at.copy()
    heard_at[AGED.index("temperature")] = time.monotonic() - 4.0
    heard_at[AGED.index("voltage")] = np.nan
    window.context.robot_controller.telemetry = replace(telemetry, heard_at=heard_at)
    table.refresh()
    grey = table.data(table.index(3, 1), Qt.ItemDataRole.ForegroundRole)
    states = {column.title: table.index(3, number) for number, column in enumerate(COLUMNS)}
    for title in ("Temp. °C", "Supply V"):
        assert table.data(states[title], Qt.ItemDataRole.ForegroundRole) == grey, title
        assert table.data(states[title], Qt.ItemDataRole.FontRole).italic(), title
    assert table.data(states["Temp. °C"], Qt.ItemDataRole.DisplayRole) == "31"
    assert (
        table.data(states["Temp. °C"], Qt.ItemDataRole.ToolTipRole)
        == "Stale: last message 4.0 s ago"
    )
    assert table.data(states["Supply V"], Qt.ItemDataRole.ToolTipRole) == "No message yet"
    for title in ("Measured °", "Current A", "Status"):
        assert table.data(states[title], Qt.ItemDataRole.ForegroundRole) != grey, title
        assert table.data(states[title], Qt.ItemDataRole.ToolTipRole) is None, title


def test_table_colours_values_beyond_their_limits(window: MainWindow, link: FakeLink) -> None:
    table = JointTable(window.context.robot_controller, window)
    angle = np.zeros(10)
    reference = np.zeros(10)
    # the profile's limits are -60 and 60 degrees
    angle[0] = np.radians(61.0)
    reference[0] = np.radians(58.5)
    link.changes = {}
    put(window, link, LinkState.ARMED)
    window.context.robot_controller.telemetry = replace(
        window.context.robot_controller.telemetry, angle=angle, reference=reference
    )  # type: ignore[type-var]
    table.refresh()
    row = [table.data(table.index(0, column)) for column in range(len(COLUMNS))]
    assert row[2:5] == ["58.5", "61.0", "+2.5"]
    red = table.data(table.index(0, 3), Qt.ItemDataRole.ForegroundRole)
    assert red != table.data(table.index(1, 3), Qt.ItemDataRole.ForegroundRole)


# --- the robot as a source ------------------------------------------------------------------------


def test_robot_replaces_the_view_of_the_simulation(window: MainWindow, link: FakeLink) -> None:
    live = window.context.robot_controller.live
    assert isinstance(live, FakeLive)
    assert window.context.session_controller.source == "robot"
    assert window.context.session_controller.recording is live.recording
    assert window.context.run_bar.source.source == "Robot: Lab robot"
    assert any(
        "position unknown" in text for _, text in window.context.viewport.legends.robot.entries
    )
    window.context.document.set_value("gait.amplitude_deg", 30.0, "Amplitude")
    assert live.scenes[-1].gait.amplitude_deg == 30.0
    assert window.context.session_controller.source == "robot"  # edits apply to the robot, too
    window.context.run_bar.source.segments["simulation"].click()
    assert window.context.session_controller.source == "simulation"
    window.context.run_bar.source.segments["robot"].click()
    assert window.context.session_controller.source == "robot"
    window.context.robot_controller.disconnect_robot()
    assert window.context.session_controller.source == "simulation"
    assert live.closed
    assert link.closed


def test_saved_run_of_a_robot_gets_an_image_at_rest(
    window: MainWindow, link: FakeLink, qtbot: QtBot, tmp_path: Path
) -> None:
    live = window.context.robot_controller.live
    run_archiver = window.context.run_archiver
    assert isinstance(live, FakeLive)
    pictures = timer(run_archiver, "robot_picture_timer")
    pictures.setInterval(10)
    resting = False
    run_archiver.robot_waits = lambda: not resting
    path = tmp_path / "driven.mcap"
    assert live.recording is not None
    saved = RunRecording(live.recording.scene, live.recording.schema, path)
    saved.append(make_rows(saved.scene, 0, 50))
    live.recording = saved
    qtbot.waitUntil(lambda: window.context.session_controller.recording is saved)
    qtbot.waitUntil(path.exists)
    with qtbot.waitSignal(pictures.timeout):
        pass
    assert not path.with_suffix(".png").exists(), "the window attends to the robot"
    resting = True
    qtbot.waitUntil(path.with_suffix(".png").exists)
    saved.close()


def test_new_scene_stops_an_armed_robot_and_is_applied(window: MainWindow, link: FakeLink) -> None:
    put(window, link, LinkState.STREAMING)
    first = window.context.robot_controller.live
    window.context.document.new(window.context.document.scene)
    assert ["another scene" in stop for stop in link.stops] == [True]
    assert window.context.robot_controller.live is not first
    assert first.closed  # type: ignore[union-attr]
    # the robot must be watched now
    assert window.context.session_controller.source == "robot"
    assert window.context.session_controller.source_name


def test_button_arms_the_currently_connected_robot(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    arming = Arming(window.context.robot_controller)
    qtbot.addWidget(arming)
    arming.show()
    put(window, link, LinkState.IDLE)
    first = window.context.robot_controller.live
    window.context.document.new(window.context.document.scene)
    put(window, link, LinkState.IDLE)
    assert held_long(arming.hold, qtbot)
    assert window.context.robot_controller.live is not first
    assert window.context.robot_controller.live is not None
    assert window.context.robot_controller.live.arming
    assert first is not None
    assert not first.arming


def test_new_scene_stops_a_robot_during_arming(window: MainWindow, link: FakeLink) -> None:
    """Until all nodes report that they are armed, the link is in IDLE, and the operator has requested torque."""
    put(window, link, LinkState.IDLE)
    assert window.context.robot_controller.live is not None
    window.context.robot_controller.live.arm()
    put(window, link, LinkState.IDLE)
    assert window.context.robot_controller.movable
    window.context.document.new(window.context.document.scene)
    assert ["another scene" in stop for stop in link.stops] == [True]
    assert not window.context.robot_controller.movable


def test_slow_pages_are_off_while_the_robot_could_move(window: MainWindow, link: FakeLink) -> None:
    window.context.help_controller.document("safety")
    page = window.findChild(DocumentDialog)
    put(window, link, LinkState.ARMED)
    page.text.anchorClicked.emit(QUrl("robot-profile.md"))
    assert "Safety" in page.windowTitle()
    put(window, link, LinkState.IDLE)
    page.text.anchorClicked.emit(QUrl("robot-profile.md"))
    assert page.windowTitle() == "The robot profile"
    page.text.anchorClicked.emit(QUrl("safety.md"))
    assert "Safety" in page.windowTitle()
    page.close()


def test_slow_commands_are_off_while_the_robot_could_move(
    window: MainWindow, link: FakeLink
) -> None:
    called = []
    window.context.toggle_theme = lambda: called.append("theme")  # type: ignore[method-assign]
    put(window, link, LinkState.STREAMING)
    window.context.action_registry["theme"].trigger()
    assert called == []
    assert "View > Light Theme" in window.context.banners.robot.text
    assert "Disarm" in window.context.banners.robot.text
    put(window, link, LinkState.IDLE)
    window.context.action_registry["theme"].trigger()
    assert called == ["theme"]


def test_twin_is_overlaid_on_the_run_of_the_robot(window: MainWindow, link: FakeLink) -> None:
    live = window.context.robot_controller.live
    assert isinstance(live, FakeLive)
    live.twin = live.recording
    poll_link(window)
    assert [run.name for run in window.context.overlaid.overlaid()] == ["simulated twin"]
    assert len(window.context.overlaid.ghosts(0.5)) == 1
    window.context.session_controller.close_run()
    assert window.context.overlaid.overlaid() == []


def test_heartbeat_stops_when_the_window_hangs(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    qtbot.wait(200)
    link.beats.clear()
    qtbot.waitUntil(lambda: len(link.beats) >= 5)
    before = len(link.beats)
    time.sleep(0.3)  # the window hangs
    assert len(link.beats) == before
    qtbot.waitUntil(lambda: window.context.robot_controller.longest_gap > 0.25)


# --- the window closes ----------------------------------------------------------------------------


def test_closing_stops_an_armed_robot_first(
    window: MainWindow, link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(window, link, LinkState.STREAMING)
    questions: list[tuple[str, int]] = []

    def question(
        parent: object, title: str, text: str, *buttons: object
    ) -> QMessageBox.StandardButton:
        questions.append((text, len(link.stops)))
        return QMessageBox.StandardButton.Cancel

    monkeypatch.setattr(QMessageBox, "question", question)
    assert not window.close()
    ((question, stops),) = questions
    assert "disconnect" in question
    assert stops == 1, "it is stopped before the question"
    assert ["window" in stop for stop in link.stops] == [True]
    assert not link.closed


# --- connecting -----------------------------------------------------------------------------------


def test_options_are_parsed() -> None:
    assert options_of("") == {}
    assert options_of(
        "port=43113, receive_own_messages = true, fd=0x10, poll=0.5, name=can bus"
    ) == {
        "port": 43113,
        "receive_own_messages": True,
        "fd": 16,
        "poll": 0.5,
        "name": "can bus",
    }
    with pytest.raises(ValueError, match="key=value"):
        options_of("port")


def test_channel_belongs_to_its_interface(window: MainWindow, qtbot: QtBot) -> None:
    form = ConnectForm(services(FakeLink()), window.context.settings, window)
    qtbot.waitUntil(lambda: form.interface.count() == 2 and form.loaded is not None)
    assert (form.interface.currentText(), form.channel.currentText()) == ("socketcan", "can0")
    form.show()
    window.activateWindow()
    edit = form.interface.lineEdit()
    qtbot.mouseClick(edit, Qt.MouseButton.LeftButton, pos=QPoint(edit.width() - 6, 8))
    qtbot.waitUntil(edit.hasSelectedText)
    qtbot.keyClicks(edit, "udp_multicast")
    assert form.interface.currentText() == "udp_multicast"  # and not socketcanudp_multicast
    assert form.channel.currentText() == "239.74.163.2"
    form.channel.setEditText("239.1.2.3")
    form.interface.setEditText("slcan")
    assert form.channel.currentText() == ""
    assert form.channel.lineEdit().placeholderText().startswith("e.g. ")
    form.interface.setEditText("socketcan")
    assert form.channel.currentText() == ""
    form.deleteLater()


def test_dialog_explains_unusable_adapters_and_errors(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = FakeLink()
    window.context.robot_controller.services = services(link)
    window.context.robot_feature.ask_connect("can")
    dialog = window.findChild(ConnectDialog)
    form = dialog.form
    # socketcan, as in the profile
    qtbot.waitUntil(lambda: "CAN network interface" in form.interface_note.text())
    qtbot.waitUntil(lambda: form.loaded is not None)
    assert "10 joints" in form.about.text()
    form.bitrate.setEditText("fast")
    assert "bit rate" in dialog.message.text()
    assert not dialog.connect_button.isEnabled()
    form.bitrate.setEditText("250000")
    assert dialog.connect_button.isEnabled()

    def refuse(loaded: object, bus: object) -> FakeLink:
        raise LinkError("can0: no such channel")

    monkeypatch.setattr(
        window.context.robot_controller,
        "services",
        replace(window.context.robot_controller.services, open_link=refuse),
    )
    dialog.connect_button.click()
    assert dialog.message.text() == "can0: no such channel"
    assert not window.context.robot_controller.connected
    window.context.robot_controller.services = services(link)
    form.interface.setEditText("udp_multicast")
    dialog.connect_button.click()
    assert window.context.robot_controller.connected
    assert link.profile.bus.bitrate == 250_000
    assert link.commands[0][0] == "connect"
    assert (
        window.context.robot_controller.state is LinkState.LISTENING
    )  # nothing is sent before the command
    assert not form.isVisible()
    dialog.traffic.table.add_frames([frame(0x201, b"\x01\x02", text="Set-point of node 1")])
    poll_link(window)
    assert dialog.findChild(NodeStrip).roles == ("good",) * 10
    dialog.connect_button.click()
    assert not window.context.robot_controller.connected
    dialog.close()


def test_missing_log_is_reported_in_the_dialog(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.context.robot_controller.services = services(FakeLink())
    window.context.robot_feature.ask_connect("replay")
    dialog = window.findChild(ConnectDialog)
    qtbot.waitUntil(lambda: dialog.form.loaded is not None)
    assert "Choose the log" in dialog.message.text()
    dialog.form.file.setText(str(tmp_path / "none.blf"))
    assert "does not exist" in dialog.message.text()
    (tmp_path / "none.blf").write_bytes(b"")
    dialog.form.file.setText(str(tmp_path / "none.blf"))
    dialog.form.file.textChanged.emit("")
    assert dialog.connect_button.isEnabled()
    bus = dialog.form.bus()
    assert (bus.interface, bus.channel) == ("replay", str(tmp_path / "none.blf"))
    dialog.close()


# --- lists ----------------------------------------------------------------------------------------


def frame(number: int, data: bytes, at: float = 0.0, text: str = "", sent: bool = False) -> Traffic:
    return Traffic(at or time.monotonic(), number, False, False, False, sent, data, text)


def test_traffic_has_a_row_per_id_with_rate_and_changes(qtbot: QtBot) -> None:
    table = TrafficTable()
    now = time.monotonic()
    table.add_frames(
        [frame(0x301, bytes((k, 0)), now - 1.0 + 0.1 * k, "Feedback") for k in range(11)]
    )
    table.add_frames([frame(0x201, b"\xaa", now, "Set-point", sent=True)])
    table.refresh()
    assert table.rowCount() == 2
    row = [table.data(table.index(1, column)) for column in range(len(TITLES))]
    assert row[:4] == ["301", "", "11", "10.0"]  # eleven frames in a second: ten intervals of 0.1 s
    assert row[5:] == ["0A 00", "Feedback"]
    assert table._visible[1].places == {0}
    table.seek("set-point")
    assert table.rowCount() == 1
    table.seek("")
    table.set_by_id(False)
    assert table.rowCount() == 12
    table.set_paused(True)
    table.add_frames([frame(0x301, b"\x00")])
    table.refresh()
    assert table.rowCount() == 12


def test_events_are_filtered_copied_and_bounded(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    log = EventLog(window)
    window.context.robot_controller.happened.connect(log.add)
    for severity, text in (
        ("info", "Listening."),
        ("warning", "Node 3 is silent."),
        ("error", "Bus off."),
    ):
        log.add(LinkEvent(time.monotonic(), severity, text))  # type: ignore[arg-type]
    assert log.rowCount() == 3
    log.seek("node", important=False)
    assert "Node 3 is silent." in log.text()
    assert log.rowCount() == 1
    log.seek("", important=True)
    assert log.rowCount() == 2
    panel = DataPanel(window.context.robot_controller, log)
    qtbot.addWidget(panel)
    panel.copy_events()
    assert QGuiApplication.clipboard().text().count("\n") == 2
    log.seek("", important=False)
    for k in range(6000):
        log.add(LinkEvent(time.monotonic(), "info", f"event {k}"))
    assert log.rowCount() <= 5000
    assert "event 5999" in log.text([log.rowCount() - 1])


def test_failed_save_of_events_is_an_event(
    window: MainWindow,
    link: FakeLink,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = EventLog(window)
    window.context.robot_controller.happened.connect(log.add)
    panel = DataPanel(window.context.robot_controller, log)
    qtbot.addWidget(panel)
    path = tmp_path / "missing" / "events.txt"
    monkeypatch.setattr("snakestudio.gui.robot.data_panel.ask_save", lambda *_: path)
    panel.save_events()
    assert str(path) in log.text()


def test_warning_of_the_link_is_shown_above_the_viewport(
    window: MainWindow, link: FakeLink
) -> None:
    link.say("Node 3 is silent.", "error", "node")
    poll_link(window)
    assert window.context.banners.robot.text == "Node 3 is silent."
    put(window, link, LinkState.FAULT)
    assert window.context.banners.robot.text == "Node 3 is silent."
    link.say("Node 5 babbles.", "warning", "node")
    poll_link(window)
    # a warning does not hide the reason for the stop
    assert window.context.banners.robot.text == "Node 3 is silent."
    link.alive = False  # silent for a moment
    poll_link(window)
    link.alive = True
    poll_link(window)
    assert window.context.banners.robot.text == "Node 3 is silent."  # FAULT was not reset
    put(window, link, LinkState.IDLE)  # after the reset the reason is no longer shown
    assert window.context.banners.robot.text == ""
    link.say("Node 4 is silent.", "error", "node")
    poll_link(window)
    window.context.robot_controller.disconnect_robot()
    assert window.context.banners.robot.text == ""


def test_reconnecting_uses_the_same_bus_and_new_profile(window: MainWindow, link: FakeLink) -> None:
    controller = window.context.robot_controller
    choices = controller.choices
    opened: list[tuple[str, Bus]] = []
    again = FakeLink()

    def open_link(loaded: FakeLoaded, bus: Bus) -> FakeLink:
        assert link.closed, "only one link at a time uses the bus"
        opened.append((loaded.profile.name, bus))
        return again

    controller.services = replace(controller.services, open_link=open_link)  # type: ignore[arg-type]
    edited = link.profile.model_copy(update={"name": "Edited"})
    controller.reconnect(FakeLoaded(edited))  # type: ignore[arg-type]
    assert opened == [("Edited", link.profile.bus)]
    assert controller.link is again
    assert controller.choices == choices
    again.state = LinkState.IDLE
    controller.disconnect_robot()
    controller.reconnect(FakeLoaded(edited))  # type: ignore[arg-type]
    assert not controller.connected, "after disconnecting it does not reconnect"


def test_failing_to_reconnect_leaves_no_robot(window: MainWindow, link: FakeLink) -> None:
    controller = window.context.robot_controller

    def refuse(loaded: FakeLoaded, bus: Bus) -> FakeLink:
        raise LinkError("The adapter is not there.")

    controller.services = replace(controller.services, open_link=refuse)  # type: ignore[arg-type]
    with pytest.raises(LinkError):
        controller.reconnect(FakeLoaded(link.profile))  # type: ignore[arg-type]
    assert link.closed
    assert not controller.connected
    assert controller.state is LinkState.DISCONNECTED


# --- the emulated robot ---------------------------------------------------------------------------


def test_faults_are_offered_for_emulated_robots_only(
    window: MainWindow, link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The menu contains the faults of the emulated robot: its own parser reads them."""
    faults: list[tuple[str, int | None]] = []
    monkeypatch.setattr(
        window.context.robot_controller,
        "inject_fault",
        lambda kind, node: faults.append((kind, node)),
    )
    menu = QMenu(window)
    FaultMenu(menu, window.context.robot_controller)
    assert not menu.menuAction().isEnabled(), "there are no faults for a robot that may be real"
    window.context.robot_controller.emulated = True
    window.context.robot_controller.changed.emit()
    assert menu.menuAction().isEnabled()
    below = [action.menu() for action in menu.actions() if isinstance(action.menu(), QMenu)]
    for each in below:
        assert isinstance(each, QMenu)
        each.aboutToShow.emit()
        actions = [action for action in each.actions() if not action.isSeparator()]
        assert len(actions) == len(link.profile.nodes) + 1
        actions[2].trigger()
        actions[-1].trigger()
    assert faults == [(kind, node) for kind in FAULTS for node in (3, None)]
    for kind, node in faults:
        assert parse_fault(kind, "" if node is None else str(node)).node == node


@pytest.mark.skipif(
    sys.platform != "linux", reason="other systems prioritise the window in front themselves"
)
def test_thread_of_the_window_has_priority_on_request() -> None:
    thread = threading.get_native_id()
    before = os.getpriority(os.PRIO_PROCESS, thread)
    priority = WindowPriority()
    interval = sys.getswitchinterval()
    priority.raise_()
    assert sys.getswitchinterval() < interval
    now = os.getpriority(os.PRIO_PROCESS, thread)
    assert priority.granted == (f"nice {now}" if now != before else "")
    assert now <= before
    priority.restore()
    assert os.getpriority(os.PRIO_PROCESS, thread) == before
    assert not priority.granted
    assert sys.getswitchinterval() == interval


def test_plots_are_in_front_again_after_disconnecting(window: MainWindow, qtbot: QtBot) -> None:
    fill_docks(window)
    connect_link(window)
    data = window.context.docks["robot_data"]
    plots = window.context.docks["plots"]
    qtbot.waitUntil(lambda: plots.visibleRegion().isEmpty() and not data.visibleRegion().isEmpty())
    window.context.robot_controller.disconnect_robot()
    qtbot.waitUntil(lambda: not plots.visibleRegion().isEmpty())


@pytest.mark.parametrize("opened", [False, True])
def test_gait_is_in_front_again_after_disconnecting(
    window: MainWindow, qtbot: QtBot, opened: bool
) -> None:
    fill_docks(window)
    robot = window.context.docks["robot"]
    robot.setVisible(opened)
    connect_link(window)
    window.context.robot_controller.connection_opened.emit()
    qtbot.waitUntil(lambda: not robot.visibleRegion().isEmpty())
    window.context.robot_controller.disconnect_robot()
    parameters = window.context.docks["parameters"]
    qtbot.waitUntil(lambda: not parameters.visibleRegion().isEmpty())
    assert robot.isHidden() != opened, "a panel that the user has opened stays"
