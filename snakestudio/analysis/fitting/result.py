"""Progress and result of a fit, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from snakestudio._arrays import FloatArray
from snakestudio.analysis.fitting.misfit import Misfit
from snakestudio.analysis.fitting.parameters import FreeParameter
from snakestudio.analysis.fitting.tracks import Trial
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene


@dataclass(frozen=True, slots=True)
class Moment:
    """Best result after a number of evaluations."""

    evaluations: int
    cost: float
    """Root mean square distance, m."""

    values: Mapping[str, float]
    """By name of the parameter."""


@dataclass(frozen=True, slots=True)
class FitProgress:
    """Progress of a fit."""

    doing: str
    """Description of the current stage."""

    evaluations: int
    """Number of evaluated sets of values."""

    limit: int
    """Largest number of evaluated sets of values."""

    cost_before: float
    """Root mean square distance with the scene's own values, m."""

    history: tuple[Moment, ...]
    """Improvements so far; the last is the best."""

    @property
    def fraction(self) -> float:
        """Finished fraction if all evaluations are needed."""
        return min(1.0, self.evaluations / self.limit)


@dataclass(frozen=True, slots=True, eq=False)
class TrialOutcome:
    """One measured run, before and after the fit."""

    trial: Trial
    before: Recording
    """Run with the scene's own values."""

    after: Recording
    """Run with the fitted values."""

    misfit_before: Misfit
    """Misfit of the run with the scene's own values."""

    misfit_after: Misfit
    """Misfit of the run with the fitted values."""


@dataclass(frozen=True, slots=True, eq=False)
class FitResult:
    """Result of a fit."""

    parameters: tuple[FreeParameter, ...]
    start: dict[str, float | None]
    """Values of the scene by name of the parameter; None if the scene omits it."""

    values: dict[str, float]
    """Fitted values."""

    intervals: dict[str, tuple[float, float]]
    """Intervals that contain the value with a probability of 95 %, within the bounds; NaN if they cannot be
    determined."""

    cost_before: float
    """Root mean square distance of run and measurement with the scene's own values, m."""

    cost_after: float
    """Root mean square distance of run and measurement with the fitted values, m."""

    correlation: FloatArray
    """Correlation of the estimates; NaN if it cannot be determined. Shape (p, p)."""

    evaluations: int
    history: tuple[Moment, ...]
    notes: tuple[str, ...]
    """Remarks on the values."""

    trials: tuple[TrialOutcome, ...]
    method: str
    """"least_squares", "cma" or "auto"."""

    seed: int
    stopped: bool = False
    """Whether the fit was stopped early; the values are the best up to that point."""

    @property
    def scene_values(self) -> dict[str, float]:
        """Fitted values by scene key."""
        return {
            key: self.values[parameter.name]
            for parameter in self.parameters
            for key in parameter.keys
        }

    def fitted(self, scene: Scene) -> Scene:
        """`scene` with the fitted values."""
        return with_values(scene, dict(self.scene_values))

    @property
    def before(self) -> Recording:
        """The first trial's run with the scene's own values."""
        return self.trials[0].before

    @property
    def after(self) -> Recording:
        """The first trial's run with the fitted values."""
        return self.trials[0].after
