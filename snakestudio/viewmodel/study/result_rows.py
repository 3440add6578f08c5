"""The results of a study as they are looked at: sorted, sifted, pinned, brushed and selected, all by number of point.

What was done to them stays when further runs land: rows come and change, points keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray, IntArray
from snakestudio.errors import SignalError
from snakestudio.model.scene import Scene
from snakestudio.study.results import Table
from snakestudio.viewmodel.study.result_columns import STATES, Column, columns_of
from snakestudio.viewmodel.study.result_filter import rows_where


class Results:
    """A table with what is asked of it again and again, worked out once.

    Parameters
    ----------
    units : mapping
        Of goals and limits by name, as endings of columns.
    scene : Scene, optional
        That the study is of: it knows what its values are called.
    """

    def __init__(self, table: Table, units: Mapping[str, str], scene: Scene | None = None) -> None:
        self.table = table
        self.columns = columns_of(table, units, scene)

    def __len__(self) -> int:
        return self.table.n_points

    def named(self, *roles: str) -> list[Column]:
        """Columns of these roles."""
        return [column for column in self.columns.values() if column.role in roles]

    @property
    def points(self) -> FloatArray:
        """Numbers of the points, ascending."""
        return self.columns["point"].values

    @cached_property
    def counts(self) -> BoolArray:
        """Which are finished and within their limits."""
        return self.table.counts

    @cached_property
    def best(self) -> int | None:
        """Row of the best by the first goal."""
        return self.table.best

    @cached_property
    def front(self) -> IntArray:
        """Rows that no other is better than in every goal; of a single goal the best alone."""
        return self.table.front

    @cached_property
    def on_front(self) -> frozenset[int]:
        """The same, to be asked for one."""
        return frozenset(self.front.tolist()) if len(self.table.study.goals) > 1 else frozenset()

    @cached_property
    def failed(self) -> BoolArray:
        """Rows of which a run did not end as it should."""
        return self.columns["state"].values >= STATES.index("failed")

    def varies_as(self, other: Results) -> bool:
        """Whether the same values vary in others, so that they may be those of the same study."""
        return [c.name for c in self.named("varied")] == [c.name for c in other.named("varied")]

    def sentence(self, row: int) -> str:
        """Why a row has no result; "" if it has one, or is still to come."""
        for _, outcome in self.table.rows[row]:
            if outcome is not None and outcome.state != "done":
                return outcome.sentence
        return ""

    def row_of(self, point: int) -> int | None:
        """Row of a point, if it is there."""
        row = int(np.searchsorted(self.points, point))
        return row if row < len(self) and self.points[row] == point else None

    def rows_of(self, points: Iterable[int]) -> list[int]:
        """Rows of those of these points that are there."""
        return [row for point in points if (row := self.row_of(point)) is not None]


class ResultRows:
    """What is shown of results, and in which order.

    Attributes
    ----------
    sorted_by : (str, bool) or None
        Column, and whether the largest comes first.
    condition : str
        What was typed to sift them.
    problem : str
        Why the condition is none, in a sentence; then all rows are shown.
    brushes : dict
        Lower and upper end by column: brushed is what lies between them in all.
    only_brushed : bool
        Whether the table shows the brushed rows only.
    pins, selected : tuple of int
        Points.
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
        self._shown: IntArray | None = None

    def take(self, results: Results) -> None:
        """Look at other results in the same way, as far as they have the columns."""
        self.results = results
        self.brushes = {
            name: ends for name, ends in self.brushes.items() if name in results.columns
        }
        if self.sorted_by is not None and self.sorted_by[0] not in results.columns:
            self.sorted_by = None
        self._fitting = self._brushed = self._shown = None

    def sort(self, column: str | None, descending: bool = False) -> None:
        """Sort by a column; None: as the study asked for them."""
        self.sorted_by = None if column is None else (column, descending)
        self._shown = None

    def sift(self, condition: str) -> None:
        """Show only rows that fit; see `result_filter`."""
        self.condition = condition.strip()
        self._fitting = self._shown = None

    def brush(self, brushes: Mapping[str, tuple[float, float] | None]) -> None:
        """Brush other ranges of these columns; None takes a brush away."""
        for name, ends in brushes.items():
            if ends is None:
                self.brushes.pop(name, None)
            else:
                self.brushes[name] = ends[0], ends[1]
        self._brushed = None
        if self.only_brushed:
            self._shown = None

    def show_only_brushed(self, only: bool) -> None:
        """Show the brushed rows only."""
        self.only_brushed = only
        self._shown = None

    def pin(self, points: Iterable[int], on: bool) -> None:
        """Keep points at the top, or no more."""
        points = list(points)
        others = [point for point in self.pins if point not in points]
        self.pins = (*others, *points) if on else tuple(others)
        self._shown = None

    def select(self, points: Iterable[int]) -> None:
        """Select these points."""
        self.selected = tuple(points)

    # --- what comes of it -------------------------------------------------------------------------

    @property
    def fitting(self) -> BoolArray:
        """Which rows fit what was typed."""
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
        """Which rows lie within all brushes; all without one."""
        if self._brushed is None:
            self._brushed = np.ones(len(self.results), np.bool_)
            for name, (low, high) in self.brushes.items():
                values = self.results.columns[name].values
                with np.errstate(invalid="ignore"):
                    self._brushed &= (values >= low) & (values <= high)
        return self._brushed

    @property
    def shown(self) -> IntArray:
        """Rows of the table from above: the pinned ones, then all others that fit."""
        if self._shown is None:
            keep = self.fitting & self.brushed if self.only_brushed else self.fitting.copy()
            pinned = self.results.rows_of(self.pins)
            keep[pinned] = False
            rows = np.flatnonzero(keep)
            if self.sorted_by is not None:
                rows = rows[
                    _order(self.results.columns[self.sorted_by[0]].values[rows], self.sorted_by[1])
                ]
            self._shown = np.concatenate([np.array(pinned, np.int64), rows])
        return self._shown

    @property
    def selected_rows(self) -> list[int]:
        """Rows of the selected points."""
        return self.results.rows_of(self.selected)


def _order(values: FloatArray, descending: bool) -> IntArray:
    """Ascending or descending, what is equal in the order it was in, and what is no number last."""
    order: IntArray = np.argsort(-values if descending else values, kind="stable")
    return order
