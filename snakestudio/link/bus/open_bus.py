"""Opening of CAN buses, with one interface for all adapters."""

from __future__ import annotations

import errno
import ipaddress
import logging
import time
from collections.abc import Mapping
from typing import Any, Protocol

import can
from can.interfaces import BACKENDS

from snakestudio.errors import LinkError
from snakestudio.link.bus.bus_errors import (
    BusSetupError,
    missing_arguments,
    named,
    opening_error,
    unknown_interface,
    without_driver,
)
from snakestudio.link.bus.can_message import frame_of, message_of
from snakestudio.link.bus.clocks import arrival
from snakestudio.link.bus.drivers import arguments_of, driver_problem
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus

_SEND_S = 0.01
"""How long a frame may wait for space in the adapter. A bus that takes longer cannot be used to drive
a robot."""
_SERIAL_S = 0.05
_RETRY_S = 0.0003
_NUMBERED = ("canalystii", "gs_usb", "ixxat", "kvaser", "neovi", "nixnet", "systec", "vector")
"""Interfaces whose channels are numbers, which profiles store as text."""
_MACHINE_CLOCK = ("socketcan", "virtual")
"""Interfaces that time-stamp frames on arrival with the clock of this machine: clocks of other
adapters drift."""

_BUS_OFF = "is bus-off because too many of its frames were destroyed. Check cable, termination and bit rate."
_SOCKETCAN_BUS_OFF = 0x40  # CAN_ERR_BUSOFF of linux/can/error.h


class CanBus(Protocol):
    """An open bus. One thread may receive while another one sends."""

    @property
    def replayed(self) -> bool:
        """Whether the bus is a replayed log, to which nothing can be sent."""
        ...

    def receive(self, timeout: float) -> tuple[Frame, bool] | None:
        """Return the next frame, and whether it was sent by the link (known only from logs); None after `timeout` s.

        Raises any exception of the adapter's driver.
        """
        ...

    def send(self, frame: Frame) -> None:
        """Send a frame to the adapter; takes at most some hundredths of a second.

        Raises any exception of the adapter's driver.
        """
        ...

    def off(self) -> str:
        """Return why the controller is bus-off, if the adapter reports it; "" otherwise."""
        ...

    def close(self) -> None:
        """Close the adapter; raises nothing."""
        ...


def open_bus(bus: Bus) -> CanBus:
    """Open a bus; `interface="replay"` replays a log (see `ReplayBus`).

    The time of frames is the kernel's time of reception if available, else the time of reading.

    Raises `LinkError` with reason and remedy if it cannot be opened, and `BusSetupError` if
    retrying cannot help.
    """
    if bus.interface == "replay":
        from snakestudio.link.bus.replay import ReplayBus

        return ReplayBus(bus)
    if bus.interface not in BACKENDS:
        raise unknown_interface(bus.interface)
    if problem := driver_problem(bus.interface):
        raise without_driver(bus, problem)
    try:
        arguments = _arguments(bus)
        _check(bus, arguments)
        if bus.interface == "udp_multicast":
            from snakestudio.link.bus.multicast import MulticastBus

            return MulticastBus(bus)
        opened = can.Bus(ignore_config=True, **arguments)
    except LinkError:
        raise
    except Exception as error:  # drivers raise any exception
        raise opening_error(bus, error) from error
    return _Adapter(bus, opened)


class _Adapter:
    """A bus of python-can."""

    replayed = False

    def __init__(self, bus: Bus, opened: can.BusABC) -> None:
        self._bus = bus
        self._opened = opened
        self._machine_clock = bus.interface in _MACHINE_CLOCK
        self._fd = bus.fd
        # With a timeout, Kvaser's driver waits until each frame was acknowledged.
        self._timeout = 0.0 if bus.interface == "kvaser" else _SEND_S
        # A serial adapter that accepts no more data would block its writers permanently.
        serial = getattr(opened, "serialPortOrig", None)
        if serial is not None:
            serial.write_timeout = _SERIAL_S
        self._off = False

    def receive(self, timeout: float) -> tuple[Frame, bool] | None:
        """See `CanBus`."""
        end = time.monotonic() + timeout
        message = self._opened.recv(timeout)
        # Other frames may follow our own: reading until the queue is empty must not stop at those.
        while message is not None and self._is_own(message):
            message = self._opened.recv(max(0.0, end - time.monotonic()))
        if message is None:
            return None
        if message.is_error_frame and self._bus.interface == "socketcan":
            self._off |= bool(message.arbitration_id & _SOCKETCAN_BUS_OFF)
        at = arrival(message.timestamp) if self._machine_clock else time.monotonic()
        return frame_of(message, at), False

    def _is_own(self, message: can.Message) -> bool:
        # Some adapters echo sent frames: always (gs_usb), or on request. SocketCAN marks frames of
        # all programs of this computer in this way, and a second program that drives must be detected.
        return not message.is_rx and self._bus.interface != "socketcan"

    def send(self, frame: Frame) -> None:
        """See `CanBus`."""
        message = message_of(frame)
        deadline = time.monotonic() + _SEND_S
        while True:
            try:
                self._opened.send(message, self._timeout)
                return
            except can.CanOperationError as error:
                # SocketCAN's queue is full for the duration of one frame, which poll() does not
                # report.
                if error.error_code != errno.ENOBUFS or time.monotonic() > deadline:
                    raise
            time.sleep(_RETRY_S)

    def off(self) -> str:
        """See `CanBus`."""
        try:
            state = self._opened.state
        except Exception:  # most adapters cannot report it
            state = can.BusState.ACTIVE
        if state is can.BusState.ERROR:
            self._off = True
        return f"{named(self._bus)} {_BUS_OFF}" if self._off else ""

    def close(self) -> None:
        """See `CanBus`."""
        try:
            self._opened.shutdown()
        except Exception:  # the adapter may be unplugged
            logging.getLogger(__name__).debug("closing %s failed", named(self._bus), exc_info=True)


def _arguments(bus: Bus) -> dict[str, Any]:
    channel: str | int = bus.channel
    if bus.interface in _NUMBERED and bus.channel.isdigit():
        channel = int(bus.channel)
    arguments: dict[str, Any] = {"interface": bus.interface, "bitrate": bus.bitrate}
    if bus.channel:
        arguments["channel"] = channel
    if bus.fd and bus.interface in ("pcan", "slcan"):
        # These two need the complete timing; CiA 601-3 recommends sample points at 80 %.
        del arguments["bitrate"]
        arguments["timing"] = can.BitTimingFd.from_sample_point(
            f_clock=80_000_000,
            nom_bitrate=bus.bitrate,
            nom_sample_point=80.0,
            data_bitrate=bus.data_bitrate,
            data_sample_point=80.0,
        )
    elif bus.fd:
        arguments |= {"fd": True, "data_bitrate": bus.data_bitrate}
    return arguments | dict(bus.options)


def _check(bus: Bus, arguments: Mapping[str, Any]) -> None:
    """Check for errors that drivers ignore or report unclearly.

    Raises `BusSetupError` with the problem and what to do.
    """
    if bus.interface == "udp_multicast":
        port = bus.options.get("port", 43113)
        if isinstance(port, bool) or not isinstance(port, int) or not 1 <= port <= 65535:
            raise BusSetupError(
                f"{named(bus)}: port must be a whole number from 1 to 65535 (got {port!r})."
            )
        try:
            multicast = ipaddress.ip_address(bus.channel).is_multicast
        except ValueError:
            multicast = False
        if not multicast:
            raise BusSetupError(
                f"{named(bus)}: This is not a multicast address. Set the channel to one such as 239.74.163.2."
            )
    if bus.interface == "socketcan" and bus.options.get("receive_own_messages"):
        raise BusSetupError(
            f"{named(bus)}: With receive_own_messages, frames of another program could not be recognized. Remove this"
            " option."
        )
    known, needed = arguments_of(bus.interface)
    if missing := [name for name in needed if name not in arguments]:
        raise missing_arguments(bus, missing)
    for name in bus.options:
        # Drivers accept more than their signatures name, so only likely misspellings are rejected.
        close = [each for each in known if each != name and _resembles(each, name)]
        if name not in known and close:
            raise BusSetupError(
                f'{named(bus)}: There is no option "{name}". Did you mean {close[0]}?'
            )


def _resembles(known: str, name: str) -> bool:
    import difflib

    return difflib.SequenceMatcher(None, known, name.lower()).ratio() > 0.8
