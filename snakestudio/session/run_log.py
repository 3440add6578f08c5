"""The rows of a simulation on their way into its recording: which are due, and what the controller adds to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.run_events import EventDetector

MAX_WAITING = 100
"""Rows that wait, at most, until they are appended together: appending every row alone would take
longer than its control period."""


class RowGrid:
    """The steps after which rows are due: the nearest to every multiple of the log interval."""

    def __init__(self, scene: Scene) -> None:
        self._steps_per_row = 1.0 / (scene.run.log_rate_hz * scene.solver.step_s)
        self.next_row = 1
        """Number of the next row on the grid, which begins at 0 s."""
        self.last_step = 0
        """Step of the last row that was recorded."""

    def due(self, stop: int, *, last: bool = False) -> tuple[int, ...]:
        """Step counts up to `stop` after which a row is due; `stop` itself, too, if it is the `last` step."""
        steps = []
        while (step := round(self.next_row * self._steps_per_row)) <= stop:
            steps.append(step)
            self.next_row += 1
        if last and (steps[-1] if steps else self.last_step) != stop:
            steps.append(stop)
        return tuple(steps)


class RunLog:
    """Rows that wait to be appended to a recording, with the values of the controller, and the events in them."""

    def __init__(self, recording: RunRecording, scene: Scene) -> None:
        self.recording = recording
        self.grid = RowGrid(scene)
        self._detector = EventDetector(recording.schema, scene)
        self._rows: list[Rows] = []
        self._values: list[FloatArray] = []
        self._repeats: list[int] = []
        """For how many rows each of `_values` holds."""
        self._waiting = 0
        self._held_back = 0
        """Rows that the engine has not returned yet, although their `_values` are here."""

    @property
    def complete(self) -> bool:
        """Whether the engine has returned every row that it has computed."""
        return not self._held_back

    def has_space(self, n_rows: int) -> bool:
        """Whether so many more rows can wait."""
        return self._waiting + n_rows < MAX_WAITING

    def add(self, rows: Rows, values: FloatArray, held_back: int = 0) -> None:
        """Add rows of the engine.

        Parameters
        ----------
        values : (channels,)
            What the controller made of the state with its last references.
        held_back : int
            Rows of this call that the engine returns from a later one, if it returns none now.
        """
        if len(rows):
            new = len(rows) - self._held_back
            self._held_back = 0
            self._rows.append(rows)
        else:
            new = held_back
            self._held_back += held_back
        if not new:
            return
        self._values.append(values)
        self._repeats.append(new)
        self._waiting += new
        if self._waiting >= MAX_WAITING:
            self.flush()

    def flush(self) -> None:
        """Append the waiting rows, and the events in them, to the recording."""
        if not self._rows:
            return
        rows = Rows.concatenate(self._rows)
        if len(self._values[0]):
            values = np.repeat(np.array(self._values), self._repeats, axis=0)
            rows = replace(rows, extra=np.hstack([rows.extra, values]))
        self._rows = []
        self._values = []
        self._repeats = []
        self._waiting = 0
        self.recording.append(rows)
        for event in self._detector.feed(rows):
            self.recording.add_event(event)

    def note_events(self) -> None:
        """Record the events of the newest rows, too: events are otherwise detected some rows at a time."""
        for event in self._detector.flush():
            self.recording.add_event(event)
