"""How often frames come: load of the bus, nodes that babble, two nodes with one number, frames that cannot be read."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

from snakestudio.link.frame import Frame
from snakestudio.link.profile.bus_load import frame_time
from snakestudio.link.profile.schema import Profile
from snakestudio.text import capitalized

if TYPE_CHECKING:
    from snakestudio.link.core.coder import Decoded

BABBLING = 5.0
"""So many times as often as expected a message comes from a node that babbles,"""

DOUBLED = 1.6
"""and so many times if two nodes send it: jitter and a lost frame stay below."""

LOST_READINGS = 5
"""More unreadable frames than this within a second stop the robot: a noisy cable destroys a few, a
wrong DBC all."""

_HELD_UP_S = 0.25
"""Who did not look for so long stood still."""

_BIN_S = 0.1
_BINS = 10


class LoadMeter:
    """Share of the bus's time that frames took in the last second, in bins of 0.1 s, at worst stuffing.

    Parameters
    ----------
    profile : Profile
        Bit rates of the bus.
    """

    def __init__(self, profile: Profile) -> None:
        self._bus = profile.bus
        self._bins: deque[tuple[int, float]] = deque(maxlen=_BINS + 1)
        self._load = -1, 0.0
        self._durations: dict[tuple[int, bool, bool, bool], float] = {}

    def add(self, frame: Frame, now: float) -> None:
        """A frame went over the bus, ours or another's."""
        kind = (
            frame.length if frame.remote else len(frame.data),
            frame.extended,
            frame.remote,
            frame.fd,
        )
        duration = self._durations.get(kind)
        if duration is None:
            duration = self._durations[kind] = frame_time(*kind, self._bus)
        index = math.floor(now / _BIN_S)
        if self._bins and self._bins[-1][0] >= index:
            last, sum_ = self._bins[-1]
            self._bins[-1] = last, sum_ + duration
        else:
            self._bins.append((index, duration))

    def load(self, now: float) -> float:
        """0 to 1 (more if adapters report more than the bus could carry)."""
        index = math.floor(now / _BIN_S)
        # The bin that is being filled counts as full only when it is: the ten before it make the
        # second.
        if index != self._load[0]:
            full = sum(duration for bin_, duration in self._bins if index - _BINS <= bin_ < index)
            self._load = index, full / (_BINS * _BIN_S)
        return self._load[1]


class Arrivals:
    """Counts of what the robot sends, judged once a second.

    Attributes
    ----------
    why_unreadable : str
        What was wrong with what could not be read last, a sentence.
    remedy_unreadable : str
        What to look at, for the sentence that says that there are many of them.
    findings : dict of str to str
        What is odd since the last second, a sentence each, by a key that stays the same while it
        lasts.
    """

    def __init__(self, profile: Profile) -> None:
        self._expected = {
            message.called: 1.0 / message.every_s
            for message in profile.messages
            if message.role in ("feedback", "heartbeat") and message.every_s is not None
        }
        self._counts: dict[tuple[str, int | None], int] = {}
        self._since = self._looked = math.nan
        self._backlog = False
        self._unreadable: deque[float] = deque(maxlen=LOST_READINGS + 1)
        self.why_unreadable = self.remedy_unreadable = ""
        self.findings: dict[str, str] = {}

    def forget(self) -> None:
        """The bus was opened anew."""
        self._counts.clear()
        self._since = math.nan
        self._unreadable.clear()
        self.findings = {}

    def take(self, decoded: Decoded) -> None:
        """A frame of the profile was received."""
        name = decoded.message.called
        if name in self._expected:
            key = name, decoded.node
            self._counts[key] = self._counts.get(key, 0) + 1

    def unreadable(self, now: float, why: str, remedy: str = "") -> None:
        """Something could not be read (s), for a reason: a sentence, which has no remedy in it if one is given."""
        self._unreadable.append(now)
        self.why_unreadable = why
        self.remedy_unreadable = remedy and f". {capitalized(remedy)}"

    def unreadable_too_often(self, now: float) -> bool:
        """Whether more of them than `LOST_READINGS` came within a second."""
        return len(self._unreadable) > LOST_READINGS and self._unreadable[0] > now - 1.0

    def judge(self, now: float) -> list[str]:
        """Look at the last second once it is over; gives the sentences that are new."""
        if math.isnan(self._since):
            self._since = now
        held_up = now - self._looked > _HELD_UP_S
        self._looked = now
        if held_up:  # what waited meanwhile comes at once: neither that second nor the next one says anything
            self._since = now
            self._backlog = True
        passed = now - self._since
        if passed < 1.0:
            return []
        if self._backlog:
            self._since = now
            self._backlog = False
            self._counts.clear()
            return []
        found: dict[str, str] = {}
        for (name, node), count in self._counts.items():
            # One more may fall into any window by chance.
            often = max(0, count - 1) / passed / self._expected[name]
            who = "the robot" if node is None else f"node {node}"
            rates = f"{name} of {who} is sent {count / passed:.0f} times per second instead of {self._expected[name]:g}"
            if often > BABBLING:
                found[f"babbling {name} {node}"] = f"{rates}: the node babbles. Switch it off."
            elif often > DOUBLED:
                found[f"doubled {name} {node}"] = (
                    f"{rates}. Check for two nodes with the same number; otherwise correct its interval in the profile."
                )
        new = [text for key, text in found.items() if key not in self.findings]
        self.findings = found
        self._counts.clear()
        self._since = now
        return new
