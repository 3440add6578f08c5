"""All firmware by its name in profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import UsageError
from snakestudio.link.emulator.body import Body
from snakestudio.link.emulator.firmware.cia402 import Cia402Node
from snakestudio.link.emulator.firmware.generic import GenericNode, Rules
from snakestudio.link.emulator.firmware.mit import MitNode
from snakestudio.link.emulator.firmware.odrive import ODriveNode
from snakestudio.link.emulator.node import Node
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import Profile
from snakestudio.model.registry import first_line, titled
from snakestudio.plugins.declaration import Declaration, Table

FIRMWARE: Table[FirmwareKind] = Table()
"""By name."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FirmwareKind(Declaration):
    """The firmware of an emulated node."""

    role: ClassVar[str] = "firmware"
    registry: ClassVar[Any] = FIRMWARE

    calls: ClassVar[Mapping[str, str]] = {"make": "number, axes, loaded, body"}
    makes: ClassVar[Mapping[str, str]] = {"make": "snakestudio.link.emulator.node:Node"}

    name: str
    """Name in profiles."""

    make: Callable[[int, NDArray[np.int64], LoadedProfile, Body], Node]
    """Function that makes a node (`link.emulator.node.Node`) from its number, its axes ((k,)
    integers), the loaded profile, and the body that it moves."""

    title: str = ""
    """Name for people."""

    help: str = ""
    """Sentence for people."""

    several_axes: bool = False
    """Whether a node can have more than one axis."""

    def __post_init__(self) -> None:
        """Set the fields that follow from others."""
        title = self.title or titled(self.name)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "help", self.help or first_line(self.make) or title)

    @property
    def kind_name(self) -> str:
        """Its name."""
        return self.name


_RULES: WeakKeyDictionary[Body, Rules] = WeakKeyDictionary()


def _rules(loaded: LoadedProfile, body: Body) -> Rules:
    """Return the rules of a robot, which its nodes share because a counter belongs to a message, not to a node."""
    if body not in _RULES:
        _RULES[body] = Rules(loaded)
    return _RULES[body]


FIRMWARE.update(
    {
        kind.name: kind
        for kind in (
            FirmwareKind(
                name="generic",
                make=lambda number, axes, loaded, body: GenericNode(
                    number, axes, _rules(loaded, body), body
                ),
                help="Follows the rules of the profile's sequences.",
                several_axes=True,
            ),
            FirmwareKind(name="odrive_can_simple", make=ODriveNode, title="ODrive CANSimple"),
            FirmwareKind(name="cia402", make=Cia402Node, title="CiA 402"),
            FirmwareKind(name="mit", make=MitNode, title="MIT"),
        )
    }
)


def _firmware_of(profile: Profile) -> FirmwareKind:
    """Return the firmware that a profile names.

    Raises `UsageError` if no plug-in has it.
    """
    own = profile.emulation.plugin_firmware
    name = own or profile.emulation.firmware
    if name not in FIRMWARE:
        raise UsageError(
            f'{profile.name}: emulation.plugin_firmware = "{name}" is not known. Load the plug-in that has it with '
            "--plugin FILE."
        )
    return FIRMWARE[name]


def make_nodes(loaded: LoadedProfile, body: Body) -> tuple[Node, ...]:
    """Return the nodes of a profile's robot, in the order of `Profile.nodes`.

    Raises `UsageError` if a drive with one axis would have to move several, or no loaded plug-in
    has the firmware.
    """
    profile = loaded.profile
    firmware = _firmware_of(profile)
    nodes: list[Node] = []
    for number in profile.nodes:
        indices = [index for index, axis in enumerate(profile.axes) if axis.node == number]
        axes = np.array(sorted(indices, key=lambda index: profile.axes[index].slot), np.int64)
        if len(axes) != 1 and not firmware.several_axes:
            raise UsageError(
                f"{profile.name}: node {number} has {len(axes)} axes, but emulated drives of the kind {firmware.name} "
                'have one. Use a separate node for each axis, or set emulation.firmware to "generic".'
            )
        nodes.append(firmware.make(number, axes, loaded, body))
    return tuple(nodes)
