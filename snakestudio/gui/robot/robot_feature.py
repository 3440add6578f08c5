"""Connection of the robot to the window: notices, Stop, dialogs, panels and closing."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMessageBox

from snakestudio.gui.core.command import Context
from snakestudio.gui.core.file_dialogs import FileKind, ask_save
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.forms.banner import Banners, Button
from snakestudio.gui.robot.bar_part import BarPart
from snakestudio.gui.robot.event_log import EventLog
from snakestudio.gui.robot.stop_button import ModalStop, StopKeyFilter
from snakestudio.link.messages import LinkEvent, LinkState
from snakestudio.viewmodel.scene.message_labels import labelled

_LOGS = "Vector BLF (*.blf);;Vector ASC (*.asc);;candump (*.log)"


class _Context(Context, Protocol):
    robot_controller: RobotController
    banners: Banners


class RobotFeature(QObject):
    """Robot feature of a window.

    Parameters
    ----------
    context : Context
        Context with robot and notices.
    bar : BarPart
        State and Stop button, shown while a robot is connected.

    Signals
    -------
    connected_changed(connected: bool)
        A robot was connected or disconnected.
    """

    connected_changed = Signal(bool)

    def __init__(self, context: _Context, bar: BarPart) -> None:
        super().__init__(context.window)
        self._context = context
        self._robot_controller = context.robot_controller
        robot_controller = self._robot_controller
        self.log = EventLog(self)
        self._bar = bar
        self._button = bar.stop
        self.stop_key_filter = StopKeyFilter(robot_controller.stop, bar.stop, self)
        self._modal: ModalStop | None = None
        self._was_connected = False
        self.opened_docks: list[str] = []
        """Panels that were hidden until the robot was connected."""
        self._state = robot_controller.state
        self._lost = False
        self._alarm = False  # whether the notice is an alarm
        self._waits = ""  # message about values that wait for the next stream
        robot_controller.connection_opened.connect(self._show_panels)
        robot_controller.changed.connect(self._on_changed)
        robot_controller.polled.connect(self._follow_dialogs)
        robot_controller.happened.connect(self._on_event)

    # --- commands ---------------------------------------------------------------------------------

    def show_robot(self) -> None:
        """Show the robot panel; if no robot is connected, open the connection dialog."""
        if self._robot_controller.connected:
            self._context.session_controller.show_robot()
        else:
            self.ask_connect()

    def ask_connect(self, kind: str = "") -> None:
        """Open the connection dialog."""
        from snakestudio.gui.robot.connect_dialog import ConnectDialog

        window = self._context.window
        dialog = window.findChild(ConnectDialog)
        if dialog is None:
            dialog = ConnectDialog(self._robot_controller, self._context.settings, window)
        dialog.choose_kind(kind)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _show_panels(self) -> None:
        names = ("robot_data", "robot")
        self.opened_docks += [name for name in names if self._context.show_dock(name)]

    def focus_hold_button(self) -> None:
        """Move the focus to the button that arms."""
        from snakestudio.gui.robot.panel import RobotPanel

        self._context.show_dock("robot")
        panel = self._context.window.findChild(RobotPanel)
        if panel is not None:
            panel.arming.hold.setFocus()

    def record_frames(self) -> None:
        """Ask for a file and record every frame to it, or end the recording."""
        robot_controller = self._robot_controller
        if robot_controller.log is not None:
            robot_controller.end_log()
            return
        path = ask_save(
            self._context.window, "Record Frames", FileKind.FRAME_LOG, "frames.blf", _LOGS
        )
        if path is not None:
            robot_controller.begin_log(path)

    # --- events -----------------------------------------------------------------------------------

    def _on_changed(self) -> None:
        robot_controller = self._robot_controller
        connected = robot_controller.connected
        if connected != self._was_connected:
            self._was_connected = connected
            self.stop_key_filter.set_on(connected)
            self._bar.setVisible(connected)
            self.connected_changed.emit(connected)
            if not connected:
                self._end_modal()
                self._context.banners.robot.clear()
        # A link that is silent for a moment, or for good, does not leave FAULT: only the operator
        # does.
        known = robot_controller.state is not LinkState.DISCONNECTED
        if robot_controller.state is not self._state and (known or not connected):
            if self._state is LinkState.FAULT and known:
                self._context.banners.robot.clear()  # the reason of a stop ends with the stop
            if self._state is LinkState.STREAMING:
                self._end_waiting()
            self._state = robot_controller.state
        self._report_lost()

    def _report_lost(self) -> None:
        """Show the loss of contact of a robot that may move until contact is restored, above all other notices."""
        status = self._robot_controller.status
        banner = self._context.banners.robot
        before = self._lost
        self._lost = status.lost
        buttons: list[Button] = [("Show Events", lambda: self._context.show_dock("robot_data"))]
        if status.lost:
            banner.show_notice(
                "danger", f"{status.title}\n{status.sentence}", buttons, closable=False
            )
        elif before and self._robot_controller.connected:
            banner.show_notice(
                "warning", f"Contact with the robot is restored. {status.sentence}", buttons
            )

    def _end_waiting(self) -> None:
        """Remove the message about values that wait for the next stream once none do."""
        banner = self._context.banners.robot
        if self._waits and banner.text == self._waits:
            banner.clear()
        self._waits = ""

    def _on_event(self, event: LinkEvent) -> None:
        """List an event; show one that the operator must know in a notice over the viewport, too."""
        text = labelled(event.text, self._context.document.scene)
        self.log.add(replace(event, text=text))
        if event.kind == "waiting":
            self._end_waiting()
        if event.severity not in ("warning", "error") or self._robot_controller.status.lost:
            return
        banner = self._context.banners.robot
        alarm = event.severity == "error"
        if (
            not alarm
            and self._alarm
            and banner.text
            and self._robot_controller.state is LinkState.FAULT
        ):
            return  # the reason of a stop is not hidden by later events
        self._alarm = alarm
        buttons: list[Button] = [("Show Events", lambda: self._context.show_dock("robot_data"))]
        banner.show_notice("warning", text, buttons, passing=event.severity == "warning")
        self._waits = text if event.kind == "waiting" else ""

    def _follow_dialogs(self) -> None:
        """Give a dialog that blocks the window its own Stop button at the same position of the screen."""
        dialog = ModalStop.needed() if self._robot_controller.connected else None
        if self._modal is not None and self._modal.parentWidget() is not dialog:
            self._end_modal()
        if dialog is None:
            return
        if self._modal is None:
            self._modal = ModalStop(self._button, dialog)
            self._modal.button.pressed.connect(
                lambda: self._robot_controller.stop("Stopped by the Stop button.")
            )
            self._modal.destroyed.connect(self._discard_modal)
        self._modal.follow()

    def _discard_modal(self) -> None:
        self._modal = None

    def _end_modal(self) -> None:
        modal = self._modal
        self._modal = None
        if modal is not None:
            modal.destroyed.disconnect(self._discard_modal)
            modal.close()
            modal.deleteLater()

    # --- closing ----------------------------------------------------------------------------------

    def may_close(self) -> bool:
        """Return whether the window may be closed: a robot that could move is stopped before the user confirms."""
        if not self._robot_controller.movable:
            return True
        self._robot_controller.stop("Stopped because the window is closing.")
        answer = QMessageBox.question(
            self._context.window,
            "Close SnakeStudio",
            "The robot was armed and has been stopped. Close the window and disconnect it?",
            QMessageBox.StandardButton.Close | QMessageBox.StandardButton.Cancel,
            QMessageBox.StandardButton.Cancel,
        )
        return answer == QMessageBox.StandardButton.Close

    def close(self) -> None:
        """Release resources; called when the window closes."""
        self.stop_key_filter.set_on(False)
        self._robot_controller.disconnect_robot()
