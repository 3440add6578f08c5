"""Base class of recordings in blocks: rows by number, snapshots, the scene at a time."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.events import Change
from snakestudio.model.plausibility import Plausibility
from snakestudio.model.recording import Rows, Schema, snapshot_from_rows
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.step_estimate import StepEstimate


class BlockRecording(abc.ABC):
    """Base of a `Recording` that is stored in blocks of rows.

    Parameters
    ----------
    scene : Scene
        Scene at the start of the run.
    chunk_rows : int
        Number of rows in the pieces from `chunks`.
    """

    def __init__(self, scene: Scene, schema: Schema, chunk_rows: int) -> None:
        self._scene = scene
        self._schema = schema
        self._chunk_rows = chunk_rows
        self._plausibility: Plausibility | None = None
        self.checked_rows = 0
        """Number of rows to which `plausibility` refers."""

    @property
    def scene(self) -> Scene:
        """The scene at the start of the run."""
        return self._scene

    @property
    def schema(self) -> Schema:
        """Schema of the rows."""
        return self._schema

    @property
    @abc.abstractmethod
    def step_estimate(self) -> StepEstimate | None:
        """Estimated error of the time step, if it was checked; see `StepEstimate.is_of`."""

    @property
    def plugins(self) -> tuple[str, ...]:
        """One line per plug-in that was used, with its hash."""
        return ()

    @abc.abstractmethod
    def set_step_estimate(self, estimate: StepEstimate | None) -> None:
        """Set the estimate for files that are written from this recording."""

    @property
    def plausibility(self) -> Plausibility | None:
        """Result of the plausibility checks of its rows so far; None if they were not checked."""
        return self._plausibility

    def set_plausibility(self, result: Plausibility | None, rows: int | None = None) -> None:
        """Set the result of the plausibility checks, also for files that are written from this recording.

        Parameters
        ----------
        rows : int, optional
            Number of rows that were checked; all if omitted.
        """
        self._plausibility = result
        self.checked_rows = 0 if result is None else len(self) if rows is None else rows

    @property
    @abc.abstractmethod
    def times(self) -> NDArray[np.float64]:
        """Times of all rows so far, s (a view: do not write)."""

    @property
    @abc.abstractmethod
    def created(self) -> datetime:
        """When the run began, UTC."""

    @abc.abstractmethod
    def checkpoints(self) -> Iterator[tuple[float, bytes]]:
        """Return all checkpoints in the order of their times: simulated time (s) and bytes."""

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @abc.abstractmethod
    def _block_with(self, row: int) -> tuple[int, Rows]:
        """Return the block that contains a row, and the number of its first row."""

    @abc.abstractmethod
    def _scenes_since(self) -> tuple[tuple[float, Scene], ...]:
        """Return changed scenes, each with the time (s) from which it applies."""

    def scene_at(self, time: float) -> Scene:
        """Return the scene at `time`, with all changes during the run up to then."""
        scene = self._scene
        for since, changed in self._scenes_since():
            if since > time:
                break
            scene = changed
        return scene

    def rows(self, start: int, stop: int) -> Rows:
        """Return the rows start to stop; at least one.

        Raises `IndexError` if the recording has no such rows.
        """
        if not 0 <= start < stop <= len(self):
            raise IndexError(f"rows {start} to {stop} of {len(self)}")
        parts = []
        while start < stop:
            first, block = self._block_with(start)
            end = min(stop, first + len(block))
            entire = start == first and end == first + len(block)
            parts.append(block if entire else block.slice(start - first, end - first))
            start = end
        return Rows.concatenate(parts)

    def chunks(self) -> Iterator[Rows]:
        """Yield all rows so far, in order, in pieces that fit in memory."""
        stop = len(self)
        for start in range(0, stop, self._chunk_rows):
            yield self.rows(start, min(stop, start + self._chunk_rows))

    def snapshot(self, index: int) -> Snapshot:
        """Return the row at `index` (negative ones count from the end) as a Snapshot."""
        if index < 0:
            index += len(self)
        before = max(index - 1, 0)
        return snapshot_from_rows(self.rows(before, index + 1), index - before, self._schema)

    def index_at(self, time: float) -> int:
        """Return the index of the row nearest to `time`."""
        times = self.times
        right = int(np.searchsorted(times, time))
        if right == 0:
            return 0
        if right >= len(times):
            return len(times) - 1
        return right if times[right] - time < time - times[right - 1] else right - 1


def with_change(changes: tuple[Change, ...], change: Change) -> tuple[Change, ...]:
    """Add a change to `changes`; changes at the same time are merged."""
    if changes and changes[-1].time == change.time:
        # New values come last: a whole part and a value in it apply in the order of the changes.
        earlier = {
            key: value for key, value in changes[-1].values.items() if key not in change.values
        }
        return (*changes[:-1], Change(change.time, {**earlier, **change.values}))
    return (*changes, Change(change.time, dict(change.values)))
