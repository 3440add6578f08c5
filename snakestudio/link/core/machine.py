"""States of the link and their transitions as one table: no other transition is possible."""

from __future__ import annotations

from typing import Literal

from snakestudio.link.messages import LinkState

Trigger = Literal[
    "bus_opened",
    "bus_closed",
    "disconnect",
    "idle",
    "listen",
    "armed",
    "disarmed",
    "stream",
    "hold",
    "fault",
    "reset",
]
"""Triggers of transitions.

`bus_opened`, `bus_closed`: reported by the adapter. `armed`, `disarmed`: confirmed by the robot.
`fault`: stopped while torque was or may have been on. All others are commands of the operator:
`hold` leads from STREAMING back to ARMED.
"""

_S = LinkState

TRANSITIONS: dict[tuple[LinkState, Trigger], LinkState] = {
    (_S.DISCONNECTED, "bus_opened"): _S.LISTENING,
    (_S.LISTENING, "bus_closed"): _S.DISCONNECTED,
    (_S.LISTENING, "disconnect"): _S.DISCONNECTED,
    (_S.LISTENING, "idle"): _S.IDLE,
    (_S.IDLE, "bus_closed"): _S.DISCONNECTED,
    (_S.IDLE, "disconnect"): _S.DISCONNECTED,
    (_S.IDLE, "listen"): _S.LISTENING,
    (_S.IDLE, "armed"): _S.ARMED,
    # During arming, torque may already be on.
    (_S.IDLE, "fault"): _S.FAULT,
    (_S.ARMED, "disarmed"): _S.IDLE,
    (_S.ARMED, "stream"): _S.STREAMING,
    (_S.ARMED, "fault"): _S.FAULT,
    (_S.STREAMING, "hold"): _S.ARMED,
    (_S.STREAMING, "fault"): _S.FAULT,
    (_S.FAULT, "reset"): _S.IDLE,
    # The other exit: the operator closes the bus. A robot that is still armed reports this at the
    # next connection.
    (_S.FAULT, "disconnect"): _S.DISCONNECTED,
}
"""All transitions. A failure of the bus does not leave FAULT, and only ARMED leads to STREAMING."""


class Machine:
    """The state, which only `fire` changes."""

    def __init__(self) -> None:
        self.state = LinkState.DISCONNECTED

    def fire(self, trigger: Trigger) -> bool:
        """Change the state according to the table; False, without a change, if there is no transition."""
        after = TRANSITIONS.get((self.state, trigger))
        if after is None:
            return False
        self.state = after
        return True
