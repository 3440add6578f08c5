"""What goes wrong with CAN adapters, in sentences: drivers say it in numbers, tracebacks or somebody else's words."""

from __future__ import annotations

import difflib
import errno
import logging
import socket
from collections.abc import Iterator

import can
from can.interfaces import BACKENDS

from snakestudio.errors import LinkError
from snakestudio.link.profile.schema import Bus

__all__ = ["BusSetupError", "missing_driver", "named", "opening_error", "unknown_interface", "working_error"]

# What drivers say goes into our own sentences, not onto a terminal that nobody sees.
logging.getLogger("can").addHandler(logging.NullHandler())

_DRIVERS = {
    "canalystii": "install the Python package canalystii",
    "cantact": "install the Python package cantact",
    "etas": "install ETAS BOA (Windows)",
    "gs_usb": "install the Python package gs-usb and libusb, or use it as socketcan on Linux",
    "ixxat": "install Ixxat's VCI driver (Windows)",
    "kvaser": "install Kvaser's CANlib",
    "neovi": "install the Python package python-ics and Intrepid's driver",
    "nican": "install National Instruments' NI-CAN (Windows)",
    "nixnet": "install National Instruments' NI-XNET (Windows)",
    "pcan": "install PEAK's PCAN-Basic, or use it as socketcan on Linux",
    "slcan": "install the Python package pyserial",
    "systec": "install SYS TEC's driver (Windows)",
    "udp_multicast": "install the Python package msgpack",
    "usb2can": "install the Python package pywin32 and 8devices' driver (Windows)",
    "vector": "install Vector's XL driver library (Windows)",
}
_SERIAL = ("robotell", "seeedstudio", "serial", "slcan")
_GONE = (errno.ENODEV, errno.ENXIO, errno.ENOENT)
_DENIED = (errno.EACCES, errno.EPERM)


class BusSetupError(LinkError):
    """The bus cannot be opened as it is set up, however often it is tried."""


def named(bus: Bus) -> str:
    """A bus as sentences call it: "socketcan can0"."""
    return f"{bus.interface} {bus.channel}".strip()


def unknown_interface(name: str) -> BusSetupError:
    """For an interface that python-can does not know."""
    known = [*BACKENDS, "replay"]
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    remedy = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(sorted(known))}."
    return BusSetupError(f'There is no CAN interface "{name}"; {remedy}')


def missing_driver(interface: str) -> str:
    """The sentence for an interface whose driver is not there."""
    remedy = _DRIVERS.get(interface, "install what its adapter came with")
    return f"The driver of {interface} is not installed on this machine; {remedy}, or choose another interface."


def opening_error(bus: Bus, error: BaseException) -> LinkError:
    """What kept `bus` from being opened.

    Returns
    -------
    LinkError
        A BusSetupError where waiting and trying again is no use.
    """
    name = named(bus)
    chain = list(_chain(error))
    numbers = {number for each in chain if (number := _number(each)) is not None}
    if any(isinstance(each, socket.gaierror) for each in chain):
        return BusSetupError(f"{name}: there is no such address; {_multicast_remedy}")
    if numbers & {errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT}:
        return BusSetupError(
            f"{name}: this system has no support for it; on Linux load the kernel's can module"
            " (sudo modprobe can can_raw), or choose another interface."
        )
    if numbers & set(_DENIED):
        who = (
            "join the group that owns it (sudo usermod -a -G dialout $USER, then log in again)"
            if bus.interface in _SERIAL
            else "allow your user to open the adapter (on Linux with a udev rule)"
        )
        return LinkError(f"{name}: you may not open it; {who}.")
    if numbers & {errno.EBUSY, errno.EADDRINUSE}:
        return LinkError(f"{name}: another program uses it; close that one, or choose another channel.")
    if isinstance(error, (can.CanInterfaceNotImplementedError, ImportError, NameError, AttributeError)) or (
        isinstance(error, OSError) and not numbers
    ):
        return BusSetupError(f"{name}: {_lower(missing_driver(bus.interface))}")
    if numbers & set(_GONE):
        return LinkError(f"{name}: there is no such channel here; {_channel_remedy(bus)}")
    if errno.ENETUNREACH in numbers:
        return LinkError(f"{name}: no network leads there; {_route_remedy}")
    if bus.interface == "udp_multicast" and errno.EINVAL in numbers:
        return BusSetupError(f"{name}: this is no multicast address; {_multicast_remedy}")
    said = _said(chain)
    if any(isinstance(each, (TypeError, ValueError)) for each in chain):
        return BusSetupError(f"{name}: it cannot be set up so ({said}); mend channel, bit rate or options.")
    return LinkError(f"{name}: it cannot be opened ({said}); look after adapter, cable and channel.")


def working_error(bus: Bus, error: BaseException) -> str:
    """Why an open bus failed, as a sentence."""
    name = named(bus)
    chain = list(_chain(error))
    numbers = {number for each in chain if (number := _number(each)) is not None}
    if errno.ENETDOWN in numbers:
        return f"{name} was shut down; bring it up again (sudo ip link set {bus.channel} up)."
    if errno.ENETUNREACH in numbers:
        return f"{name}: no network leads there; {_route_remedy}"
    if numbers & {*_GONE, errno.EIO, errno.EBADF}:
        return f"{name} has gone; plug the adapter in again."
    if errno.ENOBUFS in numbers or "buffer full" in str(error).lower():
        longer = f", or lengthen the queue (sudo ip link set {bus.channel} txqueuelen 1000)"
        return (
            f"{name} takes no more frames, because nobody on the bus acknowledges them or its queue is too short;"
            f" look after the robot's power, cable and bit rate{longer if bus.interface == 'socketcan' else ''}."
        )
    return f"{name} failed ({_said(chain)}); look after adapter and cable."


_multicast_remedy = "give a multicast address such as 239.74.163.2 as channel."
_route_remedy = "connect a network, or give loopback the route (sudo ip route add 224.0.0.0/4 dev lo)."


def _channel_remedy(bus: Bus) -> str:
    if bus.interface == "socketcan":
        return (
            f"plug the adapter in and bring it up (sudo ip link set {bus.channel} up type can bitrate {bus.bitrate}),"
            " or choose another channel."
        )
    if bus.interface in _SERIAL:
        return "plug the adapter in, or give its serial port as channel, such as /dev/ttyACM0 or COM3."
    return "plug the adapter in, or choose another channel."


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen = 0
    while error is not None and seen < 10:
        yield error
        error = error.__cause__ or error.__context__
        seen += 1


def _number(error: BaseException) -> int | None:
    number = error.errno if isinstance(error, OSError) else getattr(error, "error_code", None)
    return number if isinstance(number, int) and not isinstance(error, socket.gaierror) else None


def _said(chain: list[BaseException]) -> str:
    texts = [text for each in chain if (text := " ".join(str(each).split()))]
    text = texts[-1] if texts else type(chain[0]).__name__
    return (text if len(text) <= 160 else text[:157] + "...").rstrip(".")


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
