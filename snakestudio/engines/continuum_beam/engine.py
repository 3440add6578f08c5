"""The continuum engine (paper P5), with the interface of all engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.base import Checkpoint, StepReport
from snakestudio.engines.continuum_beam.advance import Workspace, advance_steps
from snakestudio.engines.continuum_beam.params import Params, make_params
from snakestudio.engines.continuum_beam.rows import BodyBuffers, make_body_buffers, write_row
from snakestudio.engines.continuum_beam.schema import CHANNELS, ENERGY, make_schema
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
from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.engines.outcome import NOT_SOLVED, OK
from snakestudio.engines.row_buffers import CALL, RowBuffers, filled_rows, make_row_buffers
from snakestudio.engines.saved_state import agreeing
from snakestudio.engines.time_stepping import copied
from snakestudio.errors import PhysicsError
from snakestudio.model.recording import Rows, Schema, snapshot_from_rows
from snakestudio.model.reference import Reference, StrainReference
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.beam_shape import grid, head_state
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, Snapshot, SolverStats


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


class ContinuumBeamEngine:
    """A body with imposed strain that is moved by its supports or by friction, and its internal wrenches.

    The links of rows and snapshots are sampled cross-sections. "Iterations" are evaluations of the
    model; the residual is the part of the resultant of the motion that anchors and supports cannot
    carry, in N (couples divided by the length of the body): Lambda(l) - F_+, up to rounding.
    "Unconverged" counts steps with such a residual.

    Raises `SceneError` if a formula cannot be read; `registry.create` detects all other mistakes.

    Parameters
    ----------
    base_dir : Path or None
        Unused, because no start of a continuous body refers to a file.
    """

    kind = "continuum_beam"

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        self._scene = scene
        self._base_dir = base_dir
        # Only the first state comes from the law of the scene; later the references determine what
        # the body does.
        self._reference = start_reference(scene, (0.0,))
        n = scene.beam.sections
        p = self._reference.hold.shape[1]
        self._schema = make_schema(scene, p)
        self._params = make_params(scene, p, base_dir)
        self._state: State = make_state(*head_state(scene), n, p)
        self._state.wrench[-1] = scene.beam.tip_wrench
        self._knots = knots_of(self._reference)
        self._work: Work = make_work(len(self._reference.abscissa), n, p)

    @property
    def scene(self) -> Scene:
        """The scene as applied last."""
        return self._scene

    @property
    def schema(self) -> Schema:
        """Columns of its rows."""
        return self._schema

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.step_count * self._scene.solver.step_s

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        return int(self._state.counts[STEP])

    def advance(
        self,
        reference: Reference,
        n_steps: int,
        row_steps: tuple[int, ...] | Any = (),
        go_on: bool = False,
        keep_rows: bool = False,
    ) -> StepReport:
        """Take `n_steps` steps under `reference`; see `Engine.advance`. No rows are held back."""
        assert isinstance(reference, StrainReference), "a continuous body has no joints"
        self._set_reference(reference)
        self._work.stamp[1] = (
            0.0  # scene, pulls and reference may have changed since the last snapshot
        )
        state = self._state
        begin = self.step_count
        due_steps = np.array(row_steps, dtype=np.int64).reshape(-1)
        due_steps = due_steps[(due_steps > begin) & (due_steps <= begin + n_steps)]
        rows, body = self._buffers(len(due_steps))
        if not go_on:
            state.counts[CALL_STEPS] = 0
            n = len(state.ground)
            state.before[CALL, :n], state.before[CALL, n:] = state.ground, state.hold
        evaluations = int(state.counts[EVALUATIONS])
        overloaded = int(state.counts[OVERLOADED])
        space = Workspace(self._work, body)
        status = advance_steps(self._params, state, space, self._knots, n_steps, due_steps, rows)
        return StepReport(
            ok=status == OK,
            message="" if status == OK else self._failure(status),
            steps=self.step_count - begin,
            residual=float(max(rows.residual[: rows.filled[0]], default=state.worst[MISMATCH])),
            iterations=int(state.counts[EVALUATIONS]) - evaluations,
            unconverged=int(state.counts[OVERLOADED]) - overloaded,
            rows=self._rows(rows, body),
        )

    def _set_reference(self, reference: StrainReference) -> None:
        if reference is self._reference:
            return
        self._reference, self._knots = reference, knots_of(reference)
        if len(reference.abscissa) != len(self._work.frames):
            self._work = make_work(len(reference.abscissa), *self._sizes())

    def _sizes(self) -> tuple[int, int]:
        return self._schema.n_links, self._schema.n_holds

    def _buffers(self, n_rows: int) -> tuple[RowBuffers, BodyBuffers]:
        n, p = self._sizes()
        rows = make_row_buffers(n_rows, n, len(ENERGY), n_rows * (n + p), 0)
        return rows, make_body_buffers(n_rows, n, p, len(CHANNELS))

    def _rows(self, buffers: RowBuffers, body: BodyBuffers) -> Rows:
        count = int(buffers.filled[0])
        rows = filled_rows(buffers, self._scene.solver.step_s)
        return replace(rows, **{name: values[:count] for name, values in body._asdict().items()})

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

    def _present(self, before: FloatArray) -> Rows:
        """Return the row of the present state with contacts since `before` (n + p, 3); the state is unchanged."""
        own = self._state  # writing a row resets sums, which a snapshot must not do
        state = own._replace(
            before=np.stack([before, before]), counts=own.counts.copy(), worst=own.worst.copy()
        )
        rows, body = self._buffers(1)
        self._work.stamp[1] = 0.0
        write_row(self._params, self._knots, state, self._work, 0, rows, body)
        return self._rows(rows, body)

    def initial_rows(self) -> Rows:
        """Return the row of the present state with its accumulated sums."""
        return self._present(self._state.before[0])

    def snapshot(self, contacts: bool = True) -> Snapshot:
        """Return the present state; contact forces are means over the calls since the last one without `go_on`."""
        rows = self._present(self._state.before[1])
        plain = snapshot_from_rows(rows, 0, self._schema)
        span = int(self._state.counts[CALL_STEPS]) * self._scene.solver.step_s
        part = rows.contacts
        contact_rows = Contacts.none()
        if span > 0.0:  # always included, because the row has them
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

    def evaluated(self) -> tuple[Params, Work]:
        """Return the constants of the run, and a copy of the workspace after evaluating the present state.

        Raises `PhysicsError` if the supports do not determine the motion.
        """
        if not len(self._present(self._state.before[1])):
            raise PhysicsError(self._failure(NOT_SOLVED))
        return self._params, copied(self._work)

    def run_once(self) -> None:
        """Call each compiled function once."""
        self.snapshot()
        step = self._scene.solver.step_s
        self.advance(start_reference(self._scene, (0.0, 0.5 * step, step)), 1, (1,))

    def apply(self, scene: Scene) -> bool:
        """Apply the differences of `scene`; False (and no change) if they need a new engine."""
        before = self._scene
        if (
            scene.model != before.model
            or scene.beam != before.beam
            or scene.start != before.start
            or scene.solver.step_s != before.solver.step_s
            or scene.support.kind != before.support.kind
        ):
            return False
        count = Attachments(scene, StrainLaw(scene.strain, scene.beam)).count
        if count != self._schema.n_holds:
            return False
        self._params = make_params(scene, count, self._base_dir)
        self._scene = scene
        return True

    def checkpoint(self) -> Checkpoint:
        """Return the full state; `restore` continues from it bit for bit."""
        return Checkpoint(self.kind, self.time, (copied(self._state), self._scene, self._reference))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restore a state saved by this engine or another engine of the same scene."""
        state, scene, reference = checkpoint.state
        self._state = agreeing(state, self._state)
        self._params = make_params(scene, self._schema.n_holds, self._base_dir)
        self._scene = scene
        self._set_reference(reference)

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Set the force (N) and torque (N m) on a cross-section, world frame, at its centre, until changed.

        At the tip, the wrench is added to that of the scene.
        """
        self._state.wrench[link] = wrench
        if link in (-1, self._schema.n_links - 1):
            self._state.wrench[link] += self._scene.beam.tip_wrench

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """Return an empty dict, because no contact problem is solved by iteration."""
        return {}

    def friction_problem(self) -> FrictionProblem | None:
        """Return None; see `contact_problem`."""
        return None
