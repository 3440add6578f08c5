"""What a continuous body's colours and its exaggerated radius have to span over a run, so that they do not flicker."""

from __future__ import annotations

import numpy as np

from snakestudio.model.recording import Rows
from snakestudio.model.snapshot import Snapshot
from snakestudio.render.instances import FloatArray
from snakestudio.render.quantities import QUANTITIES, Range, merged, range_of, stretch_scale

__all__ = ["BodyRange"]


class BodyRange:
    """Grows with all it is shown and never shrinks.

    Parameters
    ----------
    quantity : str
        A key of `QUANTITIES`; "" for none.

    Attributes
    ----------
    span : (float, float) or None
        Values at the ends of the colours, SI; None before anything was shown or if there is no quantity.
    """

    def __init__(self, quantity: str) -> None:
        self.quantity = quantity
        self.span: Range | None = None
        self._gamma = (1.0, 1.0)

    @property
    def stretch_scale(self) -> float:
        """By how much changes of the radius are exaggerated."""
        return stretch_scale(np.array(self._gamma))

    def show(self, snapshot: Snapshot) -> None:
        """Take in an instant."""
        if snapshot.body is not None:
            self._add(snapshot.body.strain, snapshot.body.wrench)

    def show_rows(self, rows: Rows) -> None:
        """Take in some rows of a recording."""
        if rows.strain.shape[1]:
            self._add(rows.strain, rows.wrench)

    def _add(self, strain: FloatArray, wrench: FloatArray) -> None:
        gamma = strain[..., 0]
        gamma = gamma[np.isfinite(gamma) & (gamma > 0.0)]
        if gamma.size:
            self._gamma = (min(self._gamma[0], float(gamma.min())), max(self._gamma[1], float(gamma.max())))
        if self.quantity:
            what = QUANTITIES[self.quantity]
            self.span = merged(self.span, range_of(what.of(strain, wrench), what.signed))
