"""Common part of the time-stepping engines: calls of the kernel, growing buffers, rows, snapshots, checkpoints."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.base import Checkpoint, Kernel, StepReport
from snakestudio.engines.bound_steps import BoundSteps
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
    filled_rows,
    make_row_buffers,
    more_contacts,
)
from snakestudio.engines.state_view import StateView
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.reference import JointReference, Reference
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.snapshot import Contacts, Fields, Snapshot, SolverStats

T = TypeVar("T", bound=Any)  # a NamedTuple of arrays

_NO_ROWS = np.zeros(0, np.int64)
_ENDLESS = np.iinfo(np.int64).max

BLOCK_ROWS = 32
"""Number of rows that are allocated together if they are recorded one by one, as in runs whose
controller reads the robot's state in every period."""


class TimeSteppingEngine(BoundSteps):
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
        self._reference = None
        self._reached = 0
        self._crossings = Crossings()
        self._crossing: Crossing | None = None
        self._rows = make_row_buffers(0, schema.n_links, len(schema.energy), 0, len(schema.axes))
        self._present_rows: dict[bool, PresentRow] = {}
        self._nothing = np.full(len(schema.axes), np.nan)
        self._without_contacts = schema.valid & ~Fields.CONTACTS
        # value of `_rows.filled` before the rows that no call has returned
        self._since: tuple[int, ...] = (0, 0)
        self._detached: list[Rows] = []  # those of them that are in earlier buffers
        self._no_rows = filled_rows(self._rows, scene.solver.step_s)

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
        return self._reached

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

    def plain_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """Return the arguments of the compiled loop, for an engine that has one."""
        raise NotImplementedError

    def view_arguments(self) -> tuple[Any, ...]:
        """Return the arguments of the kernel's `write_state` before the buffers, for a row that only views read."""
        return ()

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

    # --------------------------------------------------------------------------- steps from outside

    @property
    def compiled(self) -> Kernel | None:
        """The compiled functions, for calls that bypass the engine; None if there are none."""
        return None

    def row_buffers(self, n_rows: int) -> RowBuffers:
        """Return buffers for `n_rows` rows of the present state."""
        return self._row_buffers(n_rows)

    def synchronize(self, reference: JointReference | None = None) -> int:
        """Count the steps that compiled code took on the engine's arrays; return the number of all steps.

        `reference` is the reference of these steps, if the engine does not have it; its arrays must
        not be modified afterwards.
        """
        self._reached = self._figures().step
        self._reference = self._reference if reference is None else reference
        return self._reached

    def start_interval(self) -> None:
        """Reset the sums for the next snapshot."""
        self._begin_interval()

    def refill(self, checkpoint: Checkpoint) -> bool:
        """Restore a state in the present arrays; False (and no change) if its scene or a size differs."""
        state, scene, reference = checkpoint.state
        if scene is not self._scene or any(
            a.shape != b.shape for a, b in zip(self._state, state, strict=True)
        ):
            return False
        for array, saved in zip(self._state, state, strict=True):
            array[...] = saved
        self._reached = self._figures().step
        self._reference = reference
        return True

    # --------------------------------------------------------------------------------------- Engine

    def advance(
        self,
        reference: Reference,
        n_steps: int,
        row_steps: tuple[int, ...] | IntArray | Any = (),
        go_on: bool = False,
        keep_rows: bool = False,
    ) -> StepReport:
        """Take `n_steps` steps under `reference`; see `Engine.advance`."""
        assert isinstance(reference, JointReference), "links have joints"
        step = self._scene.solver.step_s
        begin = self._reached
        end = begin + n_steps
        if reference.torque is not None:
            end = min(end, max(begin, _usable(reference.torque, reference, step)))
        due_steps = _NO_ROWS
        if len(row_steps):
            due_steps = np.array(row_steps, dtype=np.int64).reshape(-1)
            if not begin < row_steps[0] <= row_steps[-1] <= end:
                due_steps = due_steps[(due_steps > begin) & (due_steps <= end)]
        rows = self._with_space(self._rows, len(due_steps)) if len(due_steps) else self._rows
        if rows is not self._rows:
            self._detached = self._pending_parts()
            self._rows, self._since = rows, tuple(rows.filled.tolist())
        if not go_on:
            self._begin_interval()
        before = figures = self._figures()
        while True:
            status = self._perform_steps(
                reference, end - figures.step, figures.step, due_steps, rows
            )
            figures = self._figures()
            if status == CONTACT_OVERFLOW:
                self._grow_contacts()
            elif status == SLOT_OVERFLOW:
                self._grow_slots()
            elif status == ROW_OVERFLOW:
                rows = self._rows = more_contacts(rows)
            else:
                break
        self._reference = reference
        self._reached = figures.step
        message = "" if status == OK else self._failure(status)
        if status == OK and end < begin + n_steps:
            message = (
                f"The torque of a joint is not finite after t = {end * step:.6g} s. Change the formulas "
                "gait.torque_nm and gait.pitch_torque_nm for this time."
            )
        return StepReport(
            ok=not message,
            message=message,
            steps=figures.step - begin,
            residual=figures.worst,
            iterations=figures.iterations - before.iterations,
            unconverged=figures.unconverged - before.unconverged,
            rows=self._no_rows if keep_rows and not message else self._collect_rows(),
        )

    def run_once(self) -> None:
        """Call each compiled function once."""
        self.initial_rows()
        zeros = np.zeros((2, len(self._schema.axes)))
        reference = JointReference(np.array([0.0, 1.0]), zeros, zeros, zeros)
        self.advance(reference, 1, (1,))
        self.snapshot()

    def _pending_parts(self) -> list[Rows]:
        """Return the rows that no call has returned, one part per buffer."""
        new = self._rows.filled.item(0) > self._since[0]
        return (
            [*self._detached, filled_rows(self._rows, self._scene.solver.step_s, self._since)]
            if new
            else self._detached
        )

    def _collect_rows(self) -> Rows:
        """Return all rows that no call has returned, and mark them as returned."""
        parts = self._pending_parts()
        self._detached = []
        self._since = tuple(self._rows.filled.tolist())
        return Rows.concatenate(parts) if parts else self._no_rows

    def _perform_steps(
        self,
        reference: JointReference,
        n_steps: int,
        begun: int,
        due_steps: IntArray,
        rows: RowBuffers,
    ) -> int:
        """Call `_run_kernel`, and check each step in which a link moves far for obstacles that it passed through.

        `begun` is the count of steps at the beginning.
        """
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

    def _row_buffers(self, n_rows: int) -> RowBuffers:
        schema = self._schema
        contacts = self._room_for_contacts(n_rows)
        return make_row_buffers(
            n_rows, schema.n_links, len(schema.energy), contacts, len(schema.axes)
        )

    def _with_space(self, rows: RowBuffers, n_rows: int) -> RowBuffers:
        """Return buffers with space for `n_rows` more rows: `rows` if sufficient, whose filled rows are not changed."""
        filled, touched = rows.filled.tolist()
        enough = filled + n_rows <= len(rows.steps) and touched + self._room_for_contacts(
            n_rows
        ) <= len(rows.contact_link)
        return rows if enough else self._row_buffers(max(n_rows, BLOCK_ROWS))

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
        rows = self._row_buffers(1)
        self._write_present_row(*self.references_now(), rows, call=False)
        return filled_rows(rows, self._scene.solver.step_s)

    def references_now(self) -> tuple[FloatArray, FloatArray]:
        """Return the present reference angles and rates of the joints, each (m,)."""
        if self._scene.gives_torques:
            return self._nothing.copy(), self._nothing.copy()
        reference = self._unsettled_reference
        if reference is not None:
            return reference.angle[-1].copy(), reference.rate[-1].copy()
        # Before the first call there is no reference: the robot holds its initial joint angles.
        return self._joints_now() if self._reference is None else self._reference.at(self.time)

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

    # ------------------------------------------------------------------------------- of a StateView

    def view_row(self, again: bool) -> PresentRow:
        """Return a row of the present state without references; `again` selects the row of reused views."""
        row = self._present_rows.get(again)
        if row is None:
            kernel = self.compiled
            write = None if kernel is None else kernel.write_state
            row = self._present_rows[again] = PresentRow(self._write_view, write)
        arguments = self.view_arguments()
        if not row.is_bound_to(arguments):
            row.bind(arguments, lambda: self._row_buffers(1), self._room_for_contacts(1))
        row.write()
        return row

    def _write_view(self, rows: RowBuffers) -> None:
        self._write_present_row(self._nothing, self._nothing, rows, call=True)

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
        return Checkpoint(self.kind, self.time, (self._saved_state(), self._scene, self._reference))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restore a state saved by this engine or another engine of the same scene."""
        state, scene, reference = checkpoint.state
        self._restore_state(state, scene)
        self._scene, self._reference, self._reached = scene, reference, self._figures().step

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
