from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from snakestudio.link.messages import LinkState
from snakestudio.live.live_robot import LiveRobot
from snakestudio.live.robot_start_target import HERE, RobotStartTarget, guarded
from snakestudio.sync import StartSettings
from tests.waiting import until

from .fake_link import FakeLink, profile
from .test_robot import SCENE


@pytest.fixture
def link() -> FakeLink:
    return FakeLink(profile(), time.monotonic)


@pytest.fixture
def robot(link: FakeLink) -> Iterator[LiveRobot]:
    live_robot = LiveRobot(link, SCENE, twin=False)
    yield live_robot
    live_robot.close()


@pytest.fixture
def waiting(robot: LiveRobot) -> Iterator[RobotStartTarget]:
    target = RobotStartTarget(
        robot, StartSettings(wait="port", wait_port=0), "run", lambda text: None
    )
    assert until(lambda: target.start.port)
    yield target
    target.close()


class Peer:
    """Peer that connects to the robot's port."""

    def __init__(self, waiting: RobotStartTarget) -> None:
        assert waiting.start.port is not None
        self.socket = socket.create_connection((HERE, waiting.start.port), timeout=5.0)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()  # the greeting

    def request(self, line: str) -> str:
        self.socket.sendall(f"{line}\n".encode())
        return self.lines.readline().decode()

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


@pytest.fixture
def peer(waiting: RobotStartTarget) -> Iterator[Peer]:
    new_peer = Peer(waiting)
    yield new_peer
    new_peer.close()


def test_start_does_not_arm(peer: Peer, link: FakeLink, robot: LiveRobot) -> None:
    assert "ERR the robot" in peer.request("START")
    robot.settle()
    assert link.commands == []
    link.set(state=LinkState.FAULT)
    assert peer.request("START").startswith("ERR")


def test_start_streams_to_a_robot_armed_by_hand(
    peer: Peer, link: FakeLink, robot: LiveRobot
) -> None:
    robot.arm()
    robot.settle()
    assert peer.request("START").startswith("OK START")
    assert until(lambda: robot.streaming)
    assert [command.kind for command in link.commands] == ["arm", "stream"]
    assert peer.request("START").startswith("ERR")  # it is already moving
    assert peer.request("STOP").startswith("OK STOP")
    assert link.stops == [
        f"Stopped by STOP from {peer.socket.getsockname()[0]}:{peer.socket.getsockname()[1]}."
    ]


def test_stop_works_in_every_state(peer: Peer, link: FakeLink, robot: LiveRobot) -> None:
    robot.arm()
    robot.settle()
    assert peer.request("STOP").startswith("OK STOP")
    assert len(link.stops) == 1
    assert link.telemetry_now.state == LinkState.FAULT


def test_port_is_local_by_default() -> None:
    assert guarded(StartSettings(wait="port")).wait_host == "127.0.0.1"
    assert guarded(StartSettings(wait="port", wait_host="0.0.0.0")).wait_host == "0.0.0.0"


def test_port_in_use_is_reported(waiting: RobotStartTarget, robot: LiveRobot) -> None:
    assert waiting.start.port is not None
    other = RobotStartTarget(
        robot, StartSettings(wait="port", wait_port=waiting.start.port), "run", lambda text: None
    )
    assert until(lambda: other.over)
    assert "in use" in other.trouble
    other.close()


def test_stop_is_received_while_triggers_are_sent(
    robot: LiveRobot, link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A camera that greets and does not respond is waited for; the stop frame is not delayed."""
    with socket.create_server((HERE, 0)) as camera:
        ends = threading.Event()
        answering = threading.Thread(
            target=_greet_and_fall_silent, args=(camera, ends), daemon=True
        )
        answering.start()
        choices = StartSettings(fire=True, host=HERE, port=camera.getsockname()[1], wait="port")
        waiting = RobotStartTarget(robot, replace(choices, wait_port=0), "run", lambda text: None)
        try:
            assert until(lambda: waiting.start.port)
            monkeypatch.setattr("snakestudio.sync.sender._ANSWER_S", 60.0)
            robot.arm()
            robot.settle()
            peer = Peer(waiting)
            assert peer.request("START").startswith("OK START")
            assert peer.request("STOP").startswith("OK STOP")
            assert len(link.stops) == 1
            # still waiting
            assert not any(
                "camera" in note or str(choices.port) in note for note in waiting.start.notes
            )
            peer.close()
        finally:
            ends.set()
            waiting.close()
            answering.join(30.0)
        assert any(str(choices.port) in note for note in waiting.start.notes)


def _greet_and_fall_silent(camera: socket.socket, ends: threading.Event) -> None:
    camera.settimeout(30.0)
    connection, _ = camera.accept()
    with connection:
        connection.sendall(b"SNAKESTUDIO-TRIGGER 1\n")
        ends.wait(30.0)


def test_refusing_robot_triggers_no_other_program(robot: LiveRobot, link: FakeLink) -> None:
    datagrams: list[bytes] = []
    with socket.create_server((HERE, 0)) as camera:

        def listen() -> None:
            camera.settimeout(30.0)
            connection, _ = camera.accept()
            connection.settimeout(30.0)
            with connection:
                while data := connection.recv(4096):
                    datagrams.append(data)

        listening = threading.Thread(target=listen, daemon=True)
        listening.start()
        waiting = RobotStartTarget(
            robot,
            StartSettings(fire=True, host=HERE, port=camera.getsockname()[1]),
            "run",
            lambda text: None,
        )
        waiting.start.start_now()
        assert until(lambda: waiting.over)
        listening.join(30.0)
    assert "not started" in waiting.trouble
    assert not datagrams
    waiting.close()


def test_internal_error_stops_the_robot(
    peer: Peer,
    link: FakeLink,
    robot: LiveRobot,
    waiting: RobotStartTarget,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot.arm()
    robot.settle()

    def fail(*arguments: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(waiting.start, "accompany", fail)
    assert peer.request("START").startswith("OK START")
    assert until(lambda: waiting.over)
    assert link.stops
    assert "a defect" in waiting.trouble


def test_foreign_address_is_reported(robot: LiveRobot) -> None:
    # of the documentation's networks, RFC 5737
    elsewhere = StartSettings(wait="port", wait_port=0, wait_host="203.0.113.9")
    other = RobotStartTarget(robot, elsewhere, "run", lambda text: None)
    assert until(lambda: other.over)
    assert "203.0.113.9" in other.trouble
    other.close()
