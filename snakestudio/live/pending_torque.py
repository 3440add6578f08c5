"""Pending requests of torque: the link remains in IDLE until the nodes have confirmed that torque is on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from snakestudio.link.base import Link
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.schema import Profile

TORQUE = (LinkState.ARMED, LinkState.STREAMING)
"""States in which torque is on."""

_PICKUP_S = 0.5
"""Longest time until the live robot and the link begin to execute a command to arm, s."""


@dataclass(frozen=True, slots=True, eq=False)
class TorqueRequest:
    """A request of torque by the operator; two requests at the same time differ."""

    until: float
    """Latest time at which torque can come on, s, monotonic."""

    stops: int
    """Number of stops requested before."""


class PendingTorque:
    """The newest request of torque. Any thread may use `request` and `pending`; the rest is for the live robot's."""

    def __init__(self, link: Link, clock: Callable[[], float]) -> None:
        self._link = link
        self._clock = clock
        self._newest_request = TorqueRequest(-math.inf, 0)
        # The last requests that reached the link, turned torque on, and were disarmed again.
        self._passed_on = self._newest_request
        self._came_on = self._newest_request
        self._disarmed = self._newest_request

    @property
    def pending(self) -> bool:
        """Whether torque may be coming on.

        True at most for the longest time that arming takes. Every stop ends it, and so does torque
        that came on and was switched off again by disarming.
        """
        requested = self._newest_request
        return (
            self._clock() < requested.until
            and self._link.stop_count == requested.stops
            and self._disarmed is not requested
        )

    def request(self) -> TorqueRequest:
        """Record that the operator requests torque now."""
        self._newest_request = TorqueRequest(
            self._clock() + _longest_wait(self._link.profile), self._link.stop_count
        )
        return self._newest_request

    def pass_on(self, request: TorqueRequest) -> None:
        """Record that a request reaches the link."""
        self._passed_on = request

    def follow(self, before: LinkState | None, state: LinkState) -> None:
        """Record a change of the state of the link."""
        if state in TORQUE and before not in TORQUE:
            self._came_on = self._passed_on
        elif state == LinkState.IDLE and before in TORQUE:
            self._disarmed = self._came_on


def _longest_wait(profile: Profile) -> float:
    """Return the longest time from a request to the confirmation by all nodes, s."""
    steps = profile.sequences.arm
    waits = sum(
        (step.wait_s or 0.0) + (step.timeout_s if step.expect is not None else 0.0)
        for step in steps
    )
    return waits + profile.timing.confirm_s + _PICKUP_S
