"""Many engines of one kind, advanced by one compiled call; threads share the worlds."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.base import Checkpoint, Engine, Kernel
from snakestudio.engines.compiled_engine import CompiledEngine
from snakestudio.engines.outcome import OK, SLOT_OVERFLOW
from snakestudio.engines.row_buffers import ROW, RowBuffers, make_row_buffers
from snakestudio.engines.step_call import plain
from snakestudio.engines.time_stepping import TimeSteppingEngine
from snakestudio.kernels.many_calls import CallTable
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.snapshot import Snapshot

_NO_ROWS = np.zeros(0, np.int64)
STEPS_AT_A_TIME = 500_000
"""Largest total number of steps of all worlds per call, about a second of work."""

_UNTRIED = -1
"""Status of a world whose engine takes the steps itself."""

_PER_WORLD = (
    "link_pose",
    "link_twist",
    "joint_angle",
    "joint_rate",
    "joint_torque",
    "impulse_obstacle",
    "impulse_ground",
    "contacts_closed",
    "contact_count",
    "energy",
    "residual",
    "iterations",
    "unconverged",
)
"""Fields of rows that are arrays over all worlds."""

_CONTACTS = (
    "contact_link",
    "contact_other",
    "contact_state",
    "contact_point",
    "contact_normal",
    "contact_friction",
)
"""Fields of the contacts of rows, which are arrays over all worlds with equal numbers of entries."""


_IN_ROWS = {
    "residual": "solver_residual",
    "iterations": "solver_iterations",
    "unconverged": "solver_unconverged",
}
"""Names of the fields in `Rows`, if they differ."""


class WorkerThreads:
    """Threads that execute calls together, including the calling one; they end with this object."""

    def __init__(self, threads: int) -> None:
        self._interrupt: KeyboardInterrupt | None = None
        self._ended: SimpleQueue[None] = SimpleQueue()
        self._jobs: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(threads - 1)]
        self._threads = [
            Thread(target=_work, args=(jobs, self._ended), name="snakestudio-batch", daemon=True)
            for jobs in self._jobs
        ]
        for thread in self._threads:
            thread.start()
        self._finalizer = weakref.finalize(self, _end, self._jobs)

    def close(self) -> None:
        """End the threads."""
        self._finalizer()
        for thread in self._threads:
            thread.join()

    def run(
        self, call: Callable[..., Any], args: tuple[Any, ...], finished: Callable[[], bool]
    ) -> None:
        """Execute a call in all threads, which share its work, until `finished` returns True.

        A late thread finds no work, and the others do not wait for it. Ctrl+C is deferred, because
        other threads still write to the arrays; see `raise_interrupt`.
        """
        while not self._ended.empty():
            self._ended.get()
        for jobs in self._jobs:
            jobs.put((call, args))
        called = False
        while True:
            try:
                if not called:
                    call(*args)
                    called = True
                if finished():
                    return
                self._ended.get()
            except KeyboardInterrupt as error:
                self._interrupt = error

    def raise_interrupt(self) -> None:
        """Raise a KeyboardInterrupt that was deferred during a call."""
        interrupt = self._interrupt
        self._interrupt = None
        if interrupt is not None:
            raise interrupt


def _work(jobs: SimpleQueue[Any], ended: SimpleQueue[None]) -> None:
    while (job := jobs.get()) is not None:
        call, args = job
        call(*args)
        del job, call, args  # releases arrays of a batch that ends meanwhile
        ended.put(None)


def _end(jobs: list[SimpleQueue[Any]]) -> None:
    for queue in jobs:
        queue.put(None)


class Worlds:
    """Engines of one kind and size; only one thread at a time can use them.

    Parameters
    ----------
    engines : sequence of Engine
        Engines with the same links, joints and time step.
    """

    def __init__(self, engines: Sequence[Engine], threads: int) -> None:
        self.engines = list(engines)
        n = len(self.engines)
        schema = self.engines[0].schema
        self._all: IntArray = np.arange(n, dtype=np.int64)
        self._dt = self.engines[0].scene.solver.step_s
        self.steps: IntArray = np.array([engine.step_count for engine in self.engines], np.int64)
        """Number of steps taken by each world, (n,)."""
        # worlds whose engines lack the last references
        self._unsettled = np.zeros(n, np.bool_)
        # worlds whose next steps begin an interval, if their engines take the steps themselves
        self._begins = np.ones(n, np.bool_)
        self.failures: dict[int, str] = {}
        """Reasons by world of the worlds that failed."""
        self._threads = WorkerThreads(threads)
        axes = len(schema.axes)
        self._versions = [-1] * n
        """Version of each engine whose arrays are bound."""
        self._knots: FloatArray = np.zeros((n, 2))
        self._angle, self._rate, self._zero, self._torque = (
            np.zeros((n, 2, axes)) for _ in range(4)
        )
        self._holding = [self._held_reference(world, False) for world in range(n)]
        self._giving = [self._held_reference(world, True) for world in range(n)]
        self._references: list[Reference] = list(self._holding)
        self._referred: Sequence[Reference] = self._holding
        self._rows = make_row_buffers(n, schema.n_links, len(schema.energy), 0, axes)
        self._no_rows = make_row_buffers(0, schema.n_links, len(schema.energy), 0, axes)
        self._filled: IntArray = np.zeros((n, 2), np.int64)
        self._enlarge_contacts(self.engines)
        kernel = _compiled(self.engines[0])
        self._compiled = kernel is not None
        if kernel is not None:
            self._step_table = CallTable(
                kernel.advance, [self._step_arguments(world) for world in range(n)]
            )
            rows = [self._row_arguments(world) for world in range(n)]
            self._row_table = CallTable(kernel.write_row, rows)
            self._state_table = CallTable(
                kernel.write_state, [(*arguments, int(ROW)) for arguments in rows]
            )
            self._reference_argument = len(self._step_arguments(0)) - 4

    def close(self) -> None:
        """End the threads."""
        self._threads.close()

    def _held_reference(self, world: int, torques: bool) -> JointReference:
        return JointReference(
            self._knots[world],
            self._angle[world],
            self._rate[world],
            self._zero[world],
            self._torque[world] if torques else None,
        )

    # ------------------------------------------------------------------------------ call arguments

    def _step_arguments(self, world: int) -> tuple[Any, ...]:
        engine: Any = self.engines[world]
        return (*engine.entry_arguments(self._references[world]), 0, _NO_ROWS, self._no_rows)

    def _row_of(self, world: int) -> RowBuffers:
        """Return the buffers for one row, with values in the arrays over all worlds."""
        engine: Any = self.engines[world]
        part = slice(world, world + 1)
        rows = engine.row_buffers(1)._asdict()
        rows |= {name: getattr(self._rows, name)[part] for name in _PER_WORLD}
        rows |= {name: getattr(self._rows, name)[world] for name in _CONTACTS}
        return RowBuffers(**(rows | {"filled": self._filled[world]}))

    def _row_arguments(self, world: int) -> tuple[Any, ...]:
        engine: Any = self.engines[world]
        return (*engine.row_arguments(), self._row_of(world))

    def _bind(self, world: int) -> None:
        """Count the steps of a world's engine, and update the addresses of its arrays if they were replaced."""
        engine: Any = self.engines[world]
        self.steps[world] = engine.step_count
        if self._compiled and engine.version != self._versions[world]:
            self._versions[world] = engine.version
            self._step_table.bind(world, self._step_arguments(world))
            rebound = range(len(self.engines)) if self._enlarge_contacts([engine]) else (world,)
            for each in rebound:
                arguments = self._row_arguments(each)
                self._row_table.bind(each, arguments)
                self._state_table.bind(each, (*arguments, int(ROW)))

    def _enlarge_contacts(self, engines: Sequence[Engine]) -> bool:
        """Provide space for the contacts of a row of each of these engines; True if there was too little."""
        rows = [each.row_buffers(1) for each in engines if isinstance(each, TimeSteppingEngine)]
        most = max((len(row.contact_link) for row in rows), default=0)
        now = self._rows.contact_link.shape
        if len(now) == 2 and most <= now[1]:
            return False
        arrays = {}
        for name, one in make_row_buffers(0, 0, 0, most, 0)._asdict().items():
            if name in _CONTACTS:
                arrays[name] = np.zeros((len(self.engines), *one.shape), one.dtype)
                if len(now) == 2:
                    arrays[name][:, : now[1]] = getattr(self._rows, name)
        self._rows = self._rows._replace(**arrays)
        return True

    # ---------------------------------------------------------------------------------------- steps

    def hold(
        self,
        n_steps: int,
        angle: FloatArray | None,
        rate: FloatArray | None,
        torque: FloatArray | None,
    ) -> None:
        """Take `n_steps` steps in every world that has not failed, under set-points of shape (n, m).

        Parameters
        ----------
        angle : (n, m) array
            Target angles of the joints, rad.
        rate : (n, m) array, optional
            Rates at which the targets change during the call, rad/s.
        torque : (n, m) array, optional
            Motor torques instead of angles, N m.
        """
        self._knots[:, 0] = self.steps * self._dt
        self._knots[:, 1] = (self.steps + n_steps) * self._dt
        if torque is not None:
            self._torque[:] = torque[:, None]
            self._angle[:] = self._rate[:] = np.nan
            self._refer(self._giving)
        else:
            assert angle is not None
            self._angle[:] = angle[:, None]
            self._rate[:] = 0.0 if rate is None else rate[:, None]
            if rate is not None:
                self._angle[:, 1] += rate * (n_steps * self._dt)
            self._refer(self._holding)
        self._advance(n_steps)

    def follow(self, n_steps: int, references: Sequence[Reference | None]) -> None:
        """Take `n_steps` steps under one reference per world (None for a failed world)."""
        pairs = zip(references, self._references, strict=True)
        self._refer([old if new is None else _bindable(new) for new, old in pairs])
        self._advance(
            n_steps,
            [world for world, reference in enumerate(self._references) if _ceases(reference)],
        )

    def _refer(self, references: Sequence[Reference]) -> None:
        if references is self._referred:
            return
        self._referred = references
        for world, reference in enumerate(references):
            if reference is not self._references[world]:
                self._references[world] = reference
                if self._compiled:
                    arguments = self._step_arguments(world)
                    first = self._reference_argument
                    self._step_table.bind(world, arguments[first:-3], first)

    def running(self) -> IntArray:
        """Return the worlds that have not failed."""
        failed = list(self.failures)
        return np.delete(self._all, failed) if failed else self._all

    def _advance(self, n_steps: int, ceasing: Sequence[int] = ()) -> None:
        """Take steps under the current references, in blocks so that Ctrl+C works.

        Engines of worlds in `ceasing` take the steps themselves from the start.
        """
        most = max(1, STEPS_AT_A_TIME // len(self.engines))
        while n_steps > 0 and len(order := self.running()):
            count = min(n_steps, most)
            self._advance_block(order, count, ceasing)
            n_steps -= count
            self._threads.raise_interrupt()

    def _advance_block(self, order: IntArray, n_steps: int, ceasing: Sequence[int]) -> None:
        self._unsettled[order] = True
        if self._compiled:
            plain = [world for world in ceasing if world not in self.failures]
            order = np.setdiff1d(order, plain) if plain else order
            self._step_table.fill(-3, n_steps)
            status = self._step_table.call(order, self._threads.run)
            failed = status[order] != OK
            self.steps[order[~failed]] += n_steps
            left = [(world, status[world].item()) for world in order[failed].tolist()]
        else:
            plain = order.tolist()
            left = []
        left += [(world, _UNTRIED) for world in plain]
        ends = {world: int(self.steps[world]) + n_steps for world, _ in left}
        for world, outcome in left:
            self.continue_alone(world, ends[world], outcome)

    def continue_alone(self, world: int, end: int, status: int) -> None:
        """Take the steps up to `end` with the engine of a world, which handles `status`."""
        engine: Any = self.engines[world]
        if status == SLOT_OVERFLOW:
            engine.begin_interval()  # snapshots of the engine, with contacts of it, are not needed
        extends = status != _UNTRIED or not self._begins[world]
        self._begins[world] = False
        take_steps = engine.resume if extends else engine.advance
        report = take_steps(self._references[world], end - engine.step_count)
        if not report.ok:
            self.failures[world] = report.message
        self._bind(world)

    # --------------------------------------------------------------------------------------- states

    def write_rows(self, worlds: IntArray) -> None:
        """Write rows of the current states of some worlds, to arrays over all that later calls overwrite."""
        if self._compiled:
            self._write(self._state_table, worlds)
            return
        for world in worlds.tolist():
            row = self.engines[world].initial_rows()
            for name in _PER_WORLD:
                if name != "contact_count":
                    getattr(self._rows, name)[world] = getattr(row, _IN_ROWS.get(name, name))[0]

    def begin_interval(self, worlds: IntArray) -> None:
        """Write rows of some worlds, and begin the interval of their contacts and solver statistics."""
        self._begins[worlds] = True
        if self._compiled:
            self._write(self._row_table, worlds)
        else:
            self.write_rows(worlds)

    def _write(self, table: CallTable, worlds: IntArray) -> None:
        """Write rows of some worlds by compiled code."""
        self._filled[worlds] = 0
        most = self._rows.contact_count[worlds].max(initial=0)
        if most:  # rows are written on zeros
            for name in ("contact_point", "contact_normal", "contact_friction"):
                getattr(self._rows, name)[worlds, :most] = 0.0
        table.call(worlds, self._threads.run)
        self._threads.raise_interrupt()

    @property
    def rows(self) -> RowBuffers:
        """Rows of the states that `write_rows` wrote last, as arrays over all worlds."""
        return self._rows

    @property
    def compiled(self) -> bool:
        """Whether compiled code takes the steps; rows then contain contacts and solver statistics of the interval."""
        return self._compiled

    def state_of(self, world: int, contacts: bool = False) -> Snapshot:
        """Return the current state of a world; contacts are those of the interval unless steps are compiled."""
        return self._settled(world).snapshot(contacts)

    def references(self) -> tuple[FloatArray, FloatArray]:
        """Return the present reference angles and rates of all joint axes, each (n, m); NaN under torques."""
        angle, rate = np.empty((2, len(self.engines), self._angle.shape[2]))
        reached = np.zeros(len(self.engines), np.bool_)
        if self._referred is self._holding or self._referred is self._giving:
            reached = self._unsettled & (self.steps * self._dt >= self._knots[:, 1])
            angle[reached], rate[reached] = self._angle[reached, 1], self._rate[reached, 1]
        for world in np.flatnonzero(~reached).tolist():
            angle[world], rate[world] = self._reference_now(world)
        return angle, rate

    def _reference_now(self, world: int) -> tuple[FloatArray, FloatArray]:
        """Reference angles and rates of a world, each (m,)."""
        engine = self.engines[world]
        reference = self._references[world]
        if self._unsettled[world] and isinstance(reference, JointReference):
            return reference.at(self.steps[world].item() * self._dt)
        if isinstance(engine, TimeSteppingEngine):
            return engine.references_now()
        state = engine.snapshot(contacts=False)
        return state.joint_angle_ref, state.joint_rate_ref

    def checkpoint(self, world: int) -> Checkpoint:
        """Return the full state of a world."""
        return self._settled(world).checkpoint()

    def _settled(self, world: int) -> Engine:
        """Engine of a world, with the reference of the steps taken in its arrays, which later steps do not change."""
        engine = self.engines[world]
        if isinstance(engine, TimeSteppingEngine) and self._unsettled[world]:
            self._unsettled[world] = False
            reference = self._references[world]
            shared = reference is self._holding[world] or reference is self._giving[world]
            if shared and isinstance(reference, JointReference):
                reference = reference.copy()
            engine.reference = reference
        return engine

    def restore(self, world: int, checkpoint: Checkpoint, failure: str = "") -> None:
        """Restore a previous state of a world."""
        engine = self.engines[world]
        self._unsettled[world] = False
        self.failures.pop(world, None)
        if failure:
            self.failures[world] = failure
        if isinstance(engine, CompiledEngine) and engine.refill(checkpoint):
            self.steps[world] = engine.step_count
            return
        engine.restore(checkpoint)
        self._bind(world)

    def replace(self, world: int, engine: Engine) -> None:
        """Replace the engine of a world by one of the same kind and size."""
        self.engines[world] = engine
        self._versions[world] = -1
        self._unsettled[world] = False
        self.failures.pop(world, None)
        self._bind(world)


def _compiled(engine: Engine) -> Kernel | None:
    """Return the compiled functions of an engine; None if it has none."""
    return engine.compiled if isinstance(engine, TimeSteppingEngine) else None


def _bindable(reference: Reference) -> Reference:
    """Return the reference with arrays for compiled steps."""
    return plain(reference) if isinstance(reference, JointReference) else reference


def _ceases(reference: Reference) -> bool:
    """Return whether torques of a reference become NaN, which its engine must handle."""
    torque = reference.torque if isinstance(reference, JointReference) else None
    return torque is not None and not np.isfinite(torque).all()
