"""What a fit tells while it goes and what it leaves: plain data."""

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
    """The best there was after some evaluations."""

    evaluations: int
    cost: float
    """Root mean square distance, m."""

    values: Mapping[str, float]
    """By name of the parameter."""


@dataclass(frozen=True, slots=True)
class FitProgress:
    """How far a fit is."""

    doing: str
    """What is being done, in words."""

    evaluations: int
    limit: int
    """`evaluations` and `limit`: how many sets of values were tried, and how many there may be."""

    cost_before: float
    """Root mean square distance with the scene's own values, m."""

    history: tuple[Moment, ...]
    """The best so far, whenever there was a better one; the last is the best."""

    @property
    def fraction(self) -> float:
        """Finished part, if all evaluations are needed."""
        return min(1.0, self.evaluations / self.limit)


@dataclass(frozen=True, slots=True, eq=False)
class TrialOutcome:
    """One measured run, before and after."""

    trial: Trial
    before: Recording
    after: Recording
    """`before` and `after`: with the scene's own values and with the fitted ones."""

    misfit_before: Misfit
    misfit_after: Misfit
    """`misfit_before` and `misfit_after`: how far each is from the measurement."""


@dataclass(frozen=True, slots=True, eq=False)
class FitResult:
    """What a fit found."""

    parameters: tuple[FreeParameter, ...]
    start: dict[str, float | None]
    """Values of the scene by name of the parameter; None where the scene leaves it out."""

    values: dict[str, float]
    """Fitted values."""

    intervals: dict[str, tuple[float, float]]
    """In which the value lies with a probability of 95 %, within the bounds; NaN where that cannot
    be told."""

    cost_before: float
    cost_after: float
    """`cost_before` and `cost_after`: root mean square distance of run and measurement, m."""

    correlation: FloatArray
    """Of the estimates; NaN where it cannot be told. Shape (p, p)."""

    evaluations: int
    history: tuple[Moment, ...]
    notes: tuple[str, ...]
    """What is to be known when using the values, in sentences."""

    trials: tuple[TrialOutcome, ...]
    method: str
    """"least_squares", "cma" or "auto"."""

    seed: int
    stopped: bool = False
    """Whether it was stopped early: the values are the best until then."""

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
