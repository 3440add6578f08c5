"""Watchdogs while torque is on: for the window, the references, each joint, each node, and the bus.

They check the age of received data on one monotonic clock; a watchdog has no separate timer that
could fail.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.text import age, axis_names, node_names
from snakestudio.link.messages import MEANINGS
from snakestudio.link.profile.schema import Profile

Lost = Literal[
    "window", "reference", "feedback", "heartbeat", "bus", "decode", "limit", "fault", "limited"
]

HELD_UP_S = 0.25
"""A link that did not run for this time (and for 2.5 periods) counts as a loss of `window`."""

SEND_FAILS_S = 0.15
"""The bus counts as lost if no frame could be sent for this time."""


_ROUNDING_S = 1e-3
"""Time before a possible loss from which it is checked again."""

_BUSY = "Check what else keeps this computer busy"


@dataclass(frozen=True, slots=True)
class Loss:
    """A reason to stop the robot while torque is on."""

    what: Lost
    """Key of `OnLoss` with the reaction; for limited quantities ("limited") it is `Limits.on_lost`."""

    text: str
    """Message with the age or value."""


class Watchdogs:
    """All watchdogs that can stop the robot.

    Attributes
    ----------
    window_at, reference_at : float
        Times of the last sign of life of the window, and of the last references; s, NaN if never.
    sending_fails_since : float
        Time since when no frame could be sent, s; NaN if the last one was sent.
    """

    def __init__(self, profile: Profile, node_states: NodeStates) -> None:
        self._profile = profile
        self._node_states = node_states
        self.window_at = math.nan
        self.reference_at = math.nan
        self.sending_fails_since = math.nan
        self._polled = math.nan
        # Nothing can be lost before these times: received values stay received while torque is on.
        self._angles_until = self._heartbeats_until = self._status_until = -math.inf

    def window_silent(self, now: float) -> bool:
        """Return whether the window's last sign of life is too old, or there was none."""
        return not now - self.window_at <= self._profile.timing.window_timeout_s

    def begin(self, now: float) -> None:
        """Start all watchdogs at `now` (s)."""
        self._polled = now
        self._angles_until = self._heartbeats_until = self._status_until = -math.inf

    def sending_failed(self, now: float) -> None:
        """Record that a frame could not be sent at `now` (s)."""
        if math.isnan(self.sending_fails_since):
            self.sending_fails_since = now

    def sending_worked(self) -> None:
        """Record that a frame was sent."""
        self.sending_fails_since = math.nan

    def check(self, now: float, *, streaming: bool, settling: bool) -> Loss | None:
        """Return the worst loss; None if there is none.

        Parameters
        ----------
        now : float
            s.
        streaming : bool
            Whether references are needed.
        settling : bool
            Whether the robot is being armed or disarmed, so that it need not report that it is
            armed.
        """
        return (
            self._own(now)
            or self._window(now)
            or (self._reference(now) if streaming else None)
            or self._sending(now)
            or self._feedback(now)
            or self._heartbeat(now)
            or self._status(now, settling)
        )

    def _own(self, now: float) -> Loss | None:
        gap = now - self._polled
        self._polled = now
        longest = max(HELD_UP_S, 2.5 / self._profile.timing.set_point_rate_hz)
        if gap > longest:
            return Loss("window", f"The link itself was held up for {age(gap)}. {_BUSY}.")
        return None

    def _window(self, now: float) -> Loss | None:
        if self.window_silent(now):
            silent = age(now - self.window_at)
            return Loss(
                "window",
                f"The program that drives the robot gave no sign of life for {silent}. {_BUSY}.",
            )
        return None

    def _reference(self, now: float) -> Loss | None:
        if not now - self.reference_at <= self._profile.timing.reference_timeout_s:
            return Loss(
                "reference", f"The last references came {age(now - self.reference_at)} ago."
            )
        return None

    def _sending(self, now: float) -> Loss | None:
        if now - self.sending_fails_since > SEND_FAILS_S:
            return Loss("bus", f"No frame could be sent for {age(now - self.sending_fails_since)}.")
        return None

    def _feedback(self, now: float) -> Loss | None:
        if now <= self._angles_until:
            return None
        node_states = self._node_states
        lost = self._profile.timing.lost_s
        ages = now - node_states.angle_time
        silent = ~(ages <= lost)
        if silent.any():
            names = axis_names(self._profile.axes, silent)
            return Loss(
                "feedback",
                f"The last feedback of {names} came {age(float(ages[silent].max()))} ago.",
            )
        self._angles_until = float(node_states.angle_time.min()) + lost - _ROUNDING_S
        return None

    def _heartbeat(self, now: float) -> Loss | None:
        if now <= self._heartbeats_until:
            return None
        node_states = self._node_states
        lost = self._profile.timing.lost_s
        ages = now - node_states.heartbeat_time
        silent = ~(ages <= lost)
        if silent.any():
            nodes = node_names(np.array(self._profile.nodes)[silent])
            what = "heartbeat" if node_states.has_heartbeat else "frame"
            return Loss(
                "heartbeat",
                f"The last {what} of {nodes} came {age(float(ages[silent].max()))} ago.",
            )
        self._heartbeats_until = float(node_states.heartbeat_time.min()) + lost - _ROUNDING_S
        return None

    def _status(self, now: float, settling: bool) -> Loss | None:
        node_states = self._node_states
        profile = self._profile
        if node_states.has_status:
            if not now <= self._status_until:
                ages = now - node_states.status_time
                silent = ~(ages <= profile.timing.lost_s)
                if silent.any():
                    names = axis_names(profile.axes, silent)
                    return Loss(
                        "heartbeat",
                        f"The last status of {names} came {age(float(ages[silent].max()))} ago.",
                    )
                self._status_until = (
                    float(node_states.status_time.min()) + profile.timing.lost_s - _ROUNDING_S
                )
            if not settling and node_states.all_armed():
                return self._errors()
            booting = node_states.reports("booting")
            if booting.any():
                return Loss("fault", f"{_subject(profile, booting)} restarted during the run.")
            wrong = node_states.reports("fault") if settling else ~node_states.reports("armed")
            if wrong.any():
                first = int(np.flatnonzero(wrong)[0])
                text = node_states.text(first) or MEANINGS[node_states.meaning[first]]
                verb = (
                    "reports"
                    if node_states.reports("fault")[first]
                    else "is no longer armed and reports"
                )
                return Loss("fault", f"{_subject(profile, wrong)} {verb} {text}.")
        return self._errors()

    def _errors(self) -> Loss | None:
        node_states = self._node_states
        profile = self._profile
        failing = node_states.relevant_errors() != 0
        if failing.any():
            first = int(np.flatnonzero(failing)[0])
            return Loss("fault", f"{_subject(profile, failing)} reports {node_states.text(first)}.")
        return None


def _subject(profile: Profile, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    first = profile.axes[int(np.flatnonzero(chosen)[0])]
    others = int(chosen.sum()) - 1
    more = f" and {others} more ax{'es' if others > 1 else 'is'}" if others else ""
    return f"Node {first.node} ({first.name}{more})"
