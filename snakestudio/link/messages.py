"""What window and link tell each other: states, telemetry, events, commands and references, as plain data."""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.link.profile.schema import MEASURED, Quantity, StatusMeaning
from snakestudio.model.reference import between_knots

MEANINGS: tuple[StatusMeaning | None, ...] = (
    None,
    "booting",
    "ready",
    "armed",
    "stopped",
    "fault",
    "stopping",
)
"""What `Telemetry.meaning` counts: None where the robot said nothing yet."""


AGED: tuple[Quantity, ...] = tuple(quantity for quantity in MEASURED if quantity != "angle")
"""What has an age of its own, as it may come in other frames, and more rarely, than angles."""


class LinkState(enum.IntEnum):
    """Where the link stands.

    DISCONNECTED: no bus. LISTENING: the bus is open, and nothing is sent. IDLE: requests and
    heartbeats are sent, torque is off. ARMED: torque is on and the joints hold where they stand.
    STREAMING: the joints follow the references. FAULT: stopped for a reason; only the operator
    leads out of it, to IDLE.
    """

    DISCONNECTED = 0
    LISTENING = 1
    IDLE = 2
    ARMED = 3
    STREAMING = 4
    FAULT = 5


CommandKind = Literal[
    "connect",
    "disconnect",
    "listen",
    "idle",
    "arm",
    "disarm",
    "stream",
    "stop",
    "reset",
    "zero",
    "wiggle",
    "log",
    "close",
]
"""What the operator can want.

`connect`: open the bus and listen; `listen` and `idle` go between LISTENING and IDLE; `arm` and
`disarm` between IDLE and ARMED; `stream` from ARMED to STREAMING; `arm` and `stream` name the
plug-ins that make the references (values: plugins, with commas between); `stop`: the stop sequence
from wherever it stands, to FAULT if torque was on (a stop is latched) and else where it stands;
`reset`: FAULT to IDLE, with the reset sequence; `zero`: the zero sequence (IDLE only); `wiggle`:
move one axis a little about where it stands (ARMED only; values: axis, amplitude_deg, period_s,
count); `log`: begin or end a log of all frames (values: path, or "" to end); `close`: stop, and end
the process.
"""


@dataclass(frozen=True, slots=True)
class LinkCommand:
    """One thing that the operator wants."""

    kind: CommandKind
    number: int = 0
    """Counts up: `Telemetry.carried_out` says which one was the last."""

    values: dict[str, str | int | float | bool] = field(default_factory=dict)
    """What it needs, by name; plain values, as JSON has them."""


BEGINNING: frozenset[CommandKind] = frozenset({"idle", "arm", "stream", "reset", "zero", "wiggle"})
"""Commands that lead towards motion: void if the operator asked for a stop after them."""


@dataclass(frozen=True, slots=True)
class ReferenceBlock:
    """References of all m axes of a profile, in its order and in joint angles, on the machine's monotonic clock."""

    time: FloatArray
    """Knots, s (`time.monotonic()`), strictly ascending, k >= 2. Shape (k,)."""

    angle: FloatArray
    rate: FloatArray
    """`angle` and `rate`: rad and rad/s at the knots; cubic Hermite in between. Shape (k, m)."""

    def shape_problem(self, n_axes: int) -> str:
        """What is wrong with the shape of its arrays; "" if they hold so many axes at two knots or more."""
        n_knots = len(self.time) if self.time.ndim == 1 else 0
        shape = (n_knots, n_axes)
        if n_knots >= 2 and self.angle.shape == shape and self.rate.shape == shape:
            return ""
        return (
            f"angles of shape {self.angle.shape} and rates of shape {self.rate.shape} at {n_knots} knots do not fit "
            f"the profile's {n_axes} axes at two knots or more"
        )

    def at(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Angle and rate at a time, each (m,); the ends hold outside the knots."""
        return between_knots(self.time, self.angle, self.rate, time)

    def pack(self) -> bytes:
        """Its bytes in the shared memory; of arrays of float64 that are contiguous."""
        knots, axes = self.angle.shape
        return (
            _BLOCK.pack(knots, axes)
            + self.time.tobytes()
            + self.angle.tobytes()
            + self.rate.tobytes()
        )

    @classmethod
    def unpack(cls, record: bytes) -> ReferenceBlock:
        """The block of which these are the bytes."""
        knots, axes = _BLOCK.unpack_from(record)
        numbers = np.frombuffer(record, dtype=np.float64, offset=_BLOCK.size)
        angle, rate = numbers[knots:].reshape(2, knots, axes)
        return cls(numbers[:knots], angle, rate)


_BLOCK = struct.Struct("=II")
"""Knots and axes of a block, before its numbers."""


Severity = Literal["info", "good", "warning", "error"]


@dataclass(frozen=True, slots=True)
class LinkEvent:
    """Something rare that happened, in words."""

    time: float
    """s, `time.monotonic()`."""

    severity: Severity
    text: str
    """A sentence."""

    kind: str = "info"
    """A word for programs: "state", "stop", "fault", "refused", "bus", "node", "log", "priority",
    "robot", "waiting" (what a stream does not take over; with "info": nothing any more) ..."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """One frame that went over the bus, for the window's list."""

    time: float
    """s, `time.monotonic()`."""

    id: int
    extended: bool
    remote: bool
    error: bool
    sent: bool
    """`extended`, `remote`, `error` and `sent`: `sent`: by us."""

    data: bytes
    text: str = ""
    """What it says by the profile and its DBC; "" if the profile does not know it."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What the link knows, of m axes in the profile's order and of its k nodes in `Profile.nodes`' order.

    Angles are the joints' own (sign, offset and gear are taken out). What was never heard is NaN,
    and so is the time of it. All times are `time.monotonic()`, in s.
    """

    time: float
    """When the link wrote this."""

    state: LinkState
    reason: str
    """Why it stands there, if it was stopped: a sentence; "" otherwise."""

    not_ready: tuple[str, ...]
    """What keeps the robot from being armed, a sentence each; () if nothing does."""

    confirmed: bool
    """Whether the robot itself says that it is armed, all nodes, not longer ago than the profile's
    lost time."""

    says_status: bool
    """Whether the profile lets it say so at all."""

    replay: bool
    """Whether the bus is a log that is played: arming is impossible."""

    carried_out: int
    """Number of the last command that was carried out or refused."""

    reference: FloatArray
    reference_rate: FloatArray
    """`reference` and `reference_rate`: last set-points that were sent, rad and rad/s. Shape
    (m,)."""

    angle: FloatArray
    rate: FloatArray
    torque: FloatArray
    current: FloatArray
    temperature: FloatArray
    voltage: FloatArray
    """`angle`, `rate`, `torque`, `current`, `temperature` and `voltage`: rad, rad/s, N m, A, °C, V;
    NaN where the profile has no such signal. Shape (m,)."""

    angle_time: FloatArray
    """When the angle was received. Shape (m,)."""

    feedback_rate: FloatArray
    """Angles a second, lately, Hz. Shape (m,)."""

    status: NDArray[np.int64]
    """Raw status; -1 if never heard. Shape (m,)."""

    meaning: NDArray[np.int8]
    """Index into `MEANINGS`. Shape (m,)."""

    errors: NDArray[np.int64]
    """Raw error bits; 0 if there are none. Shape (m,)."""

    heartbeat_time: FloatArray
    """When a node was last heard of, by its heartbeat if the profile has one, else by any frame.
    Shape (k,)."""

    bus_load: float
    """Share of the bus's time that the last second took, 0 to 1."""

    received: int
    sent: int
    """`received` and `sent`: frames since the bus was opened."""

    unknown: int
    unreadable: int
    error_frames: int
    send_errors: int
    """`unknown`, `unreadable`, `error_frames` and `send_errors`: frames of ids that the profile
    does not know; of its ids that could not be read; errors the adapter reported."""

    bus_open: bool
    period_mean: float
    lateness_p99: float
    gap_max: float
    """`period_mean`, `lateness_p99` and `gap_max`: of the set-point sender over the last 10 s: mean
    period, 99th percentile of how late a period's first frame was, and the longest time between two
    periods, s; NaN while nothing is sent."""

    skipped: int
    """Periods that were skipped since streaming or arming began."""

    priority: str
    """What the operating system granted the link: "SCHED_FIFO 50", "nice -15", "normal" ..."""

    axis_text: tuple[str, ...]
    """Status and errors of every axis in words."""

    heard_at: FloatArray
    stale_after: FloatArray
    """`heard_at` and `stale_after`: of each quantity of `AGED`: when an axis last said it, s, and
    from which age on it may not pass for what is so now, s; infinite where nobody waits for it."""

    def old(self, quantity: Quantity, now: float) -> NDArray[np.bool_]:
        """Which axes said a quantity of `AGED` too long before `now` (s), or never though it is waited for, (m,)."""
        stale = self.stale_after[AGED.index(quantity)]
        return np.asarray(np.isfinite(stale) & ~(now - self.heard(quantity) <= stale))

    def heard(self, quantity: Quantity) -> FloatArray:
        """When each axis last said a quantity of `AGED`, s, (m,); NaN if never."""
        heard: FloatArray = self.heard_at[AGED.index(quantity)]
        return heard
