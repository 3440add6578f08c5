"""Messages between window and link as plain data: states, telemetry, events, commands and references."""

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
"""Values of `Telemetry.meaning` by index: None before the first status of the robot."""


AGED: tuple[Quantity, ...] = tuple(quantity for quantity in MEASURED if quantity != "angle")
"""Quantities with a separate age, because they may come in other frames, and less often, than angles."""


class LinkState(enum.IntEnum):
    """State of the link.

    DISCONNECTED: no bus. LISTENING: the bus is open, and nothing is sent. IDLE: requests and
    heartbeats are sent, torque is off. ARMED: torque is on and the joints hold their position.
    STREAMING: the joints follow the references. FAULT: stopped for a reason; only the operator
    can leave it, to IDLE.
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
"""Commands of the operator.

`connect`: open the bus and listen; `listen` and `idle` switch between LISTENING and IDLE; `arm` and
`disarm` between IDLE and ARMED; `stream` from ARMED to STREAMING; `arm` and `stream` name the
plug-ins that make the references (values: plugins, separated by commas); `stop`: the stop sequence
in any state, to FAULT if torque was on (a stop is latched), else the state does not change;
`reset`: FAULT to IDLE, with the reset sequence; `zero`: the zero sequence (IDLE only); `wiggle`:
move one axis slightly about its position (ARMED only; values: axis, amplitude_deg, period_s,
count); `log`: begin or end a log of all frames (values: path, or "" to end); `close`: stop, and end
the process.
"""


@dataclass(frozen=True, slots=True)
class LinkCommand:
    """A command of the operator."""

    kind: CommandKind
    number: int = 0
    """Ascending number; `Telemetry.carried_out` has that of the last command."""

    values: dict[str, str | int | float | bool] = field(default_factory=dict)
    """Arguments by name, as values of JSON."""


BEGINNING: frozenset[CommandKind] = frozenset({"idle", "arm", "stream", "reset", "zero", "wiggle"})
"""Commands that lead towards motion: not carried out if a stop was requested after them."""


@dataclass(frozen=True, slots=True)
class ReferenceBlock:
    """References of all m axes of a profile in its order, as joint angles on the machine's monotonic clock."""

    time: FloatArray
    """Knots, s (`time.monotonic()`), strictly ascending, k >= 2. Shape (k,)."""

    angle: FloatArray
    """Angles of the axes at the knots, cubic Hermite in between, rad. Shape (k, m)."""

    rate: FloatArray
    """Rates at the knots, rad/s. Shape (k, m)."""

    def shape_problem(self, n_axes: int) -> str:
        """Return what is wrong with the shape of its arrays; "" if they have `n_axes` axes and at least two knots."""
        n_knots = len(self.time) if self.time.ndim == 1 else 0
        shape = (n_knots, n_axes)
        if n_knots >= 2 and self.angle.shape == shape and self.rate.shape == shape:
            return ""
        return (
            f"angles of shape {self.angle.shape} and rates of shape {self.rate.shape} at {n_knots} knots do not fit "
            f"the profile's {n_axes} axes at two knots or more"
        )

    def at(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Return angle and rate at a time, each (m,); outside the knots those of the ends."""
        return between_knots(self.time, self.angle, self.rate, time)

    def pack(self) -> bytes:
        """Return the bytes for the shared memory; the arrays must be contiguous float64."""
        knots, axes = self.angle.shape
        return (
            _BLOCK.pack(knots, axes)
            + self.time.tobytes()
            + self.angle.tobytes()
            + self.rate.tobytes()
        )

    @classmethod
    def unpack(cls, record: bytes) -> ReferenceBlock:
        """Return the block of these bytes."""
        knots, axes = _BLOCK.unpack_from(record)
        numbers = np.frombuffer(record, dtype=np.float64, offset=_BLOCK.size)
        angle, rate = numbers[knots:].reshape(2, knots, axes)
        return cls(numbers[:knots], angle, rate)


_BLOCK = struct.Struct("=II")
"""Header of a block: numbers of knots and axes."""


Severity = Literal["info", "good", "warning", "error"]


@dataclass(frozen=True, slots=True)
class LinkEvent:
    """A rare event with its description."""

    time: float
    """s, `time.monotonic()`."""

    severity: Severity
    text: str
    """Message for users."""

    kind: str = "info"
    """Kind of the event for programs: "state", "stop", "fault", "refused", "bus", "node", "log",
    "priority", "robot", "waiting" (changes that a stream does not apply; with "info": none any more)
    ..."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """A frame on the bus, for the window's list."""

    time: float
    """s, `time.monotonic()`."""

    id: int
    extended: bool
    """Whether the identifier has 29 bits."""

    remote: bool
    """Whether it is a remote frame."""

    error: bool
    """Whether it is an error frame."""

    sent: bool
    """Whether the link sent the frame."""

    data: bytes
    text: str = ""
    """Content according to the profile and its DBC; "" if the profile does not know the frame."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """State of the robot and the link, for m axes in the profile's order and k nodes in the order of `Profile.nodes`.

    Angles are those of the joints (without sign, offset and gear). Values that were never received
    are NaN, and so are their times. All times are `time.monotonic()`, in s.
    """

    time: float
    """Time at which the link wrote the telemetry."""

    state: LinkState
    reason: str
    """Message why the robot was stopped; "" otherwise."""

    not_ready: tuple[str, ...]
    """Messages about what prevents arming; () if nothing does."""

    confirmed: bool
    """Whether all nodes of the robot report that they are armed, not longer ago than the profile's lost
    time."""

    says_status: bool
    """Whether the profile has a status signal for this."""

    replay: bool
    """Whether the bus is a replayed log: arming is impossible."""

    carried_out: int
    """Number of the last command that was carried out or rejected."""

    reference: FloatArray
    """Last angles that were sent, rad. Shape (m,)."""

    reference_rate: FloatArray
    """Last rates that were sent, rad/s. Shape (m,)."""

    angle: FloatArray
    """Joint angles, rad; NaN where the profile has no such signal. Shape (m,)."""

    rate: FloatArray
    """Joint rates, rad/s; NaN where the profile has no such signal. Shape (m,)."""

    torque: FloatArray
    """Torques, N m; NaN where the profile has no such signal. Shape (m,)."""

    current: FloatArray
    """Currents, A; NaN where the profile has no such signal. Shape (m,)."""

    temperature: FloatArray
    """Temperatures, °C; NaN where the profile has no such signal. Shape (m,)."""

    voltage: FloatArray
    """Voltages, V; NaN where the profile has no such signal. Shape (m,)."""

    angle_time: FloatArray
    """Times at which the angles were received. Shape (m,)."""

    feedback_rate: FloatArray
    """Recent rates of angles, Hz. Shape (m,)."""

    status: NDArray[np.int64]
    """Raw status; -1 before the first one. Shape (m,)."""

    meaning: NDArray[np.int8]
    """Index into `MEANINGS`. Shape (m,)."""

    errors: NDArray[np.int64]
    """Raw error bits; 0 if there are none. Shape (m,)."""

    heartbeat_time: FloatArray
    """Time of each node's last heartbeat if the profile has one, else of its last frame. Shape
    (k,)."""

    bus_load: float
    """Bus load of the last second, 0 to 1."""

    received: int
    """Number of frames received since the bus was opened."""

    sent: int
    """Number of frames sent since the bus was opened."""

    unknown: int
    """Number of frames with ids that the profile does not know."""

    unreadable: int
    """Number of frames of the profile that could not be read."""

    error_frames: int
    """Number of errors that the adapter reported."""

    send_errors: int
    """Number of frames that could not be sent."""

    bus_open: bool
    period_mean: float
    """Mean period of the set-points over the last 10 s, s; NaN while nothing is sent."""

    lateness_p99: float
    """99th percentile of the delay of a period's first frame over the last 10 s, s; NaN while
    nothing is sent."""

    gap_max: float
    """Longest time between two periods in the last 10 s, s; NaN while nothing is sent."""

    skipped: int
    """Number of periods that were skipped since streaming or arming began."""

    priority: str
    """Priority that the operating system granted the link: "SCHED_FIFO 50", "nice -15", "normal" ..."""

    axis_text: tuple[str, ...]
    """Status and errors of each axis as text."""

    heard_at: FloatArray
    """Time at which each axis last reported each quantity of `AGED`, s; NaN if never. Shape (q,
    m)."""

    stale_after: FloatArray
    """Age from which each of these values is stale, s; infinite where it is not expected. Shape (q,
    m)."""

    def old(self, quantity: Quantity, now: float) -> NDArray[np.bool_]:
        """Return the axes, (m,) bool, with a stale quantity of `AGED` at `now` (s), or none though it is expected."""
        stale = self.stale_after[AGED.index(quantity)]
        return np.asarray(np.isfinite(stale) & ~(now - self.report_time(quantity) <= stale))

    def report_time(self, quantity: Quantity) -> FloatArray:
        """Return the time at which each axis last reported a quantity of `AGED`, s, (m,); NaN if never."""
        time: FloatArray = self.heard_at[AGED.index(quantity)]
        return time
