"""List model of the newest events, with filter and text export."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from snakestudio.gui.core import theme
from snakestudio.link.messages import LinkEvent

SEVERITIES = ("info", "good", "warning", "error")

_KEPT = 5000
_ROLES = {"info": "text", "good": "good", "warning": "warning", "error": "danger"}
_Index = QModelIndex | QPersistentModelIndex


class EventLog(QAbstractListModel):
    """Newest events of all robots of this window, oldest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._events: list[tuple[datetime, LinkEvent]] = []
        self._rows: list[int] = []
        self._terms: tuple[str, ...] = ()
        self._important = False

    def add(self, event: LinkEvent) -> None:
        """Add an event."""
        if len(self._events) >= _KEPT:
            self.beginResetModel()
            del self._events[: _KEPT // 10]
            self._filter()
            self.endResetModel()
        at = datetime.fromtimestamp(time.time() - (time.monotonic() - event.time))
        self._events.append((at, event))
        if self._fits(event):
            row = len(self._rows)
            self.beginInsertRows(QModelIndex(), row, row)
            self._rows.append(len(self._events) - 1)
            self.endInsertRows()

    def seek(self, text: str, *, important: bool) -> None:
        """Show only events that contain all words of `text`; if `important`, only warnings and errors."""
        self.beginResetModel()
        self._terms = tuple(text.casefold().split())
        self._important = important
        self._filter()
        self.endResetModel()

    def clear(self) -> None:
        """Remove all events."""
        self.beginResetModel()
        self._events = []
        self._rows = []
        self.endResetModel()

    def text(self, rows: Iterable[int] | None = None) -> str:
        """Return the lines of time, severity and text of the given shown rows, or of all shown rows."""
        chosen = range(len(self._rows)) if rows is None else rows
        return "".join(self._line(*self._events[self._rows[row]]) + "\n" for row in chosen)

    @staticmethod
    def _line(at: datetime, event: LinkEvent) -> str:
        return f"{at.isoformat(sep=' ', timespec='milliseconds')}  {event.severity:7}  {event.text}"

    def _fits(self, event: LinkEvent) -> bool:
        if self._important and event.severity not in ("warning", "error"):
            return False
        text = f"{event.text} {event.kind}".casefold()
        return all(term in text for term in self._terms)

    def _filter(self) -> None:
        self._rows = [row for row, (_, event) in enumerate(self._events) if self._fits(event)]

    # --- Qt's model -------------------------------------------------------------------------------

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        at, event = self._events[self._rows[index.row()]]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{at.strftime('%H:%M:%S')}.{at.microsecond // 1000:03d}   {event.text}"
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme.colour(_ROLES[event.severity])
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{event.severity.capitalize()}: {event.text}"
        return None
