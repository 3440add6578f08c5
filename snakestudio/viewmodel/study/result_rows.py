"""View of the results of a study: sorting, filter, pins, brushes and selection, by number of point.

The view is preserved when further results arrive: rows change, but points keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray, IntArray
from snakestudio.errors import SignalError
from snakestudio.model.scene import Scene
from snakestudio.study.results import Table
from snakestudio.viewmodel.study.result_columns import STATES, ResultColumn, columns_of
from snakestudio.viewmodel.study.result_filter import rows_where


class Results:
    """Table of results with cached derived values.

    Parameters
    ----------
    units : mapping
        Units of goals and limits by name, as suffixes of columns.
    scene : Scene, optional
        Scene of the study, for the labels of its values.
    """

    def __init__(self, table: Table, units: Mapping[str, str], scene: Scene | None = None) -> None:
        self.table = table
        self.columns = columns_of(table, units, scene)

    def __len__(self) -> int:
        return self.table.n_points

    def named(self, *roles: str) -> list[ResultColumn]:
        """Return the columns with these roles."""
        return [column for column in self.columns.values() if column.role in roles]

    @property
    def points(self) -> FloatArray:
        """Numbers of the points in ascending order."""
        return self.columns["point"].values

    @cached_property
    def counts(self) -> BoolArray:
        """Whether each row is finished, plausible and within its limits; see `Table.counts`."""
        return self.table.counts

    @cached_property
    def best(self) -> int | None:
        """Row of the best point by the first goal; None if there is none."""
        return self.table.best

    @cached_property
    def front(self) -> IntArray:
        """Rows of the Pareto front; for a single goal, only the best row."""
        return self.table.front

    @cached_property
    def on_front(self) -> frozenset[int]:
        """Rows of the Pareto front as a set."""
        return frozenset(self.front.tolist()) if len(self.table.study.goals) > 1 else frozenset()

    @cached_property
    def failed(self) -> BoolArray:
        """Rows with a failed run."""
        return self.columns["state"].values >= STATES.index("failed")

    @cached_property
    def left_out(self) -> BoolArray:
        """Rows that are not plausible and therefore do not count."""
        included = self.table.includes_implausible
        return np.zeros(len(self), np.bool_) if included else self.table.implausible

    def varies_as(self, other: Results) -> bool:
        """Return whether the same values vary in other results, which can then be of the same study."""
        return [c.name for c in self.named("varied")] == [c.name for c in other.named("varied")]

    def sentence(self, row: int) -> str:
        """Return the reason why a row has no result or is not plausible; "" if it has one or is waiting."""
        outcomes = [outcome for _, outcome in self.table.rows[row] if outcome is not None]
        for outcome in outcomes:
            if outcome.state != "done":
                return outcome.sentence
        for outcome in outcomes:
            if outcome.plausibility is not None and outcome.plausibility.violations:
                return outcome.plausibility.violations[0].text
        return ""

    def row_of(self, point: int) -> int | None:
        """Return the row of a point; None if it does not exist."""
        row = int(np.searchsorted(self.points, point))
        return row if row < len(self) and self.points[row] == point else None

    def rows_of(self, points: Iterable[int]) -> list[int]:
        """Return the rows of those points that exist."""
        return [row for point in points if (row := self.row_of(point)) is not None]


class ResultRows:
    """Shown rows of results and their order.

    Attributes
    ----------
    sorted_by : (str, bool) or None
        Column, and whether the largest value is first.
    condition : str
        Typed filter condition.
    problem : str
        Problem of the condition, as a sentence; if there is one, all rows are shown.
    brushes : dict
        Lower and upper ends by column; rows within all of them are brushed.
    only_brushed : bool
        Whether the table shows only the brushed rows.
    pins, selected : tuple of int
        Numbers of points.
    """

    def __init__(self, results: Results) -> None:
        self.results = results
        self.sorted_by: tuple[str, bool] | None = None
        self.condition = ""
        self.problem = ""
        self.brushes: dict[str, tuple[float, float]] = {}
        self.only_brushed = False
        self.pins: tuple[int, ...] = ()
        self.selected: tuple[int, ...] = ()
        self._fitting: BoolArray | None = None
        self._brushed: BoolArray | None = None
        self._visible: IntArray | None = None

    def set_results(self, results: Results) -> None:
        """Show other results in the same view, if they have its columns."""
        self.results = results
        self.brushes = {
            name: ends for name, ends in self.brushes.items() if name in results.columns
        }
        if self.sorted_by is not None and self.sorted_by[0] not in results.columns:
            self.sorted_by = None
        self._fitting = self._brushed = self._visible = None

    def sort(self, column: str | None, descending: bool = False) -> None:
        """Sort by a column; None for the order of the study."""
        self.sorted_by = None if column is None else (column, descending)
        self._visible = None

    def sift(self, condition: str) -> None:
        """Show only rows that satisfy a condition; see `result_filter`."""
        self.condition = condition.strip()
        self._fitting = self._visible = None

    def brush(self, brushes: Mapping[str, tuple[float, float] | None]) -> None:
        """Set brushes of columns; None removes a brush."""
        for name, ends in brushes.items():
            if ends is None:
                self.brushes.pop(name, None)
            else:
                self.brushes[name] = ends[0], ends[1]
        self._brushed = None
        if self.only_brushed:
            self._visible = None

    def show_only_brushed(self, only: bool) -> None:
        """Show only the brushed rows, or all."""
        self.only_brushed = only
        self._visible = None

    def pin(self, points: Iterable[int], on: bool) -> None:
        """Pin points to the top, or unpin them."""
        points = list(points)
        others = [point for point in self.pins if point not in points]
        self.pins = (*others, *points) if on else tuple(others)
        self._visible = None

    def select(self, points: Iterable[int]) -> None:
        """Select points."""
        self.selected = tuple(points)

    # --- results of these choices -----------------------------------------------------------------

    @property
    def fitting(self) -> BoolArray:
        """Whether each row satisfies the condition."""
        if self._fitting is None:
            self.problem = ""
            self._fitting = np.ones(len(self.results), np.bool_)
            if self.condition:
                try:
                    self._fitting = rows_where(
                        self.condition, self.results.columns, len(self.results)
                    )
                except SignalError as error:
                    self.problem = str(error)
        return self._fitting

    @property
    def brushed(self) -> BoolArray:
        """Whether each row is within all brushes; True without brushes."""
        if self._brushed is None:
            self._brushed = np.ones(len(self.results), np.bool_)
            for name, (low, high) in self.brushes.items():
                values = self.results.columns[name].values
                with np.errstate(invalid="ignore"):
                    self._brushed &= (values >= low) & (values <= high)
        return self._brushed

    @property
    def visible(self) -> IntArray:
        """Rows of the table from the top: pinned ones, then all others that satisfy the condition."""
        if self._visible is None:
            keep = self.fitting & self.brushed if self.only_brushed else self.fitting.copy()
            pinned = self.results.rows_of(self.pins)
            keep[pinned] = False
            rows = np.flatnonzero(keep)
            if self.sorted_by is not None:
                rows = rows[
                    _order(self.results.columns[self.sorted_by[0]].values[rows], self.sorted_by[1])
                ]
            self._visible = np.concatenate([np.array(pinned, np.int64), rows])
        return self._visible

    @property
    def selected_rows(self) -> list[int]:
        """Rows of the selected points, as far as they exist."""
        return self.results.rows_of(self.selected)


def _order(values: FloatArray, descending: bool) -> IntArray:
    """Return the stable order, ascending or descending, with NaN last."""
    order: IntArray = np.argsort(-values if descending else values, kind="stable")
    return order
