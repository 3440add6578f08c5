"""The spatial non-smooth engine (paper P1), with the interface of all engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.base import Kernel
from snakestudio.engines.contact_sums import CONTACTS
from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.engines.nonsmooth_engine import NonsmoothEngine
from snakestudio.engines.row_buffers import CALL
from snakestudio.engines.saved_state import demand, within
from snakestudio.engines.spatial_nonsmooth.dynamics import end_angles
from snakestudio.engines.spatial_nonsmooth.params import HIGH, Params, make_params, same_structure
from snakestudio.engines.spatial_nonsmooth.problem_file import as_friction_problem, problem_arrays
from snakestudio.engines.spatial_nonsmooth.rows import write_row, write_state
from snakestudio.engines.spatial_nonsmooth.schema import make_schema
from snakestudio.engines.spatial_nonsmooth.state import (
    State,
    Workspace,
    in_present_layout,
    make_state,
    make_work,
    with_signed_laws,
)
from snakestudio.engines.spatial_nonsmooth.step import advance_steps
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.scene import Scene


class SpatialNonsmoothEngine(NonsmoothEngine):
    """Moreau time stepping of a snake robot in space, on the ground and on obstacles."""

    kind = "spatial_nonsmooth"
    kernel = Kernel(advance_steps, write_row, write_state)
    by_contact = ("law", "law_before", "stick")
    wrench_entries = (0, 1, 2, 3, 4, 5)

    _make_schema = staticmethod(make_schema)
    _same_structure = staticmethod(same_structure)
    _in_present_layout = staticmethod(in_present_layout)

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        super().__init__(scene, base_dir)
        if self._params.extras:
            self._state.rate[:] = self._joints_now()[1]

    def _make_params(self, scene: Scene, old: Params | None) -> Params:
        return make_params(scene, self._base_dir, old)

    def _make_state(self, scene: Scene) -> State:
        pose, twist = initial_state(scene, self._base_dir)
        twist = twist.copy()
        twist[:, 3:] = _rotated_back(pose[:, 3:], twist[:, 3:])
        return make_state(pose, twist, initial_joint_angles(scene, self._base_dir))

    def _make_space(self, capacity: int) -> Workspace:
        return make_work(len(self._state.q), len(self._state.angle), capacity)

    def _make_work(self) -> None:
        super()._make_work()
        work = self._work
        # Values changed by a snapshot must not affect a step.
        self._view_work = work._replace(
            reference=np.zeros_like(work.reference),
            angle=np.zeros_like(work.angle),
            rate=np.zeros_like(work.rate),
        )

    def _count_obstacles(self, params: Params, scene: Scene) -> int:
        return len(scene.obstacles)

    def _drop_obstacles(self, old: Params, scene: Scene) -> None:
        if self._params.world is not old.world:
            super()._drop_obstacles(old, scene)

    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        return *super()._start_of_interval(), (self._state.before[CALL], self._state.ground)

    def view_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.view_arguments`."""
        return self._params, self._state, self._view_work

    def _shown_reference(self) -> FloatArray:
        reference: FloatArray = self._view_work.reference
        return reference

    def _room_for_contacts(self, n_rows: int) -> int:
        n = len(self._state.q)
        capacity: int = n_rows * (2 * n + 4) + self._state.slot_key.shape[1]
        return capacity

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        angle, rate = np.zeros((2, len(self._state.angle)))
        end_angles(self._params, self._state, self._work, angle, rate)
        return angle, rate

    def _checked(self, state: Any, params: Params, scene: Scene) -> State:
        own_state: State = super()._checked(
            with_signed_laws(state, params.axes[:, HIGH]), params, scene
        )
        within(own_state.first, 0, int(own_state.counts[CONTACTS]) + 1)
        demand(bool((np.diff(own_state.first) >= 0).all()))
        return own_state

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """Return the last contact problem and its warm start as arrays, for `problem_from_arrays`."""
        begun = self._work.orientation.any()
        return problem_arrays(self._params, self._state, self._work) if begun else {}

    def friction_problem(self) -> FrictionProblem | None:
        """Return the last contact problem in the exchange format for other solvers; None before the first step.

        Raises `ExportError` if friction at a contact differs forwards and backwards, because the
        cones of these problems are circular, and if joints have dry friction or rebound.
        """
        arrays = self.contact_problem()
        return as_friction_problem(arrays) if arrays else None


def _rotated_back(quaternion: FloatArray, vector: FloatArray) -> FloatArray:
    """Return world vectors (n, 3) in the frames of unit quaternions (n, 4)."""
    w = quaternion[:, :1]
    v = -quaternion[:, 1:]
    turned: FloatArray = vector + 2.0 * np.cross(v, np.cross(v, vector) + w * vector)
    return turned
