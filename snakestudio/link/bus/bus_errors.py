"""Messages about failures of CAN adapters, which drivers report as numbers, tracebacks or technical texts."""

from __future__ import annotations

import difflib
import errno
import logging
import socket
from collections.abc import Iterable, Iterator

import can
from can.interfaces import BACKENDS

from snakestudio.errors import LinkError
from snakestudio.link.bus.drivers import channel_like, missing_driver
from snakestudio.link.profile.schema import Bus

# Messages of drivers become part of our messages, and are not printed to a terminal.
logging.getLogger("can").addHandler(logging.NullHandler())

_SERIAL = ("robotell", "seeedstudio", "serial", "slcan")
_GONE = (errno.ENODEV, errno.ENXIO, errno.ENOENT)
_DENIED = (errno.EACCES, errno.EPERM)


class BusSetupError(LinkError):
    """The bus cannot be opened with its settings; retrying does not help."""


class UnreadableError(LinkError):
    """Data that is not a frame was received; the bus itself works."""


def named(bus: Bus) -> str:
    """Return the name of a bus in messages: "socketcan can0"."""
    return f"{bus.interface} {bus.channel}".strip()


def unknown_interface(name: str) -> BusSetupError:
    """Return the error for an interface that python-can does not know."""
    known = [*BACKENDS, "replay"]
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    remedy = f"Did you mean {close[0]}?" if close else f"Choose one of {', '.join(sorted(known))}."
    return BusSetupError(f'There is no CAN interface "{name}". {remedy}')


def without_driver(bus: Bus, problem: str = "") -> BusSetupError:
    """Return the error for a bus whose driver is missing.

    Parameters
    ----------
    problem : str
        Message about the driver, if it is known.
    """
    text = f"{named(bus)}: {problem or missing_driver(bus.interface)}"
    like = channel_like(bus.interface)
    return BusSetupError(
        text if bus.channel or not like else f"{text} It also needs a channel, such as {like}."
    )


def missing_arguments(bus: Bus, missing: Iterable[str]) -> BusSetupError:
    """Return the error for a bus with a missing channel or missing options."""
    if "channel" in missing:
        return BusSetupError(
            f"{named(bus)}: No channel was chosen. Set one such as {channel_like(bus.interface)}."
        )
    names = " and ".join(missing)
    return BusSetupError(
        f"{named(bus)}: The interface needs {names}. Set them as options of the bus, when connecting or in the"
        " profile."
    )


def opening_error(bus: Bus, error: BaseException) -> LinkError:
    """Return the error for a bus that could not be opened; a `BusSetupError` if retrying cannot help."""
    name = named(bus)
    chain = list(_chain(error))
    numbers = {number for each in chain if (number := _number(each)) is not None}
    if any(isinstance(each, socket.gaierror) for each in chain):
        return BusSetupError(f"{name}: The address does not exist. {_multicast_remedy}")
    if numbers & {errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT}:
        return BusSetupError(
            f"{name}: This system does not support the interface. On Linux, load the kernel's can module"
            " (sudo modprobe can can_raw), or choose another interface."
        )
    if numbers & set(_DENIED):
        who = (
            "Join the group that owns it (sudo usermod -a -G dialout $USER, then log in again)"
            if bus.interface in _SERIAL
            else "Allow your user to open the adapter (on Linux with a udev rule)"
        )
        return LinkError(f"{name}: You do not have permission to open it. {who}.")
    if numbers & {errno.EBUSY, errno.EADDRINUSE}:
        return LinkError(
            f"{name}: Another program uses it. Close that program, or choose another channel."
        )
    if isinstance(
        error, (can.CanInterfaceNotImplementedError, ImportError, NameError, AttributeError)
    ) or (isinstance(error, OSError) and not numbers):
        return without_driver(bus)
    if bus.interface in _SERIAL and errno.ENOTTY in numbers:
        return BusSetupError(f"{name}: This is not a serial port. {_channel_remedy(bus)}")
    if numbers & set(_GONE):
        return LinkError(
            f"{name}: The channel does not exist on this computer. {_channel_remedy(bus)}"
        )
    if errno.ENETUNREACH in numbers:
        return LinkError(f"{name}: There is no network route to the address. {_route_remedy}")
    if bus.interface == "udp_multicast" and errno.EINVAL in numbers:
        return BusSetupError(f"{name}: This is not a multicast address. {_multicast_remedy}")
    text = _last_text(chain)
    if any(isinstance(each, (TypeError, ValueError)) for each in chain):
        return BusSetupError(
            f"{name}: The bus cannot be set up ({text}). Correct its channel{_like(bus)}, bit rate or options."
        )
    return LinkError(
        f"{name}: The bus cannot be opened ({text}). Check adapter, cable and channel{_like(bus)}."
    )


def working_error(bus: Bus, error: BaseException) -> str:
    """Return the message about the failure of an open bus."""
    name = named(bus)
    chain = list(_chain(error))
    numbers = {number for each in chain if (number := _number(each)) is not None}
    if errno.ENETDOWN in numbers:
        return f"{name} was shut down. Bring it up again (sudo ip link set {bus.channel} up)."
    if errno.ENETUNREACH in numbers:
        return f"{name}: There is no network route to the address. {_route_remedy}"
    if numbers & {*_GONE, errno.EIO, errno.EBADF}:
        return f"{name} was removed. Plug the adapter in again."
    if errno.ENOBUFS in numbers or "buffer full" in str(error).lower():
        longer = f", or lengthen the queue (sudo ip link set {bus.channel} txqueuelen 1000)"
        return (
            f"{name} accepts no more frames because no node acknowledges them or its queue is too short."
            f" Check the robot's power, cable and bit rate{longer if bus.interface == 'socketcan' else ''}."
        )
    return f"{name} failed ({_last_text(chain)}). Check adapter and cable."


_multicast_remedy = "Set the channel to a multicast address such as 239.74.163.2."
_route_remedy = (
    "Connect a network, or add the route to loopback (sudo ip route add 224.0.0.0/4 dev lo)."
)


def _channel_remedy(bus: Bus) -> str:
    if bus.interface == "socketcan":
        return (
            f"Plug the adapter in and bring it up (sudo ip link set {bus.channel} up type can bitrate {bus.bitrate}),"
            " or choose another channel."
        )
    if bus.interface in _SERIAL:
        return f"Plug the adapter in, or set the channel to its serial port, such as {channel_like(bus.interface)}."
    return f"Plug the adapter in, or choose another channel{_like(bus)}."


def _like(bus: Bus) -> str:
    like = channel_like(bus.interface)
    return f" (such as {like})" if like else ""


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen = 0
    while error is not None and seen < 10:
        yield error
        error = error.__cause__ or error.__context__
        seen += 1


def _number(error: BaseException) -> int | None:
    number = error.errno if isinstance(error, OSError) else getattr(error, "error_code", None)
    if (
        type(error).__module__ == "termios" and error.args
    ):  # errors of this library do not derive from OSError
        number = error.args[0]
    return number if isinstance(number, int) and not isinstance(error, socket.gaierror) else None


def _last_text(chain: list[BaseException]) -> str:
    texts = [text for each in chain if (text := " ".join(str(each).split()))]
    text = texts[-1] if texts else type(chain[0]).__name__
    return (text if len(text) <= 160 else text[:157] + "...").rstrip(".")
