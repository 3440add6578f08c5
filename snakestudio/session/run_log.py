"""Log of a simulation: rows that are due with their controller values, their recording, events and plausibility."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.row_buffers import RowCollector
from snakestudio.model.events import RunEvent
from snakestudio.model.scene import Scene
from snakestudio.plausibility.monitor import BLOCK_ROWS, PlausibilityMonitor
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.run_events import EventDetector

log = logging.getLogger(__name__)

MAX_WAITING = 100
"""Largest number of rows that wait to be appended together; appending each row alone would take longer
than its control period."""


class RowGrid:
    """Steps after which rows are due, the nearest ones to multiples of the log interval."""

    def __init__(self, scene: Scene) -> None:
        self._steps_per_row = 1.0 / (scene.run.log_rate_hz * scene.solver.step_s)
        self.next_row = 1
        """Number of the next row on the grid, which starts at 0 s."""
        self.last_step = 0
        """Step of the last recorded row."""

    def due(self, stop: int, *, last: bool = False) -> tuple[int, ...]:
        """Return step counts up to `stop` after which a row is due; they include `stop` if it is the `last` step."""
        steps = []
        while (step := round(self.next_row * self._steps_per_row)) <= stop:
            steps.append(step)
            self.next_row += 1
        if last and (steps[-1] if steps else self.last_step) != stop:
            steps.append(stop)
        return tuple(steps)


class RunLog:
    """Rows that wait to be appended to a recording, with controller values and events."""

    def __init__(self, recording: RunRecording, scene: Scene, base_dir: Path | None = None) -> None:
        self.recording = recording
        self._base_dir = base_dir
        self._monitor: PlausibilityMonitor | None = None
        self._unchecked: RunRecording | None = None
        """Recording whose checks failed because of an internal error."""
        self.grid = RowGrid(scene)
        self._detector = EventDetector(recording.schema, scene)
        self.rows = RowCollector()
        """Rows that wait to be appended."""
        self._values: list[FloatArray] = []
        self._repeats: list[int] = []
        """Number of rows for each of `_values`."""
        self._waiting = 0
        """Number of rows whose values are known."""

    def due(self, stop: int, *, last: bool = False) -> RowCollector:
        """Return the collector of the rows due up to the step `stop`; see `RowGrid.due`."""
        self.rows.due = self.grid.due(stop, last=last)
        return self.rows

    def add(self, values: Callable[[], FloatArray]) -> None:
        """Add values to the rows that the engine has just written.

        Parameters
        ----------
        values : function
            Returns the values of the controller from its last request, (channels,); called if
            there are new rows.
        """
        new = self.rows.count - self._waiting
        if not new:
            return
        self._values.append(values())
        self._repeats.append(new)
        self._waiting += new
        self.grid.last_step = self.rows.last_step
        if self._waiting >= MAX_WAITING:
            self.flush()

    def flush(self) -> None:
        """Append the waiting rows and their events to the recording."""
        rows = self.rows.pop()
        if rows is None:
            return
        if len(rows) > self._waiting:  # a plug-in failed before it returned their values
            rows = rows.slice(0, self._waiting)
        if not len(rows):
            return
        if len(self._values[0]):
            values = np.repeat(np.array(self._values), self._repeats, axis=0)
            rows = replace(rows, extra=np.hstack([rows.extra, values]))
        self._values = []
        self._repeats = []
        self._waiting = 0
        self.recording.append(rows)
        for event in self._detector.feed(rows):
            self.recording.add_event(event)
        if len(self.recording) >= BLOCK_ROWS:
            self._check_plausibility()

    def record_events(self) -> None:
        """Record the events of the newest rows immediately, and check their plausibility.

        Otherwise both happen some rows at a time.
        """
        for event in self._detector.flush():
            self.recording.add_event(event)
        self._check_plausibility(complete=True)

    def _check_plausibility(self, *, complete: bool = False) -> None:
        """Check the plausibility of the new rows."""
        if self._unchecked is self.recording:
            return
        try:
            if self._monitor is None or self._monitor.recording is not self.recording:
                self._monitor = PlausibilityMonitor(self.recording, self._base_dir)
            if self._monitor.update(complete=complete):
                self.recording.set_plausibility(self._monitor.result, self._monitor.count)
        except Exception as error:  # an internal error in a check must not end the run
            log.exception("the plausibility of the run could not be checked")
            self._unchecked = self.recording
            self.recording.set_plausibility(None)
            self.recording.add_event(
                RunEvent(
                    float(self.recording.times[-1]),
                    "note",
                    f"The plausibility of the run could not be checked ({error}). Please report it.",
                )
            )
