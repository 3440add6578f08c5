"""Intervals at which the robot reports each quantity of each axis, and the ages at which it counts as stale and lost.

Without an age limit, a value would be trusted permanently: a temperature that is no longer reported
would stay below its limit. So each quantity of each axis has separate times, which follow from the
interval of the message that carries it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.link.profile.schema import (
    INCOMING,
    MEASURED,
    Axis,
    Message,
    Profile,
    Quantity,
    Signal,
)

ASSUMED_S = 1.0
"""Interval of quantities with an unknown interval: they are lost after 5 s, as batteries in PX4."""

_STALE = 2.5
LOST = 5.0
"""Number of intervals after which a quantity is stale, and lost: two, or four, are missing. Never before the
profile's own times."""


def interval_of(profile: Profile, message: Message) -> float | None:
    """Return the interval of a message of the robot, s: its own or that of its request; None if unknown."""
    if message.every_s is not None:
        return message.every_s
    intervals = [
        m.every_s for m in profile.messages if m.role == "request" and m.message == message.message
    ]
    return intervals[0] if intervals else None


class ExpectedIntervals:
    """Intervals and age limits of all m axes.

    Parameters
    ----------
    pages : mapping of int to int
        Number of frames that a message needs for all its signals, by its index in the profile.

    Attributes
    ----------
    reports : dict of (m,) bool arrays
        By quantity: which axes report it periodically (error bits: at all), for bound quantities.
    has_interval : dict of (m,) bool arrays
        By quantity: which of these have a known interval.
    interval : dict of (m,) arrays
        s; `ASSUMED_S` where it is unknown, infinite where the quantity is never reported.
    stale, lost : dict of (m,) arrays
        Ages at which the quantity counts as stale and as lost, s. Infinite where it is never
        reported, and for error bits with an unknown interval: many robots send those only when
        there is an error.
    """

    def __init__(self, profile: Profile, pages: Mapping[int, int] | None = None) -> None:
        m = len(profile.axes)
        timing = profile.timing
        self.reports = {quantity: np.zeros(m, np.bool_) for quantity in MEASURED}
        self.has_interval = {quantity: np.zeros(m, np.bool_) for quantity in MEASURED}
        self.interval: dict[Quantity, FloatArray] = {
            quantity: np.full(m, np.inf) for quantity in MEASURED
        }
        for number, message in enumerate(profile.messages):
            if message.role not in INCOMING:
                continue
            known = interval_of(profile, message)
            every = (ASSUMED_S if known is None else known) * (pages or {}).get(number, 1)
            for signal in message.signals:
                rare = message.when == "change"
                # The age of a value that is sent only on changes is unknown: no limit can apply to
                # it.
                if signal.quantity not in self.reports or (rare and signal.quantity != "error"):
                    continue
                for index in (
                    i for i, axis in enumerate(profile.axes) if _is_about(message, signal, i, axis)
                ):
                    self.reports[signal.quantity][index] = True
                    self.has_interval[signal.quantity][index] |= known is not None and not rare
                    self.interval[signal.quantity][index] = min(
                        self.interval[signal.quantity][index], every
                    )
        self.stale = {
            q: np.maximum(timing.stale_s, _STALE * each) for q, each in self.interval.items()
        }
        self.lost = {q: np.maximum(timing.lost_s, LOST * each) for q, each in self.interval.items()}
        for ages in (self.stale, self.lost):
            ages["error"][~self.has_interval["error"]] = np.inf


def _is_about(message: Message, signal: Signal, index: int, axis: Axis) -> bool:
    """Return whether a signal carries a quantity of an axis."""
    return signal.slot is None or signal.slot == (index if message.each == "once" else axis.slot)
