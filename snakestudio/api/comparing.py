"""Comparison of models, or of chains of links and a continuous body, on the same scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.analysis.comparison.chains import compare_chain as run_chains
from snakestudio.analysis.comparison.models import ModelComparison
from snakestudio.analysis.comparison.models import compare_models as run_models
from snakestudio.api.reporting import Reporting
from snakestudio.api.running import Run, all_values, prepare, scene_name
from snakestudio.export.chain_tables import chain_report
from snakestudio.export.comparison_tables import comparison_report
from snakestudio.export.report import Report
from snakestudio.model.arguments import is_number, number_of, wrong_kind
from snakestudio.model.events import Change
from snakestudio.model.pull import Pull
from snakestudio.model.scene import Scene


class Comparison(Reporting):
    """Results of several models on one scene; `print` shows the table of differences.

    Attributes
    ----------
    data : ModelComparison
        Data as arrays: common times, values of each run at these times, and differences.
    runs : dict of str to Run
        Runs by model; the others are compared with the first.
    scene_file : str or None
        Name of the scene file, if there is one.
    """

    def __init__(
        self, data: ModelComparison, scene_file: str | None = None, base_dir: Path | None = None
    ) -> None:
        self.data = data
        self.scene_file = scene_file
        self.runs = {
            run.label: Run(run.recording, scene_file, run.failure, base_dir)
            for run in data.runs
            if run.recording is not None
        }

    def report(self) -> Report:
        """Return a report; its CSV has the time series of all values and differences."""
        return comparison_report(self.data, self.scene_file)

    def _repr_html_(self) -> str:
        """Return the HTML for notebooks."""
        from snakestudio.api.notebook import comparison_html

        return comparison_html(self.data, self.scene_file)


def compare_scene(
    scene: Scene,
    kinds: Sequence[str] = (),
    base_dir: Path | None = None,
    changes: tuple[Change | Pull, ...] = (),
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> Comparison | None:
    """Run a scene with several models; None if `progress` cancelled it.

    Raises `UsageError` if a model does not exist.
    """
    data = run_models(scene, kinds, base_dir, changes, progress)
    return None if data is None else Comparison(data, scene_file, base_dir)


def compare_models(
    scene: Scene | Run | str | Path,
    *kinds: str,
    duration: float | None = None,
    rate: float | None = None,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Comparison:
    """Run a scene with several models and compare the results with the first model that can run it.

    `Comparison.data.runs` gives the reason if a model cannot run the scene or its simulation failed.

    Raises `SceneError` if the scene cannot be read. Raises `UsageError` if a model does not exist.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, a run, or a CSV that SnakeStudio exported.
    *kinds : str
        Models, as in `scene.model.kind`; if omitted, all models, that of the scene first.
    duration : float, optional
        Simulated time in seconds. Default: the scene's `run.duration_s`.
    rate : float, optional
        Rows per simulated second. Default: the scene's `run.log_rate_hz`.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"gait.amplitude_deg": 30}``.
    **keywords
        More scene values: ``gait={"amplitude_deg": 30}`` or ``**{"gait.amplitude_deg": 30}``.
    """
    prepared, base_dir, changes = prepare(scene, duration, rate, all_values(values, keywords))
    comparison = compare_scene(prepared, kinds, base_dir, changes, scene_name(scene))
    assert comparison is not None, "no progress callback cancels it"
    return comparison


class ChainReport(Reporting):
    """Chains of links compared with a continuous body; `print` shows the table of errors and orders.

    Attributes
    ----------
    data : ChainComparison
        Data as arrays for each joint, by number of links and time.
    scene_file : str or None
        Name of the scene file, if there is one.
    """

    def __init__(self, data: ChainComparison, scene_file: str | None = None) -> None:
        self.data = data
        self.scene_file = scene_file

    def report(self) -> Report:
        """Return a report; its CSV has all joints of all chains."""
        return chain_report(self.data, self.scene_file)


def compare_scene_chain(
    scene: Scene,
    links: Sequence[int] = (),
    times: Sequence[float] = (),
    base_dir: Path | None = None,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
    own_axes: bool = False,
) -> ChainReport | None:
    """Compare chains with the continuous body of a scene; None if `progress` cancelled it.

    Raises
    ------
    UsageError, SceneError, PhysicsError
    """
    data = run_chains(scene, links, times, base_dir, progress, own_axes)
    return None if data is None else ChainReport(data, scene_file)


def compare_chain(
    scene: Scene | Run | str | Path,
    *links: int,
    at: float | Sequence[float] = (),
    own_axes: bool = False,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> ChainReport:
    """Compare chains of rigid links with the continuous body of a scene.

    Raises `SceneError` if the scene cannot be read or run. Raises `UsageError` if it has no
    continuous body. Raises `PhysicsError` if a run fails.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, a run, or a CSV that SnakeStudio exported.
    *links : int
        Numbers of links; if omitted, 8, 16, ... 256, or up to 64 with friction.
    at : float or sequence of float
        Times, s; half of the run if omitted.
    own_axes : bool
        Whether rings push along the axes of their link, which reduces the order of convergence
        by one.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"strain.speed_m_s": 0.3}``.
    **keywords
        More scene values: ``gait={"amplitude_deg": 30}`` or ``**{"gait.amplitude_deg": 30}``.
    """
    prepared, base_dir, _ = prepare(scene, None, None, all_values(values, keywords))
    for count in links:
        if not is_number(count, Integral):
            raise wrong_kind("a number of links", "a whole number", count)
    times = tuple(
        number_of("at", instant) for instant in (at if isinstance(at, Iterable) else (at,))
    )
    report = compare_scene_chain(
        prepared, tuple(map(int, links)), times, base_dir, scene_name(scene), None, own_axes
    )
    assert report is not None, "no progress callback cancels it"
    return report
