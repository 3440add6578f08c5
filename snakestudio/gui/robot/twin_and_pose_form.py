"""What is watched beside the robot: live poses of it, and the simulation that runs alongside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.robot.controller import RobotControl
from snakestudio.link.messages import LinkState
from snakestudio.link.pose_packet import PORT
from snakestudio.viewmodel.robot.services import LiveChoices

if TYPE_CHECKING:
    from snakestudio.link.base import Link

__all__ = ["TwinAndPoseForm"]


class TwinAndPoseForm(QWidget):
    """Whether live poses are waited for, and where; whether the simulation runs alongside.

    Parameters
    ----------
    control : RobotControl
    """

    def __init__(self, control: RobotControl, parent: QWidget) -> None:
        super().__init__(parent)
        self._control = control
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self.twin = QCheckBox("Simulated twin", self)
        self.twin.setToolTip("The simulation runs alongside with the same references; its deviation is recorded")
        self.poses = QCheckBox("Live poses from", self)
        self.poses.setToolTip("Where the robot is, from motion capture; without it the base is drawn where it began")
        self._link: Link | None = None
        self.source = QLineEdit(control.choices.pose or str(PORT), self)
        self.source.setAccessibleName("Source of live poses")
        self.source.setToolTip(
            f"UDP port for a sender on this computer; 0.0.0.0:{PORT} for senders on others; "
            "lsl:NAME for a stream of the Lab Streaming Layer"
        )
        self.message = Message(self)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.poses)
        row.addWidget(self.source, 1)
        column.addWidget(self.twin)
        column.addLayout(row)
        column.addWidget(self.message)
        self.refresh()
        self.twin.clicked.connect(self._apply)
        self.poses.clicked.connect(self._apply)
        self.source.editingFinished.connect(self._apply)

    def refresh(self) -> None:
        """Show what is chosen."""
        choices = self._control.choices
        self.twin.setChecked(choices.twin)
        self.poses.setChecked(bool(choices.pose))
        if self._control.link is not self._link:  # another robot: the port of the last one is none of its
            self._link = self._control.link
            self.source.setText(choices.pose or str(PORT))
        elif choices.pose and not self.source.hasFocus():
            self.source.setText(choices.pose)
        fixed = self._control.state in (LinkState.ARMED, LinkState.STREAMING) or self._control.arming
        for part in (self.twin, self.poses, self.source):
            part.setEnabled(not fixed)

    def _apply(self) -> None:
        pose = (self.source.text().strip() or str(PORT)) if self.poses.isChecked() else ""
        try:
            self._control.watch(LiveChoices(pose, self.twin.isChecked()))
            self.message.say("")
        except SnakeStudioError as error:
            self.message.say(str(error))
        self.refresh()
