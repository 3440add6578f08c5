"""Fits values of scenes so that their runs match what was measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack

import numpy as np

from snakestudio.analysis.fitting.misfit import Misfit
from snakestudio.analysis.fitting.objective import Objective
from snakestudio.analysis.fitting.parameters import START_DELAY, FreeParameter, present_value, preset_of
from snakestudio.analysis.fitting.pool import Evaluator, Here, Pool, StoppedError, default_workers
from snakestudio.analysis.fitting.result import FitProgress, FitResult, TrialOutcome
from snakestudio.analysis.fitting.search import ROUGH, Search, evolve, jacobian, least
from snakestudio.analysis.fitting.tracks import Trial
from snakestudio.analysis.fitting.uncertainty import Determination, determination, explains
from snakestudio.errors import PhysicsError, UsageError
from snakestudio.session.offline import OfflineRun

__all__ = ["METHODS", "fit"]

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
    if sum(_squares(t.misfit_after) for t in trials) >= sum(_squares(t.misfit_before) for t in trials):
        notes.append("No values within the ranges come nearer to the measurement than the scene's own.")
    for parameter in parameters:
        place = parameter.place(values[parameter.name])
        if min(place, 1.0 - place) < _AT_BOUND and not (found and parameters.index(parameter) in found.no_effect):
            which, bound = ("lower", parameter.low) if place < 0.5 else ("upper", parameter.high)
            notes.append(f"{called(parameter)} ends at its {which} bound, {bound:g}; widen its range or leave it out.")
    notes += _undetermined(parameters, found)
    notes += [
        f"The run answers to {called(parameters[i])} by jumps, as motions with much contact or free play do: its"
        " interval is not to be trusted. Fit a shorter stretch, and try other seeds."
        for i in rough
        if found is None or i not in found.no_effect
    ]
    notes += _clocks(parameters, trials)
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
            notes.append(f"The data do not determine {names[0]}: very different values fit nearly as well.")
        else:
            several = f"{', '.join(names[:-1])} and {names[-1]}"
            notes.append(f"The data do not tell {several} apart: changes of them that go together fit nearly as well.")
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
            notes.append(f"{trial.trial.name}: the time offset ends at its bound, {offset:.3g} s; widen its bounds.")
    return notes


# Fits values of scenes so that their runs match what was measured.

METHODS = ("auto", "least_squares", "cma")
"""Least squares are quick where the motion changes smoothly with the values, CMA-ES is patient where it does not;
"auto" looks around with a short CMA-ES and goes down from the best of that by least squares."""


def fit(
    trials: Sequence[Trial],
    parameters: Sequence[FreeParameter],
    method: str = "auto",
    seed: int = 1,
    *,
    limit: int | None = None,
    workers: int | None = None,
    progress: Callable[[FitProgress], bool] | None = None,
    abandoned: Callable[[], bool] = lambda: False,
) -> FitResult | None:
    """Fit `parameters` so that the runs of the trials' scenes match their tracks.

    The search begins at the first scene's own values. The same seed gives the same result, with any number of workers.

    Parameters
    ----------
    trials : sequence of Trial
        Measured runs, each with its own scene; the values are those of all of them.
    parameters : sequence of FreeParameter
    method : {"auto", "least_squares", "cma"}
    seed : int
        Of the random numbers of CMA-ES, not negative.
    limit : int, optional
        Sets of values that may be tried; grows with the number of parameters if left out.
    workers : int, optional
        Processes that simulate; 0: this thread. All processors but one if left out.
    progress : callable, optional
        Gets a `FitProgress`, often; where it returns False the search stops, and the best so far is what was found.
    abandoned : callable, optional
        Asked often; where it returns True all ends at once, without a result.

    Returns
    -------
    FitResult or None
        None if it was abandoned.

    Raises
    ------
    UsageError, SceneError
        Naming what of the arguments makes no sense.
    PhysicsError
        If the run fails with the scene's own values.
    """
    _check(trials, parameters, method, seed)
    start = {p.name: present_value(trials[0].scene, p) for p in parameters}
    objective = Objective(trials)
    before = _runs(objective, {}, abandoned)
    if before is None:
        return None
    misfits = [objective.misfit(number, run) for number, run in enumerate(before)]
    weights = [measured.weight for measured in objective.measured]
    cost_before = _cost(misfits, weights)
    p = len(parameters)
    limit = limit if limit is not None else (120 + 120 * p if method == "cma" else 60 + 60 * p)
    least_steps = [parameter.least_step(trials[0].scene) for parameter in parameters]
    stopped = False
    found: Determination | None = None
    rough: tuple[int, ...] = ()
    with ExitStack() as stack:
        evaluator = _evaluator(stack, objective, workers, trials)
        search = Search(parameters, weights, least_steps, evaluator, limit, progress, abandoned)
        search.best = np.array([_place(parameter, start[parameter.name]) for parameter in parameters])
        try:
            _search(search, method, seed, cost_before)
            if search.history:
                search.begin("Finding out how certain the values are", cost_before)
                slopes = jacobian(search, search.best)
                (residual,) = search.residuals([search.best])
                assert residual is not None, "the best run did not fail"
                found = determination(slopes.columns, residual, [m.instant for m in misfits], _nuisance(trials))
                rough = tuple(int(i) for i in np.flatnonzero(slopes.roughness > ROUGH))
        except StoppedError:
            stopped = True
    if abandoned():
        return None
    if not search.history:
        why = search.failure or "It was stopped before the first evaluation."
        raise PhysicsError(f"No values were found with which the scene can be run. {why}")
    values = search.values(search.best)
    scene_values = {key: values[parameter.name] for parameter in parameters for key in parameter.keys}
    after = _runs(objective, scene_values, abandoned)
    if after is None:
        return None
    misfits_after = [objective.misfit(number, run) for number, run in enumerate(after)]
    outcomes = tuple(
        TrialOutcome(trial, one.recording, other.recording, m, n)
        for trial, one, other, m, n in zip(trials, before, after, misfits, misfits_after, strict=True)
    )
    cost_after = _cost(misfits_after, weights)
    intervals, correlation = _intervals(parameters, values, found)
    notes = remarks(tuple(parameters), values, found, rough, outcomes, stopped, search.exhausted)
    scatter = sum(measured.scatter for measured in objective.measured)
    left = sum(float(m.residual @ m.residual) for m in misfits_after)
    instants = float(sum(len(m.time) for m in misfits_after))
    if found is not None and found.effective > 0.0:
        instants = min(instants, found.effective)
    if not explains(scatter, left, p + _nuisance(trials), instants):
        intervals, correlation = _intervals(parameters, values, None)
        notes = (NOT_IDENTIFIABLE, *notes)
    return FitResult(
        tuple(parameters), start, values, intervals, cost_before, cost_after, correlation, search.evaluations,
        search.history, notes, outcomes, method, seed, stopped,
    )  # fmt: skip


def _check(trials: Sequence[Trial], parameters: Sequence[FreeParameter], method: str, seed: int) -> None:
    if not trials:
        raise UsageError("There is nothing to fit to; give at least one measured run.")
    if not parameters:
        raise UsageError("Nothing is free; give at least one parameter, like ground.mu_along=0.05:0.5.")
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


def _runs(objective: Objective, values: dict[str, float], abandoned: Callable[[], bool]) -> list[OfflineRun] | None:
    """All trials run with some values; None if that was abandoned."""
    runs = []
    for number, trial in enumerate(objective.trials):
        run = objective.run((number, values), lambda fraction: not abandoned())
        if run.cancelled:
            return None
        if not run.ok:
            raise PhysicsError(f"{trial.name}: {run.message}")
        runs.append(run)
    return runs


def _evaluator(stack: ExitStack, objective: Objective, workers: int | None, trials: Sequence[Trial]) -> Evaluator:
    if workers == 0:
        return Here(objective)
    return stack.enter_context(Pool(trials, default_workers() if workers is None else workers))


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
    return math.sqrt(sum(m.cost**2 * w for m, w in zip(misfits, weights, strict=True)) / sum(weights))


def _nuisance(trials: Sequence[Trial]) -> int:
    """Number of quantities that were fitted beside the parameters."""
    return sum((low < high) + 3 * trial.align for trial in trials for low, high in [trial.offset_bounds_s])


def _intervals(
    parameters: Sequence[FreeParameter], values: dict[str, float], found: Determination | None
) -> tuple[dict[str, tuple[float, float]], np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Intervals by name, within the bounds, and the correlation."""
    p = len(parameters)
    if found is None:
        return {parameter.name: (math.nan, math.nan) for parameter in parameters}, np.full((p, p), np.nan)
    intervals = {}
    for parameter, half in zip(parameters, found.half_width, strict=True):
        middle = parameter.place(values[parameter.name])
        low, high = (middle + side * half for side in (-1.0, 1.0))
        known = math.isfinite(half)
        intervals[parameter.name] = (
            (float(parameter.value(low)), float(parameter.value(high))) if known else (math.nan, math.nan)
        )
    return intervals, found.correlation
