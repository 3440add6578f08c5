"""Log of a simulation: rows that are due with their controller values, their recording, events and plausibility."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.row_buffers import RowCollector
from snakestudio.model.events import DRIVEN, RunEvent
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.plausibility.monitor import BLOCK_ROWS, PlausibilityMonitor
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.run_events import EventDetector

log = logging.getLogger(__name__)

MAX_WAITING = 100
"""Largest number of rows that wait to be appended together; appending each row alone would take longer
than its control period."""


def steps_per_row(scene: Scene) -> float:
    """Return the distance of two rows on the log grid of a scene, steps."""
    return 1.0 / (scene.run.log_rate_hz * scene.solver.step_s)


class RowGrid:
    """Steps after which rows are due, the nearest ones to multiples of the log interval.

    Parameters
    ----------
    first_step : int
        Step of the first row.
    """

    def __init__(self, scene: Scene, first_step: int = 0) -> None:
        self._steps_per_row = steps_per_row(scene)
        self.next_row = 1
        """Number of the next row on the grid, which starts at 0 s."""
        self.due(first_step)
        self.last_step = first_step
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


class RowLog:
    """Rows that an engine writes for a recording, and that wait to be appended with the values of a controller.

    Parameters
    ----------
    first_step : int
        Step of the first row.
    """

    def __init__(self, recording: RunRecording, scene: Scene, first_step: int = 0) -> None:
        self.recording = recording
        self.grid = RowGrid(scene, first_step)
        self.rows = RowCollector()
        """Rows that wait to be appended."""
        self._values: list[FloatArray] = []
        self._repeats: list[int] = []
        """Number of rows for each of `_values`."""
        self._waiting = 0
        """Number of rows whose values are known."""
        self._driven = False

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

    def add_present(self, rows: Rows, values: FloatArray) -> None:
        """Add the row of the present state with the values of the controller, (channels,)."""
        self.rows.add(rows)
        self.add(lambda: values)

    def flush(self) -> None:
        """Append the waiting rows to the recording."""
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
        self._append(rows)

    def _append(self, rows: Rows) -> None:
        self.recording.append(rows)

    def record_fault(self, time: float, message: str) -> None:
        """Record a failure at a time (s), after the rows up to it."""
        self.flush()
        self.recording.add_event(RunEvent(time, "fault", message))

    def record_driven(self, time: float) -> None:
        """Record once that the references come from a program, from a time (s)."""
        if not self._driven:
            self._driven = True
            self.recording.add_event(RunEvent(time, "note", DRIVEN))

    def close(self) -> None:
        """Append the waiting rows and complete the file."""
        self.flush()
        self.recording.close()


class RunLog(RowLog):
    """Log of a run, which also detects events in the rows and checks their plausibility."""

    def __init__(
        self,
        recording: RunRecording,
        scene: Scene,
        base_dir: Path | None = None,
        first_step: int = 0,
    ) -> None:
        super().__init__(recording, scene, first_step)
        self._base_dir = base_dir
        self._monitor: PlausibilityMonitor | None = None
        self._unchecked: RunRecording | None = None
        """Recording whose checks failed because of an internal error."""
        self._detector = EventDetector(recording.schema, scene)

    def _append(self, rows: Rows) -> None:
        super()._append(rows)
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

    def close(self) -> None:
        """Append the waiting rows, record their events, and complete the file."""
        self.flush()
        self.record_events()
        super().close()

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
