"""Figure of a fit as a file: each measured run from above, before and after, and the distance over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.analysis.fitting import FitPlotData, FitResult, TrialOutcome, pictured
from snakestudio.drawing.style import LIGHT
from snakestudio.export.files import replacing
from snakestudio.export.fit_text import fit_table, length
from snakestudio.export.plan_drawing import draw_world
from snakestudio.export.printing import INK, STYLE, about_file, printed_suffix, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BEFORE = "#b86400"
_AFTER = "#0a84d0"
_WIDTH = 7.1
_ROW = 2.7
_FOOT = 0.28
"""Width of the figure, height of a trial and of a line of text, inches: two columns of a paper."""

_STYLE: Any = {
    **STYLE,
    "axes.titlesize": 7.5,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "legend.fontsize": 6.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def write_fit_picture(path: Path, result: FitResult) -> None:
    """Write the figure of a fit as PDF, PNG or SVG, by file extension; identical for identical fits.

    Raises `ExportError` if the file cannot be written.
    """
    suffix = printed_suffix(path, "pictures")
    import matplotlib

    with matplotlib.rc_context(_STYLE), replacing(path) as file:
        figure = fit_figure(result, _caption(result))
        save_figure(figure, file.path, dpi=300, metadata=about_file(suffix))


def fit_figure(result: FitResult, caption: str = "") -> Figure:
    """Draw the trials in rows: view from above, and distance over time."""
    from matplotlib.figure import Figure

    lines = len(caption.splitlines())
    height = len(result.trials) * _ROW + _FOOT * (1.2 + 0.6 * lines)
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    grid = figure.subplots(len(result.trials), 2, squeeze=False, width_ratios=(1.15, 1.0))
    for (plan, course), outcome in zip(grid, result.trials, strict=True):
        seen = pictured(outcome)
        _plan(plan, outcome, seen)
        _course(course, outcome, seen)
    if caption:
        figure.suptitle(caption, x=0.01, ha="left", fontsize=7.5, linespacing=1.5)
    return figure


def _caption(result: FitResult) -> str:
    """Return the fitted values, one per line."""
    lines = []
    for row in fit_table(result).rows:
        name, label, value, interval, before = (cell.text for cell in row.cells)
        unit = f" {row.unit}" if row.unit else ""
        lines.append(
            f"{label or name}: {value}{unit}  (95 %: {interval}{unit}; before {before}{unit})"
        )
    return "\n".join(lines)


def _plan(axes: Axes, outcome: TrialOutcome, seen: FitPlotData) -> None:
    axes.set_title(outcome.trial.name)
    axes.set_xlabel("x / m")
    axes.set_ylabel("y / m")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_axisbelow(True)
    axes.grid(color=LIGHT.grid_minor, linewidth=0.4)
    draw_world(axes, outcome.trial.scene, outcome.trial.base_dir)
    for pose, colour in ((seen.pose_before, _BEFORE), (seen.pose_after, _AFTER)):
        axes.plot(
            pose[:, 0], pose[:, 1], color=colour, linewidth=2.6, alpha=0.28, solid_capstyle="round"
        )
    name = f", {seen.link_name}" if seen.link is not None else ""
    for track, colour, label in (
        (seen.before, _BEFORE, f"before{name}"),
        (seen.after, _AFTER, f"fitted{name}"),
    ):
        axes.plot(track[:, 0], track[:, 1], color=colour, linewidth=1.1, label=label)
    axes.plot(
        seen.measured[:, 0],
        seen.measured[:, 1],
        ".",
        color=INK,
        markersize=2.2,
        label=f"measured{name}",
    )
    axes.plot(
        seen.places[:, 0],
        seen.places[:, 1],
        "o",
        color=INK,
        markersize=3.0,
        fillstyle="none",
        markeredgewidth=0.7,
    )
    axes.legend(loc="best")


def _course(axes: Axes, outcome: TrialOutcome, seen: FitPlotData) -> None:
    axes.set_title("Distance between run and measurement, RMS")
    for time, distance, misfit, colour, label in (
        (seen.time_before, seen.distance_before, outcome.misfit_before, _BEFORE, "before"),
        (seen.time_after, seen.distance_after, outcome.misfit_after, _AFTER, "fitted"),
    ):
        axes.plot(
            time,
            1000.0 * distance,
            color=colour,
            linewidth=1.0,
            label=f"{label}, {length(misfit.cost)}",
        )
    axes.set_xlabel("t / s")
    axes.set_ylabel("distance / mm")
    axes.set_ylim(bottom=0.0)
    axes.grid(color=LIGHT.grid_minor, linewidth=0.4)
    axes.legend(loc="best")
