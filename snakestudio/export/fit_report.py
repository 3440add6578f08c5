"""Report of a fit: fitted values, distances between run and measurement, and a figure of both."""

from __future__ import annotations

from snakestudio.analysis.fitting import FitResult
from snakestudio.export.fit_picture import fit_figure
from snakestudio.export.fit_text import correlation_lines, fit_table, length, trial_line
from snakestudio.export.report import Picture, Report, scene_title


def fit_report(result: FitResult, scene_file: str | None = None) -> Report:
    """Return the report of the result of a fit."""
    scene = result.trials[0].trial.scene
    distance = (
        f"distance between run and measurement, root mean square: {length(result.cost_after)}"
        f" (before {length(result.cost_before)}), {result.evaluations} evaluations"
    )
    measured = [("measured run", outcome.trial.name) for outcome in result.trials]
    return Report(
        subject="fit",
        title=f"{scene_title(scene)}: fit to an experiment",
        lead="",
        tables=(fit_table(result),),
        scene=scene,
        scene_file=scene_file,
        notes=(
            distance,
            *(f"  {trial_line(outcome)}" for outcome in result.trials),
            *correlation_lines(result),
            *result.notes,
        ),
        sources=(("method", f"{result.method}, seed {result.seed}"), *measured),
        draw=lambda: _pictures(result),
    )


def _pictures(result: FitResult) -> tuple[Picture, ...]:
    caption = "Measured tracks from above with the run before and after the fit, and their distance over time."
    return (Picture("Before and after", caption, fit_figure(result)),)
