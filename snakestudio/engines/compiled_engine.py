"""Base of the engines with compiled steps, which build, change, save and restore their states in the same way."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.engines.base import Kernel
from snakestudio.engines.period_call import PeriodCall
from snakestudio.engines.row_buffers import ANGLE, CALL, RATE, ROW, RowBuffers
from snakestudio.engines.time_stepping import TimeSteppingEngine, copied
from snakestudio.kernels._cache import jit_disabled
from snakestudio.kernels._jit import direct
from snakestudio.kernels.hermite import JointKnots
from snakestudio.kernels.many_calls import CallTable
from snakestudio.model.recording import Schema
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene

IN_PLANE = (0, 1, 5)
"""Entries of a wrench that act on a link in the plane: f_x, f_y and t_z."""

_NO_ROWS = np.zeros(0, np.int64)
_NO_TORQUES = np.zeros((0, 0))
_FLOAT = np.dtype(np.float64)


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

    _work: Any

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        super().__init__(scene, base_dir, self._make_schema(scene))
        self._advance = direct(self.kernel.advance)
        self._write_state = direct(self.kernel.write_state)
        self._period_call: PeriodCall | None = None
        self._interval_of: Any = None
        self._interval_start: tuple[tuple[Any, Any], ...] = ()
        self._params = self._make_params(scene, None)
        self._state = self._make_state(scene)
        self._make_work()
        self._fit(scene)

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
        """See `TimeSteppingEngine.view_arguments`."""
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

    def entry_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """Return the arguments of the compiled loop up to the reference; step count, row steps and buffers follow.

        They are the engine's own arrays and those of `reference`, which must be float64, contiguous
        and writeable. They are valid until the next `apply` or `restore`, or until the engine
        allocates space for more contacts.
        """
        return self._params, self._state, self._workspace(), _knots(reference)

    def plain_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """Return `entry_arguments` for any reference."""
        return self.entry_arguments(_plain(reference))

    def _run_kernel(
        self, reference: JointReference, n_steps: int, due_steps: IntArray, rows: RowBuffers
    ) -> int:
        period = self._period_call
        if period is None:
            period = self._period_call = PeriodCall(self)
        own = self._params, self._state, self._work
        if period.is_frequent(reference, len(due_steps), own):
            return period.call(reference, n_steps, due_steps, rows)
        status: int = self._advance(*self.plain_arguments(reference), n_steps, due_steps, rows)
        return status

    def _begin_interval(self) -> None:
        if self._interval_of is not self._state:
            self._interval_of, self._interval_start = self._state, self._start_of_interval()
        for values, start in self._interval_start:
            values[...] = start

    def _write_present_row(
        self, angle: FloatArray, rate: FloatArray, rows: RowBuffers, call: bool
    ) -> None:
        reference = self._shown_reference()
        reference[:, ANGLE] = angle
        reference[:, RATE] = rate
        self._write_state(*self.view_arguments(), rows, CALL if call else ROW)

    def run_once(self) -> None:
        """Call each compiled function once."""
        super().run_once()
        kernel = self.compiled
        if kernel is None:
            return
        zeros = np.zeros((2, len(self._schema.axes)))
        reference = JointReference(np.array([0.0, 1.0]), zeros, zeros, zeros)
        CallTable(kernel.advance, [(*self.entry_arguments(reference), 0, _NO_ROWS, self._rows)])
        CallTable(kernel.write_row, [(*self.row_arguments(), self._rows)])
        CallTable(kernel.write_state, [(*self.view_arguments(), self._rows, int(CALL))])

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
        params = self._make_params(scene, self._params)
        self._state = self._checked(state, params, scene)
        self._params = params
        self._fit(scene)

    def apply_wrench(
        self, link: int, wrench: tuple[float, float, float, float, float, float]
    ) -> None:
        """Set the force (N) and torque (N m) on a link, world frame, at its centre of gravity, until changed.

        In the plane, only f_x, f_y and t_z act.
        """
        self._state.wrench[link] = [wrench[entry] for entry in self.wrench_entries]


def _plain(reference: JointReference) -> JointReference:
    """Return `reference` with arrays as the kernels are compiled for: float64, contiguous, writeable."""
    own = (
        reference.time,
        reference.angle,
        reference.rate,
        reference.acceleration,
        _given_torques(reference),
    )
    for array in own:
        if array.dtype is not _FLOAT or not array.flags.carray:
            break
    else:
        return reference
    return JointReference(*(np.require(array, np.float64, ["C", "W"]) for array in own))


def _knots(reference: JointReference) -> JointKnots:
    """Return the arrays of `reference` themselves, as kernels take them."""
    torque = _given_torques(reference)
    return JointKnots(
        reference.time,
        reference.angle[:, :, None],
        reference.rate[:, :, None],
        reference.acceleration[:, :, None],
        torque[:, :, None],
    )


def _given_torques(reference: JointReference) -> FloatArray:
    """Return the commanded joint torques, (k, m), N m; of length 0 if the joints follow angles."""
    return _NO_TORQUES if reference.torque is None else reference.torque
