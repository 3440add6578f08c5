from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator

import pytest

from snakestudio.link.messages import LinkState
from snakestudio.live.robot import LiveRobot
from snakestudio.live.together import HERE, RobotTogether, guarded
from snakestudio.session.trigger import Together

from .fake_link import FakeLink, profile
from .test_robot import SCENE


@pytest.fixture
def link() -> FakeLink:
    return FakeLink(profile(), time.monotonic)


@pytest.fixture
def robot(link: FakeLink) -> Iterator[LiveRobot]:
    made = LiveRobot(link, SCENE, twin=False)
    yield made
    made.close()


@pytest.fixture
def waiting(robot: LiveRobot) -> Iterator[RobotTogether]:
    made = RobotTogether(robot, Together(wait="port", wait_port=0), "run", lambda text: None)
    assert made.listening()
    yield made
    made.close()


def until(done: Callable[[], object]) -> bool:
    deadline = time.monotonic() + 5.0
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


class Peer:
    """Somebody who connects."""

    def __init__(self, waiting: RobotTogether) -> None:
        assert waiting.start.port is not None
        self.socket = socket.create_connection((HERE, waiting.start.port), timeout=5.0)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()  # the greeting

    def say(self, line: str) -> str:
        self.socket.sendall(f"{line}\n".encode())
        return self.lines.readline().decode()

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


@pytest.fixture
def peer(waiting: RobotTogether) -> Iterator[Peer]:
    made = Peer(waiting)
    yield made
    made.close()


def test_start_does_not_arm(peer: Peer, link: FakeLink, robot: LiveRobot) -> None:
    assert peer.say("START").startswith("ERR the robot is not armed")
    robot.settle()
    assert link.commands == []
    link.set(state=LinkState.FAULT)
    assert peer.say("START").startswith("ERR")


def test_start_begins_to_stream_what_was_armed_by_hand(peer: Peer, link: FakeLink, robot: LiveRobot) -> None:
    robot.arm()
    robot.settle()
    assert peer.say("START").startswith("OK START")
    assert until(lambda: robot.streaming)
    assert [command.kind for command in link.commands] == ["arm", "stream"]
    assert peer.say("START").startswith("ERR")  # it moves already
    assert peer.say("STOP").startswith("OK STOP")
    assert link.stops == [f"Stopped by STOP from {peer.socket.getsockname()[0]}:{peer.socket.getsockname()[1]}."]


def test_stop_stops_always(peer: Peer, link: FakeLink, robot: LiveRobot) -> None:
    robot.arm()
    robot.settle()
    assert peer.say("STOP").startswith("OK STOP")
    assert len(link.stops) == 1
    assert link.telemetry_now.state == LinkState.FAULT


def test_the_port_is_open_to_this_machine_alone_unless_chosen() -> None:
    assert guarded(Together(wait="port")).wait_host == "127.0.0.1"
    assert guarded(Together(wait="port", wait_host="0.0.0.0")).wait_host == "0.0.0.0"


def test_a_port_in_use_is_said(waiting: RobotTogether, robot: LiveRobot) -> None:
    assert waiting.start.port is not None
    other = RobotTogether(robot, Together(wait="port", wait_port=waiting.start.port), "run", lambda text: None)
    assert not other.listening()
    assert "in use" in other.trouble
    other.close()
