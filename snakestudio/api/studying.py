"""Studies: scene values vary and goals are measured, on all processors or a cluster, with results in a file."""

from __future__ import annotations

import html
import os
import queue
import shutil
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from snakestudio.api.plugins import load_plugins
from snakestudio.api.running import Run, ended, prepare, simulate_scene
from snakestudio.api.step_size import StepReport, check_scene_step_size
from snakestudio.api.study_arguments import study_values
from snakestudio.errors import SceneError, SnakeStudioWarning, StudyError, UsageError
from snakestudio.export.printing import FORMATS
from snakestudio.inputs import local_path
from snakestudio.kinds.plugin_kinds import require_kinds
from snakestudio.model.arguments import path_of, scene_path_of, wrong_kind
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, parse_scene, save_scene
from snakestudio.runfile.mcap.enclosed import named_files
from snakestudio.session.engine_compiler import prepare as compile_engines
from snakestudio.study import export, running
from snakestudio.study.begin import study_from
from snakestudio.study.cluster import Tls
from snakestudio.study.description import SearchKind, StudyFields
from snakestudio.study.driver import Progress
from snakestudio.study.figure import write_figure
from snakestudio.study.figure_content import FigureColumns
from snakestudio.study.goals import measured
from snakestudio.study.plan import Plan
from snakestudio.study.results import Table
from snakestudio.study.running import Workers
from snakestudio.study.store import store_path
from snakestudio.study.study_file import (
    is_study,
    load_study,
    named_from,
    save_study,
    scene_named_from,
    scene_of,
)

if TYPE_CHECKING:
    import pandas

_SHOWN = 10
"""Number of points that a notebook shows."""

_WAIT_S = 0.1


class Point(dict[str, Any]):
    """Point of a study: the values of the table's columns by name, and ``row``."""

    @property
    def row(self) -> int:
        """Row of the table, from 0."""
        return int(self["row"])


class Study:
    """Study of a scene: values vary, and goals are measured in each run.

    Open a study file, ``Study("slope.study.toml")``, or create a study of a scene. Results are saved
    next to the study file, so that a study that is run again, or extended by more points, computes
    nothing twice.

    Raises `StudyError`, `SceneError` or `UsageError` with all problems.

    Parameters
    ----------
    source : Scene, Run or path
        A study file; or a scene, or a run or file that has one. The other arguments apply only to a
        study of a scene.
    vary : mapping
        Varied values, by scene key: a range ``(low, high)``, ``(low, high, steps)`` or ``(low, high,
        steps, "log")``, or a list of values. Keys joined by ``+`` share one value.
    goals : str, sequence of str, or mapping of str to {"maximise", "minimise"}
        Measures such as ``"net_speed"`` and ``"cost_of_transport"``, or expressions such as
        ``"max(com_z_m)"``; the net speed if omitted.
    limits : mapping of str to (at_least, at_most)
        Bounds of measures; None for no bound.
    search : {"grid", "random", "latin_hypercube", "sobol", "cma_es", "nsga2", "tpe"} or mapping
        Search method; a grid if omitted.
    points : int
        Number of points; a grid has its own number.
    seed : int
        Seed of the search.
    repeats : int or mapping
        Number of runs per point.
    jitter : mapping of str to float or (float, "uniform")
        Spread of values between repeats, by scene key.
    together : sequence of sequences of str
        Keys that vary together.
    fixed : mapping
        Scene values that replace those of the scene in all runs.
    include_implausible : bool
        Whether runs that are not plausible count for `best`, `front` and optimisers; False if omitted.
    file : str or Path
        Study file. An existing study is updated to these arguments and keeps its results. If omitted,
        the study is deleted with this object.
    plugins : sequence of path or str
        Plug-ins to load first, as in `simulate`; also for a study file.

    Attributes
    ----------
    path : Path
        File of the study.

    Examples
    --------
    >>> study = ss.Study("sidewinding.toml", {"gait.amplitude_deg": (10, 60, 11)}, ["net_speed"])
    >>> study.run()
    >>> study.table["net_speed"].max()
    >>> study.simulate(study.best).to_video("best.mp4")
    """

    def __init__(
        self,
        source: Scene | Run | str | Path,
        vary: Mapping[str, Any] | Sequence[Any] | None = None,
        goals: str | Mapping[str, Any] | Sequence[Any] | None = None,
        *,
        limits: Mapping[str, Any] | Sequence[Any] | None = None,
        search: SearchKind | Mapping[str, Any] | None = None,
        points: int | None = None,
        seed: int | None = None,
        repeats: int | Mapping[str, Any] | None = None,
        jitter: Mapping[str, Any] | Sequence[Any] | None = None,
        together: Sequence[Any] | None = None,
        fixed: Mapping[str, Any] | None = None,
        include_implausible: bool | None = None,
        title: str | None = None,
        file: str | Path | None = None,
        plugins: Sequence[str | Path] = (),
    ) -> None:
        load_plugins(plugins)
        options = {
            "vary": vary,
            "goals": goals,
            "limits": limits,
            "search": search,
            "points": points,
            "seed": seed,
            "repeats": repeats,
            "jitter": jitter,
            "together": together,
            "fixed": fixed,
            "include_implausible": include_implausible,
            "title": title,
        }
        names = [name for name, value in {**options, "file": file}.items() if value is not None]
        self._read: tuple[object, Table] | None = None
        expected = "a Scene, a Run, or the name or file of a scene"
        opened = (
            None if isinstance(source, Scene | Run) else scene_path_of("source", source, expected)
        )
        if opened is not None and is_study(opened):
            if names:
                raise UsageError(
                    f"{opened} is a study and defines {names[0]} itself. Change it there, or give its scene."
                )
            self.path = opened
            plan = running.open_plan(self.path)
            if not os.path.exists(store_path(self.path)):  # results stay readable
                _check_measures(plan)
            return
        if opened is not None and not names:
            load_study(opened)  # raises an error that states the problem
        if vary is None and repeats is None:
            raise UsageError(
                'Nothing varies. Give vary, such as {"gait.amplitude_deg": (10, 60, 11)}.'
            )
        if file is None:
            folder = tempfile.mkdtemp(prefix="snakestudio-study-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self.path = Path(folder, "study.study.toml")
        else:
            self.path = path_of("file", file)
        _write(self.path, source, options, named=file is not None)

    # -------------------------------------------------------------------------------------- running

    def run(
        self,
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Callable[[Progress], object] | None = None,
        *,
        tls: Tls | None = None,
        retry: bool = False,
    ) -> Study:
        """Run what has no result yet. Results are saved immediately; the next call continues after an interruption.

        Raises `StudyError`, `SceneError` or `UsageError` if the study cannot run.

        Parameters
        ----------
        workers : int, optional
            Number of processes on this machine; the number of processors if omitted.
        scheduler : str, optional
            Address of a Dask scheduler to use instead, such as ``"tcp://host:8786"``.
        progress : callable, optional
            Receives a `Progress` several times a second; the study stops if it returns False.
        tls : Tls, optional
            Certificate files for an encrypted connection to the scheduler.
        retry : bool
            Whether to retry runs whose worker processes were killed.

        Returns
        -------
        Study
            This study.
        """
        who = Workers.from_options(workers, scheduler, tls)
        if progress is not None and not callable(progress):
            raise wrong_kind("progress", "a callable that gets a Progress", progress)
        plan = running.open_plan(self.path)
        for sentence in running.warnings_of(plan):
            warnings.warn(sentence, SnakeStudioWarning, stacklevel=2)
        reports: queue.SimpleQueue[Progress] = queue.SimpleQueue()
        cancelled = threading.Event()
        failures: list[BaseException] = []

        def work() -> None:
            try:
                if compile_engines(
                    running.formulations_of(plan), lambda kind, stage: not cancelled.is_set()
                ):
                    running.run_study(self.path, who, reports.put, cancelled, retry)
            except BaseException as error:
                failures.append(error)

        # In a separate thread, so that a KeyboardInterrupt can interrupt this one at any time.
        thread = threading.Thread(target=work, name="snakestudio-study", daemon=True)
        thread.start()
        notes: set[str] = set()
        try:
            while thread.is_alive() or not reports.empty():
                with suppress(queue.Empty):
                    now = reports.get(timeout=_WAIT_S)
                    for note in now.notes:
                        if note not in notes:
                            notes.add(note)
                            warnings.warn(note, SnakeStudioWarning, stacklevel=2)
                    if progress is not None and progress(now) is False:
                        cancelled.set()
        except BaseException:
            cancelled.set()
            thread.join()
            raise
        if failures:
            raise failures[0]
        return self

    # -------------------------------------------------------------------------------------- results

    @property
    def description(self) -> StudyFields:
        """Values of the study file.

        Raises
        ------
        StudyError
        """
        return load_study(self.path)

    @property
    def table(self) -> Table:
        """Mapping of column names to numpy arrays, one row per point that was run.

        Raises `StudyError` if the study has not been run.
        """
        store = store_path(self.path)
        state = [_state(path) for path in (store, store.with_name(f"{store.name}-wal"))]
        if self._read is None or self._read[0] != state:
            self._read = state, running.results_of(self.path)
        return self._read[1]

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns of the table; "1" for columns without a unit.

        Raises
        ------
        StudyError
        """
        table = self.table
        all_units = self._units(table)
        return {name: all_units[name] for name in table}

    def _units(self, table: Table) -> dict[str, str]:
        scene = parse_scene(running.texts_of(self.path)["scene"])
        return export.units_in(table, running.units_of_results(self.path), scene)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a pandas DataFrame.

        Raises `UsageError` if pandas is not installed.
        """
        from snakestudio.api.handing_over import library

        frame: pandas.DataFrame = library("pandas", "to_pandas").DataFrame(dict(self.table))
        return frame

    @property
    def best(self) -> Point | None:
        """Best point by the first goal: its columns and its ``row``; None if there is no valid point.

        Points that are not plausible are left out, unless the study includes them
        (`include_implausible`).

        Raises
        ------
        StudyError
        """
        row = self.table.best
        return None if row is None else self._point(row)

    @property
    def front(self) -> dict[str, np.ndarray]:
        """Pareto front, the points that no other point beats in all goals: columns of the table and ``row``.

        Raises
        ------
        StudyError
        """
        table = self.table
        return {"row": table.front, **{name: table[name][table.front] for name in table}}

    def _point(self, row: int) -> Point:
        values = {name: column[row : row + 1].tolist()[0] for name, column in self.table.items()}
        return Point({"row": row, **values})

    def simulate(self, row: int | Mapping[str, Any], repeat: int = 0) -> Run:
        """Repeat a run of the study, bit for bit.

        Raises `StudyError` or `UsageError` if there is no such run. Raises `SceneError` if its
        values contradict each other. Raises `PhysicsError` if the simulation fails, as it did in
        the study; its `run` attribute has the rows up to the failure.

        Parameters
        ----------
        row : int or mapping
            Row of the table, from 0, or a point such as `best`.
        repeat : int
            Number of the repeat, from 0.
        """
        table = self.table
        number = row.get("row") if isinstance(row, Mapping) else row
        repeats = table.rows[_index("row", number, table.n_points)]
        _, outcome = repeats[_index("repeat", repeat, len(repeats))]
        scene, base_dir, _ = self.scene_of(number, repeat)
        run = ended(
            simulate_scene(scene, base_dir, scene_file=scene_of(table.study, self.path).name)
        )
        if outcome is not None and outcome.state == "done":
            again = measured([part.measure for part in table.study.measured], run.recording)
            if np.array(again).tobytes() != np.array(outcome.measures).tobytes():
                warnings.warn(
                    f"{self.path}: row {number} cannot be repeated exactly, because the program, a "
                    "file of the scene or the"
                    " type of processor has changed. Run the study again.",
                    SnakeStudioWarning,
                    stacklevel=2,
                )
        return run

    def check_step_size(
        self, row: int | Mapping[str, Any] | None = None, repeat: int = 0
    ) -> StepReport:
        """Check the dependence of a run of the study on the time step; see `ss.check_step_size`.

        Raises `StudyError` or `UsageError` if there is no such run. Raises `SceneError` if its
        values contradict each other.

        Parameters
        ----------
        row : int or mapping, optional
            Row of the table, from 0, or a point such as `best`; `best` if omitted.
        repeat : int
            Number of the repeat, from 0.
        """
        scene, base_dir, _ = self.scene_of(row, repeat)
        checked = check_scene_step_size(scene, base_dir)
        assert checked is not None, "nothing cancels it"
        return checked

    def scene_of(
        self, row: int | Mapping[str, Any] | None = None, repeat: int = 0
    ) -> tuple[Scene, Path, int]:
        """Return the scene of a run of the study, the folder of its relative file names, and its row.

        If `row` is omitted, the best point is used.

        Raises `StudyError` or `UsageError` if there is no such run. Raises `SceneError` if its
        values contradict each other.
        """
        table = self.table
        number = row.get("row") if isinstance(row, Mapping) else row
        if number is None:
            number = table.best
            if number is None:
                raise StudyError(
                    f"{self.path}: there is no best point, because no point has valid results yet. Give a row."
                )
        repeats = table.rows[_index("row", number, table.n_points)]
        request, _ = repeats[_index("repeat", repeat, len(repeats))]
        text = running.texts_of(self.path)["scene"]
        return *running.scene_of_run(self.path, table.study, text, request), int(number)

    def export(
        self,
        path: str | Path,
        *,
        runs: bool = False,
        x: str = "",
        y: str = "",
        colour: str = "",
    ) -> Path:
        """Write the results as CSV, HDF5 (.h5, .hdf5) or Parquet, or plot them (.pdf, .svg, .png), by the suffix.

        Parameters
        ----------
        runs : bool
            Whether to write one row per run instead of per point; HDF5 has both.
        x, y, colour : str, optional
            Columns to plot; chosen by the study if omitted.

        Returns
        -------
        Path
            File that was written.

        Raises
        ------
        ExportError, StudyError, UsageError
        """
        target = path_of("path", path)
        table = self.table
        texts = running.texts_of(self.path)
        columns: Mapping[str, np.ndarray] = export.runs_of(table) if runs else table
        match target.suffix.lower():
            case ".csv":
                export.write_csv(target, columns, texts)
            case ".h5" | ".hdf5":
                export.write_hdf5(target, table, self._units(table), texts)
            case ".parquet":
                export.write_parquet(target, columns, self._units(table), texts)
            case ending if ending in FORMATS:
                units = running.units_of_results(self.path)
                write_figure(
                    target,
                    table,
                    parse_scene(texts["scene"]),
                    units,
                    texts,
                    FigureColumns(x, y, colour),
                )
            case _:
                endings = ", ".join((".csv", ".hdf5", ".h5", ".parquet", *FORMATS))
                raise UsageError(
                    f"{target}: the format is unknown. Give a name that ends in {endings}."
                )
        return target

    # --------------------------------------------------------------------------------
    # representation

    def _status(self) -> tuple[str, Table | None]:
        """Return the progress as text, and the table if there is one."""
        try:
            table = self.table
        except StudyError:
            with suppress(StudyError):
                study = self.description
                return f"{study.n_points} points, {study.n_runs} runs, not run yet", None
            return "cannot be read", None
        failed = int(table["failed"].sum())
        status = f"{int(table['runs'].sum())} of {table.study.n_runs} runs"
        status += f", {failed} failed" * (failed > 0)
        doubtful = table.implausible_runs
        return status + f", {doubtful} not plausible" * (doubtful > 0), table

    def __repr__(self) -> str:
        status, table = self._status()
        best = None if table is None else table.best
        if table is not None and best is not None:
            goal = table.study.goals[0].called
            status += f", best {goal} {table[goal][best]:.5g}"
        return f"<Study {self.path.name}: {status}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        status, table = self._status()
        head = f"<p><b>{html.escape(self.path.name)}</b>: {status}</p>"
        if table is None or not len(table.ranked):
            return head
        names = [vary.name for vary in table.study.vary] + [
            part.called for part in table.study.measured
        ]
        units = self.units
        titles = "".join(
            f"<th>{html.escape(name)}{'' if units[name] == '1' else f'<br>{html.escape(units[name])}'}</th>"
            for name in names
        )
        rows = "".join(
            f"<tr><td>{row}</td>"
            + "".join(f"<td>{_cell(table[name][row])}</td>" for name in names)
            + "</tr>"
            for row in table.ranked[:_SHOWN]
        )
        more = len(table.ranked) - _SHOWN
        what = "Pareto front" if len(table.study.goals) > 1 else "Best points"
        tail = f"<p>... and {more} more</p>" if more > 0 else ""
        return (
            f"{head}<table><caption>{what}</caption><thead><tr><th>row</th>{titles}</tr></thead>"
            f"<tbody>{rows}</tbody></table>{tail}"
        )


def _cell(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else html.escape(str(value))


def _index(name: str, value: Any, count: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise wrong_kind(name, "a whole number", value)
    if not 0 <= value < count:
        range_text = f"they are 0 to {count - 1}" if count else "there are no rows"
        raise UsageError(f"{name} {value}: there is no such {name}; {range_text}.")
    return int(value)


def _state(path: Path) -> tuple[int, int] | None:
    """Return the signature that changes with the file; None for an empty or missing file."""
    with suppress(OSError):
        stat = path.stat()
        if stat.st_size:
            return stat.st_mtime_ns, stat.st_size
    return None


def _write(
    path: Path, source: Scene | Run | str | Path, options: Mapping[str, Any], *, named: bool
) -> None:
    """Write the file of a study, and its scene next to it if the scene has no file.

    Messages name the file only if the user has `named` it.

    Raises `StudyError`, `SceneError` or `UsageError`; nothing is written then.
    """
    if os.path.exists(path) and not is_study(path):
        raise StudyError(f"{path} exists and is not a study. Give the study another file name.")
    scene, base_dir, changes = prepare(source)
    require_kinds(scene, base_dir, str(source) if isinstance(source, str | Path) else "")
    if changes:
        raise UsageError(
            "A run whose scene changes during the run cannot be varied. Give its scene."
        )
    file = scene_path_of("source", source) if isinstance(source, str | Path) else None
    own = file if file is not None and file.suffix.lower() == ".toml" else None
    name = "" if own is None else scene_named_from(path.parent, str(source))
    if own is None:
        own = path.with_name(f"{path.name.removesuffix('.toml').removesuffix('.study')}.scene.toml")
        moved = {
            key: named_from(path.parent, local_path(name, base_dir))
            for key, name in named_files(scene)
        }
        scene = with_values(scene, moved) if moved else scene
        _require_scene(own)
        base_dir = path.parent
    study = study_from(study_values(name or named_from(path.parent, own), options))
    _check_measures(Plan(study, scene, base_dir or path.parent, str(path) if named else ""))
    if own != file:
        save_scene(scene, own)
    save_study(study, path)


def _check_measures(plan: Plan) -> None:
    """Raise `StudyError` if a run of the scene does not have a measure; `run` reports a scene that cannot run."""
    with suppress(SceneError):
        running.check_measures(plan)


def _require_scene(path: Path) -> None:
    """Raise `StudyError` unless the file is missing or a scene, which may be overwritten."""
    if os.path.exists(path):
        try:
            load_scene(path)
        except SceneError:
            raise StudyError(
                f"{path} exists and is not a scene. Give the study another file name."
            ) from None
