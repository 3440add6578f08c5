"""What learning found in traffic, as a list to tick: messages, the surest first, with what is in them below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from snakestudio.gui.core import theme
from snakestudio.link.learning.proposal import FoundMessage

__all__ = ["FoundTree"]

_HEADS = ("Take over", "Comes from", "Sure", "What speaks for it")


class FoundTree(QTreeWidget):
    """The list.

    Attributes
    ----------
    found : list of FoundMessage
        What it shows, in its order.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found: list[FoundMessage] = []
        self.setHeaderLabels(_HEADS)
        self.setWordWrap(True)
        self.setAccessibleName("What was found")
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def show_found(self, found: Sequence[FoundMessage]) -> None:
        """List proposals, the surest first."""
        blocker = QSignalBlocker(self)  # itemChanged is for what the user ticks
        self.found = sorted(found, key=lambda message: (-message.confidence, message.family.streams[0].id))
        self.clear()
        for message in self.found:
            item = QTreeWidgetItem(self)
            role = message.role or "unknown"
            sure = f"{message.confidence:.0%}" if message.role else "–"
            for column, text in enumerate((role, message.family.name(), sure, message.reason)):
                item.setText(column, text)
            if message.role:
                item.setCheckState(0, Qt.CheckState.Checked)
            else:
                item.setForeground(0, QBrush(theme.colour("dim")))
                if message.family.period > 0:
                    item.setCheckState(0, Qt.CheckState.Unchecked)
                    item.setToolTip(0, "Ticked, it is taken over as a heartbeat: the robot is stopped when it ceases")
            formula = f" = {message.family.formula}" if message.family.formula else ""
            item.setToolTip(1, f"{len(message.family.streams)} ids{formula}")
            item.setForeground(
                2, QBrush(theme.colour("good" if message.confidence >= 0.75 else "warning" if message.role else "dim"))
            )
            for angle in message.angles:
                self._add_line(item, f"joint {angle.joint} {angle.axis}", f"node {angle.node}",
                               angle.finding.confidence, angle.finding.reason)  # fmt: skip
            for guard in message.guards:
                self._add_line(item, guard.kind, guard.field.text(), guard.confidence, guard.reason)
            item.setExpanded(bool(message.role))
        blocker.unblock()
        for column in range(3):
            self.resizeColumnToContents(column)

    def _add_line(self, parent: QTreeWidgetItem, what: str, where: str, sure: float, why: str) -> None:
        item = QTreeWidgetItem(parent)
        for column, text in enumerate((what, where, f"{sure:.0%}", why)):
            item.setText(column, text)

    @property
    def chosen(self) -> list[FoundMessage]:
        """The proposals that are ticked; what nobody knows better of counts as a sign of life."""
        ticked = [message for row, message in enumerate(self.found) if self._is_ticked(row)]
        return [message if message.role else replace(message, role="heartbeat") for message in ticked]

    def _is_ticked(self, row: int) -> bool:
        item = self.topLevelItem(row)
        return item is not None and item.checkState(0) == Qt.CheckState.Checked
