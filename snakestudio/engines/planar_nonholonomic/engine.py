"""The planar engine with obstacles as nonholonomic constraints (paper P3), with the interface of all engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.base import Kernel
from snakestudio.engines.compiled_engine import CompiledEngine
from snakestudio.engines.outcome import Figures
from snakestudio.engines.planar_nonholonomic.params import Params, damped_by_obstacles, make_params
from snakestudio.engines.planar_nonholonomic.rows import write_row, write_state
from snakestudio.engines.planar_nonholonomic.schema import make_schema
from snakestudio.engines.planar_nonholonomic.state import (
    CALL_EVALUATIONS,
    CALL_STEPS,
    LOAD,
    STEP,
    UNCONVERGED,
    WORST_CALL,
    State,
    make_state,
    make_work,
)
from snakestudio.engines.planar_nonholonomic.step import advance_steps
from snakestudio.engines.planar_obstacles import same_structure
from snakestudio.engines.row_buffers import CALL
from snakestudio.engines.saved_state import agreeing, within
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene
from snakestudio.model.world import Ground

_FIGURES = STEP, CALL_STEPS, CALL_EVALUATIONS, UNCONVERGED


class PlanarNonholonomicEngine(CompiledEngine):
    """A snake robot among obstacles, which the links that they touch cannot enter sideways.

    "Iterations" are evaluations of the equations of motion; the residual is that of the
    constraints' reactions relative to the weight of a link.
    """

    kind = "planar_nonholonomic"
    kernel = Kernel(advance_steps, write_row, write_state)
    _pushed = False

    _make_schema = staticmethod(make_schema)
    _same_structure = staticmethod(same_structure)

    def _make_params(self, scene: Scene, old: Params | None) -> Params:
        return make_params(scene, old)

    def _make_state(self, scene: Scene) -> State:
        return make_state(*planar_pose(scene, self._base_dir), self._params.chain.weight)

    def _make_work(self) -> None:
        self._work = make_work(len(self._state.acts))

    def _figures(self) -> Figures:
        return Figures.of(self._counts, _FIGURES, self._state.figures.item(WORST_CALL))

    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        counts = self._state.counts
        figures = self._state.figures
        before = self._state.before[CALL]
        return (
            (counts[CALL_EVALUATIONS : CALL_STEPS + 1], 0),
            (figures[WORST_CALL : WORST_CALL + 1], 0.0),
            (before[:-1], self._state.sums),
            (before[-1:], figures[LOAD : LOAD + 1]),
        )

    def _calming(self) -> str:
        if not damped_by_obstacles(self._scene):
            return super()._calming()
        key = "ground.obstacle_damping_ns_per_m"
        usual = Ground().obstacle_damping_ns_per_m
        own = self._scene.ground.obstacle_damping_ns_per_m
        return f"Reduce {key} from {own:g} to {usual:g}" if own > usual else f"Reduce {key}"

    def _room_for_contacts(self, n_rows: int) -> int:
        return 3 * n_rows * self._scene.robot.n_links

    def _links(self) -> FloatArray:
        theta, centre = np.split(self._state.y[: len(self._state.acts) + 2], [-2])
        axis = np.column_stack([np.cos(theta), np.sin(theta)])
        return np.column_stack([centre + self._params.levers @ axis, theta])

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        y = self._state.y
        n = len(self._work.theta)
        half = len(self._work.x)
        return y[1:n] - y[: n - 1], y[half + 1 : half + n] - y[half : half + n - 1]

    def _drop_obstacles(self, old: Params, scene: Scene) -> None:
        self._state.met[self._state.met >= len(self._params.obstacles)] = -1

    def _checked(self, state: Any, params: Params, scene: Scene) -> State:
        own_state: State = agreeing(state, self._state)
        within(own_state.acts, 0, 2)
        within(own_state.met, -1, max(1, len(params.obstacles)))
        return own_state
