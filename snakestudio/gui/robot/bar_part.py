"""Robot in the bar at the top while connected: state, its age and the Stop button."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QHBoxLayout, QWidget

from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.live_value import LiveValue
from snakestudio.gui.robot.stop_button import StopButton
from snakestudio.viewmodel.robot.robot_status import span_text

_EVERY = 4
"""Number of polls between updates of the age (five updates per second, for legibility)."""


class BarPart(ThemedWidget):
    """State and Stop button; hidden until a robot is connected and the bar has space."""

    def __init__(self, robot_controller: RobotController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._robot_controller = robot_controller
        self._polls = 0
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(8)
        self.state_value = LiveValue(
            "CONTACT LOST · 88.8 s ago",
            "Armed elsewhere",
            "State reported by the robot and time since its last message",
            self,
        )
        self.state_value.setAccessibleName("robot")
        self.stop = StopButton(self)
        # Pressed and not clicked: a stop does not wait for the release of the button.
        self.stop.pressed.connect(lambda: robot_controller.stop("Stopped by the Stop button."))
        row.addWidget(self.state_value)
        row.addWidget(self.stop)
        robot_controller.changed.connect(self._refresh)
        robot_controller.polled.connect(self._on_poll)
        self._refresh()
        self.hide()

    def apply_theme(self) -> None:
        self.stop.apply_theme()
        self.state_value.update()

    def _on_poll(self) -> None:
        self._polls += 1
        if self._polls % _EVERY == 0:
            self._refresh()

    def _refresh(self) -> None:
        status = self._robot_controller.status
        age = status.message_age
        above, value = (
            status.title.split(", ") if status.lost else ("robot", status.title.partition(" (")[0])
        )
        caption = above if math.isnan(age) else f"{above} · {span_text(age)} ago"
        self.state_value.set_caption(caption, status.role if status.lost else "dim")
        self.state_value.show_value(value, status.role)
        self.state_value.setToolTip(status.sentence)
