"""Report of a comparison with an experiment, for the supplement of a paper."""

from __future__ import annotations

import math
from pathlib import Path

from snakestudio.analysis.experiment.comparison import ExperimentComparison
from snakestudio.export.experiment_tables import (
    alignment_table,
    glossary_table,
    pair_table,
    recognition_table,
    series_of,
    trial_lines,
    trial_notes,
    trial_table,
)
from snakestudio.export.provenance import plausibility_notes
from snakestudio.export.report import Picture, Report, scene_title
from snakestudio.export.tables import MISSING, Table
from snakestudio.text import counted


def experiment_report(
    comparison: ExperimentComparison, scene_file: str | None = None, base_dir: Path | None = None
) -> Report:
    """Return the report of a comparison with an experiment.

    Parameters
    ----------
    scene_file : str, optional
        Name of the scene's file, for the provenance.
    base_dir : Path, optional
        Folder to which file names in the scene are relative.
    """
    recording = comparison.recording
    lines = ["comparison of a run with an experiment"]
    for index, trial in enumerate(comparison.trials, 1):
        lines += trial_lines(index, trial)
    recognized = recognition_table(comparison.trials)
    return Report(
        subject="experiment",
        title=f"{scene_title(recording.scene)}: simulation and experiment",
        lead=_lead(comparison),
        tables=_tables(comparison),
        scene=recording.scene,
        scene_file=scene_file,
        changes=recording.changes,
        details=(
            *([] if recognized is None else [recognized]),
            alignment_table(comparison, _how(comparison)),
        ),
        glossary=(glossary_table(comparison.trials),),
        notes=(*plausibility_notes(recording), *trial_notes(comparison.trials)),
        sources=_sources(comparison),
        header=tuple(lines),
        series=lambda: series_of(comparison),
        draw=lambda: _pictures(comparison, base_dir),
    )


def _lead(comparison: ExperimentComparison) -> str:
    """Return the main values in one or two sentences."""
    count = len(comparison.trials)
    means = comparison.together
    parts = [f"{counted(count, 'trial')} of an experiment compared with the run."]
    rmse = means.get("position_rmse")
    largest = means.get("position_max")
    if rmse is not None and largest is not None:
        sure = (
            f" ({1000 * rmse.low:.1f} to {1000 * rmse.high:.1f})" if math.isfinite(rmse.low) else ""
        )
        parts.append(
            f"After alignment the tracks are {1000 * rmse.value:.1f} mm{sure} apart (root mean square), "
            f"{1000 * largest.value:.0f} mm at most."
        )
    speed = means.get("trend_speed")
    if speed is not None and speed.run > 0.0:
        fraction = 100.0 * speed.value / speed.run
        parts.append(
            f"The robot moves at {100 * speed.experiment:.2f} cm/s, the simulation at {100 * speed.run:.2f} cm/s "
            f"({fraction:+.1f} %)."
        )
    return " ".join(parts)


def _pictures(comparison: ExperimentComparison, base_dir: Path | None) -> tuple[Picture, ...]:
    from snakestudio.export import experiment_figures as pictures

    filled = "Interpolated stretches are dotted and not included in the values."
    return (
        Picture(
            "Tracks",
            "From above, to scale, after alignment. A triangle marks the start of a track, a circle its end. "
            + filled,
            pictures.plan_figure(comparison, base_dir),
        ),
        Picture(
            "Positions over time",
            "In the frame and time of the run.",
            pictures.course_figure(comparison),
        ),
        Picture(
            "Errors over time",
            "Experiment minus run. Along: ahead of the run on its path, with the gait's oscillation "
            "smoothed out; across: to the left of it.",
            pictures.error_figure(comparison),
        ),
        Picture(
            "Speed and heading",
            "Speeds are averaged over half a second.",
            pictures.motion_figure(comparison),
        ),
    )


def _tables(comparison: ExperimentComparison) -> tuple[Table, ...]:
    if len(comparison.trials) == 1:
        figures = comparison.trials[0].figures
        return (pair_table("Values", figures, comparison.interval, with_errors=True),)
    tables = [trial_table("Experiment minus run, by trial", comparison)]
    means = pair_table("Means over the trials", comparison.together)
    rows = tuple(row for row in means.rows if row.cells[1].text != MISSING)
    if rows:
        tables.append(Table(means.heading, means.columns, rows))
    return tuple(tables)


def _how(comparison: ExperimentComparison) -> str:
    """Return the description of the alignment."""
    how = "Rigid motion in the plane with minimal mean square distance"
    options = comparison.options
    fixed = [
        name
        for name, is_free in (
            ("heading", options.align_heading),
            ("position", options.align_position),
        )
        if not is_free
    ]
    if fixed:
        how += f" ({' and '.join(fixed)} as measured)"
    low, high = options.offset_bounds_s
    return (
        f"{how}; time offset at which the oscillations of both tracks correlate best, between {low:g} and {high:g} s. "
        "A delayed robot cannot be distinguished from a clock that started early."
    )


def _sources(comparison: ExperimentComparison) -> tuple[tuple[str, str], ...]:
    recording = comparison.recording
    rows = [("run", f"{len(recording)} rows, {recording.times[0]:g} to {recording.times[-1]:g} s")]
    for trial in comparison.trials:
        rows.append((f"data of {trial.name}", trial.capture.source or "arrays"))
        if trial.capture.digest:
            rows.append(("SHA-256", trial.capture.digest))
    return tuple(rows)
