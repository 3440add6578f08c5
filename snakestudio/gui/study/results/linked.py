"""Rows of a study's results that all views share, with signals of their changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, Signal

from snakestudio.viewmodel.study.result_rows import ResultRows, Results


class LinkedRows(QObject):
    """Rows of results that each view can change and each view follows.

    Signals
    -------
    results_changed()
        The results changed.
    shown_changed()
        The rows of the table or their order changed.
    brushed_changed()
        The brushed rows changed.
    selected_changed()
    hovered(row: int, place: QPoint)
        The mouse is over a row (-1: none), at a position on the screen.
    open_requested(row: int)
        The run of a row must be opened.
    menu_requested(place: QPoint)
        The menu of the selected rows must be opened at a position on the screen.
    """

    results_changed = Signal()
    shown_changed = Signal()
    brushed_changed = Signal()
    selected_changed = Signal()
    hovered = Signal(int, QPoint)
    open_requested = Signal(int)
    menu_requested = Signal(QPoint)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: ResultRows | None = None
        self.held = False
        """Whether a drag in a chart is in progress; slow updates wait for its end."""

    @property
    def has_results(self) -> bool:
        """Whether there are any results."""
        return self._rows is not None and len(self._rows.results) > 0

    @property
    def rows(self) -> ResultRows:
        """Rows of the results; valid only if there are results."""
        assert self._rows is not None
        return self._rows

    @property
    def results(self) -> Results:
        """Table of the results."""
        return self.rows.results

    def set_results(self, results: Results) -> None:
        """Show other results; selection, order, filter, brushes and pins stay."""
        if self._rows is None:
            self._rows = ResultRows(results)
        else:
            self._rows.set_results(results)
        self.hovered.emit(-1, QPoint())
        self.results_changed.emit()

    def hold(self, on: bool) -> None:
        """Set whether a drag is in progress."""
        self.held = on

    def discard_results(self) -> None:
        """Discard the results."""
        self._rows = None

    def sort(self, column: str | None, descending: bool) -> None:
        """Sort the table."""
        self.rows.sort(column, descending)
        self.shown_changed.emit()

    def sift(self, condition: str) -> None:
        """Show the rows that meet a condition."""
        self.rows.sift(condition)
        self.shown_changed.emit()

    def brush(self, brushes: Mapping[str, tuple[float, float] | None]) -> None:
        """Brush these ranges of columns; None clears the brush of a column."""
        self.rows.brush(brushes)
        self.brushed_changed.emit()

    def clear_brushes(self) -> None:
        """Clear all brushes."""
        self.brush(dict.fromkeys(self.rows.brushes))

    def show_only_brushed(self, only: bool) -> None:
        """Show the brushed rows only."""
        self.rows.show_only_brushed(only)
        self.shown_changed.emit()

    def pin(self, rows: Iterable[int], on: bool) -> None:
        """Pin rows at the top, or unpin them."""
        self.rows.pin([int(self.results.points[row]) for row in rows], on)
        self.shown_changed.emit()

    def toggle_pins(self, rows: Sequence[int]) -> None:
        """Pin rows at the top, or unpin them if all are pinned."""
        self.pin(rows, not self.all_pinned(rows))

    def all_pinned(self, rows: Iterable[int]) -> bool:
        """Return whether all of some rows are pinned."""
        return all(int(self.results.points[row]) in self.rows.pins for row in rows)

    def select(self, rows: Iterable[int]) -> None:
        """Select these rows."""
        points = tuple(int(self.results.points[row]) for row in rows)
        if points != self.rows.selected:
            self.rows.select(points)
            self.selected_changed.emit()

    def toggle(self, row: int) -> None:
        """Add a row to the selection, or remove it."""
        rows = self.rows.selected_rows
        self.select([each for each in rows if each != row] if row in rows else [*rows, row])
