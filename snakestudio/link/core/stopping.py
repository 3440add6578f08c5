"""After a stop: repetition of the stop sequence until the robot itself reports that its torque is off."""

from __future__ import annotations

import math

from snakestudio.link.core.journal import Journal
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.text import node_names
from snakestudio.link.profile.schema import Profile

REPEAT_S = 0.1
"""Interval of the repeats,"""

BLIND_REPEATS = 3
"""and their number for a robot that does not report its status."""


class StopMonitor:
    """Checks whether a stop has taken effect."""

    def __init__(self, profile: Profile, node_states: NodeStates, journal: Journal) -> None:
        self._profile = profile
        self._node_states = node_states
        self._journal = journal
        self._begin = self._safe_at = math.nan
        self._sent_at = math.nan
        self._repeats = 0
        self._last_report = ""

    def begin(self, now: float, *, again: bool = False) -> None:
        """Begin after the stop sequence was sent at a time (s); `again` while an earlier one has not taken effect yet.

        Repeated stops must not delay the advice to cut the power.
        """
        self._begin = self._sent_at = now
        self._repeats = 0
        if not again:
            self._safe_at = now
            self._last_report = ""

    @property
    def safe(self) -> bool:
        """Whether all nodes have reported since the stop that their torque is off; never without status signals."""
        return self._node_states.has_status and bool(
            self._node_states.torque_off(self._begin).all()
        )

    def repeat(self, now: float) -> bool:
        """Return whether the stop sequence must be sent again at `now` (s)."""
        if self._node_states.has_status:
            safe = self.safe
            self._report(now, safe)
            repeats = not safe
        else:
            repeats = self._repeats < BLIND_REPEATS
        if not repeats or now - self._sent_at < REPEAT_S:
            return False
        self._sent_at = now
        self._repeats += 1
        return True

    def _report(self, now: float, safe: bool) -> None:
        if safe:
            self._safe_at = now
            if self._last_report != "safe":
                self._last_report = "safe"
                self._journal.report(
                    now,
                    "good",
                    f"The robot reports that it stopped, after {now - self._begin:.2f} s.",
                    "stop",
                )
        # Counted from the last confirmation: a single status frame with wrong bits causes a stop,
        # but no alarm.
        elif self._last_report != "unsafe" and now - self._safe_at > self._profile.timing.confirm_s:
            missing = "no longer" if self._last_report == "safe" else "not"
            self._last_report = "unsafe"
            off = self._node_states.torque_off(self._begin)
            nodes = dict.fromkeys(
                axis.node for axis, safe in zip(self._profile.axes, off, strict=True) if not safe
            )
            self._journal.report(
                now,
                "error",
                f"The stop of {node_names(nodes)} is {missing} confirmed. Cut the robot's power if it moves.",
                "stop",
            )
