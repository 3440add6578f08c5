"""What ties teleoperation to the window: the mode, its frame, who is steered, and scenes that nobody can steer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.command import Context
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.robot.teleop.frame import TeleopFrame
from snakestudio.gui.robot.teleop.teleop import Teleop
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.link.messages import LinkState
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import TeleopCommand, steerable_gaits


class Steerer(QObject):
    """Between `Teleop` and what moves.

    A robot that could move is stopped on every loss, whatever is shown; it is steered only while it
    is what is shown. A recorded run is never steered.
    """

    def __init__(
        self,
        teleop: Teleop,
        session_controller: SessionController,
        robot_controller: RobotController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._robot_controller = robot_controller
        teleop.steered.connect(self._steer)
        teleop.stop_asked.connect(self._stop)

    def _steer(self, command: TeleopCommand) -> None:
        if self._session_controller.source == "simulation":
            self._session_controller.session.steer(command)
        elif self._session_controller.source == "robot":
            self._robot_controller.steer(command)

    def _stop(self, reason: str) -> None:
        if self._robot_controller.movable:
            self._robot_controller.stop(reason)


class _Context(Context, Protocol):
    robot_controller: RobotController
    banners: Banners


class TeleopFeature(QObject):
    """Teleoperation of one window.

    Parameters
    ----------
    context : Context
        With the robot and its notices.
    view : QWidget
        Where one drives, in a frame.
    beside : tuple of QWidget
        Legend and buttons of it.
    plain_keys : callable
        Gives what keys without Ctrl or Alt do otherwise, by key.
    ask_mapping : callable
        Asks for the keys and the gamepad as the menu does it: not while a robot could move.

    Signals
    -------
    scene_changed(), frame()
        Another scene is driven; there is something newer to be seen of it.
    """

    scene_changed = Signal()
    frame = Signal()

    def __init__(
        self,
        context: _Context,
        view: QWidget,
        room: Callable[[], tuple[int, int]],
        plain_keys: Callable[[], dict[str, str]],
        ask_mapping: Callable[[], object],
    ) -> None:
        super().__init__(context.window)
        self._context = context
        self._view = view
        self._plain_keys = plain_keys
        self.ask_mapping = ask_mapping
        self.teleop = Teleop(context.window, lambda: steerable_gaits(self.scene), context.settings)
        self.steerer = Steerer(
            self.teleop, context.session_controller, context.robot_controller, self
        )
        self.frame_over_view = TeleopFrame(self.teleop, view, room, lambda: self.waiting)
        context.document.scene_changed.connect(self._on_scene)
        context.session_controller.source_changed.connect(self.scene_changed)
        context.session_controller.status_changed.connect(self.scene_changed)
        context.session_controller.frame.connect(self.frame)
        context.robot_controller.changed.connect(self._prepare)

    @property
    def scene(self) -> Scene:
        """The scene that is driven."""
        return self._context.document.scene

    @property
    def snapshot(self) -> Snapshot | None:
        """What is shown of it."""
        return self._context.session_controller.displayed

    @property
    def impossible(self) -> bool:
        """Whether nothing of this scene could ever be driven by hand."""
        return not self.scene.body.jointed

    @property
    def adoptable(self) -> bool:
        """Whether the scene could be driven by hand, but has another controller."""
        return not self.impossible and not _driven(self.scene)

    @property
    def refusal(self) -> str:
        """Why nothing follows the controls, in a sentence; empty if something does."""
        if self.impossible:
            return "A continuous body follows its strain law. Open a scene with links to drive it by hand."
        if self.adoptable:
            name = CONTROLLERS[self.scene.controller.kind].title
            return f"The controller of this scene, “{name}”, does not accept manual input."
        if self._context.session_controller.source == "replay":
            return "A recorded run is shown. Close it to drive."
        if "controller" in self._context.session_controller.status.pending:
            return "Teleoperation takes effect at the next reset."
        if self._robot_goes_by_itself:
            return (
                "The robot is still following the controller it started with. "
                "It follows the controls from the next stream."
            )
        return ""

    @property
    def _robot_goes_by_itself(self) -> bool:
        """Whether the robot streams by another controller than the scene has by now."""
        session_controller = self._context.session_controller
        robot = self._context.robot_controller
        if (
            session_controller.source != "robot"
            or robot.state != LinkState.STREAMING
            or session_controller.recording is None
        ):
            return False
        return not _driven(session_controller.recording.scene)

    @property
    def waiting(self) -> str:
        """Why what would follow the controls does not move now, in a few words; empty if it does."""
        session_controller = self._context.session_controller
        robot = self._context.robot_controller
        if session_controller.source == "simulation" and not session_controller.moving:
            return "the simulation is paused" + (
                "" if robot.connected else " (press Space to play)"
            )
        if session_controller.source == "robot" and robot.state != LinkState.STREAMING:
            return "the robot is not streaming"
        if self.teleop.command.still and self.refusal:
            return "the controls have no effect"  # what moves by itself must not be called standing still
        return ""

    def toggle(self) -> None:
        """Begin or end driving by hand; what it takes is offered, in words."""
        on = not self.teleop.on
        if on and self.impossible:
            self._context.banners.edits.say("warning", self.refusal, passing=True)
            return
        self.teleop.set_on(on)
        banner = self._context.banners.edits
        if not on:
            return
        self._context.show_dock("teleop")
        self._view.setFocus()
        if self.adoptable:
            banner.say("info", self.refusal, [("Drive by Hand", self.adopt)])

    def adopt(self) -> None:
        """Make teleoperation the scene's controller, in one step of undo, and go back to the start with it."""
        context = self._context
        try:
            context.document.set_value("controller.kind", "teleoperation", "Drive by hand")
        except SnakeStudioError as error:
            context.banners.edits.say("warning", str(error))
            return
        context.banners.edits.clear()
        if context.session_controller.source == "simulation":
            context.session_controller.reset()
        self._view.setFocus()

    def edit_mapping(self) -> None:
        """Bring up what keys and gamepad do."""
        from snakestudio.gui.robot.teleop.editor import MappingEditor

        window = self._context.window
        editor = window.findChild(MappingEditor) or MappingEditor(
            self.teleop, self._plain_keys(), window
        )
        editor.show()
        editor.raise_()
        editor.activateWindow()

    def close(self) -> None:
        """The window closes for good."""
        self.teleop.close()

    def _prepare(self) -> None:
        robot = self._context.robot_controller
        if robot.connected and not robot.movable and robot.telemetry is not None:
            QTimer.singleShot(0, self, self._load_sdl)

    def _load_sdl(self) -> None:
        """Look for the library of gamepads before a robot is armed: that starts processes, and holds the window up."""
        from snakestudio.gui.robot.teleop.gamepad import SdlError, load_sdl

        if self._context.robot_controller.connected and not self._context.robot_controller.movable:
            with contextlib.suppress(SdlError):
                load_sdl()

    def _on_scene(self) -> None:
        if self.teleop.on and self.impossible:
            self.teleop.set_on(False)
        if self.teleop.gait not in steerable_gaits(self.scene):
            self.teleop.choose_gait(steerable_gaits(self.scene)[0])
        self.scene_changed.emit()


def _driven(scene: Scene) -> bool:
    """Whether the scene's controller follows who drives."""
    return "drive" in CONTROLLERS[scene.controller.kind].tools
