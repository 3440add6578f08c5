"""What goes wrong with CAN adapters, in sentences: drivers say it in numbers, tracebacks or somebody else's words."""

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

# What drivers say goes into our own sentences, not onto a terminal that nobody sees.
logging.getLogger("can").addHandler(logging.NullHandler())

_SERIAL = ("robotell", "seeedstudio", "serial", "slcan")
_GONE = (errno.ENODEV, errno.ENXIO, errno.ENOENT)
_DENIED = (errno.EACCES, errno.EPERM)


class BusSetupError(LinkError):
    """The bus cannot be opened as it is set up, however often it is tried."""


class UnreadableError(LinkError):
    """Something came that is no frame; the bus itself is well."""


def named(bus: Bus) -> str:
    """A bus as sentences call it: "socketcan can0"."""
    return f"{bus.interface} {bus.channel}".strip()


def unknown_interface(name: str) -> BusSetupError:
    """For an interface that python-can does not know."""
    known = [*BACKENDS, "replay"]
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    remedy = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(sorted(known))}."
    return BusSetupError(f'There is no CAN interface "{name}"; {remedy}')


def without_driver(bus: Bus, problem: str = "") -> BusSetupError:
    """For a bus whose driver is not there.

    Parameters
    ----------
    problem : str
        What is known of it, a sentence.
    """
    said = f"{named(bus)}: {_lower(problem or missing_driver(bus.interface))}"
    like = channel_like(bus.interface)
    return BusSetupError(
        said if bus.channel or not like else f"{said} It needs a channel, too, such as {like}."
    )


def missing_arguments(bus: Bus, missing: Iterable[str]) -> BusSetupError:
    """For a bus that cannot be opened without a channel, or without options that nobody gave."""
    if "channel" in missing:
        return BusSetupError(
            f"{named(bus)}: no channel was chosen; give one such as {channel_like(bus.interface)}."
        )
    names = " and ".join(missing)
    return BusSetupError(
        f"{named(bus)}: it cannot do without {names}; give them as options of the bus, when connecting or in the"
        " profile."
    )


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
        return LinkError(
            f"{name}: another program uses it; close that one, or choose another channel."
        )
    if isinstance(
        error, (can.CanInterfaceNotImplementedError, ImportError, NameError, AttributeError)
    ) or (isinstance(error, OSError) and not numbers):
        return without_driver(bus)
    if bus.interface in _SERIAL and errno.ENOTTY in numbers:
        return BusSetupError(f"{name}: this is no serial port; {_channel_remedy(bus)}")
    if numbers & set(_GONE):
        return LinkError(f"{name}: there is no such channel here; {_channel_remedy(bus)}")
    if errno.ENETUNREACH in numbers:
        return LinkError(f"{name}: no network leads there; {_route_remedy}")
    if bus.interface == "udp_multicast" and errno.EINVAL in numbers:
        return BusSetupError(f"{name}: this is no multicast address; {_multicast_remedy}")
    said = _said(chain)
    if any(isinstance(each, (TypeError, ValueError)) for each in chain):
        return BusSetupError(
            f"{name}: it cannot be set up so ({said}); mend channel{_like(bus)}, bit rate or options."
        )
    return LinkError(
        f"{name}: it cannot be opened ({said}); look after adapter, cable and channel{_like(bus)}."
    )


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
_route_remedy = (
    "connect a network, or give loopback the route (sudo ip route add 224.0.0.0/4 dev lo)."
)


def _channel_remedy(bus: Bus) -> str:
    if bus.interface == "socketcan":
        return (
            f"plug the adapter in and bring it up (sudo ip link set {bus.channel} up type can bitrate {bus.bitrate}),"
            " or choose another channel."
        )
    if bus.interface in _SERIAL:
        return f"plug the adapter in, or give its serial port as channel, such as {channel_like(bus.interface)}."
    return f"plug the adapter in, or choose another channel{_like(bus)}."


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
    ):  # its errors are none of the operating system's by type
        number = error.args[0]
    return number if isinstance(number, int) and not isinstance(error, socket.gaierror) else None


def _said(chain: list[BaseException]) -> str:
    texts = [text for each in chain if (text := " ".join(str(each).split()))]
    text = texts[-1] if texts else type(chain[0]).__name__
    return (text if len(text) <= 160 else text[:157] + "...").rstrip(".")


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
