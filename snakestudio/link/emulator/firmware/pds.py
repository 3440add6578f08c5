"""The state machine of a drive after CiA 402 (IEC 61800-7-201): what the controlword does, what the statusword says."""

from __future__ import annotations

import enum

__all__ = ["Drive", "PdsState"]


class PdsState(enum.IntEnum):
    """States with what bits 6, 5 and 3 to 0 of the statusword say in them."""

    SWITCH_ON_DISABLED = 0x40
    READY_TO_SWITCH_ON = 0x21
    SWITCHED_ON = 0x23
    OPERATION_ENABLED = 0x27
    QUICK_STOP_ACTIVE = 0x07
    FAULT = 0x08


_COMMANDS = (
    # (mask, bits, command): the first that fits, from the table of commands in the controlword
    (0x82, 0x00, "disable voltage"),
    (0x86, 0x02, "quick stop"),
    (0x87, 0x06, "shutdown"),
    (0x8F, 0x0F, "enable operation"),
    (0x8F, 0x07, "switch on"),  # in operation enabled: disable operation
)

_S = PdsState
_TRANSITIONS: dict[tuple[PdsState, str], PdsState] = {
    (_S.SWITCH_ON_DISABLED, "shutdown"): _S.READY_TO_SWITCH_ON,
    (_S.READY_TO_SWITCH_ON, "switch on"): _S.SWITCHED_ON,
    (_S.READY_TO_SWITCH_ON, "enable operation"): _S.SWITCHED_ON,  # by way of, and on with the next controlword
    (_S.READY_TO_SWITCH_ON, "disable voltage"): _S.SWITCH_ON_DISABLED,
    (_S.READY_TO_SWITCH_ON, "quick stop"): _S.SWITCH_ON_DISABLED,
    (_S.SWITCHED_ON, "shutdown"): _S.READY_TO_SWITCH_ON,
    (_S.SWITCHED_ON, "enable operation"): _S.OPERATION_ENABLED,
    (_S.SWITCHED_ON, "disable voltage"): _S.SWITCH_ON_DISABLED,
    (_S.SWITCHED_ON, "quick stop"): _S.SWITCH_ON_DISABLED,
    (_S.OPERATION_ENABLED, "switch on"): _S.SWITCHED_ON,
    (_S.OPERATION_ENABLED, "shutdown"): _S.READY_TO_SWITCH_ON,
    (_S.OPERATION_ENABLED, "disable voltage"): _S.SWITCH_ON_DISABLED,
    (_S.OPERATION_ENABLED, "quick stop"): _S.QUICK_STOP_ACTIVE,
    (_S.QUICK_STOP_ACTIVE, "disable voltage"): _S.SWITCH_ON_DISABLED,
}

_FAULT_RESET, _VOLTAGE, _REMOTE, _FOLLOWS = 0x80, 0x10, 0x200, 0x1000


class Drive:
    """A drive's state.

    Attributes
    ----------
    state : PdsState
    """

    def __init__(self) -> None:
        self.state = PdsState.SWITCH_ON_DISABLED
        self._before = 0

    def control(self, word: int, fault_gone: bool) -> None:
        """Carry out a controlword; a fault is left by a rising edge of bit 7 and only if what caused it is gone."""
        edge = bool(word & _FAULT_RESET and not self._before & _FAULT_RESET)
        self._before = word
        if self.state is PdsState.FAULT:
            if edge and fault_gone:
                self.state = PdsState.SWITCH_ON_DISABLED
            return
        command = next((name for mask, bits, name in _COMMANDS if word & mask == bits), "")
        self.state = _TRANSITIONS.get((self.state, command), self.state)

    def fail(self) -> None:
        """To the fault state, through a fault reaction that takes no time."""
        self.state = PdsState.FAULT

    def disable(self) -> None:
        """Torque off without a fault."""
        self.state = PdsState.SWITCH_ON_DISABLED

    def statusword(self, follows: bool) -> int:
        """Bits 0 to 9 and 12; `follows`: whether it follows the target (bit 12 in cyclic synchronous modes)."""
        word = int(self.state) | _REMOTE | _VOLTAGE
        return word | _FOLLOWS if follows else word
