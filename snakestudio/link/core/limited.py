"""Quantities with limits: they must be reported, and continue to be reported, because limits depend on them.

A quantity that was never reported prevents arming. One that is no longer reported while torque is
on causes a warning when it is stale, and ends the motion when it is lost (`Limits.on_lost`); see
`profile.expected` for the ages.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import BoolArray
from snakestudio.link.core.limits import AxisLimits
from snakestudio.link.core.node_states import NodeStates
from snakestudio.link.core.text import age, axis_names
from snakestudio.link.core.watchdogs import Loss
from snakestudio.link.messages import Severity
from snakestudio.link.profile.expected import ExpectedIntervals
from snakestudio.link.profile.schema import Profile, Quantity

_WORDS: dict[Quantity, str] = {
    "current": "current",
    "temperature": "temperature",
    "voltage": "supply voltage",
    "error": "error status",
}


class LimitMonitor:
    """Checks the age of limited quantities."""

    def __init__(
        self,
        profile: Profile,
        limits: AxisLimits,
        node_states: NodeStates,
        expected: ExpectedIntervals,
    ) -> None:
        self._profile = profile
        self._node_states = node_states
        self._expected = expected
        # A limit without a signal for its quantity is an error of the profile, which itself prevents
        # arming.
        self._needed: dict[Quantity, BoolArray] = {
            "current": np.isfinite(limits.current) & expected.reports["current"],
            "temperature": np.isfinite(limits.temperature) & expected.reports["temperature"],
            "voltage": np.isfinite(limits.voltage) & expected.reports["voltage"],
            "error": expected.has_interval["error"],
        }
        self._reported: dict[tuple[Quantity, str], BoolArray] = {}
        self._known_until = self._fresh_until = -np.inf

    def begin(self) -> None:
        """Reset when the torque is switched on, because earlier values may be of another robot."""
        self._known_until = self._fresh_until = -np.inf

    def check(self, now: float) -> Loss | None:
        """Return a loss at `now` (s) that ends the motion; None without one, or if only warnings are set."""
        if self._profile.limits.on_lost == "warn" or now <= self._known_until:
            return None
        for quantity, needed in self._needed.items():
            lost = needed & ~(self._ages(quantity, now) <= self._expected.lost[quantity])
            if lost.any():
                return Loss(
                    "limited",
                    self._sentence(quantity, lost, now, "so its limit can no longer be monitored."),
                )
        self._known_until = self._earliest(self._expected.lost)
        return None

    def news(self, now: float, *, live: bool) -> list[tuple[Severity, str]]:
        """Return messages about quantities that became stale, or lost without a stop, since the last call."""
        messages: list[tuple[Severity, str]] = []
        if not live:
            self._reported.clear()
        if not live or (now <= self._fresh_until and not self._reported):
            return messages
        for quantity, needed in self._needed.items():
            if not needed.any():
                continue
            ages = self._ages(quantity, now)
            lost = needed & ~(ages <= self._expected.lost[quantity])
            continues = self._profile.limits.on_lost == "warn"
            kinds: tuple[tuple[str, Severity, BoolArray, str], ...] = (
                (
                    "old",
                    "warning",
                    needed & ~(ages <= self._expected.stale[quantity]) & ~lost,
                    "but a limit depends on it.",
                ),
                (
                    "lost",
                    "error",
                    lost & continues,
                    "so its limit is no longer monitored; the robot continues, as set in the profile.",
                ),
            )
            for kind, severity, affected, why in kinds:
                new = affected & ~self._reported.get((quantity, kind), np.zeros_like(affected))
                self._reported[quantity, kind] = affected
                if new.any():
                    messages.append((severity, self._sentence(quantity, new, now, why)))
        self._reported = {key: axes for key, axes in self._reported.items() if axes.any()}
        self._fresh_until = self._earliest(self._expected.stale)
        return messages

    def _earliest(self, allowed: dict[Quantity, NDArray[np.float64]]) -> float:
        """Return the time at which the first needed quantity can become too old, s: no check is needed before."""
        ends = [
            float(np.min((self._node_states.report_times[quantity] + allowed[quantity])[needed]))
            for quantity, needed in self._needed.items()
            if needed.any()
        ]
        return min(ends, default=np.inf) - 1e-3  # checked again before rounding can matter

    def reasons(self, now: float) -> Iterator[str]:
        """Return messages why missing quantities with limits prevent arming at `now` (s)."""
        for quantity, needed in self._needed.items():
            what = _WORDS[quantity]
            times = self._node_states.report_times[quantity]
            if (never := needed & np.isnan(times)).any():
                yield (
                    f"No {what} of {self._names(never)} yet, but a limit depends on it. Check that its node sends it,"
                    " or remove the limit."
                    if quantity != "error"
                    else f"No {what} of {self._names(never)} yet. Check that its node sends it, or"
                    " choose When: change for its message in the profile if it is sent only with errors."
                )
            unknown = needed & ~never & self._is_no_number(quantity)
            if unknown.any():
                yield f"The {what} of {self._names(unknown)} is not a number. Check that its sensor is connected."
            old = needed & ~never & ~unknown & ~(now - times <= self._expected.stale[quantity])
            if old.any():
                first = int(np.flatnonzero(old)[0])
                every = self._expected.interval[quantity][first]
                yield (
                    f"The {what} of {self._names(old)} is {age(float(now - times[first]))} old, but it should come"
                    f" every {every:g} s. Check that its node sends it."
                )
            # With a quantity that is stale most of the time, the robot would be armed and stopped
            # immediately.
            gap = self._node_states.gap[quantity]
            rare = needed & ~never & ~unknown & ~old & (gap > self._expected.stale[quantity])
            if rare.any():
                first = int(np.flatnonzero(rare)[0])
                yield (
                    f"The {what} of {self._names(rare)} came {age(float(gap[first]))} after the previous one, but it"
                    f" should come every {self._expected.interval[quantity][first]:g} s. Correct this, or its interval"
                    " in the profile."
                )

    def _ages(self, quantity: Quantity, now: float) -> NDArray[np.float64]:
        """Return the ages of a quantity, s, (m,); NaN if never reported."""
        return np.asarray(now - self._node_states.report_times[quantity])

    def _is_no_number(self, quantity: Quantity) -> BoolArray:
        values = self._node_states.values.get(quantity)
        return (
            np.isnan(values) if values is not None else np.zeros(len(self._profile.axes), np.bool_)
        )

    def _names(self, chosen: BoolArray) -> str:
        return axis_names(self._profile.axes, chosen)

    def _sentence(self, quantity: Quantity, chosen: BoolArray, now: float, why: str) -> str:
        oldest = float(np.nanmax(self._ages(quantity, now)[chosen], initial=0.0))
        return f"The last {_WORDS[quantity]} of {self._names(chosen)} came {age(oldest)} ago, {why}"
