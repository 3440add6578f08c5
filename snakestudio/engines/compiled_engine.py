"""The engine of a formulation whose steps are compiled: built, changed, saved and restored the same way for all."""

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
"""Entries of a wrench that move a link in the plane: f_x, f_y and t_z."""

_NO_ROWS = np.zeros(0, np.int64)
_NO_TORQUES = np.zeros((0, 0))
_FLOAT = np.dtype(np.float64)


class CompiledEngine(TimeSteppingEngine):
    """The Engine protocol on top of constants, state and workspace of a run, and of a `Kernel` that works on them.

    A formulation supplies the kernel and what is marked as its own below. `_work` is the workspace;
    its `reference` is filled where a row is written.

    Raises `SceneError` if a file that the scene refers to cannot be used. `registry.create` finds
    all other mistakes beforehand.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """

    kernel: ClassVar[Kernel]
    wrench_entries: ClassVar[tuple[int, ...]] = IN_PLANE
    """Entries of an external wrench that the state keeps."""

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
        """Constants of `scene`; parts of `old`, if there are any, may be used again."""

    @abstractmethod
    def _make_state(self, scene: Scene) -> Any:
        """The state at the start."""

    @abstractmethod
    def _make_work(self) -> None:
        """Set the workspace, with room for what the state has room for."""

    def _fit(self, scene: Scene) -> None:
        """Fit all else to new constants, and to a new state."""
        self._look_out(scene)

    @abstractmethod
    def _same_structure(self, one: Scene, other: Scene) -> bool:
        """Whether a running engine of `one` can continue under `other`."""

    def _drop_obstacles(self, old: Any, scene: Scene) -> None:
        """Forget contacts with obstacles of the constants `old` that `scene` does not have."""

    @abstractmethod
    def _checked(self, state: Any, params: Any, scene: Scene) -> Any:
        """A copy of a saved state that fits; raises `StateError` if it does not."""

    @abstractmethod
    def _start_of_interval(self) -> tuple[tuple[Any, Any], ...]:
        """Parts of the state's arrays, and the values (or the other parts) that they are set to for an interval."""

    def _workspace(self) -> Any:
        """Workspace of the compiled loop: always the same object for the same `_work`."""
        return self._work

    def row_arguments(self) -> tuple[Any, ...]:
        """Arguments of the kernel's `write_row` in front of the buffers."""
        return self._params, self._state, self._work

    def view_arguments(self) -> tuple[Any, ...]:
        """See `TimeSteppingEngine.view_arguments`."""
        return self.row_arguments()

    def _shown_reference(self) -> FloatArray:
        """Angles and rates (m, 2) among `view_arguments`."""
        reference: FloatArray = self._work.reference
        return reference

    # ---------------------------------------------------------------------------------------- calls

    @property
    def compiled(self) -> Kernel | None:
        """See `TimeSteppingEngine.compiled`."""
        return None if jit_disabled() else self.kernel

    def entry_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """Arguments of the compiled loop in front of count of steps, row steps and buffers; the last is the reference.

        They are the engine's own arrays and those of `reference`, which must be float64, contiguous
        and writeable. They hold until the next `apply` or `restore`, and until the engine makes
        room for more contacts.
        """
        return self._params, self._state, self._workspace(), _knots(reference)

    def plain_arguments(self, reference: JointReference) -> tuple[Any, ...]:
        """`entry_arguments` of any reference."""
        return self.entry_arguments(_plain(reference))

    def _run_kernel(
        self, reference: JointReference, n_steps: int, wanted: IntArray, rows: RowBuffers
    ) -> int:
        period = self._period_call
        if period is None:
            period = self._period_call = PeriodCall(self)
        own = self._params, self._state, self._work
        if period.takes(reference, len(wanted), own):
            return period.call(reference, n_steps, wanted, rows)
        status: int = self._advance(*self.plain_arguments(reference), n_steps, wanted, rows)
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
        """Call everything of it that is compiled."""
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

    def _take(self, scene: Scene) -> bool:
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
        """Force (N) and torque (N m) on a link, world frame, at its centre of gravity, until changed.

        In the plane f_x, f_y and t_z act.
        """
        self._state.wrench[link] = [wrench[entry] for entry in self.wrench_entries]


def _plain(reference: JointReference) -> JointReference:
    """`reference` with arrays as the kernels are compiled for: float64, contiguous, writeable."""
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
    """The arrays of `reference` themselves, as kernels take them."""
    torque = _given_torques(reference)
    return JointKnots(
        reference.time,
        reference.angle[:, :, None],
        reference.rate[:, :, None],
        reference.acceleration[:, :, None],
        torque[:, :, None],
    )


def _given_torques(reference: JointReference) -> FloatArray:
    """What the joints' motors are given, (k, m), N m; of length 0 if they follow angles."""
    return _NO_TORQUES if reference.torque is None else reference.torque
