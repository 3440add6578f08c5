"""Export of any recording as a run file, in full blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from snakestudio.model.recording import Recording
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.mcap.block_recording import BlockRecording
from snakestudio.runfile.mcap.blocks import Columns
from snakestudio.runfile.mcap.ending import remarks_of
from snakestudio.runfile.mcap.writer import RunWriter


def copy_run(
    recording: Recording,
    file: BinaryIO,
    origin: Origin,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write a recording to a file; return False if `progress` (finished fraction) cancelled it.

    The start time, checkpoints, step estimate and plausibility are copied if the recording has them.

    Raises `OSError` if it cannot be written.
    """
    total = len(recording)
    columns = Columns.of(recording.rows(0, 1))
    stored = recording if isinstance(recording, BlockRecording) else None
    created = stored.created if stored is not None else None
    if stored is not None and stored.step_estimate is not None:
        origin = replace(origin, step_estimate=stored.step_estimate)
    if stored is not None and stored.plugins:
        origin = replace(origin, plugins=stored.plugins)
    writer = RunWriter(file, recording.scene, recording.schema, columns, origin, created=created)
    for rows in recording.chunks():
        writer.write([rows])
        if progress is not None and not progress(0.99 * writer.n_rows / total):
            return False
    for checkpoint in stored.checkpoints() if stored is not None else ():
        writer.write(checkpoints=[checkpoint])
    writer.write(changes=(*recording.changes, *recording.pulls), events=recording.events)
    checked = stored is not None and stored.checked_rows >= total
    remarks = remarks_of(stored.plausibility) if stored is not None and checked else {}
    writer.finish(np.array(recording.times[: writer.n_rows]), remarks)
    return True
