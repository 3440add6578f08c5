"""Time steps with little around them: the arguments of the compiled loop are bound once, references written in place.

A step from Python then costs a few microseconds over the step itself. What a step seldom ends with (more contacts than
there is space for, a link that goes far, a failure) takes the engine's own way, `Engine.advance`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.base import Engine, StepReport
from snakestudio.engines.outcome import OK, Figures
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.model.recording import Schema
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, Fields, Snapshot, SolverStats

__all__ = ["BoundSteps", "PlainSteps", "Present", "Steps", "steps_of"]

_NO_ROWS: IntArray = np.zeros(0, np.int64)


class Present(Protocol):
    """The present state, as a `Snapshot` has it."""

    @property
    def time(self) -> float: ...  # noqa: D102
    @property
    def link_pose(self) -> FloatArray: ...  # noqa: D102
    @property
    def link_twist(self) -> FloatArray: ...  # noqa: D102
    @property
    def joint_angle(self) -> FloatArray: ...  # noqa: D102
    @property
    def joint_rate(self) -> FloatArray: ...  # noqa: D102
    @property
    def joint_angle_ref(self) -> FloatArray: ...  # noqa: D102
    @property
    def joint_rate_ref(self) -> FloatArray: ...  # noqa: D102
    @property
    def joint_torque(self) -> FloatArray: ...  # noqa: D102
    @property
    def contacts(self) -> Contacts: ...  # noqa: D102
    @property
    def energy(self) -> dict[str, float]: ...  # noqa: D102
    @property
    def solver(self) -> SolverStats: ...  # noqa: D102


class Steps(Protocol):
    """Steps of one engine; whoever changes the engine otherwise calls `settle` before and `bind` after it.

    What takes steps returns None if all of them were taken and no row was due, or else the engine's report.
    """

    def hold(
        self, angle: FloatArray, rate: FloatArray | None, n_steps: int, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """Take steps while the joints' references are held at `angle` ((m,), rad).

        With a `rate` ((m,), rad/s) they move on from there, evenly. Rows are written after the steps `row_steps`.
        """
        ...

    def give(self, torque: FloatArray, n_steps: int, row_steps: tuple[int, ...] = ()) -> StepReport | None:
        """Take steps while the motors are given `torque` ((m,), N m)."""
        ...

    def follow(
        self, reference: Reference, n_steps: int, go_on: bool, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """Take steps under a reference that nobody writes to; `go_on` as in `Engine.advance`."""
        ...

    def settle(self) -> None:
        """Leave the engine with a reference of its own."""
        ...

    def bind(self) -> None:
        """Take over the arrays of the engine, which `apply`, `restore` and more contacts replace."""
        ...

    def present(self) -> Present:
        """The present state; its arrays are filled again by the first call that follows a step."""
        ...


def steps_of(engine: Engine) -> Steps:
    """Steps of an engine: its own, if it has any."""
    steps: Steps = engine if isinstance(engine, BoundSteps) else PlainSteps(engine)
    steps.bind()
    return steps


def _constant(axes: int, torque: bool) -> JointReference:
    """A reference to be written to; where torques are given no angles are asked for."""
    angle, rate, acceleration = np.full((3, 2, axes), np.nan if torque else 0.0)
    return JointReference(np.array([0.0, 1.0]), angle, rate, acceleration, np.zeros((2, axes)) if torque else None)


class PlainSteps:
    """Steps of any engine.

    Parameters
    ----------
    engine : Engine
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._snapshot: Snapshot | None = None

    def hold(
        self, angle: FloatArray, rate: FloatArray | None, n_steps: int, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.hold`."""
        reference = self._reference(n_steps, torque=False)
        reference.angle[:] = angle
        if rate is not None:
            reference.rate[:] = rate
            reference.angle[1] += rate * (n_steps * self._engine.scene.solver.step_s)
        return self.follow(reference, n_steps, False, row_steps)

    def give(self, torque: FloatArray, n_steps: int, row_steps: tuple[int, ...] = ()) -> StepReport | None:
        """See `Steps.give`."""
        reference = self._reference(n_steps, torque=True)
        assert reference.torque is not None
        reference.torque[:] = torque
        return self.follow(reference, n_steps, False, row_steps)

    def _reference(self, n_steps: int, torque: bool) -> JointReference:
        reference = _constant(len(self._engine.schema.axes), torque)
        step, now = self._engine.scene.solver.step_s, self._engine.step_count
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
        """Nothing: every reference is new."""

    def bind(self) -> None:
        """See `Steps.bind`."""
        self._snapshot = None

    def present(self) -> Present:
        """See `Steps.present`."""
        if self._snapshot is None:
            self._snapshot = self._engine.snapshot()
        return self._snapshot


class BoundSteps(ABC):
    """Steps of an engine whose loop is compiled: a part of `TimeSteppingEngine`."""

    _advance: Callable[..., int]
    _rows: RowBuffers
    _reference: JointReference | None
    _reached: int

    # ------------------------------------------------------------------------------------------ of the engine

    @property
    @abstractmethod
    def scene(self) -> Scene: ...  # noqa: D102

    @property
    @abstractmethod
    def schema(self) -> Schema: ...  # noqa: D102

    @property
    @abstractmethod
    def time(self) -> float: ...  # noqa: D102

    @abstractmethod
    def advance(
        self, reference: Reference, n_steps: int, row_steps: tuple[int, ...], go_on: bool = False
    ) -> StepReport:
        """See `Engine.advance`."""

    @abstractmethod
    def plain_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """Arguments of the compiled `advance` in front of count of steps, row steps and buffers."""

    @abstractmethod
    def _figures(self) -> Figures: ...

    @abstractmethod
    def _begin_interval(self) -> None: ...

    @abstractmethod
    def _references_now(self) -> tuple[FloatArray, FloatArray]: ...

    @abstractmethod
    def _row_buffers(self, n_rows: int) -> RowBuffers: ...

    @abstractmethod
    def _room_for_contacts(self, n_rows: int) -> int: ...

    @abstractmethod
    def _write_present_row(self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool) -> None: ...

    @abstractmethod
    def _contacts(self, span: float, rows: RowBuffers, part: slice) -> Contacts: ...

    # ------------------------------------------------------------------------------------------ Steps

    def bind(self) -> None:
        """See `Steps.bind`."""
        if not hasattr(self, "_held"):
            self._begin_binding()
        self._entry: Callable[..., int] = getattr(self._advance, "entry", self._advance)
        self._followed: JointReference | None = None
        self._held_call, self._given_call = self._bound(self._held), self._bound(self._given)
        self._stale = True

    def _begin_binding(self) -> None:
        axes = len(self.schema.axes)
        self._held, self._given = held, given = _constant(axes, torque=False), _constant(axes, torque=True)
        assert given.torque is not None
        self._held_time, self._held_angle, self._held_rate = held.time, held.angle, held.rate
        self._given_time, self._given_torque = given.time, given.torque
        self._moves = False  # whether the held reference has rates
        self._unsettled: JointReference | None = None  # that of the last steps, if it will be written to again
        self._dt = self.scene.solver.step_s
        self._look = _PresentRow(self._row_buffers(1), self.schema.energy)
        self._advance(*self.plain_arguments(held), 0, _NO_ROWS, self._rows)  # compiled, and found by its types

    def _bound(self, reference: JointReference) -> Callable[..., int]:
        """The compiled loop under a reference; it takes count of steps, row steps and buffers."""
        return partial(self._entry, *self.plain_arguments(reference))

    def hold(
        self, angle: FloatArray, rate: FloatArray | None, n_steps: int, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.hold`."""
        now, dt, time = self._reached, self._dt, self._held_time
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
        self._unsettled = self._held
        if row_steps:
            return self._reported(n_steps, False, row_steps)
        return self._take_bound(self._held_call, n_steps)

    def give(self, torque: FloatArray, n_steps: int, row_steps: tuple[int, ...] = ()) -> StepReport | None:
        """See `Steps.give`."""
        now, dt, time = self._reached, self._dt, self._given_time
        time[0] = now * dt
        time[1] = (now + n_steps) * dt
        self._given_torque[:] = torque
        self._unsettled = self._given
        if row_steps:
            return self._reported(n_steps, False, row_steps)
        return self._take_bound(self._given_call, n_steps)

    def _take_bound(self, call: Callable[..., int], n_steps: int, go_on: bool = False) -> StepReport | None:
        """Take steps in one call of the compiled loop; what it leaves, the engine's own way."""
        self._stale = True
        if not go_on:
            self._begin_interval()
        status = call(n_steps, _NO_ROWS, self._rows)
        if status == OK:
            self._reached += n_steps
            return None
        end = self._reached + n_steps
        self._reached = self._figures().step
        return self._reported(end - self._reached, True, ())

    def _reported(self, n_steps: int, go_on: bool, row_steps: tuple[int, ...]) -> StepReport | None:
        """Take steps the engine's own way, under the reference of the last call."""
        self.settle()
        assert self._reference is not None
        return self._advanced(self._reference, n_steps, go_on, row_steps)

    def follow(
        self, reference: Reference, n_steps: int, go_on: bool, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.follow`."""
        self._unsettled = None
        if isinstance(reference, JointReference) and reference.torque is None and not row_steps:
            self._reference = reference
            if reference is not self._followed:
                self._followed = reference
                self._followed_call = self._bound(reference)
            return self._take_bound(self._followed_call, n_steps, go_on)
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
        reference, self._unsettled = self._unsettled, None
        if reference is not None:
            torque = None if reference.torque is None else reference.torque.copy()
            self._reference = JointReference(
                reference.time.copy(), reference.angle.copy(), reference.rate.copy(), reference.acceleration, torque
            )

    def present(self) -> Present:
        """See `Steps.present`."""
        look = self._look
        if self._stale:
            if self._room_for_contacts(1) > len(look.rows.contact_link):
                look.take(self._row_buffers(1))
            else:
                look.clear()
            reference = self._unsettled
            angle, rate = self._references_now() if reference is None else (reference.angle[1], reference.rate[1])
            self._write_present_row(angle, rate, look.rows, call=True)
            look.time, look.figures, look.contacts_now = self.time, self._figures(), self._contacts_now
            self._stale = False
        return look

    def _contacts_now(self, rows: RowBuffers) -> Contacts:
        """Contacts of the interval, of a row that has just been written."""
        span = self._figures().steps * self._dt
        if span == 0.0 or Fields.CONTACTS not in self.schema.valid:
            return Contacts.none()
        return self._contacts(span, rows, slice(0, int(rows.filled[1])))


class _PresentRow:
    """The present state of an engine in one row of buffers, which is written again and again.

    Parameters
    ----------
    rows : RowBuffers
    energies : tuple of str
        Names of their columns.
    """

    def __init__(self, rows: RowBuffers, energies: tuple[str, ...]) -> None:
        self._energies = energies
        self.time = 0.0
        self.figures = Figures(0, 0, 0, 0, 0.0)
        self.contacts_now: Callable[[RowBuffers], Contacts] = lambda rows: Contacts.none()
        self.take(rows)

    def take(self, rows: RowBuffers) -> None:
        """Go over to other buffers, which are empty."""
        self.rows = rows
        self.link_pose, self.link_twist = rows.link_pose[0], rows.link_twist[0]
        self.joint_angle, self.joint_rate = rows.joint_angle[0], rows.joint_rate[0]
        self.joint_angle_ref, self.joint_rate_ref = rows.joint_angle_ref[0], rows.joint_rate_ref[0]
        self.joint_torque = rows.joint_torque[0]
        self._known: Contacts | None = None

    def clear(self) -> None:
        """Empty the buffers: rows are written on zeros."""
        rows = self.rows
        contacts = int(rows.filled[1])
        rows.filled[:] = 0
        if contacts:
            for array in (rows.contact_point, rows.contact_normal, rows.contact_friction):
                array[:contacts] = 0.0
        self._known = None

    @property
    def contacts(self) -> Contacts:
        if self._known is None:
            self._known = self.contacts_now(self.rows)
        return self._known

    @property
    def energy(self) -> dict[str, float]:
        return dict(zip(self._energies, self.rows.energy[0].tolist(), strict=True))

    @property
    def solver(self) -> SolverStats:
        figures = self.figures
        return SolverStats(figures.worst, figures.iterations / max(figures.steps, 1), figures.unconverged)
