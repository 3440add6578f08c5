"""Execution of study files: a file is checked completely before anything is computed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from snakestudio.errors import Problem, SceneError, SignalError, StudyError, UsageError
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.arguments import is_number, wrong_kind
from snakestudio.model.columns import column_names
from snakestudio.model.edits import with_values
from snakestudio.model.labels import label_of
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import parse_scene
from snakestudio.runfile.mcap.enclosed import named_files
from snakestudio.session.run_schema import run_schema
from snakestudio.study.cluster import Cluster, Tls
from snakestudio.study.description import StudyFields
from snakestudio.study.driver import Driver, Progress
from snakestudio.study.evaluate import transfer_name
from snakestudio.study.goals import title_of, unit_of
from snakestudio.study.plan import Plan
from snakestudio.study.results import Table
from snakestudio.study.samplers import sampler
from snakestudio.study.store import RunRequest, Store, store_path
from snakestudio.study.study_file import load_study, parse_study, scene_of

MOST_WORKERS = 1024


@dataclass(frozen=True, slots=True)
class Workers:
    """Workers that compute a study."""

    count: int | None = None
    """Number of processes on this computer; one per processor if None."""

    scheduler: str | None = None
    """Address of an existing cluster to use instead."""

    tls: Tls | None = None
    """TLS files for the connection to the scheduler."""

    @classmethod
    def from_options(
        cls,
        count: object = None,
        scheduler: object = None,
        tls: Tls | None = None,
        *,
        least: int = 1,
        prefix: str = "",
    ) -> Workers:
        """Create workers from values of the user.

        Raises `UsageError` if a value is invalid; `prefix` precedes its name in the message.
        """
        if count is not None and (
            not is_number(count) or count != int(count) or not least <= count <= MOST_WORKERS
        ):
            raise UsageError(
                f"{prefix}workers {count!r}: give an integer from {least} to {MOST_WORKERS}."
            )
        if scheduler is not None and not isinstance(scheduler, str):
            raise wrong_kind(
                f"{prefix}scheduler", 'an address, such as "tcp://host:8786"', scheduler
            )
        if count is not None and scheduler is not None:
            raise UsageError(
                f"{prefix}workers and {prefix}scheduler exclude each other. Give one of them."
            )
        return cls(None if count is None else int(count), scheduler, tls)

    def cluster(self) -> Cluster:
        """Start the cluster.

        Raises
        ------
        StudyError
        """
        return Cluster(self.count, self.scheduler, self.tls)


def open_plan(path: Path) -> Plan:
    """Load the study in a file, with its scene.

    Raises `StudyError` or `SceneError`, naming every problem.
    """
    return Plan.of_file(load_study(path), path)


def formulations_of(plan: Plan) -> tuple[str, ...]:
    """Return the formulations of the dynamics that the runs use."""
    kinds: list[str] = [plan.scene.model.kind]
    for vary in plan.study.vary:
        if "model.kind" in vary.all_keys:
            kinds += [str(value) for value in vary.values]
    return tuple(dict.fromkeys(kinds))


def warnings_of(plan: Plan) -> list[str]:
    """Return the warnings about a study: varied values without effect, costs that are maximised."""
    warnings = []
    for number, vary in enumerate(plan.study.vary, 1):
        for key in vary.all_keys:
            why = unused_reason(plan.scene, key)
            if why:
                warnings.append(
                    f"{plan.source}: vary[{number}]: {label_of(plan.scene, key)} ({key}) has no effect: {why}."
                )
    for number, goal in enumerate(plan.study.goals, 1):
        if goal.warning:
            warnings.append(
                f"{plan.source}: goals[{number}]: {title_of(goal.called)}: {goal.warning}"
            )
    return warnings


def columns_of(scene: Scene, base_dir: Path | None) -> tuple[str, ...]:
    """Return the columns of a run of a scene.

    Raises `SceneError` if the scene cannot run.
    """
    return column_names(run_schema(scene, base_dir))


def units_of(study: StudyFields, columns: Sequence[str]) -> tuple[dict[str, str], list[Problem]]:
    """Unit suffixes of the measures of a run with these columns, by name, and problems of invalid measures."""
    units = {}
    problems = []
    for number, part in enumerate(study.measured, 1):
        try:
            units[part.called] = unit_of(part.measure, columns)
        except SignalError as error:
            goals = len(study.goals)
            at = f"goals[{number}]" if number <= goals else f"limits[{number - goals}]"
            problems.append(Problem("error", f"{at}.measure", error.message, error.remedy))
    return units, problems


def check_measures(plan: Plan) -> dict[str, str]:
    """Return the unit suffixes of the measures, by name.

    Raises `StudyError`, naming all measures that a run of the scene does not have. Raises
    `SceneError` if the scene cannot run.
    """
    units, problems = units_of(plan.study, columns_of(plan.scene, plan.base_dir))
    if problems:
        raise StudyError.of(problems, plan.source)
    return units


@contextmanager
def driver_of(
    path: Path,
    plan: Plan,
    units: Mapping[str, str],
    workers: Workers,
    progress: Callable[[Progress], None] | None = None,
    retry: bool = False,
) -> Iterator[Driver]:
    """Open the store of a study and yield its driver; `retry` repeats runs that crashed their workers before.

    Raises `StudyError` or `SceneError` if it cannot be run.
    """
    sampler(plan)  # raises if a package is missing
    with Store(store_path(path), writing=True) as store:
        yield Driver(plan, store, workers.cluster, progress, units=units, retry=retry)


def run_study(
    path: Path,
    workers: Workers | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: threading.Event | None = None,
    retry: bool = False,
) -> Progress:
    """Run the study in a file to its end, or until it is `cancelled`.

    With `retry`, runs that crashed their workers before are repeated.

    Raises
    ------
    StudyError, SceneError
    """
    plan = open_plan(path)
    units = check_measures(plan)

    def report(now: Progress) -> None:
        if progress is not None:
            progress(now)
        if cancelled is not None and cancelled.is_set():
            driver.cancel()

    with driver_of(path, plan, units, workers or Workers(), report, retry) as driver:
        if cancelled is not None and cancelled.is_set():
            driver.cancel()
        return driver.run()


def texts_of(path: Path) -> dict[str, str]:
    """Return the study and its scene as TOML, as they were during the run.

    Raises
    ------
    StudyError
    """
    with Store(store_path(path)) as store:
        return {name: text for name, text in store.about().items() if name in ("study", "scene")}


def units_of_results(path: Path) -> dict[str, str]:
    """Return the unit suffixes of goals and limits by name.

    Raises
    ------
    StudyError
    """
    with Store(store_path(path)) as store:
        return store.noted(
            "units", "{}", lambda units: {str(name): str(unit) for name, unit in units.items()}
        )


def results_of(path: Path, *, include_implausible: bool = False) -> Table:
    """Return the results so far of the study in a file, as it was during the run.

    With `include_implausible`, runs that are not plausible count, even if the study leaves them out.

    Raises `StudyError` if there are no results, or they cannot be read.
    """
    if not os.path.isfile(path) and not os.path.isfile(store_path(path)):
        raise StudyError(f"{path}: there is no such file. Check the path.")
    with Store(store_path(path)) as store:
        about = store.about()
        if "study" not in about:
            raise StudyError(f"{store.path}: there are no results yet. Run the study first.")
        begun = store.noted(
            "searches",
            "[]",
            lambda searches: tuple((int(first), int(size)) for first, size in searches),
        )
        table = Table(parse_study(about["study"], str(path)), store.results(), begun)
        return table.including_implausible(True) if include_implausible else table


def scene_of_run(
    path: Path, study: StudyFields, text: str, request: RunRequest
) -> tuple[Scene, Path]:
    """Return the scene of a run as it was run, and the base folder of its file names.

    Raises `SceneError` if the values do not fit the scene.

    Parameters
    ----------
    path : Path
        File of the study.
    study : StudyFields
        Study as it was run.
    text : str
        Scene as it was run, TOML.
    """
    base_dir = scene_of(study, path).parent
    scene = parse_scene(text, source=str(path))
    try:  # workers renamed files outside the folder
        present = Plan.of_file(load_study(path), path).scene
    except (SceneError, StudyError):
        present = scene
    names = {transfer_name(name): name for _, name in named_files(present)}
    moved = {key: names[name] for key, name in named_files(scene) if names.get(name, name) != name}
    scene = with_values(scene, moved) if moved else scene
    return with_values(scene, request.changes) if request.changes else scene, base_dir
