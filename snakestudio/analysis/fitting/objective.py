"""One evaluation: a trial's scene is run with given values and compared with the measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from snakestudio.analysis.fitting.misfit import MeasuredTracks, Misfit
from snakestudio.analysis.fitting.tracks import Trial
from snakestudio.errors import SnakeStudioError
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.session.contact_problem_file import where_saved
from snakestudio.session.offline import OfflineRun, run_while
from snakestudio.session.runner import Runner

Task = tuple[int, Mapping[str, float]]
"""Index of the trial, and scene values by key."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Result of one evaluation."""

    residual: NDArray[np.float64] | None
    """As in `Misfit`; None if the run failed. Shape (r,)."""

    failure: str = ""
    """Reason of the failure."""


class Objective:
    """Evaluates trials in this process."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.trials = tuple(replace(trial, scene=_long_enough(trial)) for trial in trials)
        self.measured = tuple(MeasuredTracks(trial) for trial in self.trials)

    def run(self, task: Task, proceed: Callable[[], bool] = lambda: True) -> OfflineRun:
        """Run a trial with given values; cancelled when `proceed`, which is polled often, returns False.

        If the simulation fails, its contact problem is saved, because the run was requested for itself and is
        not one of many evaluations.

        Raises `SceneError` if the scene cannot be run with these values.
        """
        runner = self._runner(task)
        run = self._run(runner, proceed)
        return (
            run
            if run.ok or run.cancelled
            else replace(run, message=f"{run.message}{where_saved(runner.engine)}")
        )

    def _runner(self, task: Task) -> Runner:
        number, values = task
        trial = self.trials[number]
        return Runner(
            with_values(trial.scene, dict(values)) if values else trial.scene, trial.base_dir
        )

    def _run(self, runner: Runner, proceed: Callable[[], bool]) -> OfflineRun:
        try:
            failure = run_while(runner, proceed)
        finally:
            runner.recording.close()
        return OfflineRun(
            runner.recording, failure == "", failure or "", failure is None, runner.engine_seconds
        )

    def misfit(self, number: int, run: OfflineRun) -> Misfit:
        """Return the misfit of a run of trial `number`."""
        return self.measured[number].against(run.recording)

    def evaluate(self, task: Task, proceed: Callable[[], bool] = lambda: True) -> Outcome | None:
        """Residuals of a trial with given values; None if `proceed`, which is polled often, returns False."""
        try:
            runner = self._runner(task)
        except SnakeStudioError as error:
            return Outcome(None, str(error))
        run = self._run(runner, proceed)
        if run.cancelled:
            return None
        return Outcome(self.misfit(task[0], run).residual) if run.ok else Outcome(None, run.message)


def _long_enough(trial: Trial) -> Scene:
    """Return the trial's scene, ending with the measurement: a longer run would add no information."""
    period = trial.scene.control.period_s
    return with_values(trial.scene, {"run.duration_s": max(trial.end, period)})
