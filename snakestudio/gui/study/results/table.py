"""Results of a study as a table over numpy columns, sorted, filtered and pinned by the shared rows."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSignalBlocker,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.study.results.linked import LinkedRows
from snakestudio.viewmodel.study.result_columns import STATES, ResultColumn

_Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_ROLES = frozenset(
    {
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.TextAlignmentRole,
        Qt.ItemDataRole.FontRole,
        Qt.ItemDataRole.ForegroundRole,
        Qt.ItemDataRole.BackgroundRole,
    }
)
_MOST_SELECTED = 2_000
"""Maximum number of rows whose selection is kept when the table changes."""
_LOOKS_MS = 100
"""Update interval of the rows' tint while brushing."""
_SAMPLE = 300
"""Rows from which the width of a column is computed."""


class ResultsModel(QAbstractTableModel):
    """Shown rows of the results."""

    def __init__(self, linked: LinkedRows, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.linked = linked
        self.columns: list[ResultColumn] = []
        self._lines: list[int] = []
        self._update_colours()

    def _update_colours(self) -> None:
        self._font = theme.value_font(13, bold=False)
        self._strong = QFont(self._font)
        self._strong.setBold(True)
        self._colours = {
            name: theme.colour(name) for name in ("text", "dim", "good", "warning", "accent")
        }
        brushed = theme.colour("accent")
        brushed.setAlphaF(0.13)
        pinned = theme.colour("warning")
        pinned.setAlphaF(0.10)
        self._brushed = brushed
        self._pinned = pinned

    def refresh(self) -> None:
        """Update after the rows or their order changed."""
        self.beginResetModel()
        self._update_colours()
        is_available = self.linked.has_results
        self.columns = list(self.linked.results.columns.values()) if is_available else []
        # queried thousands of times a second
        self._lines = self.linked.rows.visible.tolist() if is_available else []
        self.endResetModel()

    def refresh_looks(self) -> None:
        """Update after the brushed rows changed."""
        if self.rowCount():
            self.dataChanged.emit(
                self.index(0, 0), self.index(self.rowCount() - 1, len(self.columns) - 1)
            )

    def row_at(self, line: int) -> int:
        """Return the row of the results in a line of the table."""
        return self._lines[line]

    def mark(self, row: int) -> str:
        """Return the mark of a row: best, on the Pareto front, pinned."""
        results = self.linked.results
        pinned = "▲" if int(results.points[row]) in self.linked.rows.pins else ""
        return pinned + ("★" if row == results.best else "◆" if row in results.on_front else "")

    def _state(self, row: int, value: float) -> str:
        sentence = self.linked.results.sentence(row)
        return f"{STATES[int(value)]}: {sentence}" if sentence else STATES[int(value)]

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._lines)

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{column.short}\n{column.unit or ' '}"
        if role == Qt.ItemDataRole.ToolTipRole:
            better = {1: ", larger is better", -1: ", smaller is better"}.get(column.better, "")
            return f"{column.heading}{better}\nName in filters: {column.name}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if column.categories or column.role == "point" else _RIGHT
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in _ROLES or not index.isValid():
            return None
        row, column = self._lines[index.row()], self.columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._text(row, column, role == Qt.ItemDataRole.ToolTipRole)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if column.categories or column.role == "point" else _RIGHT
        if role == Qt.ItemDataRole.FontRole:
            return self._strong if row == self.linked.results.best else self._font
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ink(row, column)
        if role == Qt.ItemDataRole.BackgroundRole:
            rows = self.linked.rows
            if int(rows.results.points[row]) in rows.pins:
                return self._pinned
            marked = rows.brushes and not rows.only_brushed and rows.brushed[row]
            return self._brushed if marked else None
        return None

    def _text(self, row: int, column: ResultColumn, tip: bool) -> str | None:
        value = float(column.values[row])
        if column.role == "state":
            text = self._state(row, value)
            return text if not tip or len(text) > 12 else None
        if column.role == "point":
            mark = self.mark(row)
            if tip:
                meanings = {
                    "▲": "pinned",
                    "★": "best",
                    "◆": "on the Pareto front: no other point is better in every goal",
                }
                return ", ".join(meanings[each] for each in mark).capitalize() or None
            return f"{value:.0f} {mark}".rstrip()
        return None if tip else column.text(value)

    def _ink(self, row: int, column: ResultColumn) -> QColor:
        state = self.linked.results.columns["state"].values[row]
        if column.role == "point" and row == self.linked.results.best:
            return self._colours["good"]
        if state >= STATES.index("failed"):
            return self._colours["warning" if column.role == "state" else "dim"]
        if column.role in ("other", "state") or state > 0.0:
            return self._colours["dim"]
        return self._colours["text"]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if self.linked.has_results and column < len(self.columns):
            name = self.columns[column].name if column >= 0 else None
            self.linked.sort(name, order is Qt.SortOrder.DescendingOrder)


def copied(linked: LinkedRows, rows: list[int]) -> str:
    """Return rows as tab-separated text for a spreadsheet, with all digits."""
    columns = [column for column in linked.results.columns.values() if column.role != "state"]
    head = [
        f"{column.title} ({column.unit})" if column.unit else column.title for column in columns
    ]
    lines = ["\t".join([*head, "State"])]
    for row in rows:
        cells = [_cell(column, float(column.values[row])) for column in columns]
        state = linked.results.columns["state"]
        sentence = linked.results.sentence(row)
        cells.append(state.text(state.values[row]) + (f": {sentence}" if sentence else ""))
        lines.append("\t".join(cells))
    return "\n".join(lines)


def _cell(column: ResultColumn, value: float) -> str:
    if column.categories or not math.isfinite(value):
        return column.text(value) if column.categories else ""
    return f"{value:.0f}" if column.role == "point" else repr(value)


class ResultsTable(QTableView):
    """Table of the rows. Enter or a double-click opens a row's run, Ctrl+C copies the selected rows."""

    def __init__(self, linked: LinkedRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._linked = linked
        self._following = False
        self._sized_for: list[str] = []
        self._looks_throttle = Throttle(_LOOKS_MS, self.viewport().update, self)
        self.results = ResultsModel(linked, self)
        self.setModel(self.results)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setStyleSheet(
            "QTableView::item { padding: 0 8px; } QAbstractScrollArea::corner { background: transparent; border: 0; }"
        )
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(theme.scaled(26))
        head = self.horizontalHeader()
        head.setSectionsMovable(True)
        head.setHighlightSections(False)
        head.setStretchLastSection(True)
        head.setSortIndicatorClearable(True)
        head.setMinimumSectionSize(theme.scaled(48))
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.customContextMenuRequested.connect(self._on_menu)
        self.doubleClicked.connect(
            lambda index: linked.open_requested.emit(self.results.row_at(index.row()))
        )
        self.selectionModel().selectionChanged.connect(self._on_selected)
        linked.results_changed.connect(self.refresh)
        linked.shown_changed.connect(self.refresh)
        linked.brushed_changed.connect(self._on_brushed)
        linked.selected_changed.connect(self.follow_selection)

    def refresh(self) -> None:
        """Show the current rows; selection and scroll position stay."""
        across = self.horizontalScrollBar().value()
        down = self.verticalScrollBar().value()
        self._following = True
        try:
            self.results.refresh()
        finally:
            self._following = False
        names = [column.name for column in self.results.columns]
        if names != self._sized_for and names:
            self._sized_for = names
            self._fit_columns()
        self._follow_order(names)
        self.follow_selection(scroll=False)
        self.horizontalScrollBar().setValue(across)
        self.verticalScrollBar().setValue(down)

    def _follow_order(self, names: list[str]) -> None:
        """Show the sort column in the header."""
        by = self._linked.rows.sorted_by if self._linked.has_results else None
        head = self.horizontalHeader()
        with QSignalBlocker(head):  # the rows are sorted already
            order = (
                Qt.SortOrder.DescendingOrder
                if by is not None and by[1]
                else Qt.SortOrder.AscendingOrder
            )
            head.setSortIndicator(names.index(by[0]) if by is not None else -1, order)

    def _fit_columns(self) -> None:
        metrics = self.fontMetrics()
        for at, column in enumerate(self.results.columns):
            some = column.values[:: max(1, len(column.values) // _SAMPLE)]
            texts = (
                [column.text(float(value)) for value in some]
                if column.role != "state"
                else ["beyond limits: a limit"]
            )
            if column.role == "point":
                texts.append("00000 ▲★")
            lines = str(self.results.headerData(at, Qt.Orientation.Horizontal)).split("\n")
            head = max(metrics.horizontalAdvance(line) for line in lines) + 14
            body = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            self.setColumnWidth(at, min(max(head + 8, body + 30), theme.scaled(240)))

    def _on_brushed(self) -> None:
        if self._linked.rows.only_brushed:
            self.refresh()
        else:
            self._looks_throttle.request()

    # --- selecting --------------------------------------------------------------------------------

    def _on_selected(self) -> None:
        if not self._following and self._linked.has_results:
            lines = sorted({index.row() for index in self.selectionModel().selectedRows()})
            self._following = True
            self._linked.select([self.results.row_at(line) for line in lines])
            self._following = False

    def follow_selection(self, scroll: bool = True) -> None:
        """Select the rows that are selected in the other views."""
        if self._following or not self._linked.has_results:
            return
        rows = self._linked.rows.selected_rows[:_MOST_SELECTED]
        lines = (
            {int(row): line for line, row in enumerate(self._linked.rows.visible)} if rows else {}
        )
        chosen = QItemSelection()
        last = -1
        width = len(self.results.columns) - 1
        for row in rows:
            if (line := lines.get(row)) is not None:
                chosen.select(self.results.index(line, 0), self.results.index(line, width))
                last = line
        self._following = True
        try:
            flags = QItemSelectionModel.SelectionFlag
            self.selectionModel().select(chosen, flags.ClearAndSelect)
            if last >= 0:
                index = self.results.index(last, max(0, self.columnAt(4)))
                self.selectionModel().setCurrentIndex(index, flags.NoUpdate)
                if scroll:
                    self.scrollTo(index)
        finally:
            self._following = False

    def _on_menu(self, position: QPoint) -> None:
        if self._linked.has_results and self._linked.rows.selected_rows:
            self._linked.menu_requested.emit(self.viewport().mapToGlobal(position))

    def copy(self) -> None:
        """Copy the selected rows to the clipboard, in the order of the table."""
        lines = sorted({index.row() for index in self.selectionModel().selectedRows()})
        if lines:
            rows = [self.results.row_at(line) for line in lines]
            QGuiApplication.clipboard().setText(copied(self._linked, rows))

    # --- mouse and keys ---------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._linked.open_requested.emit(self.results.row_at(self.currentIndex().row()))
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        row = self.results.row_at(index.row()) if index.isValid() and not event.buttons() else -1
        self._linked.hovered.emit(row, event.globalPosition().toPoint())

    def leaveEvent(self, event: Any) -> None:
        self._linked.hovered.emit(-1, QPoint())
        super().leaveEvent(event)
