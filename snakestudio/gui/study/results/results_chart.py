"""A chart of a study's results: it follows the rows that all views share, and changes them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import BoolArray
from snakestudio.gui.charts.markers import paint_mark, paint_ring
from snakestudio.gui.charts.point_chart import PointChart
from snakestudio.gui.core import theme
from snakestudio.gui.study.results.linked import LinkedRows


class ResultsChart(PointChart):
    """A chart of results; what it draws is up to the class that derives from it."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        self.linked = linked
        self._present_point = -1
        """Number of the point at which the keyboard is, which outlives its row."""
        super().__init__(parent)
        linked.results_changed.connect(self.renew)
        linked.shown_changed.connect(self.renew_marks)
        linked.brushed_changed.connect(self.renew_brushed)
        linked.selected_changed.connect(self.renew_marks)
        linked.hovered.connect(lambda row, _: self.show_hovered(row))
        self.hovered.connect(linked.hovered)
        self.held.connect(linked.hold)
        self.open_asked.connect(linked.open_asked)
        self.selected.connect(linked.select)
        self.toggled.connect(linked.toggle)
        self.pin_toggled.connect(lambda row: linked.toggle_pins([row]))
        self.menu_asked.connect(self._show_menu)

    @property
    def there(self) -> bool:
        return self.linked.there

    @property
    def within_reach(self) -> BoolArray:
        """Rows that mouse and keys find: the brushed ones, which lie on top, as long as there are some."""
        brushed = self.linked.rows.brushed
        return brushed if brushed.any() else np.ones_like(brushed)

    def likely_rows(self) -> Iterable[int]:
        """Yield the present row, the last that was selected, the best, and then all others."""
        rows = self.linked.rows
        results = self.linked.results
        present = results.row_of(self._present_point) if self.present_row >= 0 else None
        yield from [] if present is None else [present]
        yield from rows.selected_rows[-1:]
        yield from [] if results.best is None else [results.best]
        yield from np.flatnonzero(self.within_reach).tolist()

    def go_to(self, row: int) -> None:
        if row >= 0:
            self._present_point = int(self.linked.results.points[row])
        super().go_to(row)

    def go_back(self) -> None:
        """Take the keyboard back to its point after other results are shown."""
        row = self.linked.results.row_of(self._present_point) if self.present_row >= 0 else None
        if row is not None and self.hasFocus():
            self.go_to(row)

    def clear_brushes(self) -> bool:
        brushed = self.is_brushed
        if brushed:
            self.linked.clear_brushes()
        return brushed

    @property
    def is_brushed(self) -> bool:
        return self.there and bool(self.linked.rows.brushes)

    def _show_menu(self, row: int, place: QPoint) -> None:
        if row not in self.linked.rows.selected_rows:
            self.linked.select([row])
        self.linked.menu_asked.emit(place)

    # --- marks ------------------------------------------------------------------------------------

    def mark_of(self, row: int) -> tuple[QColor, bool] | None:
        """Return the colour of a row that stands out, and whether it is a star; None of one that does not."""
        rows = self.linked.rows
        if row == rows.results.best:
            return theme.colour("good"), True
        if int(rows.results.points[row]) in rows.pins:
            return theme.colour("warning"), False
        return None

    def is_selected(self, row: int) -> bool:
        """Whether a row is selected."""
        return int(self.linked.results.points[row]) in self.linked.rows.selected

    @property
    def marked_rows(self) -> list[int]:
        """Rows that stand out, the most important one last."""
        rows = self.linked.rows
        results = self.linked.results
        best = [] if results.best is None else [results.best]
        every = [*results.rows_of(rows.pins), *best, *rows.selected_rows, self.hover_row]
        return [row for row in reversed(dict.fromkeys(reversed(every))) if 0 <= row < len(results)]

    def paint_point(self, painter: QPainter, place: QPointF, row: int) -> None:
        """Paint a row that stands out."""
        if self.is_selected(row) or row == self.hover_row:
            paint_ring(painter, place, theme.colour("text" if row == self.hover_row else "accent"))
        mark = self.mark_of(row)
        if mark is not None:
            paint_mark(painter, place, mark[0], star=mark[1])
