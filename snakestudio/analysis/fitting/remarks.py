"""What users must know about fitted values before they use them, as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snakestudio.analysis.fitting.determination import Determination
from snakestudio.analysis.fitting.misfit import Misfit
from snakestudio.analysis.fitting.parameters import (
    START_DELAY,
    FreeParameter,
    preset_of,
)
from snakestudio.analysis.fitting.result import TrialOutcome
from snakestudio.text import listing

NOT_IDENTIFIABLE = (
    "Not identifiable: the fitted run explains the measurement no better than a robot at rest, so the values"
    " are meaningless. Check that the tracks belong to this scene, and check their unit, links and time offset."
)

_AT_BOUND = 0.01
"""Fraction of the range within which a value counts as being at its bound."""


def called(parameter: FreeParameter) -> str:
    """Return the name of a parameter within a sentence."""
    label = preset_of(parameter)
    return f"{label} ({parameter.name})" if label else parameter.name


def remarks(
    parameters: Sequence[FreeParameter],
    values: Mapping[str, float],
    certainty: Determination | None,
    rough: Sequence[int],
    trials: Sequence[TrialOutcome],
    stopped: bool,
    exhausted: bool,
) -> tuple[str, ...]:
    """Return the remarks on a fit, most important first."""
    notes = []
    if stopped:
        notes.append("Stopped early: these are the best values up to that point.")
    elif exhausted:
        notes.append(
            "The limit of evaluations was reached. More evaluations may improve the result."
        )
    if certainty is None:
        notes.append("Confidence intervals were not estimated.")
    if sum(_squares(t.misfit_after) for t in trials) >= sum(
        _squares(t.misfit_before) for t in trials
    ):
        notes.append(
            "No values within the ranges fit the measurement better than those of the scene."
        )
    for parameter in parameters:
        position = parameter.position(values[parameter.name])
        if min(position, 1.0 - position) < _AT_BOUND and not (
            certainty and parameters.index(parameter) in certainty.no_effect
        ):
            which, bound = ("lower", parameter.low) if position < 0.5 else ("upper", parameter.high)
            notes.append(
                f"{called(parameter)} ends at its {which} bound, {bound:g}. Widen its range, or do not fit it."
            )
    notes += _undetermined(parameters, certainty)
    notes += [
        f"The result depends discontinuously on {called(parameters[i])} (frequent contact or backlash): its"
        " interval is unreliable. Fit a shorter part of the measurement, and try other seeds."
        for i in rough
        if certainty is None or i not in certainty.no_effect
    ]
    notes += _clocks(parameters, trials)
    notes += [f"{outcome.trial.name}: {note}" for outcome in trials for note in outcome.trial.notes]
    return tuple(notes)


def _squares(misfit: Misfit) -> float:
    """Return the sum of squares, m^2."""
    return float(misfit.residual @ misfit.residual)


def _undetermined(
    parameters: Sequence[FreeParameter], certainty: Determination | None
) -> list[str]:
    if certainty is None:
        return []
    notes = [
        f"{called(parameters[i])} has no effect in these runs: the model does not use it, or it does not matter."
        for i in certainty.no_effect
    ]
    for combination in certainty.weak:
        names = [called(parameters[i]) for i in combination]
        if len(names) == 1:
            notes.append(
                f"The data do not determine {names[0]}: very different values fit nearly as well."
            )
        else:
            notes.append(
                f"The data do not distinguish {listing(names)}: combined changes of them fit nearly as well."
            )
    return notes


def _clocks(parameters: Sequence[FreeParameter], trials: Sequence[TrialOutcome]) -> list[str]:
    """Return the remarks on time offsets."""
    notes = []
    searched = [t for t in trials if t.trial.offset_bounds_s[0] < t.trial.offset_bounds_s[1]]
    if searched and any(START_DELAY in parameter.keys for parameter in parameters):
        notes.append(
            "A start delay and a time offset have the same effect on a robot that starts at rest. Fix the offset to fit"
            " the delay."
        )
    for trial in searched:
        low, high = trial.trial.offset_bounds_s
        offset = trial.misfit_after.offset_s
        if min(offset - low, high - offset) < _AT_BOUND * (high - low):
            notes.append(
                f"{trial.trial.name}: the time offset ends at its bound, {offset:.3g} s. Widen its bounds."
            )
    return notes
