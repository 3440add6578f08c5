"""The planar engine with obstacles as nonholonomic constraints (paper P3) as the rest of the program sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.friction_problem import FrictionProblem
from snakestudio.engines.outcome import Figures
from snakestudio.engines.planar_nonholonomic.params import (
    Params,
    damped_by_obstacles,
    make_params,
    same_structure,
)
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
from snakestudio.engines.row_buffers import ANGLE, CALL, RATE, ROW, RowBuffers
from snakestudio.engines.saved_state import agreeing, within
from snakestudio.engines.time_stepping import TimeSteppingEngine, by_joint, copied
from snakestudio.kernels._jit import direct
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene
from snakestudio.model.world import Ground

__all__ = ["PlanarNonholonomicEngine"]


class PlanarNonholonomicEngine(TimeSteppingEngine):
    """A snake robot among obstacles that do not let the links they touch move sideways into them.

    "Iterations" are evaluations of the equations of motion; the residual is that of the
    constraints' reactions beside the weight of a link.

    Raises `SceneError` if a file that the start refers to cannot be used. `registry.create` finds
    all other mistakes beforehand.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """

    kind = "planar_nonholonomic"
    _pushed = False

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        super().__init__(scene, base_dir, make_schema(scene))
        self._advance, self._write, self._write_state = (
            direct(advance_steps),
            write_row,
            direct(write_state),
        )
        self._params: Params = make_params(scene)
        self._state: State = make_state(*planar_pose(scene, base_dir), self._params.chain.weight)
        self._work = make_work(scene.robot.n_links)
        self._look_out(scene)

    def _figures(self) -> Figures:
        counts = self._state.counts
        return Figures(
            counts.item(STEP),
            counts.item(CALL_STEPS),
            counts.item(CALL_EVALUATIONS),
            counts.item(UNCONVERGED),
            self._state.figures.item(WORST_CALL),
        )

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

    def entry_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.entry_arguments`."""
        angle, rate, _, torque = by_joint(reference, 1)
        return self._params, self._state, self._work, reference.time, angle, rate, torque

    def row_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.row_arguments`."""
        return self._params, self._state, self._work

    def _calming(self) -> str:
        if not damped_by_obstacles(self._scene):
            return super()._calming()
        key = "ground.obstacle_damping_ns_per_m"
        usual = Ground().obstacle_damping_ns_per_m
        own = self._scene.ground.obstacle_damping_ns_per_m
        return f"reduce {key} from {own:g} to {usual:g}" if own > usual else f"reduce {key}"

    def view_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.view_arguments`."""
        return self._params, self._state, self._work

    def _grow_contacts(self) -> None:
        """Nothing: there is room for both sides of every link."""

    def _grow_slots(self) -> None:
        """Nothing, as `_grow_contacts`."""

    def _room_for_contacts(self, n_rows: int) -> int:
        return 3 * n_rows * self._scene.robot.n_links

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        self._work.reference[:, ANGLE] = angle
        self._work.reference[:, RATE] = rate
        self._write_state(self._params, self._state, self._work, rows, CALL if call else ROW)

    def _links(self) -> FloatArray:
        theta, centre = np.split(self._state.y[: len(self._state.acts) + 2], [-2])
        axis = np.column_stack([np.cos(theta), np.sin(theta)])
        return np.column_stack([centre + self._params.levers @ axis, theta])

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        y = self._state.y
        n = len(self._work.theta)
        half = len(self._work.x)
        return y[1:n] - y[: n - 1], y[half + 1 : half + n] - y[half : half + n - 1]

    def _take(self, scene: Scene) -> bool:
        if not same_structure(self._scene, scene):
            return False
        self._params = make_params(scene, self._params)
        self._look_out(scene)
        self._state.met[self._state.met >= len(self._params.obstacles)] = -1
        return True

    def _saved_state(self) -> State:
        return copied(self._state)

    def _restore_state(self, state: State, scene: Scene) -> None:
        state = agreeing(state, self._state)
        within(state.acts, 0, 2)
        params = make_params(scene, self._params)
        within(state.met, -1, max(1, len(params.obstacles)))
        self._params = params
        self._look_out(scene)
        self._state = state

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Force (N) and torque (N m) on a link, world frame, until changed; f_x, f_y and t_z act in the plane."""
        self._state.wrench[link] = (wrench[0], wrench[1], wrench[5])

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """Empty: the constraints' reactions are solved for exactly."""
        return {}

    def friction_problem(self) -> FrictionProblem | None:
        """None: see `contact_problem`."""
        return None
