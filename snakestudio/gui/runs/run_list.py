"""Qt model of the recorded runs, with filter and short descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QUrl,
)

from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.run_time import run_time
from snakestudio.runfile.library import SavedRun
from snakestudio.text import size_text
from snakestudio.viewmodel.matching import match

Index = QModelIndex | QPersistentModelIndex

RUN = Qt.ItemDataRole.UserRole
"""Role that holds the `SavedRun`."""


def moment(when: datetime, today: date | None = None) -> str:
    """Return the short local time: "12:31 today", "12:31 yesterday", "12:31, 3 Nov", "3 Nov 2025"."""
    today = today or date.today()
    if when.date() == today:
        return f"{when:%H:%M} today"
    if when.date() == today - timedelta(days=1):
        return f"{when:%H:%M} yesterday"
    if when.year == today.year:
        return f"{when:%H:%M}, {when.day} {when:%b}"
    return f"{when.day} {when:%b %Y}"


def facts(run: SavedRun, present: bool = False) -> str:
    """Return the model (or "Robot"), duration and size of a run in a line; a `present` run is not marked incomplete."""
    if run.info is None:
        return f"cannot be read · {size_text(run.size_bytes)}"
    kind = run.info.model
    model = (
        "Robot" if run.info.robot else FORMULATIONS[kind].short if kind in FORMULATIONS else kind
    )
    ended = "" if run.info.complete or present else " · incomplete"
    if run.info.plausibility is not None and not run.info.plausibility.plausible:
        ended += " · not plausible"
    return f"{model} · {run_time(run.info.duration, significant=4)} · {size_text(run.size_bytes)}{ended}"


def explained(run: SavedRun) -> str:
    """Return the tooltip with all facts about a run."""
    lines = [run.name, f"started {run.created:%Y-%m-%d %H:%M:%S}"]
    if run.info is None:
        lines.append(run.problem)
    else:
        if run.info.title and run.info.title != run.name:
            lines.insert(1, run.info.title)
        lines.append(f"{facts(run)} · {run.info.rows} samples")
        result = run.info.plausibility
        lines += [violation.text for violation in result.violations] if result is not None else []
        if not run.info.complete:
            lines.append(
                "The run is still being written, or was cut off. All recorded samples are available."
            )
    lines.append(str(run.path))
    return "\n".join(lines)


class RunListModel(QAbstractListModel):
    """Recorded runs that match the filter, newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[SavedRun] = []
        self._visible: list[SavedRun] = []
        self._query = ""

    @property
    def all(self) -> list[SavedRun]:
        """All runs, matching or not."""
        return self._all

    def set_runs(self, runs: Sequence[SavedRun]) -> None:
        """Show `runs`."""
        if list(runs) != self._all:
            self._all = list(runs)
            self._filter()

    def seek(self, text: str) -> None:
        """Show only the runs that match `text`: words of name, scene, model, tags or date."""
        self._query = text
        self._filter()

    def _filter(self) -> None:
        visible = [run for run in self._all if match(self._query, run.search_text) is not None]
        if [run.path for run in visible] == [run.path for run in self._visible]:
            self._visible = visible
            if visible:
                self.dataChanged.emit(self.index(0), self.index(len(visible) - 1))
            return
        self.beginResetModel()
        self._visible = visible
        self.endResetModel()

    def index_of(self, path: Path) -> QModelIndex:
        """Return the index of the run in a file; invalid if the run is not shown."""
        row = next((row for row, run in enumerate(self._visible) if run.path == path), -1)
        return self.index(row) if row >= 0 else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._visible)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        run = self._visible[index.row()]
        if role == RUN:
            return run
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{run.name}, {moment(run.created)}, {facts(run)}"
        if role == Qt.ItemDataRole.EditRole:
            return run.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return explained(run)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(index.data(RUN).path)) for index in indexes])
        return data
