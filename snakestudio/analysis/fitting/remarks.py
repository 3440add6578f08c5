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
