"""Connection of teleoperation to the window: mode, frame, steered object and scenes that cannot be steered."""

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
from snakestudio.model.teleop import OWN_GAIT, TeleopCommand, steerable_gaits
from snakestudio.viewmodel.papers import cited


class Steerer(QObject):
    """Link between `Teleop` and what moves.

    A robot that could move is stopped on every loss, even if it is not shown; it is steered only while it
    is shown. A recorded run is never steered.
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
        teleop.stop_requested.connect(self._stop)

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
        Context with the robot and notices.
    view : QWidget
        Viewport, framed while driving.
    free_range : callable
        Returns the horizontal range along the upper edge of the viewport without overlays, px.
    plain_keys : callable
        Returns the functions of keys without Ctrl or Alt, by key.
    ask_mapping : callable
        Opens the mapping editor like the menu does: not while a robot could move.

    Signals
    -------
    scene_changed(), frame()
        The driven scene changed; a newer state of it is available.
    """

    scene_changed = Signal()
    frame = Signal()

    def __init__(
        self,
        context: _Context,
        view: QWidget,
        free_range: Callable[[], tuple[int, int]],
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
        self.frame_over_view = TeleopFrame(self.teleop, view, free_range, lambda: self.waiting)
        context.document.scene_changed.connect(self._on_scene)
        context.session_controller.source_changed.connect(self.scene_changed)
        context.session_controller.status_changed.connect(self.scene_changed)
        context.session_controller.frame.connect(self.frame)
        context.robot_controller.changed.connect(self._prepare)

    @property
    def scene(self) -> Scene:
        """Driven scene."""
        return self._context.document.scene

    @property
    def snapshot(self) -> Snapshot | None:
        """Shown state of the scene."""
        return self._context.session_controller.displayed

    @property
    def impossible(self) -> bool:
        """Whether this scene can never be driven by hand."""
        return not self.scene.body.jointed

    @property
    def adoptable(self) -> bool:
        """Whether the scene could be driven by hand but has another controller."""
        return not self.impossible and not _driven(self.scene)

    @property
    def refusal(self) -> str:
        """Message why the controls have no effect; empty otherwise."""
        if self.impossible:
            return "A continuous body follows its strain law. Open a scene with links to drive it by hand."
        if self.adoptable:
            name = cited(CONTROLLERS[self.scene.controller.kind].title)
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
        """Whether the robot streams with another controller than the scene's present one."""
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
        """Short text why nothing moves now; empty if it does."""
        session_controller = self._context.session_controller
        robot = self._context.robot_controller
        if session_controller.source == "simulation" and not session_controller.moving:
            return "the simulation is paused" + (
                "" if robot.connected else " (press Space to play)"
            )
        if session_controller.source == "robot" and robot.state != LinkState.STREAMING:
            return "the robot is not streaming"
        if self.teleop.command.still and self.refusal:
            return "the controls have no effect"  # a robot that moves by itself must not be reported as at rest
        return ""

    def toggle(self) -> None:
        """Start or end teleoperation; if the scene must change for it, a notice offers that."""
        on = not self.teleop.on
        if on and self.impossible:
            self._context.banners.edits.show_notice("warning", self.refusal, passing=True)
            return
        self.teleop.set_on(on)
        banner = self._context.banners.edits
        if not on:
            return
        self._context.show_dock("teleop")
        self._view.setFocus()
        if self.adoptable:
            banner.show_notice("info", self.refusal, [("Drive by Hand", self.adopt)])

    def adopt(self) -> None:
        """Make teleoperation the scene's controller in one step of undo, and return to the start."""
        context = self._context
        try:
            context.document.set_value("controller.kind", "teleoperation", "Drive by hand")
        except SnakeStudioError as error:
            context.banners.edits.show_notice("warning", str(error))
            return
        context.banners.edits.clear()
        if context.session_controller.source == "simulation":
            context.session_controller.reset()
        self._view.setFocus()

    def edit_mapping(self) -> None:
        """Open the mapping editor."""
        from snakestudio.gui.robot.teleop.editor import MappingEditor

        window = self._context.window
        editor = window.findChild(MappingEditor) or MappingEditor(
            self.teleop, self._plain_keys(), window
        )
        editor.show()
        editor.raise_()
        editor.activateWindow()

    def close(self) -> None:
        """Release resources; called when the window closes."""
        self.teleop.close()

    def _prepare(self) -> None:
        robot = self._context.robot_controller
        if robot.connected and not robot.movable and robot.telemetry is not None:
            QTimer.singleShot(0, self, self._load_sdl)

    def _load_sdl(self) -> None:
        """Load the gamepad library before a robot is armed, because it starts processes and blocks the window."""
        from snakestudio.gui.robot.teleop.gamepad import SdlError, load_sdl

        if self._context.robot_controller.connected and not self._context.robot_controller.movable:
            with contextlib.suppress(SdlError):
                load_sdl()

    def _on_scene(self) -> None:
        if self.teleop.on and self.impossible:
            self.teleop.set_on(False)
        if self.teleop.gait != OWN_GAIT and self.teleop.gait not in steerable_gaits(self.scene):
            self.teleop.choose_gait(OWN_GAIT)
        self.scene_changed.emit()


def _driven(scene: Scene) -> bool:
    """Return whether the scene's controller follows manual input."""
    return "drive" in CONTROLLERS[scene.controller.kind].tools
