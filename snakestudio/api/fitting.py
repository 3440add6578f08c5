"""Fit of scene values to measured runs."""

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
from snakestudio.analysis.fitting.tracks import FittedCapture
from snakestudio.api.plugins import load_plugins
from snakestudio.api.reporting import Reporting
from snakestudio.api.running import Run, all_values, prepare
from snakestudio.errors import UsageError
from snakestudio.export.fit_picture import write_fit_picture
from snakestudio.export.fit_report import fit_report
from snakestudio.export.report import Report
from snakestudio.inputs import local_path
from snakestudio.kinds.plugin_kinds import require_kinds
from snakestudio.model.arguments import is_number, wrong_kind
from snakestudio.model.scene import Scene
from snakestudio.study.fit_pool import FitPool
from snakestudio.study.running import Workers

Free = Mapping[str, Sequence[Any]] | Iterable[FreeParameter | str]


class Fit(Reporting):
    """Fitted values; `print` shows the table.

    Attributes
    ----------
    data : FitResult
        Result as plain data: values, intervals, runs before and after the fit.
    scene : Scene
        Scene with the fitted values.
    """

    def __init__(self, data: FitResult, scene: Scene) -> None:
        self.data = data
        self.scene = data.fitted(scene)

    def report(self) -> Report:
        """Return a report; its CSV has the fitted values."""
        return fit_report(self.data)

    def __getitem__(self, name: str) -> float:
        if name not in self.data.values:
            raise KeyError(f"{name!r} was not a free parameter; see fit.data.values")
        return self.data.values[name]

    def to_picture(self, path: str | Path) -> None:
        """Draw measured and simulated paths from above, before and after the fit, and their distance over time.

        The suffix selects PDF, PNG or SVG. Raises `ExportError` if the file cannot be written.
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
    """Fit `parameters` to trials; see `fit`. With 0 `workers`, this thread simulates.

    Raises
    ------
    UsageError, SceneError, StudyError, PhysicsError
    """
    pool = None if workers is not None and workers.count == 0 else partial(FitPool, workers=workers)
    data = fitting.fit(trials, parameters, method, seed, limit=limit, pool=pool, progress=progress)
    assert data is not None, "no progress callback cancels it"
    return Fit(data, scene)


def fit(
    scene: Scene | Run | str | Path,
    experiment: str | Path | FittedCapture | Trial | Sequence[Any],
    free: Free,
    *,
    method: str = "auto",
    seed: int = 1,
    offset_s: tuple[float, float] | float | None = None,
    align: bool = True,
    limit: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    plugins: Sequence[str | Path] = (),
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Fit:
    """Fit scene values so that the run of the scene matches measured runs.

    Raises `SceneError`, `UsageError` or `ExperimentError` if an argument is invalid. Raises
    `StudyError` if no worker is available. Raises `PhysicsError` if the run with the values of the
    scene fails.

    Parameters
    ----------
    experiment : path, Capture, Trial, sequence of Track, or a sequence of such
        Measured runs, one or several. A `Trial` has its own scene.
    free : mapping of str to (low, high) or (low, high, "log"), or sequence
        Free parameters and their bounds, by dotted key: ``{"ground.mu_along": (0.05, 0.5)}``. Keys joined by
        ``+`` share one value.
    seed : int
        The same seed gives the same result.
    offset_s : (float, float) or float, optional
        Bounds of the clock offset of the measurement, or its value, s. If omitted, -0.5 to
        0.5, or 0
        if the start delay is free.
    align : bool
        Whether the measurement is rotated and shifted as a whole onto the run.
    limit : int, optional
        Largest number of sets of values to try.
    workers : int, optional
        Number of worker processes on this machine, 0 for this process alone; the number of
        processors if omitted.
    scheduler : str, optional
        Address of a Dask scheduler whose workers simulate instead, such as ``"tcp://host:8786"``.
    plugins : sequence of path or str
        Plug-ins to load first, as in `simulate`.
    values : mapping, optional
        Scene values to replace, by dotted key.
    **keywords
        More scene values: ``gait={"amplitude_deg": 30}`` or ``**{"gait.amplitude_deg": 30}``.
    """
    who = Workers.from_options(workers, scheduler, least=0)
    load_plugins(plugins)
    prepared, base_dir, _ = prepare(scene, values=all_values(values, keywords))
    require_kinds(prepared, base_dir, str(scene) if isinstance(scene, str | Path) else "")
    parameters = _parameters(free)
    bounds = fitting.offset_bounds(parameters) if offset_s is None else _bounds(offset_s)
    measured: list[Any] = [experiment]
    if (
        isinstance(experiment, Sequence)
        and not isinstance(experiment, str)
        and not _are_tracks(experiment)
    ):
        measured = list(experiment)
    trials = [
        _trial(one, number, prepared, base_dir, bounds, align)
        for number, one in enumerate(measured)
    ]
    return fit_trials(prepared, trials, parameters, method, seed, limit, who)


def _parameters(free: Free) -> list[FreeParameter]:
    if isinstance(free, Mapping) and not isinstance(free, Run):
        return [fitting.free_parameter(name, bounds) for name, bounds in free.items()]
    names = (
        [] if isinstance(free, Run | str | bytes) or not isinstance(free, Iterable) else list(free)
    )
    if not names or not all(isinstance(one, str | FreeParameter) for one in names):
        raise wrong_kind(
            "free", 'a mapping of free parameters, such as {"ground.mu_along": (0.05, 0.5)}', free
        )
    return [fitting.parse_free(one) if isinstance(one, str) else one for one in names]


def _bounds(offset_s: tuple[float, float] | float) -> tuple[float, float]:
    ends = (
        tuple(offset_s)
        if isinstance(offset_s, Iterable) and not isinstance(offset_s, Mapping)
        else (offset_s,) * 2
    )
    if len(ends) != 2 or not all(map(is_number, ends)):
        raise wrong_kind("offset_s", "a number or two, (low, high)", offset_s)
    return float(ends[0]), float(ends[1])


def _are_tracks(value: Any) -> bool:
    return bool(value) and all(isinstance(one, Track | JointTrack) for one in value)


def _trial(
    measured: Any,
    number: int,
    scene: Scene,
    base_dir: Path | None,
    bounds: tuple[float, float],
    align: bool,
) -> Trial:
    if isinstance(measured, Trial):
        return measured
    if isinstance(measured, str | Path):
        measured = read_capture(measured)
    elif isinstance(measured, Sequence) and _are_tracks(measured):
        return Trial(f"run {number + 1}", scene, tuple(measured), base_dir, bounds, align)
    if not hasattr(measured, "links"):
        raise UsageError(
            f"{measured!r} is not a measurement. Give a file, a capture, or a list of tracks."
        )
    return fitting.trial_of(measured, scene, base_dir, bounds, align)
