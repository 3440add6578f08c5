"""Figures of study results for papers: curves, maps, fronts and scatter plots as PDF, SVG or PNG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.errors import StudyError
from snakestudio.export.figures.figure import printed
from snakestudio.export.figures.parts import EXPERIMENT, RUN, subtitle
from snakestudio.export.files import replacing
from snakestudio.export.printing import INK, PALE, about_file, printed_suffix, save_figure
from snakestudio.model.scene import Scene
from snakestudio.study.figure_content import (
    FigureColumns,
    FigureContent,
    chosen,
    labelled,
    panels_of,
    value_text,
    vary_of,
)
from snakestudio.study.results import Table, front
from snakestudio.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = "viridis"
"""Colour map of ordered values; it stays ordered in greyscale and for colour-blind readers."""

_ONE = 88.0
_TWO = 180.0
"""Widths of one and two columns of a paper, mm."""

_USUAL = 1.5
"""Half-height of the shown range, as a fraction of the span of the middle 80 % of the points."""

_MARKERS = "*DPsXv"

_IMPLAUSIBLE = "not plausible"


@dataclass(frozen=True, slots=True)
class ComparedStudy:
    """Another study whose points are drawn for comparison."""

    label: str
    table: Table


def write_figure(
    path: Path,
    table: Table,
    scene: Scene,
    units: dict[str, str],
    texts: Mapping[str, str],
    named: FigureColumns | None = None,
    compared: Sequence[ComparedStudy] = (),
) -> str:
    """Write the figure of a study as PDF, SVG or PNG, by suffix; the same results give the same bytes.

    Raises `StudyError` if there is nothing to show, or a column is missing. Raises `ExportError`
    if the file cannot be written.

    Parameters
    ----------
    scene : Scene
        Scene of the study.
    units : dict
        Unit suffixes of goals and limits, by name.
    texts : mapping
        The study and its scene as TOML, stored in the metadata of the file.
    named : FigureColumns, optional
        Requested columns on the axes.
    compared : sequence of ComparedStudy
        Other studies with the same columns, drawn into a scatter plot.

    Returns
    -------
    str
        Short description of the figure.
    """
    suffix = printed_suffix(path, "figures")
    content = chosen(table, named or FigureColumns())
    if compared and content.kind != "scatter":
        raise StudyError(
            "Other studies can only be drawn into a scatter plot. Name two columns with --x and --y."
        )
    drawn = Drawing(table, scene, labelled(table, scene, units))
    width, height = drawn.size(content)
    with printed(width, height) as figure, replacing(path) as partial:
        caption = drawn.draw(figure, content, compared)
        if drawn.left_out.any():
            caption += f", {counted(int(drawn.left_out.sum()), 'point')} not plausible"
        about = about_file(
            suffix,
            table.study.title,
            caption,
            "\n".join(f"{n}:\n{text}" for n, text in texts.items()),
        )
        save_figure(figure, partial.path, dpi=160, metadata=about)
    return caption


class Drawing:
    """Drawing of the results of one study on the figure of `export.figures.figure.printed`."""

    def __init__(self, table: Table, scene: Scene, labels: dict[str, str]) -> None:
        self.table = table
        self.scene = scene
        self.labels = labels
        self.finished: BoolArray = table["runs"] == table.study.repeats.count
        self.left_out: BoolArray = (
            np.zeros(table.n_points, np.bool_) if table.includes_implausible else table.implausible
        )
        """Points that are not plausible, and do not count."""

    def size(self, content: FigureContent) -> tuple[float, float]:
        """Return the width and height of the page, mm."""
        if content.kind == "values":
            columns, rows = _columns(len(self.table.study.groups))
            return (_ONE if columns == 1 else _TWO), 12.0 + 48.0 * rows
        if content.kind == "curves" and not content.panels:
            return _ONE, 18.0 + 42.0 * len(content.y)
        columns, rows = _columns(len(panels_of(self.table, content)))
        return (_ONE if columns == 1 else _TWO), (66.0 if columns == 1 else 12.0 + 52.0 * rows)

    def draw(
        self, figure: Figure, content: FigureContent, compared: Sequence[ComparedStudy]
    ) -> str:
        """Draw the figure, and return a short description."""
        if content.kind == "values":
            return self._values(figure, content)
        if content.kind == "scatter":
            return self._scatter(figure, content, compared)
        panels = panels_of(self.table, content)
        columns, rows = _columns(len(panels))
        if content.kind == "curves" and not content.panels:
            every = list(figure.subplots(len(content.y), 1, squeeze=False, sharex=True).flat)
            for axes, y in zip(every, content.y, strict=True):
                self._curves(axes, content, y, np.ones(self.table.n_points, np.bool_))
                self._name(axes, content.x if axes is every[-1] else "", y)
        else:
            grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
            levels = self._levels(content.colour) if content.kind == "map" else (0.0, 1.0)
            drawn: Any = None
            for number, axes in enumerate(grid.flat):
                if number >= len(panels):
                    axes.set_axis_off()
                    continue
                rows_here = self._rows(content, panels[number])
                if content.kind == "map":
                    drawn = self._map(axes, content, rows_here, levels)
                else:
                    self._curves(axes, content, content.y[0], rows_here)
                last = number + columns >= len(panels)
                axes.tick_params(labelbottom=last)
                self._name(
                    axes, content.x if last else "", content.y[0] if number % columns == 0 else ""
                )
                if content.panels:
                    subtitle(axes, self._panel_text(content, panels[number]))
            if drawn is not None:
                figure.colorbar(
                    drawn, ax=grid, label=self.labels[content.colour], aspect=30
                ).outline.set_linewidth(0.4)
        kind = "map" if content.kind == "map" else "curves"
        what = content.colour if content.kind == "map" else ", ".join(content.y)
        over = f"{content.x} and {content.y[0]}" if content.kind == "map" else content.x
        return f"{kind} of {what} over {over}"

    def _name(self, axes: Axes, x: str, y: str) -> None:
        if x:
            axes.set_xlabel(self.labels[x])
        if y:
            axes.set_ylabel(self.labels[y])

    def _panel_text(self, content: FigureContent, values: tuple[object, ...]) -> str:
        texts = []
        for name, value in zip(content.panels, values, strict=True):
            vary = vary_of(self.table, name)
            texts.append(
                value_text(self.scene, vary, value) if vary is not None else f"{name} {value}"
            )
        return ", ".join(texts)

    def _rows(self, content: FigureContent, values: tuple[object, ...]) -> BoolArray:
        chosen = np.ones(self.table.n_points, np.bool_)
        for name, value in zip(content.panels, values, strict=True):
            chosen &= self.table[name] == value
        return chosen

    def _numbers(self, name: str) -> FloatArray:
        """Return a column as numbers; NaN for unfinished points.

        Raises `StudyError` if the column contains text.
        """
        column = self.table[name]
        if column.dtype == np.object_:
            raise StudyError(f"{name} does not contain numbers. Name another column.")
        numbers = column.astype(np.float64)
        return numbers if name == "point" else np.where(self.finished, numbers, np.nan)

    def _levels(self, name: str) -> tuple[float, float]:
        numbers = self._numbers(name)
        known = numbers[np.isfinite(numbers) & ~self.left_out]
        if not len(known) and self.left_out.any():
            raise StudyError(
                f"No point with a value of {name} is plausible. Add --include-implausible to draw all points."
            )
        if not len(known):
            raise StudyError(
                f"No point has a value of {name} so far. Run the study first, or see the reason with 'study status'."
            )
        return float(known.min()), float(known.max())

    # ------------------------------------------------------------------------------------ the kinds

    def _places(self, name: str) -> tuple[list[Any], FloatArray, bool]:
        """Sorted values of a column, the position of each row, and whether the values are entries of a list."""
        vary = vary_of(self.table, name)
        values = list(dict.fromkeys(self.table[name].tolist()))
        if vary is not None and vary.values:
            order = [value for value in vary.values if value in values]
            return (
                order,
                np.array([order.index(value) for value in self.table[name].tolist()], np.float64),
                True,
            )
        return sorted(values), self.table[name].astype(np.float64), False

    def _ticks(self, axes: Axes, name: str, along: str) -> None:
        values, _, listed = self._places(name)
        vary = vary_of(self.table, name)
        if listed:
            axis = axes.xaxis if along == "x" else axes.yaxis
            axis.set_ticks(
                range(len(values)),
                [f"{v:g}" if isinstance(v, float | int) else str(v) for v in values],
            )
        elif vary is not None and vary.scale == "log":
            (axes.set_xscale if along == "x" else axes.set_yscale)("log")

    def _curves(self, axes: Axes, content: FigureContent, y: str, rows: BoolArray) -> None:
        self._levels(y)
        _, x, _ = self._places(content.x)
        every = self._numbers(y)
        numbers = np.where(self.left_out, np.nan, every)
        column = self.table[content.colour] if content.colour else None
        lines = list(dict.fromkeys(column[rows].tolist())) if column is not None else [None]
        lines.sort(
            key=lambda value: (isinstance(value, str), value) if value is not None else (False, 0)
        )
        low, high = self._extremes(y)
        vary = vary_of(self.table, content.colour)
        for number, value in enumerate(lines):
            here = rows if column is None else rows & (column == value)
            order = np.flatnonzero(here)[np.argsort(x[here])]
            colour = RUN if column is None else _colour(number, len(lines))
            label = None if vary is None else value_text(self.scene, vary, value)
            axes.plot(x[order], numbers[order], "-o", color=colour, markersize=2.5, label=label)
            if low is not None and high is not None:
                axes.fill_between(
                    x[order], low[order], high[order], color=colour, alpha=0.15, linewidth=0.0
                )
        doubtful = rows & self.left_out & np.isfinite(every)
        if doubtful.any():
            axes.plot(
                x[doubtful], every[doubtful], "x", color=PALE, markersize=3.0, label=_IMPLAUSIBLE
            )
        self._ticks(axes, content.x, "x")
        if len(lines) > 1 or doubtful.any():
            axes.legend(loc="best", ncols=1 + (len(lines) > 5))

    def _extremes(self, name: str) -> tuple[FloatArray | None, FloatArray | None]:
        """Return the smallest and largest value of the repeats of each point, if there are several."""
        called = [part.called for part in self.table.study.measured]
        if self.table.study.repeats.count == 1 or name not in called:
            return None, None
        k = called.index(name)
        n = self.table.n_points
        low, high = np.full(n, np.nan), np.full(n, np.nan)
        for row, repeats in enumerate(self.table.rows):
            numbers = [o.measures[k] for _, o in repeats if o is not None and o.state == "done"]
            if numbers and self.finished[row]:
                low[row] = min(numbers)
                high[row] = max(numbers)
        return low, high

    def _map(
        self, axes: Axes, content: FigureContent, rows: BoolArray, levels: tuple[float, float]
    ) -> Any:
        xs, x, x_listed = self._places(content.x)
        ys, y, y_listed = self._places(content.y[0])
        across = np.arange(len(xs), dtype=np.float64) if x_listed else np.array(xs, np.float64)
        up = np.arange(len(ys), dtype=np.float64) if y_listed else np.array(ys, np.float64)
        cells = np.full((len(up), len(across)), np.nan)
        column, row = np.searchsorted(across, x[rows]), np.searchsorted(up, y[rows])
        every = self._numbers(content.colour)
        numbers = np.where(self.left_out, np.nan, every)
        cells[row, column] = numbers[rows]
        pale = np.full_like(cells, np.nan)
        pale[row, column] = np.where(self.left_out, every, np.nan)[rows]
        axes.set_facecolor((0.88, 0.89, 0.91))
        drawn = axes.pcolormesh(
            across,
            up,
            cells,
            cmap=_COLOURS,
            vmin=levels[0],
            vmax=levels[1],
            shading="nearest",
            rasterized=True,
        )
        if np.isfinite(pale).any():
            axes.pcolormesh(
                across,
                up,
                pale,
                cmap=_COLOURS,
                vmin=levels[0],
                vmax=levels[1],
                shading="nearest",
                rasterized=True,
                alpha=0.3,
            )
        if levels[0] < 0.0 < levels[1] and np.nanmin(cells, initial=0.0) < 0.0 < np.nanmax(
            cells, initial=0.0
        ):
            axes.contour(across, up, cells, levels=[0.0], colors="white", linewidths=1.0)
        beyond = rows & self.finished & ~self.table["within_limits"] & np.isfinite(numbers)
        axes.plot(x[beyond], y[beyond], "x", color="white", markersize=2.5, markeredgewidth=0.5)
        _hatch(axes, across, up, x[rows & self.left_out], y[rows & self.left_out])
        best = self.table.best
        if best is not None and rows[best] and content.colour == self.table.study.goals[0].called:
            axes.plot(
                x[best],
                y[best],
                "o",
                markersize=6.0,
                markerfacecolor="none",
                markeredgecolor="white",
            )
        self._ticks(axes, content.x, "x")
        self._ticks(axes, content.y[0], "y")
        return drawn

    def _scatter(
        self, figure: Figure, content: FigureContent, compared: Sequence[ComparedStudy]
    ) -> str:
        axes = figure.add_subplot()
        name = content.y[0]
        x = self._numbers(content.x)
        y = self._numbers(name)
        valid = np.isfinite(x) & np.isfinite(y)
        counts = self.table.counts
        if not valid.any():
            self._levels(name)
            self._levels(content.x)
        sound = valid & counts
        beyond = valid & ~counts
        axes.plot(
            x[beyond],
            y[beyond],
            "o",
            color=PALE,
            markersize=2.0,
            markerfacecolor="none",
            markeredgewidth=0.4,
            label=self._invalid_label(beyond),
            zorder=1,
        )
        if content.colour:
            colours = self._numbers(content.colour)
            drawn = axes.scatter(
                x[sound], y[sound], s=8.0, c=colours[sound], cmap=_COLOURS, linewidths=0.0, zorder=2
            )
            figure.colorbar(drawn, ax=axes, label=self.labels[content.colour], aspect=30)
        else:
            axes.plot(
                x[sound],
                y[sound],
                ".",
                color=RUN,
                markersize=3.0,
                alpha=0.5,
                label="points",
                zorder=2,
            )
        rows = self._front(content.x, name)
        axes.plot(
            x[rows],
            y[rows],
            "-o",
            color=EXPERIMENT,
            markersize=3.0,
            linewidth=0.9,
            zorder=3,
            label="Pareto front" if len(rows) else None,
        )
        for marker, other in zip(_MARKERS, compared, strict=False):
            for column in (content.x, name):
                if column not in other.table:
                    raise StudyError(
                        f"{other.label} has no {column}. Compare only studies with the same measures."
                    )
            axes.plot(
                other.table[content.x],
                other.table[name],
                marker,
                color=INK,
                markersize=6.0,
                label=other.label,
                markeredgecolor="white",
                markeredgewidth=0.5,
                zorder=4,
            )
        self._name(axes, content.x, name)
        if beyond.any() or len(rows):
            usual = y[sound][
                np.abs(y[sound] - np.median(y[sound]))
                <= _USUAL * np.ptp(np.percentile(y[sound], (10, 90)))
            ]
            _show_bulk(
                axes, np.concatenate([y[rows], usual, *(other.table[name] for other in compared)])
            )
        axes.legend(loc="best")
        return f"{name} over {content.x}" + (
            f", {len(rows)} points on the front" if len(rows) else ""
        )

    def _invalid_label(self, beyond: BoolArray) -> str | None:
        """Return the legend of the points that do not count; None if there are none."""
        reasons = ["limits violated"] if (beyond & ~self.left_out).any() else []
        reasons += [_IMPLAUSIBLE] if (beyond & self.left_out).any() else []
        return " or ".join(reasons) or None

    def _front(self, x: str, y: str) -> Any:
        """Return the rows of the front of two goals; empty for other columns."""
        goals = [goal.called for goal in self.table.study.goals]
        if x not in goals or y not in goals or x == y:
            return np.zeros(0, np.int64)
        rows = np.flatnonzero(self.table.counts)
        return rows[front(self.table.goals[rows][:, [goals.index(x), goals.index(y)]])]

    def _values(self, figure: Figure, content: FigureContent) -> str:
        """Draw a measure over each value, to show where the optimum is and how sharp it is."""
        (name,) = content.y
        self._levels(name)
        groups = [group[0].name for group in self.table.study.groups]
        columns, rows = _columns(len(groups))
        y = self._numbers(name)
        counts = self.table.counts
        colours = self._numbers(content.colour or "point")
        drawn: Any = None
        grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for number, axes in enumerate(grid.flat):
            if number >= len(groups):
                axes.set_axis_off()
                continue
            _, x, _ = self._places(groups[number])
            axes.plot(
                x[~counts],
                y[~counts],
                "o",
                color=PALE,
                markersize=2.0,
                markerfacecolor="none",
                markeredgewidth=0.3,
                alpha=0.6,
            )
            drawn = axes.scatter(
                x[counts], y[counts], s=7.0, c=colours[counts], cmap=_COLOURS, linewidths=0.0
            )
            best = self.table.best
            if best is not None and name == self.table.study.goals[0].called:
                axes.plot(
                    x[best],
                    y[best],
                    "o",
                    markersize=6.5,
                    markerfacecolor="none",
                    markeredgecolor=EXPERIMENT,
                )
            self._ticks(axes, groups[number], "x")
            self._name(axes, groups[number], name if number % columns == 0 else "")
        if not counts.all():
            _show_bulk(grid[0, 0], y[counts])
        figure.colorbar(drawn, ax=grid, label=self.labels[content.colour or "point"], aspect=30)
        return f"{name} over each value"


def _hatch(axes: Axes, across: FloatArray, up: FloatArray, x: FloatArray, y: FloatArray) -> None:
    """Hatch the cells of a map at the positions x, y; `across` and `up` are the centres of all cells."""
    from matplotlib.patches import Rectangle

    ends = _cell_ends(across), _cell_ends(up)
    for at_x, at_y in zip(np.searchsorted(across, x), np.searchsorted(up, y), strict=True):
        corner = ends[0][at_x], ends[1][at_y]
        width, height = ends[0][at_x + 1] - corner[0], ends[1][at_y + 1] - corner[1]
        axes.add_patch(
            Rectangle(
                corner, width, height, fill=False, hatch="////", edgecolor=PALE, linewidth=0.0
            )
        )


def _cell_ends(centres: FloatArray) -> FloatArray:
    """Return the borders of cells with these ascending centres, (n + 1,), as `pcolormesh` draws them."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def _columns(count: int) -> tuple[int, int]:
    """Return the numbers of columns and rows for `count` panels."""
    columns = 1 if count == 1 else 2 if count in (2, 4) else 3
    return columns, math.ceil(count / columns)


def _show_bulk(axes: Axes, y: FloatArray) -> None:
    """Set the vertical range to the bulk of the values, so that outliers do not dominate."""
    known = y[np.isfinite(y)]
    if len(known):
        air = 0.15 * float(np.ptp(known)) or 1.0
        axes.set_ylim(float(known.min()) - air, float(known.max()) + air)


def _colour(number: int, count: int) -> Any:
    from matplotlib import colormaps

    return colormaps[_COLOURS](0.9 * number / max(count - 1, 1))
