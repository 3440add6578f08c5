"""Ranges of colours, exaggerated radius and arrows of a continuous body over a run, so that they do not flicker."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.quantities import QUANTITIES, Range, merged, range_of, stretch_scale
from snakestudio.model.recording import Rows
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.ticks import step_below

ROUNDING = 1e-7
"""Forces below this are rounding errors, N; a worm at constant speed needs no force."""


class BodyRange:
    """Range that grows with all added values and never shrinks.

    Parameters
    ----------
    quantity : str
        A key of `QUANTITIES`; "" for none.

    Attributes
    ----------
    span : (float, float) or None
        Values at the ends of the colours, SI; None before the first values or without a
        quantity.
    """

    def __init__(self, quantity: str) -> None:
        self.quantity = quantity
        self.span: Range | None = None
        self._gamma = (1.0, 1.0)
        self._largest = {"force": 0.0, "friction": 0.0}

    def arrow_length(self, kind: str, length: float) -> float | None:
        """Return the rounded arrow scale, m/N, for a body of `length` (m); None without forces so far.

        The arrow of the largest "force" on anchors, or "friction" on a section, is about a third as
        long as the body.
        """
        largest = self._largest[kind]
        if not largest > ROUNDING:
            return None
        return step_below(0.35 * length / largest)

    @property
    def weakest_force(self) -> float | None:
        """Force below which no arrow is drawn, N; None without forces so far."""
        largest = max(self._largest.values())
        return 0.02 * largest if largest > ROUNDING else None

    @property
    def stretch_scale(self) -> float:
        """Exaggeration factor of radius changes."""
        return stretch_scale(np.array(self._gamma))

    def show(self, snapshot: Snapshot) -> None:
        """Extend the range by a snapshot."""
        if snapshot.body is not None:
            self._add(snapshot.body.strain, snapshot.body.wrench)
            self._grow("force", snapshot.body.force[snapshot.body.active])
            self._grow("friction", snapshot.contacts.force_friction)

    def show_rows(self, rows: Rows) -> None:
        """Extend the range by rows of a recording."""
        if rows.strain.shape[1]:
            self._add(rows.strain, rows.wrench)
            self._grow("force", rows.hold[..., 8:11][rows.hold[..., 0] > 0.5])
            if len(rows) > 1 and not rows.hold.shape[1]:  # friction impulse between rows
                span = np.diff(rows.time)[:, None, None]
                self._grow("friction", (np.diff(rows.impulse_ground, axis=0) / span)[..., :2])

    def _grow(self, kind: str, vectors: FloatArray) -> None:
        if vectors.size:
            size = float(np.sqrt(np.nanmax(np.square(vectors).sum(axis=-1))))
            self._largest[kind] = max(self._largest[kind], size if math.isfinite(size) else 0.0)

    def _add(self, strain: FloatArray, wrench: FloatArray) -> None:
        gamma = strain[..., 0]
        gamma = gamma[np.isfinite(gamma) & (gamma > 0.0)]
        if gamma.size:
            self._gamma = (
                min(self._gamma[0], float(gamma.min())),
                max(self._gamma[1], float(gamma.max())),
            )
        if self.quantity:
            what = QUANTITIES[self.quantity]
            self.span = merged(self.span, range_of(what.of(strain, wrench), what.signed))
