"""Call of an engine's compiled loop: set-points, due rows and step counts are written into bound arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels.hermite import JointKnots
from snakestudio.kernels.many_calls import KernelCall
from snakestudio.model.reference import JointReference

MOST_KNOTS = 64
"""Largest number of knots of a reference that is copied; the arrays of a longer one are bound."""

_NEVER = np.iinfo(np.int64).max
"""Step count after which no row is due."""

_NO_TORQUES = np.zeros((0, 0))
_FLOAT = np.dtype(np.float64)


class StepCall:
    """Call of a compiled loop with an engine's arrays, which are bound again when the engine's version differs.

    Parameters
    ----------
    function : compiled function
        Loop of a formulation; see `engines.advance.make_advance`.
    own : function
        Returns constants, state and workspace of the engine.
    rows : NamedTuple
        Buffers for calls that write no rows.
    """

    def __init__(self, function: Any, own: Callable[[], tuple[Any, ...]], rows: Any) -> None:
        self._call = KernelCall(function)
        self._own = own
        self._rows = rows
        self._knots: Any = None
        self._due: IntArray = np.full(1, _NEVER)
        self._is_due = False
        self._n_steps = 0
        self._version = -1
        """Version of the engine whose arrays are bound; -1 if other arguments must be bound."""

    def refer(self, knots: Any) -> None:
        """Use the arrays of another reference from now on."""
        self._knots = knots
        self._version = -1

    def run(self, version: int, n_steps: int, due_steps: IntArray | None, rows: Any) -> int:
        """Take steps, and write a row after each of the step counts `due_steps`; return the outcome."""
        if due_steps is not None:
            self._request(due_steps, rows)
        elif self._is_due:
            self._due.fill(_NEVER)
            self._is_due = False
        if version != self._version:
            self._call.bind((*self._own(), self._knots, n_steps, self._due, self._rows))
            self._version = version
            self._n_steps = n_steps
        elif n_steps != self._n_steps:
            self._call.fill(-3, n_steps)
            self._n_steps = n_steps
        return self._call.run()

    def _request(self, due_steps: IntArray, rows: Any) -> None:
        if rows is not self._rows:
            self._rows = rows
            self._version = -1
        n_rows = len(due_steps)
        if n_rows > len(self._due):
            self._due = np.empty(2 * n_rows, np.int64)
            self._version = -1
        self._due[:n_rows] = due_steps
        self._due[n_rows:] = _NEVER
        self._is_due = True


class JointStepCall(StepCall):
    """Step call with joint references, of which short ones are copied into bound arrays."""

    def __init__(self, function: Any, own: Callable[[], tuple[Any, ...]], rows: Any) -> None:
        super().__init__(function, own, rows)
        self._bound: JointReference | None = None
        self._holds = False
        """Whether `written` has two knots and no torques."""
        self._moves = False
        """Whether rates or accelerations of `written` can differ from 0."""
        self.written: JointReference | None = None
        """Reference whose arrays are bound and written by later calls."""

    def hold(
        self, begin: int, end: int, dt: float, angle: FloatArray | None, rate: FloatArray | None
    ) -> None:
        """Hold the joints from one step count to another, or move them at a rate; see `Engine.hold`."""
        own = self.written
        if own is None or not self._holds:
            assert angle is not None
            own = JointReference.held(begin * dt, end * dt, angle)
            self.write(own)
            self._moves = False
        own.time[0] = begin * dt
        own.time[1] = end * dt
        own.angle[:] = angle
        if self._moves:
            own.rate[:] = own.acceleration[:] = 0.0
            self._moves = False
        if rate is not None:
            own.rate[:] = rate
            own.angle[1] += rate * ((end - begin) * dt)
            self._moves = True

    def drive(self, begin: int, end: int, dt: float, torque: FloatArray) -> None:
        """Let the motors exert torques from one step count to another; see `Engine.hold`."""
        own = self.written
        if own is None or own.torque is None or len(own.time) != 2:
            own = JointReference.driven(begin * dt, end * dt, torque)
            self.write(own)
        assert own.torque is not None
        own.time[0] = begin * dt
        own.time[1] = end * dt
        own.torque[:] = torque

    def follow(self, reference: JointReference) -> None:
        """Take the next steps under a reference, which is not modified before they are taken."""
        own = self.written
        self._moves = True
        if own is not None and _alike(own, reference):
            own.time[:] = reference.time
            own.angle[:] = reference.angle
            own.rate[:] = reference.rate
            own.acceleration[:] = reference.acceleration
            if own.torque is not None:
                own.torque[:] = reference.torque
        elif len(reference.time) <= MOST_KNOTS:
            self.write(reference.copy())
        elif reference is not self._bound:
            self._bound = plain(reference)
            self.written = None
            self.refer(knots_of(self._bound))

    def write(self, reference: JointReference) -> None:
        """Use the arrays of a reference from now on, which calls write."""
        self._bound = self.written = reference
        self._holds = len(reference.time) == 2 and reference.torque is None
        self.refer(knots_of(reference))


def _alike(one: JointReference, other: JointReference) -> bool:
    """Return whether two references have the same shape and the same kind of set-points."""
    return one.angle.shape == other.angle.shape and (one.torque is None) == (other.torque is None)


def plain(reference: JointReference) -> JointReference:
    """Return `reference` with arrays as the kernels are compiled for: float64, contiguous, writeable."""
    own = (
        reference.time,
        reference.angle,
        reference.rate,
        reference.acceleration,
        _torques(reference),
    )
    for array in own:
        if array.dtype is not _FLOAT or not array.flags.carray:
            break
    else:
        return reference
    return JointReference(*(np.require(array, np.float64, ["C", "W"]) for array in own))


def knots_of(reference: JointReference) -> JointKnots:
    """Return the arrays of `reference` themselves, as kernels take them."""
    return JointKnots(
        reference.time,
        reference.angle[:, :, None],
        reference.rate[:, :, None],
        reference.acceleration[:, :, None],
        _torques(reference)[:, :, None],
    )


def _torques(reference: JointReference) -> FloatArray:
    """Return the commanded joint torques, (k, m), N m; of length 0 if the joints follow angles."""
    return _NO_TORQUES if reference.torque is None else reference.torque
