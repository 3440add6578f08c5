"""Last reported values of all axes and nodes with their times: the only source for display and checks."""

from __future__ import annotations

import functools
import math
import operator
from collections import deque
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from snakestudio.link.messages import AGED, MEANINGS
from snakestudio.link.profile.schema import Profile, Quantity, StatusMeaning

if TYPE_CHECKING:
    from snakestudio.link.core.coder import DecodedFrame

MEASURED: tuple[Quantity, ...] = ("angle", "rate", "torque", "current", "temperature", "voltage")
"""Quantities that are stored as a number for each axis."""

_RATE_WINDOW_S = 2.0
_REMEMBERED = 64


class NodeStates:
    """State of the robot according to its own frames.

    Attributes
    ----------
    values : dict of (m,) arrays
        Values by quantity, SI units and °C; NaN where there is none.
    angle_time : (m,) array
        Time of reception of the angle, s; NaN if never.
    heard_at : (len(AGED), m) array
        Time of reception of each quantity of `AGED`; by quantity: `report_times`.
    gap : dict of (m,) arrays
        By quantity: time between the last two values, s; NaN before the second.
    status, errors : (m,) int64 arrays
        Raw values; status -1 before the first one.
    meaning : (m,) int8 array
        Index into `MEANINGS`.
    heartbeat_time : (k,) array
        By node: time of its last heartbeat if the profile has one, else of any frame; s, NaN if never.
    has_status, has_heartbeat : bool
        Whether the profile has such signals.
    measures : frozenset of str
        Quantities for which the profile has signals.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        m = len(profile.axes)
        nodes = profile.nodes
        incoming = [
            message for message in profile.messages if message.role in ("feedback", "heartbeat")
        ]
        self.measures = frozenset(
            signal.quantity for message in incoming for signal in message.signals
        )
        self.has_status = "status" in self.measures and bool(profile.status)
        self.has_heartbeat = any(message.role == "heartbeat" for message in incoming)
        self.node_index = {node: index for index, node in enumerate(nodes)}
        self.axes_of = tuple(
            tuple(index for index, axis in enumerate(profile.axes) if axis.node == node)
            for node in nodes
        )
        self.notable = False
        """Whether something must be checked immediately: a change of status or errors."""
        self._meanings: dict[int, tuple[int, str]] = {}
        self._armed = np.full(m, MEANINGS.index("armed"), np.int8).tobytes()
        self._error_mask = (
            functools.reduce(operator.or_, (entry.mask for entry in profile.errors), 0) or -1
        )
        self._texts: list[tuple[tuple[int, int], str]] = [((-1, 0), "")] * m
        self._times: list[deque[float]] = [deque(maxlen=_REMEMBERED) for _ in range(m)]
        self.reset()

    def reset(self) -> None:
        """Discard all values, because the bus was reopened."""
        m = len(self._profile.axes)
        k = len(self.node_index)
        self.values = {quantity: np.full(m, math.nan) for quantity in MEASURED}
        self.angle_time = np.full(m, math.nan)
        self.heard_at = np.full((len(AGED), m), math.nan)
        self.report_times: dict[Quantity, NDArray[np.float64]] = dict(
            zip(AGED, self.heard_at, strict=True)
        )
        self.gap = {quantity: np.full(m, math.nan) for quantity in AGED}
        self.status: NDArray[np.int64] = np.full(m, -1, np.int64)
        self.errors: NDArray[np.int64] = np.zeros(m, np.int64)
        self.meaning: NDArray[np.int8] = np.zeros(m, np.int8)
        self.heartbeat_time = np.full(k, math.nan)
        for times in self._times:
            times.clear()

    def update(self, decoded: DecodedFrame, now: float) -> None:
        """Store the values of a readable frame of the robot."""
        if decoded.message.role == "heartbeat" or not self.has_heartbeat:
            if decoded.node is not None:
                self.heartbeat_time[self.node_index[decoded.node]] = now
            elif decoded.message.each == "once":
                self.heartbeat_time[:] = now
        for value in decoded.values:
            # NaN and infinity are not measurements, even in a correct frame.
            if not math.isfinite(value.value):
                continue
            if value.axis >= 0:
                self._set(value.quantity, value.axis, value.value, now)
                continue
            for axis in self._axes_of(value.node):
                self._set(value.quantity, axis, value.value, now)

    def update_unknown(self, decoded: DecodedFrame) -> None:
        """Store values that a frame reports as unknown; an angle keeps its last value and age."""
        for value in decoded.unknown:
            if value.quantity in self.values and value.quantity != "angle":
                chosen = (value.axis,) if value.axis >= 0 else self._axes_of(value.node)
                self.values[value.quantity][list(chosen)] = math.nan

    @property
    def status_time(self) -> NDArray[np.float64]:
        """Time of each axis' last status, s, (m,); NaN if never."""
        return self.report_times["status"]

    def _axes_of(self, node: int) -> tuple[int, ...] | range:
        """Return the axes of a node; all axes for the whole robot (-1)."""
        return range(len(self._times)) if node < 0 else self.axes_of[self.node_index[node]]

    def _set(self, quantity: Quantity, axis: int, value: float, now: float) -> None:
        if quantity == "status":
            raw = int(value) & 0xFFFFFFFF
            meaning, _ = self._meaning_of(raw)
            self.notable |= meaning != self.meaning[axis]
            self.status[axis] = raw
            self.meaning[axis] = meaning
        elif quantity == "error":
            self.notable |= int(value) != self.errors[axis]
            self.errors[axis] = int(value) & 0xFFFFFFFF
        elif quantity in self.values:
            self.values[quantity][axis] = value
            if quantity == "angle":
                self.angle_time[axis] = now
                self._times[axis].append(now)
        if quantity in self.report_times:
            self.gap[quantity][axis] = now - self.report_times[quantity][axis]
            self.report_times[quantity][axis] = now

    def _meaning_of(self, raw: int) -> tuple[int, str]:
        meaning = self._meanings.get(raw)
        if meaning is None:
            for entry in self._profile.status:
                if raw & entry.mask == entry.code:
                    meaning = (MEANINGS.index(entry.meaning), entry.text or entry.meaning)
                    break
            else:
                meaning = (0, f"status 0x{raw:X}, which is not defined in the profile")
            # A status may have any value; the cache must not grow without limit.
            if len(self._meanings) < 4096:
                self._meanings[raw] = meaning
        return meaning

    def reports(self, meaning: StatusMeaning) -> NDArray[np.bool_]:
        """Return which axes last reported this state, (m,)."""
        return np.asarray(self.meaning == MEANINGS.index(meaning))

    def all_armed(self) -> bool:
        """Return whether all axes last reported that they are armed."""
        return self.meaning.tobytes() == self._armed

    def relevant_errors(self) -> NDArray[np.int64]:
        """Return the error bits that are defined in the profile, (m,); all bits if it lists none."""
        return self.errors & self._error_mask

    def text(self, axis: int) -> str:
        """Return status and errors of an axis as text; "" before its first status."""
        values = int(self.status[axis]), int(self.errors[axis])
        if self._texts[axis][0] != values:
            self._texts[axis] = values, self._describe(*values)
        return self._texts[axis][1]

    def _describe(self, status: int, raw: int) -> str:
        parts = [] if status < 0 else [self._meaning_of(status)[1]]
        named = 0
        for entry in self._profile.errors:
            if raw & entry.mask:
                parts.append(entry.text)
                named |= entry.mask
        if raw & ~named:
            parts.append(f"error bits 0x{raw & ~named:X}")
        return ", ".join(parts)

    def feedback_rate(self, now: float) -> NDArray[np.float64]:
        """Return the rate of angles of each axis over the last 2 s, Hz, (m,)."""
        rates = np.zeros(len(self._times))
        for axis, times in enumerate(self._times):
            while times and times[0] < now - _RATE_WINDOW_S:
                times.popleft()
            if len(times) >= 2:
                rates[axis] = (len(times) - 1) / max(times[-1] - times[0], 1e-6)
        return rates

    def torque(self) -> NDArray[np.bool_]:
        """Return which axes last reported that their torque is or may be on, (m,)."""
        return self.reports("armed") | self.reports("stopping")

    def unknown(self) -> NDArray[np.bool_]:
        """Return which axes last reported a status that is not defined in the profile, (m,)."""
        return np.asarray((self.status >= 0) & (self.meaning == MEANINGS.index(None)))

    def torque_off(self, since: float) -> NDArray[np.bool_]:
        """Return which axes reported after `since` (s) that their torque is off, (m,), by a status of the profile."""
        known = self.meaning != MEANINGS.index(None)
        return np.asarray(known & ~self.torque() & (self.status_time > since))

    def all_report(self, meaning: StatusMeaning, since: float) -> bool:
        """Return whether all axes have reported this state after `since` (s)."""
        return bool((self.reports(meaning) & (self.status_time >= since)).all())
