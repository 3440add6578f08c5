"""Studies: values of a scene vary, goals are measured; run on all processors or a cluster, and kept in a file."""

from __future__ import annotations

import html
import queue
import shutil
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio.api.running import Run, ended, prepare, simulate_scene
from snakestudio.api.step_size import StepReport, check_scene_step_size
from snakestudio.api.study_arguments import study_values
from snakestudio.errors import SceneError, StudyError, UsageError
from snakestudio.export.printing import FORMATS
from snakestudio.inputs import local_path
from snakestudio.model.arguments import path_of, scene_path_of, wrong_kind
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, parse_scene, save_scene
from snakestudio.runfile.mcap.enclosed import named_files
from snakestudio.session.engine_compiler import prepare as compile_engines
from snakestudio.study import export, running
from snakestudio.study.begin import made
from snakestudio.study.cluster import Tls
from snakestudio.study.description import StudyFields
from snakestudio.study.driver import Progress
from snakestudio.study.figure import write_figure
from snakestudio.study.goals import measured
from snakestudio.study.plan import Plan
from snakestudio.study.results import Table
from snakestudio.study.running import Workers
from snakestudio.study.shown import Named
from snakestudio.study.store import store_path
from snakestudio.study.study_file import (
    is_study,
    load_study,
    named_from,
    save_study,
    scene_named_from,
    scene_of,
)

_SHOWN = 10
"""Points that a notebook shows."""

_WAIT_S = 0.1


class Study:
    """A study of a scene: values vary, and goals are measured of every run.

    Open the file of one, ``Study("slope.study.toml")``, or make one of a scene. Its results are
    kept beside its file, so that a study that is run again, or made again with more points,
    computes nothing twice.

    Raises `StudyError`, `SceneError` or `UsageError`: naming every mistake.

    Parameters
    ----------
    source : Scene, Run or path
        A study file; or a scene, or a run or a file that has one. Only what such a study is made of
        follows then.
    vary : mapping
        What varies, by scene key: a range ``(low, high)``, ``(low, high, steps)`` or ``(low, high,
        steps, "log")``, or a list of values. Keys joined by ``+`` get the same value.
    goals : str, sequence of str, or mapping of str to {"maximise", "minimise"}
        What counts: ``"net_speed"``, ``"cost_of_transport"`` and the like, or expressions as in
        ``"max(com_z_m)"``. The net speed if left out.
    limits : mapping of str to (at_least, at_most)
        What has to hold; None is no bound.
    search : {"grid", "random", "latin_hypercube", "sobol", "cma_es", "nsga2", "tpe"} or mapping
        How values are searched; a grid if left out.
    points, seed : int
        Points that are tried, where the search is no grid, and seed of the search.
    repeats : int or mapping
        Runs of every point.
    jitter : mapping of str to float or (float, "uniform")
        By scene key how far values differ between repeats.
    together : sequence of sequences of str
        Keys that move together.
    fixed : mapping
        Scene values that are others in all runs.
    file : str or Path
        Where it is kept; a study that is there is brought to what is said here, and keeps its
        results. If left out, the study is gone with this object.

    Attributes
    ----------
    path : Path
        Its file.

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
        search: str | Mapping[str, Any] | None = None,
        points: int | None = None,
        seed: int | None = None,
        repeats: int | Mapping[str, Any] | None = None,
        jitter: Mapping[str, Any] | Sequence[Any] | None = None,
        together: Sequence[Any] | None = None,
        fixed: Mapping[str, Any] | None = None,
        title: str | None = None,
        file: str | Path | None = None,
    ) -> None:
        given = {
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
            "title": title,
        }
        said = [name for name, value in {**given, "file": file}.items() if value is not None]
        self._read: tuple[object, Table] | None = None
        wanted = "a Scene, a Run, or the name or file of a scene"
        opened = (
            None if isinstance(source, Scene | Run) else scene_path_of("source", source, wanted)
        )
        if opened is not None and is_study(opened):
            if said:
                raise UsageError(
                    f"{opened} is a study and says {said[0]} itself; change it there, or give its scene."
                )
            self.path = opened
            running.open_plan(self.path)
            return
        if opened is not None and not said:
            load_study(opened)  # says what is wrong with it
        if vary is None and repeats is None:
            raise UsageError(
                'Nothing varies; give vary, such as {"gait.amplitude_deg": (10, 60, 11)}.'
            )
        if file is None:
            folder = tempfile.mkdtemp(prefix="snakestudio-study-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self.path = Path(folder, "study.study.toml")
        else:
            self.path = path_of("file", file)
        _write(self.path, source, given)

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
        """Run what is not known yet. What is finished is kept at once; interrupted, it goes on with the next call.

        Raises `StudyError`, `SceneError` or `UsageError`: naming what is wrong.

        Parameters
        ----------
        workers : int, optional
            Processes of this machine; as many as processors if left out.
        scheduler : str, optional
            Address of a dask scheduler in their place, like ``"tcp://host:8786"``.
        progress : callable, optional
            Gets a `snakestudio.study.driver.Progress` several times a second; where it returns
            False the study stops.
        tls : Tls, optional
            Files with which a scheduler is spoken to in private.
        retry : bool
            Whether runs that killed their workers are tried once more.

        Returns
        -------
        Study
            This one.
        """
        who = Workers.given(workers, scheduler, tls)
        if progress is not None and not callable(progress):
            raise wrong_kind("progress", "a callable that gets a Progress", progress)
        plan = running.open_plan(self.path)
        for sentence in running.warnings_of(plan):
            warnings.warn(sentence, stacklevel=2)
        told: queue.SimpleQueue[Progress] = queue.SimpleQueue()
        cancelled = threading.Event()
        failures: list[BaseException] = []

        def work() -> None:
            try:
                if compile_engines(
                    running.formulations_of(plan), lambda kind, stage: not cancelled.is_set()
                ):
                    running.run_study(self.path, who, told.put, cancelled, retry)
            except BaseException as error:
                failures.append(error)

        # In a thread of its own: a KeyboardInterrupt comes to this one, wherever it waits.
        thread = threading.Thread(target=work, name="snakestudio-study", daemon=True)
        thread.start()
        notes: set[str] = set()
        try:
            while thread.is_alive() or not told.empty():
                with suppress(queue.Empty):
                    now = told.get(timeout=_WAIT_S)
                    for note in now.notes:
                        if note not in notes:
                            notes.add(note)
                            warnings.warn(note, stacklevel=2)
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
        """What its file says.

        Raises
        ------
        StudyError
        """
        return load_study(self.path)

    @property
    def table(self) -> Table:
        """A mapping of column names to numpy arrays, a row a point, as far as it was run.

        Raises `StudyError` if it was not run yet.
        """
        kept = store_path(self.path)
        state = [_state(path) for path in (kept, kept.with_name(f"{kept.name}-wal"))]
        if self._read is None or self._read[0] != state:
            self._read = state, running.results_of(self.path)
        return self._read[1]

    @property
    def units(self) -> dict[str, str]:
        """Units of the table's columns; "1" for what has none.

        Raises
        ------
        StudyError
        """
        table = self.table
        found = self._units(table)
        return {name: found[name] for name in table}

    def _units(self, table: Table) -> dict[str, str]:
        scene = parse_scene(running.texts_of(self.path)["scene"])
        return export.units_in(table, running.units_of_results(self.path), scene)

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame.

        Raises `StudyError` if pandas is not installed.
        """
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise StudyError(
                "to_pandas needs pandas, which is not installed; install it with pip install pandas, or take"
                " study.table, which is a mapping of numpy arrays."
            ) from None
        return pandas.DataFrame(dict(self.table))

    @property
    def best(self) -> dict[str, Any] | None:
        """The best point by the first goal: its columns, and its ``row``; None if no point counts.

        Raises
        ------
        StudyError
        """
        row = self.table.best
        return None if row is None else self._point(row)

    @property
    def front(self) -> dict[str, np.ndarray]:
        """The points that no other is better than in all goals: columns as in the table, and their ``row``.

        Raises
        ------
        StudyError
        """
        table = self.table
        return {"row": table.front, **{name: table[name][table.front] for name in table}}

    def _point(self, row: int) -> dict[str, Any]:
        return {
            "row": row,
            **{name: column[row : row + 1].tolist()[0] for name, column in self.table.items()},
        }

    def simulate(self, row: int | Mapping[str, Any], repeat: int = 0) -> Run:
        """A run of the study once more, bit for bit.

        Raises `StudyError` or `UsageError` if there is no such run. Raises `SceneError` if its
        values contradict each other. Raises `PhysicsError` if the physics fails, as it did in the
        study; its `run` attribute has what was recorded until then.

        Parameters
        ----------
        row : int or mapping
            Row of the table, from 0, or a point such as `best`.
        repeat : int
            From 0.
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
                    f"{self.path}: row {number} is not what the study computed: the program, a file of the scene or the"
                    " kind of processor is another one since; run the study again.",
                    stacklevel=2,
                )
        return run

    def check_step_size(
        self, row: int | Mapping[str, Any] | None = None, repeat: int = 0
    ) -> StepReport:
        """Check how far the result of a run of the study depends on the time step; see `ss.check_step_size`.

        Raises `StudyError` or `UsageError` if there is no such run. Raises `SceneError` if its
        values contradict each other.

        Parameters
        ----------
        row : int or mapping, optional
            Row of the table, from 0, or a point such as `best`, which it is if omitted.
        repeat : int
            From 0.
        """
        scene, base_dir, _ = self.scene_of(row, repeat)
        checked = check_scene_step_size(scene, base_dir)
        assert checked is not None, "nothing cancels it"
        return checked

    def scene_of(
        self, row: int | Mapping[str, Any] | None = None, repeat: int = 0
    ) -> tuple[Scene, Path, int]:
        """The scene of a run of the study, the folder that its file names are relative to, and its row.

        The row is that of the best point if it is omitted.

        Raises `StudyError` or `UsageError` if there is no such run. Raises `SceneError` if its
        values contradict each other.
        """
        table = self.table
        number = row.get("row") if isinstance(row, Mapping) else row
        if number is None:
            number = table.best
            if number is None:
                raise StudyError(
                    f"{self.path}: no point counts so far, so there is no best one; give a row."
                )
        repeats = table.rows[_index("row", number, table.n_points)]
        asked, _ = repeats[_index("repeat", repeat, len(repeats))]
        text = running.texts_of(self.path)["scene"]
        return *running.scene_of_run(self.path, table.study, text, asked), int(number)

    def export(
        self,
        path: str | Path,
        *,
        runs: bool = False,
        x: str = "",
        y: str = "",
        colour: str = "",
    ) -> Path:
        """Write the results as CSV, HDF5 (.h5, .hdf5) or Parquet, or draw them (.pdf, .svg, .png), as the name ends.

        Parameters
        ----------
        runs : bool
            A row for every run, in place of every point; HDF5 has both.
        x, y, colour : str, optional
            Columns that are drawn; those that suit the study if left out.

        Returns
        -------
        Path
            What was written.

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
                    target, table, parse_scene(texts["scene"]), units, texts, Named(x, y, colour)
                )
            case _:
                endings = ", ".join((".csv", ".hdf5", ".h5", ".parquet", *FORMATS))
                raise UsageError(f"{target}: give the file one of the endings {endings}.")
        return target

    # ---------------------------------------------------------------------------------------- shown

    def _status(self) -> tuple[str, Table | None]:
        """How far it is, in words, and its table if there is one."""
        try:
            table = self.table
        except StudyError:
            with suppress(StudyError):
                study = self.description
                return f"{study.n_points} points, {study.n_runs} runs, not run yet", None
            return "cannot be read", None
        failed = int(table["failed"].sum())
        return f"{int(table['runs'].sum())} of {table.study.n_runs} runs" + f", {failed} failed" * (
            failed > 0
        ), table

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
        what = "no other is better in all goals" if len(table.study.goals) > 1 else "the best"
        tail = f"<p>... and {more} more</p>" if more > 0 else ""
        return (
            f"{head}<table><caption>{what}</caption><thead><tr><th>row</th>{titles}</tr></thead>"
            f"<tbody>{rows}</tbody></table>{tail}"
        )


def _cell(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else html.escape(str(value))


def _index(name: str, given: Any, count: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise wrong_kind(name, "a whole number", given)
    if not 0 <= given < count:
        there = f"they are 0 to {count - 1}" if count else "there are none"
        raise UsageError(f"{name} {given}: there is no such {name}; {there}.")
    return int(given)


def _state(path: Path) -> tuple[int, int] | None:
    """By what it is seen that a file has changed; None of one without content."""
    with suppress(OSError):
        found = path.stat()
        if found.st_size:
            return found.st_mtime_ns, found.st_size
    return None


def _write(path: Path, source: Scene | Run | str | Path, given: Mapping[str, Any]) -> None:
    """Write the file of a study, and its scene beside it where that is in no file of its own.

    Raises `StudyError`, `SceneError` or `UsageError`: then nothing was written.
    """
    if path.exists() and not is_study(path):
        raise StudyError(f"{path}: this is there and no study; give the study another file.")
    scene, base_dir, changes = prepare(source)
    if changes:
        raise UsageError("A run whose scene changes on the way cannot be varied; give its scene.")
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
        _see_that_it_is_a_scene(own)
        base_dir = path.parent
    study = made(study_values(name or named_from(path.parent, own), given))
    Plan(study, scene, base_dir or path.parent, str(path))
    if own != file:
        save_scene(scene, own)
    save_study(study, path)


def _see_that_it_is_a_scene(path: Path) -> None:
    """Only the scene of the same study may be written over."""
    if path.exists():
        try:
            load_scene(path)
        except SceneError:
            raise StudyError(
                f"{path}: this is there and no scene; give the study another file."
            ) from None
