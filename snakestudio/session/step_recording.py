"""Recording of a simulation that a program steps, with rows on the log grid of a run."""

from __future__ import annotations

from pathlib import Path

from snakestudio._arrays import FloatArray
from snakestudio.engines.row_buffers import RowCollector
from snakestudio.model.events import DRIVEN, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.run_log import RunLog


class StepRecording:
    """Recorded rows of a simulation from some step.

    Parameters
    ----------
    schema : Schema
        Schema including the columns of the controller.
    path : Path or None
        Run file that is written during the simulation; a temporary one if None.
    first_step : int
        Number of steps of the simulation so far.
    """

    def __init__(
        self, scene: Scene, schema: Schema, path: Path | None, origin: Origin, first_step: int
    ) -> None:
        self._log = RunLog(RunRecording(scene, schema, path, origin=origin), scene, origin.base_dir)
        self._log.grid.due(first_step)
        self._log.grid.last_step = first_step
        self._driven = False

    @property
    def recording(self) -> RunRecording:
        """Recording to which the rows are appended."""
        return self._log.recording

    @property
    def next_row(self) -> int:
        """Number of the next row on the log grid, which starts at 0 s."""
        return self._log.grid.next_row

    def due(self, stop: int) -> RowCollector:
        """Return the collector of the rows due up to the step `stop`."""
        return self._log.due(stop)

    def add(self, values: FloatArray) -> None:
        """Add the values of the controller, (channels,), to the rows that the engine has just written."""
        self._log.add(lambda: values)

    def add_present(self, rows: Rows, values: FloatArray) -> None:
        """Add the row of the present state with the values of the controller."""
        self._log.rows.add(rows)
        self.add(values)

    def flush(self) -> None:
        """Append the waiting rows."""
        self._log.flush()

    def record_start(self, time: float, state: bytes) -> None:
        """Save the state at the first row, from which the run can be continued, and record a start after 0 s."""
        self.flush()
        self.recording.add_checkpoint(time, state)
        if time > 0.0:
            self.recording.add_event(RunEvent(time, "note", f"Recorded from {time:g} s"))

    def record_driven(self, time: float) -> None:
        """Record once that the references come from a program, from a time (s)."""
        if not self._driven:
            self._driven = True
            self.recording.add_event(RunEvent(time, "note", DRIVEN))

    def record_fault(self, time: float, message: str) -> None:
        """Record a failure of the simulation at a time, s."""
        self.flush()
        self.recording.add_event(RunEvent(time, "fault", message))

    def record_pull(self, pull: Pull) -> None:
        """Record a wrench that acts on a link from its time."""
        self.recording.add_pull(pull)

    def ends_at(self, step: int) -> bool:
        """Return whether the last row is that of a step."""
        return self._log.grid.last_step == step

    def close(self) -> None:
        """Write the waiting rows and complete the file."""
        self.flush()
        self._log.record_events()
        self.recording.close()
