"""What a continuous body's colours, exaggerated radius and arrows have to span over a run, so as not to flicker."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.quantities import QUANTITIES, Range, merged, range_of, stretch_scale
from snakestudio.model.recording import Rows
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.ticks import step_below

ROUNDING = 1e-7
"""Forces that come from rounding, N: a worm of constant speed needs none."""


class BodyRange:
    """Grows with all it is shown and never shrinks.

    Parameters
    ----------
    quantity : str
        A key of `QUANTITIES`; "" for none.

    Attributes
    ----------
    span : (float, float) or None
        Values at the ends of the colours, SI; None before anything was shown or if there is no
        quantity.
    """

    def __init__(self, quantity: str) -> None:
        self.quantity = quantity
        self.span: Range | None = None
        self._gamma = (1.0, 1.0)
        self._largest = {"force": 0.0, "friction": 0.0}

    def arrow_length(self, kind: str, length: float) -> float | None:
        """Round length of an arrow, m/N, that suits a body of `length` (m); None if there was no force yet.

        The largest "force" of what holds the body, or "friction" on a section, becomes about a
        third as long as it.
        """
        largest = self._largest[kind]
        if not largest > ROUNDING:
            return None
        return step_below(0.35 * length / largest)

    @property
    def weakest_force(self) -> float | None:
        """Force below which no arrow is drawn, N; None if there was none at all."""
        largest = max(self._largest.values())
        return 0.02 * largest if largest > ROUNDING else None

    @property
    def stretch_scale(self) -> float:
        """By how much changes of the radius are exaggerated."""
        return stretch_scale(np.array(self._gamma))

    def show(self, snapshot: Snapshot) -> None:
        """Take in an instant."""
        if snapshot.body is not None:
            self._add(snapshot.body.strain, snapshot.body.wrench)
            self._grow("force", snapshot.body.force[snapshot.body.active])
            self._grow("friction", snapshot.contacts.force_friction)

    def show_rows(self, rows: Rows) -> None:
        """Take in some rows of a recording."""
        if rows.strain.shape[1]:
            self._add(rows.strain, rows.wrench)
            self._grow("force", rows.hold[..., 8:11][rows.hold[..., 0] > 0.5])
            if len(rows) > 1 and not rows.hold.shape[1]:  # what friction did from row to row
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
