"""Open a CAN bus through whatever adapter there is, and see frames in the same way through all of them."""

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
"""How long a frame may wait for room in the adapter. A bus that takes longer is in no state to
drive a robot."""
_SERIAL_S = 0.05
_RETRY_S = 0.0003
_NUMBERED = ("canalystii", "gs_usb", "ixxat", "kvaser", "neovi", "nixnet", "systec", "vector")
"""Interfaces whose channels are numbers, which profiles hold as text."""
_MACHINE_CLOCK = ("socketcan", "virtual")
"""Interfaces that stamp frames with this machine's clock as they arrive: other adapters' clocks
drift."""

_BUS_OFF = (
    "is bus-off: too many of its frames were destroyed; look after cable, termination and bit rate."
)
_SOCKETCAN_BUS_OFF = 0x40  # CAN_ERR_BUSOFF of linux/can/error.h


class CanBus(Protocol):
    """An open bus. One thread may receive while another one sends."""

    @property
    def replayed(self) -> bool:
        """Whether it is a log that is played, on which nothing can be sent."""
        ...

    def receive(self, timeout: float) -> tuple[Frame, bool] | None:
        """The next frame and whether it was sent by us (only a log tells so); None after `timeout` s without one.

        Raises `Exception`: whatever the adapter's driver raises.
        """
        ...

    def send(self, frame: Frame) -> None:
        """Hand a frame to the adapter, within some hundredths of a second.

        Raises `Exception`: whatever the adapter's driver raises.
        """
        ...

    def off(self) -> str:
        """Why the controller left the bus, as far as the adapter says so; "" if it did not."""
        ...

    def close(self) -> None:
        """Give the adapter back; raises nothing."""
        ...


def open_bus(bus: Bus) -> CanBus:
    """Open a bus; `interface="replay"` plays a log (see `ReplayBus`).

    Frames carry the kernel's time of reception where there is one, else the time they were read at.

    Raises `LinkError` if it cannot be opened; says why and what to do. BusSetupError if trying
    again is no use.
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
    except Exception as error:  # drivers raise anything
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
        # With a timeout Kvaser's driver waits until each frame was acknowledged.
        self._timeout = 0.0 if bus.interface == "kvaser" else _SEND_S
        # A serial adapter that takes nothing any more would hold up whoever writes to it, for ever.
        serial = getattr(opened, "serialPortOrig", None)
        if serial is not None:
            serial.write_timeout = _SERIAL_S
        self._off = False

    def receive(self, timeout: float) -> tuple[Frame, bool] | None:
        """See `CanBus`."""
        end = time.monotonic() + timeout
        message = self._opened.recv(timeout)
        # Behind our own frames there may be others: who reads until there is nothing must not end
        # at those.
        while message is not None and self._is_own(message):
            message = self._opened.recv(max(0.0, end - time.monotonic()))
        if message is None:
            return None
        if message.is_error_frame and self._bus.interface == "socketcan":
            self._off |= bool(message.arbitration_id & _SOCKETCAN_BUS_OFF)
        at = arrival(message.timestamp) if self._machine_clock else time.monotonic()
        return frame_of(message, at), False

    def _is_own(self, message: can.Message) -> bool:
        """Whether an adapter tells us what we sent: some always do (gs_usb), others where they are asked to."""
        # SocketCAN marks so what any program of this computer sent, and a second one that drives
        # must be heard.
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
                # SocketCAN's queue is full for as long as one frame takes: poll() says nothing of
                # it.
                if error.error_code != errno.ENOBUFS or time.monotonic() > deadline:
                    raise
            time.sleep(_RETRY_S)

    def off(self) -> str:
        """See `CanBus`."""
        try:
            state = self._opened.state
        except Exception:  # most adapters cannot tell
            state = can.BusState.ACTIVE
        if state is can.BusState.ERROR:
            self._off = True
        return f"{named(self._bus)} {_BUS_OFF}" if self._off else ""

    def close(self) -> None:
        """See `CanBus`."""
        try:
            self._opened.shutdown()
        except Exception:  # it may be unplugged
            logging.getLogger(__name__).debug("closing %s failed", named(self._bus), exc_info=True)


def _arguments(bus: Bus) -> dict[str, Any]:
    channel: str | int = bus.channel
    if bus.interface in _NUMBERED and bus.channel.isdigit():
        channel = int(bus.channel)
    arguments: dict[str, Any] = {"interface": bus.interface, "bitrate": bus.bitrate}
    if bus.channel:
        arguments["channel"] = channel
    if bus.fd and bus.interface in ("pcan", "slcan"):
        # These two want the whole timing; 80 % is what CiA 601-3 recommends for the sample points.
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
    """Mistakes that drivers swallow or answer with riddles.

    Raises `BusSetupError`: says what is wrong or missing, and what to do.
    """
    if bus.interface == "udp_multicast":
        port = bus.options.get("port", 43113)
        if isinstance(port, bool) or not isinstance(port, int) or not 1 <= port <= 65535:
            raise BusSetupError(
                f"{named(bus)}: port {port!r} is no UDP port; give a number from 1 to 65535."
            )
        try:
            multicast = ipaddress.ip_address(bus.channel).is_multicast
        except ValueError:
            multicast = False
        if not multicast:
            raise BusSetupError(
                f"{named(bus)}: this is no multicast address; give a multicast address such as 239.74.163.2 as channel."
            )
    if bus.interface == "socketcan" and bus.options.get("receive_own_messages"):
        raise BusSetupError(
            f"{named(bus)}: with receive_own_messages what we send could not be told from what another program sends;"
            " leave it out."
        )
    known, needed = arguments_of(bus.interface)
    if missing := [name for name in needed if name not in arguments]:
        raise missing_arguments(bus, missing)
    for name in bus.options:
        # Drivers take more than their signatures name, so only what looks like a slip is refused.
        close = [each for each in known if each != name and _resembles(each, name)]
        if name not in known and close:
            raise BusSetupError(
                f'{named(bus)}: there is no option "{name}"; did you mean {close[0]}?'
            )


def _resembles(known: str, given: str) -> bool:
    import difflib

    return difflib.SequenceMatcher(None, known, given.lower()).ratio() > 0.8
