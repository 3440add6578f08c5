"""The result of a fit as text: what the command line prints and the window copies."""

from __future__ import annotations

import math
from collections.abc import Sequence

from snakestudio.analysis.fitting import FitResult, TrialOutcome, preset_of, value_doc
from snakestudio.export.comparison_tables import aligned, number

__all__ = ["fit_rows", "length", "report", "trial_line"]


def length(metres: float) -> str:
    """A distance as people say it."""
    return f"{number(1000.0 * metres, 3)} mm" if metres < 1.0 else f"{number(metres, 3)} m"


def fit_rows(result: FitResult) -> list[tuple[str, str, str, str, str, str]]:
    """A row for each parameter: name, what it is, value, interval, value before, unit."""
    scene = result.trials[0].trial.scene
    rows = []
    for parameter in result.parameters:
        doc = value_doc(scene, parameter)
        low, high = result.intervals[parameter.name]
        interval = f"{number(low)} to {number(high)}" if math.isfinite(low) else "unknown"
        start = result.start[parameter.name]
        before = "none" if start is None else number(start)
        label = preset_of(parameter) or doc.label
        rows.append((parameter.name, label, number(result.values[parameter.name]), interval, before, doc.unit))
    return rows


def trial_line(outcome: TrialOutcome) -> str:
    """How a trial came out, in a line."""
    misfit = outcome.misfit_after
    parts = [f"{length(misfit.cost)} (before {length(outcome.misfit_before.cost)})"]
    low, high = outcome.trial.offset_bounds_s
    if low < high:
        parts.append(f"time offset {round(1000.0 * misfit.offset_s):+d} ms")
    if outcome.trial.align:
        parts.append(f"turned by {math.degrees(misfit.heading_rad):.1f}°")
    return f"{outcome.trial.name}: {', '.join(parts)}"


def report(result: FitResult) -> str:
    """The whole result as lines of text."""
    head: Sequence[tuple[str, ...]] = [("value", "", "fitted", "95 % interval", "before", "unit")]
    parts = [aligned([*head, *fit_rows(result)], left=2)]
    lines = [
        f"distance of run and measurement, root mean square: {length(result.cost_after)}"
        f" (before {length(result.cost_before)}), {result.evaluations} evaluations"
    ]
    parts.append("\n".join([*lines, *(f"  {trial_line(outcome)}" for outcome in result.trials)]))
    if result.notes:
        parts.append("\n".join(result.notes))
    return "\n\n".join(parts)
