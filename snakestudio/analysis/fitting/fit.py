"""Fits values of scenes so that their runs match what was measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.analysis.fitting.evaluator import Here, MakePool, StoppedError
from snakestudio.analysis.fitting.misfit import Misfit
from snakestudio.analysis.fitting.objective import Objective
from snakestudio.analysis.fitting.parameters import (
    START_DELAY,
    FreeParameter,
    present_value,
    preset_of,
)
from snakestudio.analysis.fitting.result import FitProgress, FitResult, TrialOutcome
from snakestudio.analysis.fitting.search import ROUGH, Search, evolve, jacobian, least
from snakestudio.analysis.fitting.tracks import Trial
from snakestudio.errors import PhysicsError, UsageError
from snakestudio.session.offline import OfflineRun
from snakestudio.text import listing

__all__ = ["METHODS", "determination", "fit"]

# What is to be known when using fitted values, in sentences.

NOT_IDENTIFIABLE = (
    "Not identifiable: the fitted run explains the measurement no better than a robot that stands still, so the values"
    " say nothing; see whether the tracks are those of this scene, and their unit, links and time offset."
)

_AT_BOUND = 0.01
"""Share of the range within which a value is at its bound."""


def called(parameter: FreeParameter) -> str:
    """What a parameter is called in a sentence."""
    label = preset_of(parameter)
    return f"{label} ({parameter.name})" if label else parameter.name


def remarks(
    parameters: Sequence[FreeParameter],
    values: Mapping[str, float],
    found: Determination | None,
    rough: Sequence[int],
    trials: Sequence[TrialOutcome],
    stopped: bool,
    exhausted: bool,
) -> tuple[str, ...]:
    """Sentences about a fit, what matters most first."""
    notes = []
    if stopped:
        notes.append("Stopped early: these are the best values until then.")
    elif exhausted:
        notes.append("As many values were tried as allowed; more evaluations may come nearer.")
    if found is None:
        notes.append("How certain the values are was not found out.")
    if sum(_squares(t.misfit_after) for t in trials) >= sum(
        _squares(t.misfit_before) for t in trials
    ):
        notes.append(
            "No values within the ranges come nearer to the measurement than the scene's own."
        )
    for parameter in parameters:
        place = parameter.place(values[parameter.name])
        if min(place, 1.0 - place) < _AT_BOUND and not (
            found and parameters.index(parameter) in found.no_effect
        ):
            which, bound = ("lower", parameter.low) if place < 0.5 else ("upper", parameter.high)
            notes.append(
                f"{called(parameter)} ends at its {which} bound, {bound:g}; widen its range or leave it out."
            )
    notes += _undetermined(parameters, found)
    notes += [
        f"The run answers to {called(parameters[i])} by jumps, as motions with much contact or free play do: its"
        " interval is not to be trusted. Fit a shorter stretch, and try other seeds."
        for i in rough
        if found is None or i not in found.no_effect
    ]
    notes += _clocks(parameters, trials)
    notes += [f"{outcome.trial.name}: {note}" for outcome in trials for note in outcome.trial.notes]
    return tuple(notes)


def _squares(misfit: Misfit) -> float:
    """Sum of squares, m^2."""
    return float(misfit.residual @ misfit.residual)


def _undetermined(parameters: Sequence[FreeParameter], found: Determination | None) -> list[str]:
    if found is None:
        return []
    notes = [
        f"{called(parameters[i])} changes nothing in these runs: the model has no use for it, or it never matters."
        for i in found.no_effect
    ]
    for combination in found.weak:
        names = [called(parameters[i]) for i in combination]
        if len(names) == 1:
            notes.append(
                f"The data do not determine {names[0]}: very different values fit nearly as well."
            )
        else:
            notes.append(
                f"The data do not tell {listing(names)} apart: changes of them that go together fit nearly as well."
            )
    return notes


def _clocks(parameters: Sequence[FreeParameter], trials: Sequence[TrialOutcome]) -> list[str]:
    """What is to be said about time offsets."""
    notes = []
    searched = [t for t in trials if t.trial.offset_bounds_s[0] < t.trial.offset_bounds_s[1]]
    if searched and any(START_DELAY in parameter.keys for parameter in parameters):
        notes.append(
            "A start delay and a time offset do the same to a robot that starts at rest; fix the offset to find the"
            " delay."
        )
    for trial in searched:
        low, high = trial.trial.offset_bounds_s
        offset = trial.misfit_after.offset_s
        if min(offset - low, high - offset) < _AT_BOUND * (high - low):
            notes.append(
                f"{trial.trial.name}: the time offset ends at its bound, {offset:.3g} s; widen its bounds."
            )
    return notes


# Fits values of scenes so that their runs match what was measured.

METHODS = ("auto", "least_squares", "cma")
"""Least squares are quick where the motion changes smoothly with the values, CMA-ES is patient
where it does not; "auto" looks around with a short CMA-ES and goes down from the best of that by
least squares."""


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

    The search begins at the first scene's own values. The same seed gives the same result, whoever
    evaluates.

    Raises `UsageError` or `SceneError`: naming what of the arguments makes no sense. Raises
    `PhysicsError` if the run fails with the scene's own values.

    Parameters
    ----------
    trials : sequence of Trial
        Measured runs, each with its own scene; the values are those of all of them.
    seed : int
        Of the random numbers of CMA-ES, not negative.
    limit : int, optional
        Sets of values that may be tried; grows with the number of parameters if left out.
    pool : callable, optional
        Makes what evaluates, such as `study.fit_pool.FitPool`; this thread does if left out.
    progress : callable, optional
        Gets a `FitProgress`, often; where it returns False the search stops, and the best so far is
        what was found.
    abandoned : callable, optional
        Asked often; where it returns True all ends at once, without a result.

    Returns
    -------
    FitResult or None
        None if it was abandoned.
    """
    _check(trials, parameters, method, seed)
    start = {p.name: present_value(trials[0].scene, p) for p in parameters}
    objective = Objective(trials)
    found: Determination | None = None
    rough: tuple[int, ...] = ()
    stopped = False
    # Workers start while the scene's own runs are made here.
    with nullcontext(Here(objective)) if pool is None else pool(objective) as evaluator:
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
            [_place(parameter, start[parameter.name]) for parameter in parameters]
        )
        try:
            _search(search, method, seed, cost_before)
            if search.history:
                search.begin("Finding out how certain the values are", cost_before)
                slopes = jacobian(search, search.best)
                (residual,) = search.residuals([search.best])
                assert residual is not None, "the best run did not fail"
                found = determination(
                    slopes.columns, residual, [m.instant for m in misfits], _nuisance(trials)
                )
                rough = tuple(int(i) for i in np.flatnonzero(slopes.roughness > ROUGH))
        except StoppedError:
            stopped = True
        who = evaluator.notes
    if abandoned():
        return None
    if not search.history:
        why = search.failure or "It was stopped before the first evaluation."
        raise PhysicsError(f"No values were found with which the scene can be run. {why}")
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
    intervals, correlation = _intervals(parameters, values, found)
    notes = remarks(tuple(parameters), values, found, rough, outcomes, stopped, search.exhausted)
    notes += who
    scatter = sum(measured.scatter for measured in objective.measured)
    left = sum(float(m.residual @ m.residual) for m in misfits_after)
    instants = float(sum(len(m.time) for m in misfits_after))
    if found is not None and found.effective > 0.0:
        instants = min(instants, found.effective)
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
        raise UsageError("There is nothing to fit to; give at least one measured run.")
    if not parameters:
        raise UsageError(
            "Nothing is free; give at least one parameter, like ground.mu_along=0.05:0.5."
        )
    if method not in METHODS:
        raise UsageError(f"There is no method {method!r}; give one of {', '.join(METHODS)}.")
    if seed != int(seed) or not 0 <= seed < 2**32:
        raise UsageError(f"The seed {seed!r} must be a whole number that is not negative.")
    keys = [key for parameter in parameters for key in parameter.keys]
    for key in keys:
        if keys.count(key) > 1:
            raise UsageError(f"{key} is free twice; name it once.")
    for trial in trials:
        for parameter in parameters:
            present_value(trial.scene, parameter)


def _place(parameter: FreeParameter, value: float | None) -> float:
    """Where the search begins: what a scene leaves out is unlimited, which the upper bound is nearest to."""
    return 1.0 if value is None else parameter.place(value)


def _runs(
    objective: Objective, values: dict[str, float], abandoned: Callable[[], bool]
) -> list[OfflineRun] | None:
    """All trials run with some values; None if that was abandoned."""
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
        search.begin("Looking around (CMA-ES)", cost_before)
        search.residuals([search.best])
        evolve(search, seed, min(search.limit, search.limit if method == "cma" else 16 + 14 * p))
    if method != "cma":
        search.begin("Going down (least squares)", cost_before)
        least(search)


def _cost(misfits: Sequence[Misfit], weights: Sequence[float]) -> float:
    """Root mean square distance of all trials together, m."""
    return math.sqrt(
        sum(m.cost**2 * w for m, w in zip(misfits, weights, strict=True)) / sum(weights)
    )


def _nuisance(trials: Sequence[Trial]) -> int:
    """Number of quantities that were fitted beside the parameters."""
    return sum(
        (low < high) + 3 * trial.align for trial in trials for low, high in [trial.offset_bounds_s]
    )


def _intervals(
    parameters: Sequence[FreeParameter], values: dict[str, float], found: Determination | None
) -> tuple[dict[str, tuple[float, float]], np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Intervals by name, within the bounds, and the correlation."""
    p = len(parameters)
    if found is None:
        return {parameter.name: (math.nan, math.nan) for parameter in parameters}, np.full(
            (p, p), np.nan
        )
    intervals = {}
    for parameter, half in zip(parameters, found.half_width, strict=True):
        middle = parameter.place(values[parameter.name])
        low, high = (middle + side * half for side in (-1.0, 1.0))
        known = math.isfinite(half)
        intervals[parameter.name] = (
            (float(parameter.value(low)), float(parameter.value(high)))
            if known
            else (math.nan, math.nan)
        )
    return intervals, found.correlation


# How well the data determine what was fitted.
#
# At the optimum the estimates answer to the noise by a linear map, ``-(J^T J)^-1 J^T r``, so their
# covariance is ``(J^T J)^-1 S (J^T J)^-1`` with S that of the scores ``J^T r``. White noise would
# make S = s^2 J^T J. Residuals of a motion are not white: what the model gets wrong at one instant
# it gets wrong at the next, and on all links alike. So the scores of all that was measured at one
# instant are one contribution. Contributions at different instants are freed of their correlation
# from one to the next, what is left of it is taken in by Bartlett's weights over a bandwidth that
# the data choose, and the correlation is put back (Andrews and Monahan 1992). Intervals are
# Student's, with as many degrees of freedom as there are independent instants.


CONFIDENCE = 0.95
"""Probability with which intervals hold the value."""

_MOST_CORRELATED = 0.97
"""Autocorrelation from one instant to the next that is reckoned with at most: above, no bandwidth
is wide enough."""

_WEAK = 0.25
"""Standard error, as a share of the range, from which on a combination of parameters counts as
undetermined."""

_NO_EFFECT = 1e-9
"""Change of the residuals, m (root mean square) over the whole range, below which a parameter has
none."""


@dataclass(frozen=True, slots=True, eq=False)
class Determination:
    """What the data say about p parameters, each in units of its range."""

    covariance: FloatArray
    """NaN in rows and columns of parameters without effect. Shape (p, p)."""

    half_width: FloatArray
    """Half of the interval's width. Shape (p,)."""

    correlation: FloatArray
    """Shape (p, p)."""

    singular_values: FloatArray
    """Of the Jacobian, the largest first. Shape (p,)."""

    effective: float
    """Number of instants that would say as much if they were independent."""

    no_effect: tuple[int, ...]
    """Parameters that change nothing."""

    weak: tuple[tuple[int, ...], ...]
    """Combinations of parameters that the data do not determine, each as the parameters that take
    part."""


def determination(
    jacobian: FloatArray, residual: FloatArray, instants: Sequence[IntArray], nuisance: int
) -> Determination:
    """What the data determine.

    Parameters
    ----------
    jacobian : (r, p) array
        Of the residuals, by parameters in units of their ranges.
    residual : (r,) array
        At the optimum.
    instants : sequence of int arrays
        A part for each measured run, one after the other: at which of its instants every residual
        is, r in all.
    nuisance : int
        Number of quantities that were fitted beside the parameters.
    """
    r, p = jacobian.shape
    norms = np.sqrt(np.square(jacobian).mean(axis=0))
    acts = norms > _NO_EFFECT
    no_effect = tuple(int(i) for i in np.flatnonzero(~acts))
    singular = np.asarray(np.linalg.svd(jacobian, compute_uv=False), dtype=np.float64)
    active = jacobian[:, acts]
    covariance = np.full((p, p), np.nan)
    effective = 0.0
    weak = tuple[tuple[int, ...], ...]()
    if acts.any():
        scores = []
        begin = 0
        for part in instants:
            rows = slice(begin, begin + len(part))
            begin += len(part)
            _, which = np.unique(part, return_inverse=True)
            score = np.zeros((int(which.max()) + 1, active.shape[1]))
            np.add.at(score, which, active[rows] * residual[rows, None])
            scores.append(score)
        total = sum(len(score) for score in scores)
        # The estimate is too low by about (1 + 3 rho) / n, and intervals would be too narrow
        # (Kendall 1954).
        rho = _autocorrelation(scores)
        rho = min(rho + (1.0 + 3.0 * rho) / total, _MOST_CORRELATED) if rho > 0.0 else 0.0
        effective = max(1.0, total * (1.0 - rho) / (1.0 + rho))
        fresh = (
            [score[1:] - rho * score[:-1] for score in scores if len(score) > 1]
            if rho > 0.0
            else scores
        )
        spread = _long_run(fresh, _autocorrelation(fresh)) / (1.0 - rho) ** 2
        # What was fitted took part of the scatter away; so many of the values say nothing about it
        # any more.
        spread *= r / max(1.0, r - p - nuisance)
        inverse, directions = _inverse(active)
        part_covariance = inverse @ spread @ inverse
        covariance[np.ix_(acts, acts)] = part_covariance
        weak = _uncertainty_undetermined(part_covariance, directions, np.flatnonzero(acts))
    deviation = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
    from scipy.stats import t as student

    quantile = float(student.ppf(0.5 + 0.5 * CONFIDENCE, max(1.0, effective - int(acts.sum()))))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = covariance / np.outer(deviation, deviation)
    return Determination(
        covariance, quantile * deviation, correlation, singular, effective, no_effect, weak
    )


def explains(scatter: float, left: float, fitted: int, effective: float) -> bool:
    """Whether a fitted run explains more of what was measured than a constant, and than chance would (F test).

    Parameters
    ----------
    scatter, left : float
        Sum of squares about constants, and what the run leaves, m^2.
    fitted : int
        Number of quantities that were fitted.
    effective : float
        Number of instants that say something of their own.
    """
    from scipy.stats import f as fisher

    freedom = effective - fitted - 1.0
    if freedom < 1.0 or not left < scatter:
        return left < 0.5 * scatter
    if left == 0.0:
        return True
    ratio = (scatter - left) / fitted / (left / freedom)
    return ratio > float(fisher.ppf(CONFIDENCE, fitted, freedom))


def _autocorrelation(scores: list[FloatArray]) -> float:
    """Of the scores from one instant to the next, all parameters and runs together; 0 to `_MOST_CORRELATED`."""
    scale = np.sqrt(sum(np.square(score).sum(axis=0) for score in scores))
    safe = np.where(scale > 0, scale, 1.0)
    beside = sum(float((score[1:] * score[:-1] / safe**2).sum()) for score in scores)
    itself = sum(float((score * score / safe**2).sum()) for score in scores)
    return min(max(beside / itself if itself > 0 else 0.0, 0.0), _MOST_CORRELATED)


def _long_run(scores: list[FloatArray], rho: float) -> FloatArray:
    """Covariance (p, p) of the sum of all scores."""
    p = scores[0].shape[1]
    spread = np.zeros((p, p))
    for score in scores:
        n = len(score)
        steepness = 4.0 * rho**2 / ((1.0 - rho) ** 2 * (1.0 + rho) ** 2)
        lags = min(n - 1, math.ceil(1.1447 * (steepness * n) ** (1.0 / 3.0)))
        spread += score.T @ score
        for lag in range(1, lags + 1):
            shifted = score[lag:].T @ score[:-lag]
            spread += (1.0 - lag / (lags + 1.0)) * (shifted + shifted.T)
    return spread


def _inverse(jacobian: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Inverse of ``J^T J`` and, as rows, the directions of its singular vectors; the least of them cannot be 0."""
    _, singular, directions = np.linalg.svd(jacobian, full_matrices=False)
    floor = 1e-12 * singular[0]
    inverse: FloatArray = (directions.T / np.maximum(singular, floor) ** 2) @ directions
    return inverse, directions


def _uncertainty_undetermined(
    covariance: FloatArray, directions: FloatArray, which: IntArray
) -> tuple[tuple[int, ...], ...]:
    """Combinations whose standard error is a large share of the range."""
    found = []
    for direction in directions:
        if direction @ covariance @ direction > _WEAK**2:
            part = np.abs(direction) > 0.3 * np.abs(direction).max()
            found.append(tuple(int(i) for i in which[part]))
    return tuple(dict.fromkeys(found))
