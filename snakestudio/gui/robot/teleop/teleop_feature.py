"""What ties teleoperation to the window: the mode, its frame, who is steered, and scenes that nobody can steer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.robot.teleop.frame import TeleopFrame
from snakestudio.gui.robot.teleop.steerer import Steerer
from snakestudio.gui.robot.teleop.teleop import Teleop
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.link.messages import LinkState
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import steerable_gaits

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["TeleopFeature"]


class TeleopFeature(QObject):
    """Teleoperation of one window.

    Parameters
    ----------
    window : MainWindow
        With its document, bridge, robot and viewport.

    Signals
    -------
    scene_changed(), frame()
        Another scene is driven; there is something newer to be seen of it.
    """

    scene_changed = Signal()
    frame = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.teleop = Teleop(window, lambda: steerable_gaits(self.scene), window.settings)
        self.steerer = Steerer(self.teleop, window.bridge, window.robot, self)
        self.frame_over_view = TeleopFrame(self.teleop, window.viewport, lambda: self.waiting)
        window.document.scene_changed.connect(self._on_scene)
        window.bridge.source_changed.connect(self.scene_changed)
        window.bridge.status_changed.connect(self.scene_changed)
        window.bridge.frame.connect(self.frame)

    @property
    def scene(self) -> Scene:
        """The scene that is driven."""
        return self._window.document.scene

    @property
    def snapshot(self) -> Snapshot | None:
        """What is shown of it."""
        return self._window.bridge.displayed

    @property
    def impossible(self) -> bool:
        """Whether nothing of this scene could ever be driven by hand."""
        return self.scene.model.continuum

    @property
    def adoptable(self) -> bool:
        """Whether the scene could be driven by hand, but has another controller."""
        return not self.impossible and not _driven(self.scene)

    @property
    def refusal(self) -> str:
        """Why nothing follows the controls, in a sentence; empty if something does."""
        if self.impossible:
            return "A continuous body follows its strain law; open a scene with links to drive it by hand."
        if self.adoptable:
            name = CONTROLLERS[self.scene.controller.kind].title
            return f"Nothing follows the controls: the scene's controller is “{name}”."
        if self._window.bridge.source == "replay":
            return "A recorded run is shown, which nobody can steer; close it to drive."
        if "controller" in self._window.bridge.status.pending:
            return "Teleoperation applies at the next reset."
        if self._robot_goes_by_itself:
            return "The robot streams what it began with; it follows the controls from its next stream on."
        return ""

    @property
    def _robot_goes_by_itself(self) -> bool:
        """Whether the robot streams by another controller than the scene has by now."""
        bridge, robot = self._window.bridge, self._window.robot
        if bridge.source != "robot" or robot.state != LinkState.STREAMING or bridge.recording is None:
            return False
        return not _driven(bridge.recording.scene)

    @property
    def waiting(self) -> str:
        """Why what would follow the controls does not move now, in a few words; empty if it does."""
        bridge, robot = self._window.bridge, self._window.robot
        if bridge.source == "simulation" and not bridge.moving:
            return "the simulation is paused" + ("" if robot.connected else ": Space plays it")
        if bridge.source == "robot" and robot.state != LinkState.STREAMING:
            return "the robot is not streaming"
        if self.teleop.command.still and self.refusal:
            return "nothing follows the controls"  # what moves by itself must not be called standing still
        return ""

    def toggle(self) -> None:
        """Begin or end driving by hand; what it takes is offered, in words."""
        on = not self.teleop.on
        if on and self.impossible:
            self._window.banners.edits.say("warning", self.refusal, passing=True)
            return
        self.teleop.set_on(on)
        banner = self._window.banners.edits
        if not on:
            return
        self._window.show_dock("teleop")
        self._window.viewport.setFocus()
        if self.adoptable:
            banner.say("info", self.refusal, [("Drive by Hand", self.adopt)])

    def adopt(self) -> None:
        """Make teleoperation the scene's controller, in one step of undo, and go back to the start with it."""
        window = self._window
        try:
            window.document.set_value("controller.kind", "teleoperation", "Drive by hand")
        except SnakeStudioError as error:
            window.banners.edits.say("warning", str(error))
            return
        window.banners.edits.clear()
        if window.bridge.source == "simulation":
            window.reset()
        window.viewport.setFocus()

    def ask_mapping(self) -> None:
        """As the menu does it: not while a robot could move."""
        self._window.actions_table["teleop_mapping"].trigger()

    def edit_mapping(self) -> None:
        """Bring up what keys and gamepad do."""
        from snakestudio.gui.robot.teleop.editor import MappingEditor

        editor = self._window.findChild(MappingEditor) or MappingEditor(
            self.teleop, self._window.settings, self._window.actions_table.plain_keys(), self._window
        )
        editor.show()
        editor.raise_()
        editor.activateWindow()

    def close(self) -> None:
        """The window closes for good."""
        self.teleop.close()

    def _on_scene(self) -> None:
        if self.teleop.on and self.impossible:
            self.teleop.set_on(False)
        if self.teleop.gait not in steerable_gaits(self.scene):
            self.teleop.choose_gait(steerable_gaits(self.scene)[0])
        self.scene_changed.emit()


def _driven(scene: Scene) -> bool:
    """Whether the scene's controller follows who drives."""
    return "drive" in CONTROLLERS[scene.controller.kind].tools
