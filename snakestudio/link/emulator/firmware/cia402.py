"""A CANopen drive (CiA 301) in cyclic synchronous position mode (CiA 402): NMT, heartbeat, SDO, SYNC and PDOs.

RPDO 1 is the target position, which takes effect at the next SYNC if the profile sends one, RPDO 2
the controlword, TPDO 1 statusword and actual position, TPDO 2 actual velocity and torque, both with
SYNC if they have no interval. Positions are in increments; all numbers are little-endian.
"""

from __future__ import annotations

import enum
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

_NMT = 0x000
_SYNC = 0x080
_EMERGENCY = 0x080
_TPDO1 = 0x180
_RPDO1 = 0x200
_TPDO2 = 0x280
_RPDO2 = 0x300
_SDO_ANSWER = 0x580
_SDO_REQUEST = 0x600
_HEARTBEAT = 0x700
_OPERATIONAL = 0x05
_STOPPED = 0x04
_PRE_OPERATIONAL = 0x7F
_CSP = 8
_QUICK_STOP_S = 0.02
"""Duration of the slow-down ramp of a quick stop, after which the drive disables itself (option code
2), s."""

# emergency error codes: RPDO timeout; excess temperature of the device
_LOST = 0x8250
_TOO_HOT = 0x4210
_NO_OBJECT = 0x06020000
_READ_ONLY = 0x06010002
_WRONG_LENGTH = 0x06070010
_BAD_COMMAND = 0x05040001


class Cia402Node(Node):
    """A drive.

    Parameters
    ----------
    axes : (1,) int array
    loaded : LoadedProfile
        Its messages define what the drive sends by itself, and how often.
    """

    def __init__(
        self, number: int, axes: NDArray[np.int64], loaded: LoadedProfile, body: Body
    ) -> None:
        super().__init__(number, axes, loaded.profile, body)
        self._increments = loaded.profile.emulation.increments_per_turn / (2.0 * math.pi)
        self._synchronous = any(message.role == "sync" for message in loaded.profile.messages)
        self._drive = Drive()
        self._nmt = _PRE_OPERATIONAL
        self._mode = 0
        self._error = 0
        self._target: float | None = None
        self._pending: bytes | None = None
        self._ramped = math.inf
        heartbeat = binding(loaded, number, _HEARTBEAT + number)
        every = 0.1 if heartbeat is None or heartbeat.every_s is None else heartbeat.every_s
        self._cyclic_heartbeat = Cyclic(
            every, lambda: Frame(_HEARTBEAT + number, bytes([self._nmt]))
        )
        self.cyclic.append(self._cyclic_heartbeat)
        self._tpdos: list[Callable[[], Frame]] = []
        for base, make in ((_TPDO1, self._tpdo1), (_TPDO2, self._tpdo2)):
            bound = binding(loaded, number, base + number)
            if bound is None:
                continue
            if self._synchronous and bound.every_s is None:
                self._tpdos.append(make)
            else:
                self.cyclic.append(
                    Cyclic(bound.every_s or loaded.profile.timing.set_point_rate_hz**-1, make)
                )

    # -------------------------------------------------------------------------------- what it sends

    def _tpdo1(self) -> Frame:
        position = round(float(self.position[0]) * self._increments)
        return Frame(_TPDO1 + self.number, struct.pack("<Hi", self._statusword, _within(position)))

    def _tpdo2(self) -> Frame:
        velocity = round(float(self.velocity[0]) * self._increments)
        return Frame(_TPDO2 + self.number, struct.pack("<ih", _within(velocity), self._torque))

    @property
    def _statusword(self) -> int:
        return self._drive.statusword(self.torque and self._mode == _CSP)

    @property
    def _torque(self) -> int:
        """Return the torque in per mille of the rated torque, which is the largest."""
        return round(
            1000.0 * float(self.effort[0] * self._gear[0]) / self.profile.emulation.max_torque_nm
        )

    def _emergency(self, code: int) -> None:
        register = 0x00 if code == 0 else 0x09 if code == _TOO_HOT else 0x11
        self.outbox.append(Frame(_EMERGENCY + self.number, struct.pack("<HB5x", code, register)))

    # -------------------------------------------------------------------------------- as every node

    def addresses(self) -> set[Address]:
        """Return the ids of NMT, SYNC, its RPDOs and its SDO server."""
        own = (_RPDO1 + self.number, _RPDO2 + self.number, _SDO_REQUEST + self.number)
        return {(address, False) for address in (_NMT, _SYNC, *own)}

    @property
    def condition(self) -> str:
        """States of the NMT and drive state machines."""
        network = {_OPERATIONAL: "operational", _STOPPED: "stopped"}.get(
            self._nmt, "pre-operational"
        )
        return f"{network}, {self._drive.state.name.lower().replace('_', ' ')}"

    def booted(self, now: float) -> None:
        """Send the boot-up message, and become pre-operational."""
        self._drive = Drive()
        self._mode = 0
        self._error = 0
        self._target = self._pending = None
        self._ramped = math.inf
        self._nmt = _PRE_OPERATIONAL
        self.outbox.append(Frame(_HEARTBEAT + self.number, b"\x00"))
        self._cyclic_heartbeat.begin(now + self._cyclic_heartbeat.every)

    def tripped(self, reason: Reason, now: float) -> None:
        """Enter the fault state, with an emergency message."""
        self._error = _LOST if reason == "watchdog" else _TOO_HOT
        self._drive.fail()
        self._emergency(self._error)

    def poll(self, now: float) -> None:
        """Carry out what is due; a quick stop ends in the safe state."""
        super().poll(now)
        if self.torque and now >= self._ramped:
            self._drive.disable()
            self._follow_drive(now)

    @property
    def due(self) -> float:
        """Time of the next poll, s."""
        return min(super().due, self._ramped)

    def handle(self, frame: Frame, now: float) -> None:
        """Carry out a frame."""
        if frame.remote:
            return
        if frame.id == _NMT:
            if len(frame.data) >= 2 and frame.data[1] in (0, self.number):
                self._manage(frame.data[0], now)
        elif frame.id == _SYNC:
            self._sync(now)
        elif frame.id == _RPDO1 + self.number:
            self._rpdo1(frame.data, now)
        elif frame.id == _RPDO2 + self.number:
            self._rpdo2(frame.data, now)
        elif self._nmt != _STOPPED:
            self._sdo(frame.data, now)

    # ------------------------------------------------------------------------------------------ NMT

    def _manage(self, command: int, now: float) -> None:
        if command in (0x81, 0x82):
            self.power_on(now)
            return
        state = {0x01: _OPERATIONAL, 0x02: _STOPPED, 0x80: _PRE_OPERATIONAL}.get(command)
        if state is None or state == self._nmt:
            return
        self._nmt = state
        for each in self.cyclic[1:]:
            if state == _OPERATIONAL:
                each.begin(now)
            else:
                each.end()
        if state != _OPERATIONAL:
            self._pending = None
            if self._drive.state is not PdsState.FAULT:
                self._drive.disable()
                self._follow_drive(now)

    # --------------------------------------------------------------------------------- PDO and SYNC

    def _rpdo1(self, data: bytes, now: float) -> None:
        if self._nmt != _OPERATIONAL:
            return
        if len(data) < 4:
            self.rejected += 1
            return
        self.feed(now)
        if self._synchronous:
            self._pending = data
        else:
            self._apply_target(data, now)

    def _rpdo2(self, data: bytes, now: float) -> None:
        if self._nmt != _OPERATIONAL:
            return
        if len(data) < 2:
            self.rejected += 1
            return
        self._control(struct.unpack_from("<H", data)[0], now)

    def _sync(self, now: float) -> None:
        if self._nmt != _OPERATIONAL:
            return
        if self._pending is not None:
            self._apply_target(self._pending, now)
            self._pending = None
        self.outbox.extend(make() for make in self._tpdos)

    def _apply_target(self, data: bytes, now: float) -> None:
        self._target = struct.unpack_from("<i", data)[0] / self._increments
        if self.torque and self._mode == _CSP and self._drive.state is PdsState.OPERATION_ENABLED:
            self.drive(np.array([self._target]), np.zeros(1), now)

    # ------------------------------------------------------------------------------------ the drive

    def _control(self, controlword: int, now: float) -> None:
        before = self._drive.state
        self._drive.control(controlword, fault_cleared=not self.body.overheated[self.axes].any())
        if self._drive.state is before:
            return
        if before is PdsState.FAULT:
            self._error = 0
            self._emergency(0)
        if before is PdsState.OPERATION_ENABLED:
            self.record_event(
                now,
                "stop_received",
                f"received the command for {self._drive.state.name.lower().replace('_', ' ')}",
            )
        self._follow_drive(now)

    def _follow_drive(self, now: float) -> None:
        """Switch the motors according to the state of the drive."""
        self._ramped = math.inf
        if self._drive.state is PdsState.OPERATION_ENABLED:
            self.switch_on(now)
        elif self._drive.state is PdsState.QUICK_STOP_ACTIVE:
            self.body.hold(self.axes)
            self._ramped = now + _QUICK_STOP_S
        else:
            self.switch_off(
                now, "disarmed", f"is {self._drive.state.name.lower().replace('_', ' ')}"
            )

    # ------------------------------------------------------------------------------------------ SDO

    def _objects(self) -> dict[tuple[int, int], tuple[str, int]]:
        """Return the readable objects: format and value by index and subindex."""
        interval = (
            0
            if math.isinf(self._cyclic_heartbeat.every)
            else round(1000.0 * self._cyclic_heartbeat.every)
        )
        position = _within(round(float(self.position[0]) * self._increments))
        velocity = _within(round(float(self.velocity[0]) * self._increments))
        current = round(
            1000.0 * float(self.body.current[self.axes[0]] * self.profile.emulation.torque_nm_per_a)
        )
        return {
            (0x1000, 0): ("<I", 0x00020192),  # a servo drive after CiA 402
            (0x1001, 0): ("<B", 1 if self._error else 0),
            (0x1017, 0): ("<H", interval),
            (0x603F, 0): ("<H", self._error),
            (0x6041, 0): ("<H", self._statusword),
            (0x605A, 0): ("<h", 2),
            (0x6060, 0): ("<b", self._mode),
            (0x6061, 0): ("<b", self._mode),
            (0x6064, 0): ("<i", position),
            (0x606C, 0): ("<i", velocity),
            (0x6077, 0): ("<h", self._torque),
            (0x6078, 0): ("<h", round(current / self.profile.emulation.max_torque_nm)),
            (0x607A, 0): (
                "<i",
                0 if self._target is None else _within(round(self._target * self._increments)),
            ),
            (0x608F, 1): ("<I", self.profile.emulation.increments_per_turn),
            (0x608F, 2): ("<I", 1),
        }

    def _sdo(self, data: bytes, now: float) -> None:
        """Handle one expedited transfer; segmented ones are not supported."""
        if len(data) != 8:
            self.rejected += 1
            return
        command, index, sub = struct.unpack_from("<BHB", data)
        kind = command >> 5
        if kind == 2:
            form, number = self._objects().get((index, sub), ("", 0))
            if not form:
                self._abort(index, sub, _NO_OBJECT)
                return
            packed = struct.pack(form, number)
            answer = struct.pack("<BHB", 0x43 | 4 - len(packed) << 2, index, sub) + packed.ljust(
                4, b"\0"
            )
            self.outbox.append(Frame(_SDO_ANSWER + self.number, answer))
        elif kind == 1 and command & 0x02:
            size = 4 - (command >> 2 & 3) if command & 0x01 else 4
            problem = self._write(index, sub, data[4 : 4 + size], now)
            if problem:
                self._abort(index, sub, problem)
            else:
                self.outbox.append(
                    Frame(_SDO_ANSWER + self.number, struct.pack("<BHB4x", 0x60, index, sub))
                )
        else:
            self._abort(index, sub, _BAD_COMMAND)

    def _write(self, index: int, sub: int, value: bytes, now: float) -> int:
        """Write an object; return the abort code, 0 on success."""
        if (index, sub) == (0x6040, 0):
            if len(value) != 2:
                return _WRONG_LENGTH
            self._control(int.from_bytes(value, "little"), now)
        elif (index, sub) == (0x6060, 0):
            if len(value) != 1:
                return _WRONG_LENGTH
            self._mode = int.from_bytes(value, "little", signed=True)
        elif (index, sub) == (0x607A, 0):
            if len(value) != 4:
                return _WRONG_LENGTH
            self._target = int.from_bytes(value, "little", signed=True) / self._increments
        elif (index, sub) == (0x1017, 0):
            if len(value) != 2:
                return _WRONG_LENGTH
            interval = int.from_bytes(value, "little")
            self._cyclic_heartbeat.every = interval / 1000.0 if interval else math.inf
            self._cyclic_heartbeat.begin(now + self._cyclic_heartbeat.every)
        else:
            return _READ_ONLY if (index, sub) in self._objects() else _NO_OBJECT
        return 0

    def _abort(self, index: int, sub: int, code: int) -> None:
        self.outbox.append(
            Frame(_SDO_ANSWER + self.number, struct.pack("<BHBI", 0x80, index, sub, code))
        )


def _within(number: int) -> int:
    return min(max(number, -(2**31)), 2**31 - 1)


class PdsState(enum.IntEnum):
    """States with bits 6, 5 and 3 to 0 of the statusword."""

    SWITCH_ON_DISABLED = 0x40
    READY_TO_SWITCH_ON = 0x21
    SWITCHED_ON = 0x23
    OPERATION_ENABLED = 0x27
    QUICK_STOP_ACTIVE = 0x07
    FAULT = 0x08


_COMMANDS = (
    # (mask, bits, command): the first match, from the table of commands in the controlword
    (0x82, 0x00, "disable voltage"),
    (0x86, 0x02, "quick stop"),
    (0x87, 0x06, "shutdown"),
    (0x8F, 0x0F, "enable operation"),
    (0x8F, 0x07, "switch on"),  # disables operation in the state "operation enabled"
)

_S = PdsState
_TRANSITIONS: dict[tuple[PdsState, str], PdsState] = {
    (_S.SWITCH_ON_DISABLED, "shutdown"): _S.READY_TO_SWITCH_ON,
    (_S.READY_TO_SWITCH_ON, "switch on"): _S.SWITCHED_ON,
    (
        _S.READY_TO_SWITCH_ON,
        "enable operation",
    ): _S.SWITCHED_ON,  # first to this state; the next controlword continues
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

_FAULT_RESET = 0x80
_VOLTAGE = 0x10
_REMOTE = 0x200
_FOLLOWS = 0x1000


class Drive:
    """State machine of a drive."""

    def __init__(self) -> None:
        self.state = PdsState.SWITCH_ON_DISABLED
        self._before = 0

    def control(self, controlword: int, fault_cleared: bool) -> None:
        """Carry out a controlword; a rising edge of bit 7 leaves a fault only if its cause is gone."""
        edge = bool(controlword & _FAULT_RESET and not self._before & _FAULT_RESET)
        self._before = controlword
        if self.state is PdsState.FAULT:
            if edge and fault_cleared:
                self.state = PdsState.SWITCH_ON_DISABLED
            return
        command = next((name for mask, bits, name in _COMMANDS if controlword & mask == bits), "")
        self.state = _TRANSITIONS.get((self.state, command), self.state)

    def fail(self) -> None:
        """Enter the fault state, with an immediate fault reaction."""
        self.state = PdsState.FAULT

    def disable(self) -> None:
        """Switch the torque off without a fault."""
        self.state = PdsState.SWITCH_ON_DISABLED

    def statusword(self, follows: bool) -> int:
        """Return bits 0 to 9 and 12; `follows` is bit 12 in cyclic synchronous modes: the target is followed."""
        bits = int(self.state) | _REMOTE | _VOLTAGE
        return bits | _FOLLOWS if follows else bits
