"""Nodes that follow a profile: they interpret the frames of its sequences."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.link.core.codec import Codec
from snakestudio.link.core.coder import DecodedFrame
from snakestudio.link.emulator.body import Body
from snakestudio.link.emulator.firmware.settings import address
from snakestudio.link.emulator.node import Address, Cyclic, Node, Reason
from snakestudio.link.frame import Frame
from snakestudio.link.profile.loading import LoadedProfile
from snakestudio.link.profile.schema import OUTGOING, Message, Quantity, StatusMeaning, Step

Sequence = Literal["stop", "disarm", "reset", "zero", "arm"]
_SEQUENCES: tuple[Sequence, ...] = ("stop", "disarm", "reset", "zero", "arm")
"""Sequences in order of priority for a frame that ends several of them."""

_ERROR_TERMS: dict[Reason, tuple[str, ...]] = {
    "watchdog": ("watchdog", "set-point", "setpoint", "timeout", "missing", "lost"),
    "overtemperature": ("temperature", "heat", "hot"),
}
"""Words that identify the reason of an error in its text in the profile."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A frame of a sequence as a node recognizes it: by its bytes, or by its signals except counters and checksums."""

    frame: Frame
    message: Message | None
    signals: dict[str, float]

    def fits(self, frame: Frame, decoded: DecodedFrame | None, free: frozenset[str]) -> bool:
        if (frame.id, frame.extended, frame.remote) != (
            self.frame.id,
            self.frame.extended,
            self.frame.remote,
        ):
            return False
        if self.message is None:
            return frame.data == self.frame.data
        if decoded is None or decoded.message.message != self.message.message:
            return False
        return all(
            decoded.signals.get(name) == value
            for name, value in self.signals.items()
            if name not in free
        )


class Rules:
    """Rules that all nodes of a profile's robot share."""

    def __init__(self, loaded: LoadedProfile) -> None:
        self.loaded = loaded
        self.codec = Codec(loaded)
        # a separate codec, because counters of the patterns are not those of received frames
        self._host_codec = Codec(loaded)
        self.profile = loaded.profile
        self.free = frozenset(
            signal.signal
            for message in self.profile.messages
            for signal in message.signals
            if signal.quantity in ("counter", "checksum")
        )
        self._last_decoded: tuple[Frame | None, DecodedFrame | None] = (None, None)

    def decoded(self, frame: Frame) -> DecodedFrame | None:
        """Return a decoded frame of the host; a broadcast is decoded once for all nodes."""
        if self._last_decoded[0] is not frame:
            self._last_decoded = (frame, self.codec.decode_outgoing(frame))
        return self._last_decoded[1]

    def patterns(self, node: int, sequence: Sequence) -> tuple[_Pattern, ...]:
        """Return the frames of a sequence for a node."""
        steps: tuple[Step, ...] = getattr(self.profile.sequences, sequence)
        frames = [
            (step, frame) for step in steps for frame in self._host_codec.step_frames(step, node)
        ]
        patterns = []
        for step, frame in frames:
            decoded = self._host_codec.decode_outgoing(frame) if step.send is not None else None
            if decoded is None:
                patterns.append(_Pattern(frame, None, {}))
            else:
                patterns.append(_Pattern(frame, decoded.message, decoded.signals))
        return tuple(patterns)

    def status_code(self, meaning: StatusMeaning) -> int:
        """Return the status code for a meaning; without a code for "stopped" that of "ready"."""
        for candidate in (meaning, "ready"):
            for status in self.profile.status:
                if status.meaning == candidate:
                    return status.code
        return 0

    def error_bits(self, reason: Reason) -> int:
        """Return the bits of the first error whose text names the reason, else of the first."""
        errors = self.profile.errors
        terms = _ERROR_TERMS.get(reason, ())
        matching = [
            error.mask for error in errors if any(term in error.text.lower() for term in terms)
        ]
        return matching[0] if matching else errors[0].mask if errors else 1


class GenericNode(Node):
    """A node that is armed by the profile's arm sequence, stopped by its stop sequence, and so on.

    It drives its motors while armed. A stop, or the reason for which it stopped by itself, is
    latched until the reset sequence if there is one. Frames that cannot be read, have a wrong
    checksum or repeat the previous counter are rejected and counted.

    Parameters
    ----------
    axes : (k,) int array
    """

    def __init__(self, number: int, axes: NDArray[np.int64], rules: Rules, body: Body) -> None:
        super().__init__(number, axes, rules.profile, body)
        self._rules = rules
        self._own = {int(axis): slot for slot, axis in enumerate(axes)}
        self.meaning: StatusMeaning = "booting"
        self._errors = 0
        self._patterns = {name: rules.patterns(number, name) for name in _SEQUENCES}
        self._ordered: set[Address] = {
            (p.frame.id, p.frame.extended) for each in self._patterns.values() for p in each
        }
        """Ids of the frames of its sequences."""
        self._done: dict[Sequence, int] = dict.fromkeys(_SEQUENCES, 0)
        self._goal: FloatArray = np.zeros(len(axes))
        self._goal_rate: FloatArray = np.zeros(len(axes))
        first = rules.profile.nodes[0] == number
        incoming = [m for m in rules.profile.messages if m.role in ("feedback", "heartbeat")]
        self._incoming = [m for m in incoming if m.each == "node" or first]
        has_requests = any(m.role == "request" for m in rules.profile.messages)
        self._replies = [
            m
            for m in self._incoming
            if m.role == "feedback" and m.every_s is None and not has_requests
        ]
        self._feedback_by_address: dict[Address, list[Message]] = {}
        for message in self._incoming:
            if message.role == "feedback":
                self._feedback_by_address.setdefault(
                    address(rules.loaded, message, number), []
                ).append(message)
        self._heartbeats: list[Cyclic] = []
        self._said_last: dict[str, bytes] = {}
        for message in self._incoming:
            if message.role == "heartbeat" or message.every_s is not None:
                make = self._changed if message.when == "change" else self._frame
                cyclic = Cyclic(message.every_s or 0.1, functools.partial(make, message))
                self.cyclic.append(cyclic)
                if message.role == "heartbeat":
                    self._heartbeats.append(cyclic)

    # -------------------------------------------------------------------------------- what it sends

    def _frame(self, message: Message) -> Frame:
        axes = range(len(self.body.angle)) if message.each == "once" else self._own
        return self._rules.codec.encode(message, self.number, self._values(axes))

    def _changed(self, message: Message) -> Frame | None:
        """Return a message that is sent only on changes; None if nothing changed."""
        frame = self._frame(message)
        before = self._said_last.get(message.called, frame.data)
        self._said_last[message.called] = frame.data
        return frame if frame.data != before else None

    def _values(self, axes: range | dict[int, int]) -> dict[tuple[Quantity, int], float]:
        body = self.body
        supply = self.profile.emulation.supply_v
        angle = self._sign * (self.position / self._gear - self._offset)
        status = float(self._rules.status_code(self.meaning))
        error = float(self._errors)
        values: dict[tuple[Quantity, int], float] = {
            ("status", -1): status,
            ("error", -1): error,
            ("voltage", -1): supply,
            ("temperature", -1): float(body.temperature[self.axes].max()),
            ("current", -1): float(np.abs(body.current[self.axes]).sum()),
        }
        for axis in axes:
            slot = self._own.get(axis)
            values[("angle", axis)] = float(body.angle[axis] if slot is None else angle[slot])
            values[("rate", axis)] = float(body.rate[axis])
            values[("torque", axis)] = float(body.torque[axis])
            values[("current", axis)] = float(body.current[axis])
            values[("temperature", axis)] = float(body.temperature[axis])
            values[("voltage", axis)] = supply
            values[("status", axis)] = status
            values[("error", axis)] = error
        return values

    # -------------------------------------------------------------------------------- as every node

    def addresses(self) -> set[Address]:
        """Return the ids of all frames that the host sends to it."""
        messages = {
            address(self._rules.loaded, message, self.number)
            for message in self.profile.messages
            if message.role in OUTGOING
        }
        return messages | self._ordered

    @property
    def condition(self) -> str:
        """Status and errors of the node."""
        return f"{self.meaning}, error 0x{self._errors:x}" if self._errors else self.meaning

    def power_on(self, now: float) -> None:
        """Start booting and report it."""
        super().power_on(now)
        self.meaning = "booting"
        self._errors = 0
        self._done = dict.fromkeys(_SEQUENCES, 0)
        for each in self._heartbeats:
            each.begin(now)

    def booted(self, now: float) -> None:
        """Become ready."""
        self.meaning = "ready"
        for each in self.cyclic:
            if each not in self._heartbeats:
                each.begin(now)

    def tripped(self, reason: Reason, now: float) -> None:
        """Latch a fault until the reset sequence."""
        self.meaning = "fault"
        self._errors |= self._rules.error_bits(reason)

    def handle(self, frame: Frame, now: float) -> None:
        """Carry out a frame."""
        decoded = self._rules.decoded(frame)
        doubtful = decoded is not None and bool(decoded.problem) and not frame.remote
        # A stop counts even if its counter or checksum is wrong: one stop too many is safe.
        sequences = _SEQUENCES[:1] if doubtful else _SEQUENCES
        if (frame.id, frame.extended) in self._ordered:
            ended = [name for name in sequences if self._ends(name, frame, decoded)]
            if ended:
                self._carry_out(ended[0], now)
        if doubtful:
            self.rejected += 1
        elif decoded is None:
            return
        elif decoded.message.role == "request":
            self._answer(frame)
        elif decoded.message.role == "set_point":
            self._follow(decoded, now)

    # ------------------------------------------------------------------------------------ sequences

    def _ends(self, name: Sequence, frame: Frame, decoded: DecodedFrame | None) -> bool:
        """Return whether a frame is the last one of a sequence that arrived in order."""
        patterns = self._patterns[name]
        if not patterns:
            return False
        if patterns[self._done[name]].fits(frame, decoded, self._rules.free):
            self._done[name] += 1
        elif patterns[0].fits(frame, decoded, self._rules.free):
            self._done[name] = 1
        else:
            return False
        if self._done[name] < len(patterns):
            return False
        self._done[name] = 0
        return True

    def _carry_out(self, name: Sequence, now: float) -> None:
        has_reset = bool(self._patterns["reset"])
        if name in ("stop", "disarm"):
            if name == "stop":
                self.record_event(now, "stop_received", "received the stop sequence")
            self.switch_off(now, "disarmed", "switched its torque off")
            if self.meaning != "fault":
                latches = (
                    name == "stop"
                    and has_reset
                    and self._patterns["stop"] != self._patterns["disarm"]
                )
                self.meaning = "stopped" if latches or self.meaning == "stopped" else "ready"
        elif name == "reset":
            if self.meaning in ("fault", "stopped") and not self.body.overheated[self.axes].any():
                self.meaning = "ready"
                self._errors = 0
        elif name == "zero":
            if not self.torque:
                self.set_zero()
        elif self.meaning in ("ready", "armed"):
            self._goal, self._goal_rate = self.position, np.zeros(len(self.axes))
            self.switch_on(now)
            self.meaning = "armed"

    # ------------------------------------------------------------------------- set-points, requests

    def _follow(self, decoded: DecodedFrame, now: float) -> None:
        for value in decoded.values:
            slot = self._own.get(value.axis)
            if slot is None:
                continue
            if value.quantity == "angle":
                self._goal[slot] = self._gear[slot] * (
                    self._sign[slot] * value.value + self._offset[slot]
                )
            elif value.quantity == "rate":
                self._goal_rate[slot] = self._gear[slot] * self._sign[slot] * value.value
        self.drive(self._goal, self._goal_rate, now)
        self.outbox += [self._frame(message) for message in self._replies]

    def _answer(self, frame: Frame) -> None:
        """Answer a remote frame with the message of its id, other requests with all messages without an interval."""
        if frame.remote:
            messages = self._feedback_by_address.get((frame.id, frame.extended), [])
        else:
            messages = [m for m in self._incoming if m.role == "feedback" and m.every_s is None]
        self.outbox += [self._frame(message) for message in messages]
