"""What can go wrong with an emulated robot on demand, in the words that the command line and the window use."""

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
    "dropout": "the node loses its power: silent, without torque; it boots when the fault is cleared",
    "babble": "the node floods the bus with copies of what it sent last",
    "bus-off": "the node neither sends nor receives, but its motors run on until its watchdog stops them",
    "frozen-sensor": "the angles that the node measures stay as they are",
    "corrupt": "three of ten of the node's frames come with wrong bits or cut short",
    "late": "the node's frames come 50 to 250 ms late",
    "duplicate-id": "a second node, straight and untold, answers under the same number",
    "reset": "the node boots anew, in mid-gait or whenever; once",
    "overtemperature": "the node's motors are as hot as makes it stop",
    "jam": "the node's joints stay where they are, whatever the motors do",
}
"""Every kind with what happens; lasting until cleared if it does not say otherwise."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong."""

    kind: FaultKind
    """One of `FAULTS`."""

    node: int | None = None
    """Number of the node it happens to; None: to all of them."""


def parse_fault(kind: str, node: str = "") -> Fault:
    """A fault as somebody typed it.

    Raises `UsageError` if there is no such kind, or the node is no number.
    """
    known = next((each for each in FAULTS if each == kind.strip().lower()), None)
    if known is None:
        raise UsageError(f"There is no fault {kind!r}; give one of {', '.join(FAULTS)}.")
    if not node.strip():
        return Fault(known)
    try:
        return Fault(known, int(node, 0))
    except ValueError:
        raise UsageError(f"{node!r} is no number of a node; write a fault as {known}:3.") from None
