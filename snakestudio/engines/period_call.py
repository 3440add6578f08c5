"""Calls of a compiled loop for successive control periods, with bound arguments.

A controller makes references of the same shape in every period. Copying them into arrays with known
addresses takes less time than passing their own arrays, and the hundred arrays of the engine, to
compiled code.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from snakestudio._arrays import IntArray
from snakestudio.engines.base import Kernel
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels.many_calls import CallTable, same_objects
from snakestudio.model.reference import JointReference

_MOST_KNOTS = 64
"""Largest number of knots of a copied reference."""

_OFTEN = 24
"""Number of successive calls of one kind after which their arguments are bound."""

_NO_ROW = -1
"""Step count that means that no row is due."""


class _Engine(Protocol):
    @property
    def compiled(self) -> Kernel | None: ...

    def entry_arguments(self, reference: JointReference) -> tuple[Any, ...]: ...


class PeriodCall:
    """Calls of an engine's loop with references of one shape and at most one row."""

    def __init__(self, engine: _Engine) -> None:
        kernel = engine.compiled
        self._kernel = None if kernel is None else kernel.advance
        self._engine = engine
        self._shape: tuple[int, ...] = ()
        self._own: tuple[Any, ...] = ()
        self._same = 0  # successive calls with references of this shape and the same engine arrays
        self._bound: _BoundCall | None = None

    def is_frequent(self, reference: JointReference, n_rows: int, own: tuple[Any, ...]) -> bool:
        """Return whether references of this shape are frequent, so that the next steps should be taken by `call`.

        `own` are objects of the engine, at least one of which is replaced when any of its arrays
        is.
        """
        shape = reference.angle.shape
        if (
            self._kernel is None
            or reference.torque is not None
            or n_rows > 1
            or shape[0] > _MOST_KNOTS
        ):
            return False
        if shape != self._shape or not same_objects(own, self._own):
            self._shape = shape
            self._own = own
            self._same = 0
            self._bound = None
            return False
        self._same += 1
        return self._same > _OFTEN

    def call(
        self, reference: JointReference, n_steps: int, due_steps: IntArray, rows: RowBuffers
    ) -> int:
        """Take steps and return the outcome."""
        if self._bound is None:
            self._bound = _BoundCall(self._kernel, self._engine, self._shape, rows)
        return self._bound.run(reference, n_steps, due_steps, rows)


class _BoundCall:
    """A call with bound arguments: a reference of shape (k, m), one row or none, and the engine's arrays."""

    def __init__(
        self, kernel: Any, engine: _Engine, shape: tuple[int, ...], rows: RowBuffers
    ) -> None:
        self._time = np.empty(shape[0])
        self._angle, self._rate, self._acceleration = np.empty((3, *shape))
        self._due: IntArray = np.zeros(1, np.int64)
        self._rows = rows
        self._n_steps = 0
        own = engine.entry_arguments(
            JointReference(self._time, self._angle, self._rate, self._acceleration)
        )
        self._rows_argument = len(own) + 2
        self._table = CallTable(kernel, [(*own, self._n_steps, self._due, rows)])
        self._call = self._table.single(0)

    def run(
        self, reference: JointReference, n_steps: int, due_steps: IntArray, rows: RowBuffers
    ) -> int:
        """Take steps and return the outcome."""
        if rows is not self._rows:
            self._table.bind(0, (rows,), self._rows_argument)
            self._rows = rows
        if n_steps != self._n_steps:
            self._table.fill(-3, n_steps)
            self._n_steps = n_steps
        self._due[0] = due_steps[0] if len(due_steps) else _NO_ROW
        self._time[:] = reference.time
        self._angle[:] = reference.angle
        self._rate[:] = reference.rate
        self._acceleration[:] = reference.acceleration
        return self._call()
