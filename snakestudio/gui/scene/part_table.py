"""Tables of the robot's links and joints: a row for each, a column for each value, many edited together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableView,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import SceneError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.cell_delegate import CellDelegate
from snakestudio.gui.forms.number_field import Message
from snakestudio.model.edits.robot_tables import Table
from snakestudio.model.formula.quantity import NumberTextError
from snakestudio.model.robot.overrides import AXES
from snakestudio.model.scene import Scene
from snakestudio.text import MINUS
from snakestudio.viewmodel.cells import CellColumn
from snakestudio.viewmodel.field_texts import explanation
from snakestudio.viewmodel.scene.message_labels import refusal
from snakestudio.viewmodel.scene.part_tables import PartTable, pasted, with_texts

Index = QModelIndex | QPersistentModelIndex

_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_SAMPLED = 30
"""Rows from which the width of a column is computed."""

_NARROWEST = 64
_WIDEST = 200
"""Widths of a column, px of the design."""


class PartModel(QAbstractTableModel):
    """Links or joints of the edited scene.

    Signals
    -------
    refused(message: str)
        A typed or pasted text is invalid; "" once a text was valid.
    """

    refused = Signal(str)

    def __init__(self, document: Document, table: Table, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.part = PartTable(document.scene, table)
        document.scene_changed.connect(self._on_scene_changed)

    @property
    def table(self) -> Table:
        """Whether links or joints are shown."""
        return self.part.table

    @property
    def columns(self) -> list[CellColumn]:
        """Columns of the table."""
        return self.part.columns

    def set_axis(self, axis: str | None) -> None:
        """Show and edit the values of one kind of axis; None for all axes of a joint."""
        self.part = PartTable(self._document.scene, self.table, axis)
        self._emit_all_changed()

    def _on_scene_changed(self, before: Scene, after: Scene) -> None:
        if all(
            getattr(before, name) == getattr(after, name)
            for name in (
                "robot",
                "ground",
                "joint_controller",
                "actuator",
                "model",
                "controller",
                "gait",
            )
        ):
            return
        part = PartTable(after, self.table, self.part.axis)
        if part.rows == self.part.rows:
            self.part = part
            self._emit_all_changed()
        else:
            self.beginResetModel()
            self.part = part
            self.endResetModel()

    def _emit_all_changed(self) -> None:
        if self.part.rows:
            self.dataChanged.emit(
                self.index(0, 0), self.index(self.part.rows - 1, len(self.columns) - 1)
            )
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self.part.rows - 1)

    # --- Qt's model -------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self.part.rows

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return self._row_header(section, role)
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{column.doc.label}\n{column.doc.unit}".rstrip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.kind == "number" else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return explanation(column.doc, f"robot.{self.table}.{column.name}", theme.current().dim)
        return None

    def _row_header(self, row: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.part.row_title(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            if self.table == "joint":
                return f"Joint {row + 1}, between links {row + 1} and {row + 2}"
            return f"Link {row + 1}" + (", the head" if "head" in self.part.row_title(row) else "")
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.kind == "number" else _LEFT
        if index.row() >= self.part.rows or role not in _ROLES:
            return None
        cell = self.part.cell(index.row(), column)
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.short
        if role == Qt.ItemDataRole.EditRole:
            return cell.text
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme.colour(
                "dim"
                if cell.unused or cell.text in ("none", "–")
                else "accent"
                if cell.own
                else "text"
            )
        if role == Qt.ItemDataRole.FontRole:
            return theme.value_font(13, bold=cell.own)
        if role == Qt.ItemDataRole.ToolTipRole:
            key = f"robot.{self.table}.{column.name}"
            tip = explanation(
                column.doc, key, theme.current().dim, cell.unused if cell.editable else ""
            )
            usual = (
                f"<qt>The robot's value is {cell.usual}. Press Del to reset.<br>"
                if cell.own
                else "<qt>"
            )
            return tip.replace("<qt>", usual, 1)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            what = f"{column.doc.label} of {self.table} {index.row() + 1}: {cell.text} {column.doc.unit}".rstrip()
            notes = ["differs from the robot's value"] * cell.own + [
                f"no effect: {cell.unused}"
            ] * bool(cell.unused)
            return ", ".join([what, *notes])
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if self.part.cell(index.row(), self.columns[index.column()]).editable:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole:
            return False
        return self.put({(index.row(), self.columns[index.column()].name): str(value)})

    # --- edits ------------------------------------------------------------------------------------

    def put(self, cells: Mapping[tuple[int, str], str], verb: str = "Change") -> bool:
        """Set texts of cells, by row and name, as one undo step; return whether all of them were valid."""
        try:
            self._document.edit(with_texts(self.part, cells), self._step_text(cells, verb))
        except NumberTextError as error:
            self.refused.emit(str(error))
            return False
        except SceneError as error:
            self.refused.emit(refusal(error, self._document.scene))
            return False
        self.refused.emit("")
        return True

    def _step_text(self, cells: Iterable[tuple[int, str]], verb: str) -> str:
        rows = {row for row, _ in cells}
        names = {name for _, name in cells}
        labels = {column.name: column.doc.label.lower() for column in self.columns}
        what = labels[next(iter(names))] if len(names) == 1 else f"{len(names)} values"
        of = (
            f"{self.table} {next(iter(rows)) + 1}"
            if len(rows) == 1
            else f"{len(rows)} {self.table}s"
        )
        return f"{verb} {what} of {of}"


_ROLES = frozenset(
    {
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.EditRole,
        Qt.ItemDataRole.ForegroundRole,
        Qt.ItemDataRole.FontRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.AccessibleTextRole,
    }
)


class _Grid(QTableView):
    """Table in which a value typed into a selected cell applies to all selected cells of its column."""

    def __init__(self, model: PartModel) -> None:
        super().__init__()
        self._part_model = model
        self.setModel(model)
        self.setItemDelegate(CellDelegate(lambda at: model.columns[at], lambda row, name: (), self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed
        )
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setStyleSheet(
            "QTableCornerButton::section, QAbstractScrollArea::corner { background: transparent; border: 0 }"
        )
        self.setTabKeyNavigation(False)  # Tab leaves the table; arrows move in it
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setDefaultSectionSize(theme.scaled(26))
        self.verticalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(_SAMPLED)

    def cells(self) -> dict[int, list[int]]:
        """Return the rows of the selected cells by column, from the top; of the current cell if none is selected."""
        indices = self.selectionModel().selectedIndexes() or [self.currentIndex()]
        cells: dict[int, list[int]] = {}
        for index in indices:
            if index.isValid():
                cells.setdefault(index.column(), []).append(index.row())
        return {column: sorted(rows) for column, rows in sorted(cells.items())}

    def commitData(self, editor: QWidget) -> None:
        index = self.indexAt(editor.pos())
        rows = self.cells().get(index.column(), [])
        if len(rows) < 2 or index.row() not in rows:
            super().commitData(editor)
            return
        text = editor.currentText() if isinstance(editor, ChoiceBox) else editor.property("text")
        if text is None:
            text = editor.property("currentText")
        name = self._part_model.columns[index.column()].name
        self._part_model.put(
            {(row, name): str(text) for row in rows if self._editable(row, index.column())}
        )

    def _editable(self, row: int, column: int) -> bool:
        return bool(
            self._part_model.flags(self._part_model.index(row, column)) & Qt.ItemFlag.ItemIsEditable
        )


class PartTableView(QWidget):
    """Table of links or joints, with a message below it."""

    def __init__(self, document: Document, table: Table, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = PartModel(document, table)
        self.view = _Grid(self.model)
        self.view.setAccessibleName("Links" if table == "link" else "Joints")
        self.message = Message()
        self.model.refused.connect(self.message.show_text)
        self.view.selectionModel().currentChanged.connect(
            lambda now, before: self.message.show_text("")
        )
        self.actions_by_name = {
            text: self._action(text, keys, tip, run)
            for text, keys, tip, run in (
                (
                    "Fill Down",
                    "Ctrl+D",
                    "Copy the topmost selected cell of each column to those below",
                    self.fill_down,
                ),
                ("Reset", "Del", "Reset the selected cells to the robot's values", self.reset),
                ("Copy", "Ctrl+C", "Copy the selected cells for a spreadsheet", self.copy),
                (
                    "Paste",
                    "Ctrl+V",
                    "Paste cells from a spreadsheet, starting at the current cell",
                    self.paste,
                ),
            )
        }
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.view, 1)
        column.addWidget(self.message)
        self.fit()

    def _action(self, text: str, keys: str, tip: str, run: Callable[[], None]) -> QAction:
        action = QAction(text, self.view)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.setToolTip(f"{tip} ({keys})")
        action.triggered.connect(lambda: run())
        self.view.addAction(action)
        return action

    def fit(self) -> None:
        """Fit the columns to their contents."""
        self.view.resizeColumnsToContents()
        for column in range(self.model.columnCount()):
            width = self.view.columnWidth(column) + theme.scaled(8)
            self.view.setColumnWidth(
                column, max(theme.scaled(_NARROWEST), min(theme.scaled(_WIDEST), width))
            )

    def select_part(self, row: int, name: str = "") -> None:
        """Make a cell current and focus the table."""
        names = [column.name for column in self.model.columns]
        index = self.model.index(row, names.index(name) if name in names else 0)
        self.view.setCurrentIndex(index)
        self.view.scrollTo(index)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- cells ------------------------------------------------------------------------------------

    def _editable(self, row: int, column: int) -> bool:
        return self.model.part.cell(row, self.model.columns[column]).editable

    def fill_down(self) -> None:
        """Copy the topmost selected cell of each column to those below it; a single cell to all rows below."""
        cells: dict[tuple[int, str], str] = {}
        for at, rows in self.view.cells().items():
            column = self.model.columns[at]
            text = self.model.part.cell(rows[0], column).text
            for row in rows[1:] or range(rows[0] + 1, self.model.part.rows):
                if self._editable(row, at):
                    cells[row, column.name] = text
        if cells:
            self.model.put(cells, "Fill down")

    def reset(self) -> None:
        """Reset the selected cells to the robot's values."""
        cells = {
            (row, self.model.columns[at].name): ""
            for at, rows in self.view.cells().items()
            for row in rows
            if self._editable(row, at)
        }
        if cells:
            self.model.put(cells, "Reset")

    def copy(self) -> None:
        """Copy the selected cells to the clipboard for a spreadsheet."""
        cells = self.view.cells()
        rows = sorted({row for of in cells.values() for row in of})
        part = self.model.part
        lines = [
            "\t".join(part.cell(row, part.columns[at]).text.replace(MINUS, "-") for at in cells)
            for row in rows
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def paste(self) -> None:
        """Paste cells from a spreadsheet at the topmost selected cell; a single line goes to all selected rows."""
        cells = self.view.cells()
        if not cells:
            return
        rows = sorted({row for of in cells.values() for row in of})
        try:
            texts = pasted(
                QGuiApplication.clipboard().text(), self.model.part, rows[0], min(cells), rows
            )
        except NumberTextError as error:
            self.message.show_text(str(error))
            return
        if texts:
            self.model.put(texts, "Paste")


_ICONS = {"Fill Down": "align-bottom", "Reset": "undo", "Copy": "duplicate", "Paste": "table"}


class LinksAndJoints(ThemedWidget):
    """Values of individual links and joints in two tables."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.links = PartTableView(document, "link")
        self.joints = PartTableView(document, "joint")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.links, "Links")
        self.tabs.addTab(self.joints, "Joints")
        self.axis_box = ChoiceBox()
        self.buttons: dict[str, QToolButton] = {}
        self.tabs.setCornerWidget(self._make_bar(), Qt.Corner.TopRightCorner)
        self.tabs.currentChanged.connect(lambda at: self._show_axis_box())
        self.note = QLabel()
        self.note.setProperty("role", "dim")
        self.note.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 0, 0, 8)
        column.setSpacing(4)
        column.addWidget(self.tabs, 1)
        column.addWidget(self.note)
        document.scene_changed.connect(lambda before, after: self._refresh())
        self._refresh()

    def _make_bar(self) -> QWidget:
        bar = QWidget()
        row = QHBoxLayout(bar)
        row.setContentsMargins(0, 0, 8, 2)
        row.setSpacing(2)
        self.axis_box.setAccessibleName("Axis of the joints")
        self.axis_box.setToolTip(
            "Show and edit the values of all axes of a joint, or of one kind of axis"
        )
        self.axis_box.addItem("all axes", None)
        for axis in AXES:
            self.axis_box.addItem(f"{axis} only", axis)
        self.axis_box.activated.connect(
            lambda at: self.joints.model.set_axis(self.axis_box.itemData(at))
        )
        row.addWidget(self.axis_box)
        for text, icon in _ICONS.items():
            button = self.buttons[text] = QToolButton()
            button.setProperty("role", "flat")
            theme.set_icon(button, icon, "dim")
            button.setAccessibleName(text)
            button.setToolTip(self.links.actions_by_name[text].toolTip())
            button.clicked.connect(
                lambda _=False, name=text: self.current.actions_by_name[name].trigger()
            )
            row.addWidget(button)
        return bar

    @property
    def current(self) -> PartTableView:
        """Visible table."""
        return self.links if self.tabs.currentWidget() is self.links else self.joints

    def _show_axis_box(self) -> None:
        """Show the choice of an axis only if a joint has several."""
        several = any(len(joint.axes) > 1 for joint in self._document.scene.robot.joint_list)
        if not several and self.axis_box.currentIndex() != 0:
            self.axis_box.setCurrentIndex(0)
            self.joints.model.set_axis(None)
        self.axis_box.setVisible(self.current is self.joints and several)

    def _refresh(self) -> None:
        body = self._document.scene.body
        self.tabs.setEnabled(body.jointed)
        self.note.setText("" if body.jointed else "A continuous body has no links and no joints.")
        self.note.setVisible(not body.jointed)
        self._show_axis_box()

    def select_part(self, table: Table, row: int = 0, name: str = "") -> None:
        """Show a cell of one of the tables, by link or joint (0-based) and name."""
        view = self.links if table == "link" else self.joints
        self.tabs.setCurrentWidget(view)
        if row < view.model.part.rows:
            view.select_part(row, name)

    def apply_theme(self) -> None:
        self.links.fit()
        self.joints.fit()
