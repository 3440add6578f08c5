"""The table of results, sortable by its headings, with copying for spreadsheets and screen reader texts."""

from __future__ import annotations

import html
import math
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from snakestudio.export.tables import MISSING, Cell, Table, tab_separated
from snakestudio.gui.core import theme
from snakestudio.gui.forms.menu import Menu

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter

_MINUS = "\N{MINUS SIGN}"
_DASH = "\N{EN DASH}"
_FIXED_SPACE = "\N{NO-BREAK SPACE}"
_MARKS = {
    Qt.SortOrder.AscendingOrder: ("\N{BLACK UP-POINTING SMALL TRIANGLE}", "sorted ascending"),
    Qt.SortOrder.DescendingOrder: ("\N{BLACK DOWN-POINTING SMALL TRIANGLE}", "sorted descending"),
}
_PADDING = 4
"""Space at both sides of a text, px."""
_FOCUS = 3
"""Padding that Qt adds in cells for the focus frame, px."""
_GAP = 4
"""Space between the texts of two rows, px."""
_LABEL = 108
"""Least width of the column that labels the rows, px of the design: two lines are readable, three
are not."""
_SPREAD = 44
"""Largest space that a wide table adds to each column, px of the design."""

_NO_TABLE = Table("", (), ())


class TableModel(QAbstractTableModel):
    """A table for views; units of rows are part of their labels."""

    def __init__(self, font: QFont, label_role: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._strong = QFont(font)
        self._strong.setBold(True)
        self._label_role = label_role
        self.table = _NO_TABLE
        self._order: list[int] = []
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None

    def set_table(self, table: Table | None) -> None:
        """Set the table; one with the same columns and number of rows keeps order, selection and position."""
        table = _NO_TABLE if table is None else table
        if (
            self._order
            and table.columns == self.table.columns
            and len(table.rows) == len(self.table.rows)
        ):
            self.table = table
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(self._order) - 1, len(table.columns) - 1)
            )
            if self._sorted_by is not None:
                self.sort(*self._sorted_by)
            return
        self.beginResetModel()
        self.table = table
        self._order = list(range(len(table.rows)))
        self._sorted_by = None
        self.endResetModel()

    def row_at(self, line: int) -> int:
        """Return the row of the table on a line of the view."""
        return self._order[line]

    def text(self, line: int, column: int) -> str:
        """Return the text of a cell."""
        row = self.table.rows[self._order[line]]
        text = row.cells[column].text
        if self.table.columns[column].is_text:
            return (
                f"{text},{_FIXED_SPACE}{row.unit}"
                if row.unit and column == self.table.label_column
                else text
            )
        return _DASH if text == MISSING else text.replace("-", _MINUS)

    # --- Qt's model -------------------------------------------------------------------------------

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.table.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.table.columns):
            return None
        column = self.table.columns[section]
        by, order = self._sorted_by or (-1, Qt.SortOrder.AscendingOrder)
        if role == _Role.DisplayRole:
            title = f"{column.title} ({column.unit})" if column.unit else column.title
            return f"{title} {_MARKS[order][0]}" if section == by else title
        if role == _Role.AccessibleTextRole:
            return f"{column.heading}, {_MARKS[order][1]}" if section == by else column.heading
        if role == _Role.ToolTipRole:
            return column.tip or None
        if role == _Role.TextAlignmentRole:
            return _LEFT if column.is_text else _RIGHT
        return None

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line = index.row()
        column = self.table.columns[index.column()]
        if role == _Role.DisplayRole:
            return self.text(line, index.column())
        if role == _Role.TextAlignmentRole:
            return _LEFT if column.is_text else _RIGHT
        row = self.table.rows[self._order[line]]
        cell = row.cells[index.column()]
        if role == _Role.ForegroundRole:
            return theme.colour(cell.role or (self._label_role if column.is_text else "text"))
        if role == _Role.FontRole:
            return self._strong if column.is_main else None
        if role == _Role.ToolTipRole:
            exact = _exact(cell, row.unit or column.unit)
            lines = [line for line in (*row.tip.splitlines(), exact) if line]
            return f"<qt>{'<br>'.join(map(html.escape, lines))}</qt>" if lines else None
        if role == _Role.AccessibleTextRole:
            return self._accessible_text(line, index.column())
        return None

    def _accessible_text(self, line: int, column: int) -> str:
        """Return the text of a cell with its label and heading."""
        label = self.text(line, self.table.label_column)
        if column == self.table.label_column:
            return label
        return f"{label}, {self.table.columns[column].heading}: {self.text(line, column)}"

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        is_column = 0 <= column < len(self.table.columns)
        self.layoutAboutToBeChanged.emit()
        self._sorted_by = (column, order) if is_column else None
        ordered = list(range(len(self.table.rows)))
        if is_column:
            ordered = self._sorted(column, order is Qt.SortOrder.DescendingOrder)
        before = self.persistentIndexList()
        line_of = {row: line for line, row in enumerate(ordered)}
        after = [self.index(line_of[self._order[index.row()]], index.column()) for index in before]
        self._order = ordered
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _sorted(self, column: int, descending: bool) -> list[int]:
        """Return the rows sorted by a column: numbers before texts, then empty cells, and summaries at the end."""
        cells = [row.cells[column] for row in self.table.rows]
        plain = [row for row, each in enumerate(self.table.rows) if not each.is_summary]
        numbers = [row for row in plain if math.isfinite(cells[row].value)]
        empty = [
            row
            for row in plain
            if row not in numbers and (cells[row].values or cells[row].text in ("", MISSING))
        ]
        texts = [row for row in plain if row not in numbers and row not in empty]
        numbers.sort(key=lambda row: cells[row].value, reverse=descending)
        texts.sort(key=lambda row: cells[row].text.casefold(), reverse=descending)
        return [
            *numbers,
            *texts,
            *empty,
            *(row for row, each in enumerate(self.table.rows) if each.is_summary),
        ]


def _exact(cell: Cell, unit: str) -> str:
    """Return the value of a cell with more digits than are shown."""
    if len(cell.values) != 1 or not math.isfinite(cell.value):
        return ""
    return f"{cell.value:.9g} {unit}".rstrip().replace("-", _MINUS)


class _Header(QHeaderView):
    """Headings that are as wide as their texts; the sort mark is part of the text of the sorted one only."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(theme.scaled(24))

    def sectionSizeFromContents(self, section: int) -> QSize:
        text = str(self.model().headerData(section, self.orientation()) or "")
        metrics = self.fontMetrics()
        width = max((metrics.horizontalAdvance(line) for line in text.splitlines()), default=0)
        return QSize(width + 2 * _PADDING, super().sectionSizeFromContents(section).height())


class TableView(QTableView):
    """A view of a table. Ctrl+C copies the selected rows; clicks on a heading sort, the third one restores the order.

    Parameters
    ----------
    name : str
        Accessible name.
    empty : str
        Text while there are no rows.
    hidden : tuple of int
        Columns that are only copied.
    fits : bool
        Whether it is as high as its rows, for a panel that scrolls as a whole.
    is_small : bool
        Whether it is laid out for a narrow panel.
    """

    def __init__(
        self,
        name: str,
        *,
        empty: str = "",
        hidden: tuple[int, ...] = (),
        fits: bool = False,
        is_small: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._empty = empty
        self._hidden = hidden
        self._fits = fits
        self._is_small = is_small
        self.setFont(theme.value_font(12 if is_small else 13, bold=False))
        self.table_model = TableModel(self.font(), "dim" if is_small else "text", self)
        self.setModel(self.table_model)
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(fits)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setStyleSheet(
            f"QTableView::item {{ padding: 0 {_PADDING - _FOCUS}px; }}"
            "QHeaderView, QAbstractScrollArea::corner { background: transparent; border: 0; }"
            f"QHeaderView::section {{ background: transparent; padding: 3px {_PADDING}px; }}"
            "QHeaderView::up-arrow, QHeaderView::down-arrow { image: none; width: 0; height: 0; }"
        )
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(self.fontMetrics().height())
        self._gap = _GAP if is_small else 2 * _GAP
        rows.setDefaultSectionSize(self.fontMetrics().height() + self._gap)
        head = _Header(self)
        head.setFont(self.font())
        self.setHorizontalHeader(head)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        if fits:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table_model.layoutChanged.connect(self._on_sorted)

    @property
    def texts(self) -> list[list[str]]:
        """Texts of the visible cells, row by row."""
        model = self.table_model
        columns = [
            column for column in range(model.columnCount()) if not self.isColumnHidden(column)
        ]
        lines = range(model.rowCount())
        return [
            [model.text(line, column).replace(_FIXED_SPACE, " ") for column in columns]
            for line in lines
        ]

    def show_table(self, table: Table | None) -> None:
        """Show a table, sorted as chosen by the user; None shows the text for an empty table."""
        if table is self.table_model.table:
            return
        self.table_model.set_table(table)
        head = self.horizontalHeader()
        for column in range(len(self.table_model.table.columns)):
            self.setColumnHidden(column, column in self._hidden)
        if head.sortIndicatorSection() >= 0:
            self.table_model.sort(head.sortIndicatorSection(), head.sortIndicatorOrder())
        self._fit()
        self.updateGeometry()

    def _on_sorted(self) -> None:
        self._fit()  # the sort mark has moved

    def copy(self, *, all_rows: bool = False) -> None:
        """Copy the selected rows, or all without a selection, with headings and all digits to the clipboard."""
        model = self.table_model
        lines = sorted({index.row() for index in self.selectionModel().selectedRows()})
        if all_rows or not lines:
            lines = list(range(model.rowCount()))
        if lines:
            text = tab_separated(model.table, [model.row_at(line) for line in lines])
            QGuiApplication.clipboard().setText(text)

    # --- size -------------------------------------------------------------------------------------

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        widths = self._widths()
        if not self._fits or not widths:
            return hint
        label = self.table_model.table.label_column
        least = sum(width for column, width in widths.items() if column != label)
        return QSize(
            min(widths[label], theme.scaled(_LABEL)) + least + 2 * self.frameWidth(), hint.height()
        )

    def _widths(self) -> dict[int, int]:
        """Return the width that each visible column needs for its texts, px."""
        head = self.horizontalHeader()
        columns = (
            column
            for column in range(self.table_model.columnCount())
            if not self.isColumnHidden(column)
        )
        return {
            column: max(self.sizeHintForColumn(column), head.sectionSizeHint(column))
            for column in columns
        }

    def _fit(self) -> None:
        """Distribute the width among the columns, and adapt the height to the rows if `fits` is set."""
        widths = self._widths()
        if not widths:
            return
        spare = self.viewport().width() - sum(widths.values())
        label = self.table_model.table.label_column
        if spare < 0 and self._fits:  # only labels are wrapped
            widths[label] = max(min(widths[label], theme.scaled(_LABEL)), widths[label] + spare)
        elif spare > 0:
            extra = min(theme.scaled(_SPREAD), spare // len(widths))
            widths = {column: width + extra for column, width in widths.items()}
            if (
                self._is_small
            ):  # in a narrow panel numbers are aligned with the right edge of other widgets
                widths[label] += spare - extra * len(widths)
        for column, width in widths.items():
            self.setColumnWidth(column, width)
        if self._fits:
            self._fit_height()
        self.updateGeometries()  # otherwise an obsolete scroll bar hides the last row until the next event

    def _fit_height(self) -> None:
        model = self.table_model
        label = model.table.label_column
        metrics = self.fontMetrics()
        area = QRect(0, 0, max(1, self.columnWidth(label) - 2 * _PADDING), 1 << 16)
        for line in range(model.rowCount()):
            text = metrics.boundingRect(area, Qt.TextFlag.TextWordWrap, model.text(line, label))
            self.setRowHeight(line, text.height() + self._gap)
        head = self.horizontalHeader()
        height = self.verticalHeader().length() + head.sizeHint().height() + 2 * self.frameWidth()
        if head.length() > self.viewport().width() > 0:
            height += self.horizontalScrollBar().sizeHint().height()
        if height != self.minimumHeight() or height != self.maximumHeight():
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    # --- Qt's events ------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._empty and not self.table_model.rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(theme.colour("dim"))
            area = self.viewport().rect().adjusted(12, 12, -12, -12)
            painter.drawText(
                area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._empty
            )
            painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            event.accept()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.table_model.rowCount():
            self._pop_up(event.globalPos())
            event.accept()

    def _pop_up(self, at: QPoint) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def menu(self) -> Menu:
        """Return the context menu of the rows."""
        menu = Menu(self)
        copy = menu.addAction("Copy Rows", self.copy)
        copy.setEnabled(self.selectionModel().hasSelection())
        menu.addAction("Copy Table", lambda: self.copy(all_rows=True))
        menu.addSeparator()
        menu.addAction("Select All", self.selectAll)
        return menu
