"""The row of an engine's present state for views, written into the same arrays for every state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from snakestudio._arrays import FloatArray

VIEW_FIELDS = ("link_pose", "link_twist", "joint_angle", "joint_rate", "joint_torque")
"""Fields of a row with the same name in views."""


class _Engine(Protocol):
    @property
    def version(self) -> int: ...

    def row_buffers(self, n_rows: int) -> Any: ...


class PresentRow:
    """The row of the present state.

    Parameters
    ----------
    engine : engine
        Its `version` decides whether `bind` is called again.
    bind : function
        Returns a function that writes the present state into given buffers.
    """

    def __init__(self, engine: _Engine, bind: Callable[[Any], Callable[[], object]]) -> None:
        self._engine = engine
        self._bind = bind
        self._version = -1
        self._write: Callable[[], object]
        self.writes = 0
        """Number of writes of the row."""
        self.rows: Any = None
        """Buffers of the row, with the fields of `RowBuffers`."""
        self.values: dict[str, FloatArray] = {}
        """Fields of the row by the names in `VIEW_FIELDS`, as read-only views."""

    def write(self) -> None:
        """Write the present state."""
        self.writes += 1
        version = self._engine.version
        if version != self._version:
            self._version = version
            self._reserve()
            self._write = self._bind(self.rows)
        filled = self._filled
        contacts = filled.item(1)
        filled.fill(0)
        if contacts:
            self._contacts[:, :contacts] = 0.0
        self._write()

    def _reserve(self) -> None:
        """Allocate buffers, or larger ones if the contacts may not fit."""
        rows = self._engine.row_buffers(1)
        if self.rows is not None and len(rows.contact_link) <= len(self.rows.contact_link):
            return
        # In one array, because rows are written on zeros.
        self._contacts = np.zeros((3, *rows.contact_point.shape))
        point, normal, friction = self._contacts
        self.rows = rows._replace(
            contact_point=point, contact_normal=normal, contact_friction=friction
        )
        self._filled = rows.filled
        self.values = {name: _read_only(getattr(rows, name)[0]) for name in VIEW_FIELDS}


def _read_only(view: FloatArray) -> FloatArray:
    """The view, which cannot be written to: that would not change the state."""
    view.flags.writeable = False
    return view
