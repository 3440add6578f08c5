"""Faults of an emulated robot, with their names and descriptions for command line and window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from snakestudio.errors import UsageError

FaultKind = Literal[
    "dropout",
    "babble",
    "bus-off",
    "frozen-sensor",
    "corrupt",
    "late",
    "duplicate-id",
    "reset",
    "overtemperature",
    "jam",
]

FAULTS: dict[FaultKind, str] = {
    "dropout": "the node loses power and torque; it reboots when the fault is cleared",
    "babble": "the node floods the bus with copies of its last frame",
    "bus-off": "the node neither sends nor receives, but its motors run until its watchdog stops them",
    "frozen-sensor": "the measured angles of the node do not change",
    "corrupt": "30 % of the node's frames have wrong bits or are truncated",
    "late": "the node's frames are 50 to 250 ms late",
    "duplicate-id": "a second node with straight joints responds with the same number",
    "reset": "the node reboots once",
    "overtemperature": "the node's motors overheat, so that it stops",
    "jam": "the node's joints are jammed at their actual angles",
}
"""Kinds of faults with descriptions; they last until cleared unless stated otherwise."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of an emulated robot."""

    kind: FaultKind
    """One of `FAULTS`."""

    node: int | None = None
    """Number of the node; None for all nodes."""


def parse_fault(kind: str, node: str = "") -> Fault:
    """Return the fault of a typed kind and node.

    Raises `UsageError` if the kind does not exist, or the node is not a number.
    """
    known = next((each for each in FAULTS if each == kind.strip().lower()), None)
    if known is None:
        raise UsageError(f"There is no fault {kind!r}. Use one of {', '.join(FAULTS)}.")
    if not node.strip():
        return Fault(known)
    try:
        return Fault(known, int(node, 0))
    except ValueError:
        raise UsageError(
            f"{node!r} is not the number of a node. Write a fault like {known}:3."
        ) from None
