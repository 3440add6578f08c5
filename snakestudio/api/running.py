"""Work with one scene: run it, continue a run, draw its plan, check it."""

from __future__ import annotations

import contextlib
import difflib
import io
import math
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.api.plugins import load_plugins
from snakestudio.api.seeds import seed_of, with_drawn_seeds
from snakestudio.errors import (
    PhysicsError,
    PluginRuntimeError,
    Problem,
    SceneError,
    SnakeStudioWarning,
    UsageError,
)
from snakestudio.export.provenance import (
    known_plausibility,
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
from snakestudio.model.column_units import parted
from snakestudio.model.columns import column_names, table
from snakestudio.model.edits import trimming_note, with_values
from snakestudio.model.events import Change
from snakestudio.model.plausibility import Plausibility
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
from snakestudio.text import listing

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes

    from snakestudio.engines.base import Engine


class Run(Mapping[str, NDArray[np.float64]]):
    """Finished run: a mapping from column names (as in the CSV) to numpy arrays with one value per row.

    Attributes
    ----------
    scene_file : str or None
        Name of the scene file, if there is one.
    failure : str
        Reason why the run stopped early, as a sentence; empty if it did not.
    trouble : str
        Reason why the run could not be recorded completely at the given path, as a sentence; empty
        if it was.
    fault : PluginRuntimeError or None
        Failure of a plug-in that stopped the run.
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
        self.fault: PluginRuntimeError | None = None
        self._names = column_names(recording.schema)

    def close(self) -> None:
        """Close the run file, if there is one; its rows can no longer be read."""
        if isinstance(self.recording, RunFile):
            self.recording.close()

    def __reduce__(self) -> tuple[Callable[..., Run], tuple[Any, ...]]:
        """Pickle the whole run as the bytes of its run file.

        Raises `RunFileError` if the run is closed.
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
        """Scene of the run."""
        return self.recording.scene

    @property
    def step_estimate(self) -> StepEstimate | None:
        """Dependence of the result on the time step, if it was checked for this run; see `check_step_size`."""
        return step_estimate_of(self.recording)

    @property
    def plausibility(self) -> Plausibility | None:
        """Result of the plausibility checks; None for a measured run.

        ``run.plausibility.plausible`` is False if a check found something; ``violations`` has a sentence, the
        time and a remedy for each.
        """
        return known_plausibility(self.recording)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns of the run."""
        return self._names

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Values of a column, (rows,); of all columns that match a pattern such as "link_*_x_m", (rows, n).

        Raises `KeyError` if there is no such column.
        """
        if name in self._names:
            return np.concatenate([part[:, 0] for part in table(self.recording, (name,))])
        names = self._matching(str(name))
        if not names:
            raise KeyError(_no_such_column(name, self._names))
        return np.concatenate(list(table(self.recording, names)))

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def _matching(self, pattern: str) -> tuple[str, ...]:
        """Return the columns that match a pattern with `*`, `?` or `[...]`."""
        if not any(mark in pattern for mark in "*?["):
            return ()
        return tuple(each for each in self._names if fnmatchcase(each, pattern))

    def __iter__(self) -> Any:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        rows = len(self.recording)
        name = self.scene_file or self.scene.title or "a scene"
        doubt = getattr(self.recording, "plausibility", None)
        remark = "" if doubt is None or doubt.plausible else f", not plausible: {doubt.summary}"
        return f"<Run of {name}: {rows} rows of {len(self)} columns{remark}>"

    def _repr_html_(self) -> str:
        """Return the HTML for notebooks."""
        from snakestudio.api.notebook import run_html

        return run_html(self.recording, self.scene_file, self.failure, self.base_dir)

    def to_pandas(self) -> pandas.DataFrame:
        """Return all columns as a pandas DataFrame indexed by time.

        Raises `UsageError` if pandas is not installed.
        """
        from snakestudio.api.handing_over import to_pandas

        return to_pandas(self.recording)

    def to_xarray(self) -> xarray.Dataset:
        """Return all columns as an xarray Dataset over time, with units and dimensions for links and joints.

        Values of all links form one variable, such as ``link_x_m`` over ``time_s`` and
        ``link`` (from
        1). So do values of joints, such as ``joint_yaw_rad`` over ``time_s`` and
        ``joint_yaw`` (numbers
        of the joints with such an axis).

        Raises `UsageError` if xarray is not installed.
        """
        from snakestudio.api.handing_over import to_xarray

        return to_xarray(self.recording, self.scene_file)

    def plot(self, columns: str | Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
        """Plot columns over time.

        Raises `SignalError` with the part of an expression that is wrong.

        Parameters
        ----------
        columns : str or sequence of str
            Columns, or expressions over them as in `signal`; the position of the centre
            of mass if omitted.
        ax : matplotlib.axes.Axes, optional
            Axes to draw in; those of a new figure if omitted.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from snakestudio.api.handing_over import plot

        return plot(self, columns, ax)

    def to_mcap(self, path: str | Path) -> None:
        """Write a run file, which `load_run` reads again, exact to the bit.

        Raises `ExportError` if the file cannot be written.
        """
        self.export(path, "mcap")

    def signal(self, text: str, other: Run | None = None) -> NDArray[np.float64]:
        """Evaluate an expression over the columns.

        Raises `SignalError` with the part of the expression that is wrong.

        Parameters
        ----------
        text : str
            Expression such as ``"norm(link_6_v?_mps)"`` or ``"lowpass(derivative(com_x_m), 5)"``;
            the page *Signal functions* of the documentation lists the functions.
        other : Run, optional
            Run whose columns ``other.`` means: ``run.signal("link_6_x_m - other.link_6_x_m", another_run)``.

        Returns
        -------
        array
            One value per row; NaN where there is none.
        """
        from snakestudio.analysis.signals import compile_signal

        if not isinstance(text, str):
            raise wrong_kind(
                "text", 'an expression over columns, such as "norm(link_6_v?_mps)"', text
            )
        if other is not None and not isinstance(other, Run):
            raise wrong_kind("other", "a Run, such as load_run(...) returns", other)
        others = other.columns if other is not None else ()
        signal = compile_signal(text, self._names, others, check_units=True)
        return signal.values(self.recording, other=None if other is None else other.recording)

    def value(self, measure: str, other: Run | None = None) -> float:
        """Evaluate a measure, one number for the whole run, in SI units.

        Raises `SignalError` if there is no such measure, an expression is wrong, or the run does not
        have a required column.

        Parameters
        ----------
        measure : str
            A predefined measure of studies such as ``"net_speed"`` or ``"cost_of_transport"``, or an
            expression with reductions such as ``"max(norm(link_6_v?_mps))"``, also those of plug-ins.
        other : Run, optional
            Run whose columns ``other.`` means, as in `signal`.
        """
        from snakestudio.study.goals import measured

        if not isinstance(measure, str):
            raise wrong_kind("measure", 'a measure, such as "net_speed"', measure)
        if other is not None and not isinstance(other, Run):
            raise wrong_kind("other", "a Run, such as load_run(...) returns", other)
        (number,) = measured((measure,), self.recording, None if other is None else other.recording)
        return number

    def to_csv(self, path: str | Path) -> None:
        """Write all columns as CSV, with a header from which the run can be repeated.

        Raises `ExportError` if the file cannot be written.
        """
        self.export(path, "csv")

    def to_hdf5(self, path: str | Path) -> None:
        """Write all columns as HDF5, with units, scene, changes and events; see `snakestudio.export.hdf5`.

        Raises `ExportError` if the file cannot be written.
        """
        self.export(path, "hdf5")

    def to_video(self, path: str | Path, **options: Any) -> Path:
        """Render the run as a video with options of `VideoOptions`.

        Returns
        -------
        Path
            Path of the file; its suffix is .webm if no MP4 encoder is installed.

        Raises
        ------
        ExportError, GraphicsError
        """
        return self.export(path, "video", **options)

    def export(self, path: str | Path, export_format: str | None = None, /, **options: Any) -> Path:
        """Write the run in any format, including those of plug-ins.

        Raises `ExportError` if there is no such format or the file cannot be written, and
        `PluginRuntimeError` if the plug-in of the format fails.

        Parameters
        ----------
        export_format : str, optional
            Name of the format, such as "hdf5", "video" or "figures" (whose `path` is a folder), or of a
            format of scenes ("plan", "model"); by default the suffix of `path` decides, first among the
            formats of runs.
        **options
            Options of the format: those of `VideoOptions` for "video", `suffix` for "figures".

        Returns
        -------
        Path
            Path of the file or folder.
        """
        from snakestudio.export.formats import format_of, named_format, options_of, write_as

        target = path_of("path", path)
        kind = (
            format_of(target, "run", "scene")
            if export_format is None
            else named_format(export_format, "run", "scene")
        )
        written = write_as(kind, self, target, options_of(kind, options))
        assert written is not None, "no progress callback cancels it"
        return written.path


def _no_such_column(name: object, names: Sequence[str]) -> str:
    """Return the message for an unknown column, with the columns that may be meant."""
    near = [each for each in names if parted(each)[0] == name]
    if not near and isinstance(name, str):
        near = difflib.get_close_matches(name, names, 3, 0.7)
    meant = f" Did you mean {listing(near, 'or')}?" if near else " run.columns lists all."
    return f"There is no column {name!r}.{meant}"


def _unpickled(data: bytes, *about: Any) -> Run:
    """Open a run from the bytes of its file, through a temporary file without a name."""
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
    seed: int | None = None,
) -> tuple[Scene, Path | None, tuple[Change | Pull, ...]]:
    """Return a scene with some values replaced, the folder of its relative paths, and the changes of a previous run.

    `scene` can also be a CSV that SnakeStudio exported, a run file, or a run, and then means the
    scene of that run.

    Raises `SceneError`, `RunFileError` or `UsageError` if it cannot be used.
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
    new_values = values_of("values", values)
    for name, key, number in (
        ("duration", "run.duration_s", duration),
        ("rate", "run.log_rate_hz", rate),
    ):
        if number is not None:
            new_values[key] = _positive(name, number)
    changed = with_values(scene, new_values) if new_values else scene
    if note := trimming_note(scene, changed):
        warnings.warn(note, SnakeStudioWarning, stacklevel=3)
    if seed is not None:
        changed = with_drawn_seeds(changed, seed_of(seed), new_values)
    return changed, base_dir, changes


def _with_plugins(scene: Scene, base_dir: Path | None) -> Scene:
    """Return the recorded scene with the kinds of those of its plug-ins that are trusted or loaded."""
    load_trusted(scene.plugins, base_dir)
    return renewed(scene)


def scene_name(scene: Scene | Run | str | Path) -> str | None:
    """Return the name of the file of an argument of `prepare`; None if there is none."""
    if isinstance(scene, Run):
        return scene.scene_file
    return None if isinstance(scene, Scene) else scene_path_of("scene", scene).name


def load_run(path: str | Path) -> Run:
    """Open a run file; its rows are read on demand.

    Raises `RunFileError` if the file is not a recorded run or cannot be read.
    """
    recording = open_run(path_of("path", path))
    return Run(recording, recording.info.scene_file or None, base_dir=recording.base_dir)


def _positive(name: str, value: object) -> float:
    if not is_number(value) or not 0 < float(value) < np.inf:
        raise UsageError(f"{name} must be a positive number (got {value!r}).")
    return float(value)


def all_values(values: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Merge scene values of a mapping and of keyword arguments, which take precedence.

    Raises `UsageError` if `values` is not a mapping. Raises `SceneError` if a keyword is a dotted key
    with an underscore instead of the dot.
    """
    for name in keywords:
        for owner in Scene.model_fields:
            rest = name.removeprefix(f"{owner}_")
            if rest != name and name not in Scene.model_fields:
                remedy = f'write {owner}={{"{rest}": ...}} or **{{"{owner}.{rest}": ...}}'
                raise SceneError.of([Problem("error", name, "the scene has no such key", remedy)])
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
    """Run a scene to its end or to a failure (see `Run.failure`), recorded to a run file at `path`.

    `notes` about the start become events of the run. `ended` receives the recording after the last
    step, before the file is closed, and can add events. The contact problem of the last step is
    written to `problem` (.hdf5 in the FCLIB format, or .npz). Files of the run contain
    `step_estimate`. `began` receives the recording before the first step. `speed` is the largest
    ratio of simulated time to wall time.

    Raises `ExportError` if a file cannot be written. Raises `SceneError` if the scene cannot run.
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
        problem_writer(problem),
        step_estimate,
        began=began,
        speed=speed,
    )
    failure = "" if result.ok else result.message
    run = Run(result.recording, scene_file, failure, base_dir, result.recording.trouble_at_end)
    run.fault = result.fault
    return run


def simulate(
    scene: Scene | Run | str | Path,
    duration: float | None = None,
    rate: float | None = None,
    plugins: Sequence[str | Path] = (),
    *,
    values: Mapping[str, Any] | None = None,
    seed: int | None = None,
    **keywords: Any,
) -> Run:
    """Run a scene and return its recorded columns.

    Raises `SceneError` if the scene cannot be read or run. Raises `PhysicsError` if the simulation
    fails, and `PluginRuntimeError` if code of a plug-in does; their `run` attribute has the rows up to
    the failure.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, or the name of a bundled scene (``"sidewinding"``). To repeat a run: the run,
        its file, or a CSV that SnakeStudio exported.
    duration : float, optional
        Simulated time in seconds. Default: the scene's `run.duration_s`.
    rate : float, optional
        Rows per simulated second. Default: the scene's `run.log_rate_hz`.
    plugins : sequence of path or str
        Plug-ins to load first, which runs their code. See `load_plugin`.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"gait.amplitude_deg": 30}``.
    seed : int, optional
        Draws new seeds for the random parts of the scene, which are fields of rubble and the force noise
        of a controller, except for seeds among the given values. `Run.scene` has them. Without it, the
        seeds of the scene are used.
    **keywords
        More scene values: ``gait={"amplitude_deg": 30}`` or ``**{"gait.amplitude_deg": 30}``.
    """
    load_plugins(plugins)
    prepared, base_dir, changes = prepare(scene, duration, rate, all_values(values, keywords), seed)
    estimate = known_step_estimate(scene, prepared, changes)
    return ended(
        simulate_scene(prepared, base_dir, changes, scene_name(scene), step_estimate=estimate)
    )


def problem_writer(path: Path | None) -> Callable[[Engine], object] | None:
    """Return a function that writes the contact problem of an engine's last step to a file; None for no file."""
    if path is None:
        return None
    from snakestudio.export.formats import EXPORTS, write_as
    from snakestudio.session.contact_problem_file import EngineProblem

    return lambda engine: write_as(EXPORTS["contact_problem"], EngineProblem(engine), path)


def known_step_estimate(
    scene: Scene | Run | str | Path, prepared: Scene, changes: tuple[Change | Pull, ...]
) -> StepEstimate | None:
    """Step estimate of a run, a run file or an exported CSV, if its scene and changes are the same."""
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
    """Return the run if it reached its end.

    Raises `PhysicsError` otherwise, or the `PluginRuntimeError` of a plug-in; their `run` attribute has
    the rows up to the failure.
    """
    if run.failure:
        error = run.fault or PhysicsError(run.failure)
        error.run = run  # type: ignore[union-attr]
        raise error
    return run


def check(scene: Scene | Run | str | Path, *, hints: bool = False) -> list[Problem]:
    """Return all errors and warnings of a scene, its file, or the scene of a run.

    Plug-ins of the scene are not run, even if they are trusted. If they are not loaded, a warning
    states that the values of their kinds were not checked.

    Parameters
    ----------
    hints : bool
        Whether to add hints about values that a run does not need, such as the largest torque of motors
        among obstacles.
    """
    from snakestudio.session import build_check, scene_check

    with without_running():
        try:
            prepared, base_dir, _ = prepare(scene)
        except SceneError as error:
            return list(error.problems) or [Problem("error", "", str(error), "")]
        unknown = {problem.sentence() for problem in problems(prepared, base_dir)}
        advice = build_check.hints(prepared, base_dir) if hints and not unknown else []
        return [
            replace(problem, severity="warning") if problem.sentence() in unknown else problem
            for problem in [*scene_check.check(prepared, base_dir), *advice]
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
    """Continue a recorded run from a time, as a new run that begins with the rows up to that time.

    Raises `UsageError`, `ExportError`, `RunFileError`, `SceneError`, `StateError` or
    `PhysicsError`.

    Parameters
    ----------
    path : Run, str or Path
        Run or its file.
    time : float
        Time to continue from, s; the nearest recorded row is used.
    duration : float, optional
        Duration of the new run from the start of the recorded one, s; if omitted, the duration of
        the recorded run.
    values : mapping, optional
        Scene values that change at that time, by dotted key; only values that can change
        during a run.
    progress : callable, optional
        Receives the completed fraction.
    record : str or Path, optional
        Run file for the new run.
    problem : str or Path, optional
        File for the contact problem of the last step (.hdf5 in the FCLIB format, or .npz).
    began : callable, optional
        Receives the recording of the new run before its first new step.
    speed : float
        Largest ratio of simulated time to wall time; 1 is real time.

    Returns
    -------
    Run, tuple of str
        The new run, and notes about its start: the state was not saved and had to be recomputed, or
        it differs from the recorded one. Usually there are no notes.
    """
    new_values = values_of("values", values)
    if duration is not None:
        if not 0 < number_of("duration", duration) < math.inf:
            raise UsageError(f"duration must be a positive number (got {duration!r}).")
        new_values["run.duration_s"] = float(duration)
    at = number_of("time", time)
    target = None if record is None else path_of("record", record)
    written = None if problem is None else path_of("problem", problem)
    if not isinstance(path, Run):
        with open_run(_run_path(path)) as named:
            load_trusted(named.scene.plugins, named.base_dir)
    with _opened(path) as old:
        source = getattr(old.recording, "path", None)  # a recording in memory has no path
        name = source.name if source is not None else old.scene_file or "a run"
        if target is not None and source is not None and target.resolve() == source.resolve():
            raise UsageError(
                f"{target} is the run to continue and cannot be overwritten. Give another name for the new run."
            )
        recording = old.recording
        first, last = map(float, recording.times[[0, -1]]) if len(recording) else (0.0, 0.0)
        if not first - 1e-9 <= at <= last + 1e-9:
            raise UsageError(
                f"{name} has no row at {at:g} s: it is recorded from {first:g} to {last:g} s. "
                "Choose a time in this range."
            )
        origin = Origin(old.scene_file or "", old.base_dir, plugins=plugin_records(recording.scene))
        continuation = continue_run(
            recording,
            at,
            old.base_dir,
            name,
            lambda scene, schema: RunRecording(scene, schema, target, origin=origin),
        )
        assert continuation is not None, "no progress callback cancels it"
    runner = continuation.runner
    try:
        if new_values and (refused := runner.apply(with_values(runner.scene, new_values))):
            raise UsageError(
                f"{', '.join(refused)} cannot change during a run. Change the scene and run it from the start."
            )
        if runner.finished:
            raise UsageError(
                f"This run ends at {runner.time:g} s. Give a longer duration to continue it."
            )
        if began is not None:
            began(runner.recording)
        result = run_to_end(runner, (), progress, problem_writer(written), speed)
    finally:
        runner.recording.close()
    failure = "" if result.ok else result.message
    further = Run(
        result.recording, old.scene_file, failure, old.base_dir, result.recording.trouble_at_end
    )
    return further, continuation.notes


def _run_path(source: str | Path) -> Path:
    return path_of("run", source, "a Run or the name of a run file (str or Path)")


@contextlib.contextmanager
def _opened(source: Run | str | Path) -> Iterator[Run]:
    """Yield a run; a run file is open only within the context."""
    if isinstance(source, Run):
        yield source
        return
    run = load_run(_run_path(source))
    try:
        yield run
    finally:
        run.close()
