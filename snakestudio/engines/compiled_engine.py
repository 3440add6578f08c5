"""Base of the engines with compiled steps, which build, change, save and restore their states in the same way."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.advance import STEP
from snakestudio.engines.base import Checkpoint, Due, Kernel, SetPoints
from snakestudio.engines.outcome import OK
from snakestudio.engines.present_row import PresentRow
from snakestudio.engines.row_buffers import ANGLE, CALL, RATE, ROW
from snakestudio.engines.step_call import JointStepCall, knots_of
from snakestudio.engines.time_stepping import TimeSteppingEngine, copied
from snakestudio.kernels._cache import jit_disabled
from snakestudio.kernels.many_calls import CallTable, KernelCall
from snakestudio.model.recording import Schema
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene

IN_PLANE = (0, 1, 5)
"""Entries of a wrench that act on a link in the plane: f_x, f_y and t_z."""


class CompiledEngine(TimeSteppingEngine):
    """Implementation of the Engine protocol by a `Kernel` that works on constants, state and workspace of a run.

    A formulation supplies the kernel and the methods in the section "of a formulation". `_work` is
    the workspace; its `reference` is filled when a row is written.

    Raises `SceneError` if a file named in the scene cannot be used; `registry.create` detects all
    other mistakes.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    """

    kernel: ClassVar[Kernel]
    wrench_entries: ClassVar[tuple[int, ...]] = IN_PLANE
    """Entries of an external wrench that are part of the state."""

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        super().__init__(scene, base_dir, self._make_schema(scene))
        self._row_call = KernelCall(self.kernel.write_state)
        self._interval_version = -1
        self._interval_start: tuple[tuple[Any, Any], ...] = ()
        self._params = self._make_params(scene, None)
        self._state = self._make_state(scene)
        self._make_work()
        self._fit(scene)
        self._step_s = scene.solver.step_s
        self._step_call = self._make_step_call()

    # ----------------------------------------------------------------- arrays of the compiled code

    @property
    def _params(self) -> Any:
        """Constants of the run."""
        return self._bound_params

    @_params.setter
    def _params(self, params: Any) -> None:
        self._bound_params = params
        self._version += 1

    @property
    def _state(self) -> Any:
        return self._bound_state

    @_state.setter
    def _state(self, state: Any) -> None:
        self._bound_state = state
        self._counts = state.counts
        self._version += 1

    @property
    def _work(self) -> Any:
        return self._bound_work

    @_work.setter
    def _work(self, work: Any) -> None:
        self._bound_work = work
        self._version += 1

    # ----------------------------------------------------------------------------- of a formulation

    @abstractmethod
    def _make_schema(self, scene: Scene) -> Schema: ...

    @abstractmethod
    def _make_params(self, scene: Scene, old: Any) -> Any:
        """Return the constants of `scene`; parts of `old`, if given, may be reused."""

    @abstractmethod
    def _make_state(self, scene: Scene) -> Any:
        """Return the state at the start."""

    @abstractmethod
    def _make_work(self) -> None:
        """Set the workspace, with the capacity of the state."""

    def _fit(self, scene: Scene) -> None:
        """Update everything else after a change of constants or state."""
        self._set_crossings(scene)

    @abstractmethod
    def _same_structure(self, one: Scene, other: Scene) -> bool:
        """Return whether a running engine of `one` can continue with `other`."""

    def _drop_obstacles(self, old: Any, scene: Scene) -> None:
        """Discard contacts with obstacles of the constants `old` that are not in `scene`."""

    @abstractmethod
    def _checked(self, state: Any, params: Any, scene: Scene) -> Any:
        """Return a copy of a saved state; raises `StateError` if the state does not fit."""

    @abstractmethod
    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        """Return parts of the state's arrays and their values (or source arrays) at the start of an interval."""

    def _workspace(self) -> Any:
        """Return the workspace of the compiled loop: the same object for the same `_work`."""
        return self._work

    def row_arguments(self) -> tuple[Any, ...]:
        """Return the arguments of the kernel's `write_row` before the buffers."""
        return self._params, self._state, self._work

    def view_arguments(self) -> tuple[Any, ...]:
        """Return the arguments of the kernel's `write_state` before the buffers, for a row that only views read."""
        return self.row_arguments()

    def _shown_reference(self) -> FloatArray:
        """Return the displayed reference angles and rates (m, 2), one of `view_arguments`."""
        reference: FloatArray = self._work.reference
        return reference

    # ---------------------------------------------------------------------------------------- calls

    @property
    def compiled(self) -> Kernel | None:
        """See `TimeSteppingEngine.compiled`."""
        return None if jit_disabled() else self.kernel

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        count: int = self._counts.item(STEP)
        return count

    @property
    def reference(self) -> Any:
        """The reference of the last steps; None before the first."""
        reference = self._reference
        return reference.copy() if self._is_written(reference) else reference

    @reference.setter
    def reference(self, reference: Any) -> None:
        self._reference = reference

    def _is_written(self, reference: Any) -> bool:
        """Return whether later calls write the arrays of a reference."""
        return reference is not None and reference is self._step_call.written

    def step_arguments(self) -> tuple[Any, ...]:
        """Return the arguments of the compiled loop before the reference; step count, row steps and buffers follow it.

        They are the engine's own arrays, and valid as long as `version` does not change.
        """
        return self._params, self._state, self._workspace()

    def entry_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """Return `step_arguments` and the arrays of a reference, which must be float64, contiguous and writeable."""
        return *self.step_arguments(), knots_of(reference)

    def _make_step_call(self) -> Any:
        return JointStepCall(self.kernel.advance, self.step_arguments, self._rows)

    def _run_kernel(self, reference: Any, n_steps: int, due_steps: IntArray, rows: Any) -> int:
        call = self._step_call
        if reference is not call.written:
            call.follow(reference)
        status: int = call.run(self._version, n_steps, due_steps if len(due_steps) else None, rows)
        return status

    def hold(
        self, n_steps: int, angle: SetPoints, rate: SetPoints, torque: SetPoints, rows: Due = None
    ) -> str:
        """Take steps under constant set-points; see `Engine.hold`.

        The set-points are written into the arrays of the last ones; rare outcomes are handled by
        `resume`.
        """
        call = self._step_call
        begin = self._counts.item(STEP)
        end = begin + n_steps
        if torque is None:
            call.hold(begin, end, self._step_s, angle, rate)
        else:
            call.drive(begin, end, self._step_s, torque)
        self._reference = call.written
        self.begin_interval()
        if rows is None or not len(rows.due):
            if call.run(self._version, n_steps, None, None) == OK:
                return ""
            begin = self._counts.item(STEP)
        return self.resume(self._reference, end - begin, () if rows is None else rows).message

    def begin_interval(self) -> None:
        """See `TimeSteppingEngine.begin_interval`."""
        if self._interval_version != self._version:
            self._interval_version = self._version
            self._interval_start = self._start_of_interval()
        for values, start in self._interval_start:
            values[...] = start

    _begin_interval = begin_interval

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: Any, call: bool
    ) -> None:
        reference = self._shown_reference()
        reference[:, ANGLE] = angle
        reference[:, RATE] = rate
        self._row_call.bind((*self.view_arguments(), rows, int(CALL if call else ROW)))
        self._row_call.run()

    def _make_present_row(self) -> PresentRow:
        call = KernelCall(self.kernel.write_state)

        def bind(rows: Any) -> Callable[[], object]:
            call.bind((*self.view_arguments(), rows, int(CALL)))
            return call.run

        return PresentRow(self, bind)

    def run_once(self) -> None:
        """Call each compiled function once."""
        super().run_once()
        kernel = self.compiled
        if kernel is None:
            return
        CallTable(kernel.write_row, [(*self.row_arguments(), self._rows)])

    # --------------------------------------------------------------------------------------- states

    def _adopt(self, scene: Scene) -> bool:
        if not self._same_structure(self._scene, scene):
            return False
        old = self._params
        self._params = self._make_params(scene, old)
        self._fit(scene)
        self._drop_obstacles(old, scene)
        return True

    def _saved_state(self) -> Any:
        return copied(self._state)

    def _restore_state(self, state: Any, scene: Scene) -> None:
        same_scene = scene is self._scene
        params = self._params if same_scene else self._make_params(scene, self._params)
        state = self._checked(state, params, scene)
        if same_scene and self._fill(state):
            return
        self._state = state
        self._params = params
        self._fit(scene)

    def refill(self, checkpoint: Checkpoint) -> bool:
        """Restore a checkpoint of this process, unchecked; False (and no change) if arrays must be replaced."""
        state, scene, reference = checkpoint.state
        if scene is not self._scene or not self._fill(state):
            return False
        self._reference = reference
        return True

    def _fill(self, state: Any) -> bool:
        """Copy a state into the present arrays, so that no address changes; False if a size differs."""
        if any(own.shape != saved.shape for own, saved in zip(self._state, state, strict=True)):
            return False
        for own, saved in zip(self._state, state, strict=True):
            own[...] = saved
        return True

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Set the force (N) and torque (N m) on a link, world frame, at its centre of gravity, until changed.

        In the plane, only f_x, f_y and t_z act.
        """
        self._state.wrench[link] = [wrench[entry] for entry in self.wrench_entries]
