"""Start Together in the window: it waits for a peer in another process, starts, records this, can be cancelled."""

from __future__ import annotations

import socket

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.menu import plain
from snakestudio.gui.robot.together.dialog import TogetherDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.sync import StartSettings
from snakestudio.sync.lsl import available
from tests.gui.pages.hands import type_into
from tests.gui.pages.notices import NoticePage
from tests.sync.peer import listening, peer


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def fill(qtbot: QtBot, dialog: TogetherDialog, **texts: str) -> None:
    for name, text in texts.items():
        field = getattr(dialog, name)
        type_into(field, text, enter=False)


# --------------------------------------------------------------------------------------- the dialog


def test_dialog_reports_missing_values(window: MainWindow, qtbot: QtBot) -> None:
    dialog = TogetherDialog(StartSettings(), window.context.start_together.target)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.choices() is None
    assert dialog.message.text().startswith("Choose ")
    assert not dialog.ready.isEnabled()
    assert not dialog.wait_port.isVisible()
    dialog.wait.setFocus()
    qtbot.keyClick(dialog.wait, Qt.Key.Key_Down)
    assert dialog.wait_port.isVisible()
    assert not dialog.stream.isVisible()
    fill(qtbot, dialog, wait_port="70000")
    assert dialog.choices() is None or dialog.choices().wait_port == 7000  # type: ignore[union-attr]
    fill(qtbot, dialog, wait_port="5010", limit="2 min")
    assert dialog.choices() == StartSettings(wait="port", wait_port=5010, limit_s=120.0)
    fill(qtbot, dialog, limit="soon")
    assert "number of seconds" in dialog.message.text()
    fill(qtbot, dialog, limit="30")
    qtbot.mouseClick(dialog.fire, Qt.MouseButton.LeftButton, pos=dialog.fire.rect().center() / 4)
    qtbot.waitUntil(dialog.fire.isChecked)
    fill(qtbot, dialog, host="camera-pc", port="6000")
    assert dialog.choices() == StartSettings(True, "camera-pc", 6000, "port", 5010, limit_s=30.0)
    qtbot.keyClick(dialog.wait, Qt.Key.Key_Down)
    assert dialog.stream.isVisible()
    fill(qtbot, dialog, stream="cues")
    assert dialog.ready.isEnabled() == available()


def test_test_button_finds_the_peer_without_starting_it(window: MainWindow, qtbot: QtBot) -> None:
    with listening("polite") as (camera, port):
        choices = StartSettings(
            fire=True, host="127.0.0.1", port=port, wait="port", wait_port=free_port()
        )
        dialog = TogetherDialog(choices, window.context.start_together.target)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.mouseClick(dialog.test, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: "is reachable; its clock is" in dialog.test_result.text())
        assert "is free" in dialog.test_result.text()
        assert "START" not in [line[0] for line in camera.result()]
    qtbot.mouseClick(dialog.test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "No program is waiting" in dialog.message.text())
    assert dialog.test_result.isHidden()


# --------------------------------------------------------------------------------------- the window


@pytest.fixture
def short(ready: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window whose run lasts half a second."""
    ready.context.document.set_value("run.duration_s", 0.5, "Duration")
    qtbot.waitUntil(
        lambda: (
            ready.context.session_controller.status.state == "ready"
            and ready.context.session_controller.recording is not None
        )
    )
    return ready


def test_peer_starts_the_run_and_another_is_started(short: MainWindow, qtbot: QtBot) -> None:
    port = free_port()
    with listening("polite") as (camera, peer_port):

        def answer() -> None:
            dialog = QApplication.activeModalWidget()
            assert isinstance(dialog, TogetherDialog)
            dialog.wait.setCurrentIndex(1)
            fill(qtbot, dialog, wait_port=str(port), host="127.0.0.1")
            dialog.fire.setChecked(True)
            fill(qtbot, dialog, host="127.0.0.1", port=str(peer_port))
            assert dialog.ready.isEnabled(), dialog.message.text()
            qtbot.mouseClick(dialog.ready, Qt.MouseButton.LeftButton)

        QTimer.singleShot(0, answer)
        short.context.action_registry["start_together"].trigger()
        qtbot.waitUntil(lambda: f"START on port {port}" in short.context.banners.together.text)
        assert short.context.session_controller.status.state == "ready"
        qtbot.waitUntil(
            lambda: (
                plain(short.context.action_registry["start_together"].text())
                == "Cancel Start Together"
            )
        )
        with peer("fire", port, "START lab_3 12.5"):
            qtbot.waitUntil(lambda: short.context.session_controller.status.state == "finished")
        qtbot.waitUntil(lambda: not short.context.start_together.busy)
        assert "Started by 127.0.0.1" in short.context.banners.together.text
        names = [line[:2] for line in camera.result()]
    assert names[-2:] == [["START", "obstacle_aided"], ["STOP", "obstacle_aided"]]
    recording = short.context.session_controller.recording
    assert recording is not None
    notes = [event for event in recording.events if event.kind == "note"]
    assert [event.time for event in notes[:2]] == [0.0, 0.0]
    assert "“lab_3”" in notes[0].text
    assert "START was sent" in notes[1].text
    assert "STOP was sent to" in notes[-1].text
    assert notes[-1].time == pytest.approx(0.5)
    assert short.context.start_together.choices == StartSettings(
        True, "127.0.0.1", peer_port, "port", port
    )


def test_play_fires_while_armed(short: MainWindow, qtbot: QtBot) -> None:
    with listening("polite") as (camera, peer_port):
        short.context.start_together.wait(
            StartSettings(
                fire=True, host="127.0.0.1", port=peer_port, wait="port", wait_port=free_port()
            )
        )
        qtbot.waitUntil(lambda: "Waiting" in short.context.banners.together.text)
        qtbot.keyClick(short.context.viewport, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: short.context.session_controller.status.state == "finished")
        qtbot.waitUntil(lambda: not short.context.start_together.busy)
        assert [line[0] for line in camera.result()][-2:] == ["START", "STOP"]


def test_peer_stops_the_run(ready: MainWindow, qtbot: QtBot) -> None:
    ready.context.run_bar.speed.choose(1.0)
    port = free_port()
    ready.context.start_together.wait(StartSettings(wait="port", wait_port=port))
    qtbot.waitUntil(lambda: "Waiting" in ready.context.banners.together.text)
    with peer("slow", port, "START\nSTOP"):
        qtbot.waitUntil(lambda: ready.context.session_controller.status.state == "paused")
    qtbot.waitUntil(lambda: not ready.context.start_together.busy)
    recording = ready.context.session_controller.recording
    assert recording is not None
    assert recording.times[-1] < ready.context.document.scene.run.duration_s
    assert [
        "STOP was received from" in event.text for event in recording.events if event.kind == "note"
    ] == [False, True]


def test_cancel_and_errors_are_reported(short: MainWindow, qtbot: QtBot) -> None:
    port = free_port()
    short.context.start_together.wait(StartSettings(wait="port", wait_port=port))
    qtbot.waitUntil(lambda: "Waiting" in short.context.banners.together.text)
    NoticePage(short.context.banners.together).press("cancel")
    qtbot.waitUntil(lambda: "was cancelled" in short.context.banners.together.text)
    with socket.create_server(("127.0.0.1", port)):
        short.context.start_together.wait(StartSettings(wait="port", wait_port=port))
        qtbot.waitUntil(lambda: f"Port {port} is in use" in short.context.banners.together.text)
    short.context.start_together.wait(StartSettings(wait="port", wait_port=port, limit_s=0.1))
    qtbot.waitUntil(
        lambda: f"No START was received on port {port}" in short.context.banners.together.text
    )
    assert short.context.session_controller.status.state == "ready"
    short.context.start_together.wait(StartSettings(wait="port", wait_port=port))
    qtbot.waitUntil(lambda: "Waiting" in short.context.banners.together.text)
    NoticePage(short.context.banners.together).press("start")
    qtbot.waitUntil(lambda: short.context.session_controller.status.state == "finished")


def test_closed_window_releases_the_port(short: MainWindow, qtbot: QtBot) -> None:
    port = free_port()
    short.context.start_together.wait(StartSettings(wait="port", wait_port=port))
    qtbot.waitUntil(lambda: "Waiting" in short.context.banners.together.text)
    short.context.document.undo_stack.setClean()
    short.close()
    with socket.create_server(("127.0.0.1", port)):
        assert not short.context.start_together.busy
    assert not any(
        isinstance(widget, QDialog)
        for widget in QApplication.topLevelWidgets()
        if widget.isVisible()
    )
