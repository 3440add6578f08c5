"""Samples of the displayed recording: the newest row, or the row at the cursor, with changes since the last sample.

The code is independent of whether a simulation, a robot or a file fills the recording.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.columns import column_values
from snakestudio.model.events import RunEvent
from snakestudio.model.recording import ContactRows, Recording, Rows, Schema, snapshot_from_rows
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.runfile.mcap.views import Views

_MOST_ROWS = 512
"""Largest number of rows per sample; if a run adds more, means are over the last ones."""


@dataclass(frozen=True, slots=True)
class StreamSource:
    """Content of a stream: a row of a recording."""

    recording: Recording
    index: int | None = None
    """Row of the recording; None for the newest."""

    base_dir: Path | None = None
    """Folder to which file names in the scene are relative."""


Feed = Callable[[], StreamSource | None]
"""Returns the current content, on the stream's thread; None if there is none."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Data that is common to all samples of a run."""

    schema: Schema
    views: Views
    scene: Scene
    base_dir: Path | None


@dataclass(frozen=True, slots=True)
class Sample:
    """One instant of a run."""

    layout: Layout
    new_run: bool
    """Whether this is the first sample of a run."""

    new_scene: bool
    """Whether robot, ground or obstacles differ from those of the previous sample."""

    row: Rows
    """One row. Its residual is the largest since the previous sample."""

    figures: FloatArray
    """Values of `Views.figures`, (1, m); means are since the previous sample."""

    snapshot: Snapshot
    events: tuple[RunEvent, ...]
    """Events since the previous sample."""

    @property
    def time(self) -> float:
        """Time in the run, s."""
        return self.snapshot.time


class Sampler:
    """Samples a feed; used by one thread."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._recording: Callable[[], Recording | None] = lambda: None
        self._layout: Layout | None = None
        self._index = -1
        self._n_events = 0

    def next(self) -> Sample | None:
        """Return the current sample; None if nothing has changed."""
        content = self._feed()
        if content is None or not len(content.recording):
            return None
        recording = content.recording
        count = len(content.recording)
        index = count - 1 if content.index is None else min(max(content.index, 0), count - 1)
        new_run = self._recording() is not recording
        if new_run:
            self._recording = weakref.ref(recording)
            self._layout = None
            self._index = -1
            self._n_events = 0
        events = recording.events
        if index == self._index and len(events) == self._n_events:
            return None
        first = self._index if 0 <= self._index < index else index - 1
        rows = recording.rows(max(first, index - _MOST_ROWS, 0), index + 1)
        time = float(rows.time[-1])
        scene = recording.scene_at(time)
        layout, new_scene = self._laid_out(recording.schema, scene, content.base_dir)
        before = rows.slice(0, 1) if len(rows) > 1 else None
        row = rows.slice(len(rows) - 1, len(rows))
        worst = (
            rows.solver_residual[-1:]
            if before is None
            else np.array([rows.solver_residual[1:].max()])
        )
        row = replace(row, solver_residual=worst, contacts=ContactRows.none(1))
        names = layout.views.figures
        figures = column_values(layout.schema, row, before, names) if names else np.zeros((1, 0))
        snapshot = snapshot_from_rows(rows, len(rows) - 1, layout.schema)
        fresh = events[self._n_events :]
        self._index = index
        self._n_events = len(events)
        return Sample(layout, new_run, new_scene, row, figures, snapshot, fresh)

    def _laid_out(self, schema: Schema, scene: Scene, base_dir: Path | None) -> tuple[Layout, bool]:
        old = self._layout
        if old is not None and old.scene is scene:
            return old, False
        if old is not None and (old.scene.robot, old.scene.obstacles) == (
            scene.robot,
            scene.obstacles,
        ):
            self._layout = replace(old, scene=scene)
            return self._layout, False
        views = Views(schema, schema.head, shapes=True)
        self._layout = Layout(schema, views, scene, base_dir)
        return self._layout, True
