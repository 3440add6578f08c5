"""The references that a controller gives, a stretch of control periods at a time, and the steps they are for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.base import Controller, OnePeriod, Steerable
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

MAX_PERIODS = 100
"""Control periods for which references are made in one call: enough that the cost of a call vanishes,
and few enough to hold little memory."""


class ReferenceFeed:
    """Asks a controller for references when those it gave before are used up.

    Parameters
    ----------
    steered : bool
        Whether operators may steer: a controller that can be steered then makes one period at a
        time.
    """

    def __init__(self, controller: Controller, scene: Scene, *, steered: bool = True) -> None:
        self._step_s = scene.solver.step_s
        self._steps_per_period = scene.steps_per_period
        self._steered = steered
        self.reference: Reference | None = None
        self.begin = 0
        self.end = 0
        """`begin` and `end`: steps that the reference is for."""
        self.use(controller)

    def use(self, controller: Controller) -> None:
        """Take references from this controller, from the next request on."""
        self.controller = controller
        self.closed_loop = controller.needs is not Fields.NONE
        """Whether the controller reads the robot's state."""
        self.one_period = (
            self.closed_loop
            or isinstance(controller, OnePeriod)
            or (self._steered and isinstance(controller, Steerable))
        )
        """Whether it makes a single control period at a time."""
        self.reference = None

    def set(self, reference: Reference | None, begin: int, end: int) -> None:
        """Continue with a reference that was given before, for the steps from `begin` to `end`."""
        self.use(self.controller)
        self.reference = reference
        self.begin = begin
        self.end = end

    def request(self, step: int, n_steps: int, look: Callable[[], Snapshot]) -> Reference:
        """Ask for references from a step on.

        A controller that reads nothing makes many periods in one call, up to `n_steps`; any other
        gets a new snapshot, from `look`, in every period.
        """
        periods = 1
        if not self.one_period:
            periods = min(max(1, math.ceil(n_steps / self._steps_per_period)), MAX_PERIODS)
        steps = periods * self._steps_per_period
        snapshot = look() if self.closed_loop else None
        self.reference = self.controller.reference(_knots(step, steps, self._step_s), snapshot)
        self.begin = step
        self.end = step + steps
        return self.reference

    def covers(self, step: int) -> bool:
        """Whether the reference is for the step that follows."""
        return self.reference is not None and self.begin <= step < self.end

    def inside(self, step: int) -> bool:
        """Whether a step is between the first and the last of the reference."""
        return self.begin < step < self.end

    def checkpoint(self) -> Any:
        """The controller's state, and its reference with the steps that it is for."""
        return self.controller.checkpoint(), self.reference, self.begin, self.end

    def restore(self, checkpoint: Any) -> None:
        """Go back to what `checkpoint` gave."""
        state, reference, begin, end = checkpoint
        self.controller.restore(state)
        self.set(reference, begin, end)


def try_reference(
    controller: Controller, scene: Scene, step: int, look: Callable[[], Snapshot]
) -> tuple[Reference | None, FloatArray]:
    """The reference of a single period from a step on, and the controller's values; its state does not change.

    Holds for controllers that do not read the robot's state, too.
    """
    state = controller.checkpoint()
    knots = _knots(step, scene.steps_per_period, scene.solver.step_s)
    snapshot = look() if controller.needs is not Fields.NONE else None
    reference = controller.reference(knots, snapshot)
    values = controller.values()
    controller.restore(state)
    return reference, values


def _knots(begin: int, n_steps: int, step_s: float) -> FloatArray:
    """Times of the steps, both ends included, s."""
    return np.arange(begin, begin + n_steps + 1, dtype=np.float64) * step_s
