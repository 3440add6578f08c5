"""CAN interfaces of this machine with their channels, for lists to choose from."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from can.interfaces import BACKENDS

from snakestudio.link.bus.drivers import driver_problem, missing_driver

_COMMON = ("socketcan", "pcan", "kvaser", "vector", "gs_usb", "slcan", "udp_multicast", "virtual")
_SERIAL = ("robotell", "seeedstudio", "slcan")
_ONE_PROCESS = "It connects buses only within one process, but the link runs in a separate one. Use udp_multicast."
_CAN_DEVICE = "280"  # ARPHRD_CAN of linux/if_arp.h


@dataclass(frozen=True, slots=True)
class Adapter:
    """An interface of python-can."""

    interface: str
    channels: tuple[str, ...]
    """Channels that were found; empty if there are none, or the interface cannot list them."""

    problem: str = ""
    """Why the interface cannot be used here, with the remedy; "" if it can."""


def available(timeout: float = 1.5) -> list[Adapter]:
    """Return all interfaces: first those with channels, then those that can be used, common ones before others.

    Takes as long as the slowest driver's search, at most `timeout` s; call it from a thread.
    """
    by_interface: dict[str, Adapter] = {}

    def search(interface: str) -> None:
        by_interface[interface] = _search(interface)

    threads = [
        threading.Thread(
            target=search, args=(name,), name=f"snakestudio-search-{name}", daemon=True
        )
        for name in BACKENDS
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + timeout
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    slow = (
        "Its driver does not respond. Unplug the adapter, plug it in again, and repeat the search."
    )
    adapters = [by_interface.get(name) or Adapter(name, (), slow) for name in BACKENDS]

    def order(adapter: Adapter) -> tuple[bool, bool, int, str]:
        common = _COMMON.index(adapter.interface) if adapter.interface in _COMMON else len(_COMMON)
        return bool(adapter.problem), not adapter.channels, common, adapter.interface

    return sorted(adapters, key=order)


def _search(interface: str) -> Adapter:
    if interface == "socketcan":
        return _socketcan()
    if problem := driver_problem(interface):
        return Adapter(interface, (), problem)
    if interface in _SERIAL:
        return Adapter(interface, _serial_ports())
    if interface == "virtual":
        return Adapter(interface, (), _ONE_PROCESS)
    if interface == "socketcand":
        return Adapter(
            interface, ()
        )  # detection would query the whole network and wait for replies
    module, name = BACKENDS[interface]
    driver = getattr(import_module(module), name)
    try:
        channels = [str(each.get("channel", "")) for each in driver._detect_available_configs()]
    except OSError:
        return Adapter(interface, (), missing_driver(interface))
    except Exception:  # this interface cannot list its channels
        channels = []
    if interface == "udp_multicast":
        # IPv4 works on loopback without configuration
        channels.sort(key=lambda channel: ":" in channel)
    return Adapter(interface, tuple(dict.fromkeys(channel for channel in channels if channel)))


def _socketcan() -> Adapter:
    if sys.platform != "linux":
        return Adapter(
            "socketcan",
            (),
            "SocketCAN exists only on Linux. Choose the interface of the adapter's manufacturer.",
        )
    channels = []
    for device in sorted(Path("/sys/class/net").glob("*")):
        with contextlib.suppress(OSError):
            if (device / "type").read_text().strip() == _CAN_DEVICE:
                channels.append(device.name)
    if not channels and not _has_socketcan():
        return Adapter(
            "socketcan",
            (),
            "This kernel has no SocketCAN. Load it (sudo modprobe can can_raw), or choose another interface.",
        )
    return Adapter("socketcan", tuple(channels))


def _has_socketcan() -> bool:
    import socket

    try:
        socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW).close()
    except (OSError, AttributeError):
        return False
    return True


def _serial_ports() -> tuple[str, ...]:
    from serial.tools.list_ports import comports

    with contextlib.suppress(Exception):  # unusual devices of the operating system
        # Serial ports of the mainboard, which have no vendor id, are not adapters.
        return tuple(port.device for port in comports() if port.vid is not None)
    return ()
