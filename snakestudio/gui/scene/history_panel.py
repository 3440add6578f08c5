"""All edits since the scene was opened; clicking one undoes or redoes up to it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QIcon, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QLabel, QListView, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.text import counted

Index = QModelIndex | QPersistentModelIndex

_MARK = 14
"""Size of the icon of the saved state, px."""


class HistoryModel(QAbstractListModel):
    """Steps of the undo stack, below the state in which the scene was opened; nothing is stored per step.

    Row 0 is the scene as it was opened, row k the scene after k steps.
    """

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._stack = document.undo_stack
        self._rows = self._stack.count() + 1
        self._icons: tuple[QIcon, QIcon] | None = None
        self._bold = QFont()
        self._bold.setBold(True)
        document.history_changed.connect(self.refresh)
        document.title_changed.connect(self.refresh)

    def apply_theme(self) -> None:
        """Apply a changed palette."""
        self._icons = None
        self.refresh()

    def refresh(self) -> None:
        """Report added, removed and changed steps to the view: steps are only added or removed at the end."""
        rows = self._stack.count() + 1
        if rows < self._rows:
            self.beginRemoveRows(QModelIndex(), rows, self._rows - 1)
            self._rows = rows
            self.endRemoveRows()
        elif rows > self._rows:
            self.beginInsertRows(QModelIndex(), self._rows, rows - 1)
            self._rows = rows
            self.endInsertRows()
        self.dataChanged.emit(self.index(0), self.index(rows - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._rows

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = index.row()
        if not index.isValid() or row > self._stack.count():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._stack.text(row - 1) if row else self._first
        if role == Qt.ItemDataRole.FontRole and row == self._stack.index():
            return self._bold
        if role == Qt.ItemDataRole.ForegroundRole and row > self._stack.index():
            return theme.colour("dim")
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            saved = " Saved in the file." if self.is_saved(row) else ""
            if row == self._stack.index():
                return f"Current state of the scene.{saved}"
            verb = "undoes" if row < self._stack.index() else "redoes"
            count = abs(row - self._stack.index())
            return f"Clicking it {verb} {counted(count, 'step')}.{saved}"
        return None

    def is_saved(self, row: int) -> bool:
        """Return whether a row is the saved state."""
        return self._document.origin is not None and row == self._stack.cleanIndex()

    def _icon(self, row: int) -> QIcon:
        """Return the icon of the saved state; for other rows an empty icon of equal size, so that texts are aligned."""
        if self._icons is None:
            blank = QPixmap(_MARK, _MARK)
            blank.fill(Qt.GlobalColor.transparent)
            self._icons = QIcon(blank), theme.icon("save", "dim")
        return self._icons[self.is_saved(row)]

    @property
    def _first(self) -> str:
        return f"Open {self._document.name}" if self._document.origin else "New scene"


class HistoryPanel(ThemedWidget):
    """List of steps: the current one bold, the saved one marked, undone ones grey."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.model = HistoryModel(document, self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(_MARK, _MARK))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setAccessibleName("Steps of this session")
        self.list.clicked.connect(lambda index: self._move_to(index.row()))
        self.list.activated.connect(lambda index: self._move_to(index.row()))
        self._note = QLabel()
        self._note.setObjectName("note")
        self._note.setProperty("role", "dim")
        self._note.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 4, 12, 8)
        layout.setSpacing(8)
        layout.addWidget(self.list, 1)
        layout.addWidget(self._note)
        document.history_changed.connect(self._show)
        document.opened.connect(self._show)
        self._show()

    def _move_to(self, step: int) -> None:
        if step != self._document.undo_stack.index():
            self._document.jump_to(step)

    def _show(self) -> None:
        stack = self._document.undo_stack
        done = stack.index()
        undone = stack.count() - stack.index()
        self._note.setText(f"{done} done, {undone} undone" if undone else f"{done} done")
        now = self.model.index(stack.index())
        self.list.setCurrentIndex(now)
        self.list.scrollTo(now)

    def apply_theme(self) -> None:
        self.model.apply_theme()
