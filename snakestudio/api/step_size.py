"""Check of the time step of a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from snakestudio.analysis.comparison.step_size import StepCheck
from snakestudio.analysis.comparison.step_size import check_step_size as run_check
from snakestudio.api.reporting import Reporting
from snakestudio.api.running import Run, all_values, prepare
from snakestudio.export.report import Report
from snakestudio.export.step_size_tables import step_report
from snakestudio.model.events import Change
from snakestudio.model.pull import Pull
from snakestudio.model.scene import Scene
from snakestudio.runfile.mcap.block_recording import BlockRecording


class StepReport(Reporting):
    """Dependence of the result of a scene on its time step; `print` shows the table.

    Attributes
    ----------
    data : StepCheck
        Runs, quantities with their errors, and proposed values.
    """

    def __init__(self, data: StepCheck) -> None:
        self.data = data

    def report(self) -> Report:
        """Return a report; its CSV has the values at each time step and their errors."""
        return step_report(self.data)

    @property
    def settled(self) -> bool:
        """Whether motion and works converge with smaller steps."""
        return self.data.settled

    @property
    def errors(self) -> dict[str, float]:
        """Estimated absolute errors by quantity, in the unit at the end of its name; NaN without convergence."""
        return {quantity.name: quantity.error for quantity in self.data.quantities}

    @property
    def proposal(self) -> dict[str, float] | None:
        """Scene values for errors of 1 %; empty if the current values suffice, None if there is no proposal."""
        return self.data.proposal


def check_scene_step_size(
    scene: Scene,
    base_dir: Path | None = None,
    changes: tuple[Change | Pull, ...] = (),
    progress: Callable[[float], bool] | None = None,
) -> StepReport | None:
    """Check the time step of a scene, see `check_step_size`; None if `progress` cancelled it.

    Raises `SceneError` if the scene cannot be run.
    """
    data = run_check(scene, base_dir, changes, progress)
    return None if data is None else StepReport(data)


def check_step_size(
    scene: Scene | Run | str | Path,
    duration: float | None = None,
    rate: float | None = None,
    *,
    values: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> StepReport:
    """Run a scene with its time step, a half and a quarter of it, and estimate the errors of the first run.

    If `scene` is a run of the checked scene, the run, and files written from it, then contain the
    estimate.

    Raises `SceneError` if the scene cannot be read or run.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, a run, or a CSV that SnakeStudio exported.
    duration : float, optional
        Simulated time in seconds. Default: the scene's `run.duration_s`.
    rate : float, optional
        Rows per simulated second. Default: the scene's `run.log_rate_hz`. Forces are means between two
        rows.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"solver.step_s": 0.001}``.
    **keywords
        More scene values: ``gait={"amplitude_deg": 30}`` or ``**{"gait.amplitude_deg": 30}``.
    """
    prepared, base_dir, changes = prepare(scene, duration, rate, all_values(values, keywords))
    checked = check_scene_step_size(prepared, base_dir, changes)
    assert checked is not None, "no progress callback cancels it"
    if isinstance(scene, Run) and isinstance(scene.recording, BlockRecording):
        scene.recording.set_step_estimate(checked.data.estimate or scene.recording.step_estimate)
    return checked
