"""Table of parts with row operations: add, remove, duplicate, move, fill down and paste."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.cell_delegate import CellDelegate
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.profile.parts_model import PartsModel
from snakestudio.viewmodel.cells import CellColumn

Suggest = Callable[[int, str], Sequence[str]]


class PartsTable(QWidget):
    """Rows of a `PartsModel`, with buttons above and a message about refused input below.

    Parameters
    ----------
    fresh : callable
        Creates a part for a new row from the existing rows.
    suggest : callable, optional
        Returns the suggestions for a cell by row and key; () for none.
    order : bool
        Whether the order of rows matters, so that they can be moved.

    Signals
    -------
    row_changed(row: int)
        Another row became current; -1 for no row.
    """

    row_changed = Signal(int)

    def __init__(
        self,
        model: PartsModel,
        fresh: Callable[[tuple[Any, ...]], Any],
        suggest: Suggest | None = None,
        *,
        order: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.model = model
        self._fresh = fresh
        self._suggest = suggest
        self.view = QTableView(self)
        self.view.setModel(model)
        self.view.setItemDelegate(CellDelegate(model.columns.__getitem__, self.suggest, self))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.view.setShowGrid(False)
        self.view.setAlternatingRowColors(True)
        self.view.setWordWrap(False)
        self.view.setCornerButtonEnabled(False)
        self.view.setStyleSheet(
            "QTableCornerButton::section, QAbstractScrollArea::corner { background: transparent; border: 0 }"
        )
        self.view.setTabKeyNavigation(False)  # Tab leaves the table; arrow keys move within it
        self.view.setAccessibleName(f"Table: {model.one}")
        self.view.verticalHeader().setDefaultSectionSize(theme.scaled(28))
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.view.horizontalHeader().setHighlightSections(False)
        self.view.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.view.selectionModel().currentRowChanged.connect(
            lambda now, before: self.row_changed.emit(now.row())
        )
        model.modelReset.connect(lambda: self.row_changed.emit(self.view.currentIndex().row()))
        self.message = Message()
        model.refused.connect(self.message.show_text)
        self.bar = QHBoxLayout()
        self.bar.setSpacing(4)
        self.buttons: dict[str, QToolButton] = {}
        self._add_button("add", "Add", "plot-add", "Add a row", self.add)
        self._add_button(
            "remove", "Remove", "delete", "Remove the selected rows (Del)", self.remove
        )
        self._add_button(
            "duplicate", "Duplicate", "duplicate", "Duplicate the selected rows", self.duplicate
        )
        if order:
            self._add_button(
                "up", "Up", "chevron-up", "Move the selected rows up", lambda: self.shift(-1)
            )
            self._add_button(
                "down",
                "Down",
                "chevron-down",
                "Move the selected rows down",
                lambda: self.shift(+1),
            )
        self._add_button(
            "fill",
            "Fill Down",
            "align-bottom",
            "The topmost selected cell of each column fills those below (Ctrl+D)",
            self.fill_down,
        )
        self.bar.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(self.bar)
        column.addWidget(self.view, 1)
        column.addWidget(self.message)
        for text, keys, run in (
            ("Copy", QKeySequence(QKeySequence.StandardKey.Copy), self.copy),
            ("Paste", QKeySequence(QKeySequence.StandardKey.Paste), self.paste),
            ("Fill Down", QKeySequence("Ctrl+D"), self.fill_down),
            ("Remove", QKeySequence(QKeySequence.StandardKey.Delete), self.remove),
        ):
            action = QAction(text, self.view)
            action.setShortcut(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(run)
            self.view.addAction(action)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        model.document.locked_changed.connect(self._update_style)
        self._update_style()
        self.fit()

    def _add_button(
        self, name: str, text: str, icon: str, tip: str, run: Callable[[], object]
    ) -> None:
        button = QToolButton()
        button.setProperty("role", "flat")
        button.setText(text)
        theme.set_icon(button, icon, "dim")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setToolTip(tip)
        button.clicked.connect(lambda: run())
        self.buttons[name] = button
        self.bar.addWidget(button)

    def _update_style(self) -> None:
        for button in self.buttons.values():
            button.setEnabled(not self.model.document.locked)

    def suggest(self, row: int, name: str) -> Sequence[str]:
        """Return the suggestions for a cell."""
        return () if self._suggest is None else self._suggest(row, name)

    def fit(self) -> None:
        """Fit the width of the columns to their contents."""
        self.view.resizeColumnsToContents()
        for column in range(self.model.columnCount()):
            width = self.view.columnWidth(column)
            self.view.setColumnWidth(
                column, max(theme.scaled(56), min(theme.scaled(280), width + theme.scaled(12)))
            )

    def select_part(self, row: int, name: str = "") -> None:
        """Show a cell by row and key."""
        names = [column.name for column in self.model.columns]
        index = self.model.index(row, names.index(name) if name in names else 0)
        self.view.setCurrentIndex(index)
        self.view.scrollTo(index)
        self.view.setFocus()

    @property
    def rows(self) -> list[int]:
        """Selected rows from the top, or the current one if none is selected."""
        rows = sorted({index.row() for index in self.view.selectionModel().selectedIndexes()})
        current = self.view.currentIndex().row()
        return rows or ([current] if current >= 0 else [])

    # --- rows -------------------------------------------------------------------------------------

    def add(self) -> None:
        """Add a row after the current one."""
        parts = list(self.model.parts)
        rows = self.rows
        at = rows[-1] + 1 if rows else len(parts)
        parts.insert(at, self._fresh(tuple(parts[:at])))
        if self.model.replace(parts, f"Add {self.model.one}"):
            self.select_part(at)
            self.fit()

    def remove(self) -> None:
        """Remove the selected rows."""
        removed = set(self.rows)
        if removed and self.model.replace(
            [part for row, part in enumerate(self.model.parts) if row not in removed],
            f"Remove {self.model.one}",
        ):
            self.select_part(min(min(removed), len(self.model.parts) - 1))

    def duplicate(self) -> None:
        """Duplicate the selected rows below themselves."""
        rows = self.rows
        parts = list(self.model.parts)
        copies = [parts[row] for row in rows]
        if rows and self.model.replace(
            [*parts[: rows[-1] + 1], *copies, *parts[rows[-1] + 1 :]], f"Duplicate {self.model.one}"
        ):
            self.select_part(rows[-1] + 1)

    def shift(self, places: int) -> None:
        """Move the selected rows up (-1) or down (+1)."""
        rows = self.rows
        parts = list(self.model.parts)
        if not rows or rows[0] + places < 0 or rows[-1] + places >= len(parts):
            return
        for row in rows if places < 0 else reversed(rows):
            parts[row], parts[row + places] = parts[row + places], parts[row]
        if self.model.replace(parts, f"Move {self.model.one}"):
            self._select_rows([row + places for row in rows])

    def _select_rows(self, rows: Sequence[int]) -> None:
        self.select_part(rows[0])
        flags = QItemSelectionModel.SelectionFlag
        for row in rows:
            self.view.selectionModel().select(self.model.index(row, 0), flags.Select | flags.Rows)

    # --- cells ------------------------------------------------------------------------------------

    def _cells(self) -> dict[int, list[int]]:
        """Return the rows of the selected cells by column."""
        cells: dict[int, list[int]] = {}
        for index in self.view.selectionModel().selectedIndexes():
            if index.column() < len(self.model.columns):
                cells.setdefault(index.column(), []).append(index.row())
        return {column: sorted(rows) for column, rows in sorted(cells.items())}

    def fill_down(self) -> None:
        """Fill the cells below the topmost selected cell of each column; for a single cell, down to the last row."""
        puts: list[tuple[int, CellColumn, str]] = []
        for at, rows in self._cells().items():
            column = self.model.columns[at]
            text = str(self.model.index(rows[0], at).data(Qt.ItemDataRole.EditRole))
            below = rows[1:] or range(rows[0] + 1, len(self.model.parts))
            puts += [(row, column, text) for row in below]
        if puts:
            self.model.put(puts, "Fill down")

    def copy(self) -> None:
        """Copy the selected cells in the format of spreadsheets."""
        cells = self._cells()
        rows = sorted({row for of in cells.values() for row in of})
        lines = [
            "\t".join(str(self.model.index(row, column).data()) for column in cells) for row in rows
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def paste(self) -> None:
        """Paste cells of a spreadsheet from the current cell on; adds rows if there are too few."""
        lines = QGuiApplication.clipboard().text().rstrip("\n").split("\n")
        table = [line.rstrip("\r").split("\t") for line in lines]
        start = self.view.currentIndex()
        first = max(0, start.row())
        left = max(0, start.column())
        parts = list(self.model.parts)
        while len(parts) < first + len(table):
            parts.append(self._fresh(tuple(parts)))
        cells = [
            (first + i, self.model.columns[left + k], text)
            for i, line in enumerate(table)
            for k, text in enumerate(line)
            if left + k < len(self.model.columns) and self.model.columns[left + k].kind != "parts"
        ]
        self.model.put(cells, f"Paste {self.model.one}", parts)
