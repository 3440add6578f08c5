"""The recording of a simulation that a program steps: rows on the grid of the log, as a run has them."""

from __future__ import annotations

from pathlib import Path

from snakestudio._arrays import FloatArray
from snakestudio.model.events import DRIVEN, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.run_log import RunLog


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
        self._log = RunLog(RunRecording(scene, schema, path, origin=origin), scene)
        self._log.grid.due(first_step)
        self._log.grid.last_step = first_step
        self._driven = False

    @property
    def recording(self) -> RunRecording:
        """The recording that the rows are appended to."""
        return self._log.recording

    @property
    def next_row(self) -> int:
        """Number of the next row on the grid of the log, which is that of a run from 0 s on."""
        return self._log.grid.next_row

    def due(self, stop: int) -> tuple[int, ...]:
        """Step counts up to `stop` after which a row is due."""
        return self._log.grid.due(stop)

    def add(self, rows: Rows, control: FloatArray) -> None:
        """Add rows of the engine, with what the controller makes of the state, (channels,)."""
        if len(rows):
            self._log.grid.last_step = int(rows.steps[-1])
            self._log.add(rows, control)

    def flush(self) -> None:
        """Append what waits."""
        self._log.flush()

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
        return self._log.grid.last_step == step

    def close(self) -> None:
        """Write what waits and end the file."""
        self.flush()
        self._log.note_events()
        self.recording.close()
