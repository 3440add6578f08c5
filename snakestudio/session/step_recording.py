"""The recording of a simulation that a program steps: rows on the grid of the log, as a run has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.events import DRIVEN, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.run_events import EventDetector

__all__ = ["StepRecording"]

MAX_WAITING = 100
"""Rows that wait, at most, until they are appended together."""


class StepRecording:
    """Rows of a simulation from some step on.

    Parameters
    ----------
    schema : Schema
        Columns of the controller included.
    path : Path or None
        Run file to record to while the simulation goes; a temporary one if None.
    first_step : int
        Steps that the simulation has taken so far.
    """

    def __init__(
        self, scene: Scene, schema: Schema, path: Path | None, origin: Origin, first_step: int
    ) -> None:
        self.recording = RunRecording(scene, schema, path, origin=origin)
        self._per_row = 1.0 / (scene.run.log_rate_hz * scene.solver.step_s)
        self.next_row = 1
        """Number of the next row on the grid of the log, which is that of a run from 0 s on."""
        self.due(first_step)
        self._last_step = first_step
        self._driven = False
        self._watch = EventDetector(schema, scene)
        self._waiting: list[Rows] = []
        self._count = 0

    def due(self, stop: int) -> tuple[int, ...]:
        """Step counts up to `stop` after which a row is due: the nearest to every multiple of the log interval."""
        rows = []
        while (step := round(self.next_row * self._per_row)) <= stop:
            rows.append(step)
            self.next_row += 1
        return tuple(rows)

    def add(self, rows: Rows, control: FloatArray) -> None:
        """Add rows of the engine, with what the controller makes of the state, (channels,)."""
        if not len(rows):
            return
        if len(control):
            rows = replace(rows, extra=np.hstack([rows.extra, np.tile(control, (len(rows), 1))]))
        self._last_step = int(rows.steps[-1])
        self._waiting.append(rows)
        self._count += len(rows)
        if self._count >= MAX_WAITING:
            self.flush()

    def flush(self) -> None:
        """Append what waits."""
        if not self._waiting:
            return
        rows = Rows.concatenate(self._waiting)
        self._waiting = []
        self._count = 0
        self.recording.append(rows)
        for event in self._watch.feed(rows):
            self.recording.add_event(event)

    def note_start(self, time: float, state: bytes) -> None:
        """Keep the state at the first row, from which the run can be continued, and note a start after 0 s."""
        self.flush()
        self.recording.add_checkpoint(time, state)
        if time > 0.0:
            self.recording.add_event(RunEvent(time, "note", f"Recorded from {time:g} s on"))

    def note_driven(self, time: float) -> None:
        """Note, once, that the references come from a program, s."""
        if not self._driven:
            self._driven = True
            self.recording.add_event(RunEvent(time, "note", DRIVEN))

    def note_fault(self, time: float, message: str) -> None:
        """Note that the physics failed at a time, s."""
        self.flush()
        self.recording.add_event(RunEvent(time, "fault", message))

    def note_pull(self, pull: Pull) -> None:
        """Note the wrench that acts on a link from its time on."""
        self.recording.add_pull(pull)

    def ends_at(self, step: int) -> bool:
        """Whether the last row is that of a step."""
        return self._last_step == step

    def close(self) -> None:
        """Write what waits and end the file."""
        self.flush()
        for event in self._watch.flush():
            self.recording.add_event(event)
        self.recording.close()
