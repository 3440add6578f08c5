"""ODrive's CAN Simple protocol, according to its manual: an axis with states, latched errors and a watchdog.

Ids are ``node << 5 | command``; numbers are little-endian; positions are in turns, rates in
turns/s. A remote frame with a "get" command is answered with the same id. All messages to an axis
feed its watchdog.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.emulator.body import Body
from snakestudio.link.emulator.firmware.settings import binding
from snakestudio.link.emulator.node import Address, Cyclic, Node, Reason
from snakestudio.link.frame import Frame
from snakestudio.link.profile.loading import LoadedProfile

_TURN = 2.0 * math.pi

_GET_VERSION = 0x00
_HEARTBEAT = 0x01
_ESTOP = 0x02
_GET_ERROR = 0x03
_SET_STATE = 0x07
_GET_ESTIMATES = 0x09
_SET_MODE = 0x0B
_SET_POSITION = 0x0C
_GET_CURRENTS = 0x14
_GET_TEMPERATURES = 0x15
_REBOOT = 0x16
_GET_BUS = 0x17
_CLEAR_ERRORS = 0x18
_SET_ABSOLUTE = 0x19
_GET_TORQUES = 0x1C

_IDLE = 1
_CLOSED_LOOP = 8
# procedure results
_SUCCESS = 0
_DISARMED = 3
_OVERHEATED = 0x2000
_EXPIRED = 0x1000000
_STOPPED = 0x2000000
_POSITION_CONTROL = 3
_USUAL = {_HEARTBEAT: 0.1, _GET_ESTIMATES: 0.01}


class ODriveNode(Node):
    """An axis of an ODrive.

    Parameters
    ----------
    axes : (1,) int array
    loaded : LoadedProfile
        Its messages define the intervals of cyclic messages.
    """

    feeds_by_anything = True

    def __init__(
        self, number: int, axes: NDArray[np.int64], loaded: LoadedProfile, body: Body
    ) -> None:
        super().__init__(number, axes, loaded.profile, body)
        self._errors = self._reason = 0
        self._result = _SUCCESS
        self._mode = _POSITION_CONTROL
        self._answers: dict[int, Callable[[], bytes]] = {
            _GET_VERSION: lambda: bytes([2, 4, 4, 58, 0, 6, 9, 0]),
            _HEARTBEAT: self._heartbeat,
            _GET_ERROR: lambda: struct.pack("<II", self._errors, self._reason),
            _GET_ESTIMATES: lambda: struct.pack(
                "<ff", self.position[0] / _TURN, self.velocity[0] / _TURN
            ),
            _GET_CURRENTS: self._currents,
            _GET_TEMPERATURES: self._temperatures,
            _GET_BUS: self._bus,
            _GET_TORQUES: lambda: struct.pack("<ff", self.effort[0], self.effort[0]),
        }
        for command in self._answers:
            bound = binding(loaded, number, number << 5 | command)
            every = _USUAL.get(command) if bound is None or bound.every_s is None else bound.every_s
            if every is not None:
                self.cyclic.append(Cyclic(every, lambda command=command: self._frame(command)))  # type: ignore[misc]

    def _frame(self, command: int) -> Frame:
        return Frame(self.number << 5 | command, self._answers[command]())

    def _heartbeat(self) -> bytes:
        state = _CLOSED_LOOP if self.torque else _IDLE
        return struct.pack("<IBBBB", self._errors, state, self._result, 1, 0)

    def _currents(self) -> bytes:
        current = float(self._sign[0] * self.body.current[self.axes[0]])
        return struct.pack("<ff", current, current)

    def _temperatures(self) -> bytes:
        motor = float(self.body.temperature[self.axes[0]])
        return struct.pack("<ff", self.profile.emulation.air_c, motor)

    def _bus(self) -> bytes:
        supply = self.profile.emulation.supply_v
        power = float(self.body.torque[self.axes[0]] * self.body.rate[self.axes[0]])
        return struct.pack("<ff", supply, power / supply if supply else 0.0)

    def addresses(self) -> set[Address]:
        """Return the ids of all 32 commands of its number."""
        return {(self.number << 5 | command, False) for command in range(32)}

    @property
    def condition(self) -> str:
        """State of the axis."""
        return (
            f"error 0x{self._errors:x}"
            if self._errors
            else "closed loop"
            if self.torque
            else "idle"
        )

    def booted(self, now: float) -> None:
        """Become idle, without errors."""
        self._errors = self._reason = 0
        self._result = _SUCCESS
        self._mode = _POSITION_CONTROL
        for each in self.cyclic:
            each.begin(now)

    def tripped(self, reason: Reason, now: float) -> None:
        """Latch the error until it is cleared."""
        error = _EXPIRED if reason == "watchdog" else _OVERHEATED
        self._errors |= error
        self._reason = error
        self._result = _DISARMED

    def receive(self, frame: Frame, now: float) -> None:
        """Receive a frame; frames from axes, which share the ids of requests, are ignored."""
        command = frame.id & 0x1F
        if frame.remote or command not in self._answers:
            super().receive(frame, now)

    def handle(self, frame: Frame, now: float) -> None:
        """Carry out a command."""
        command = frame.id & 0x1F
        if frame.remote:
            if command in self._answers:
                self.outbox.append(self._frame(command))
            return
        try:
            self._carry_out(command, frame.data, now)
        except struct.error:  # shorter than the command
            self.rejected += 1

    def _carry_out(self, command: int, data: bytes, now: float) -> None:
        if command == _SET_STATE:
            self._enter(struct.unpack_from("<I", data)[0], now)
        elif command == _SET_POSITION:
            turns, rate, _ = struct.unpack_from("<fhh", data)
            if not math.isfinite(turns):
                self.rejected += 1
            elif self._mode == _POSITION_CONTROL:
                self.drive(np.array([_TURN * turns]), np.array([_TURN * 0.001 * rate]), now)
        elif command == _SET_MODE:
            self._mode = struct.unpack_from("<II", data)[0]
        elif command == _ESTOP:
            self.record_event(now, "stop_received", "received an emergency stop")
            self._errors |= _STOPPED
            self._reason = _STOPPED
            self._result = _DISARMED
            self.switch_off(now, "disarmed", "stopped")
        elif command == _CLEAR_ERRORS:
            self._errors = self._reason = 0
            self._result = _SUCCESS
        elif command == _SET_ABSOLUTE:
            self.set_zero(_TURN * struct.unpack_from("<f", data)[0])
        elif command == _REBOOT:
            self.power_on(now)

    def _enter(self, state: int, now: float) -> None:
        if state == _CLOSED_LOOP:
            if not self._errors:
                self._result = _SUCCESS
                self.switch_on(now)
        elif state == _IDLE:
            self.switch_off(now, "disarmed", "is idle")
