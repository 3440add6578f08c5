"""The planar non-smooth engine (paper P2), with the interface of all engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.base import Kernel
from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.engines.nonsmooth_engine import NonsmoothEngine
from snakestudio.engines.planar_nonsmooth.params import AXIS, Params, make_params
from snakestudio.engines.planar_nonsmooth.problem_file import as_friction_problem, problem_arrays
from snakestudio.engines.planar_nonsmooth.rows import write_row, write_state
from snakestudio.engines.planar_nonsmooth.schema import make_schema
from snakestudio.engines.planar_nonsmooth.state import (
    GROUND_Y,
    GROUND_Z,
    State,
    Workspace,
    make_state,
    make_work,
    with_loads_by_link,
)
from snakestudio.engines.planar_nonsmooth.step import advance_steps
from snakestudio.engines.planar_obstacles import same_structure
from snakestudio.engines.row_buffers import CALL
from snakestudio.errors import ExportError
from snakestudio.kernels.axes import Z
from snakestudio.kernels.planar_problem import DISC, TURN
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene


class PlanarNonsmoothEngine(NonsmoothEngine):
    """Moreau time stepping of a snake robot in the plane among cylinders and upright boxes."""

    kind = "planar_nonsmooth"
    kernel = Kernel(advance_steps, write_row, write_state)
    by_contact = ("normal", "tangent")

    _make_schema = staticmethod(make_schema)
    _same_structure = staticmethod(same_structure)
    _in_present_layout = staticmethod(with_loads_by_link)

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        super().__init__(scene, base_dir)
        self._reference_of_views = np.zeros((len(self._schema.axes), 2))
        self._moving = np.flatnonzero(self._params.joints[:, AXIS] >= 0.0)

    def _make_params(self, scene: Scene, old: Params | None) -> Params:
        return make_params(scene, self._base_dir, old)

    def _make_state(self, scene: Scene) -> State:
        return make_state(*planar_pose(scene, self._base_dir))

    def _make_space(self, capacity: int) -> Workspace:
        return make_work(len(self._state.q), capacity)

    def _make_work(self) -> None:
        super()._make_work()
        self._work.law[:] = self._params.law

    def _fit(self, scene: Scene) -> None:
        super()._fit(scene)
        self._work.law[:] = self._params.law

    def _count_obstacles(self, params: Params, scene: Scene) -> int:
        return len(params.obstacles)

    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        impulse = self._state.impulse
        before = self._state.before[CALL]
        return (
            *super()._start_of_interval(),
            (before[:, :Z], impulse[:, : GROUND_Y + 1]),
            (before[:, Z], impulse[:, GROUND_Z]),
        )

    def row_arguments(self) -> tuple[Any, ...]:
        """See `CompiledEngine.row_arguments`."""
        return self._params, self._state, self._work.reference

    def view_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.view_arguments`."""
        return self._params, self._state, self._reference_of_views

    def _shown_reference(self) -> FloatArray:
        return self._reference_of_views

    def _room_for_contacts(self, n_rows: int) -> int:
        n = len(self._state.q)
        capacity: int = n_rows * (n + 4) + self._state.slot_key.shape[1]
        return capacity

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        moving = self._moving
        return np.diff(self._state.q[:, TURN])[moving], np.diff(self._state.u[:, TURN])[moving]

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """Return the last contact problem and its warm start as arrays, for `problem_from_arrays`."""
        begun = self._work.cos.any()
        return problem_arrays(self._params, self._state, self._work) if begun else {}

    def friction_problem(self) -> FrictionProblem | None:
        """Return the last contact problem in the exchange format for other solvers; None before the first step.

        Raises `ExportError` if the friction on the ground is not a cone, which these solvers
        require.
        """
        if self._params.kind != DISC:
            raise ExportError(
                "Other solvers require the same ground friction forwards and backwards, and not the components or"
                " unit-velocity law. Save the contact problem as .npz."
            )
        arrays = self.contact_problem()
        return as_friction_problem(arrays) if arrays else None
