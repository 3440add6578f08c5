"""The bus over UDP multicast: the kernel identifies senders, and data that is not a frame is reported as such."""

from __future__ import annotations

import queue
import socket
import struct
from collections.abc import Iterator
from typing import Any

import can
import msgpack
import pytest

from snakestudio.link.bus import multicast as module
from snakestudio.link.bus.bus_errors import UnreadableError
from snakestudio.link.bus.multicast import MulticastBus, pack, unpack
from snakestudio.link.bus.open_bus import CanBus, open_bus
from snakestudio.link.bus.port import BusChange, Port, ReceivedFrame, UnreadableData
from snakestudio.link.frame import Frame
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.schema import Bus
from tests.link.little_robot import Rig, lab_robot
from tests.link.rig import free_multicast
from tests.wording import naming

FRAMES = (
    Frame(0x123, b"\x01\x02\x03"),
    Frame(0x1ABCDEF, bytes(8), extended=True),
    Frame(0x7FF),
    Frame(0x181, remote=True, length=8),
    Frame(0x20, bytes(64), fd=True),
    Frame(0x40, bytes(8), error=True),
)


@pytest.fixture
def bus() -> Bus:
    return free_multicast()


@pytest.fixture
def two(bus: Bus) -> Iterator[tuple[CanBus, CanBus]]:
    one = open_bus(bus)
    other = open_bus(bus)
    yield one, other
    one.close()
    other.close()


def _what(frame: Frame) -> tuple[Any, ...]:
    return frame.id, frame.data, frame.extended, frame.remote, frame.fd, frame.error, frame.length


def test_python_can_interoperates_in_both_directions(bus: Bus) -> None:
    """Other programs can share such a bus."""
    fd_bus = bus.model_copy(update={"fd": True})
    ours = open_bus(fd_bus)
    with can.Bus(
        interface="udp_multicast", channel=bus.channel, port=bus.options["port"], fd=True
    ) as theirs:
        for frame in FRAMES:
            ours.send(frame)
            got = theirs.recv(5.0)
            assert got is not None
            assert (got.arbitration_id, bytes(got.data), got.is_extended_id) == (
                frame.id,
                frame.data,
                frame.extended,
            )
            assert (got.is_remote_frame, got.is_fd, got.is_error_frame) == (
                frame.remote,
                frame.fd,
                frame.error,
            )
            theirs.send(got)
            assert theirs.recv(5.0) is not None  # it receives its own frame
            back = ours.receive(5.0)
            assert back is not None
            assert _what(back[0]) == _what(frame)
    ours.close()


def test_frame_imitating_ours_is_foreign(two: tuple[CanBus, CanBus], bus: Bus) -> None:
    """A copy of our frame from a socket of another program: it moves a robot, so it must be received."""
    one, other = two
    one.send(FRAMES[0])
    assert other.receive(5.0) is not None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(pack(FRAMES[0]), (bus.channel, bus.options["port"]))
        got = one.receive(5.0)
    assert got is not None
    assert _what(got[0]) == _what(FRAMES[0])


def test_our_address_is_exclusive(two: tuple[CanBus, CanBus]) -> None:
    one, _ = two
    assert isinstance(one, MulticastBus)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with pytest.raises(OSError, match="in use"):
            stranger.bind(one.address)


@pytest.mark.parametrize("filtered", [True, False])
def test_own_frames_are_not_received(
    bus: Bus, filtered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the kernel's filter and without."""
    if not filtered:
        monkeypatch.setattr(module, "_discard_own", lambda *_: None)
    one = open_bus(bus)
    other = open_bus(bus)
    assert isinstance(one, MulticastBus)
    for _ in range(3):
        one.send(FRAMES[0])
        assert other.receive(5.0) is not None  # it has been round
    if filtered and module.sys.platform == "linux":
        with pytest.raises(BlockingIOError):  # the process has not even been woken
            one.next_datagram()
    assert one.receive(0.0) is None
    one.close()
    other.close()


def test_unicast_datagrams_are_not_the_robots(two: tuple[CanBus, CanBus], bus: Bus) -> None:
    one, other = two
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(pack(FRAMES[0]), ("127.0.0.1", bus.options["port"]))
    other.send(FRAMES[1])
    got = one.receive(5.0)
    assert got is not None
    assert got[0].id == FRAMES[1].id


_FRAME = msgpack.unpackb(pack(FRAMES[0]))
JUNK = {
    "nothing": b"",
    "text": b"GET / HTTP/1.1\r\n",
    "number": msgpack.packb(7),
    "list": msgpack.packb([1, 2]),
    "half": pack(FRAMES[0])[:20],
    "deep": b"\x91" * 3000,
    "no id": msgpack.packb({**_FRAME, "arbitration_id": None}),
    "large id": msgpack.packb({**_FRAME, "arbitration_id": 0x800}),
    "negative id": msgpack.packb({**_FRAME, "arbitration_id": -1}),
    "long": msgpack.packb({**_FRAME, "data": bytes(9)}),
    "words": msgpack.packb({**_FRAME, "data": "abc"}),
    "lengths": msgpack.packb({**_FRAME, "dlc": 10**9}),
    "random": struct.pack("40Q", *range(7, 47)),
}


@pytest.mark.parametrize("name", JUNK)
def test_invalid_datagram_is_reported_with_its_sender(name: str) -> None:
    with pytest.raises(UnreadableError, match=r"10\.0\.0\.5:99"):
        unpack(JUNK[name], 0.0, "10.0.0.5:99")


def test_junk_is_marked_and_the_bus_stays_open(bus: Bus) -> None:
    inbox: queue.SimpleQueue[ReceivedFrame | BusChange | UnreadableData] = queue.SimpleQueue()
    port = Port(bus, inbox.put)
    try:
        assert isinstance(inbox.get(timeout=20.0), BusChange)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for _ in range(100):
                stranger.sendto(b"junk", (bus.channel, bus.options["port"]))
            stranger.sendto(pack(FRAMES[0]), (bus.channel, bus.options["port"]))
        got = [inbox.get(timeout=20.0) for _ in range(101)]
        assert all(isinstance(each, UnreadableData) for each in got[:-1])
        assert isinstance(got[-1], ReceivedFrame)
        assert port.error_frames == 100
    finally:
        port.close()


def test_much_junk_stops_the_robot_with_a_reason() -> None:
    """The junk may be from the robot; the reason must not blame the adapter."""
    rig = Rig(lab_robot(set_point_rate_hz=100.0))
    rig.armed()
    text = "Data from 10.0.0.5:99 is not a CAN frame. Close the program that sends it, or use another port for the bus."
    for _ in range(5):
        rig.core.unreadable(text, rig.now)
    rig.run(0.1)
    assert rig.core.state is LinkState.ARMED
    rig.core.unreadable(text, rig.now)
    rig.run(0.02)
    assert rig.core.state is LinkState.FAULT
    assert rig.core.telemetry(rig.now).reason.endswith(text)


def test_junk_prevents_arming_without_blaming_the_cable() -> None:
    rig = Rig(lab_robot(set_point_rate_hz=100.0))
    rig.idle()
    for _ in range(6):
        rig.core.unreadable("Data from 10.0.0.5:99 is not a CAN frame. Close it.", rig.now)
    rig.run(0.02)
    assert rig.core.telemetry(rig.now).not_ready == (naming("10.0.0.5:99"),)
