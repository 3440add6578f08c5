"""The check of a scene's time step."""

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
    """How far the result of a scene depends on its time step; `print` it for the table.

    Attributes
    ----------
    data : StepCheck
        The runs, all quantities with their errors, and the proposed values.
    """

    def __init__(self, data: StepCheck) -> None:
        self.data = data

    def report(self) -> Report:
        """The check as a report; its CSV has the values at each step and their errors."""
        return step_report(self.data)

    @property
    def settled(self) -> bool:
        """Whether motion and works approach a limit with finer steps."""
        return self.data.settled

    @property
    def errors(self) -> dict[str, float]:
        """Estimated absolute errors by quantity, in the unit that its name ends in; NaN where it does not settle."""
        return {quantity.name: quantity.error for quantity in self.data.quantities}

    @property
    def proposal(self) -> dict[str, float] | None:
        """Scene values for errors of 1 %; empty if the present ones are enough, None if none can be proposed."""
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
    """Run a scene with its time step, a half and a quarter of it, and estimate the errors at its own.

    A run that is given, and is one of this very scene, carries the estimate from then on: so do the
    files it is written to.

    Raises `SceneError` if the scene cannot be read or run.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, a run, or a CSV that SnakeStudio exported.
    duration : float, optional
        Simulated time, s; the scene's own if omitted.
    rate : float, optional
        Rows per simulated second, Hz; the scene's own if omitted. Forces are means between two
        rows.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"solver.step_s": 0.001}``.
    **keywords
        More of them as keyword arguments.
    """
    prepared, base_dir, changes = prepare(scene, duration, rate, all_values(values, keywords))
    checked = check_scene_step_size(prepared, base_dir, changes)
    assert checked is not None, "nothing cancels it"
    if isinstance(scene, Run) and isinstance(scene.recording, BlockRecording):
        scene.recording.set_step_estimate(checked.data.estimate or scene.recording.step_estimate)
    return checked
