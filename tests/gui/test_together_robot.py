"""Start Together with a robot connected: the trigger uses real sockets; the link is fake, except in the last test."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.listen_on import AddressBox, addresses
from snakestudio.gui.robot.together.dialog import TogetherDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile
from snakestudio.paths import scenes_dir
from snakestudio.sync import StartSettings
from snakestudio.viewmodel.robot.services import LiveChoices
from tests.gui.fake_link import FakeLink, FakeLive, FakeLoaded
from tests.gui.pages.notices import NoticePage
from tests.gui.pages.robot import put


class Peer:
    """A client of the port that the window listens on."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        qtbot.waitUntil(lambda: window.context.start_together.port is not None)
        port = window.context.start_together.port
        assert port is not None
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5.0)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()  # the greeting

    def say(self, line: str) -> str:
        self.socket.sendall(f"{line}\n".encode())
        return self.lines.readline().decode()

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


@pytest.fixture
def peer(window: MainWindow, link: FakeLink, qtbot: QtBot) -> Iterator[Peer]:
    """The window waits for START, and a peer is connected."""
    window.context.start_together.wait(StartSettings(wait="port", wait_port=0))
    client = Peer(window, qtbot)
    yield client
    client.close()


def test_start_is_refused_until_the_robot_is_armed(
    window: MainWindow, link: FakeLink, peer: Peer, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: "not armed" in window.context.banners.together.text)
    assert len(NoticePage(window.context.banners.together).buttons) == 1
    messages: list[str] = []
    window.context.robot_controller.happened.connect(lambda event: messages.append(event.text))
    assert peer.say("START").startswith("ERR ")
    assert "stream" not in [kind for kind, _ in link.commands]
    qtbot.waitUntil(lambda: any("START " in text and "rejected" in text for text in messages))
    put(window, link, LinkState.ARMED)
    qtbot.waitUntil(lambda: len(NoticePage(window.context.banners.together).buttons) == 2)
    assert peer.say("START lab_3").startswith("OK START")
    qtbot.waitUntil(lambda: link.commands[-1][0] == "stream")
    qtbot.waitUntil(lambda: "Started by 127.0.0.1" in window.context.banners.together.text)
    live = window.context.robot_controller.live
    assert isinstance(live, FakeLive)
    qtbot.waitUntil(lambda: any("“lab_3”" in note for note in live.notes))
    assert peer.say("STOP").startswith("OK STOP")
    assert ["STOP from " in reason for reason in link.stops] == [True]
    qtbot.waitUntil(lambda: not window.context.start_together.busy)


def test_stop_reaches_the_robot_in_every_state(
    window: MainWindow, link: FakeLink, peer: Peer
) -> None:
    for count, state in enumerate((LinkState.LISTENING, *LinkState), start=1):
        put(window, link, state)
        # not needed: the thread of the window is blocked
        assert peer.say("STOP").startswith("OK STOP")
        assert len(link.stops) == count


def test_manual_streaming_starts_the_others(
    window: MainWindow, link: FakeLink, peer: Peer, qtbot: QtBot
) -> None:
    put(window, link, LinkState.ARMED)
    window.context.robot_controller.stream()
    window.context.robot_controller.poll()
    qtbot.waitUntil(lambda: "Started." in window.context.banners.together.text)
    assert [kind for kind, _ in link.commands].count("stream") == 1
    assert peer.say("STOP").startswith("OK STOP")
    assert link.stops


def test_waiting_ends_when_a_robot_connects_or_disconnects(
    window: MainWindow, link: FakeLink, peer: Peer, qtbot: QtBot
) -> None:
    window.context.robot_controller.watch(LiveChoices(twin=False))
    qtbot.waitUntil(lambda: "its monitoring has changed" in window.context.banners.together.text)
    window.context.start_together.wait(StartSettings(wait="port", wait_port=0))
    window.context.robot_controller.disconnect_robot()
    qtbot.waitUntil(lambda: "the robot was disconnected" in window.context.banners.together.text)
    # the simulation's engine may be compiling
    qtbot.waitUntil(lambda: window.context.start_together.possible, timeout=240_000)
    window.context.start_together.wait(StartSettings(wait="port", wait_port=0))
    window.context.robot_controller.connect_to(
        FakeLoaded(link.profile), link.profile.bus, LiveChoices()
    )  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: "robot was connected" in window.context.banners.together.text)
    assert not window.context.start_together.busy


def test_dialog_shows_robot_state_and_possible_starters(
    window: MainWindow, link: FakeLink, qtbot: QtBot
) -> None:
    dialog = TogetherDialog(StartSettings(wait="port"), window.context.start_together.target)
    qtbot.addWidget(dialog)
    dialog.show()
    begins = dialog.findChildren(type(dialog.test_result))[0].text()
    assert "Lab robot" in begins
    assert "“obstacle_aided.toml”" in begins
    assert "not armed" in dialog.state_text.text()
    assert dialog.listen_on.host == "127.0.0.1"
    assert "this computer" in dialog.caution.text()
    dialog.listen_on.setCurrentIndex(dialog.listen_on.findData("0.0.0.0"))
    assert "without a password" in dialog.caution.text()
    choices = dialog.choices()
    assert choices is not None
    assert choices.wait_host == "0.0.0.0"
    put(window, link, LinkState.ARMED)
    qtbot.waitUntil(lambda: "is armed" in dialog.state_text.text())
    dialog.wait.setCurrentIndex(dialog.wait.findData("lsl"))
    assert "marker" in dialog.caution.text()
    assert not dialog.listen_on.isVisible()


def test_opening_the_robot_to_a_network_is_asked_each_time(
    window: MainWindow, link: FakeLink, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(dialog: TogetherDialog) -> int:
        dialog.wait.setCurrentIndex(dialog.wait.findData("port"))
        dialog.listen_on.setCurrentIndex(dialog.listen_on.findData("0.0.0.0"))
        return TogetherDialog.DialogCode.Accepted

    monkeypatch.setattr(TogetherDialog, "exec", answer)
    monkeypatch.setattr(
        window.context.start_together, "wait", lambda choices: waited.append(choices)
    )
    waited: list[StartSettings] = []
    window.context.action_registry["start_together"].trigger()
    assert [choices.wait_host for choices in waited] == ["0.0.0.0"]
    assert window.context.start_together.choices == StartSettings(wait="port")
    window.context.robot_controller.disconnect_robot()
    # choices for the robot do not apply to the simulation
    assert window.context.start_together.choices == StartSettings()
    QApplication.processEvents()


def test_missing_address_stays_listed_and_is_reported(
    qtbot: QtBot,
) -> None:
    box = AddressBox("203.0.113.9")  # reserved for documentation (RFC 5737): no interface has it
    qtbot.addWidget(box)
    assert box.host == "203.0.113.9"
    assert "not an address" in box.currentText()
    assert all(not address.startswith("127.") for _, address in addresses())


@pytest.mark.soak
def test_emulated_robot_is_started_and_stopped_by_a_peer(
    make_window: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    """Window, link process, emulated robot and peer are real; the run is in the window like all others."""
    window = make_window()
    assert window.context.files.open(scenes_dir() / "spatial_lateral_undulation.toml")
    control = window.context.robot_controller
    loaded = load_profile(find_profile("lab_robot"))
    window.context.robot_controller.connect_emulated(
        loaded, LiveChoices(twin=False), on_ground=False
    )
    qtbot.waitUntil(lambda: control.state is LinkState.LISTENING, timeout=20_000)
    assert control.link is not None
    control.link.command("idle")
    window.context.start_together.wait(StartSettings(wait="port", wait_port=0))
    peer = Peer(window, qtbot)
    try:
        assert peer.say("START").startswith("ERR ")
        qtbot.waitUntil(
            lambda: control.state is LinkState.IDLE and not control.not_ready, timeout=60_000
        )
        assert control.live is not None
        control.live.arm()
        qtbot.waitUntil(lambda: control.state is LinkState.ARMED, timeout=20_000)
        assert peer.say("START lab_3").startswith("OK START")
        qtbot.waitUntil(lambda: control.state is not LinkState.ARMED, timeout=5_000)
        assert control.state is LinkState.STREAMING, control.status.sentence
        qtbot.waitUntil(lambda: control.live is not None and control.live.streaming)
        assert peer.say("STOP").startswith("OK STOP")
        qtbot.waitUntil(lambda: control.state is LinkState.FAULT, timeout=5_000)
        assert control.telemetry is not None
        assert control.telemetry.reason.startswith("Stopped by STOP")
        assert "127.0.0.1:" in control.telemetry.reason
        qtbot.waitUntil(lambda: not window.context.start_together.busy)
        assert control.live is not None
        recording = control.live.recording
        assert recording is not None
        qtbot.waitUntil(lambda: any("stopped" in event.text for event in recording.events))
        assert any("“lab_3”" in event.text for event in recording.events)
    finally:
        peer.close()
        window.context.robot_controller.disconnect_robot()
