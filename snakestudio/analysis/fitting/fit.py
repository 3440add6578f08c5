"""Fits scene values so that the runs match measurements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext

import numpy as np

from snakestudio.analysis.fitting.determination import Determination, determination, explains
from snakestudio.analysis.fitting.evaluator import MakePool, SerialEvaluator, StoppedError
from snakestudio.analysis.fitting.misfit import Misfit
from snakestudio.analysis.fitting.objective import Objective
from snakestudio.analysis.fitting.parameters import (
    FreeParameter,
    present_value,
)
from snakestudio.analysis.fitting.remarks import NOT_IDENTIFIABLE, remarks
from snakestudio.analysis.fitting.result import FitProgress, FitResult, TrialOutcome
from snakestudio.analysis.fitting.search import ROUGH, Search, evolve, jacobian, least
from snakestudio.analysis.fitting.tracks import Trial
from snakestudio.errors import PhysicsError, UsageError
from snakestudio.session.offline import OfflineRun

METHODS = ("auto", "least_squares", "cma")
"""Least squares are fast where the motion depends smoothly on the values, CMA-ES is robust where it does
not; "auto" starts with a short global search by CMA-ES and refines the best result by least
squares."""


def fit(
    trials: Sequence[Trial],
    parameters: Sequence[FreeParameter],
    method: str = "auto",
    seed: int = 1,
    *,
    limit: int | None = None,
    pool: MakePool | None = None,
    progress: Callable[[FitProgress], bool] | None = None,
    abandoned: Callable[[], bool] = lambda: False,
) -> FitResult | None:
    """Fit `parameters` so that the runs of the trials' scenes match their tracks.

    The search starts at the values of the first scene. The same seed gives the same result with any
    evaluator.

    Raises `UsageError` or `SceneError` if an argument is invalid. Raises
    `PhysicsError` if the run fails with the scene's own values.

    Parameters
    ----------
    trials : sequence of Trial
        Measured runs, each with its own scene; the fitted values are common to all.
    seed : int
        Random seed of CMA-ES, not negative.
    limit : int, optional
        Largest number of evaluated sets of values; depends on the number of parameters if omitted.
    pool : callable, optional
        Creates the evaluator, such as `study.fit_pool.FitPool`; this thread if omitted.
    progress : callable, optional
        Called often with a `FitProgress`; when it returns False, the search stops and the best values so
        far are the result.
    abandoned : callable, optional
        Polled often; when it returns True, the fit ends without a result.

    Returns
    -------
    FitResult or None
        None if it was abandoned.
    """
    _check(trials, parameters, method, seed)
    start = {p.name: present_value(trials[0].scene, p) for p in parameters}
    objective = Objective(trials)
    certainty: Determination | None = None
    rough: tuple[int, ...] = ()
    stopped = False
    # Workers start while the scene's own runs are simulated here.
    with nullcontext(SerialEvaluator(objective)) if pool is None else pool(objective) as evaluator:
        before = _runs(objective, {}, abandoned)
        if before is None:
            return None
        misfits = [objective.misfit(number, run) for number, run in enumerate(before)]
        weights = [measured.weight for measured in objective.measured]
        cost_before = _cost(misfits, weights)
        p = len(parameters)
        limit = limit if limit is not None else (120 + 120 * p if method == "cma" else 60 + 60 * p)
        least_steps = [parameter.least_step(trials[0].scene) for parameter in parameters]
        search = Search(parameters, weights, least_steps, evaluator, limit, progress, abandoned)
        search.best = np.array(
            [_starting_position(parameter, start[parameter.name]) for parameter in parameters]
        )
        try:
            _search(search, method, seed, cost_before)
            if search.history:
                search.begin("Estimating confidence intervals", cost_before)
                slopes = jacobian(search, search.best)
                (residual,) = search.residuals([search.best])
                assert residual is not None, "the best run did not fail"
                certainty = determination(
                    slopes.columns, residual, [m.instant for m in misfits], _nuisance(trials)
                )
                rough = tuple(int(i) for i in np.flatnonzero(slopes.roughness > ROUGH))
        except StoppedError:
            stopped = True
        who = evaluator.notes
    if abandoned():
        return None
    if not search.history:
        why = search.failure or "The fit was stopped before the first evaluation."
        raise PhysicsError(f"The scene could not be run with any values. {why}")
    values = search.values(search.best)
    scene_values = {
        key: values[parameter.name] for parameter in parameters for key in parameter.keys
    }
    after = _runs(objective, scene_values, abandoned)
    if after is None:
        return None
    misfits_after = [objective.misfit(number, run) for number, run in enumerate(after)]
    outcomes = tuple(
        TrialOutcome(trial, one.recording, other.recording, m, n)
        for trial, one, other, m, n in zip(
            trials, before, after, misfits, misfits_after, strict=True
        )
    )
    cost_after = _cost(misfits_after, weights)
    intervals, correlation = _intervals(parameters, values, certainty)
    notes = remarks(
        tuple(parameters), values, certainty, rough, outcomes, stopped, search.exhausted
    )
    notes += who
    scatter = sum(measured.scatter for measured in objective.measured)
    left = sum(float(m.residual @ m.residual) for m in misfits_after)
    instants = float(sum(len(m.time) for m in misfits_after))
    if certainty is not None and certainty.effective > 0.0:
        instants = min(instants, certainty.effective)
    if not explains(scatter, left, p + _nuisance(trials), instants):
        intervals, correlation = _intervals(parameters, values, None)
        notes = (NOT_IDENTIFIABLE, *notes)
    return FitResult(
        tuple(parameters),
        start,
        values,
        intervals,
        cost_before,
        cost_after,
        correlation,
        search.evaluations,
        search.history,
        notes,
        outcomes,
        method,
        seed,
        stopped,
    )


def _check(
    trials: Sequence[Trial], parameters: Sequence[FreeParameter], method: str, seed: int
) -> None:
    if not trials:
        raise UsageError("There is nothing to fit to. Add at least one measured run.")
    if not parameters:
        raise UsageError(
            "No parameter is free. Add at least one, such as ground.mu_along=0.05:0.5."
        )
    if method not in METHODS:
        raise UsageError(f"There is no method {method!r}. Choose one of {', '.join(METHODS)}.")
    if seed != int(seed) or not 0 <= seed < 2**32:
        raise UsageError(f"The seed must be an integer of 0 or more (got {seed!r}).")
    keys = [key for parameter in parameters for key in parameter.keys]
    for key in keys:
        if keys.count(key) > 1:
            raise UsageError(f"{key} is free twice. List it once.")
    for trial in trials:
        for parameter in parameters:
            present_value(trial.scene, parameter)


def _starting_position(parameter: FreeParameter, value: float | None) -> float:
    """Starting point of the search: a value that is omitted in a scene is unlimited, so the upper bound is nearest."""
    return 1.0 if value is None else parameter.position(value)


def _runs(
    objective: Objective, values: dict[str, float], abandoned: Callable[[], bool]
) -> list[OfflineRun] | None:
    """Return the runs of all trials with given values; None if abandoned."""
    runs = []
    for number, trial in enumerate(objective.trials):
        run = objective.run((number, values), lambda: not abandoned())
        if run.cancelled:
            return None
        if not run.ok:
            raise PhysicsError(f"{trial.name}: {run.message}")
        runs.append(run)
    return runs


def _search(search: Search, method: str, seed: int, cost_before: float) -> None:
    if method != "least_squares":
        p = len(search.parameters)
        search.begin("Global search (CMA-ES)", cost_before)
        search.residuals([search.best])
        evolve(search, seed, min(search.limit, search.limit if method == "cma" else 16 + 14 * p))
    if method != "cma":
        search.begin("Local refinement (least squares)", cost_before)
        least(search)


def _cost(misfits: Sequence[Misfit], weights: Sequence[float]) -> float:
    """Return root mean square distance over all trials, m."""
    return math.sqrt(
        sum(m.cost**2 * w for m, w in zip(misfits, weights, strict=True)) / sum(weights)
    )


def _nuisance(trials: Sequence[Trial]) -> int:
    """Return the number of fitted quantities in addition to the parameters."""
    return sum(
        (low < high) + 3 * trial.align for trial in trials for low, high in [trial.offset_bounds_s]
    )


def _intervals(
    parameters: Sequence[FreeParameter], values: dict[str, float], certainty: Determination | None
) -> tuple[dict[str, tuple[float, float]], np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Return the intervals by name, within the bounds, and the correlation."""
    p = len(parameters)
    if certainty is None:
        return {parameter.name: (math.nan, math.nan) for parameter in parameters}, np.full(
            (p, p), np.nan
        )
    intervals = {}
    for parameter, half in zip(parameters, certainty.half_width, strict=True):
        middle = parameter.position(values[parameter.name])
        low, high = (middle + side * half for side in (-1.0, 1.0))
        known = math.isfinite(half)
        intervals[parameter.name] = (
            (float(parameter.value(low)), float(parameter.value(high)))
            if known
            else (math.nan, math.nan)
        )
    return intervals, certainty.correlation
