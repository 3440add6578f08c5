"""The planar non-smooth engine (paper P2) as the rest of the program sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.engines.outcome import Figures
from snakestudio.engines.planar_nonsmooth.params import AXIS, Params, make_params, same_structure
from snakestudio.engines.planar_nonsmooth.problem_file import as_friction_problem, problem_arrays
from snakestudio.engines.planar_nonsmooth.rows import write_row, write_state
from snakestudio.engines.planar_nonsmooth.schema import make_schema
from snakestudio.engines.planar_nonsmooth.state import (
    CALL_ITERATIONS,
    CALL_STEPS,
    CONTACTS,
    GROUND_Y,
    GROUND_Z,
    SLOT_CALL,
    SLOTS_CALL,
    SLOTS_ROW,
    STEP,
    UNCONVERGED,
    WORST_CALL,
    State,
    grow_contacts,
    grow_slots,
    make_state,
    make_work,
    with_loads_by_link,
)
from snakestudio.engines.planar_nonsmooth.step import advance_steps
from snakestudio.engines.row_buffers import ANGLE, CALL, RATE, ROW, RowBuffers
from snakestudio.engines.saved_state import agreeing, check_contacts
from snakestudio.engines.time_stepping import TimeSteppingEngine, by_joint, copied, forget_obstacles
from snakestudio.errors import ExportError
from snakestudio.kernels._jit import direct
from snakestudio.kernels.planar_problem import DISC, TURN
from snakestudio.kernels.vec3 import Z
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene

__all__ = ["PlanarNonsmoothEngine"]


class PlanarNonsmoothEngine(TimeSteppingEngine):
    """Moreau time stepping of a snake robot in the plane among cylinders and upright boxes.

    Raises `SceneError` if a file that the start refers to cannot be used. `registry.create` finds
    all other mistakes beforehand.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """

    kind = "planar_nonsmooth"

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        params = make_params(scene, base_dir)
        super().__init__(scene, base_dir, make_schema(scene))
        self._advance, self._write, self._write_state = (
            direct(advance_steps),
            write_row,
            direct(write_state),
        )
        self._params: Params = params
        self._shown_reference = np.zeros((len(self._schema.axes), 2))
        self._moving = np.flatnonzero(params.joints[:, AXIS] >= 0.0)
        self._state: State = make_state(*planar_pose(scene, base_dir))
        self._make_work()
        self._look_out(scene)

    def _figures(self) -> Figures:
        counts = self._state.counts
        return Figures(
            counts.item(STEP),
            counts.item(CALL_STEPS),
            counts.item(CALL_ITERATIONS),
            counts.item(UNCONVERGED),
            self._state.sums.item(WORST_CALL),
        )

    def _make_work(self) -> None:
        """Make room for what a step needs, and lay the ground."""
        self._work, self._scratch = make_work(len(self._state.q), len(self._state.normal))
        self._work.law[:] = self._params.law

    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        counts = self._state.counts
        sums = self._state.sums
        impulse = self._state.impulse
        before = self._state.before[CALL]
        return (
            (counts[CALL_ITERATIONS : CALL_STEPS + 1], 0),
            (counts[SLOTS_CALL : SLOTS_CALL + 1], 0),
            (sums[WORST_CALL : WORST_CALL + 1], 0.0),
            (self._state.contact[:, SLOT_CALL], -1),
            (before[:, :Z], impulse[:, : GROUND_Y + 1]),
            (before[:, Z], impulse[:, GROUND_Z]),
        )

    def entry_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.entry_arguments`."""
        angle, rate, _, torque = by_joint(reference, 1)
        return (
            self._params,
            self._state,
            self._work,
            self._scratch,
            reference.time,
            angle,
            rate,
            torque,
        )

    def row_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.row_arguments`."""
        return self._params, self._state, self._work.reference

    def view_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.view_arguments`."""
        return self._params, self._state, self._shown_reference

    def _grow_contacts(self) -> None:
        self._state = grow_contacts(self._state)
        self._make_work()

    def _grow_slots(self) -> None:
        self._state = grow_slots(self._state)

    def _room_for_contacts(self, n_rows: int) -> int:
        n = len(self._state.q)
        room: int = n_rows * (n + 4) + self._state.slot_key.shape[1]
        return room

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        reference = self._shown_reference
        reference[:, ANGLE] = angle
        reference[:, RATE] = rate
        self._write_state(self._params, self._state, reference, rows, CALL if call else ROW)

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        moving = self._moving
        return np.diff(self._state.q[:, TURN])[moving], np.diff(self._state.u[:, TURN])[moving]

    def _take(self, scene: Scene) -> bool:
        if not same_structure(self._scene, scene):
            return False
        old = self._params
        self._params = make_params(scene, self._base_dir, old)
        self._work.law[:] = self._params.law
        self._look_out(scene)
        if self._params.obstacles is not old.obstacles:
            forget_obstacles(self._state, (SLOTS_ROW, SLOTS_CALL), len(self._params.obstacles))
        return True

    def _saved_state(self) -> State:
        return copied(self._state)

    def _restore_state(self, state: State, scene: Scene) -> None:
        params = make_params(scene, self._base_dir, self._params)
        state = agreeing(
            with_loads_by_link(state),
            self._state,
            ((0, ("contact", "normal", "tangent")), (1, ("slot_key", "slot_sum"))),
        )
        check_contacts(
            state, CONTACTS, (SLOTS_ROW, SLOTS_CALL), len(state.q), len(params.obstacles)
        )
        self._params = params
        self._look_out(scene)
        self._state = state
        if len(self._state.normal) != len(self._work.link):
            self._make_work()
        self._work.law[:] = params.law

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Force (N) and torque (N m) on a link, world frame, until changed; f_x, f_y and t_z act in the plane."""
        self._state.wrench[link] = (wrench[0], wrench[1], wrench[5])

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """The last contact problem and its warm start as arrays, for a file; `problem_from_arrays` reads it back."""
        begun = self._work.cos.any()
        return problem_arrays(self._params, self._state, self._work) if begun else {}

    def friction_problem(self) -> FrictionProblem | None:
        """The same for other solvers; None before the first step.

        Raises `ExportError` if the friction on the ground is not a cone; these solvers know cones
        only.
        """
        if self._params.kind != DISC:
            raise ExportError(
                "Friction on the ground that differs forwards and backwards, or goes by components or the unit"
                " velocity, cannot be written for other solvers; save the contact problem as .npz."
            )
        arrays = self.contact_problem()
        return as_friction_problem(arrays) if arrays else None
