"""Rates of frames: bus load, babbling nodes, two nodes with one number, unreadable frames."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

from snakestudio.link.frame import Frame
from snakestudio.link.profile.bus_load import frame_time
from snakestudio.link.profile.schema import Profile
from snakestudio.text import capitalized

if TYPE_CHECKING:
    from snakestudio.link.core.coder import DecodedFrame

BABBLING = 5.0
"""Factor of the expected rate from which a node babbles,"""

DOUBLED = 1.6
"""and from which two nodes send the message: jitter and a lost frame stay below."""

LOST_READINGS = 5
"""More unreadable frames than this within a second stop the robot: a noisy cable destroys a few, a
wrong DBC all."""

_HELD_UP_S = 0.25
"""A longer pause between calls means that the process was held up."""

_BIN_S = 0.1
_BINS = 10


class LoadMeter:
    """Bus load of the last second, in bins of 0.1 s, with worst-case stuffing.

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
        """Add a sent or received frame."""
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
        """Return the load, 0 to 1 (more if adapters report more than the bus can carry)."""
        index = math.floor(now / _BIN_S)
        # The ten bins before the one that is being filled make the second.
        if index != self._load[0]:
            full = sum(duration for bin_, duration in self._bins if index - _BINS <= bin_ < index)
            self._load = index, full / (_BINS * _BIN_S)
        return self._load[1]


class Arrivals:
    """Counts of the robot's frames, checked once a second.

    Attributes
    ----------
    why_unreadable : str
        Message about the last unreadable frame.
    remedy_unreadable : str
        Remedy for the message about many unreadable frames.
    problems : dict of str to str
        Messages about problems of the last second, by a key that is constant while they last.
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
        self.problems: dict[str, str] = {}

    def reset(self) -> None:
        """Reset, because the bus was reopened."""
        self._counts.clear()
        self._since = math.nan
        self._unreadable.clear()
        self.problems = {}

    def add(self, decoded: DecodedFrame) -> None:
        """Count a received frame of the profile."""
        name = decoded.message.called
        if name in self._expected:
            key = name, decoded.node
            self._counts[key] = self._counts.get(key, 0) + 1

    def unreadable(self, now: float, why: str, remedy: str = "") -> None:
        """Count unreadable data at `now` (s); `why` is the reason, without the remedy if one is given."""
        self._unreadable.append(now)
        self.why_unreadable = why
        self.remedy_unreadable = remedy and f". {capitalized(remedy)}"

    def unreadable_too_often(self, now: float) -> bool:
        """Return whether more than `LOST_READINGS` frames were unreadable within a second."""
        return len(self._unreadable) > LOST_READINGS and self._unreadable[0] > now - 1.0

    def judge(self, now: float) -> list[str]:
        """Check the last second once it is over; return the new messages."""
        if math.isnan(self._since):
            self._since = now
        held_up = now - self._looked > _HELD_UP_S
        self._looked = now
        if (
            held_up
        ):  # waiting frames arrive together: neither that second nor the next one is usable
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
        problems: dict[str, str] = {}
        for (name, node), count in self._counts.items():
            # One more frame may be in any window by chance.
            often = max(0, count - 1) / passed / self._expected[name]
            who = "the robot" if node is None else f"node {node}"
            rates = f"{name} of {who} is sent {count / passed:.0f} times per second instead of {self._expected[name]:g}"
            if often > BABBLING:
                problems[f"babbling {name} {node}"] = f"{rates}: the node babbles. Switch it off."
            elif often > DOUBLED:
                problems[f"doubled {name} {node}"] = (
                    f"{rates}. Check for two nodes with the same number; otherwise correct its interval in the profile."
                )
        new = [text for key, text in problems.items() if key not in self.problems]
        self.problems = problems
        self._counts.clear()
        self._since = now
        return new
