"""How often the robot says what of each axis, by its profile, and from which age on that counts as old, and as lost.

What nobody knows the age of would be believed for ever: a temperature whose message ended stands
still below its limit. So each quantity of each axis has times of its own, which follow from the
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
"""Interval of what comes nobody knows how often: it is lost after 5 s, as PX4 has it of
batteries."""

_STALE = 2.5
LOST = 5.0
"""Intervals after which something is old, and lost: two, or four, are missing. Never before the
profile's own times."""


def interval_of(profile: Profile, message: Message) -> float | None:
    """How often a message of the robot comes, s: as it says, or as it is asked for; None if nobody says."""
    if message.every_s is not None:
        return message.every_s
    asked = [
        m.every_s for m in profile.messages if m.role == "request" and m.message == message.message
    ]
    return asked[0] if asked else None


class Expected:
    """Intervals and ages of all m axes.

    Parameters
    ----------
    pages : mapping of int to int
        By a message's number in the profile: how many of its frames bring all that it carries.

    Attributes
    ----------
    said : dict of (m,) bool arrays
        By quantity: which axes say it again and again, as far as the profile has it bound (error
        bits: ever).
    told : dict of (m,) bool arrays
        Of which of these it is known how often.
    interval : dict of (m,) arrays
        s; `ASSUMED_S` where nobody says, infinite where it is never said.
    stale, lost : dict of (m,) arrays
        Age at which it is old, and at which nothing is known of it any more, s. Infinite where it
        is never said, and of error bits that come nobody knows how often: many robots send those
        when there is an error, and never else.
    """

    def __init__(self, profile: Profile, pages: Mapping[int, int] | None = None) -> None:
        m = len(profile.axes)
        timing = profile.timing
        self.said = {quantity: np.zeros(m, np.bool_) for quantity in MEASURED}
        self.told = {quantity: np.zeros(m, np.bool_) for quantity in MEASURED}
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
                # Of what comes only when it changes nobody knows whether it is still so: no limit
                # can stand on it.
                if signal.quantity not in self.said or (rare and signal.quantity != "error"):
                    continue
                for index in (
                    i for i, axis in enumerate(profile.axes) if _is_about(message, signal, i, axis)
                ):
                    self.said[signal.quantity][index] = True
                    self.told[signal.quantity][index] |= known is not None and not rare
                    self.interval[signal.quantity][index] = min(
                        self.interval[signal.quantity][index], every
                    )
        self.stale = {
            q: np.maximum(timing.stale_s, _STALE * each) for q, each in self.interval.items()
        }
        self.lost = {q: np.maximum(timing.lost_s, LOST * each) for q, each in self.interval.items()}
        for ages in (self.stale, self.lost):
            ages["error"][~self.told["error"]] = np.inf


def _is_about(message: Message, signal: Signal, index: int, axis: Axis) -> bool:
    """Whether a signal says something of an axis."""
    return signal.slot is None or signal.slot == (index if message.each == "once" else axis.slot)
