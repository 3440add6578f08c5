"""Go on with a recorded run from any of its moments."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snakestudio.api.running import Run, load_run
from snakestudio.errors import UsageError
from snakestudio.model.arguments import number_of, path_of, values_of
from snakestudio.model.edits import with_values
from snakestudio.runfile.mcap import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.continuation import continue_run
from snakestudio.session.offline import run_to_end

__all__ = ["continue_from"]


def continue_from(
    path: Run | str | Path,
    time: float,
    duration: float | None = None,
    values: Mapping[str, Any] | None = None,
    progress: Callable[[float], bool] | None = None,
    record: str | Path | None = None,
    problem: str | Path | None = None,
) -> tuple[Run, tuple[str, ...]]:
    """Go on with a recorded run from a moment, as a new run that begins with its rows up to there.

    Parameters
    ----------
    path : Run, str or Path
        The run, or its file.
    time : float
        s; the nearest recorded row is gone on from.
    duration : float, optional
        Where the new run ends, s from the start of the old one; where that was to end if left out.
    values : mapping, optional
        Scene values by dotted key that change at that moment, as far as they can while a run goes.
    progress : callable, optional
        Gets the finished fraction.
    record : str or Path, optional
        Run file to record the new run to.
    problem : str or Path, optional
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
    wanted = values_of("values", values)
    if duration is not None:
        if not 0 < number_of("duration", duration) < math.inf:
            raise UsageError(f"duration {duration!r} must be a positive number.")
        wanted["run.duration_s"] = float(duration)
    at, target = number_of("time", time), None if record is None else path_of("record", record)
    written = None if problem is None else path_of("problem", problem)
    with _opened(path) as old:
        source = getattr(old.recording, "path", None)  # of a recording in memory there is none
        name = source.name if source is not None else old.scene_file or "a run"
        if target is not None and source is not None and target.resolve() == source.resolve():
            raise UsageError(f"{target} is the run that is gone on with; give another name to record to.")
        recording = old.recording
        last = float(recording.times[-1]) if len(recording) else 0.0
        if not 0 <= at <= last + 1e-9:
            raise UsageError(f"{name} has no moment at {at:g} s: it was recorded up to {last:g} s.")
        origin = Origin(old.scene_file or "", old.base_dir)
        found = continue_run(
            recording, at, old.base_dir, name,
            lambda scene, schema: RunRecording(scene, schema, target, origin=origin),
        )  # fmt: skip
        assert found is not None, "nothing stops it"
    runner = found.runner
    try:
        if wanted and (refused := runner.apply(with_values(runner.scene, wanted))):
            raise UsageError(f"{', '.join(refused)}: this cannot change while a run goes.")
        if runner.finished:
            raise UsageError(f"This run ends at {runner.time:g} s; say with a longer duration how far it shall go on.")
        result = run_to_end(runner, (), progress, written)
    finally:
        runner.recording.close()
    failure = "" if result.ok else result.message
    further = Run(result.recording, old.scene_file, failure, old.base_dir, result.recording.trouble_at_end)
    return further, found.notes


@contextlib.contextmanager
def _opened(given: Run | str | Path) -> Iterator[Run]:
    """The run that is meant; a file is open for as long as this lasts."""
    if isinstance(given, Run):
        yield given
        return
    run = load_run(path_of("run", given, "a Run or the name of a run file (str or Path)"))
    try:
        yield run
    finally:
        run.close()
