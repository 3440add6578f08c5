"""Consecutive rows of a run, from which quantities compute their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.model import direction
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.rotations import roll_pitch_yaw


class Computed(Protocol):
    """Something computed from rows: a quantity."""

    @property
    def values(self) -> Callable[[Piece], FloatArray]:
        """Values (k, columns), or (k,) for a single column."""
        ...


class Piece:
    """Consecutive rows of a run, with the interval before each.

    Attributes
    ----------
    rows : Rows
        The k rows.
    """

    def __init__(self, schema: Schema, rows: Rows, before: Rows | None) -> None:
        self.schema = schema
        self.rows = rows
        self._before = before if before is not None else rows.slice(0, 1)
        self._known: dict[Computed, FloatArray] = {}

    @cached_property
    def span(self) -> FloatArray:
        """Time since the previous row, (k,), s; 0 for the first row."""
        return self.difference(lambda rows: rows.time)

    @cached_property
    def steps(self) -> FloatArray:
        """Steps since the previous row, (k,)."""
        return self.difference(lambda rows: rows.steps)

    @cached_property
    def roll_pitch_yaw(self) -> FloatArray:
        """Roll, pitch and yaw of each link, (k, n, 3), rad."""
        return roll_pitch_yaw(self.rows.link_pose[:, :, 3:])

    @cached_property
    def forward(self) -> FloatArray:
        """Direction from tail to head, (k, 3) unit vectors."""
        return direction.forward(self.rows.link_pose, self.schema.head_last)

    @cached_property
    def obstacle_forces(self) -> FloatArray:
        """Mean force of obstacles on each link since the previous row, in its frame, (k, n, 3), N."""
        return self._in_link_frames(lambda rows: rows.impulse_obstacle)

    @cached_property
    def ground_forces(self) -> FloatArray:
        """Mean force of the ground on each link since the previous row, in its frame, (k, n, 3), N."""
        return self._in_link_frames(lambda rows: rows.impulse_ground)

    def _in_link_frames(self, impulse: Callable[[Rows], FloatArray]) -> FloatArray:
        force = self.mean(impulse)
        return direction.in_link_frames(force, self.rows.link_pose, self.schema.head_last)

    def difference(self, of: Callable[[Rows], NDArray[np.generic]]) -> FloatArray:
        """Increase since the previous row of a quantity recorded as a sum."""
        values = np.concatenate([of(self._before), of(self.rows)]).astype(np.float64)
        return np.diff(values, axis=0)

    def mean(self, of: Callable[[Rows], FloatArray]) -> FloatArray:
        """Return the mean since the previous row of a quantity recorded as a sum; 0 if there is no previous row."""
        grown = self.difference(of)
        span = self.span.reshape(-1, *(1,) * (grown.ndim - 1))
        return np.divide(grown, span, out=np.zeros_like(grown), where=span > 0)

    def over_mass(self, values: FloatArray) -> FloatArray:
        """Return the mass-weighted mean of values (k, n) of links or cross-sections, (k,)."""
        mean: FloatArray = values @ self.schema.mass_shares
        return mean

    def values(self, quantity: Computed) -> FloatArray:
        """Return the values of a quantity, (k, columns), computed once."""
        if quantity not in self._known:
            values = quantity.values(self)
            self._known[quantity] = values[:, None] if values.ndim == 1 else values
        return self._known[quantity]
