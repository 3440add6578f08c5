"""The link's states and the ways between them, as one table: what is not in it cannot happen."""

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
"""What leads from state to state.

`bus_opened`, `bus_closed`: the adapter says so. `armed`, `disarmed`: the robot was seen to be so.
`fault`: it was stopped while torque was on, or may have been. All others are the operator's wish:
`hold` goes from STREAMING back to ARMED.
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
    # While arming, torque may be on already.
    (_S.IDLE, "fault"): _S.FAULT,
    (_S.ARMED, "disarmed"): _S.IDLE,
    (_S.ARMED, "stream"): _S.STREAMING,
    (_S.ARMED, "fault"): _S.FAULT,
    (_S.STREAMING, "hold"): _S.ARMED,
    (_S.STREAMING, "fault"): _S.FAULT,
    (_S.FAULT, "reset"): _S.IDLE,
    # The other way out: the operator takes the bus away. A robot that is still armed says so at the
    # next connection.
    (_S.FAULT, "disconnect"): _S.DISCONNECTED,
}
"""Every transition there is. A bus that fails does not lead out of FAULT, and nothing leads to
STREAMING but ARMED."""


class Machine:
    """The state, and the only way to change it."""

    def __init__(self) -> None:
        self.state = LinkState.DISCONNECTED

    def fire(self, trigger: Trigger) -> bool:
        """Go where the table leads to; False, and nothing changed, if it has no way from here."""
        after = TRANSITIONS.get((self.state, trigger))
        if after is None:
            return False
        self.state = after
        return True
