"""The row of an engine's present state for views, written into the same arrays for every state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.row_buffers import CALL, RowBuffers
from snakestudio.kernels.many_calls import CallTable, same_objects

VIEW_FIELDS = ("link_pose", "link_twist", "joint_angle", "joint_rate", "joint_torque")
"""Fields of a row with the same name in views."""

_OFTEN = 24
"""Number of writes with the same arguments after which these are bound; binding takes as long as
100 bound writes save."""


class PresentRow:
    """The row of the present state.

    Parameters
    ----------
    write : function
        Function that writes the row into buffers.
    kernel : compiled function, optional
        Compiled function that does the same from arguments of the engine, buffers and the
        interval of the contacts.
    """

    def __init__(self, write: Callable[[RowBuffers], None], kernel: Any = None) -> None:
        self._write = write
        self._kernel = kernel
        self._call: Callable[[], int] | None = None
        self._arguments: tuple[Any, ...] | None = None
        self._same = 0  # successive writes with these arguments
        self.writes = 0
        """Number of writes of the row."""
        self.rows: RowBuffers
        self.values: dict[str, FloatArray] = {}
        """Fields of the row by the names in `VIEW_FIELDS`, as read-only views."""

    def is_bound_to(self, arguments: tuple[Any, ...]) -> bool:
        """Return whether these are the objects that the row was last bound to."""
        return self._arguments is not None and same_objects(arguments, self._arguments)

    def bind(
        self, arguments: tuple[Any, ...], make: Callable[[], RowBuffers], contacts: int
    ) -> None:
        """Bind other arguments of the engine, and allocate larger buffers if the contacts may not fit."""
        self._arguments = arguments
        self._call = None
        self._same = 0
        if not self.values or contacts > len(self.rows.contact_link):
            rows = make()
            # In one array, because rows are written on zeros.
            self._contacts = np.zeros((3, *rows.contact_point.shape))
            point, normal, friction = self._contacts
            self.rows = rows._replace(
                contact_point=point, contact_normal=normal, contact_friction=friction
            )
            self._filled = rows.filled
            self.values = {name: _read_only(getattr(rows, name)[0]) for name in VIEW_FIELDS}

    def write(self) -> None:
        """Write the present state."""
        self.writes += 1
        filled = self._filled
        contacts = filled.item(1)
        filled.fill(0)
        if contacts:
            self._contacts[:, :contacts] = 0.0
        if self._call is not None:
            self._call()
            return
        self._write(self.rows)
        self._same += 1
        if self._same == _OFTEN and self._kernel is not None:
            assert self._arguments is not None
            self._call = CallTable(self._kernel, [(*self._arguments, self.rows, int(CALL))]).single(
                0
            )


def _read_only(view: FloatArray) -> FloatArray:
    """The view, which cannot be written to: that would not change the state."""
    view.flags.writeable = False
    return view
