"""The continuum engine (paper P5), with the interface of all engines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.base import Kernel, StepReport
from snakestudio.engines.compiled_engine import CompiledEngine
from snakestudio.engines.continuum_beam.advance import advance_steps
from snakestudio.engines.continuum_beam.params import Params, make_params
from snakestudio.engines.continuum_beam.rows import (
    filled_body_rows,
    make_body_row_buffers,
    write_row,
)
from snakestudio.engines.continuum_beam.schema import make_schema
from snakestudio.engines.continuum_beam.state import (
    CALL_STEPS,
    EVALUATIONS,
    MISMATCH,
    OVERLOADED,
    STEP,
    State,
    Work,
    knots_of,
    make_state,
    make_work,
)
from snakestudio.engines.outcome import NOT_SOLVED, Figures
from snakestudio.engines.row_buffers import CALL, ROW, RowCollector
from snakestudio.engines.saved_state import agreeing
from snakestudio.engines.step_call import StepCall
from snakestudio.engines.time_stepping import copied
from snakestudio.errors import PhysicsError
from snakestudio.kernels.many_calls import KernelCall
from snakestudio.model.recording import Rows, snapshot_from_rows
from snakestudio.model.reference import Reference, StrainReference
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.beam_shape import grid, head_state
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, Snapshot, SolverStats

_FIGURES = STEP, CALL_STEPS, EVALUATIONS, OVERLOADED


def start_reference(scene: Scene, times: tuple[float, ...]) -> StrainReference:
    """Return the scene's own strain law at some times, for use before the first reference."""
    law = StrainLaw(scene.strain, scene.beam)
    points = grid(scene)
    time = np.array(times)
    travel = law.travel(time)
    field = law.at(time, points, travel)
    hold, twist = Attachments(scene, law).at(time, travel)
    return StrainReference(
        time,
        points,
        field.strain,
        field.rate,
        field.acceleration,
        law.speed(time),
        travel,
        hold,
        twist,
    )


class _StrainStepCall(StepCall):
    """Step call with references of strains, whose arrays are bound."""

    written = None

    def follow(self, reference: StrainReference) -> None:
        """Take the next steps under a reference."""
        self.refer(knots_of(reference))


class ContinuumBeamEngine(CompiledEngine):
    """A body with imposed strain that is moved by its supports or by friction, and its internal wrenches.

    The links of rows and snapshots are sampled cross-sections. "Iterations" are evaluations of the
    model; the residual is the part of the resultant of the motion that anchors and supports cannot
    carry, in N (couples divided by the length of the body): Lambda(l) - F_+, up to rounding.
    "Unconverged" counts steps with such a residual.

    Raises `SceneError` if a formula cannot be read; `registry.create` detects all other mistakes.
    """

    kind = "continuum_beam"
    kernel = Kernel(advance_steps, write_row, write_row)

    _make_schema = staticmethod(make_schema)

    def _make_params(self, scene: Scene, old: Params | None) -> Params:
        return make_params(scene, self._schema.n_holds, self._base_dir)

    def _make_state(self, scene: Scene) -> State:
        state = make_state(*head_state(scene), self._schema.n_links, self._schema.n_holds)
        state.wrench[-1] = scene.beam.tip_wrench
        return state

    def _make_work(self) -> None:
        # Only the first state comes from the law of the scene; later the references determine what
        # the body does.
        self._reference = start_reference(self._scene, (0.0,))
        self._work = self._work_for(self._reference)

    def _work_for(self, reference: StrainReference) -> Work:
        return make_work(len(reference.abscissa), self._schema.n_links, self._schema.n_holds)

    def _make_step_call(self) -> StepCall:
        self._row_call = KernelCall(write_row)
        return _StrainStepCall(advance_steps, self.step_arguments, self._rows)

    def _fit(self, scene: Scene) -> None:
        """Do nothing, because nothing else depends on constants or state."""

    @property
    def compiled(self) -> Kernel | None:
        """None, because only the engine can evaluate the references."""
        return None

    def _figures(self) -> Figures:
        return Figures.of(self._counts, _FIGURES, self._state.worst.item(MISMATCH))

    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        state = self._state
        n = len(state.ground)
        before = state.before[CALL]
        return (
            (state.counts[CALL_STEPS : CALL_STEPS + 1], 0),
            (before[:n], state.ground),
            (before[n:], state.hold),
        )

    # ---------------------------------------------------------------------------------------- steps

    def resume(
        self, reference: Reference, n_steps: int, rows: RowCollector | Sequence[int] | IntArray = ()
    ) -> StepReport:
        """Extend the last call of `advance` by `n_steps` steps; see `Engine.resume`."""
        report = super().resume(reference, n_steps, rows)
        if not len(report.rows):
            return report
        # Each row has the largest residual since the previous one.
        return report._replace(residual=float(report.rows.solver_residual.max()))

    def _last_usable_step(self, reference: Any) -> int:
        assert isinstance(reference, StrainReference), "a continuous body has no joints"
        return sys.maxsize

    def _run_kernel(self, reference: Any, n_steps: int, due_steps: IntArray, rows: Any) -> int:
        self._discard_evaluation(reference)
        return super()._run_kernel(reference, n_steps, due_steps, rows)

    def _discard_evaluation(self, reference: StrainReference) -> None:
        """Mark the evaluation in the workspace as outdated: scene, pulls and reference may have changed since."""
        if len(reference.abscissa) != len(self._work.frames):
            self._work = self._work_for(reference)
        self._work.stamp[1] = 0.0

    def _failure(self, status: int) -> str:
        """Return the message of a call that failed."""
        at = f"step {self.step_count + 1} (t = {self.time:.6g} s)"
        if status == NOT_SOLVED:
            return (
                f"In {at}, the supports do not determine the motion of the body, because it is straight, uniformly "
                "bent, or not held at all. Set strain.speed_m_s, or activate a support at that time."
            )
        return (
            f"In {at}, the motion has diverged: the error is too large even in the shortest parts of a step. Increase "
            "solver.error_tolerance, or make strain law and friction smoother."
        )

    # ----------------------------------------------------------------------------------------- rows

    def row_buffers(self, n_rows: int) -> Any:
        """Return buffers for `n_rows` rows."""
        return make_body_row_buffers(n_rows, self._schema)

    def rows_in(self, buffers: Any, since: tuple[int, ...]) -> Rows:
        """Return the rows in buffers that were filled after `since`, a value of `filled`, without copying."""
        return filled_body_rows(buffers, self._scene.solver.step_s, since)

    def _room_for_contacts(self, n_rows: int) -> int:
        return n_rows * (self._schema.n_links + self._schema.n_holds)

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        return self._nothing, self._nothing

    def references_now(self) -> tuple[FloatArray, FloatArray]:
        """Return empty arrays, because there are no joints."""
        return self._nothing, self._nothing

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: Any, call: bool
    ) -> None:
        own = self._state  # writing a row resets sums, which this must not do
        before = own.before[CALL if call else ROW]
        state = own._replace(
            before=np.stack([before, before]), counts=own.counts.copy(), worst=own.worst.copy()
        )
        self._discard_evaluation(self._reference)
        knots = knots_of(self._reference)
        self._row_call.bind((self._params, knots, state, self._work, 0, rows))
        self._row_call.run()

    def _present(self) -> Rows:
        """Return the row of the present state with the contacts of the interval."""
        rows = self.row_buffers(1)
        self._write_present_row(self._nothing, self._nothing, rows, call=True)
        return self.rows_in(rows, (0, 0))

    def snapshot(self, contacts: bool = True) -> Snapshot:
        """Return the present state; contact forces are means over the interval, and always included."""
        rows = self._present()
        plain = snapshot_from_rows(rows, 0, self._schema)
        span = int(self._state.counts[CALL_STEPS]) * self._scene.solver.step_s
        part = rows.contacts
        contact_rows = Contacts.none()
        if span > 0.0:
            contact_rows = Contacts(
                part.link,
                part.other,
                part.point,
                part.impulse_normal / span,
                part.impulse_friction / span,
                part.state,
            )
        figures = SolverStats(float(rows.solver_residual[0]), 0.0, int(rows.solver_unconverged[0]))
        return replace(plain, contacts=contact_rows, solver=figures)

    def look(self) -> Snapshot:
        """Return the present state."""
        return self.snapshot()

    def view(self) -> Snapshot:
        """Return the present state."""
        return self.snapshot()

    def evaluated(self) -> tuple[Params, Work]:
        """Return the constants of the run, and a copy of the workspace after evaluating the present state.

        Raises `PhysicsError` if the supports do not determine the motion.
        """
        if not len(self._present()):
            raise PhysicsError(self._failure(NOT_SOLVED))
        return self._params, copied(self._work)

    def run_once(self) -> None:
        """Call each compiled function once."""
        self.snapshot()
        step = self._scene.solver.step_s
        self.advance(start_reference(self._scene, (0.0, 0.5 * step, step)), 1, (1,))

    # --------------------------------------------------------------------------------------- states

    def _same_structure(self, one: Scene, other: Scene) -> bool:
        return (
            other.model == one.model
            and other.beam == one.beam
            and other.start == one.start
            and other.solver.step_s == one.solver.step_s
            and other.support.kind == one.support.kind
            and Attachments(other, StrainLaw(other.strain, other.beam)).count
            == self._schema.n_holds
        )

    def _checked(self, state: Any, params: Params, scene: Scene) -> State:
        own_state: State = agreeing(state, self._state)
        return own_state

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Set the force (N) and torque (N m) on a cross-section, world frame, at its centre, until changed.

        At the tip, the wrench is added to that of the scene.
        """
        self._state.wrench[link] = wrench
        if link in (-1, self._schema.n_links - 1):
            self._state.wrench[link] += self._scene.beam.tip_wrench
