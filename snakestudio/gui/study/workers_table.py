"""Who computes for a study, and how busy each is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from snakestudio.gui.core import theme
from snakestudio.study.cluster import WorkerInfo

__all__ = ["WorkersTable"]

Index = QModelIndex | QPersistentModelIndex

_COLUMNS = "Worker", "Tasks", "CPU", "Memory"
_SHOWN = 5
"""Rows that are seen at once; more are scrolled."""


class _Model(QAbstractTableModel):
    """The workers, a row each."""

    def __init__(self) -> None:
        super().__init__()
        self.workers: tuple[WorkerInfo, ...] = ()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.workers)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and not section:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        worker, column = self.workers[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            shown = worker.name, str(worker.busy), f"{worker.cpu:.0f} %", f"{worker.memory / 2**20:.0f} MB"
            return shown[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{worker.name} on {worker.host} ({worker.address})"
        if role == Qt.ItemDataRole.TextAlignmentRole and column:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def show(self, workers: tuple[WorkerInfo, ...]) -> None:
        """Show these."""
        if len(workers) != len(self.workers):
            self.beginResetModel()
            self.workers = workers
            self.endResetModel()
        elif workers != self.workers:
            self.workers = workers
            self.dataChanged.emit(self.index(0, 0), self.index(len(workers) - 1, len(_COLUMNS) - 1))


class WorkersTable(QTableView):
    """Name, tasks under way, load and memory of every worker."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = _Model()
        self.setModel(self._model)
        self.setAccessibleName("Workers")
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setShowGrid(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.scaled(24))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_workers(self, workers: tuple[WorkerInfo, ...]) -> None:
        """Show these by their names; nothing where there are none."""
        self._model.show(tuple(sorted(workers, key=lambda worker: worker.name)))
        self.setVisible(bool(workers))
        rows = min(len(workers), _SHOWN)
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows * theme.scaled(24) + 4)
