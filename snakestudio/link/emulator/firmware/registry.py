"""All firmware by the name that a profile gives it."""

from __future__ import annotations

import numpy as np

from snakestudio.errors import UsageError
from snakestudio.link.emulator.body import Body
from snakestudio.link.emulator.firmware.cia402 import Cia402Node
from snakestudio.link.emulator.firmware.generic import GenericNode, Rules
from snakestudio.link.emulator.firmware.mit import MitNode
from snakestudio.link.emulator.firmware.odrive import ODriveNode
from snakestudio.link.emulator.node import Node
from snakestudio.link.profile.loading import LoadedProfile

__all__ = ["make_nodes"]

_DRIVES: dict[str, type[Cia402Node] | type[MitNode] | type[ODriveNode]] = {
    "odrive_can_simple": ODriveNode,
    "cia402": Cia402Node,
    "mit": MitNode,
}


def make_nodes(loaded: LoadedProfile, body: Body) -> tuple[Node, ...]:
    """The nodes of a profile's robot, in the order of `Profile.nodes`.

    Raises
    ------
    UsageError
        If a drive with one axis has to move several.
    """
    profile = loaded.profile
    firmware = profile.emulation.firmware
    rules = Rules(loaded) if firmware == "generic" else None
    nodes: list[Node] = []
    for number in profile.nodes:
        indices = [index for index, axis in enumerate(profile.axes) if axis.node == number]
        axes = np.array(sorted(indices, key=lambda index: profile.axes[index].slot), np.int64)
        if rules is not None:
            nodes.append(GenericNode(number, axes, rules, body))
            continue
        if len(axes) != 1:
            raise UsageError(
                f"{profile.name}: node {number} has {len(axes)} axes, but emulated drives of the kind {firmware} have "
                'one; give every axis a node of its own, or set emulation.firmware to "generic".'
            )
        nodes.append(_DRIVES[firmware](number, axes, loaded, body))
    return tuple(nodes)
