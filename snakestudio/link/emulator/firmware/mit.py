"""MIT-type actuators (Mini Cheetah and successors): one packed command, one packed reply.

A command has 16 bits of position and 12 bits each of rate, stiffness, damping and torque,
big-endian, each scaled to a range that is configured in the motor. Each frame to a motor, including
those that enter (FF..FC) and leave (FF..FD) motor mode and set the zero (FF..FE), is answered with
one id that all motors share: number, position, rate and torque, and on newer motors temperature and
error.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.emulator.body import Body
from snakestudio.link.emulator.firmware.settings import address, length
from snakestudio.link.emulator.node import Address, Node, Reason
from snakestudio.link.frame import Frame
from snakestudio.link.profile.loading import LoadedProfile

_ENTER, _LEAVE, _ZERO = (b"\xff" * 7 + bytes([last]) for last in (0xFC, 0xFD, 0xFE))
_POSITION = 12.5
_RATE = 65.0
_TORQUE = 18.0
"""Ranges of Mini Cheetah's actuators in both directions: rad, rad/s, N m."""

_OVERHEATED = 1
"""Error in replies of newer motors."""


class MitNode(Node):
    """One actuator.

    Parameters
    ----------
    axes : (1,) int array
    loaded : LoadedProfile
        Its set-points define the ranges of the motors, its feedback the id and length of replies.
    """

    def __init__(
        self, number: int, axes: NDArray[np.int64], loaded: LoadedProfile, body: Body
    ) -> None:
        super().__init__(number, axes, loaded.profile, body)
        self._ranges = {"angle": _POSITION, "rate": _RATE, "torque": _TORQUE}
        self._own = (number, False)
        self._reply = (0, False)
        self._bytes = 6
        for message in loaded.profile.messages:
            if message.role == "set_point":
                self._own = address(loaded, message, number)
            elif message.role in ("feedback", "heartbeat"):
                self._reply, self._bytes = (
                    address(loaded, message, number),
                    max(6, length(loaded, message)),
                )
            for signal in message.signals if message.role == "set_point" else ():
                if signal.range is not None and signal.quantity in self._ranges:
                    self._ranges[signal.quantity] = signal.range[1]
        self._error = 0

    def addresses(self) -> set[Address]:
        """Return its number, which is the id of commands."""
        return {self._own}

    @property
    def condition(self) -> str:
        """Error, or whether the motor is in motor mode."""
        return f"error {self._error}" if self._error else "motor mode" if self.torque else "rest"

    def booted(self, now: float) -> None:
        """Start at rest, without sending frames."""
        self._error = 0

    def tripped(self, reason: Reason, now: float) -> None:
        """Latch overheating until motor mode is left; after a watchdog stop the motor is only at rest."""
        if reason == "overtemperature":
            self._error = _OVERHEATED

    def handle(self, frame: Frame, now: float) -> None:
        """Carry out a command, and reply."""
        data = frame.data
        if len(data) != 8 or frame.remote:
            self.rejected += 1
            return
        if data == _ENTER:
            if not self._error:
                self.switch_on(now)
        elif data == _LEAVE:
            self.record_event(now, "stop_received", "received the command to leave motor mode")
            self.switch_off(now, "disarmed", "left motor mode")
            self._error = 0
        elif data == _ZERO:
            self.set_zero()
        else:
            self._command(data, now)
        self.outbox.append(Frame(self._reply[0], self._packed(), extended=self._reply[1]))

    def _command(self, data: bytes, now: float) -> None:
        bits = int.from_bytes(data, "big")
        position = _number(bits >> 48 & 0xFFFF, self._ranges["angle"], 16)
        rate = _number(bits >> 36 & 0xFFF, self._ranges["rate"], 12)
        if bits >> 24 & 0xFFF or bits >> 12 & 0xFFF:
            if self.torque and not self.body.enabled[self.axes].all():
                self.body.switch_on(self.axes)
            self.drive(np.array([position]), np.array([rate]), now)
        else:  # neither stiffness nor damping: a poll, during which a joint moves freely
            self.feed(now)
            self.body.switch_off(self.axes)

    def _packed(self) -> bytes:
        position = _bits(float(self.position[0]), self._ranges["angle"], 16)
        rate = _bits(float(self.velocity[0]), self._ranges["rate"], 12)
        torque = _bits(float(self.effort[0]), self._ranges["torque"], 12)
        packed = bytes([self.number & 0xFF]) + (position << 24 | rate << 12 | torque).to_bytes(
            5, "big"
        )
        if self._bytes > 6:
            temperature = int(np.clip(self.body.temperature[self.axes[0]], -128, 127))
            packed += bytes([temperature & 0xFF, self._error])
        return packed


def _number(raw: int, reach: float, bits: int) -> float:
    return -reach + raw * 2.0 * reach / ((1 << bits) - 1)


def _bits(number: float, reach: float, bits: int) -> int:
    fraction = (min(max(number, -reach), reach) + reach) / (2.0 * reach)
    return round(fraction * ((1 << bits) - 1))
