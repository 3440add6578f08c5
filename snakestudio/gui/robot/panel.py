"""Robot panel: state, arming, nodes, bus, timing, twin and poses."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.sections import Section, scrolled
from snakestudio.gui.robot.arming import Arming
from snakestudio.gui.robot.figures import FigureList
from snakestudio.gui.robot.meters import LoadMeter, NodeStrip
from snakestudio.gui.robot.state_card import StateCard
from snakestudio.link.messages import LinkState, Telemetry
from snakestudio.link.pose_packet import PORT
from snakestudio.viewmodel.robot.robot_status import span_text
from snakestudio.viewmodel.robot.services import LiveChoices

if TYPE_CHECKING:
    from snakestudio.link.base import Link


class TwinAndPoseForm(QWidget):
    """Choices of the simulated twin and the source of live poses."""

    def __init__(self, robot_controller: RobotController, parent: QWidget) -> None:
        super().__init__(parent)
        self._robot_controller = robot_controller
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self.twin = QCheckBox("Simulated twin", self)
        self.twin.setToolTip(
            "Run the simulation in parallel with the same references and record the deviation"
        )
        self.poses = QCheckBox("Live poses from", self)
        self.poses.setToolTip(
            "Pose of the robot from motion capture; without it the base is drawn at its initial pose"
        )
        self._link: Link | None = None
        self.source = QLineEdit(robot_controller.choices.pose or str(PORT), self)
        self.source.setAccessibleName("Source of live poses")
        self.source.setToolTip(
            f"UDP port for a sender on this computer, 0.0.0.0:{PORT} for senders on other computers, "
            "or lsl:NAME for a stream of the Lab Streaming Layer"
        )
        self.message = Message(self)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.poses)
        row.addWidget(self.source, 1)
        column.addWidget(self.twin)
        column.addLayout(row)
        column.addWidget(self.message)
        self.refresh()
        self.twin.clicked.connect(self._apply)
        self.poses.clicked.connect(self._apply)
        self.source.editingFinished.connect(self._apply)

    def refresh(self) -> None:
        """Show the current choices."""
        choices = self._robot_controller.choices
        self.twin.setChecked(choices.twin)
        self.poses.setChecked(bool(choices.pose))
        if (
            self._robot_controller.link is not self._link
        ):  # another robot does not use the port of the last one
            self._link = self._robot_controller.link
            self.source.setText(choices.pose or str(PORT))
        elif choices.pose and not self.source.hasFocus():
            self.source.setText(choices.pose)
        fixed = (
            self._robot_controller.state in (LinkState.ARMED, LinkState.STREAMING)
            or self._robot_controller.arming
        )
        for part in (self.twin, self.poses, self.source):
            part.setEnabled(not fixed)

    def _apply(self) -> None:
        pose = (self.source.text().strip() or str(PORT)) if self.poses.isChecked() else ""
        try:
            self._robot_controller.watch(LiveChoices(pose, self.twin.isChecked()))
            self.message.show_text("")
        except SnakeStudioError as error:
            self.message.show_text(str(error))
        self.refresh()


_PANEL_MS = 150


class RobotPanel(QWidget):
    """State and controls of the robot.

    Parameters
    ----------
    ask_connect : callable
        Opens the connection dialog.
    record_frames : callable
        Starts recording frames to a file, or ends it.
    """

    def __init__(
        self,
        robot_controller: RobotController,
        ask_connect: Callable[[], object],
        record_frames: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._robot_controller = robot_controller
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 0, 16, 16)
        column.setSpacing(12)
        self.state = StateCard(content)
        self.arming = Arming(robot_controller, content)
        self.connect_button = QPushButton("Connect...", content)
        theme.set_role(self.connect_button, "primary")
        self.connect_button.clicked.connect(lambda: ask_connect())
        self.disconnect_button = QPushButton("Disconnect", content)
        self.disconnect_button.setToolTip("Stop the robot if it could move, and disconnect from it")
        self.disconnect_button.clicked.connect(robot_controller.disconnect_robot)
        self.record = QPushButton(content)
        self.record.setToolTip("Record every frame on the bus to a file")
        self.record.clicked.connect(lambda: record_frames())
        self.name = QLabel(content)
        self.name.setProperty("role", "heading")
        self.where = QLabel(content)
        self.where.setProperty("role", "dim")
        self.where.setWordWrap(True)
        self.node_summary = QLabel(content)
        self.node_summary.setProperty("role", "dim")
        self.nodes = NodeStrip(content)
        self.load = LoadMeter(content)
        self.bus_figures = FigureList(
            (
                ("Received", "Frames received since the bus was opened"),
                ("Sent", "Frames sent since the bus was opened"),
                ("Unknown", "Frames with ids that are not in the profile"),
                ("Unreadable", "Frames of the profile with a wrong checksum, length or value"),
                (
                    "Bus errors",
                    "Error frames reported by the adapter, and frames that it could not send",
                ),
            ),
            content,
        )
        self.timing_figures = FigureList(
            (
                ("Period", "Mean time between two set-point cycles in the last 10 s"),
                ("Lateness p99", "99 % of the set-point cycles were at most this late"),
                ("Longest gap", "Longest time between two set-point cycles in the last 10 s"),
                (
                    "Skipped",
                    "Set-point cycles skipped since streaming or arming began (never sent late in a burst)",
                ),
                ("Priority", "Priority that the operating system granted to the link's process"),
                (
                    "Window",
                    "Longest pause of this window's heartbeat in the last 10 s; the link stops the robot after the "
                    "profile's window timeout",
                ),
            ),
            content,
        )
        self.twin_and_pose_form = TwinAndPoseForm(robot_controller, content)
        self._live = QWidget(content)
        live = QVBoxLayout(self._live)
        live.setContentsMargins(0, 0, 0, 0)
        live.setSpacing(12)
        sections: tuple[tuple[str, tuple[QWidget, ...]], ...] = (
            ("Nodes", (self.node_summary, self.nodes)),
            ("Bus", (self.load, self.bus_figures)),
            ("Timing", (self.timing_figures,)),
            ("Twin and poses", (self.twin_and_pose_form,)),
        )
        for title, parts in sections:
            section = Section(title, parent=self._live)
            for each in parts:
                section.add(each)
            live.addWidget(section)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.record, 1)
        row.addWidget(self.disconnect_button, 1)
        head: tuple[QWidget, ...] = (
            self.state,
            self.connect_button,
            self.arming,
            self.name,
            self.where,
        )
        for each in head:
            column.addWidget(each)
        column.addLayout(row)
        column.addWidget(self._live)
        column.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scrolled(content))
        self._throttle = Throttle(_PANEL_MS, self._refresh, self)
        robot_controller.polled.connect(self._throttle.request)
        robot_controller.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        robot_controller = self._robot_controller
        connected = robot_controller.connected
        profile = robot_controller.profile
        last = robot_controller.telemetry
        self.state.show_status(robot_controller.status)
        self.connect_button.setVisible(not connected)
        for part in (
            self.arming,
            self.name,
            self.where,
            self.record,
            self.disconnect_button,
            self._live,
        ):
            part.setVisible(connected)
        if profile is None:
            return
        bus = profile.bus
        self.name.setText(f"{profile.name}{' (emulated)' if robot_controller.emulated else ''}")
        self.where.setText(f"{bus.interface} {bus.channel}, {bus.bitrate // 1000} kbit/s")
        self.record.setText(
            "Record Frames..."
            if robot_controller.log is None
            else f"End Recording ({robot_controller.log.name})"
        )
        self.twin_and_pose_form.refresh()
        if last is not None:
            self._show(last)

    def _show(self, last: Telemetry) -> None:
        robot_controller = self._robot_controller
        profile = self._robot_controller.profile
        assert profile is not None
        now = time.monotonic()
        contact = robot_controller.status.contact
        cells = []
        for node, received_at in zip(profile.nodes, last.heartbeat_time, strict=True):
            age = now - float(received_at) if np.isfinite(received_at) else math.inf
            lost = age > profile.timing.lost_s
            stale = age > profile.timing.stale_s
            role = (
                "dim"
                if not contact or math.isinf(age)
                else "danger"
                if lost
                else "warning"
                if stale
                else "good"
            )
            cells.append((node, age, role))
        self.nodes.show_nodes(tuple(cells))
        responding = sum(role in ("good", "warning") for _, _, role in cells)
        self.node_summary.setText(
            f"{responding} of {len(cells)} nodes online" if contact else "Unknown without contact"
        )
        self.load.show_load(last.bus_load if contact else math.nan, profile.timing.max_bus_load)
        for name, count, bad in (
            ("Received", last.received, False),
            ("Sent", last.sent, False),
            ("Unknown", last.unknown, True),
            ("Unreadable", last.unreadable, True),
            ("Bus errors", last.error_frames + last.send_errors, True),
        ):
            self.bus_figures.show_value(
                name, f"{count:,}".replace(",", " "), "warning" if bad and count else "text"
            )
        sends = last.state in (LinkState.ARMED, LinkState.STREAMING) or math.isfinite(
            last.period_mean
        )
        period = 1.0 / profile.timing.set_point_rate_hz
        self.timing_figures.show_value(
            "Period", f"{_ms(last.period_mean)} of {_ms(period)}" if sends else "not transmitting"
        )
        self.timing_figures.show_value("Lateness p99", _ms(last.lateness_p99))
        self.timing_figures.show_value(
            "Longest gap", _ms(last.gap_max), "warning" if last.gap_max > 2.0 * period else "text"
        )
        self.timing_figures.show_value(
            "Skipped", str(last.skipped), "warning" if last.skipped else "text"
        )
        self.timing_figures.show_value("Priority", last.priority or "–")
        gap = robot_controller.longest_gap
        granted = (
            f", {robot_controller.priority.granted}" if robot_controller.priority.granted else ""
        )
        self.timing_figures.show_value(
            "Window",
            f"{span_text(gap)}{granted}",
            "warning" if gap > 0.5 * profile.timing.window_timeout_s else "text",
        )


def _ms(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "–"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.2f} s"
