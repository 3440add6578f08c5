"""What all views of a study's results share: the rows, and who is told when they are looked at otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, Signal

from snakestudio.viewmodel.study.result_rows import ResultRows, Results


class LinkedRows(QObject):
    """Rows of results that every view changes and every view follows.

    Signals
    -------
    results_changed()
        Further runs are there, or others.
    shown_changed()
        The table has other rows, or another order.
    brushed_changed()
        Other rows are brushed.
    selected_changed()
    hovered(row: int, place: QPoint)
        The mouse is over a row (-1: over none), at a place on the screen.
    open_asked(row: int)
        The run of a row is to be opened.
    menu_asked(place: QPoint)
        The menu of the selected rows, at a place on the screen.
    """

    results_changed = Signal()
    shown_changed = Signal()
    brushed_changed = Signal()
    selected_changed = Signal()
    hovered = Signal(int, QPoint)
    open_asked = Signal(int)
    menu_asked = Signal(QPoint)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: ResultRows | None = None
        self.held = False
        """Whether something is being dragged in a chart: what takes long waits."""

    @property
    def there(self) -> bool:
        """Whether there are any results."""
        return self._rows is not None and len(self._rows.results) > 0

    @property
    def rows(self) -> ResultRows:
        """The rows; ask for them when there are some."""
        assert self._rows is not None
        return self._rows

    @property
    def results(self) -> Results:
        """Their table."""
        return self.rows.results

    def take(self, results: Results) -> None:
        """Show other results; what is selected, sorted, sifted, brushed and pinned stays."""
        if self._rows is None:
            self._rows = ResultRows(results)
        else:
            self._rows.take(results)
        self.hovered.emit(-1, QPoint())
        self.results_changed.emit()

    def hold(self, on: bool) -> None:
        """Something is dragged from now on, or no more."""
        self.held = on

    def forget(self) -> None:
        """There are no results any more."""
        self._rows = None

    def sort(self, column: str | None, descending: bool) -> None:
        """Sort the table."""
        self.rows.sort(column, descending)
        self.shown_changed.emit()

    def sift(self, condition: str) -> None:
        """Show the rows that fit."""
        self.rows.sift(condition)
        self.shown_changed.emit()

    def brush(self, brushes: Mapping[str, tuple[float, float] | None]) -> None:
        """Brush other ranges of these columns; None takes a brush away."""
        self.rows.brush(brushes)
        self.brushed_changed.emit()

    def clear_brushes(self) -> None:
        """Take all brushes away."""
        self.brush(dict.fromkeys(self.rows.brushes))

    def show_only_brushed(self, only: bool) -> None:
        """Show the brushed rows only."""
        self.rows.show_only_brushed(only)
        self.shown_changed.emit()

    def pin(self, rows: Iterable[int], on: bool) -> None:
        """Keep rows at the top, or no more."""
        self.rows.pin([int(self.results.points[row]) for row in rows], on)
        self.shown_changed.emit()

    def toggle_pins(self, rows: Sequence[int]) -> None:
        """Keep rows at the top, or no more if all of them are."""
        self.pin(rows, not self.all_pinned(rows))

    def all_pinned(self, rows: Iterable[int]) -> bool:
        """Whether all of some rows are kept at the top."""
        return all(int(self.results.points[row]) in self.rows.pins for row in rows)

    def select(self, rows: Iterable[int]) -> None:
        """Select these rows."""
        points = tuple(int(self.results.points[row]) for row in rows)
        if points != self.rows.selected:
            self.rows.select(points)
            self.selected_changed.emit()

    def toggle(self, row: int) -> None:
        """Select a row more, or one less."""
        rows = self.rows.selected_rows
        self.select([each for each in rows if each != row] if row in rows else [*rows, row])
