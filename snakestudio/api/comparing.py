"""Several models, or chains of links and a continuous body, on the same scene."""

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
    """One scene run by several models; `print` it for the table of differences.

    Attributes
    ----------
    data : ModelComparison
        Everything as arrays: common times, the values of every run at these, the differences.
    runs : dict of str to Run
        The runs by model; the first is the one that the others are compared with.
    scene_file : str or None
        Name of the file the scene came from.
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
        """The comparison as a report; its CSV has the time series of all values and of their differences."""
        return comparison_report(self.data, self.scene_file)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
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
    """Run a scene in several models; None if `progress` cancelled it.

    Raises `UsageError` if there is no such model.
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
    """Run a scene in several models, side by side, and compare them with the first that can run it.

    `Comparison.data.runs` gives the reason if a model cannot run the scene or its simulation failed.

    Raises `SceneError` if the scene cannot be read. Raises `UsageError` if there is no such model.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, a run, or a CSV that SnakeStudio exported.
    *kinds : str
        Models, as in `scene.model.kind`; all of them, the scene's own first, if left out.
    duration : float, optional
        Simulated time, s; the scene's own if left out.
    rate : float, optional
        Rows a simulated second, Hz; the scene's own if left out.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"gait.amplitude_deg": 30}``.
    **keywords
        More of them as keyword arguments.
    """
    prepared, base_dir, changes = prepare(scene, duration, rate, all_values(values, keywords))
    comparison = compare_scene(prepared, kinds, base_dir, changes, scene_name(scene))
    assert comparison is not None, "nothing cancels it"
    return comparison


class ChainReport(Reporting):
    """Chains of links beside a continuous body; as text it is the table of errors and orders.

    Attributes
    ----------
    data : ChainComparison
        Everything as arrays: joint by joint, by number of links and instant.
    scene_file : str or None
        Name of the file the scene came from.
    """

    def __init__(self, data: ChainComparison, scene_file: str | None = None) -> None:
        self.data = data
        self.scene_file = scene_file

    def report(self) -> Report:
        """The comparison as a report; its CSV has all joints of all chains."""
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
    """Hold chains against a scene's continuous body, see `session.chain_comparison`; None if `progress` cancelled it.

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
    """Hold chains of rigid links against the continuous body of a scene.

    Raises `SceneError` if the scene cannot be read or run. Raises `UsageError` if it has no
    continuous body. Raises `PhysicsError` if a run fails.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, a run, or a CSV that SnakeStudio exported.
    *links : int
        Numbers of links; 8, 16, ... 256 if left out, under friction up to 64.
    at : float or sequence of float
        Instants, s; half of the run if left out.
    own_axes : bool
        Whether rings push along the axes of the link they are on, which costs an order.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"strain.speed_m_s": 0.3}``.
    **keywords
        More of them as keyword arguments.
    """
    prepared, base_dir, _ = prepare(scene, None, None, all_values(values, keywords))
    for count in links:
        if not is_number(count, Integral):
            raise wrong_kind("a number of links", "a whole number", count)
    times = tuple(
        number_of("at", instant) for instant in (at if isinstance(at, Iterable) else (at,))
    )
    found = compare_scene_chain(
        prepared, tuple(map(int, links)), times, base_dir, scene_name(scene), None, own_axes
    )
    assert found is not None, "nothing cancels it"
    return found
