"""What every recording in blocks does alike: rows by number, snapshots, the scene at a time."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.events import Change
from snakestudio.model.recording import Rows, Schema, snapshot_from_rows
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.step_estimate import StepEstimate


class BlockRecording(abc.ABC):
    """The part of a `Recording` that is read from blocks of rows.

    Parameters
    ----------
    scene : Scene
        At the start of the run.
    chunk_rows : int
        Rows of the pieces that `chunks` gives.
    """

    def __init__(self, scene: Scene, schema: Schema, chunk_rows: int) -> None:
        self._scene = scene
        self._schema = schema
        self._chunk_rows = chunk_rows

    @property
    def scene(self) -> Scene:
        """The scene at the start of the run."""
        return self._scene

    @property
    def schema(self) -> Schema:
        """What the rows hold."""
        return self._schema

    @property
    @abc.abstractmethod
    def step_estimate(self) -> StepEstimate | None:
        """How far its result depends on the time step, if that was checked; see `StepEstimate.is_of`."""

    @property
    def plugins(self) -> tuple[str, ...]:
        """A line for every plug-in that made it, with its hash."""
        return ()

    @abc.abstractmethod
    def set_step_estimate(self, estimate: StepEstimate | None) -> None:
        """Have files that are written of it carry an estimate."""

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
        """All checkpoints in the order of their times: simulated time (s) and bytes."""

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @abc.abstractmethod
    def _block_with(self, row: int) -> tuple[int, Rows]:
        """The block that a row is in, and the number of its first row."""

    @abc.abstractmethod
    def _scenes_since(self) -> tuple[tuple[float, Scene], ...]:
        """Times (s) from which the scene was another, and which."""

    def scene_at(self, time: float) -> Scene:
        """The scene as it was at `time`: obstacles may have been moved while the run went."""
        scene = self._scene
        for since, changed in self._scenes_since():
            if since > time:
                break
            scene = changed
        return scene

    def rows(self, start: int, stop: int) -> Rows:
        """Rows start to stop; at least one.

        Raises `IndexError` if the recording has no such rows.
        """
        if not 0 <= start < stop <= len(self):
            raise IndexError(f"rows {start} to {stop} of {len(self)}")
        parts = []
        while start < stop:
            first, block = self._block_with(start)
            end = min(stop, first + len(block))
            whole = start == first and end == first + len(block)
            parts.append(block if whole else block.slice(start - first, end - first))
            start = end
        return Rows.concatenate(parts)

    def chunks(self) -> Iterator[Rows]:
        """All rows so far, in order, in pieces that fit in memory."""
        stop = len(self)
        for start in range(0, stop, self._chunk_rows):
            yield self.rows(start, min(stop, start + self._chunk_rows))

    def snapshot(self, index: int) -> Snapshot:
        """The row at `index` (negative ones count from the end) as a Snapshot."""
        if index < 0:
            index += len(self)
        before = max(index - 1, 0)
        return snapshot_from_rows(self.rows(before, index + 1), index - before, self._schema)

    def index_at(self, time: float) -> int:
        """Index of the row nearest to `time`."""
        times = self.times
        right = int(np.searchsorted(times, time))
        if right == 0:
            return 0
        if right >= len(times):
            return len(times) - 1
        return right if times[right] - time < time - times[right - 1] else right - 1


def with_change(changes: tuple[Change, ...], change: Change) -> tuple[Change, ...]:
    """`changes` and one more; a later one at the same time joins the one before."""
    if changes and changes[-1].time == change.time:
        # What is new comes last: a whole part and a value in it hold in the order they were given.
        kept = {key: value for key, value in changes[-1].values.items() if key not in change.values}
        return (*changes[:-1], Change(change.time, {**kept, **change.values}))
    return (*changes, Change(change.time, dict(change.values)))
