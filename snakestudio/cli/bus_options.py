"""Options that replace the CAN bus of a profile, shared by all commands that open one."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.link.profile.schema import Bus

_FIRST_CHANNELS = {
    "socketcan": "can0",
    "udp_multicast": "239.74.163.2",
    "virtual": "robot",
    "pcan": "PCAN_USBBUS1",
}
"""Default channel of an interface: its first one, or the usual one."""


def add_bus_arguments(
    parser: argparse._ActionsContainer, otherwise: str = "that of the profile"
) -> None:
    """Declare --interface, --channel, --bitrate and --port.

    Parameters
    ----------
    otherwise : str
        Default interface, as text for the help.
    """
    parser.add_argument(
        "--interface",
        metavar="NAME",
        help=f"python-can's name of the adapter, such as socketcan, pcan, slcan or udp_multicast ({otherwise})",
    )
    parser.add_argument(
        "--channel",
        metavar="NAME",
        help="channel of the adapter, serial port or multicast address (that of the profile)",
    )
    parser.add_argument(
        "--bitrate",
        metavar="N",
        type=int,
        help="bit rate of the bus in bit/s (that of the profile)",
    )
    parser.add_argument("--port", metavar="N", type=int, help="UDP port of udp_multicast (43113)")


def chosen_bus(bus: Bus, options: argparse.Namespace, *, alone: bool = False) -> Bus:
    """Return the profile's bus, with the values of the options.

    Raises `UsageError` if a value is invalid.

    Parameters
    ----------
    alone : bool
        Whether a bus inside this process is allowed.
    """
    from pydantic import ValidationError

    from snakestudio.link.profile.schema import Bus
    from snakestudio.model.validation_messages import problem_of

    values: dict[str, object] = bus.model_dump()
    if options.interface is not None and options.interface != bus.interface:
        # Channel and options of one adapter mean nothing to another.
        values |= {
            "interface": options.interface,
            "channel": _FIRST_CHANNELS.get(options.interface, ""),
            "options": {},
        }
    if options.channel is not None:
        values["channel"] = options.channel
    if options.bitrate is not None:
        values["bitrate"] = options.bitrate
    if options.port is not None:
        if values["interface"] != "udp_multicast":
            raise UsageError(
                f"--port goes with --interface udp_multicast, not with {values['interface']}."
            )
        bus_options = values["options"]
        values["options"] = {
            **(bus_options if isinstance(bus_options, dict) else {}),
            "port": options.port,
        }
    if values["interface"] == "virtual" and not alone:
        raise UsageError(
            "The interface virtual connects buses inside one process only, and this process contains no robot. Choose"
            " the interface of the adapter with --interface, or udp_multicast for an emulated robot."
        )
    try:
        return Bus.model_validate(values)
    except ValidationError as error:
        problem = problem_of(error.errors(include_url=False)[0], Bus)
        raise UsageError(replace(problem, key=f"--{problem.key}").sentence()) from None
