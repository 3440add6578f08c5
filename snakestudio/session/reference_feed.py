"""References of a controller for several control periods at a time, and their steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.authoring import batch_law_of
from snakestudio.control.base import Controller, OnePeriod, Steerable
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot

MAX_PERIODS = 100
"""Largest number of control periods per request: enough to make the cost of a call negligible, and few
enough to need little memory."""


class Preview(NamedTuple):
    """References that an open-loop controller computes in advance for a robot, in control periods."""

    horizon: int
    """Periods for which references are computed."""

    refresh: int
    """Periods after which they are computed again."""


class ReferenceFeed:
    """Requests references from a controller for the control periods that are due, in a simulation or on a robot.

    In a simulation each period is computed once, when the previous references are used up. With a
    `preview`, an open-loop controller also computes periods in advance, which later requests replace;
    periods that are not requested are computed in between. A closed-loop controller computes each period
    at its beginning, and no period that is over.

    Parameters
    ----------
    step_s : float
        Distance of two knots, s: a time step of a simulation.
    steps_per_period : int
        Number of these distances in a control period.
    steered : bool
        Whether operators can steer; then a steerable controller returns one period at a time.
    """

    def __init__(
        self,
        controller: Controller,
        step_s: float,
        steps_per_period: int,
        *,
        steered: bool = True,
        preview: Preview | None = None,
    ) -> None:
        self._step_s = step_s
        self._steps_per_period = steps_per_period
        self._steered = steered
        self._preview = preview
        self.reference: Reference | None = None
        self.begin = 0
        self.end = 0
        """`begin` and `end`: steps of the reference, up to the step at which others are due."""
        self.computed = 0
        """Step up to which the controller has been advanced."""
        self.use(controller)

    @classmethod
    def of_scene(
        cls, controller: Controller, scene: Scene, *, steered: bool = True
    ) -> ReferenceFeed:
        """Return the feed of a simulation of `scene`."""
        return cls(controller, scene.solver.step_s, scene.steps_per_period, steered=steered)

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

    def covers(self, step: int) -> bool:
        """Return whether the reference covers the next step."""
        return self.reference is not None and self.begin <= step < self.end

    def begins_interval(self, step: int, call_begin: int) -> bool:
        """Return whether the interval of mean contact forces begins at a step, in a call from the step `call_begin`.

        A closed-loop controller receives means over whole periods, even if they are split for the display.
        """
        return step <= (self.begin if self.closed_loop else call_begin)

    def request(self, step: int, n_steps: int, look: Callable[[], Snapshot | None]) -> Reference:
        """Request references from a step.

        An open-loop controller returns many periods per call, up to `n_steps`, or up to the horizon
        of a preview; any other controller receives a new snapshot in every period.
        """
        if self._preview is not None and not self.closed_loop:
            return self._request_preview(self._preview, step)
        time = self.knots(step, n_steps)
        snapshot = look() if self.closed_loop else None
        self.reference = self.controller.reference(time, snapshot)
        self.begin = step
        self.end = self.computed = step + len(time) - 1
        return self.reference

    def knots(self, step: int, n_steps: int) -> FloatArray:
        """Return the times of the steps that `request` requests, including both ends, s."""
        periods = 1
        if not self.one_period:
            periods = min(max(1, math.ceil(n_steps / self._steps_per_period)), MAX_PERIODS)
        return _knots(step, periods * self._steps_per_period, self._step_s)

    def advance_to(self, step: int) -> None:
        """Advance an open-loop controller to a step, without using its references up to there."""
        self._compute(self.computed, step)
        self.computed = max(self.computed, step)

    def _request_preview(self, preview: Preview, step: int) -> Reference:
        self.advance_to(step)
        state = self.controller.checkpoint()
        parts = self._compute(step, step + preview.horizon * self._steps_per_period)
        self.controller.restore(state)
        self.begin = step
        self.end = step + preview.refresh * self._steps_per_period
        self.reference = JointReference.joined([_of_joints(part) for part in parts])
        return self.reference

    def _compute(self, begin: int, end: int) -> list[Reference]:
        """Compute the references of all periods between two steps, of an open-loop controller."""
        batch_steps = self._steps_per_period if self.one_period else max(1, end - begin)
        return [
            self.controller.reference(
                _knots(step, min(batch_steps, end - step), self._step_s), None
            )
            for step in range(begin, end, batch_steps)
        ]

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


def _of_joints(reference: Reference) -> JointReference:
    assert isinstance(reference, JointReference), "a robot has joints"
    return reference


def _knots(begin: int, n_steps: int, step_s: float) -> FloatArray:
    """Return the times of the steps including both ends, s."""
    return np.arange(begin, begin + n_steps + 1, dtype=np.float64) * step_s
