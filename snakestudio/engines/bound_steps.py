"""Time steps with little overhead: arguments of the compiled loop are bound once, references are written in place.

A step from Python then costs a few microseconds more than the step itself. Rare outcomes (more
contacts than there is space for, a fast link, a failure) are handled by `Engine.advance`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.base import Engine, Kernel, StepReport
from snakestudio.engines.outcome import OK, Figures
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.engines.state_view import StateView, ViewedEngine
from snakestudio.kernels.many_calls import CallTable
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.snapshot import Snapshot

_NO_ROWS: IntArray = np.zeros(0, np.int64)

# Rows of the table of calls.
HELD, BY_TORQUE = range(2)


class Steps(Protocol):
    """Steps of one engine. Call `settle` before any other change of the engine, and `bind` after it.

    Methods that take steps return None if all steps were taken and no row was due, and the engine's
    report otherwise.
    """

    def hold(
        self,
        angle: FloatArray,
        rate: FloatArray | None,
        n_steps: int,
        row_steps: tuple[int, ...] = (),
    ) -> StepReport | None:
        """Take steps while the joint references are held at `angle` ((m,), rad).

        With a `rate` ((m,), rad/s) the references move from there at this constant rate. Rows are
        written after the steps `row_steps`.
        """
        ...

    def give(
        self, torque: FloatArray, n_steps: int, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """Take steps while the motors exert `torque` ((m,), N m)."""
        ...

    def follow(
        self, reference: Reference, n_steps: int, go_on: bool, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """Take steps under a reference that is not modified meanwhile; `go_on` as in `Engine.advance`."""
        ...

    def settle(self) -> None:
        """Give the engine its own copy of the last reference."""
        ...

    def bind(self) -> None:
        """Bind the arrays of the engine, which `apply`, `restore` and additional contacts replace."""
        ...

    def present(self) -> Snapshot:
        """Return the present state; its arrays are refilled when a value is first read after another step."""
        ...


def steps_of(engine: Engine) -> Steps:
    """Return the steps of an engine: its own if they are compiled."""
    bound = engine if isinstance(engine, BoundSteps) and engine.compiled is not None else None
    steps: Steps = bound or PlainSteps(engine)
    steps.bind()
    return steps


def _constant(axes: int, torque: bool) -> JointReference:
    """Return a reference whose arrays are written in place; with torques, it has no angles."""
    angle, rate, acceleration = np.full((3, 2, axes), np.nan if torque else 0.0)
    return JointReference(
        np.array([0.0, 1.0]), angle, rate, acceleration, np.zeros((2, axes)) if torque else None
    )


class PlainSteps:
    """Steps of any engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._snapshot: Snapshot | None = None

    def hold(
        self,
        angle: FloatArray,
        rate: FloatArray | None,
        n_steps: int,
        row_steps: tuple[int, ...] = (),
    ) -> StepReport | None:
        """See `Steps.hold`."""
        reference = self._reference(n_steps, torque=False)
        reference.angle[:] = angle
        if rate is not None:
            reference.rate[:] = rate
            reference.angle[1] += rate * (n_steps * self._engine.scene.solver.step_s)
        return self.follow(reference, n_steps, False, row_steps)

    def give(
        self, torque: FloatArray, n_steps: int, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.give`."""
        reference = self._reference(n_steps, torque=True)
        assert reference.torque is not None
        reference.torque[:] = torque
        return self.follow(reference, n_steps, False, row_steps)

    def _reference(self, n_steps: int, torque: bool) -> JointReference:
        reference = _constant(len(self._engine.schema.axes), torque)
        step = self._engine.scene.solver.step_s
        now = self._engine.step_count
        reference.time[:] = now * step, (now + n_steps) * step
        return reference

    def follow(
        self, reference: Reference, n_steps: int, go_on: bool, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.follow`."""
        self._snapshot = None
        report = self._engine.advance(reference, n_steps, row_steps, go_on)
        return None if report.ok and not row_steps else report

    def settle(self) -> None:
        """Do nothing, because each reference is new."""

    def bind(self) -> None:
        """See `Steps.bind`."""
        self._snapshot = None

    def present(self) -> Snapshot:
        """See `Steps.present`."""
        if self._snapshot is None:
            self._snapshot = self._engine.look()
        return self._snapshot


class BoundSteps(ViewedEngine, ABC):
    """Steps of an engine whose loop is compiled; a base of `TimeSteppingEngine`."""

    _advance: Callable[..., int]
    _rows: RowBuffers
    _reference: JointReference | None
    _reached: int
    _unsettled_reference: JointReference | None = None
    """Reference of the last steps, if its arrays will be written again."""
    _bound_to: tuple[Any, ...]
    """Arguments from which the table of calls was made last."""
    _view: StateView | None = None
    """View of the present state."""

    # -------------------------------------------------------------------------------- of the engine

    @property
    @abstractmethod
    def compiled(self) -> Kernel | None:
        """The compiled functions; None if there are none."""

    @abstractmethod
    def advance(
        self, reference: Reference, n_steps: int, row_steps: tuple[int, ...], go_on: bool = False
    ) -> StepReport:
        """See `Engine.advance`."""

    @abstractmethod
    def plain_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """Return the arguments of the compiled loop before steps, row steps and buffers; the last is the reference."""

    @abstractmethod
    def _figures(self) -> Figures: ...

    @abstractmethod
    def _begin_interval(self) -> None: ...

    # ---------------------------------------------------------------------------------------- Steps

    def bind(self) -> None:
        """See `Steps.bind`."""
        if not hasattr(self, "_calls"):
            self._begin_binding()
        own = self._own_arguments()
        if any(new is not old for new, old in zip(own, self._bound_to, strict=True)):
            self._bound_to = own
            self._bound = [False, False]
        self._followed_reference: JointReference | None = None
        self._unsettled_reference = self._view = None

    def _begin_binding(self) -> None:
        axes = len(self.schema.axes)
        self._held, self._by_torque = held, by_torque = (
            _constant(axes, torque=False),
            _constant(axes, torque=True),
        )
        assert by_torque.torque is not None
        self._held_time = held.time
        self._held_angle = held.angle
        self._held_rate = held.rate
        self._torque_time = by_torque.time
        self._torque_values = by_torque.torque
        self._moves = False  # whether the held reference has rates
        self._dt = self.scene.solver.step_s
        kernel = self.compiled
        assert kernel is not None
        # for calls that write no rows
        self._no_row = self._rows._replace(filled=self._rows.filled.copy())
        self._calls = CallTable(kernel.advance, [self._arguments(held), self._arguments(by_torque)])
        self._step_held, self._step_by_torque = (
            self._calls.single(HELD),
            self._calls.single(BY_TORQUE),
        )
        self._count = 0  # number of steps in the table
        self._bound_to = self._own_arguments()
        self._bound = [True, True]

    def _own_arguments(self) -> tuple[Any, ...]:
        """Return the arguments of the compiled loop that belong to the engine: those before the reference."""
        return self.plain_arguments(self._held)[:-1]

    def _arguments(self, reference: JointReference) -> tuple[Any, ...]:
        return (*self.plain_arguments(reference), 0, _NO_ROWS, self._no_row)

    def hold(
        self,
        angle: FloatArray,
        rate: FloatArray | None,
        n_steps: int,
        row_steps: tuple[int, ...] = (),
    ) -> StepReport | None:
        """See `Steps.hold`."""
        now = self._reached
        dt = self._dt
        time = self._held_time
        time[0] = now * dt
        time[1] = (now + n_steps) * dt
        self._held_angle[:] = angle
        if rate is not None:
            self._held_rate[:] = rate
            self._held_angle[1] += rate * (n_steps * dt)
            self._moves = True
        elif self._moves:
            self._held_rate[:] = 0.0
            self._moves = False
        self._unsettled_reference = self._held
        if row_steps:
            return self._reported(n_steps, False, row_steps)
        return self._step_bound(HELD, self._step_held, n_steps)

    def give(
        self, torque: FloatArray, n_steps: int, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.give`."""
        now = self._reached
        dt = self._dt
        time = self._torque_time
        time[0] = now * dt
        time[1] = (now + n_steps) * dt
        self._torque_values[:] = torque
        self._unsettled_reference = self._by_torque
        if row_steps:
            return self._reported(n_steps, False, row_steps)
        return self._step_bound(BY_TORQUE, self._step_by_torque, n_steps)

    def _step_bound(self, row: int, call: Callable[[], int], n_steps: int) -> StepReport | None:
        """Take steps with a row of the table of calls."""
        if not self._bound[row]:
            self._calls.bind(row, self._arguments((self._held, self._by_torque)[row]))
            self._bound[row] = True
            self._count = 0
        if n_steps != self._count:
            self._calls.fill(-3, n_steps)
            self._count = n_steps
        self._view = None
        self._begin_interval()
        return self._ended(call(), n_steps)

    def _ended(self, status: int, n_steps: int) -> StepReport | None:
        """Count the steps of a call; remaining steps are taken by `advance`."""
        if status == OK:
            self._reached += n_steps
            return None
        end = self._reached + n_steps
        self._reached = self._figures().step
        return self._reported(end - self._reached, True, ())

    def _reported(self, n_steps: int, go_on: bool, row_steps: tuple[int, ...]) -> StepReport | None:
        """Take steps by `advance`, under the reference of the last call."""
        self.settle()
        assert self._reference is not None
        return self._advanced(self._reference, n_steps, go_on, row_steps)

    def follow(
        self, reference: Reference, n_steps: int, go_on: bool, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.follow`."""
        self._unsettled_reference = None
        if isinstance(reference, JointReference) and reference.torque is None and not row_steps:
            self._reference = reference
            if reference is not self._followed_reference:
                self._followed_reference = reference
                self._step_followed = partial(self._advance, *self.plain_arguments(reference))
            self._view = None
            if not go_on:
                self._begin_interval()
            return self._ended(self._step_followed(n_steps, _NO_ROWS, self._no_row), n_steps)
        return self._advanced(reference, n_steps, go_on, row_steps)

    def _advanced(
        self, reference: Reference, n_steps: int, go_on: bool, row_steps: tuple[int, ...]
    ) -> StepReport | None:
        try:
            report = self.advance(reference, n_steps, row_steps, go_on)
        finally:
            self.bind()
        return None if report.ok and not row_steps else report

    def settle(self) -> None:
        """See `Steps.settle`."""
        reference = self._unsettled_reference
        self._unsettled_reference = None
        if reference is not None:
            torque = None if reference.torque is None else reference.torque.copy()
            self._reference = JointReference(
                reference.time.copy(),
                reference.angle.copy(),
                reference.rate.copy(),
                reference.acceleration,
                torque,
            )

    def present(self) -> Snapshot:
        """See `Steps.present`."""
        if self._view is None:
            self._view = StateView(self, again=True)
        return self._view
