"""Requirements of python-can's interfaces on this machine: driver and channel, with examples."""

from __future__ import annotations

import contextlib
import inspect
import sys
from importlib import import_module

from can.interfaces import BACKENDS

from snakestudio.text import capitalized

INTERFACES = tuple(sorted(BACKENDS))
"""Names of all interfaces of python-can."""

_REMEDIES = {
    "canalystii": "install the Python package canalystii",
    "cantact": "install the Python package cantact",
    "etas": "install ETAS BOA (Windows)",
    "gs_usb": "install the Python package gs-usb and libusb, or use it as socketcan on Linux",
    "iscan": "install Thorsis' isCAN driver (Windows)",
    "ixxat": "install Ixxat's VCI driver (Windows)",
    "kvaser": "install Kvaser's CANlib",
    "neousys": "install Neousys' WDT_DIO library",
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
_SERIAL_PORT = "/dev/ttyACM0 or COM3"
_CHANNELS = {
    "canalystii": "0",
    "cantact": "0",
    "etas": "ETAS://ETH/ES910:abcd/CAN:1",
    "gs_usb": "0, the first adapter",
    "iscan": "0",
    "ixxat": "0",
    "kvaser": "0, the first channel of all adapters",
    "neousys": "0",
    "neovi": "1",
    "nican": "CAN0",
    "nixnet": "CAN1",
    "pcan": "PCAN_USBBUS1",
    "robotell": _SERIAL_PORT,
    "seeedstudio": _SERIAL_PORT,
    "serial": _SERIAL_PORT,
    "slcan": _SERIAL_PORT,
    "socketcan": "can0",
    "socketcand": "can0",
    "systec": "0",
    "udp_multicast": "239.74.163.2",
    "usb2can": "ED000100, the adapter's serial number",
    "vector": "0, the first one of the application in Vector Hardware Config",
    "virtual": "robot",
}
_LIBRARIES = {
    "cantact": ("cantact", "cantact"),
    "iscan": ("iscan", "iscan"),
    "kvaser": ("kvaser.canlib", "__canlib"),
    "neousys": ("neousys.neousys", "NEOUSYS_CANLIB"),
    "neovi": ("ics_neovi.neovi_bus", "ics"),
    "nican": ("nican", "nican"),
    "nixnet": ("nixnet", "nixnet"),
    "vector": ("vector.canlib", "xldriver"),
}
"""Attribute in which python-can stores a driver's library; None if the library is missing."""
_WINDOWS = ("etas", "ixxat", "nican", "systec", "usb2can")


def channel_like(interface: str) -> str:
    """Return an example of an interface's channel, such as "can0"; "" if unknown."""
    return _CHANNELS.get(interface, "")


def missing_driver(interface: str) -> str:
    """Return the message for an interface whose driver is missing."""
    remedy = _REMEDIES.get(interface, "install the driver of the adapter")
    return (
        f"The driver of {interface} is not installed on this machine. {capitalized(remedy)}, "
        "or choose another interface."
    )


def driver_problem(interface: str) -> str:
    """Return why an interface of python-can cannot be used here, with the remedy; "" if its driver is installed."""
    if interface in _WINDOWS and sys.platform != "win32":
        return f"The driver of {interface} exists only for Windows. Choose another interface, such as socketcan."
    try:
        _driver(interface)
    except Exception:  # a missing driver causes various errors
        return missing_driver(interface)
    return missing_driver(interface) if _lacks_library(interface) else ""


def arguments_of(interface: str) -> tuple[list[str], list[str]]:
    """Return the named arguments of an interface, and those that are required."""
    parameters = inspect.signature(_driver(interface)).parameters
    named = [name for name in parameters if name not in ("args", "kwargs")]
    return named, [name for name in named if parameters[name].default is inspect.Parameter.empty]


def _driver(interface: str) -> type:
    module, name = BACKENDS[interface]
    driver = getattr(import_module(module), name)
    assert isinstance(driver, type)
    return driver


def _lacks_library(interface: str) -> bool:
    # Some modules of python-can detect a missing library only when a bus is opened.
    if interface == "pcan":
        with contextlib.suppress(OSError):
            import_module("can.interfaces.pcan.basic").PCANBasic()
            return False
        return True
    if interface not in _LIBRARIES:
        return False
    module, name = _LIBRARIES[interface]
    return getattr(import_module(f"can.interfaces.{module}"), name, None) is None
