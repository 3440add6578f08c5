"""Dialog that connects to a robot: choice of the robot, then received nodes and traffic in listen-only mode."""

from __future__ import annotations

import math
import time

import numpy as np
from PySide6.QtCore import QSettings
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.robot.connect_form import ConnectForm
from snakestudio.gui.robot.meters import NodeStrip
from snakestudio.gui.robot.state_card import StateCard
from snakestudio.gui.robot.traffic_table import TrafficView

_VIEW_MS = 150
_LISTED = 12


class ConnectDialog(Dialog):
    """Connection dialog; not modal, so that the window and its Stop button stay within reach."""

    def __init__(
        self,
        robot_controller: RobotController,
        settings: QSettings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(
            parent,
            "Connect to a Robot",
            "Connects in listen-only mode and shows the traffic on the bus. Nothing is transmitted.",
        )
        self._robot_controller = robot_controller
        self.setMinimumWidth(theme.scaled(760))
        self.form = ConnectForm(robot_controller.services, settings, self)
        self.message = Message(self)
        self.robot_frame = QFrame(self)
        self.state = StateCard(self.robot_frame)
        self.who = QLabel(self.robot_frame)
        self.who.setWordWrap(True)
        self.nodes = NodeStrip(self.robot_frame)
        self.traffic = TrafficView(robot_controller, self.robot_frame)
        self.traffic.setMinimumHeight(theme.scaled(240))
        inside = column_of(self.state, self.who, self.nodes, (self.traffic, 1), spacing=10)
        self.robot_frame.setLayout(inside)
        self.close_button = QPushButton("Close", self)
        self.close_button.setAutoDefault(False)
        self.close_button.clicked.connect(self.close)
        self.connect_button = QPushButton("Connect", self)
        self.connect_button.setDefault(True)
        self.connect_button.clicked.connect(self.connect_or_not)
        self._column = self.arrange(
            self.form,
            self.message,
            (self.robot_frame, 1),
            line_of(1, self.close_button, self.connect_button),
            spacing=14,
        )
        self.form.changed.connect(self._on_form)
        self._throttle = Throttle(_VIEW_MS, self._refresh, self)
        robot_controller.changed.connect(self._on_robot_changed)
        robot_controller.polled.connect(self._throttle.request)
        self._error = ""
        self._on_robot_changed()

    def choose_kind(self, kind: str) -> None:
        """Show the fields of a kind of connection; empty keeps the current kind."""
        if kind and not self._robot_controller.connected:
            self.form.choose_kind(kind)

    def connect_or_not(self) -> None:
        """Connect to the chosen robot, or disconnect."""
        if self._robot_controller.connected:
            self._robot_controller.disconnect_robot()
            return
        form = self.form
        assert form.loaded is not None
        try:
            if form.kind == "emulated":
                self._robot_controller.connect_emulated(
                    form.loaded, form.choices, on_ground=form.on_ground.isChecked()
                )
            else:
                self._robot_controller.connect_to(form.loaded, form.bus(), form.choices)
        except (SnakeStudioError, ValueError) as error:
            self._error = str(error)
            self.message.show_text(self._error)
        else:
            form.remember()

    def _on_form(self) -> None:
        self._error = ""
        self._show_problem()
        self._fit()

    def _fit(self) -> None:
        """Adapt the height to the form or the traffic."""
        self._column.activate()
        connected = self._robot_controller.connected
        height = (
            max(self.sizeHint().height(), theme.scaled(640))
            if connected
            else self.sizeHint().height()
        )
        if not connected or self.height() < height:
            self.resize(self.width(), height)

    def _show_problem(self) -> None:
        connected = self._robot_controller.connected
        problem = "" if connected else self.form.problem()
        self.message.show_text(self._error or problem)
        self.connect_button.setEnabled(connected or (not problem and self.form.loaded is not None))

    def _on_robot_changed(self) -> None:
        connected = self._robot_controller.connected
        self.form.setVisible(not connected)
        self.robot_frame.setVisible(connected)
        last = self._robot_controller.telemetry
        unopened = connected and last is not None and not last.bus_open
        self.connect_button.setText(
            "Change..." if unopened else "Disconnect" if connected else "Connect"
        )
        theme.set_role(self.connect_button, "" if connected else "primary")
        self.close_button.setText("Done" if connected else "Close")
        theme.set_role(self.close_button, "primary" if connected else "")
        self._show_problem()
        self._fit()
        self._refresh()

    def _refresh(self) -> None:
        robot_controller = self._robot_controller
        last = self._robot_controller.telemetry
        profile = self._robot_controller.profile
        if not self.isVisible() and last is not None:
            return
        self.state.show_status(robot_controller.status)
        self.who.setVisible(robot_controller.status.contact)
        if profile is None or last is None:
            return
        now = time.monotonic()
        contact = robot_controller.status.contact
        ages = np.where(np.isfinite(last.heartbeat_time), now - last.heartbeat_time, np.inf)
        here = contact & (ages <= profile.timing.lost_s)
        self.nodes.show_nodes(
            tuple(
                (
                    node,
                    float(age),
                    "good"
                    if is_present
                    else "dim"
                    if math.isinf(age) or not contact
                    else "warning",
                )
                for node, age, is_present in zip(profile.nodes, ages, here, strict=True)
            )
        )
        missing = [
            str(node)
            for node, is_present in zip(profile.nodes, here, strict=True)
            if not is_present
        ]
        if not missing:
            text = f"Receiving from all {len(profile.nodes)} nodes."
            role = "good"
        else:
            more = f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
            text = (
                f"Receiving from {len(profile.nodes) - len(missing)} of {len(profile.nodes)} nodes"
            )
            text = f"{text}; missing: {', '.join(missing[:_LISTED])}{more}."
            role = "warning"
        if last.unknown:
            text += f" {last.unknown} frames have ids that are not in the profile."
        self.who.setText(text)
        if self.who.property("role") != role:
            theme.set_role(self.who, role)
        self.traffic.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        self._on_robot_changed()
