"""Hands on what is steered to whatever the window shows: the live robot, or the simulation."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject

from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.robot.teleop.teleop import Teleop
from snakestudio.model.teleop import TeleopCommand

__all__ = ["SteeredRobot", "Steerer"]


class SteeredRobot(Protocol):
    """A live robot as teleoperation needs it."""

    @property
    def movable(self) -> bool:
        """Whether there is one whose torque may be on."""
        ...

    def steer(self, command: TeleopCommand) -> object:
        """Where to drive it, from the next control period on."""
        ...

    def stop(self, reason: str) -> object:
        """Stop it at once; `reason` is a sentence."""
        ...


class Steerer(QObject):
    """Between `Teleop` and what moves.

    A robot that could move is stopped on every loss, whatever is shown; it is steered only while it is what is shown.
    A recorded run is never steered.

    Parameters
    ----------
    teleop : Teleop
    bridge : SessionController
    robot : SteeredRobot
    """

    def __init__(
        self, teleop: Teleop, bridge: SessionController, robot: SteeredRobot, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge, self._robot = bridge, robot
        teleop.steered.connect(self._steer)
        teleop.stop_asked.connect(self._stop)

    def _steer(self, command: TeleopCommand) -> None:
        if self._bridge.source == "simulation":
            self._bridge.session.steer(command)
        elif self._bridge.source == "robot":
            self._robot.steer(command)

    def _stop(self, reason: str) -> None:
        if self._robot.movable:
            self._robot.stop(reason)
