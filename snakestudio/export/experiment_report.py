"""The report of a comparison with an experiment, for a paper's supplement: one file, HTML or PDF, with all in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio._version import __version__
from snakestudio.analysis.experiment.comparison import ExperimentComparison
from snakestudio.analysis.experiment.figures import FIGURES
from snakestudio.errors import ExportError
from snakestudio.export import experiment_figures as pictures
from snakestudio.export.experiment_tables import alignment_rows, figure_rows, recognition_rows, told, trial_rows
from snakestudio.export.files import replacing
from snakestudio.export.printing import STYLE
from snakestudio.export.provenance import change_lines
from snakestudio.export.report_pages import Picture, Report, Table, write_html, write_pdf
from snakestudio.inputs import local_path
from snakestudio.model.scene_file import dump_scene, scene_hash
from snakestudio.text import counted

if TYPE_CHECKING:
    pass

__all__ = ["FORMATS", "report_of", "report_path", "write_report"]

FORMATS = (".html", ".pdf")
"""Suffixes of the files that can be written."""


def write_report(
    path: str | Path,
    comparison: ExperimentComparison,
    scene_file: str | None = None,
    base_dir: Path | None = None,
    progress: Callable[[float], bool] | None = None,
) -> Path:
    """Write a report as HTML or PDF, by the file's suffix. The same comparison gives the same file, byte by byte.

    Parameters
    ----------
    path : path
    comparison : ExperimentComparison
    scene_file : str, optional
        Name of the scene's file, for the provenance.
    base_dir : Path, optional
        Folder that file names in the scene are relative to.
    progress : callable, optional
        Gets the finished fraction; the export is cancelled, leaving no file, when it returns False.

    Raises
    ------
    ExportError
        If the file cannot be written.
    """
    path = report_path(path)
    import matplotlib

    with matplotlib.rc_context({**STYLE, "font.size": 8.0}), replacing(path) as partial:
        report = report_of(comparison, scene_file, base_dir)
        write = write_html if path.suffix.lower() == ".html" else write_pdf
        partial.keep = write(partial.path, report, progress)
    return path


def report_path(path: str | Path) -> Path:
    """The path of a report, if one can be written by its suffix.

    Raises
    ------
    ExportError
        If none can.
    """
    path = local_path(path)
    if path.suffix.lower() not in FORMATS:
        raise ExportError(f"{path}: reports are written as {' or '.join(FORMATS)}; give the file one of these endings.")
    return path


def report_of(comparison: ExperimentComparison, scene_file: str | None, base_dir: Path | None) -> Report:
    """What there is to report."""
    scene = comparison.recording.scene
    title = scene.title or "Untitled scene"
    return Report(
        f"{title}: simulation and experiment", _lead(comparison), _pictures(comparison, base_dir), _tables(comparison),
        tuple(told(comparison.trials)), _provenance(comparison, scene_file), dump_scene(scene),
    )  # fmt: skip


def _lead(comparison: ExperimentComparison) -> str:
    """The main figures in a sentence or two."""
    count = len(comparison.trials)
    whole = comparison.together
    parts = [f"{counted(count, 'trial')} of an experiment beside the run."]
    rmse, largest = whole.get("position_rmse"), whole.get("position_max")
    if rmse is not None and largest is not None:
        sure = f" ({1000 * rmse.low:.1f} to {1000 * rmse.high:.1f})" if math.isfinite(rmse.low) else ""
        parts.append(
            f"After alignment the tracks are {1000 * rmse.value:.1f} mm{sure} apart (root mean square), "
            f"{1000 * largest.value:.0f} mm at most."
        )
    speed = whole.get("trend_speed")
    if speed is not None and speed.run > 0.0:
        share = 100.0 * speed.value / speed.run
        parts.append(
            f"The robot moves at {100 * speed.experiment:.2f} cm/s, the simulation at {100 * speed.run:.2f} cm/s "
            f"({share:+.1f} %)."
        )
    return " ".join(parts)


def _pictures(comparison: ExperimentComparison, base_dir: Path | None) -> tuple[Picture, ...]:
    filled = "Stretches that were interpolated are dotted; they count in no figure."
    return (
        Picture(
            "Tracks", "From above, to scale, after alignment. A triangle marks the begin of a track, a circle its end. "
            + filled, pictures.plan_figure(comparison, base_dir),
        ),
        Picture("Places over time", "In the run's frame and time.", pictures.course_figure(comparison)),
        Picture(
            "Errors over time", "Experiment less run. Along: ahead of the run on its path, the gait's oscillation "
            "smoothed away; across: to the left of it.", pictures.error_figure(comparison),
        ),
        Picture("Speed and heading", "Speeds are those over half a second.", pictures.motion_figure(comparison)),
    )  # fmt: skip


def _tables(comparison: ExperimentComparison) -> tuple[Table, ...]:
    trials = comparison.trials
    head = ("", "unit", "run", "experiment", "experiment less run", "interval")
    tables = []
    if len(trials) == 1:
        tables.append(Table("Figures", (head, *figure_rows(trials[0].figures)), 2, comparison.interval))
    else:
        names = ("", "unit", *(trial.name for trial in trials), "together", "interval")
        tables.append(Table("Experiment less run, by trial", (names, *trial_rows(comparison)), 2, comparison.interval))
        pairs = tuple(row for row in figure_rows(comparison.together) if row[2] != "-")
        tables.append(Table("Means over the trials", (head, *pairs), 2))
    how = "Rigid motion in the plane with the least mean square distance"
    options = comparison.options
    if not options.align_heading or not options.align_position:
        kept = [
            name for name, moved in (("heading", options.align_heading), ("place", options.align_position)) if not moved
        ]
        how += f" ({' and '.join(kept)} kept as measured)"
    low, high = options.offset_bounds_s
    how += (
        f"; time offset where the oscillations of both tracks correlate best, sought from {low:g} to {high:g} s. "
        "A robot that is itself late cannot be told from a clock that started early."
    )
    recognized = recognition_rows(trials)
    if recognized:
        tables.append(Table("Measured files", (("trial", "", "what its file was found to hold"), *recognized), 3))
    tables.append(Table("Alignment", tuple(alignment_rows(comparison)), 2, how))
    known = {name for trial in trials for name in trial.figures}
    tables.append(
        Table(
            "What the figures say",
            (("figure", "meaning"), *((kind.label, kind.about) for kind in FIGURES if kind.name in known)), 2,
        )
    )  # fmt: skip
    return tuple(tables)


def _provenance(comparison: ExperimentComparison, scene_file: str | None) -> tuple[tuple[str, str], ...]:
    recording = comparison.recording
    scene = recording.scene
    rows = [
        ("program", f"SnakeStudio {__version__}"),
        ("scene", scene_file or "unsaved"),
        ("scene, SHA-256", scene_hash(scene)),
        ("model", f"{scene.model.kind}, step {scene.solver.step_s:g} s"),
        ("run", f"{len(recording)} rows, {recording.times[0]:g} to {recording.times[-1]:g} s"),
    ]
    if scene.source:
        rows.append(("source of the scene", scene.source))
    rows += [("changed in the run", line.removeprefix("# change: ")) for line in change_lines(recording.changes)]
    for trial in comparison.trials:
        rows.append((f"data of {trial.name}", trial.capture.source or "given as arrays"))
        if trial.capture.digest:
            rows.append(("SHA-256", trial.capture.digest))
    return tuple(rows)
