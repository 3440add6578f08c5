"""The planar Lagrangian engine (paper P4), with the interface of all engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.base import Kernel
from snakestudio.engines.compiled_engine import CompiledEngine
from snakestudio.engines.outcome import Figures
from snakestudio.engines.planar_lagrangian.params import Params, make_params, same_structure
from snakestudio.engines.planar_lagrangian.rows import write_row, write_state
from snakestudio.engines.planar_lagrangian.schema import make_schema
from snakestudio.engines.planar_lagrangian.state import (
    CALL_STEPS,
    LIFTED,
    LOAD,
    PASSIVE_WORK,
    PRESSED,
    STEP,
    State,
    make_state,
    make_work,
    widened,
)
from snakestudio.engines.planar_lagrangian.step import advance_steps
from snakestudio.engines.row_buffers import CALL
from snakestudio.engines.saved_state import agreeing
from snakestudio.engines.smooth_joints import has_passive_joints
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene


class PlanarLagrangianEngine(CompiledEngine):
    """A snake robot on a floor with smooth friction, with PD control or exact feedback linearization of its joints.

    There is no contact problem: residual, iterations and unconverged steps are not valid, and 0.
    """

    kind = "planar_lagrangian"
    kernel = Kernel(advance_steps, write_row, write_state)

    _make_schema = staticmethod(make_schema)
    _same_structure = staticmethod(same_structure)

    def _make_params(self, scene: Scene, old: Params | None) -> Params:
        return make_params(scene, self._base_dir)

    def _make_state(self, scene: Scene) -> State:
        return make_state(*planar_pose(scene, self._base_dir), self._params.chain.weight)

    def _make_work(self) -> None:
        self._work = make_work(len(self._state.impulse))

    def _fit(self, scene: Scene) -> None:
        """Extend the state by the sums for passive joints and varying loads, once there are any."""
        if self._params.varies or has_passive_joints(self._params.joints):
            self._state = widened(self._state)

    def _figures(self) -> Figures:
        counts = self._state.counts
        return Figures(counts.item(STEP), counts.item(CALL_STEPS), 0, 0, 0.0)

    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        state = self._state
        start = [
            (state.counts[CALL_STEPS : CALL_STEPS + 1], 0),
            (state.before[CALL, :-1], state.impulse),
            (
                state.before[CALL, len(state.impulse), PRESSED : PRESSED + 1],
                state.sums[LOAD : LOAD + 1],
            ),
        ]
        if len(state.sums) > PASSIVE_WORK:
            now, _, begin = np.split(state.sums[LIFTED:], 3)
            start.append((begin, now))
        return tuple(start)

    def _room_for_contacts(self, n_rows: int) -> int:
        return n_rows * self._scene.robot.n_links

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        x, v = self._state.x, self._state.v
        return x[1:-2] - x[:-3], v[1:-2] - v[:-3]

    def _checked(self, state: Any, params: Params, scene: Scene) -> State:
        sums = getattr(state, "sums", None)
        wide = isinstance(sums, np.ndarray) and sums.size > PASSIVE_WORK
        own_state: State = agreeing(state, widened(self._state) if wide else self._state)
        return own_state
