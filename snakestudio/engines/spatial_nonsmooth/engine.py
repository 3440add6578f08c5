"""The spatial non-smooth engine (paper P1) as the rest of the program sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.engines.outcome import Figures
from snakestudio.engines.row_buffers import CALL, ROW, RowBuffers
from snakestudio.engines.saved_state import agreeing, check_contacts, demand, within
from snakestudio.engines.spatial_nonsmooth.dynamics import end_angles
from snakestudio.engines.spatial_nonsmooth.params import Params, make_params, same_structure
from snakestudio.engines.spatial_nonsmooth.problem_file import as_friction_problem, problem_arrays
from snakestudio.engines.spatial_nonsmooth.rows import write_row, write_state
from snakestudio.engines.spatial_nonsmooth.schema import make_schema
from snakestudio.engines.spatial_nonsmooth.state import (
    CALL_ITERATIONS,
    CALL_STEPS,
    CONTACTS,
    GOAL,
    GOAL_RATE,
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
    with_axes_in_a_row,
)
from snakestudio.engines.spatial_nonsmooth.step import advance_steps
from snakestudio.engines.time_stepping import (
    TimeSteppingEngine,
    copied,
    forget_obstacles,
    given_torques,
)
from snakestudio.kernels._jit import direct
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.scene import Scene

__all__ = ["SpatialNonsmoothEngine"]


class SpatialNonsmoothEngine(TimeSteppingEngine):
    """Moreau time stepping of a snake robot in space, on the ground and on whatever else there is.

    Raises `SceneError` if a file that the scene refers to cannot be used. `registry.create` finds
    all other mistakes beforehand.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """

    kind = "spatial_nonsmooth"

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        params = make_params(scene, base_dir)
        super().__init__(scene, base_dir, make_schema(scene))
        self._advance, self._write, self._write_state = (
            direct(advance_steps),
            write_row,
            direct(write_state),
        )
        self._params: Params = params
        pose, twist = initial_state(scene, base_dir)
        twist = twist.copy()
        twist[:, 3:] = _rotated_back(pose[:, 3:], twist[:, 3:])
        self._state: State = make_state(pose, twist, initial_joint_angles(scene, base_dir))
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
        """Make space for what a step needs."""
        state = self._state
        self._work, self._scratch = work, _ = make_work(
            len(state.q), len(state.angle), len(state.law)
        )
        # What looking at the state changes must not be seen by a step.
        self._shown = work._replace(
            reference=np.zeros_like(work.reference),
            angle=np.zeros_like(work.angle),
            rate=np.zeros_like(work.rate),
        )

    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        counts = self._state.counts
        sums = self._state.sums
        return (
            (counts[CALL_ITERATIONS : CALL_STEPS + 1], 0),
            (counts[SLOTS_CALL : SLOTS_CALL + 1], 0),
            (sums[WORST_CALL : WORST_CALL + 1], 0.0),
            (self._state.contact[:, SLOT_CALL], -1),
            (self._state.before[1], self._state.ground),
        )

    def entry_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.entry_arguments`."""
        angle = reference.angle
        rate = reference.rate
        torque = given_torques(reference)
        own = self._params, self._state, self._work, self._scratch
        return (*own, reference.time, angle[:, :, None], rate[:, :, None], torque[:, :, None])

    def row_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.row_arguments`."""
        return self._params, self._state, self._work

    def view_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.view_arguments`."""
        return self._params, self._state, self._shown

    def _grow_contacts(self) -> None:
        self._state = grow_contacts(self._state)
        self._make_work()

    def _grow_slots(self) -> None:
        self._state = grow_slots(self._state)

    def _room_for_contacts(self, n_rows: int) -> int:
        n = len(self._state.q)
        room: int = n_rows * (2 * n + 4) + self._state.slot_key.shape[1]
        return room

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        reference = self._shown.reference
        reference[:, GOAL] = angle
        reference[:, GOAL_RATE] = rate
        self._write_state(self._params, self._state, self._shown, rows, CALL if call else ROW)

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        angle, rate = np.zeros((2, len(self._state.angle)))
        end_angles(self._params, self._state, self._work, angle, rate)
        return angle, rate

    def _take(self, scene: Scene) -> bool:
        if not same_structure(self._scene, scene):
            return False
        old = self._params
        self._params = make_params(scene, self._base_dir, old)
        self._look_out(scene)
        if self._params.world is not old.world:
            forget_obstacles(self._state, (SLOTS_ROW, SLOTS_CALL), len(scene.obstacles))
        return True

    def _saved_state(self) -> State:
        return copied(self._state)

    def _restore_state(self, state: State, scene: Scene) -> None:
        rooms = (0, ("contact", "law", "law_before", "stick")), (1, ("slot_key", "slot_sum"))
        state = agreeing(with_axes_in_a_row(state), self._state, rooms)
        check_contacts(state, CONTACTS, (SLOTS_ROW, SLOTS_CALL), len(state.q), len(scene.obstacles))
        within(state.first, 0, int(state.counts[CONTACTS]) + 1)
        demand(bool((np.diff(state.first) >= 0).all()))
        self._params = make_params(scene, self._base_dir, self._params)
        self._look_out(scene)
        self._state = state
        if len(self._state.law) != len(self._work.law):
            self._make_work()

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Force (N) and torque (N m) on a link, world frame, at its centre of gravity, until changed."""
        self._state.wrench[link] = wrench

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """The last contact problem and its warm start as arrays, for a file; `problem_from_arrays` reads it back."""
        begun = self._work.orientation.any()
        return problem_arrays(self._params, self._state, self._work) if begun else {}

    def friction_problem(self) -> FrictionProblem | None:
        """The same for other solvers; None before the first step.

        Raises `ExportError` if friction at a contact differs forwards and backwards: the cones of
        these problems are circular.
        """
        arrays = self.contact_problem()
        return as_friction_problem(arrays) if arrays else None


def _rotated_back(quaternion: FloatArray, vector: FloatArray) -> FloatArray:
    """World vectors (n, 3) in the frames of unit quaternions (n, 4)."""
    w = quaternion[:, :1]
    v = -quaternion[:, 1:]
    turned: FloatArray = vector + 2.0 * np.cross(v, np.cross(v, vector) + w * vector)
    return turned
