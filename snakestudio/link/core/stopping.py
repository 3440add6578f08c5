"""After a stop: the stop sequence again and again until the robot itself says that its torque is off."""

from __future__ import annotations

import math

from snakestudio.link.core.journal import Journal
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.text import node_names
from snakestudio.link.profile.schema import Profile

REPEAT_S = 0.1
"""Interval of the repeats,"""

BLIND_REPEATS = 3
"""and their number for a robot that cannot say how it stands."""


class Stopping:
    """Watches whether a stop has had its effect."""

    def __init__(self, profile: Profile, node_states: NodeStates, journal: Journal) -> None:
        self._profile = profile
        self._node_states = node_states
        self._journal = journal
        self._begin = self._safe_at = math.nan
        self._sent_at = math.nan
        self._repeats = 0
        self._said = ""

    def begin(self, now: float, *, again: bool = False) -> None:
        """The stop sequence went out at a time (s); `again` while an earlier one has not had its effect yet.

        Who presses Stop again and again must not put off being told to cut the power.
        """
        self._begin = self._sent_at = now
        self._repeats = 0
        if not again:
            self._safe_at = now
            self._said = ""

    @property
    def safe(self) -> bool:
        """Whether every node has said since the stop that its torque is off; a robot that cannot say so never is."""
        return self._node_states.has_status and bool(
            self._node_states.torque_off(self._begin).all()
        )

    def repeat(self, now: float) -> bool:
        """Whether the stop sequence has to be sent once more (s)."""
        if self._node_states.has_status:
            safe = self.safe
            self._tell(now, safe)
            wanted = not safe
        else:
            wanted = self._repeats < BLIND_REPEATS
        if not wanted or now - self._sent_at < REPEAT_S:
            return False
        self._sent_at = now
        self._repeats += 1
        return True

    def _tell(self, now: float, safe: bool) -> None:
        if safe:
            self._safe_at = now
            if self._said != "safe":
                self._said = "safe"
                self._journal.say(
                    now,
                    "good",
                    f"The robot reports that it stopped, after {now - self._begin:.2f} s.",
                    "stop",
                )
        # Counted from its last good word: one status frame with wrong bits is answered with a stop,
        # and not with alarm.
        elif self._said != "unsafe" and now - self._safe_at > self._profile.timing.confirm_s:
            missing = "no longer" if self._said == "safe" else "not"
            self._said = "unsafe"
            off = self._node_states.torque_off(self._begin)
            nodes = dict.fromkeys(
                axis.node for axis, safe in zip(self._profile.axes, off, strict=True) if not safe
            )
            self._journal.say(
                now,
                "error",
                f"The stop of {node_names(nodes)} is {missing} confirmed. Cut the robot's power if it moves.",
                "stop",
            )
