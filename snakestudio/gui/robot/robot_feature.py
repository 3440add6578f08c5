"""What ties the robot to the rest of the window: menus, notices, stop from everywhere, ghosts of the twin, closing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFileDialog, QMessageBox

from snakestudio.gui.forms.banner import Button
from snakestudio.gui.robot.bar_part import BarPart
from snakestudio.gui.robot.event_log import EventLog
from snakestudio.gui.robot.fault_menu import FaultMenu
from snakestudio.gui.robot.in_view import InView
from snakestudio.gui.robot.stop_button import ModalStop
from snakestudio.gui.robot.stop_key_filter import StopKeyFilter
from snakestudio.gui.shell.status_bar import StatusBar
from snakestudio.link.emulator.fault import FAULTS
from snakestudio.link.messages import LinkEvent, LinkState
from snakestudio.link.profile.schema import Bus
from snakestudio.viewmodel.robot.emulator import EmulatedRobot

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from snakestudio.gui.shell.main_window import MainWindow
    from snakestudio.link.emulator.fault import FaultKind
    from snakestudio.link.profile.loading import LoadedProfile
    from snakestudio.viewmodel.robot.services import LiveChoices

__all__ = ["RobotFeature"]

_LOGS = "Vector BLF (*.blf);;Vector ASC (*.asc);;candump (*.log)"
_FOLDER = "robot/logs"


class RobotFeature(QObject):
    """The robot's part of a window.

    Parameters
    ----------
    window : MainWindow
        With its actions and its bar.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._control = window, window.robot
        control = self._control
        self.log = EventLog(control, self)
        self.view = InView(window)
        self._emulated: EmulatedRobot | None = None
        status_bar = window.statusBar()
        assert isinstance(status_bar, StatusBar)
        status_bar.robot = lambda: (f"robot: {control.standing.title.lower()}", control.standing.role)
        status_bar.alarm = lambda: f"robot: {control.standing.title}" if control.standing.lost else ""
        control.changed.connect(status_bar.refresh_soon)
        bar = window.run_bar.findChild(BarPart)
        assert bar is not None
        self._bar, self._button = bar, bar.stop
        self.guard = StopKeyFilter(control.stop, bar.stop, self)
        self._modal: ModalStop | None = None
        self._was_connected = False
        self._state = control.state
        self._lost = False
        self._alarm = False  # whether the notice is an error
        self._waits = ""  # what it says of values that wait for the next stream
        control.changed.connect(self._on_changed)
        control.changed.connect(window.actions_table.refresh_soon)
        control.polled.connect(self._on_poll)
        control.happened.connect(self._on_event)

    # --- what the menus do ----------------------------------------------------------------------------------------

    def show_robot(self) -> None:
        """Show the robot; where there is none, ask which to connect to."""
        if self._control.connected:
            self._window.bridge.show_robot()
        else:
            self.ask_connect()

    def ask_connect(self, kind: str = "") -> None:
        """Bring up the dialog that connects."""
        from snakestudio.gui.robot.connect_dialog import ConnectDialog

        dialog = self._window.findChild(ConnectDialog)
        if dialog is None:
            dialog = ConnectDialog(self._control, self, self._window.settings, self._window)
        dialog.choose_kind(kind)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def connect_robot(self, loaded: LoadedProfile, bus: Bus, choices: LiveChoices) -> None:
        """Connect to a robot on a bus.

        Raises
        ------
        LinkError
            If that is not possible.
        """
        self.end_emulated()
        self._control.connect_to(loaded, bus, choices)
        self._show_panels()

    def connect_emulated(self, loaded: LoadedProfile, choices: LiveChoices, *, on_ground: bool) -> None:
        """Start an emulated robot, and connect to it.

        Raises
        ------
        LinkError
            If that is not possible.
        UsageError
            If the open scene's robot is not that of the profile, and shall be moved on its ground.
        """
        document = self._window.document
        scene = document.scene if on_ground else None
        assert loaded.path is not None, "an emulated robot reads its profile from a file"
        if scene is not None:
            from snakestudio.live.engine_plant import EnginePlant

            EnginePlant.scene_of(scene, loaded)  # said here, before a process is started that would end by it
        self._control.disconnect_robot()
        self.end_emulated()
        self._emulated = emulated = EmulatedRobot(loaded.path, scene, document.base_dir)
        choices = replace(choices, pose=emulated.pose)
        try:
            self._control.connect_to(loaded, emulated.bus(loaded.profile.bus), choices, emulated=True)
        except Exception:
            self.end_emulated()
            raise
        self._show_panels()

    def _show_panels(self) -> None:
        self._window.show_dock("robot_data")
        self._window.show_dock("robot")

    def disconnect_robot(self) -> None:
        """Stop the robot if it could move, and let go of it."""
        self._control.disconnect_robot()
        self.end_emulated()

    def end_emulated(self) -> None:
        """End the emulated robot that this window started, if there is one."""
        emulated, self._emulated = self._emulated, None
        if emulated is not None:
            emulated.close()

    def make_faults(self, menu: QMenu) -> None:
        """Fill the menu of the emulated robot's faults."""
        FaultMenu(menu, self._control, self)

    def inject_fault(self, kind: FaultKind, node: int | None) -> None:
        """Let something go wrong with the emulated robot, at a node or at all of them."""
        if self._emulated is not None:
            self._emulated.tell(f"fault {kind}" if node is None else f"fault {kind} {node}")
            where = "all nodes" if node is None else f"node {node}"
            self._control.tell("info", f"Fault of the emulated robot, {where}: {FAULTS[kind]}.")

    def mend_faults(self) -> None:
        """Let the emulated robot be sound again."""
        if self._emulated is not None:
            self._emulated.tell("clear")
            self._control.tell("info", "All faults of the emulated robot were mended.")

    def go_to_hold_button(self) -> None:
        """Go to the button that arms."""
        from snakestudio.gui.robot.panel import RobotPanel

        self._window.show_dock("robot")
        panel = self._window.findChild(RobotPanel)
        if panel is not None:
            panel.arming.hold.setFocus()

    def record_frames(self) -> None:
        """Ask for a file and write every frame to it; where that is done already, end it."""
        control, settings = self._control, self._window.settings
        if control.log is not None:
            control.end_log()
            return
        folder = Path(str(settings.value(_FOLDER) or Path.home()))
        name, kind = QFileDialog.getSaveFileName(self._window, "Record Frames", str(folder / "frames.blf"), _LOGS)
        if not name:
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(kind.rpartition("*")[2].rstrip(")"))
        settings.setValue(_FOLDER, str(path.parent))
        control.begin_log(path)

    # --- what happens ---------------------------------------------------------------------------------------------

    def _on_changed(self) -> None:
        control, table = self._control, self._window.actions_table
        connected = control.connected
        if connected != self._was_connected:
            self._was_connected = connected
            self.guard.set_on(connected)
            self._bar.setVisible(connected)
            space = [QKeySequence(Qt.Key.Key_Space)]
            table["play"].setShortcuts([] if connected else space)
            table["stop_robot"].setShortcuts(space if connected else [])
            if not connected:
                self._end_modal()
                self._window.docks["plots"].raise_()  # what the robot's data lay over
                self._window.banners.robot.clear()
        # A link that is silent for a moment, or for good, does not lead out of FAULT: the operator does.
        known = control.state is not LinkState.DISCONNECTED
        if control.state is not self._state and (known or not connected):
            if self._state is LinkState.FAULT and known:
                self._window.banners.robot.clear()  # why it was stopped is over with the stop
            if self._state is LinkState.STREAMING:
                self._end_waiting()
            self._state = control.state
        self._tell_lost()

    def _tell_lost(self) -> None:
        """A robot that may move unheard is told of until it is heard again, whatever else is to be told."""
        standing, banner = self._control.standing, self._window.banners.robot
        before, self._lost = self._lost, standing.lost
        buttons: list[Button] = [("Show Events", lambda: self._window.show_dock("robot_data"))]
        if standing.lost:
            banner.say("danger", f"{standing.title}\n{standing.sentence}", buttons, closable=False)
        elif before and self._control.connected:
            banner.say("warning", f"The robot is heard again. {standing.sentence}", buttons)

    def _end_waiting(self) -> None:
        """Nothing waits for the next stream any more: what was said of that would be wrong now."""
        banner = self._window.banners.robot
        if self._waits and banner.text == self._waits:
            banner.clear()
        self._waits = ""

    def _on_event(self, event: LinkEvent) -> None:
        """What the operator must know stands over the viewport, too."""
        if event.kind == "waiting":
            self._end_waiting()
        if event.severity not in ("warning", "error") or self._control.standing.lost:
            return
        banner = self._window.banners.robot
        alarm = event.severity == "error"
        if not alarm and self._alarm and banner.text and self._control.state is LinkState.FAULT:
            return  # why the robot was stopped is not hidden by what came after
        self._alarm = alarm
        buttons: list[Button] = [("Show Events", lambda: self._window.show_dock("robot_data"))]
        banner.say("warning", event.text, buttons, passing=event.severity == "warning")
        self._waits = event.text if event.kind == "waiting" else ""

    def _on_poll(self) -> None:
        self._follow_dialogs()
        if self._emulated is not None and (why := self._emulated.ended):
            self.end_emulated()
            self._control.tell("error", why)

    def _follow_dialogs(self) -> None:
        """A dialog that blocks the window gets a Stop of its own, in the same place of the screen."""
        dialog = ModalStop.needed() if self._control.connected else None
        if self._modal is not None and self._modal.parentWidget() is not dialog:
            self._end_modal()
        if dialog is None:
            return
        if self._modal is None:
            self._modal = ModalStop(self._button, dialog)
            self._modal.button.pressed.connect(lambda: self._control.stop("Stopped by the Stop button."))
            self._modal.destroyed.connect(self._forget_modal)
        self._modal.follow()

    def _forget_modal(self) -> None:
        self._modal = None

    def _end_modal(self) -> None:
        modal, self._modal = self._modal, None
        if modal is not None:
            modal.destroyed.disconnect(self._forget_modal)
            modal.close()
            modal.deleteLater()

    # --- the window -----------------------------------------------------------------------------------------------

    def renew_theme(self) -> None:
        """The palette is another one."""
        self.view.renew_theme()

    def may_close(self) -> bool:
        """Whether the window may be closed: a robot that could move is stopped first, and then it is asked."""
        if not self._control.movable:
            return True
        self._control.stop("Stopped, as the window was asked to close.")
        answer = QMessageBox.question(
            self._window, "Close SnakeStudio",
            "The robot was armed and has been stopped. Close the window and disconnect it?",
            QMessageBox.StandardButton.Close | QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Cancel,
        )  # fmt: skip
        return answer == QMessageBox.StandardButton.Close

    def close(self) -> None:
        """The window closes for good."""
        self.guard.set_on(False)
        self.disconnect_robot()
