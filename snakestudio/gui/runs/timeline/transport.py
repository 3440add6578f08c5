"""The buttons beside the scrubber: they play what is recorded, whatever the simulation does meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.runs.speed_chooser import SPEEDS

__all__ = ["BUTTONS", "Transport"]

BUTTONS = ("to_start", "event_back", "row_back", "play_recorded", "row_on", "event_on", "loop")
"""Commands that have a button, from left to right."""


class Transport(QWidget):
    """Buttons of commands, and how fast is played.

    Parameters
    ----------
    bridge : SessionController
    action : callable
        Gives a command by its name.
    """

    def __init__(
        self, bridge: SessionController, action: Callable[[str], QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.buttons = {name: self._button(action(name)) for name in BUTTONS}
        for button in self.buttons.values():
            row.addWidget(button)
        self.speed = QToolButton(self)
        self.speed.setProperty("role", "flat")
        self.speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.speed.setAccessibleName("Speed of playing")
        self.speed.setToolTip("How fast what is recorded is played, over real time")
        self.speed.setFixedSize(theme.scaled(64), theme.scaled(28))
        menu = QMenu(self.speed)
        for speed in SPEEDS:
            menu.addAction(_name(speed)).triggered.connect(lambda _=False, chosen=speed: self._choose(chosen))
        self.speed.setMenu(menu)
        row.addWidget(self.speed)
        self._spare = self.buttons["event_back"], self.buttons["event_on"], self.speed
        bridge.player_changed.connect(self._show)
        self._show()

    def make_room(self, room: bool) -> None:
        """Do without what menus have, too: the window is narrow, and the track matters more."""
        for button in self._spare:
            button.setVisible(not room)

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setProperty("role", "flat")
        button.setIconSize(QSize(16, 16))
        button.setFixedSize(theme.scaled(28), theme.scaled(28))
        return button

    def _choose(self, speed: float) -> None:
        self._bridge.set_playing_speed(speed)

    def _show(self) -> None:
        player = self._bridge.player
        self.speed.setEnabled(player is not None)
        self.speed.setText(_name(player.speed if player is not None else 1.0))


def _name(speed: float) -> str:
    return "max" if math.isinf(speed) else f"{speed:g} ×"
