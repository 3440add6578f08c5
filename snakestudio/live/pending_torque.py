"""Whether requested torque may be coming on: the link remains in IDLE until the nodes have confirmed it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from snakestudio.link.base import Link
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.schema import Profile

TORQUE = (LinkState.ARMED, LinkState.STREAMING)
"""States in which torque is on."""

_TAKEN_UP_S = 0.5
"""What an order to arm may wait for the live robot and the link to take it up, s."""


@dataclass(frozen=True, slots=True, eq=False)
class TorqueRequest:
    """One request of torque by the operator; two of the same moment differ."""

    until: float
    """When torque has come on at the latest, s, monotonic."""

    stops: int
    """Number of stops that had been requested before."""


class PendingTorque:
    """The newest request. `request` and `pending` are for any thread, the rest for that of the live robot."""

    def __init__(self, link: Link, clock: Callable[[], float]) -> None:
        self._link = link
        self._clock = clock
        self._newest_request = TorqueRequest(-math.inf, 0)
        # The last request that got to the link, and whose torque came on and was taken off.
        self._passed_on = self._newest_request
        self._came_on = self._newest_request
        self._taken_off = self._newest_request

    @property
    def pending(self) -> bool:
        """Whether torque may be coming on.

        For as long as that takes at most; every stop ends it, and so does torque that came on and
        was switched off again in order.
        """
        requested = self._newest_request
        return (
            self._clock() < requested.until
            and self._link.stop_count == requested.stops
            and self._taken_off is not requested
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
            self._taken_off = self._came_on


def _longest_wait(profile: Profile) -> float:
    """Longest time from the request to the confirmation of all nodes, s."""
    steps = profile.sequences.arm
    waits = sum(
        (step.wait_s or 0.0) + (step.timeout_s if step.expect is not None else 0.0)
        for step in steps
    )
    return waits + profile.timing.confirm_s + _TAKEN_UP_S
