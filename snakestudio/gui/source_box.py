"""Which source the window shows, in the bar at the top: the simulation, or a run that was opened."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from snakestudio.gui import theme
from snakestudio.gui.bridge import SessionBridge

__all__ = ["SourceBox"]

_LONGEST = 24


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
        self.setToolTip("What the window shows: the simulation, or a run that was recorded")
        menu = QMenu(self)
        menu.addActions(actions)
        self.setMenu(menu)
        bridge.source_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        name = self._bridge.source_name
        if len(name) > _LONGEST:
            name = f"{name[: _LONGEST - 1]}…"
        self.setText("Simulation" if self._bridge.source == "simulation" else f"Replay: {name}")
        self.setAccessibleName(f"Source: {self.text()}")
