"""One scene: run it, continue it, draw its plan, check it."""

from __future__ import annotations

import contextlib
import io
import math
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.api.plugins import load_plugins
from snakestudio.errors import PhysicsError, Problem, SceneError, UsageError
from snakestudio.export.csv import write_csv
from snakestudio.export.mcap import write_mcap
from snakestudio.export.provenance import (
    read_changes,
    read_step_estimate,
    repeated_edits,
    scene_to_rebuild,
    step_estimate_of,
)
from snakestudio.kinds.plugin_kinds import plugin_records, problems, renewed
from snakestudio.model.arguments import (
    is_number,
    number_of,
    path_of,
    scene_path_of,
    values_of,
    wrong_kind,
)
from snakestudio.model.atomic import roomy_folder
from snakestudio.model.columns import column_names, table
from snakestudio.model.edits import trimming_note, with_values
from snakestudio.model.events import Change
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, scene_hash
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.plugins.scenes import load_trusted, without_running
from snakestudio.runfile.mcap import Origin, RunFile, open_run
from snakestudio.runfile.mcap.copying import copy_run
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.continuation import continue_run
from snakestudio.session.offline import run_offline, run_to_end

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes


class Run(Mapping[str, NDArray[np.float64]]):
    """A finished run: a mapping from column names (as in the CSV) to numpy arrays, one value a row.

    Attributes
    ----------
    scene_file : str or None
        Name of the file the scene came from.
    failure : str
        Why the run stopped early, in a sentence; empty if it did not.
    trouble : str
        Why the run could not be recorded to the end where it was to be, in a sentence; empty if it
        was.
    """

    def __init__(
        self,
        recording: Recording,
        scene_file: str | None = None,
        failure: str = "",
        base_dir: Path | None = None,
        trouble: str = "",
    ) -> None:
        self.trouble = trouble
        self.recording = recording
        self.scene_file = scene_file
        self.failure = failure
        self.base_dir = base_dir
        self._names = column_names(recording.schema)

    def close(self) -> None:
        """Close the file that its rows are read from, if they are: they cannot be read any more then."""
        if isinstance(self.recording, RunFile):
            self.recording.close()

    def __reduce__(self) -> tuple[Callable[..., Run], tuple[Any, ...]]:
        """Runs can be pickled, whole, so that processes hand them over: as the bytes of their run files.

        Raises `RunFileError` if the run was closed.
        """
        data = io.BytesIO()
        copy_run(self.recording, data, Origin(self.scene_file or "", self.base_dir))
        return _unpickled, (
            data.getvalue(),
            self.scene_file,
            self.failure,
            self.base_dir,
            self.trouble,
        )

    @property
    def scene(self) -> Scene:
        """The scene that was run."""
        return self.recording.scene

    @property
    def step_estimate(self) -> StepEstimate | None:
        """How far the result depends on the time step, if that was checked of this run; see `check_step_size`."""
        return step_estimate_of(self.recording)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""
        return self._names

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self._names:
            raise KeyError(f"there is no column {name!r}; see run.columns")
        return np.concatenate([part[:, 0] for part in table(self.recording, (name,))])

    def __iter__(self) -> Any:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        rows = len(self.recording)
        return f"<Run of {self.scene_file or self.scene.title or 'a scene'}: {rows} rows of {len(self)} columns>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from snakestudio.api.notebook import run_html

        return run_html(self.recording, self.scene_file, self.failure, self.base_dir)

    def to_pandas(self) -> pandas.DataFrame:
        """All columns as a pandas DataFrame, by time.

        Raises `UsageError` if pandas is not installed.
        """
        from snakestudio.api.handing_over import to_pandas

        return to_pandas(self.recording)

    def to_xarray(self) -> xarray.Dataset:
        """All columns as an xarray Dataset over time, with units; what links and joints have along these, too.

        Values of links are one variable, ``link_x_m`` over ``time_s`` and ``link`` (from 1 on),
        those of joints another, ``joint_yaw_rad`` over ``time_s`` and ``joint_yaw`` (numbers of the
        joints with such an axis).

        Raises `UsageError` if xarray is not installed.
        """
        from snakestudio.api.handing_over import to_xarray

        return to_xarray(self.recording, self.scene_file)

    def plot(self, columns: str | Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
        """Draw columns over time.

        Raises `SignalError`: naming what cannot be drawn and where.

        Parameters
        ----------
        columns : str or sequence of str
            Columns, or expressions over them as in `signal`; the position of the centre of mass if
            left out.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure's if left out.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from snakestudio.api.handing_over import plot

        return plot(self, columns, ax)

    def to_mcap(self, path: str | Path) -> None:
        """Write the run as a run file, which `load_run` reads again, exact to the bit.

        Raises `ExportError` if the file cannot be written.
        """
        write_mcap(path_of("path", path), self.recording, self.scene_file, base_dir=self.base_dir)

    def signal(self, text: str, other: Run | None = None) -> NDArray[np.float64]:
        """A derived signal: a typed expression over the columns.

        Raises `SignalError`: naming what cannot be used and where.

        Parameters
        ----------
        text : str
            For example ``"norm(link_6_v?_mps)"`` or ``"lowpass(derivative(com_x_m), 5)"``; see
            `snakestudio.analysis.signals.compile_signal`.
        other : Run, optional
            What ``other.`` means in it: ``run.signal("link_6_x_m - other.link_6_x_m",
            another_run)``.

        Returns
        -------
        array
            One value a row; NaN where there is none.
        """
        from snakestudio.analysis.signals import compile_signal

        if not isinstance(text, str):
            raise wrong_kind(
                "text", 'an expression over columns, such as "norm(link_6_v?_mps)"', text
            )
        if other is not None and not isinstance(other, Run):
            raise wrong_kind("other", "a Run, such as load_run(...) gives", other)
        signal = compile_signal(text, self._names, other.columns if other is not None else ())
        return signal.values(self.recording, other=None if other is None else other.recording)

    def to_csv(self, path: str | Path) -> None:
        """Write all columns as CSV under a header that rebuilds the run.

        Raises `ExportError` if the file cannot be written.
        """
        write_csv(path_of("path", path), self.recording, self.scene_file)

    def to_hdf5(self, path: str | Path) -> None:
        """Write all columns as HDF5, with units, scene, changes and events; see `snakestudio.export.hdf5`.

        Raises `ExportError` if the file cannot be written.
        """
        from snakestudio.export.hdf5 import write_hdf5

        write_hdf5(path_of("path", path), self.recording, self.scene_file)

    def to_video(self, path: str | Path, **options: Any) -> Path:
        """Render the run as a video; `options` are those of `snakestudio.export.video.VideoOptions`.

        Returns
        -------
        Path
            The file written: its ending is .webm where no MP4 encoder is installed.

        Raises
        ------
        ExportError, GraphicsError
        """
        from snakestudio.export.video import write_video
        from snakestudio.export.video_options import VideoOptions

        target = path_of("path", path)
        written = write_video(
            target, self.recording, VideoOptions(**options), base_dir=self.base_dir
        )
        assert written is not None, "nothing cancels it"
        return written


def _unpickled(data: bytes, *about: Any) -> Run:
    """A run out of the bytes of its file, which lie in a temporary one without a name for as long as it is open."""
    handle, name = tempfile.mkstemp(prefix="snakestudio-run-", suffix=".mcap", dir=roomy_folder())
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    try:
        recording = open_run(name)
    finally:
        os.unlink(name)
    return Run(recording, *about)


def prepare(
    scene: Scene | Run | str | Path,
    duration: float | None = None,
    rate: float | None = None,
    values: Mapping[str, Any] | None = None,
) -> tuple[Scene, Path | None, tuple[Change | Pull, ...]]:
    """A scene with some values replaced, the folder its paths are relative to, and what an earlier run says was done.

    The scene may also be a CSV that SnakeStudio exported, a run file, or a run: then it is what was
    run there.

    Raises `SceneError`, `RunFileError` or `UsageError`: naming what is wrong.
    """
    base_dir: Path | None = None
    changes: tuple[Change | Pull, ...] = ()
    if isinstance(scene, Run):
        base_dir = scene.base_dir
        recording = scene.recording
        scene = scene_to_rebuild(recording)
        changes = repeated_edits(recording)
        scene = _with_plugins(scene, base_dir)
    elif not isinstance(scene, Scene):
        path = scene_path_of(
            "scene", scene, "a Scene, a scene's name or file (str or Path) or a Run"
        )
        if path.suffix.lower() == ".mcap":
            with open_run(path) as run:
                scene = scene_to_rebuild(run)
                changes = repeated_edits(run)
                base_dir = run.base_dir
            scene = _with_plugins(scene, base_dir)
        else:
            scene = load_scene(path)
            base_dir = path.parent
            if path.suffix.lower() == ".csv":
                changes = read_changes(path)
    wanted = values_of("values", values)
    for name, key, given in (
        ("duration", "run.duration_s", duration),
        ("rate", "run.log_rate_hz", rate),
    ):
        if given is not None:
            wanted[key] = _positive(name, given)
    changed = with_values(scene, wanted) if wanted else scene
    if note := trimming_note(scene, changed):
        warnings.warn(note, stacklevel=3)
    return changed, base_dir, changes


def _with_plugins(scene: Scene, base_dir: Path | None) -> Scene:
    """A recorded scene with the kinds of its plug-ins, as far as they are trusted or loaded."""
    load_trusted(scene.plugins, base_dir)
    return renewed(scene)


def scene_name(scene: Scene | Run | str | Path) -> str | None:
    """Name of the file that what `prepare` takes came from; None if it came from none."""
    if isinstance(scene, Run):
        return scene.scene_file
    return None if isinstance(scene, Scene) else scene_path_of("scene", scene).name


def load_run(path: str | Path) -> Run:
    """Open a run file; its rows are read as they are asked for.

    Raises `RunFileError` if it is no recorded run, or cannot be read.
    """
    recording = open_run(path_of("path", path))
    return Run(recording, recording.info.scene_file or None, base_dir=recording.base_dir)


def _positive(name: str, given: object) -> float:
    if not is_number(given) or not 0 < float(given) < np.inf:
        raise UsageError(f"{name} {given!r} must be a positive number.")
    return float(given)


def all_values(values: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Scene values of a mapping and of keyword arguments, which take precedence.

    Raises `UsageError` if `values` is not a mapping.
    """
    return {**values_of("values", values), **keywords}


def simulate_scene(
    scene: Scene,
    base_dir: Path | None = None,
    changes: tuple[Change | Pull, ...] = (),
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
    path: Path | None = None,
    notes: tuple[str, ...] = (),
    ended: Callable[[RunRecording], None] | None = None,
    problem: Path | None = None,
    step_estimate: StepEstimate | None = None,
    *,
    began: Callable[[RunRecording], None] | None = None,
    speed: float = math.inf,
) -> Run:
    """Run a scene to its end or to where the physics fails (see `Run.failure`), recorded to a run file at `path`.

    What `notes` say of its start is kept among its events. `ended` gets the recording when the run
    is over and its file is not: what is still to be noted is noted there. The contact problem of
    the last step is written to `problem` (.hdf5, which is FCLIB, or .npz). Files of the run carry
    `step_estimate`. `began` gets the recording before the run begins; `speed` is simulated over
    wall time at most.

    Raises `ExportError` if that cannot be written. Raises `SceneError` if the scene cannot run as
    it stands.
    """
    result = run_offline(
        scene,
        base_dir,
        changes,
        progress,
        path,
        scene_file or "",
        notes,
        ended,
        problem,
        step_estimate,
        began=began,
        speed=speed,
    )
    failure = "" if result.ok else result.message
    return Run(result.recording, scene_file, failure, base_dir, result.recording.trouble_at_end)


def simulate(
    scene: Scene | Run | str | Path,
    duration: float | None = None,
    rate: float | None = None,
    plugins: Sequence[str | Path] = (),
    *,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Run:
    """Run a scene and return its columns.

    Raises `SceneError` if the scene cannot be read or run. Raises `PhysicsError` if the physics
    fails; its `run` attribute has what was recorded until then.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, the name of a bundled scene (``"sidewinding"``), or what is run again: a
        run, its file, or a CSV that SnakeStudio exported.
    duration : float, optional
        Simulated time, s; the scene's own if left out.
    rate : float, optional
        Rows a simulated second, Hz; the scene's own if left out.
    plugins : sequence of path or str
        Plug-ins to be loaded first: their code is run. See `load_plugin`.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"gait.amplitude_deg": 30}``.
    **keywords
        More of them as keyword arguments.
    """
    load_plugins(plugins)
    prepared, base_dir, changes = prepare(scene, duration, rate, all_values(values, keywords))
    estimate = known_step_estimate(scene, prepared, changes)
    return ended(
        simulate_scene(prepared, base_dir, changes, scene_name(scene), step_estimate=estimate)
    )


def known_step_estimate(
    scene: Scene | Run | str | Path, prepared: Scene, changes: tuple[Change | Pull, ...]
) -> StepEstimate | None:
    """The step estimate of a run, a run file or an exported CSV, if it is one of the same scene and changes."""
    estimate = None
    if isinstance(scene, Run):
        estimate = scene.step_estimate
    elif not isinstance(scene, Scene):
        path = scene_path_of("scene", scene)
        if path.suffix.lower() == ".mcap":
            with open_run(path) as run:
                estimate = run.step_estimate
        elif path.suffix.lower() == ".csv":
            estimate = read_step_estimate(path)
    if estimate is None or not estimate.is_of(scene_hash(prepared), len(changes)):
        return None
    return estimate


def ended(run: Run) -> Run:
    """A run that came to its end.

    Raises `PhysicsError` if it did not; its `run` attribute has what was recorded until then.
    """
    if run.failure:
        error = PhysicsError(run.failure)
        error.run = run  # type: ignore[attr-defined]
        raise error
    return run


def plan(
    scene: Scene | Run | str | Path,
    path: str | Path,
    *,
    width_mm: float = 180.0,
    names: bool = False,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Path:
    """Draw the plan of a scene to scale: obstacles, the robot at its start and the path, seen from above.

    Raises `SnakeStudioError`: naming what is wrong.

    Parameters
    ----------
    path : str or Path
        SVG, PNG or PDF, by its suffix.
    width_mm : float
        Width of the sheet; its height follows.
    names : bool
        Whether obstacles are named.
    values : mapping, optional
        Scene values to replace, by dotted key.
    **keywords
        More of them as keyword arguments.

    Returns
    -------
    Path
        What was written.
    """
    from snakestudio.export.plan import write_plan

    prepared, base_dir, _ = prepare(scene, values=all_values(values, keywords))
    return write_plan(path_of("path", path), prepared, base_dir, width_mm=width_mm, names=names)


def export_model(
    scene: Scene | Run | str | Path,
    path: str | Path,
    model_format: str | None = None,
    *,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> tuple[str, ...]:
    """Write the robot and the world of a scene as MJCF, URDF or SDF for other programs.

    Raises `SnakeStudioError`: naming what is wrong.

    Parameters
    ----------
    model_format : str, optional
        "mjcf", "urdf" or "sdf"; if left out, the suffix says it: .xml or .mjcf, .urdf, .sdf.
    values : mapping, optional
        Scene values to replace, by dotted key.
    **keywords
        More of them as keyword arguments.

    Returns
    -------
    tuple of str
        What does not carry over to the file, a sentence each.
    """
    from snakestudio.export.model import write_model

    prepared, base_dir, _ = prepare(scene, values=all_values(values, keywords))
    return write_model(path_of("path", path), prepared, base_dir, model_format)


def check(scene: Scene | Run | str | Path) -> list[Problem]:
    """Everything that is wrong or doubtful in a scene, its file, or what was run; empty if nothing is.

    Plug-ins that the scene names are not run, trusted or not: a warning says that the values of
    their kinds were not checked, unless they were loaded before.
    """
    from snakestudio.session import scene_check

    with without_running():
        try:
            prepared, base_dir, _ = prepare(scene)
        except SceneError as error:
            return list(error.problems) or [Problem("error", "", str(error), "")]
        unknown = {problem.sentence() for problem in problems(prepared, base_dir)}
        return [
            replace(problem, severity="warning") if problem.sentence() in unknown else problem
            for problem in scene_check.check(prepared, base_dir)
        ]


def continue_from(
    path: Run | str | Path,
    time: float,
    duration: float | None = None,
    values: Mapping[str, Any] | None = None,
    progress: Callable[[float], bool] | None = None,
    record: str | Path | None = None,
    problem: str | Path | None = None,
    *,
    began: Callable[[RunRecording], None] | None = None,
    speed: float = math.inf,
) -> tuple[Run, tuple[str, ...]]:
    """Go on with a recorded run from a moment, as a new run that begins with its rows up to there.

    Raises `UsageError`, `ExportError`, `RunFileError`, `SceneError`, `StateError` or
    `PhysicsError`: naming what is wrong.

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
    began : callable, optional
        Gets the recording of the new run before it goes on.
    speed : float
        Simulated over wall time, at most: 1 is real time.

    Returns
    -------
    Run, tuple of str
        The new run, and sentences of what is to be known: that the state was not kept and was
        computed again, or that it differs from the recorded one. Usually there are none.
    """
    wanted = values_of("values", values)
    if duration is not None:
        if not 0 < number_of("duration", duration) < math.inf:
            raise UsageError(f"duration {duration!r} must be a positive number.")
        wanted["run.duration_s"] = float(duration)
    at = number_of("time", time)
    target = None if record is None else path_of("record", record)
    written = None if problem is None else path_of("problem", problem)
    if not isinstance(path, Run):
        with open_run(_run_path(path)) as named:
            load_trusted(named.scene.plugins, named.base_dir)
    with _opened(path) as old:
        source = getattr(old.recording, "path", None)  # of a recording in memory there is none
        name = source.name if source is not None else old.scene_file or "a run"
        if target is not None and source is not None and target.resolve() == source.resolve():
            raise UsageError(
                f"{target} is the run that is gone on with; give another name to record to."
            )
        recording = old.recording
        first, last = map(float, recording.times[[0, -1]]) if len(recording) else (0.0, 0.0)
        if not first - 1e-9 <= at <= last + 1e-9:
            raise UsageError(
                f"{name} has no row at {at:g} s: it is recorded from {first:g} to {last:g} s. Choose a time in there."
            )
        origin = Origin(old.scene_file or "", old.base_dir, plugins=plugin_records(recording.scene))
        found = continue_run(
            recording,
            at,
            old.base_dir,
            name,
            lambda scene, schema: RunRecording(scene, schema, target, origin=origin),
        )
        assert found is not None, "nothing stops it"
    runner = found.runner
    try:
        if wanted and (refused := runner.apply(with_values(runner.scene, wanted))):
            raise UsageError(f"{', '.join(refused)}: this cannot change while a run goes.")
        if runner.finished:
            raise UsageError(
                f"This run ends at {runner.time:g} s; say with a longer duration how far it shall go on."
            )
        if began is not None:
            began(runner.recording)
        result = run_to_end(runner, (), progress, written, speed)
    finally:
        runner.recording.close()
    failure = "" if result.ok else result.message
    further = Run(
        result.recording, old.scene_file, failure, old.base_dir, result.recording.trouble_at_end
    )
    return further, found.notes


def _run_path(given: str | Path) -> Path:
    return path_of("run", given, "a Run or the name of a run file (str or Path)")


@contextlib.contextmanager
def _opened(given: Run | str | Path) -> Iterator[Run]:
    """The run that is meant; a file is open for as long as this lasts."""
    if isinstance(given, Run):
        yield given
        return
    run = load_run(_run_path(given))
    try:
        yield run
    finally:
        run.close()
