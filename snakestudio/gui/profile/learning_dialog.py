"""Learning from traffic: record at rest, move a joint as shown, review the results and add them to the profile."""

from __future__ import annotations

import math
import time
import typing
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from snakestudio.errors import Problem, ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.boxes import ChoiceBox, SpinBox
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.sections import heading
from snakestudio.gui.profile.cue_view import CueView
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.log_row import LogRow
from snakestudio.link.frame import Frame
from snakestudio.link.learning.motion import Cue, directions
from snakestudio.link.learning.proposal import FoundMessage, Move, propose
from snakestudio.link.learning.taking_over import add_learned
from snakestudio.link.messages import Traffic
from snakestudio.link.profile.schema import AxisKind, Profile
from snakestudio.model.robot.overrides import AXES
from snakestudio.text import counted, sentence
from snakestudio.viewmodel.work import Progress

_INTRO = (
    "For robots with unknown messages. Connect to the bus (listen-only, with any profile) or open a log"
    " of it, then follow these steps. Torque must be off so that joints can be turned by hand."
)
QUIET_S = 5.0
_LEAD_S = 1.5
_AFTER_S = 0.7
_TICK_MS = 30
_AMPLITUDE = math.radians(20.0)


class LearningDialog(Dialog):
    """Guide through the recordings; adds the results to the edited profile.

    Parameters
    ----------
    document : ProfileDocument
        Receives the results as one step of undo.
    robot_controller : RobotController
        Robot controller of the window, whose traffic is recorded.
    """

    def __init__(
        self,
        document: ProfileDocument,
        robot_controller: RobotController,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, "Learn from Traffic", _INTRO)
        self._document = document
        self._robot_controller = robot_controller
        theme.open_at(self, 900, 760)
        self.quiet: list[Frame] = []
        self.moves: list[Move] = []
        self._recording: list[Frame] | None = None
        self._what = ""
        self._begun = self._length = 0.0
        self._cue: Cue | None = None
        self._task: Task[list[FoundMessage]] | None = None
        self._make()
        self._timer = QTimer(self)
        self._timer.setObjectName("tick_timer")
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        robot_controller.traffic.connect(self._on_traffic)
        robot_controller.changed.connect(self.refresh)
        self.refresh()

    def _make(self) -> None:
        self.log = LogRow(self)
        self.log.opened.connect(self._on_log)
        self.quiet_button = QPushButton(f"&1  Record {QUIET_S:.0f} s at Rest")
        self.quiet_button.setToolTip("Record while nothing moves")
        self.quiet_button.clicked.connect(self.record_quiet)
        self.joint = SpinBox()
        self.joint.setRange(1, 1000)
        self.joint.setPrefix("joint ")
        self.axis = ChoiceBox()
        self.axis.addItems(AXES)
        self.joint.valueChanged.connect(self._on_joint)
        self.move_button = QPushButton("&2  Record While I Move")
        self.move_button.setToolTip("Turn the joint by about 20° to each side, following the curve")
        self.move_button.clicked.connect(self.record_move)
        self.cancel = QPushButton("&Cancel")
        self.cancel.clicked.connect(self.abort)
        self.again = QPushButton("Start &Over")
        self.again.clicked.connect(self.start_over)
        self.state = QLabel()
        self.state.setFont(theme.text_font(16, strong=True))
        self.state.setWordWrap(True)
        self.cue_view = CueView()
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.tree = ProposalTree()
        self.tree.itemChanged.connect(lambda item, column: self.refresh())
        self.others = QCheckBox(
            "Assume that the nodes not moved are further joints, in the order of their numbers"
        )
        self.others.setChecked(True)
        self.reset_box = QCheckBox("&Reset the profile: keep only its bus and timing")
        self.message = Message()
        self.add_button = QPushButton("&3  Add to Profile")
        theme.set_role(self.add_button, "primary")
        self.add_button.clicked.connect(self.add_to_profile)
        for button in (
            self.quiet_button,
            self.move_button,
            self.cancel,
            self.again,
            self.add_button,
        ):
            button.setAutoDefault(False)
        steps = self.quiet_button, self.move_button, self.joint, self.axis, self.cancel
        self.arrange(
            self.log,
            line_of(*steps, 1, self.again),
            self.state,
            self.cue_view,
            self.bar,
            heading("Results"),
            (self.tree, 1),
            self.message,
            line_of(column_of(self.others, self.reset_box, spacing=6), 1, self.add_button),
            spacing=10,
            margins=(18, 14, 18, 14),
        )

    # --- display ----------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a recording or an analysis is running."""
        return self._recording is not None or self._task is not None

    def refresh(self) -> None:
        """Show what is possible now."""
        connected = self._robot_controller.link is not None or self.log.frames is not None
        recording = self._recording is not None
        if not connected and recording:
            self.abort()
            return
        self.quiet_button.setEnabled(connected and not self.busy)
        self.move_button.setEnabled(connected and not self.busy and bool(self.quiet))
        self.log.setEnabled(not self.busy)
        followed = any(message.angles for message in self.tree.proposals)
        self.reset_box.setVisible(followed)
        if not followed:  # hidden controls have no effect
            self.reset_box.setChecked(False)
        self.cancel.setVisible(recording)
        self.again.setEnabled(bool(self.quiet) and not self.busy)
        self.bar.setVisible(recording)
        self.cue_view.setVisible(recording and self._cue is not None)
        self.add_button.setEnabled(bool(self.tree.chosen) and not self.busy)
        self.others.setVisible(
            any(len(m.family.streams) > 1 and m.angles for m in self.tree.proposals)
        )
        theme.set_role(self.quiet_button, "" if self.quiet else "primary")
        theme.set_role(self.move_button, "primary" if self.quiet and not self.moves else "")
        self.state.setText(self._what if recording else self._next(connected))

    def _next(self, connected: bool) -> str:
        if not connected:
            return "Not connected to a bus. Connect from the Robot menu in listen-only mode, or open a log."
        if self._task is not None:
            return "Analysing the recording..."
        if self.log.frames is not None:
            if not self.quiet:
                return f"Enter the time (s) at which {QUIET_S:.0f} s without motion start."
            if not self.moves:
                return "Choose the joint that was turned, and enter the time (s) at which its motion starts."
        if not self.quiet:
            return "First record with nothing moving."
        if not self.moves:
            return "Now choose a joint and turn it following the curve."
        return "Move another joint, or add the results to the profile."

    def _tick(self) -> None:
        now = time.monotonic()
        if self._recording is not None:
            self.bar.setValue(round(1000 * min(1.0, (now - self._begun) / self._length)))
            self.cue_view.show_moment(self._cue, now, self._axis)
            frames = len(self._recording)
            self.state.setText(f"{self._what}  {counted(frames, 'frame')}")
            if now - self._begun >= self._length:
                self._recorded()

    # --- recording --------------------------------------------------------------------------------

    def _on_traffic(self, frames: Sequence[Traffic]) -> None:
        if self._recording is not None:
            self._recording += [
                Frame(
                    t.id, t.data, extended=t.extended, remote=t.remote, error=t.error, time=t.time
                )
                for t in frames
                if not t.sent
            ]

    def _record(self, what: str, length: float, cue: Cue | None) -> None:
        self._robot_controller.watch_traffic(self, True)
        self._recording = []
        self._what = what
        self._cue = cue
        self._begun = time.monotonic()
        self._length = length
        self.message.show_text("")
        self._timer.start()
        self.refresh()

    @property
    def _axis(self) -> AxisKind:
        kinds: dict[str, AxisKind] = {kind: kind for kind in typing.get_args(AxisKind)}
        return kinds[self.axis.currentText()]

    def _on_joint(self, joint: int) -> None:
        """Suggest the axis that the joint has in the profile."""
        kinds = self._document.profile.kinds_of_joints.get(joint, ())
        if kinds and self._axis not in kinds and not self.reset_box.isChecked():
            self.axis.setCurrentText(kinds[0])

    def record_quiet(self) -> None:
        """Record while nothing moves, or take that part from the log."""
        if self.log.frames is not None:
            self._set_quiet(self.log.cut(self.log.start_box.value(), QUIET_S))
            return
        self._record("Keep everything still.", QUIET_S, None)

    def record_move(self) -> None:
        """Record while one joint is moved by hand as shown, or take that part from the log."""
        if self.log.frames is not None:
            cue = Cue(self.log.start_box.value(), amplitude=_AMPLITUDE)
            self._add_move(self.log.cut(cue.begin, cue.end + _AFTER_S - cue.begin), cue)
            return
        cue = Cue(time.monotonic() + _LEAD_S, amplitude=_AMPLITUDE)
        joint = self.joint.value()
        (positive, _) = directions(self._axis)
        what = (
            f"Turn joint {joint} ({self._axis}) following the curve: link {joint + 1} first {positive}, seen from link"
            f" {joint}."
        )
        self._record(what, _LEAD_S + cue.cycles * cue.cycle_s + _AFTER_S, cue)

    def abort(self) -> None:
        """Discard the running recording."""
        self._end_recording()
        self._timer.stop()
        self.refresh()

    def start_over(self) -> None:
        """Discard everything, including a running recording or analysis."""
        self._end_recording()
        self._timer.stop()
        self._discard_task()
        self.quiet = []
        self.moves = []
        self.show_proposals([])
        self.refresh()

    def _end_recording(self) -> tuple[list[Frame], Cue | None]:
        """End the recording and return its frames and cue; empty and None if there was no recording."""
        frames = self._recording
        cue = self._cue
        self._recording = None
        self._cue = None
        if frames is not None:
            self._robot_controller.watch_traffic(self, False)
        return frames or [], cue

    def _recorded(self) -> None:
        self._timer.stop()
        frames, cue = self._end_recording()
        if not frames:
            self.message.show_text(
                "No frames were received. Check the bit rate, the wiring and the robot's power supply."
            )
            self.refresh()
            return
        if cue is None:
            self._set_quiet(frames)
        else:
            self._add_move(frames, cue)

    def _set_quiet(self, frames: list[Frame]) -> None:
        if not frames:
            self.message.show_text(
                "There are no frames in this part of the log. Enter a different time."
            )
            return
        self.quiet = frames
        self.analyse()

    def _add_move(self, frames: list[Frame], cue: Cue) -> None:
        if not frames:
            self.message.show_text(
                "There are no frames in this part of the log. Enter a different time."
            )
            return
        axis = self._axis
        joint = self.joint.value()
        self.moves = [move for move in self.moves if (move.joint, move.axis) != (joint, axis)]
        self.moves.append(Move(joint, axis, tuple(frames), cue.angle, cue.begin, cue.end))
        self.analyse()

    def _on_log(self) -> None:
        """Discard recordings after a log was opened or closed, because they are of another bus."""
        logged = self.log.frames is not None
        self.quiet_button.setText(f"&1  {'Use' if logged else 'Record'} {QUIET_S:.0f} s at Rest")
        self.move_button.setText("&2  Use Motion" if logged else "&2  Record While I Move")
        self.start_over()

    def analyse(self) -> None:
        """Analyse the recordings in a thread."""
        quiet = tuple(self.quiet)
        moves = tuple(self.moves)

        def work(progress: Progress) -> list[FoundMessage]:
            return propose(quiet, moves)

        self._discard_task()
        self._task = Task("search", work, self)
        self._task.finished.connect(self._on_proposed)
        self._task.failed.connect(self._on_failed)
        self.refresh()

    @Slot(object)
    def _on_proposed(self, proposals: list[FoundMessage]) -> None:
        self._task = None
        self.show_proposals(proposals)
        self.refresh()

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._task = None
        self.message.show_text(problem.sentence())
        self.refresh()

    def _discard_task(self) -> None:
        if self._task is not None:
            self._task.discard()
            self._task = None

    # --- results ----------------------------------------------------------------------------------

    def show_proposals(self, proposals: Sequence[FoundMessage]) -> None:
        """List proposals, most confident first."""
        self.tree.show_proposals(proposals)
        if proposals and self.moves and not any(message.angles for message in proposals):
            self.message.show_text(
                "No value on the bus followed the motion. Turn the joint further and follow the curve more closely. The"
                " robot may send angles only on request or when armed."
            )
        else:
            self.message.show_text("")

    def add_to_profile(self) -> bool:
        """Add the ticked proposals to profile and DBC as one step of undo; returns whether it succeeded."""
        document = self._document
        try:
            profile, dbc = self._extended()
            document.edit(
                profile, "Learn from traffic", dbc=dbc, new_robot=self.reset_box.isChecked()
            )
        except (ProfileError, ValueError) as error:
            self.message.show_text(sentence(str(error)))
            return False
        self.message.show_text("")
        self.reset_box.setChecked(False)  # the next results are of the same robot
        self.state.setText(
            "Added to the profile. Its checks list what is missing. Set-points and commands cannot be learned: create"
            " their messages on the page DBC and bind them under Messages."
        )
        return True

    def _extended(self) -> tuple[Profile, str]:
        before = self._document.profile
        others = self.others.isChecked()
        if not self.reset_box.isChecked():
            return add_learned(before, self._document.dbc, self.tree.chosen, others=others)
        new, dbc = add_learned(None, "", self.tree.chosen, others=others, name="My robot")
        return new.model_copy(
            update={"dbc": before.dbc, "bus": before.bus, "timing": before.timing}
        ), dbc

    def done(self, result: int) -> None:
        self.log.end()
        self.abort()
        close_tasks(self)
        self._task = None
        super().done(result)


_HEADS = ("Add", "Source", "Confidence", "Evidence")


class ProposalTree(QTreeWidget):
    """Tree of proposals.

    Attributes
    ----------
    proposals : list of FoundMessage
        Shown proposals in order.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.proposals: list[FoundMessage] = []
        self.setHeaderLabels(_HEADS)
        self.setWordWrap(True)
        self.setAccessibleName("Results")
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        theme.follow(self, ProposalTree._colour)

    def _colour(self) -> None:
        blocker = QSignalBlocker(self)
        for row, message in enumerate(self.proposals):
            item = self.topLevelItem(row)
            assert item is not None
            if not message.role:
                item.setForeground(0, QBrush(theme.colour("dim")))
            sure = "good" if message.confidence >= 0.75 else "warning" if message.role else "dim"
            item.setForeground(2, QBrush(theme.colour(sure)))
        blocker.unblock()

    def show_proposals(self, messages: Sequence[FoundMessage]) -> None:
        """List proposals, most confident first."""
        blocker = QSignalBlocker(self)  # itemChanged is only for ticks by the user
        self.proposals = sorted(
            messages, key=lambda message: (-message.confidence, message.family.streams[0].id)
        )
        self.clear()
        for message in self.proposals:
            item = QTreeWidgetItem(self)
            role = message.role or "unknown"
            sure = f"{message.confidence:.0%}" if message.role else "–"
            for column, text in enumerate((role, message.family.name(), sure, message.reason)):
                item.setText(column, text)
            if message.role:
                item.setCheckState(0, Qt.CheckState.Checked)
            elif message.family.period > 0:
                item.setCheckState(0, Qt.CheckState.Unchecked)
                item.setToolTip(
                    0,
                    "If ticked, it is added as a heartbeat, and the robot is stopped when the heartbeat stops",
                )
            formula = f" = {message.family.formula}" if message.family.formula else ""
            item.setToolTip(1, f"{len(message.family.streams)} ids{formula}")
            for angle in message.angles:
                self._add_line(
                    item,
                    f"joint {angle.joint} {angle.axis}",
                    f"node {angle.node}",
                    angle.finding.confidence,
                    angle.finding.reason,
                )
            for guard in message.guards:
                self._add_line(item, guard.kind, guard.field.text(), guard.confidence, guard.reason)
            item.setExpanded(bool(message.role))
        blocker.unblock()
        self._colour()
        for column in range(3):
            self.resizeColumnToContents(column)

    def _add_line(
        self, parent: QTreeWidgetItem, what: str, where: str, sure: float, why: str
    ) -> None:
        item = QTreeWidgetItem(parent)
        for column, text in enumerate((what, where, f"{sure:.0%}", why)):
            item.setText(column, text)

    @property
    def chosen(self) -> list[FoundMessage]:
        """Ticked proposals; unidentified messages become heartbeats."""
        ticked = [message for row, message in enumerate(self.proposals) if self._is_ticked(row)]
        return [
            message if message.role else replace(message, role="heartbeat") for message in ticked
        ]

    def _is_ticked(self, row: int) -> bool:
        item = self.topLevelItem(row)
        return item is not None and item.checkState(0) == Qt.CheckState.Checked
