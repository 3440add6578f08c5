"""Values of a scene fitted to measured runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from snakestudio.analysis import fitting
from snakestudio.analysis.experiment.importing import read_capture
from snakestudio.analysis.fitting import (
    FitProgress,
    FitResult,
    FreeParameter,
    JointTrack,
    Track,
    Trial,
)
from snakestudio.analysis.fitting.tracks import Captured
from snakestudio.api.reporting import Reporting
from snakestudio.api.running import Run, all_values, prepare
from snakestudio.errors import UsageError
from snakestudio.export.fit_picture import write_fit_picture
from snakestudio.export.fit_report import fit_report
from snakestudio.export.report import Report
from snakestudio.inputs import local_path
from snakestudio.model.arguments import is_number, wrong_kind
from snakestudio.model.scene import Scene
from snakestudio.study.fit_pool import FitPool
from snakestudio.study.running import Workers

Free = Mapping[str, Sequence[Any]] | Iterable[FreeParameter | str]


class Fit(Reporting):
    """Fitted values; `print` it for the table.

    Attributes
    ----------
    data : FitResult
        Everything as plain data: values, intervals, runs before and after.
    scene : Scene
        The scene with the fitted values.
    """

    def __init__(self, data: FitResult, scene: Scene) -> None:
        self.data = data
        self.scene = data.fitted(scene)

    def report(self) -> Report:
        """The fit as a report; its CSV has the fitted values."""
        return fit_report(self.data)

    def __getitem__(self, name: str) -> float:
        if name not in self.data.values:
            raise KeyError(f"{name!r} was not free; see fit.data.values")
        return self.data.values[name]

    def to_picture(self, path: str | Path) -> None:
        """Draw every measured run from above, before and after, and the distance over time: PDF, PNG or SVG.

        Raises `ExportError` if the file cannot be written.
        """
        write_fit_picture(local_path(path), self.data)


def fit_trials(
    scene: Scene,
    trials: Sequence[Trial],
    parameters: Sequence[FreeParameter],
    method: str = "auto",
    seed: int = 1,
    limit: int | None = None,
    workers: Workers | None = None,
    progress: Callable[[FitProgress], bool] | None = None,
) -> Fit:
    """Fit `parameters` to trials; see `fit`. Of `workers` a count of 0 is this thread.

    Raises
    ------
    UsageError, SceneError, StudyError, PhysicsError
    """
    pool = None if workers is not None and workers.count == 0 else partial(FitPool, workers=workers)
    data = fitting.fit(trials, parameters, method, seed, limit=limit, pool=pool, progress=progress)
    assert data is not None, "nothing abandons it"
    return Fit(data, scene)


def fit(
    scene: Scene | Run | str | Path,
    experiment: str | Path | Captured | Trial | Sequence[Any],
    free: Free,
    *,
    method: str = "auto",
    seed: int = 1,
    offset_s: tuple[float, float] | float | None = None,
    align: bool = True,
    limit: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Fit:
    """Fit values of a scene so that its run matches measured ones.

    Raises `SceneError`, `UsageError` or `ExperimentError`: naming what is wrong. Raises
    `StudyError` if nobody is there who simulates. Raises `PhysicsError` if the run fails with the
    scene's own values.

    Parameters
    ----------
    experiment : path, Capture, Trial, sequence of Track, or a sequence of such
        What was measured: one run or several. A `Trial` has a separate scene.
    free : mapping of str to (low, high) or (low, high, "log"), or sequence
        What may change, by dotted key: ``{"ground.mu_along": (0.05, 0.5)}``; keys joined by ``+``
        get one value.
    seed : int
        The same seed gives the same result.
    offset_s : (float, float) or float, optional
        Between what the clock of the measurement may be off, or by how much it is, s; -0.5 to 0.5
        if left out, and 0 where the start delay is free.
    align : bool
        Whether the measurement may be turned and moved as a whole to lie on the run.
    limit : int, optional
        Sets of values that may be tried.
    workers : int, optional
        Processes of this machine that simulate; 0: none but this one. As many as processors if left
        out.
    scheduler : str, optional
        Address of a dask scheduler whose workers simulate in their place, like
        ``"tcp://host:8786"``.
    values : mapping, optional
        Scene values to replace, by dotted key.
    **keywords
        More of them as keyword arguments.
    """
    who = Workers.given(workers, scheduler, least=0)
    prepared, base_dir, _ = prepare(scene, values=all_values(values, keywords))
    parameters = _parameters(free)
    bounds = fitting.offset_bounds(parameters) if offset_s is None else _bounds(offset_s)
    given: list[Any] = [experiment]
    if (
        isinstance(experiment, Sequence)
        and not isinstance(experiment, str)
        and not _are_tracks(experiment)
    ):
        given = list(experiment)
    trials = [
        _trial(one, number, prepared, base_dir, bounds, align) for number, one in enumerate(given)
    ]
    return fit_trials(prepared, trials, parameters, method, seed, limit, who)


def _parameters(free: Free) -> list[FreeParameter]:
    if isinstance(free, Mapping) and not isinstance(free, Run):
        return [fitting.free_parameter(name, bounds) for name, bounds in free.items()]
    given = (
        [] if isinstance(free, Run | str | bytes) or not isinstance(free, Iterable) else list(free)
    )
    if not given or not all(isinstance(one, str | FreeParameter) for one in given):
        raise wrong_kind("free", 'what may change, such as {"ground.mu_along": (0.05, 0.5)}', free)
    return [fitting.parse_free(one) if isinstance(one, str) else one for one in given]


def _bounds(offset_s: tuple[float, float] | float) -> tuple[float, float]:
    ends = (
        tuple(offset_s)
        if isinstance(offset_s, Iterable) and not isinstance(offset_s, Mapping)
        else (offset_s,) * 2
    )
    if len(ends) != 2 or not all(map(is_number, ends)):
        raise wrong_kind("offset_s", "a number or two, (low, high)", offset_s)
    return float(ends[0]), float(ends[1])


def _are_tracks(given: Any) -> bool:
    return bool(given) and all(isinstance(one, Track | JointTrack) for one in given)


def _trial(
    given: Any,
    number: int,
    scene: Scene,
    base_dir: Path | None,
    bounds: tuple[float, float],
    align: bool,
) -> Trial:
    if isinstance(given, Trial):
        return given
    if isinstance(given, str | Path):
        given = read_capture(given)
    elif isinstance(given, Sequence) and _are_tracks(given):
        return Trial(f"run {number + 1}", scene, tuple(given), base_dir, bounds, align)
    if not hasattr(given, "links"):
        raise UsageError(
            f"{given!r} is nothing to fit to; give a file, a capture, or a list of tracks."
        )
    return fitting.trial_of(given, scene, base_dir, bounds, align)
