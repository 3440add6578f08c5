"""Search for the best values: counts and stores evaluations for two methods.

All positions are between the bounds (0 to 1 for each parameter), so that a friction coefficient and a
time are treated alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.fitting.evaluator import Evaluator, StoppedError
from snakestudio.analysis.fitting.objective import Task
from snakestudio.analysis.fitting.parameters import FreeParameter
from snakestudio.analysis.fitting.result import FitProgress, Moment

STEP = 0.01
"""Half the interval of a finite difference, as a fraction of the range.

A simulation with contact and stiction depends piecewise smoothly on its parameters: where a contact
opens one step earlier, the motion jumps by micrometres. Steps near rounding would only resolve these
jumps; over a hundredth of the range the motion changes by millimetres, a thousand times as much, and
the second-order error of a central difference is one ten-thousandth.
"""

ROUGH = 0.5
"""Ratio of second to first difference above which the result counts as discontinuous."""

_ENOUGH = 1e-4
"""Change of the positions, and relative change of the sum of squares, below which least squares have
converged."""

_PENALTY = 1e3
"""Cost of a failed run in CMA-ES, m: higher than that of any other run."""


class Search:
    """Evaluations of one fit.

    Parameters
    ----------
    weights : sequence of float
        Total weight of the measurements of each trial.
    least_steps : sequence of float
        Smallest significant difference of positions, by parameter.
    limit : int
        Largest number of evaluations; those in progress are finished.
    progress : callable, optional
        Called with a `FitProgress` after each evaluation; the search stops when it returns False.
    abandoned : callable
        Polled often; the search stops immediately when it returns True.
    """

    def __init__(
        self,
        parameters: Sequence[FreeParameter],
        weights: Sequence[float],
        least_steps: Sequence[float],
        evaluator: Evaluator,
        limit: int,
        progress: Callable[[FitProgress], bool] | None,
        abandoned: Callable[[], bool],
    ) -> None:
        self.parameters = tuple(parameters)
        self.steps = np.clip(np.maximum(STEP, least_steps), None, 0.5)
        self.evaluations = 0
        self.history: tuple[Moment, ...] = ()
        self.best = np.zeros(len(self.parameters))
        self.failure = ""
        """Reason why the last failed run failed."""
        self.limit = limit
        self._weights = tuple(weights)
        self._evaluator = evaluator
        self._progress = progress
        self._abandoned = abandoned
        self._known: dict[bytes, FloatArray | None] = {}
        self._doing = ""
        self._cost_before = math.inf

    @property
    def best_cost(self) -> float:
        """Smallest root mean square distance, m."""
        return self.history[-1].cost if self.history else math.inf

    @property
    def exhausted(self) -> bool:
        """Whether the limit of evaluations is reached."""
        return self.evaluations >= self.limit

    def begin(self, doing: str, cost_before: float) -> None:
        """Start a stage and publish its description."""
        self._doing = doing
        self._cost_before = cost_before

    def values(self, places: FloatArray) -> dict[str, float]:
        """Return the values by name of the parameter."""
        return {
            p.name: p.value(float(position))
            for p, position in zip(self.parameters, places, strict=True)
        }

    def cost(self, residual: FloatArray | None) -> float:
        """Return the root mean square distance, m."""
        return (
            math.inf
            if residual is None
            else math.sqrt(float(residual @ residual) / sum(self._weights))
        )

    def residuals(self, points: Sequence[FloatArray]) -> list[FloatArray | None]:
        """Return the residuals of all trials, concatenated, at some points; None where a run failed.

        Raises
        ------
        StoppedError
        """
        new = list(
            dict.fromkeys(point.tobytes() for point in points if point.tobytes() not in self._known)
        )
        tasks: list[Task] = []
        for known in new:
            keys: dict[str, float] = {}
            for parameter, position in zip(self.parameters, np.frombuffer(known), strict=True):
                keys |= parameter.values(parameter.value(float(position)))
            tasks += [(trial, keys) for trial in range(len(self._weights))]
        outcomes = self._evaluator.map(tasks, self._may_continue)
        count = len(self._weights)
        for number, known in enumerate(new):
            parts = [
                outcome.residual for outcome in outcomes[number * count : (number + 1) * count]
            ]
            self.failure = next(
                (o.failure for o in outcomes[number * count : (number + 1) * count] if o.failure),
                self.failure,
            )
            successful = [part for part in parts if part is not None]
            self._known[known] = (
                np.concatenate(successful) if len(successful) == len(parts) else None
            )
            self._record(np.frombuffer(known), self._known[known])
        if new and not self._report_progress():
            raise StoppedError
        return [self._known[point.tobytes()] for point in points]

    def _record(self, position: FloatArray, residual: FloatArray | None) -> None:
        self.evaluations += 1
        cost = self.cost(residual)
        if cost < self.best_cost:
            self.best = position.copy()
            self.history = (*self.history, Moment(self.evaluations, cost, self.values(position)))

    def _report_progress(self) -> bool:
        if self._progress is None:
            return True
        return self._progress(
            FitProgress(self._doing, self.evaluations, self.limit, self._cost_before, self.history)
        )

    def _may_continue(self) -> bool:
        return not self._abandoned() and self._report_progress()


def least(search: Search) -> None:
    """Least squares from the best so far: Branch's trust region, reflected at the bounds (scipy's ``trf``).

    If a run fails, its residuals are infinite, and the trust region shrinks away from it.

    Raises
    ------
    StoppedError
    """
    (first,) = search.residuals([search.best])
    if first is None:
        return
    from scipy.optimize import least_squares

    size = len(first)

    def residual(position: FloatArray) -> FloatArray:
        (values,) = search.residuals([np.array(position, dtype=np.float64)])
        return np.full(size, np.inf) if values is None else values

    def slopes(position: FloatArray) -> FloatArray:
        if search.exhausted:
            raise _EnoughError
        return jacobian(search, np.array(position, dtype=np.float64)).columns

    try:
        least_squares(
            residual,
            np.clip(search.best, 1e-9, 1.0 - 1e-9),
            slopes,
            (0.0, 1.0),
            "trf",
            ftol=_ENOUGH,
            xtol=_ENOUGH,
            gtol=1e-12,
            max_nfev=50,
        )
    except _EnoughError:
        return


class _EnoughError(Exception):
    """The limit of evaluations is reached."""


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Derivatives of the residuals with respect to the positions."""

    columns: FloatArray
    """The Jacobian. Shape (r, p)."""

    roughness: FloatArray
    """Ratio of second to first difference: small if the residuals change smoothly over the step; 0
    if unknown. Shape (p,)."""


def jacobian(search: Search, position: FloatArray) -> Slopes:
    """Central differences of the residuals, evaluated together; one-sided at a bound and next to failing runs.

    Raises
    ------
    StoppedError
    """
    points = [position]
    for i, step in enumerate(search.steps):
        for side in (-step, step):
            point = position.copy()
            point[i] = min(max(point[i] + side, 0.0), 1.0)
            points.append(point)
    middle, *sides = search.residuals(points)
    assert middle is not None, "differences are evaluated at a run that succeeded"
    columns = []
    roughness = np.zeros(len(position))
    for i in range(len(position)):
        ends = [(position[i], middle)]
        for point, residual in zip(
            points[2 * i + 1 : 2 * i + 3], sides[2 * i : 2 * i + 2], strict=True
        ):
            if residual is not None and point[i] != position[i]:
                ends.append((point[i], residual))
        ends.sort(key=lambda end: end[0])
        (low, first), (high, last) = ends[0], ends[-1]
        columns.append((last - first) / (high - low) if high > low else np.zeros(len(middle)))
        change = float(np.linalg.norm(last - first))
        if len(ends) == 3 and change > 0.0:
            roughness[i] = float(np.linalg.norm(last - 2.0 * middle + first)) / change
    return Slopes(np.stack(columns, axis=1), roughness)


def evolve(search: Search, seed: int, until: int) -> None:
    """CMA-ES from the best so far, until the number of evaluations is reached or it has converged.

    A generation is evaluated together; its size depends only on the number of parameters, and so
    does the result.

    Raises
    ------
    StoppedError
    """
    import cma

    p = len(search.parameters)
    size = 4 + int(3 * math.log(p + 1))
    # the library sometimes fails in one dimension; a second one without effect is harmless
    dimension = max(p, 2)
    random = np.random.RandomState(seed)
    options = {
        "bounds": [0.0, 1.0],
        "popsize": size,
        "randn": random.randn,
        "seed": math.nan,  # a seed would reset the global random generator
        "verbose": -9,
        "tolx": 1e-4,
        "tolfun": 0.0,
        "tolfunhist": 0.0,
    }
    begin = np.full(dimension, 0.5)
    begin[:p] = np.clip(search.best, 0.02, 0.98)
    strategy = cma.CMAEvolutionStrategy(begin, 0.2, options)
    while search.evaluations < until and not strategy.stop():
        points = strategy.ask()
        residuals = search.residuals([np.array(point[:p], dtype=np.float64) for point in points])
        costs = [search.cost(residual) for residual in residuals]
        strategy.tell(points, [cost if math.isfinite(cost) else _PENALTY for cost in costs])
