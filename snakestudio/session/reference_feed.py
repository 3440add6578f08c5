"""References of a controller for several control periods at a time, and their steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.authoring import batch_law_of
from snakestudio.control.base import Controller, OnePeriod, Steerable
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

MAX_PERIODS = 100
"""Largest number of control periods per request: enough to make the cost of a call negligible, and few
enough to need little memory."""


class ControlPeriods:
    """Control periods of a controller, in a simulation or in real time: their knots, and how many it computes together.

    Parameters
    ----------
    step_s : float
        Distance of two knots, s.
    steps_per_period : int
        Number of these distances in a control period.
    steered : bool
        Whether operators can steer; then a steerable controller returns one period at a time.
    """

    def __init__(
        self, controller: Controller, step_s: float, steps_per_period: int, *, steered: bool = True
    ) -> None:
        self._step_s = step_s
        self._steps_per_period = steps_per_period
        self._steered = steered
        self.use(controller)

    def use(self, controller: Controller) -> None:
        """Use this controller from the next request."""
        self.controller = controller
        self.closed_loop = controller.needs is not Fields.NONE
        """Whether the controller reads the robot's state."""
        self.one_period = (
            self.closed_loop
            or isinstance(controller, OnePeriod)
            or (self._steered and isinstance(controller, Steerable))
        )
        """Whether it returns a single control period at a time."""

    def period(self, number: int, snapshot: Snapshot | None) -> Reference:
        """Compute one period for the state of the robot at its beginning."""
        return self._computed(number, number + 1, snapshot)

    def periods(self, first: int, last: int) -> list[Reference]:
        """Compute the periods from `first` until before `last`, of an open-loop controller."""
        together = 1 if self.one_period else last - first
        return [
            self._computed(number, min(number + together, last), None)
            for number in range(first, last, max(1, together))
        ]

    def _computed(self, first: int, last: int, snapshot: Snapshot | None) -> Reference:
        n = self._steps_per_period
        time = _knots(first * n, (last - first) * n, self._step_s)
        return self.controller.reference(time, snapshot)


class ReferenceFeed(ControlPeriods):
    """Requests references from a controller when the previous ones are used up; see `ControlPeriods`."""

    def __init__(self, controller: Controller, scene: Scene, *, steered: bool = True) -> None:
        self.reference: Reference | None = None
        self.begin = 0
        self.end = 0
        """`begin` and `end`: steps of the reference."""
        super().__init__(controller, scene.solver.step_s, scene.steps_per_period, steered=steered)

    def use(self, controller: Controller) -> None:
        """Use this controller from the next request."""
        super().use(controller)
        self.batch_law = batch_law_of(controller) if self.one_period else None
        """Law that computes many worlds together, and its plug-in; None if it does not."""
        self.reference = None

    def discard(self) -> None:
        """Discard the reference, so that the next step requests another."""
        self.reference = None
        self.begin = self.end = 0

    def set(self, reference: Reference | None, begin: int, end: int) -> None:
        """Continue with an existing reference for the steps from `begin` to `end`."""
        self.use(self.controller)
        self.reference = reference
        self.begin = begin
        self.end = end

    def request(self, step: int, n_steps: int, look: Callable[[], Snapshot]) -> Reference:
        """Request references from a step.

        An open-loop controller returns many periods per call, up to `n_steps`; any other controller
        receives a new snapshot in every period.
        """
        time = self.knots(step, n_steps)
        snapshot = look() if self.closed_loop else None
        self.reference = self.controller.reference(time, snapshot)
        self.begin = step
        self.end = step + len(time) - 1
        return self.reference

    def knots(self, step: int, n_steps: int) -> FloatArray:
        """Return the times of the steps that `request` requests, including both ends, s."""
        periods = 1
        if not self.one_period:
            periods = min(max(1, math.ceil(n_steps / self._steps_per_period)), MAX_PERIODS)
        return _knots(step, periods * self._steps_per_period, self._step_s)

    def covers(self, step: int) -> bool:
        """Return whether the reference covers the next step."""
        return self.reference is not None and self.begin <= step < self.end

    def checkpoint(self) -> Any:
        """Return the state of the controller, and its reference with its steps."""
        return self.controller.checkpoint(), self.reference, self.begin, self.end

    def restore(self, checkpoint: Any) -> None:
        """Restore a state from `checkpoint`."""
        state, reference, begin, end = checkpoint
        self.controller.restore(state)
        self.set(reference, begin, end)


def try_reference(
    controller: Controller, scene: Scene, step: int, look: Callable[[], Snapshot]
) -> tuple[Reference | None, FloatArray]:
    """Return the reference of one period from a step, and the controller's values, without changing its state.

    This also applies to controllers that do not read the state of the robot.
    """
    state = controller.checkpoint()
    knots = _knots(step, scene.steps_per_period, scene.solver.step_s)
    snapshot = look() if controller.needs is not Fields.NONE else None
    reference = controller.reference(knots, snapshot)
    values = controller.values()
    controller.restore(state)
    return reference, values


def _knots(begin: int, n_steps: int, step_s: float) -> FloatArray:
    """Times of the steps including both ends, s."""
    return np.arange(begin, begin + n_steps + 1, dtype=np.float64) * step_s
