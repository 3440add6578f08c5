"""Buses of python-can: frames pass unchanged, own frames are recognised, and every failure has a message."""

from __future__ import annotations

import errno
import os
import re
import socket
import time

import can
import pytest

from snakestudio.errors import LinkError
from snakestudio.link.bus import open_bus as module
from snakestudio.link.bus.adapters import available
from snakestudio.link.bus.bus_errors import BusSetupError, opening_error, working_error
from snakestudio.link.bus.drivers import arguments_of, channel_like, driver_problem
from snakestudio.link.bus.open_bus import open_bus
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus

_FRAMES = [
    Frame(0x123, b"\x01\x02\x03"),
    Frame(0x1ABCDEF, bytes(8), extended=True),
    Frame(0x7FF, b""),
    Frame(0x181, remote=True, length=8),
]


def multicast(number: int) -> Bus:
    """A bus of this process only: tests that run at the same time have other ports."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        port = probe.getsockname()[1]
    return Bus(
        interface="udp_multicast",
        channel=f"239.74.163.{10 + (os.getpid() + number) % 200}",
        options={"port": port},
    )


@pytest.mark.parametrize("interface", ["virtual", "udp_multicast"])
def test_frames_arrive_unchanged_without_echo(interface: str) -> None:
    bus = (
        multicast(1)
        if interface == "udp_multicast"
        else Bus(interface="virtual", channel=f"bus-{os.getpid()}")
    )
    one = open_bus(bus)
    other = open_bus(bus)
    try:
        for frame in _FRAMES:
            one.send(frame)
        for frame in _FRAMES:
            received = other.receive(1.0)
            assert received is not None
            got, sent = received
            assert (got.id, got.data, got.extended, got.remote, got.length, sent) == (
                frame.id,
                frame.data,
                frame.extended,
                frame.remote,
                frame.length,
                False,
            )
            assert got.time > 0
        assert one.receive(0.05) is None
        assert not one.off()
        assert not one.replayed
    finally:
        one.close()
        other.close()


def test_frames_have_the_kernels_reception_time() -> None:
    """The age of a frame includes the time for which it waited in the socket."""
    bus = multicast(2)
    one = open_bus(bus)
    other = open_bus(bus)

    def waited(seconds: float) -> tuple[float, float, float]:
        """Return when a frame was sent (not before, not after) and its time stamp, s."""
        before = time.monotonic()
        one.send(_FRAMES[0])
        after = time.monotonic()
        time.sleep(seconds)
        received = other.receive(1.0)
        assert received is not None
        return before, after, received[0].time

    try:
        # Linux enables time stamps only when its work queue runs (net_enable_timestamp), and gives
        # earlier frames the time of reading.
        for _ in range(500):
            _, sent, came = waited(0.01)
            if came <= sent + 0.001:
                break
        for _ in range(3):
            before, sent, came = waited(0.05)
            assert before - 0.001 <= came <= sent + 0.001
    finally:
        one.close()
        other.close()


class _Full:
    """SocketCAN adapter whose queue is full for the first two frames."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.taken = 0

    def send(self, message: can.Message, timeout: float) -> None:
        self.times -= 1
        if self.times >= 0:
            raise can.CanOperationError(
                "Failed to transmit: No buffer space available", errno.ENOBUFS
            )
        self.taken += 1


def test_full_queue_is_awaited_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        module, "_SEND_S", 1.0
    )  # tests may be delayed; a link has real-time priority
    full = _Full(2)
    adapter = module._Adapter(Bus(), full)
    adapter.send(_FRAMES[0])
    assert full.taken == 1
    full.times = 10**6
    monkeypatch.setattr(module, "_SEND_S", 0.01)
    with pytest.raises(can.CanOperationError) as caught:
        adapter.send(_FRAMES[0])
    message = working_error(Bus(), caught.value)
    assert "socketcan can0" in message
    assert "txqueuelen 1000" in message


class _BusOff:
    state = can.BusState.ACTIVE

    def recv(self, timeout: float) -> can.Message:
        # Class CAN_ERR_BUSOFF of linux/can/error.h, as SocketCAN delivers error frames.
        return can.Message(
            arbitration_id=0x40, is_error_frame=True, is_extended_id=False, dlc=8, data=bytes(8)
        )


def test_bus_off_is_detected_from_error_frames_and_state() -> None:
    driver = _BusOff()
    adapter = module._Adapter(Bus(), driver)
    assert not adapter.off()
    received = adapter.receive(0.1)
    assert received is not None
    assert received[0].error
    assert adapter.off().startswith("socketcan can0 is bus-off")
    other = module._Adapter(Bus(interface="pcan", channel="PCAN_USBBUS1"), driver)
    driver.state = can.BusState.ERROR
    assert "bus-off" in other.off()


@pytest.mark.parametrize(
    ("bus", "final", "message"),
    [
        (
            Bus(interface="sockecan"),
            True,
            "CAN interface",
        ),
        (Bus(interface="zzz"), True, "Choose one of "),
        (
            Bus(interface="udp_multicast", channel="can0"),
            True,
            "multicast address",
        ),
        (Bus(interface="udp_multicast", channel="10.0.0.1"), True, "not a multicast address"),
        (
            Bus(interface="udp_multicast", channel="239.74.163.2", options={"port": 70000}),
            True,
            "70000",
        ),
        (
            Bus(interface="udp_multicast", channel="239.74.163.2", options={"hop_limt": 1}),
            True,
            "mean hop_limit?",
        ),
        (
            Bus(interface="slcan", channel="/dev/ttyNONE7"),
            False,
            "Plug",
        ),
        (
            Bus(interface="slcan", channel="/dev/null"),
            True,
            "Plug",
        ),
        (
            Bus(interface="slcan", channel=""),
            True,
            "/dev/ttyACM0",
        ),
        (
            Bus(interface="socketcand", channel="can0"),
            True,
            "as options",
        ),
        (
            Bus(interface="replay", channel=""),
            True,
            "chosen",
        ),
        (
            Bus(interface="replay", channel="no.blf"),
            True,
            "no.blf",
        ),
        (Bus(interface="replay", channel="run.csv"), True, "frames"),
        (
            Bus(interface="replay", channel="a.log", options={"speed": 0}),
            True,
            "speed must be",
        ),
        (
            Bus(interface="replay", channel="a.log", options={"sped": 1}),
            True,
            'no option "sped"',
        ),
    ],
)
def test_unopenable_bus_gets_one_message(bus: Bus, final: bool, message: str) -> None:
    with pytest.raises(LinkError) as caught:
        open_bus(bus)
    text = str(caught.value)
    assert message in text
    assert "\n" not in text
    assert "Errno 2]" not in text
    assert isinstance(caught.value, BusSetupError) == final


@pytest.mark.parametrize("interface", sorted(can.interfaces.BACKENDS))
def test_every_interface_describes_needs_and_channels(interface: str) -> None:
    """No message of Python is shown for any driver, installed or not; nothing is opened."""
    lacking = driver_problem(interface)
    if not lacking and "channel" not in arguments_of(interface)[1]:
        assert channel_like(interface)
        return
    with pytest.raises(BusSetupError) as caught:
        open_bus(Bus(interface=interface, channel=""))
    text = str(caught.value)
    assert text.startswith(f"{interface}: ")
    assert text.endswith(f"such as {channel_like(interface)}.")
    assert not re.search(r"__init__|argument|None|Errno|Error", text)
    if lacking:
        assert lacking[1:] in text


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OSError(errno.EACCES, "Permission denied"),
            "user to open",
        ),
        (OSError(errno.EBUSY, "busy"), "program uses"),
        (
            OSError(errno.ENODEV, "No such device"),
            "500000",
        ),
        (OSError(errno.EAFNOSUPPORT, "Address family"), "kernel's"),
        (OSError("pcanbasic library not found."), "The driver of socketcan is not installed"),
        (can.CanInterfaceNotImplementedError("no module"), "is not installed"),
        (
            TypeError("got an unexpected keyword"),
            "unexpected",
        ),
        (
            can.CanInitializationError("the hardware is angry."),
            "angry)",
        ),
    ],
)
def test_driver_errors_become_messages(error: Exception, message: str) -> None:
    text = str(opening_error(Bus(), error))
    assert message.lower() in text.lower()
    assert text.startswith("socketcan can0: ")


def test_permission_of_a_serial_port_names_the_group() -> None:
    bus = Bus(interface="slcan", channel="/dev/ttyACM0")
    error = can.CanInitializationError("no")
    error.__cause__ = PermissionError(errno.EACCES, "Permission denied")
    assert "dialout" in str(opening_error(bus, error))


def test_adapter_list_gives_reasons_for_unusable_interfaces() -> None:
    adapters = {adapter.interface: adapter for adapter in available(5.0)}
    assert set(adapters) == set(can.interfaces.BACKENDS)
    assert adapters["udp_multicast"].channels[0].startswith("239.")
    assert not adapters["udp_multicast"].problem
    for adapter in adapters.values():
        assert not adapter.problem or adapter.problem.endswith(".")
        assert not (adapter.problem and adapter.channels)
