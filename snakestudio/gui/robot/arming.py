"""What leads from listening to a moving robot: why it is not ready, the button that is held, start, disarm, reset."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.robot.controller import RobotControl
from snakestudio.gui.robot.hold_button import HoldButton
from snakestudio.link.messages import LinkState

__all__ = ["Arming"]

_LISTED = 8
"""Reasons beyond these are counted."""


class Arming(Themed):
    """Shows what can be done in the present state, and nothing else.

    Parameters
    ----------
    control : RobotControl
    """

    def __init__(self, control: RobotControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._control = control
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.card = QFrame(self)
        self.card.setProperty("role", "card")
        inside = QVBoxLayout(self.card)
        inside.setContentsMargins(12, 10, 12, 10)
        inside.setSpacing(6)
        self.heading = QLabel(self.card)
        self.heading.setProperty("role", "heading")
        inside.addWidget(self.heading)
        self.reasons = QLabel(self.card)
        self.reasons.setWordWrap(True)
        inside.addWidget(self.reasons)
        self.hold = HoldButton("Hold to Arm", self)
        self.stream = QPushButton("Start Streaming", self)
        theme.set_role(self.stream, "primary")
        self.stream.setToolTip("The robot is led to the shape the gait begins with, and follows it from there")
        self.stream.clicked.connect(control.stream)
        self.disarm = QPushButton("Disarm", self)
        self.disarm.setToolTip("Torque off, in order; the red button stops at once")
        self.disarm.clicked.connect(control.disarm)
        self.reset = QPushButton("Reset Fault", self)
        self.reset.setToolTip("After this the robot may be armed again")
        self.reset.clicked.connect(control.reset)
        self.talk = QPushButton(self)
        self.talk.clicked.connect(self._on_talk)
        column.addWidget(self.hold)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.stream, self.disarm, self.reset, self.talk):
            button.setMinimumHeight(theme.scaled(34))
            row.addWidget(button, 1)
        column.addLayout(row)
        column.addWidget(self.card)  # below: reasons come and go, and must not move a button away from the mouse
        control.changed.connect(self.refresh)
        self.refresh()

    def renew_theme(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Show what can be done now."""
        control = self._control
        state, standing = control.state, control.standing
        waits = state in (LinkState.LISTENING, LinkState.IDLE)
        reasons = control.not_ready if waits else ()
        self.card.setVisible(waits)
        if reasons:
            self.heading.setText("Not ready because")
            more = [f"and {len(reasons) - _LISTED} more"] if len(reasons) > _LISTED else []
            self.reasons.setText("\n".join(f"•  {reason}" for reason in (*reasons[:_LISTED], *more)))
        else:
            self.heading.setText("Ready to be armed")
            self.reasons.setText(
                "The joints get torque and hold where they stand. Keep clear of the robot, and keep Stop in reach."
            )
        theme.set_role(self.heading, "warning" if reasons else "good")
        self.hold.setVisible(waits)
        self.hold.setEnabled(waits and not reasons)
        self.hold.does(None if control.live is None else control.live.arm)
        self.hold.update()
        self.stream.setVisible(state is LinkState.ARMED)
        self.stream.setEnabled(standing.armed)
        self.disarm.setVisible(state in (LinkState.ARMED, LinkState.STREAMING))
        self.reset.setVisible(state is LinkState.FAULT)
        replay = control.telemetry is not None and control.telemetry.replay
        self.talk.setVisible(waits and not replay)
        listening = state is LinkState.LISTENING
        self.talk.setText("Talk to the Robot" if listening else "Listen Only")
        self.talk.setToolTip("Send requests and heartbeats; torque stays off" if listening else "Send nothing any more")

    def _on_talk(self) -> None:
        if self._control.link is not None:
            self._control.link.command("idle" if self._control.state is LinkState.LISTENING else "listen")
