"""What the time-stepping engines have in common: calls of the kernel, growing buffers, rows, snapshots, checkpoints."""

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
"""Rows that room is made for at once where they come one by one: a controller looks at the robot
every period."""


class TimeSteppingEngine(BoundSteps):
    """The Engine protocol on top of a kernel that takes many steps a call; see `Engine` for the public methods."""

    kind: str
    _state: Any
    _params: Any
    _pushed = True
    """Whether contacts push links back, however deep they are."""

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
        # what `_rows.filled` was before those that no call has handed over
        self._since: tuple[int, ...] = (0, 0)
        self._kept: list[Rows] = []  # and those of them that are not there any more
        self._no_rows = filled_rows(self._rows, scene.solver.step_s)

    @property
    def scene(self) -> Scene:
        """The scene as last applied."""
        return self._scene

    @property
    def schema(self) -> Schema:
        """What its rows hold."""
        return self._schema

    @property
    def mass_shares(self) -> FloatArray:
        """Share of the mass that goes with every link, (n,)."""
        return self._mass_shares

    @property
    def time(self) -> float:
        """Time reached, s."""
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
        """Start the sums that the next snapshot shows."""

    @abstractmethod
    def _run_kernel(
        self, reference: JointReference, n_steps: int, wanted: IntArray, rows: RowBuffers
    ) -> int:
        """Take steps and write a row after each of the step counts `wanted`; returns what the call ended with."""

    def plain_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """Arguments of the compiled loop, of an engine that has one."""
        raise NotImplementedError

    def view_arguments(self) -> tuple[Any, ...]:
        """Arguments of the kernel's `write_state` in front of the buffers, for a row that nothing but views read."""
        return ()

    def _grow_contacts(self) -> None:
        """Make room for more contacts in a step; steps that never lack any end with no such outcome."""
        raise NotImplementedError

    def _grow_slots(self) -> None:
        """Make room for more contacts that are told apart in an interval."""
        raise NotImplementedError

    @abstractmethod
    def _room_for_contacts(self, n_rows: int) -> int:
        """Contacts that so many rows may have, at least to begin with."""

    @abstractmethod
    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        """Write the row of the present state, with these references (m,); must not change the state.

        Its contacts are those since the row before; with `call` those of the interval.
        """

    def _links(self) -> FloatArray:
        """Where the links are: x, y, theta of planar ones, (n, 3), or places and quaternions, (n, 7)."""
        links: FloatArray = self._state.q.copy()
        return links

    def _look_out(self, scene: Scene) -> None:
        """Have steps looked at in which links of `scene` may go through something; to be called with new `_params`."""
        self._crossings = crossings(scene, self._base_dir, self._pushed)
        self._params = self._params._replace(far=self._crossings.limit)

    @abstractmethod
    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        """Angles and rates of all joint axes, each (m,)."""

    @abstractmethod
    def _take(self, scene: Scene) -> bool:
        """Take over what differs in `scene`; False (and nothing changed) if that needs a rebuild."""

    @abstractmethod
    def _saved_state(self) -> Any: ...

    @abstractmethod
    def _restore_state(self, state: Any, scene: Scene) -> None: ...

    # --------------------------------------------------------------------------- steps from outside

    @property
    def compiled(self) -> Kernel | None:
        """The compiled functions, for calls that do not go through the engine; None if there are none."""
        return None

    def row_buffers(self, n_rows: int) -> RowBuffers:
        """Buffers for so many rows of the present state."""
        return self._row_buffers(n_rows)

    def synchronize(self, reference: JointReference | None = None) -> int:
        """Count the steps that compiled code took on its arrays; returns the number of all steps.

        `reference` is what they were taken under, if the engine does not know it; nobody writes to
        it any more.
        """
        self._reached = self._figures().step
        self._reference = self._reference if reference is None else reference
        return self._reached

    def start_interval(self) -> None:
        """Start the sums that the next snapshot shows."""
        self._begin_interval()

    def refill(self, checkpoint: Checkpoint) -> bool:
        """Restore a state in the arrays that there are; False (and nothing changed) if its scene or a size differs."""
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
        wanted = _NO_ROWS
        if len(row_steps):
            wanted = np.array(row_steps, dtype=np.int64).reshape(-1)
            if not begin < row_steps[0] <= row_steps[-1] <= end:
                wanted = wanted[(wanted > begin) & (wanted <= end)]
        rows = self._room(self._rows, len(wanted)) if len(wanted) else self._rows
        if rows is not self._rows:
            self._kept = self._kept_rows()
            self._rows, self._since = rows, tuple(rows.filled.tolist())
        if not go_on:
            self._begin_interval()
        before = figures = self._figures()
        while True:
            status = self._take_steps(reference, end - figures.step, figures.step, wanted, rows)
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
                f"The torque of a joint is no finite number right after t = {end * step:.6g} s; change the formulas "
                "gait.torque_nm and gait.pitch_torque_nm there."
            )
        return StepReport(
            ok=not message,
            message=message,
            steps=figures.step - begin,
            residual=figures.worst,
            iterations=figures.iterations - before.iterations,
            unconverged=figures.unconverged - before.unconverged,
            rows=self._no_rows if keep_rows and not message else self._handed_over(),
        )

    def run_once(self) -> None:
        """Call everything of it that is compiled."""
        self.initial_rows()
        zeros = np.zeros((2, len(self._schema.axes)))
        reference = JointReference(np.array([0.0, 1.0]), zeros, zeros, zeros)
        self.advance(reference, 1, (1,))
        self.snapshot()

    def _kept_rows(self) -> list[Rows]:
        """What no call has handed over, piece by piece."""
        new = self._rows.filled.item(0) > self._since[0]
        return (
            [*self._kept, filled_rows(self._rows, self._scene.solver.step_s, self._since)]
            if new
            else self._kept
        )

    def _handed_over(self) -> Rows:
        """All rows that no call has handed over."""
        kept = self._kept_rows()
        self._kept = []
        self._since = tuple(self._rows.filled.tolist())
        return Rows.concatenate(kept) if kept else self._no_rows

    def _take_steps(
        self,
        reference: JointReference,
        n_steps: int,
        begun: int,
        wanted: IntArray,
        rows: RowBuffers,
    ) -> int:
        """As `_run_kernel`, but every step in which a link goes far is looked at for what it went through.

        `begun` is the count of steps at the beginning.
        """
        left = n_steps
        while True:
            status = self._run_kernel(reference, left, wanted, rows)
            if status != FAR:
                return status
            left = n_steps - (self._figures().step - begun)
            kept = copied(self._state)
            filled = rows.filled.copy()
            before = self._links()
            watching = self._params
            self._params = watching._replace(far=math.inf)
            try:
                status = self._run_kernel(reference, 1, wanted, rows)
            finally:
                self._params = watching
            if status != OK:
                return status
            crossing = self._crossings.found(before, self._links())
            if crossing is not None:
                for array, was in zip((*self._state, rows.filled), (*kept, filled), strict=True):
                    array[...] = was
                # a contact may have stopped it
                v = np.abs(self.snapshot(contacts=False).link_twist[crossing.link])
                way = self._scene.solver.step_s * float(np.linalg.norm(v[:3]))
                self._crossing = replace(crossing, way=max(crossing.way, way))
                return CROSSED
            if left == 1:
                return OK
            left -= 1

    def _row_buffers(self, n_rows: int) -> RowBuffers:
        schema = self._schema
        room = self._room_for_contacts(n_rows)
        return make_row_buffers(n_rows, schema.n_links, len(schema.energy), room, len(schema.axes))

    def _room(self, rows: RowBuffers, n_rows: int) -> RowBuffers:
        """Room for so many more rows, `rows` if there is; what has been handed out is never written again."""
        filled, touched = rows.filled.tolist()
        enough = filled + n_rows <= len(rows.steps) and touched + self._room_for_contacts(
            n_rows
        ) <= len(rows.contact_link)
        return rows if enough else self._row_buffers(max(n_rows, BLOCK_ROWS))

    def _failure(self, status: int) -> str:
        """A sentence for a call that ended badly."""
        at = f"step {self.step_count + 1} (t = {self.time:.6g} s)"
        if status == NOT_SOLVED:
            most = self._scene.solver.max_iterations
            usual = Solver().max_iterations
            remedy = (
                f"raise solver.max_iterations from {most} to {usual}"
                if most < usual
                else "reduce solver.step_s"
            )
            return f"No impulses were found that keep the contact laws to a hundredth in {at}; {remedy}."
        if status == CROSSED:
            assert self._crossing is not None
            return f"In {at} {self._crossing.sentence(self._scene)}."
        return (
            f"In {at} a link or joint would turn by more than half a turn at once: the motion has diverged; "
            f"{self._calming()}."
        )

    def _calming(self) -> str:
        """What keeps a motion from diverging."""
        return "reduce solver.step_s or the gains of the joint controller"

    def initial_rows(self) -> Rows:
        """The row of the present state, all sums as they stand."""
        rows = self._row_buffers(1)
        self._write_present_row(*self.references_now(), rows, call=False)
        return filled_rows(rows, self._scene.solver.step_s)

    def references_now(self) -> tuple[FloatArray, FloatArray]:
        """Angles and rates that the joints must have now, each (m,)."""
        if self._scene.gives_torques:
            return self._nothing.copy(), self._nothing.copy()
        reference = self._unsettled
        if reference is not None:
            return reference.angle[-1].copy(), reference.rate[-1].copy()
        # Before the first call nobody has said what the joints shall do: a robot starts where it
        # is.
        return self._joints_now() if self._reference is None else self._reference.at(self.time)

    def snapshot(self, contacts: bool = True) -> Snapshot:
        """The present state; contact forces are means over the interval, and there are none without `contacts`."""
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
            valid=self._schema.valid if contacts else self._without_contacts,
        )

    def look(self) -> Snapshot:
        """The present state for a controller, see `Engine.look`."""
        return StateView(self)

    # ------------------------------------------------------------------------------- of a StateView

    def view_row(self, again: bool) -> PresentRow:
        """A row of the present state without references: one for views in which they are read again, one for others."""
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
        """How well the contact problems of the interval were solved."""
        figures = self._figures()
        return SolverStats(
            figures.worst, figures.iterations / max(figures.steps, 1), figures.unconverged
        )

    def contacts_in(self, row: PresentRow, copy: bool) -> Contacts:
        """Contacts that carried load in the interval, from a row of the present state."""
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
        """Take over what differs in `scene`; False (and nothing changed) if that needs a rebuild."""
        if not self._take(scene):
            return False
        self._scene = scene
        return True

    def checkpoint(self) -> Checkpoint:
        """The full state; `restore` continues from it bit for bit."""
        return Checkpoint(self.kind, self.time, (self._saved_state(), self._scene, self._reference))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a state that this engine, or one of the same scene, has saved."""
        state, scene, reference = checkpoint.state
        self._restore_state(state, scene)
        self._scene, self._reference, self._reached = scene, reference, self._figures().step

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Nothing: no force moves the links."""

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """Empty: there are no contact problems."""
        return {}

    def friction_problem(self) -> FrictionProblem | None:
        """None: see `contact_problem`."""
        return None


def copied(state: T) -> T:
    """All arrays of `state` anew."""
    copy: T = state._replace(**{name: array.copy() for name, array in state._asdict().items()})
    return copy


def _usable(torque: FloatArray, reference: JointReference, step: float) -> int:
    """Count of steps (of `step` s) up to which a reference can be followed: given torques may cease to be numbers."""
    wrong = np.flatnonzero(~np.isfinite(torque).all(axis=1))
    return math.ceil(reference.time[wrong[0]] / step - 1e-6) - 1 if len(wrong) else _ENDLESS
