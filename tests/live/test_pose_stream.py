from __future__ import annotations

import math
import socket
import time
from collections.abc import Iterator

import pytest

from snakestudio.errors import LinkError, UsageError
from snakestudio.link.pose_packet import BodyPose, PosePacket, pack
from snakestudio.live.pose_stream import LslPoses, UdpPoses, _bodies, pose_source
from tests.waiting import until

BODY = (BodyPose(1, (0.1, 0.2, 0.3), (1.0, 0.0, 0.0, 0.0)),)


@pytest.fixture
def poses() -> Iterator[UdpPoses]:
    stream = UdpPoses(0)
    stream.begin(3)
    yield stream
    stream.close()


@pytest.fixture
def sender() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outlet:
        yield outlet


def test_datagram_becomes_a_tracked_link(poses: UdpPoses, sender: socket.socket) -> None:
    assert poses.latest is None
    before = time.monotonic()
    sender.sendto(pack(PosePacket(1, 0.0, BODY)), ("127.0.0.1", poses.port))
    assert until(lambda: poses.latest is not None)
    tracked = poses.latest
    assert tracked is not None
    assert tracked.links.tolist() == [1]
    assert tracked.pose[0].tolist() == [0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0]
    assert before <= tracked.time <= time.monotonic()
    assert poses.problem == ""


def test_invalid_datagrams_are_counted_and_reported(poses: UdpPoses, sender: socket.socket) -> None:
    for rubbish in (b"", b"hello", b"\xff" * 1000, b'{"pose": 1}'):
        sender.sendto(rubbish, ("127.0.0.1", poses.port))
    assert until(lambda: poses.statistics.unreadable == 4)
    assert "cannot be read" in poses.problem
    sender.sendto(pack(PosePacket(1, 0.0, BODY)), ("127.0.0.1", poses.port))
    assert until(lambda: poses.latest is not None)


def test_only_one_sender_is_accepted(poses: UdpPoses, sender: socket.socket) -> None:
    sender.sendto(pack(PosePacket(1, 0.0, BODY)), ("127.0.0.1", poses.port))
    assert until(lambda: poses.latest is not None)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.sendto(pack(PosePacket(2, 0.0, BODY)), ("127.0.0.1", poses.port))
        assert until(lambda: "Stop one" in poses.problem)
    assert poses.statistics.received == 1


def test_port_in_use_is_reported(poses: UdpPoses) -> None:
    with pytest.raises(LinkError, match=f"UDP port {poses.port} is in use"):
        UdpPoses(poses.port).begin(3)


def test_pose_source_is_parsed_from_text() -> None:
    source = pose_source("22350")
    assert isinstance(source, UdpPoses)
    # restricted to this machine unless an address is given
    assert (source.host, source.port) == ("127.0.0.1", 22350)
    source = pose_source("0.0.0.0:5000")
    assert isinstance(source, UdpPoses)
    assert (source.host, source.port) == ("0.0.0.0", 5000)
    assert isinstance(pose_source("lsl:Optitrack"), LslPoses)
    for wrong in ("", "x", "70000", "lsl:", "1.2.3.4:"):
        with pytest.raises(UsageError, match=r"pose.*stream"):
            pose_source(wrong)


def test_notice_of_two_senders_expires() -> None:
    first = ("10.0.0.1", 5000)
    second = ("10.0.0.2", 5000)
    now = 0.0
    poses = UdpPoses(clock=lambda: now)
    assert poses.accepts(first, 0.0)
    assert not poses.accepts(second, 0.5)
    assert poses.accepts(first, 1.0)
    assert "Only the first sender is used" in poses.problem
    assert poses.accepts(first, 3.0)
    assert poses.problem == ""


@pytest.mark.parametrize("position", [math.nan, math.inf, -math.inf])
def test_body_without_position_is_not_seen(position: float) -> None:
    columns = {0: [0, 1, 2, 3, 4, 5, 6], 1: [7, 8, 9, 3, 4, 5, 6]}
    bodies = _bodies([0.0, position, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0], columns)
    assert [body.link for body in bodies] == [1]
