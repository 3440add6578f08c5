"""Time steps with little around them: the arguments of the compiled loop are bound once, references written in place.

A step from Python then costs a few microseconds over the step itself. What a step seldom ends with (more contacts than
there is space for, a link that goes far, a failure) takes the engine's own way, `Engine.advance`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.base import Engine, StepReport
from snakestudio.engines.outcome import OK
from snakestudio.engines.time_stepping import TimeSteppingEngine, plain
from snakestudio.model.reference import JointReference, Reference
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
    """Steps of an engine: bound ones, if it can."""
    return BoundSteps(engine) if isinstance(engine, TimeSteppingEngine) else PlainSteps(engine)


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


class BoundSteps:
    """Steps of an engine whose loop is compiled.

    Parameters
    ----------
    engine : TimeSteppingEngine
    """

    def __init__(self, engine: TimeSteppingEngine) -> None:
        self._engine = engine
        self._dt = engine.scene.solver.step_s
        axes = len(engine.schema.axes)
        self._held, self._given = held, given = _constant(axes, torque=False), _constant(axes, torque=True)
        assert given.torque is not None
        self._time, self._angle, self._rate = held.time, held.angle, held.rate
        self._given_time, self._torque = given.time, given.torque
        self._moves = False  # whether the held reference has rates
        self._unsettled: JointReference | None = None  # that of the last steps, if it will be written to again
        self._look = _PresentRow(engine)
        self.bind()
        self._held_call(0, _NO_ROWS, self._rows)  # compiled, and found by its types
        self.bind()

    def bind(self) -> None:
        """See `Steps.bind`."""
        engine = self._engine
        self._rows = engine._rows
        self._entry: Callable[..., int] = getattr(engine._advance, "entry", engine._advance)
        self._followed: JointReference | None = None
        self._held_call, self._given_call = self._bound(self._held), self._bound(self._given)
        self._look.stale = True

    def _bound(self, reference: JointReference) -> Callable[..., int]:
        """The compiled loop under a reference; it takes the count of steps, row steps and buffers."""
        return partial(self._entry, *self._engine.entry_arguments(reference))

    def hold(
        self, angle: FloatArray, rate: FloatArray | None, n_steps: int, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.hold`."""
        now, dt, time = self._engine._reached, self._dt, self._time
        time[0] = now * dt
        time[1] = (now + n_steps) * dt
        self._angle[:] = angle
        if rate is not None:
            self._rate[:] = rate
            self._angle[1] += rate * (n_steps * dt)
            self._moves = True
        elif self._moves:
            self._rate[:] = 0.0
            self._moves = False
        self._unsettled = self._held
        if row_steps:
            return self._reported(n_steps, False, row_steps)
        return self._take(self._held_call, n_steps)

    def give(self, torque: FloatArray, n_steps: int, row_steps: tuple[int, ...] = ()) -> StepReport | None:
        """See `Steps.give`."""
        now, dt, time = self._engine._reached, self._dt, self._given_time
        time[0] = now * dt
        time[1] = (now + n_steps) * dt
        self._torque[:] = torque
        self._unsettled = self._given
        if row_steps:
            return self._reported(n_steps, False, row_steps)
        return self._take(self._given_call, n_steps)

    def _take(self, call: Callable[..., int], n_steps: int, go_on: bool = False) -> StepReport | None:
        """Take steps in one call of the compiled loop; what it leaves, the engine's own way."""
        engine = self._engine
        self._look.stale = True
        if not go_on:
            engine._begin_interval()
        status = call(n_steps, _NO_ROWS, self._rows)
        if status == OK:
            engine._reached += n_steps
            return None
        end = engine._reached + n_steps
        engine._reached = engine._figures().step
        return self._reported(end - engine._reached, True, ())

    def _reported(self, n_steps: int, go_on: bool, row_steps: tuple[int, ...]) -> StepReport | None:
        """Take steps the engine's own way, under the reference of the last call."""
        self.settle()
        reference = self._engine._reference
        assert reference is not None
        return self._advance(reference, n_steps, go_on, row_steps)

    def follow(
        self, reference: Reference, n_steps: int, go_on: bool, row_steps: tuple[int, ...] = ()
    ) -> StepReport | None:
        """See `Steps.follow`."""
        self._unsettled = None
        if isinstance(reference, JointReference) and reference.torque is None and not row_steps:
            self._engine._reference = reference
            if reference is not self._followed:
                self._followed = reference
                self._followed_call = self._bound(plain(reference))
            return self._take(self._followed_call, n_steps, go_on)
        return self._advance(reference, n_steps, go_on, row_steps)

    def _advance(
        self, reference: Reference, n_steps: int, go_on: bool, row_steps: tuple[int, ...]
    ) -> StepReport | None:
        try:
            report = self._engine.advance(reference, n_steps, row_steps, go_on)
        finally:
            self.bind()
        return None if report.ok and not row_steps else report

    def settle(self) -> None:
        """See `Steps.settle`."""
        reference, self._unsettled = self._unsettled, None
        if reference is not None:
            torque = None if reference.torque is None else reference.torque.copy()
            self._engine._reference = JointReference(
                reference.time.copy(), reference.angle.copy(), reference.rate.copy(), reference.acceleration, torque
            )

    def present(self) -> Present:
        """See `Steps.present`."""
        look = self._look
        if look.stale:
            reference = self._unsettled
            if reference is None:
                look.refresh(*self._engine._references_now())
            else:
                look.refresh(reference.angle[1], reference.rate[1])
        return look


class _PresentRow:
    """The present state of an engine in one row of buffers, which is written again and again.

    Parameters
    ----------
    engine : TimeSteppingEngine
    """

    def __init__(self, engine: TimeSteppingEngine) -> None:
        self._engine = engine
        self.stale = True
        self._energies = engine.schema.energy
        self._none = Fields.CONTACTS not in engine.schema.valid
        self._make_room()

    def _make_room(self) -> None:
        self._rows = rows = self._engine._row_buffers(1)
        self.link_pose, self.link_twist = rows.link_pose[0], rows.link_twist[0]
        self.joint_angle, self.joint_rate = rows.joint_angle[0], rows.joint_rate[0]
        self.joint_angle_ref, self.joint_rate_ref = rows.joint_angle_ref[0], rows.joint_rate_ref[0]
        self.joint_torque = rows.joint_torque[0]

    def refresh(self, angle: FloatArray, rate: FloatArray) -> None:
        """Write the row of the present state, with these references."""
        engine, rows = self._engine, self._rows
        if engine._room_for_contacts(1) > len(rows.contact_link):
            self._make_room()
            rows = self._rows
        else:
            contacts = int(rows.filled[1])
            rows.filled[:] = 0
            if contacts:  # rows are written on zeros
                for array in (rows.contact_point, rows.contact_normal, rows.contact_friction):
                    array[:contacts] = 0.0
        engine._write_present_row(angle, rate, rows, call=True)
        self._contacts: Contacts | None = None
        self.stale = False

    @property
    def time(self) -> float:
        return self._engine.time

    @property
    def contacts(self) -> Contacts:
        if self._contacts is None:
            engine, rows = self._engine, self._rows
            span = engine._figures().steps * engine.scene.solver.step_s
            shown = span > 0.0 and not self._none
            part = slice(0, int(rows.filled[1]))
            self._contacts = engine._contacts(span, rows, part) if shown else Contacts.none()
        return self._contacts

    @property
    def energy(self) -> dict[str, float]:
        return dict(zip(self._energies, self._rows.energy[0].tolist(), strict=True))

    @property
    def solver(self) -> SolverStats:
        figures = self._engine._figures()
        return SolverStats(figures.worst, figures.iterations / max(figures.steps, 1), figures.unconverged)
