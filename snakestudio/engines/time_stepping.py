"""Common part of the time-stepping engines: calls of the kernel, growing buffers, rows, snapshots, checkpoints."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.base import Checkpoint, Due, Kernel, SetPoints, StepReport
from snakestudio.engines.crossing import Crossing, Crossings, crossings
from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.engines.outcome import (
    CONTACT_OVERFLOW,
    CROSSED,
    FAR,
    NOT_SOLVED,
    OK,
    ROW_OVERFLOW,
    SLOT_OVERFLOW,
    Figures,
)
from snakestudio.engines.present_row import PresentRow
from snakestudio.engines.row_buffers import (
    RowBuffers,
    RowCollector,
    filled_rows,
    make_row_buffers,
)
from snakestudio.engines.state_view import StateView, ViewedEngine
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.snapshot import Contacts, Fields, Snapshot, SolverStats

T = TypeVar("T", bound=Any)  # a NamedTuple of arrays

_NO_STEPS = np.zeros(0, np.int64)
_ENDLESS = np.iinfo(np.int64).max

BLOCK_ROWS = 32
"""Number of rows that are allocated together if they are recorded one by one, as in runs whose
controller reads the robot's state in every period."""


class TimeSteppingEngine(ViewedEngine, ABC):
    """Implementation of the Engine protocol by a kernel that takes many steps per call; see `Engine`."""

    kind: str
    """Name of the formulation."""

    _state: Any
    _params: Any
    _pushed = True
    """Whether contacts push links back from any depth."""

    def __init__(self, scene: Scene, base_dir: Path | None, schema: Schema) -> None:
        self._scene = scene
        self._base_dir = base_dir
        self._schema = schema
        self._mass_shares = schema.mass_shares
        self._version = 0
        self._reference: Any = None
        self._crossings = Crossings()
        self._crossing: Crossing | None = None
        self._present_rows: dict[bool, PresentRow] = {}
        self._nothing = np.full(len(schema.axes), np.nan)
        self._without_contacts = schema.valid & ~Fields.CONTACTS
        self._rows = self.row_buffers(0)  # for calls without rows
        self._no_rows = self.rows_in(self._rows, (0, 0))

    @property
    def scene(self) -> Scene:
        """The scene as applied last."""
        return self._scene

    @property
    def schema(self) -> Schema:
        """Columns of its rows."""
        return self._schema

    @property
    def mass_shares(self) -> FloatArray:
        """Fraction of the mass that belongs to each link, (n,)."""
        return self._mass_shares

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.step_count * self._scene.solver.step_s

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        return self._figures().step

    @property
    def version(self) -> int:
        """Number of changes of the engine's arrays; addresses bound at another version are not valid."""
        return self._version

    @property
    def reference(self) -> Any:
        """The reference of the last steps; None before the first."""
        return self._reference

    @reference.setter
    def reference(self, reference: Reference) -> None:
        self._reference = reference

    # ----------------------------------------------------------------------------- of a formulation

    @abstractmethod
    def _figures(self) -> Figures: ...

    @abstractmethod
    def _begin_interval(self) -> None:
        """Reset the sums for the next snapshot."""

    @abstractmethod
    def _run_kernel(
        self, reference: JointReference, n_steps: int, due_steps: IntArray, rows: RowBuffers
    ) -> int:
        """Take steps and write a row after each of the step counts `due_steps`; return the outcome of the call."""

    def _grow_contacts(self) -> None:
        """Allocate space for more contacts in a step; not called for engines without this outcome."""
        raise NotImplementedError

    def _grow_slots(self) -> None:
        """Allocate space for more distinct contacts in an interval."""
        raise NotImplementedError

    @abstractmethod
    def _room_for_contacts(self, n_rows: int) -> int:
        """Return the initial capacity for contacts in `n_rows` rows."""

    @abstractmethod
    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        """Write the row of the present state, with these references (m,), without changing the state.

        Its contacts are those since the previous row; with `call`, those of the interval.
        """

    def _links(self) -> FloatArray:
        """Return the poses of the links: x, y, theta of planar ones, (n, 3), or positions and quaternions, (n, 7)."""
        links: FloatArray = self._state.q.copy()
        return links

    def _set_crossings(self, scene: Scene) -> None:
        """Set the `Crossings` of `scene`; must be called after `_params` changed."""
        self._crossings = crossings(scene, self._base_dir, self._pushed)
        self._params = self._params._replace(far=self._crossings.limit)

    @abstractmethod
    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        """Return angles and rates of all joint axes, each (m,)."""

    @abstractmethod
    def _adopt(self, scene: Scene) -> bool:
        """Apply the differences of `scene`; False (and no change) if they need a new engine."""

    @abstractmethod
    def _saved_state(self) -> Any: ...

    @abstractmethod
    def _restore_state(self, state: Any, scene: Scene) -> None: ...

    # --------------------------------------------------------------------------------------- Engine

    @property
    def compiled(self) -> Kernel | None:
        """The compiled functions, for calls that bypass the engine; None if there are none."""
        return None

    def begin_interval(self) -> None:
        """Begin the interval over which snapshots average contact forces, if steps are not taken by `advance`."""
        self._begin_interval()

    def advance(
        self, reference: Reference, n_steps: int, rows: RowCollector | Sequence[int] | IntArray = ()
    ) -> StepReport:
        """Take `n_steps` steps under `reference`; see `Engine.advance`."""
        self.begin_interval()
        return self.resume(reference, n_steps, rows)

    def resume(
        self, reference: Reference, n_steps: int, rows: RowCollector | Sequence[int] | IntArray = ()
    ) -> StepReport:
        """Extend the last call of `advance` by `n_steps` steps; see `Engine.resume`."""
        before = figures = self._figures()
        begin = before.step
        last = begin + n_steps
        end = min(last, max(begin, self._last_usable_step(reference)))
        collector = rows if isinstance(rows, RowCollector) else RowCollector(rows)
        due_steps = self._reserve_rows(collector, begin, end)
        self._reference = reference
        while True:
            status = self._perform_steps(
                reference, end - figures.step, figures.step, due_steps, collector.buffers
            )
            figures = self._figures()
            if status == CONTACT_OVERFLOW:
                self._grow_contacts()
            elif status == SLOT_OVERFLOW:
                self._grow_slots()
            elif status == ROW_OVERFLOW:
                collector.grow_contacts()
            else:
                break
        message = "" if status == OK else self._failure(status)
        if status == OK and end < last:
            message = (
                f"The torque of a joint is not finite after t = {end * self._scene.solver.step_s:.6g} s. Change the "
                "formulas gait.torque_nm and gait.pitch_torque_nm for this time."
            )
        returned = None if collector is rows else collector.pop()
        return StepReport(
            ok=not message,
            message=message,
            steps=figures.step - begin,
            residual=figures.worst,
            iterations=figures.iterations - before.iterations,
            unconverged=figures.unconverged - before.unconverged,
            rows=self._no_rows if returned is None else returned,
        )

    def _last_usable_step(self, reference: Any) -> int:
        """Return the step count up to which a reference can be followed."""
        assert isinstance(reference, JointReference), "links have joints"
        if reference.torque is None:
            return _ENDLESS
        return _usable(reference.torque, reference, self._scene.solver.step_s)

    def _reserve_rows(self, rows: RowCollector, begin: int, end: int) -> IntArray | None:
        """Provide space for the rows due after `begin` and up to `end`; return their step counts, None without any."""
        due = rows.due
        if not len(due):
            return None
        due_steps = np.array(due, dtype=np.int64).reshape(-1)
        if not begin < due[0] <= due[-1] <= end:
            due_steps = due_steps[(due_steps > begin) & (due_steps <= end)]
            if not len(due_steps):
                return None
        n_rows = len(due_steps)
        rows.reserve(n_rows, self._room_for_contacts(n_rows), self, BLOCK_ROWS)
        return due_steps

    def hold(
        self, n_steps: int, angle: SetPoints, rate: SetPoints, torque: SetPoints, rows: Due = None
    ) -> str:
        """Take steps under constant set-points; see `Engine.hold`."""
        begin = self.step_count
        step = self._scene.solver.step_s
        ends = begin * step, (begin + n_steps) * step
        if torque is not None:
            return self.advance(
                JointReference.driven(*ends, torque), n_steps, () if rows is None else rows
            ).message
        assert angle is not None
        reference = JointReference.held(*ends, angle, rate)
        if rate is not None:
            reference.angle[1] = angle + rate * (n_steps * step)  # the bits of compiled engines
        return self.advance(reference, n_steps, () if rows is None else rows).message

    def run_once(self) -> None:
        """Call each compiled function once."""
        self.initial_rows()
        zeros = np.zeros(len(self._schema.axes))
        self.advance(JointReference.held(0.0, 1.0, zeros), 1, (1,))
        self.snapshot()

    def _perform_steps(
        self,
        reference: Any,
        n_steps: int,
        begun: int,
        due_steps: IntArray | None,
        rows: Any,
    ) -> int:
        """Call `_run_kernel`, and check each step in which a link moves far for obstacles that it passed through.

        `begun` is the count of steps at the beginning.
        """
        if due_steps is None:
            due_steps = _NO_STEPS
            rows = self._rows
        left = n_steps
        while True:
            status = self._run_kernel(reference, left, due_steps, rows)
            if status != FAR:
                return status
            left = n_steps - (self._figures().step - begun)
            saved = copied(self._state)
            filled = rows.filled.copy()
            before = self._links()
            watching = self._params
            self._params = watching._replace(far=math.inf)
            try:
                status = self._run_kernel(reference, 1, due_steps, rows)
            finally:
                self._params = watching
            if status != OK:
                return status
            crossing = self._crossings.first(before, self._links())
            if crossing is not None:
                for array, was in zip((*self._state, rows.filled), (*saved, filled), strict=True):
                    array[...] = was
                # a contact may have stopped it
                v = np.abs(self.snapshot(contacts=False).link_twist[crossing.link])
                distance = self._scene.solver.step_s * float(np.linalg.norm(v[:3]))
                self._crossing = replace(crossing, distance=max(crossing.distance, distance))
                return CROSSED
            if left == 1:
                return OK
            left -= 1

    def row_buffers(self, n_rows: int) -> Any:
        """Return buffers for `n_rows` rows."""
        schema = self._schema
        contacts = self._room_for_contacts(n_rows) if n_rows else 0
        return make_row_buffers(
            n_rows, schema.n_links, len(schema.energy), contacts, len(schema.axes)
        )

    def rows_in(self, buffers: Any, since: tuple[int, ...]) -> Rows:
        """Return the rows in buffers that were filled after `since`, a value of `filled`, without copying."""
        return filled_rows(buffers, self._scene.solver.step_s, since)

    def _failure(self, status: int) -> str:
        """Return the message of a call that failed."""
        at = f"step {self.step_count + 1} (t = {self.time:.6g} s)"
        if status == NOT_SOLVED:
            most = self._scene.solver.max_iterations
            usual = Solver().max_iterations
            remedy = (
                f"Increase solver.max_iterations from {most} to {usual}"
                if most < usual
                else "Reduce solver.step_s"
            )
            return f"In {at}, the contact solver did not converge (residual above 0.01). {remedy}."
        if status == CROSSED:
            assert self._crossing is not None
            return f"In {at}, {self._crossing.message(self._scene)}"
        return (
            f"In {at}, the motion has diverged: a link or joint would turn by more than half a turn. "
            f"{self._calming()}."
        )

    def _calming(self) -> str:
        """Return a remedy for a motion that diverges."""
        return "Reduce solver.step_s or the gains of the joint controller"

    def initial_rows(self) -> Rows:
        """Return the row of the present state with its accumulated sums."""
        rows = self.row_buffers(1)
        self._write_present_row(*self.references_now(), rows, call=False)
        return self.rows_in(rows, (0, 0))

    def references_now(self) -> tuple[FloatArray, FloatArray]:
        """Return the present reference angles and rates of the joints, each (m,)."""
        if self._scene.gives_torques:
            return self._nothing.copy(), self._nothing.copy()
        # Before the first call there is no reference: the robot holds its initial joint angles.
        reference = self.reference
        return self._joints_now() if reference is None else reference.at(self.time)

    def snapshot(self, contacts: bool = True) -> Snapshot:
        """Return the present state; contact forces are means over the interval, and are left out without `contacts`."""
        view = StateView(self)
        return Snapshot(
            time=view.time,
            link_pose=view.link_pose,
            link_twist=view.link_twist,
            joint_angle=view.joint_angle,
            joint_rate=view.joint_rate,
            joint_angle_ref=view.joint_angle_ref,
            joint_rate_ref=view.joint_rate_ref,
            joint_torque=view.joint_torque,
            contacts=view.contacts if contacts else Contacts.none(),
            energy=view.energy,
            solver=view.solver,
            mass_shares=view.mass_shares,
            head_last=view.head_last,
            valid=self._schema.valid if contacts else self._without_contacts,
        )

    def look(self) -> Snapshot:
        """Return the present state for a controller; see `Engine.look`."""
        return StateView(self)

    def view(self) -> Snapshot:
        """Return the present state in arrays that the next view overwrites; see `Engine.view`."""
        return StateView(self, again=True)

    # ------------------------------------------------------------------------------- of a StateView

    def view_row(self, again: bool) -> PresentRow:
        """Return a row of the present state without references; `again` selects the row of reused views."""
        row = self._present_rows.get(again)
        if row is None:
            row = self._present_rows[again] = self._make_present_row()
        row.write()
        return row

    def _make_present_row(self) -> PresentRow:
        nothing = self._nothing
        return PresentRow(
            self, lambda rows: partial(self._write_present_row, nothing, nothing, rows, call=True)
        )

    def solver_stats(self) -> SolverStats:
        """Return statistics of the contact solver in the interval."""
        figures = self._figures()
        return SolverStats(
            figures.worst, figures.iterations / max(figures.steps, 1), figures.unconverged
        )

    def contacts_in(self, row: PresentRow, copy: bool) -> Contacts:
        """Return the contacts that carried load in the interval, from a row of the present state."""
        rows = row.rows
        count = rows.filled.item(1)
        span = self._figures().steps * self._scene.solver.step_s
        if span == 0.0 or not count:
            return Contacts.none()
        link = rows.contact_link[:count]
        other = rows.contact_other[:count]
        point = rows.contact_point[:count]
        state = rows.contact_state[:count]
        if copy:
            link = link.copy()
            other = other.copy()
            point = point.copy()
            state = state.copy()
        return Contacts(
            link=link,
            other=other,
            point=point,
            force_normal=rows.contact_normal[:count] / span,
            force_friction=rows.contact_friction[:count] / span,
            state=state,
        )

    # --------------------------------------------------------------------------------------- states

    def apply(self, scene: Scene) -> bool:
        """Apply the differences of `scene`; False (and no change) if they need a new engine."""
        if not self._adopt(scene):
            return False
        self._scene = scene
        return True

    def checkpoint(self) -> Checkpoint:
        """Return the full state; `restore` continues from it bit for bit."""
        return Checkpoint(self.kind, self.time, (self._saved_state(), self._scene, self.reference))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restore a state saved by this engine or another engine of the same scene."""
        state, scene, reference = checkpoint.state
        self._restore_state(state, scene)
        self._scene = scene
        self._reference = reference

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Do nothing, because forces do not affect prescribed links."""

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """Return an empty dict, because there are no contact problems."""
        return {}

    def friction_problem(self) -> FrictionProblem | None:
        """Return None; see `contact_problem`."""
        return None


def copied(state: T) -> T:
    """Return `state` with copies of all arrays."""
    copy: T = state._replace(**{name: array.copy() for name, array in state._asdict().items()})
    return copy


def _usable(torque: FloatArray, reference: JointReference, step: float) -> int:
    """Return the count of steps (of `step` s) up to which the torque commands of a reference are finite."""
    wrong = np.flatnonzero(~np.isfinite(torque).all(axis=1))
    return math.ceil(reference.time[wrong[0]] / step - 1e-6) - 1 if len(wrong) else _ENDLESS
