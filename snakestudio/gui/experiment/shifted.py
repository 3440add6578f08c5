"""A measured recording whose time can be shifted: its curves move at once, and nothing of them is computed anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from snakestudio.gui.plots.history import Source
from snakestudio.model.recording import Rows, Schema

__all__ = ["ShiftedRecording"]


class ShiftedRecording:
    """What plots read of a recording, some time later.

    Parameters
    ----------
    recording : Source

    Attributes
    ----------
    shift : float
        How much later its rows are, s.
    """

    def __init__(self, recording: Source) -> None:
        self._recording = recording
        self.shift = 0.0

    @property
    def schema(self) -> Schema:
        """What the rows hold."""
        return self._recording.schema

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of all rows, s."""
        return self._recording.times + self.shift

    def __len__(self) -> int:
        return len(self._recording)

    def rows(self, start: int, stop: int) -> Rows:
        """Rows start to stop."""
        rows = self._recording.rows(start, stop)
        return replace(rows, time=rows.time + self.shift)

    def index_at(self, time: float) -> int:
        """Index of the row nearest to `time`."""
        return self._recording.index_at(time - self.shift)
