"""A measured recording whose time can be shifted: its curves move at once, and nothing of them is computed anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.events import Change, RunEvent
from snakestudio.model.recording import Recording, Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

__all__ = ["ShiftedRecording"]


class ShiftedRecording:
    """A recording, some time later.

    Parameters
    ----------
    recording : Recording

    Attributes
    ----------
    shift : float
        How much later its rows are, s.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.shift = 0.0

    def move(self, shift: float) -> None:
        """Have its rows be later by `shift` (s) than they were recorded."""
        self.shift = shift

    @property
    def scene(self) -> Scene:
        """The scene that it is laid over."""
        return self._recording.scene

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed while it went."""
        return tuple(replace(change, time=change.time + self.shift) for change in self._recording.changes)

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Moments worth going back to."""
        return tuple(replace(event, time=event.time + self.shift) for event in self._recording.events)

    def scene_at(self, time: float) -> Scene:
        """The scene as it was at `time`."""
        return self._recording.scene_at(time - self.shift)

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

    def chunks(self) -> Iterator[Rows]:
        """All rows, in order, in pieces that fit in memory."""
        for rows in self._recording.chunks():
            yield replace(rows, time=rows.time + self.shift)

    def snapshot(self, index: int) -> Snapshot:
        """The row at `index` as a Snapshot."""
        snapshot = self._recording.snapshot(index)
        return replace(snapshot, time=snapshot.time + self.shift)
