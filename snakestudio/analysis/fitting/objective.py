"""One evaluation: a trial's scene run with given values, and how far that is from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from snakestudio.analysis.fitting.misfit import Measured, Misfit
from snakestudio.analysis.fitting.tracks import Trial
from snakestudio.errors import SnakeStudioError
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.session.offline import OfflineRun, run_offline
from snakestudio.session.runner import Runner

__all__ = ["Objective", "Outcome", "Task"]

Task = tuple[int, Mapping[str, float]]
"""Which trial, and scene values by key."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one evaluation gave.

    Attributes
    ----------
    residual : (r,) array or None
        As in `Misfit`; None if the run failed.
    failure : str
        Why it did, in a sentence.
    """

    residual: NDArray[np.float64] | None
    failure: str = ""


class Objective:
    """Evaluates trials in this process.

    Parameters
    ----------
    trials : sequence of Trial
    """

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.trials = tuple(replace(trial, scene=_long_enough(trial)) for trial in trials)
        self.measured = tuple(Measured(trial) for trial in self.trials)

    def run(self, task: Task, progress: Callable[[float], bool] | None = None) -> OfflineRun:
        """Run a trial with some values.

        Raises
        ------
        SceneError
            If the scene cannot be run with these.
        """
        number, values = task
        trial = self.trials[number]
        scene = with_values(trial.scene, dict(values)) if values else trial.scene
        return run_offline(scene, trial.base_dir, progress=progress)

    def misfit(self, number: int, run: OfflineRun) -> Misfit:
        """How far a run of trial `number` is from what was measured."""
        return self.measured[number].against(run.recording)

    def evaluate(self, task: Task) -> Outcome:
        """The residuals of a trial with some values."""
        number, values = task
        trial = self.trials[number]
        try:
            # Not `run_offline`: that saves the contact problem of every failure, and here failures are ordinary.
            runner = Runner(with_values(trial.scene, dict(values)) if values else trial.scene, trial.base_dir)
        except SnakeStudioError as error:
            return Outcome(None, str(error))
        report = runner.advance(runner.end_step)
        if not report.ok:
            return Outcome(None, report.message)
        return Outcome(self.measured[number].against(runner.recording).residual)


def _long_enough(trial: Trial) -> Scene:
    """The trial's scene, ending with what was measured: what comes after costs time and says nothing."""
    period = trial.scene.control.period_s
    return with_values(trial.scene, {"run.duration_s": max(trial.end, period)})
