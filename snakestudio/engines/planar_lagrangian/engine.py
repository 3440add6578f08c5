"""The planar Lagrangian engine (paper P4) as the rest of the program sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.friction_problem import FrictionProblem
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
from snakestudio.engines.row_buffers import ANGLE, CALL, RATE, ROW, RowBuffers
from snakestudio.engines.saved_state import agreeing
from snakestudio.engines.smooth_joints import has_passive_joints
from snakestudio.engines.time_stepping import TimeSteppingEngine, by_joint, copied
from snakestudio.kernels._jit import direct
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene

__all__ = ["PlanarLagrangianEngine"]


class PlanarLagrangianEngine(TimeSteppingEngine):
    """A snake robot on a floor with smooth friction, under PD control or exact feedback linearization of its joints.

    There is no contact problem to be solved: residual, iterations and unconverged steps are not
    valid, and 0.

    Raises `SceneError` if a file that the start refers to cannot be used. `registry.create` finds
    all other mistakes beforehand.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """

    kind = "planar_lagrangian"

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        super().__init__(scene, base_dir, make_schema(scene))
        self._advance, self._write, self._write_state = (
            direct(advance_steps),
            write_row,
            direct(write_state),
        )
        self._params: Params = make_params(scene, base_dir)
        self._state: State = make_state(*planar_pose(scene, base_dir), self._params.chain.weight)
        self._work = make_work(scene.robot.n_links)
        self._make_room()

    def _make_room(self) -> None:
        """Have the state keep what passive joints and changing loads add to it, once there are any."""
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

    def entry_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.entry_arguments`."""
        return self._params, self._state, self._work, reference.time, *by_joint(reference, 1)

    def row_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.row_arguments`."""
        return self._params, self._state, self._work

    def view_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.view_arguments`."""
        return self._params, self._state, self._work

    def _grow_contacts(self) -> None:
        """Nothing: this kernel never asks for it, for links touch nothing but the ground."""

    def _grow_slots(self) -> None:
        """Nothing, as `_grow_contacts`."""

    def _room_for_contacts(self, n_rows: int) -> int:
        return n_rows * self._scene.robot.n_links

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        self._work.reference[:, ANGLE] = angle
        self._work.reference[:, RATE] = rate
        self._write_state(self._params, self._state, self._work, rows, CALL if call else ROW)

    def _joints_now(self) -> tuple[FloatArray, FloatArray]:
        x, v = self._state.x, self._state.v
        return x[1:-2] - x[:-3], v[1:-2] - v[:-3]

    def _take(self, scene: Scene) -> bool:
        if not same_structure(self._scene, scene):
            return False
        self._params = make_params(scene, self._base_dir)
        self._make_room()
        return True

    def _saved_state(self) -> State:
        return copied(self._state)

    def _restore_state(self, state: State, scene: Scene) -> None:
        sums = getattr(state, "sums", None)
        wide = isinstance(sums, np.ndarray) and sums.size > PASSIVE_WORK
        self._state = agreeing(state, widened(self._state) if wide else self._state)
        self._params = make_params(scene, self._base_dir)
        self._make_room()

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Force (N) and torque (N m) on a link, world frame, until changed; f_x, f_y and t_z act in the plane."""
        self._state.wrench[link] = (wrench[0], wrench[1], wrench[5])

    def contact_problem(self) -> dict[str, NDArray[Any]]:
        """Empty: there are no contact problems."""
        return {}

    def friction_problem(self) -> FrictionProblem | None:
        """None: see `contact_problem`."""
        return None
