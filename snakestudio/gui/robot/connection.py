"""Connecting to robots and letting go of them, the emulated one among them with its faults, and recording frames."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.link.emulator.fault import FAULTS, FaultKind
from snakestudio.link.profile.schema import Bus
from snakestudio.viewmodel.robot.emulator import EmulatedRobot
from snakestudio.viewmodel.robot.services import LiveChoices

if TYPE_CHECKING:
    from snakestudio.link.profile.loading import LoadedProfile  # which leads to cantools

__all__ = ["FAULT_MENU", "FaultMenu", "RobotConnection"]

_LOGS = "Vector BLF (*.blf);;Vector ASC (*.asc);;candump (*.log)"


class RobotConnection(QObject):
    """The window's connection to a robot.

    Parameters
    ----------
    document : Document
        Its ground is that of an emulated robot.
    window : QWidget
        Parent of the dialogs.

    Signals
    -------
    made()
        A robot was connected to.
    """

    made = Signal()

    def __init__(
        self, robot_controller: RobotController, document: Document, window: QWidget
    ) -> None:
        super().__init__(window)
        self._robot_controller = robot_controller
        self._document = document
        self._dialogs_over = window
        self._emulated: EmulatedRobot | None = None
        robot_controller.polled.connect(self._on_poll)

    def connect_robot(self, loaded: LoadedProfile, bus: Bus, choices: LiveChoices) -> None:
        """Connect to a robot on a bus.

        Raises `LinkError` if that is not possible.
        """
        self.end_emulated()
        self._robot_controller.connect_to(loaded, bus, choices)
        self.made.emit()

    def connect_emulated(
        self, loaded: LoadedProfile, choices: LiveChoices, *, on_ground: bool
    ) -> None:
        """Start an emulated robot, and connect to it.

        Raises `LinkError` if that is not possible. Raises `UsageError` if the open scene's robot is
        not that of the profile, and shall be moved on its ground.
        """
        document = self._document
        scene = document.scene if on_ground else None
        assert loaded.path is not None, "an emulated robot reads its profile from a file"
        if scene is not None:
            from snakestudio.live.engine_plant import EnginePlant

            # said here, before a process is started that would end by it
            EnginePlant.scene_of(scene, loaded)
        self._robot_controller.disconnect_robot()
        self.end_emulated()
        self._emulated = emulated = EmulatedRobot(loaded.path, scene, document.base_dir)
        choices = replace(choices, pose=emulated.pose)
        try:
            self._robot_controller.connect_to(
                loaded, emulated.bus(loaded.profile.bus), choices, emulated=True
            )
        except Exception:
            self.end_emulated()
            raise
        self.made.emit()

    def disconnect_robot(self) -> None:
        """Stop the robot if it could move, and let go of it."""
        self._robot_controller.disconnect_robot()
        self.end_emulated()

    def end_emulated(self) -> None:
        """End the emulated robot that this window started, if there is one."""
        emulated = self._emulated
        self._emulated = None
        if emulated is not None:
            emulated.close()

    def inject_fault(self, kind: FaultKind, node: int | None) -> None:
        """Let something go wrong with the emulated robot, at a node or at all of them."""
        if self._emulated is not None:
            self._emulated.tell(f"fault {kind}" if node is None else f"fault {kind} {node}")
            where = "all nodes" if node is None else f"node {node}"
            self._robot_controller.tell(
                "info", f"Fault of the emulated robot, {where}: {FAULTS[kind]}."
            )

    def mend_faults(self) -> None:
        """Let the emulated robot be sound again."""
        if self._emulated is not None:
            self._emulated.tell("clear")
            self._robot_controller.tell("info", "All faults of the emulated robot were mended.")

    def record_frames(self) -> None:
        """Ask for a file and write every frame to it; where that is done already, end it."""
        robot_controller = self._robot_controller
        if robot_controller.log is not None:
            robot_controller.end_log()
            return
        path = ask_save(
            self._dialogs_over, "Record Frames", FileKind.FRAME_LOG, "frames.blf", _LOGS
        )
        if path is not None:
            robot_controller.begin_log(path)

    def _on_poll(self) -> None:
        if self._emulated is not None and (why := self._emulated.ended):
            self.end_emulated()
            self._robot_controller.tell("error", why)


FAULT_MENU = "Robot/Faults of the Emulated Robot"
"""Where it stands among the menus."""

_TITLES: dict[FaultKind, str] = {
    "dropout": "Node Drops Out",
    "babble": "Node Babbles",
    "bus-off": "Node Goes Bus-Off",
    "frozen-sensor": "Sensor Freezes",
    "corrupt": "Frames Are Corrupted",
    "late": "Frames Are Late",
    "duplicate-id": "Two Nodes with One Id",
    "reset": "Node Resets",
    "overtemperature": "Motors Overheat",
    "jam": "Joint Jams",
}


class FaultMenu(QObject):
    """Fills the menu whenever it opens: the nodes are those of the robot that is connected.

    Parameters
    ----------
    menu : QMenu
        What stands in it already comes first.
    connection : RobotConnection
        Passes on what is chosen.
    """

    def __init__(
        self, menu: QMenu, robot_controller: RobotController, connection: RobotConnection
    ) -> None:
        super().__init__(menu)
        self._menu = menu
        self._robot_controller = robot_controller
        self._connection = connection
        menu.addSeparator()
        menu.setToolTipsVisible(True)
        self._kinds: dict[FaultKind, QMenu] = {}
        for kind, what in FAULTS.items():
            below = self._kinds[kind] = menu.addMenu(_TITLES[kind])
            below.menuAction().setToolTip(f"{what[0].upper()}{what[1:]}")
            below.aboutToShow.connect(lambda kind=kind: self._fill(kind))
        robot_controller.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        self._menu.menuAction().setEnabled(self._robot_controller.emulated)

    def _fill(self, kind: FaultKind) -> None:
        menu = self._kinds[kind]
        profile = self._robot_controller.profile
        menu.clear()
        if profile is None:
            return
        for node in profile.nodes:
            menu.addAction(f"Node {node}").triggered.connect(
                lambda _=False, node=node: self._connection.inject_fault(kind, node)
            )
        menu.addSeparator()
        menu.addAction("All Nodes").triggered.connect(
            lambda _=False: self._connection.inject_fault(kind, None)
        )
