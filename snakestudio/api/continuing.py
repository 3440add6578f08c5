"""Go on with a recorded run from any of its moments."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from snakestudio.api.running import Run
from snakestudio.errors import UsageError
from snakestudio.model.edits import with_values
from snakestudio.session.continuation import continue_run
from snakestudio.session.offline import run_to_end
from snakestudio.session.recording import SpooledRecording
from snakestudio.session.run_file import Origin, open_run

__all__ = ["continue_from"]


def continue_from(
    path: str | Path,
    time: float,
    duration: float | None = None,
    values: Mapping[str, Any] | None = None,
    progress: Callable[[float], bool] | None = None,
    record: Path | None = None,
    problem: Path | None = None,
) -> tuple[Run, tuple[str, ...]]:
    """Go on with a recorded run from a moment, as a new run that begins with its rows up to there.

    Parameters
    ----------
    path : str or Path
        Run file.
    time : float
        s; the nearest recorded row is gone on from.
    duration : float, optional
        Where the new run ends, s from the start of the old one; where that was to end if left out.
    values : mapping, optional
        Scene values by dotted key that change at that moment, as far as they can while a run goes.
    progress : callable, optional
        Gets the finished fraction.
    record : Path, optional
        Run file to record the new run to.
    problem : Path, optional
        Where the contact problem of the last step is written to (.hdf5, which is FCLIB, or .npz).

    Returns
    -------
    Run, tuple of str
        The new run, and sentences of what is to be known: that the state was not kept and was computed again, or that
        it differs from the recorded one. Usually there are none.

    Raises
    ------
    UsageError, ExportError, RunFileError, SceneError, StateError, PhysicsError
        Naming what is wrong.
    """
    source = Path(path)
    if record is not None and record.resolve() == source.resolve():
        raise UsageError(f"{record} is the run that is gone on with; give another name to record to.")
    with contextlib.closing(open_run(source)) as old:
        last = float(old.times[-1]) if len(old) else 0.0
        if not 0 <= time <= last + 1e-9:
            raise UsageError(f"{source.name} has no moment at {time:g} s: it was recorded up to {last:g} s.")
        origin = Origin(old.info.scene_file, old.base_dir)
        found = continue_run(
            old, time, old.base_dir, source.name,
            lambda scene, schema: SpooledRecording(scene, schema, record, origin=origin),
        )  # fmt: skip
        assert found is not None, "nothing stops it"
        runner, base_dir, scene_file = found.runner, old.base_dir, old.info.scene_file
    wanted = dict(values) if values is not None else {}
    if duration is not None:
        if not 0 < duration < math.inf:
            raise UsageError(f"duration {duration!r} must be a positive number.")
        wanted["run.duration_s"] = float(duration)
    try:
        if wanted and (refused := runner.apply(with_values(runner.scene, wanted))):
            raise UsageError(f"{', '.join(refused)}: this cannot change while a run goes.")
        if runner.finished:
            raise UsageError(f"This run ends at {runner.time:g} s; say with a longer duration how far it shall go on.")
        result = run_to_end(runner, (), progress, problem)
    finally:
        runner.recording.close()
    failure = "" if result.ok else result.message
    return Run(result.recording, scene_file or None, failure, base_dir, result.recording.trouble_at_end), found.notes
