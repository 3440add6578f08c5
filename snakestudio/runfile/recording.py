"""Recording of a run, written to a run file during the run; only the newest rows stay in memory."""

from __future__ import annotations

import contextlib
import os
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.atomic import growing, roomy_folder
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.plausibility import Plausibility
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.mcap.block_recording import BlockRecording
from snakestudio.runfile.mcap.blocks import Columns
from snakestudio.runfile.mcap.chunks import BlockReader
from snakestudio.runfile.mcap.ending import attached, remarks_of
from snakestudio.runfile.mcap.format import BLOCK_ROWS
from snakestudio.runfile.mcap.writer import RunWriter
from snakestudio.runfile.recording_thread import RecordingThread


class RunRecording(BlockRecording):
    """A `Recording` that one thread appends to while others read; full blocks are written to a run file.

    Parameters
    ----------
    scene : Scene
        The scene at the start of the run.
    path : path, optional
        The run file, which is replaced. It is created with the second row, and is readable up to
        the last half second even if the program crashes. Without a path a temporary file is used,
        which is created with the first full block and deleted with the recording.
    origin : Origin
        Origin of the scene.
    chunk_rows : int
        Number of rows per block.
    """

    def __init__(
        self,
        scene: Scene,
        schema: Schema,
        path: Path | None = None,
        *,
        origin: Origin | None = None,
        chunk_rows: int = BLOCK_ROWS,
    ) -> None:
        super().__init__(scene, schema, chunk_rows)
        self._path = path
        self._scenes: tuple[tuple[float, Scene], ...] = ()
        self._created = datetime.now(UTC)
        self._opening = _Opening(scene, schema, path, origin or Origin(), self._created)
        self._thread = RecordingThread(self._opening, chunk_rows, path)
        self._end = weakref.finalize(self, self._thread.release)

    @property
    def step_estimate(self) -> StepEstimate | None:
        """Estimated error of the time step, if it was checked."""
        return self._opening.origin.step_estimate

    @property
    def plugins(self) -> tuple[str, ...]:
        """One line per plug-in that is used."""
        return self._opening.origin.plugins

    def set_step_estimate(self, estimate: StepEstimate | None) -> None:
        """Set the estimate for files written from this recording, including its own if it has no second row yet."""
        self._opening.origin = replace(self._opening.origin, step_estimate=estimate)

    def set_plausibility(self, result: Plausibility | None, rows: int | None = None) -> None:
        """Set the result of the plausibility checks; its file gets the one that is set when it ends."""
        super().set_plausibility(result, rows)
        self._thread.remarks = remarks_of(result)

    @property
    def path(self) -> Path | None:
        """Path of the run file, whether it exists yet or not; None for a temporary recording."""
        return self._path

    @property
    def created(self) -> datetime:
        """Start of the run, UTC."""
        return self._created

    @property
    def trouble(self) -> str:
        """Message why the run is no longer written (the disk is full); empty without a problem."""
        return self._thread.trouble

    @property
    def trouble_at_end(self) -> str:
        """Message for callers without rows in memory: up to when the run is in its file, and why it stopped."""
        reason = self._thread.cut_off
        return f"{reason}. Free some space, or record to another disk." if reason else ""

    @property
    def in_place(self) -> bool:
        """False if the run was written completely, but its file was moved, deleted or replaced meanwhile."""
        return self._thread.in_place

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes during the run."""
        return self._thread.changes

    @property
    def pulls(self) -> Sequence[Pull]:
        """Pulls on the robot by the user, in the order of their times (do not write)."""
        return self._thread.pulls

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Events, in recorded order."""
        return self._thread.events

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of all rows so far, s (a view: do not write)."""
        return self._thread.times

    @property
    def cached_rows(self) -> int:
        """Number of rows in memory."""
        return self._thread.cached_rows

    def __len__(self) -> int:
        return len(self._thread)

    # --- writing (one thread)

    def append(self, rows: Rows) -> None:
        """Add rows at the end.

        Raises `ValueError` if the recording was closed.
        """
        self._thread.append(rows)

    def add_event(self, event: RunEvent) -> None:
        """Add an event."""
        self._thread.note(event)

    def add_change(self, time: float, values: dict[str, Any], scene: Scene) -> None:
        """Add a change of scene values with the resulting scene; changes at the same time are merged."""
        self._scenes = (*(entry for entry in self._scenes if entry[0] != time), (time, scene))
        self._thread.note(Change(time, dict(values)))

    def add_pull(self, pull: Pull) -> None:
        """Add a pull of the user; times must not decrease."""
        self._thread.note(pull)

    def add_checkpoint(self, time: float, state: bytes) -> None:
        """Add a state from which the run can continue; the simulated `time` (s) must not decrease."""
        self._thread.add_checkpoint(time, state)

    def close(self) -> None:
        """Write pending data and end the file; the recording stays readable, but cannot be extended."""
        self._thread.stop()

    # --- reading (any thread)

    def checkpoint_before(self, time: float) -> tuple[float, bytes] | None:
        """Return the last checkpoint at or before `time` (s): its time and its bytes; None if missing."""
        checkpoint = self._thread.checkpoint_before(time)
        if checkpoint is None:
            return None
        since, state = checkpoint
        return since, state if isinstance(state, bytes) else attached(self._thread.record_at(state))

    def checkpoints(self) -> Iterator[tuple[float, bytes]]:
        """Yield all checkpoints in the order of their times: simulated time (s) and bytes."""
        for since, state in self._thread.checkpoints():
            yield (
                since,
                state if isinstance(state, bytes) else attached(self._thread.record_at(state)),
            )

    def _block_with(self, row: int) -> tuple[int, Rows]:
        return self._thread.block_with(row)

    def _scenes_since(self) -> tuple[tuple[float, Scene], ...]:
        return self._scenes


class _Opening:
    """Creates the file of a run at its first rows; holds no reference to the recording, so that it can be freed."""

    def __init__(
        self, scene: Scene, schema: Schema, path: Path | None, origin: Origin, created: datetime
    ) -> None:
        self._scene = scene
        self._schema = schema
        self._path = path
        self._created = created
        self.origin = origin

    @contextlib.contextmanager
    def __call__(self, rows: Rows) -> Iterator[tuple[RunWriter, BinaryIO, BlockReader]]:
        """Context with the file for these and all later rows; it gets its name on success, else it is deleted."""
        columns = Columns.of(rows)
        with contextlib.ExitStack() as undo:
            with _unnamed() if self._path is None else growing(self._path) as (path, file):
                reader = BlockReader(path, columns)
                undo.callback(reader.close)
                writer = RunWriter(
                    file,
                    self._scene,
                    self._schema,
                    columns,
                    self.origin,
                    temporary=self._path is None,
                    created=self._created,
                )
                yield writer, file, reader
            undo.pop_all()


@contextlib.contextmanager
def _unnamed() -> Iterator[tuple[Path, BinaryIO]]:
    """Temporary file that vanishes with the program in any case: it loses its name at the end of the context."""
    handle, name = tempfile.mkstemp(prefix="snakestudio-run-", suffix=".mcap", dir=roomy_folder())
    file = os.fdopen(handle, "wb", buffering=0)
    try:
        yield Path(name), file
    except BaseException:
        file.close()
        raise
    finally:
        try:
            os.unlink(name)
        except (
            OSError
        ):  # if the system cannot unlink an open file, it is deleted with the recording
            weakref.finalize(file, Path(name).unlink, missing_ok=True)
