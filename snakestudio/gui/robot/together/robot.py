"""The live robot as what Start Together starts: only what was armed by hand in this window begins to stream.

The link is not asked through the window's thread: START and STOP reach the robot while a dialog blocks it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from snakestudio.gui.core.document import Document
from snakestudio.gui.robot.controller import RobotControl
from snakestudio.link.messages import LinkState
from snakestudio.sync import Together
from snakestudio.viewmodel.start_target import EVERYWHERE, HERE

if TYPE_CHECKING:
    from snakestudio.live.robot_start_target import RobotStartTarget
    from snakestudio.viewmodel.robot.services import Live

__all__ = ["RobotTarget"]

_OPEN = (
    "Every computer on {where} can start the armed robot, and stop it, without a password. Stand beside the robot, "
    "with a hand at the switch of its motor power."
)


class RobotTarget(QObject):
    """The robot that is connected.

    Parameters
    ----------
    control : RobotControl
    document : Document
        Its scene says what the robot does.
    """

    _told = Signal(str)

    key = "together_robot"
    by_hand = "Start Streaming"
    usual_host = HERE
    host_kept = False
    """Opening the robot to a network is decided anew each time."""

    def __init__(self, control: RobotControl, document: Document, parent: QObject) -> None:
        super().__init__(parent)
        self._control, self._document = control, document
        self._live: Live | None = None
        self._way: RobotStartTarget | None = None
        control.changed.connect(self._look)
        self._told.connect(lambda sentence: control.tell("info", sentence), Qt.ConnectionType.QueuedConnection)

    @property
    def possible(self) -> bool:
        """Whether a robot is connected, and does not move yet: it may be armed later."""
        return self._control.live is not None and self._control.state is not LinkState.STREAMING

    def about(self) -> str:
        """See `Target`."""
        control, scene = self._control, self._document.scene
        name = "The robot" if control.profile is None else control.profile.name
        follows = "gait" if scene.controller.uses_gait else "controller"
        beside = "the simulation alongside and a new run begin" if control.choices.twin else "a new run begins"
        return (
            f"{name} begins to follow the {follows} of “{self._document.name}” at the same moment as cameras, force "
            f"plates or another computer; {beside} with it. Times and clocks of both sides are noted in the run."
        )

    def standing(self) -> tuple[str, str]:
        """See `Target`."""
        refusal = self.refuses()
        if not refusal:
            return "The robot is armed: it moves as soon as it is started.", "warning"
        control = self._control
        reasons = control.not_ready
        if control.live is not None and not control.standing.contact:
            reasons = (control.standing.sentence,)
        if reasons and control.state is not LinkState.ARMED:
            more = f" ({len(reasons) - 1} more: see the Robot panel)" if len(reasons) > 1 else ""
            return f"START would be refused: the robot is not armed, and not ready to be. {reasons[0]}{more}", "dim"
        return f"START would be refused: {refusal}.", "dim"

    def refuses(self) -> str:
        """See `Target`."""
        live, contact = self._control.live, self._control.standing.contact
        if live is None or not contact:
            return "there is no contact with the robot"
        return live.refuses_start

    def caution(self, wait: str, host: str) -> tuple[str, str]:
        """See `Target`."""
        if wait == "lsl":
            return "A marker starts the robot, and no marker stops it: STOP comes by the TCP port alone.", "warning"
        if wait != "port":
            return "", ""
        if host == HERE:
            return "Only programs on this computer can start the armed robot, and stop it.", "dim"
        return _OPEN.format(where="a network of this one" if host == EVERYWHERE else "that network"), "warning"

    def begin(self, choices: Together, name: str) -> RobotStartTarget:
        """See `Target`."""
        from snakestudio.live.robot_start_target import RobotStartTarget

        live = self._control.live
        assert live is not None, "asked for only while it is possible"
        self._live = live
        self._way = RobotStartTarget(live, choices, name, self._told.emit)
        return self._way

    def lost(self) -> str:
        """Whether another robot is there, or none, or it is watched in another way."""
        if self._control.live is self._live:
            return ""
        gone = "was disconnected" if self._control.live is None else "or how it is watched is another one now"
        return f"Start Together was ended, as the robot {gone}."

    def _look(self) -> None:
        """Streaming that was begun by hand starts the others, too."""
        way = self._way
        if way is not None and way.start.started is None and self._control.state is LinkState.STREAMING:
            way.begun_here()
