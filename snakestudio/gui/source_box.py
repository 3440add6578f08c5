"""Which source the window shows, in the bar at the top: the simulation, or a run that was opened."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from snakestudio.gui import theme
from snakestudio.gui.bridge import SessionBridge

__all__ = ["SourceBox"]

_LONGEST, _LEAST, _PADDING = 180, 48, 28
"""Widths of the text at most, of the box at least, and around the text, px of the design."""


class SourceBox(QToolButton):
    """Says the source, and offers the others.

    Parameters
    ----------
    bridge : SessionBridge
    actions : list of QAction
        What leads to other sources.
    """

    def __init__(self, bridge: SessionBridge, actions: list[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFixedHeight(theme.scaled(34))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setToolTip("What the window shows: the simulation, or a run that was recorded")
        menu = QMenu(self)
        menu.addActions(actions)
        self.setMenu(menu)
        bridge.source_changed.connect(self._show)
        self._show()

    @property
    def source(self) -> str:
        """What it says, whether there is room for it or not."""
        if self._bridge.source == "simulation":
            return "Simulation"
        return f"Replay: {self._bridge.source_name}"

    def _show(self) -> None:
        self.setAccessibleName(f"Source: {self.source}")
        self.updateGeometry()
        self._fit()

    def _fit(self) -> None:
        room = self.width() - theme.scaled(_PADDING)
        self.setText(self.fontMetrics().elidedText(self.source, Qt.TextElideMode.ElideRight, room))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):  # the theme's font comes after the box
            self.updateGeometry()
            self._fit()  # the old font's text may be cut, and the width stay as it is

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.source) + 1  # rounded down, it would cut the text
        longest = min(width, theme.scaled(_LONGEST))
        return QSize(longest + theme.scaled(_PADDING), theme.scaled(34))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.scaled(_LEAST), theme.scaled(34))
