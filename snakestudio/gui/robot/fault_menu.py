"""Menu of faults of the emulated robot."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.link.emulator.fault import FAULTS, FaultKind

FAULT_MENU = "Robot/Inject Fault"
"""Path of the menu."""

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
    """Filler of the fault menu; each time it opens, it lists the nodes of the connected robot.

    Parameters
    ----------
    menu : QMenu
        Menu whose present entries come first.
    """

    def __init__(self, menu: QMenu, robot_controller: RobotController) -> None:
        super().__init__(menu)
        self._menu = menu
        self._robot_controller = robot_controller
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
                lambda _=False, node=node: self._robot_controller.inject_fault(kind, node)
            )
        menu.addSeparator()
        menu.addAction("All Nodes").triggered.connect(
            lambda _=False: self._robot_controller.inject_fault(kind, None)
        )
