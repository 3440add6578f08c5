"""The status bar: state of the session, contacts, solver, and frame rate."""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStatusBar, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.snapshot import Fields
from snakestudio.text import counted, size_text
from snakestudio.viewmodel.robot.robot_status import RobotStatus

Part = tuple[str, str]
"""A text and its colour in the palette."""

_DOT = " · "

_STATES = {
    "empty": ("loading the scene", "dim"),
    "preparing": ("preparing", "accent"),
    "unprepared": ("not prepared", "warning"),
    "continuing": ("restoring the state", "accent"),
    "ready": ("ready", "accent"),
    "running": ("running", "good"),
    "paused": ("paused", "accent"),
    "finished": ("finished", "accent"),
    "blocked": ("cannot run", "warning"),
    "failed": ("stopped", "warning"),
}


_LARGE_FILE = 100_000_000
_HUGE_FILE = 1_000_000_000
"""Sizes of a run file from which it is shown, and shown as a warning, bytes."""


class StatusBar(QStatusBar):
    """State of the session on the left, background work and frame rate on the right.

    Parameters
    ----------
    robot : callable
        Returns the status of the robot.
    background : callable
        Returns short descriptions of the work in the background.
    """

    def __init__(
        self,
        session_controller: SessionController,
        document: Document,
        robot: Callable[[], RobotStatus],
        background: Callable[[], Sequence[str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._document = document
        self._robot = robot
        self._background = background
        self._frames: deque[float] = deque(maxlen=600)
        self.setSizeGripEnabled(False)
        self.left = _Line(Qt.AlignmentFlag.AlignLeft, self)
        self.right = _Line(Qt.AlignmentFlag.AlignRight, self)
        self.left.setToolTip(
            "<qt>State of the session; contacts that carry load; time steps of this run with a residual above 1e-8, "
            "out of all steps so far. Residual, iterations and real-time factor are shown at the top.</qt>"
        )
        self.right.setToolTip(
            "Stream, remote control, engines being prepared in the background, and frame rate of the viewport"
        )
        self.addWidget(self.left, 3)
        self.addPermanentWidget(self.right, 2)
        self._timer = Delay(150, self._refresh, self)
        session_controller.frame.connect(self._soon)
        session_controller.status_changed.connect(self._soon)
        session_controller.source_changed.connect(self._soon)
        session_controller.replay_changed.connect(self._soon)
        self.refresh_soon()

    def refresh_soon(self) -> None:
        """Refresh soon, because the result of a callable has changed."""
        self._soon()

    @property
    def fps(self) -> float:
        """Frames drawn during the last second."""
        now = time.perf_counter()
        while self._frames and now - self._frames[0] > 1.0:
            self._frames.popleft()
        return float(len(self._frames))

    def count_frame(self) -> None:
        """Count a drawn frame."""
        self._frames.append(time.perf_counter())

    def _soon(self) -> None:
        self._timer.request()

    def _refresh(self) -> None:
        status = self._session_controller.status
        recording = self._session_controller.recording
        state = status.state
        text, role = _STATES[state]
        scene = self._document.scene
        if self._session_controller.source == "replay" and recording is not None:
            text = "replay, playing" if self._session_controller.playing else "replay"
            role = "accent"
            scene = recording.scene
        elif self._session_controller.source == "robot":
            robot = self._robot()
            text = f"robot: {robot.title.lower()}"
            role = robot.role
        parts: list[Part] = []
        if self._robot().lost:  # shown even if the view shows another source
            text = f"robot: {self._robot().title}"
            role = "danger"
        if self._session_controller.source == "simulation" and state in ("preparing", "unprepared"):
            parts.append((f"{FORMULATIONS[status.engine].short} engine", "dim"))
        snapshot = self._session_controller.displayed
        if snapshot is not None:
            if Fields.CONTACTS in snapshot.valid:
                count = len(snapshot.contacts)
                parts.append((counted(count, "contact"), "dim"))
            if Fields.SOLVER in snapshot.valid:
                steps = round(snapshot.time / scene.solver.step_s)
                bad = snapshot.solver.unconverged
                if bad:
                    text_of = f"solver did not converge in {bad:,} of {steps:,} steps"
                    parts.append((text_of.replace(",", "\u2009"), "warning"))
                elif steps:
                    text_of = f"solver converged in all {steps:,} steps"
                    parts.append((text_of.replace(",", "\u2009"), "dim"))
        if self._session_controller.source == "simulation" and not self._session_controller.live:
            parts.append(("viewing the past: End returns to the newest state", "accent"))
        self.left.show_parts(parts, text, role)
        size = self._run_file_size()
        right: list[Part] = [(text, "dim") for text in self._background()]
        if size >= _LARGE_FILE:
            role = "warning" if size >= _HUGE_FILE else "dim"
            right.append((f"run file {size_text(size)}", role))
        if self._session_controller.moving:
            right.append((f"{self.fps:.0f} fps", "dim"))
        self.right.show_parts(right)
        if self._session_controller.running:
            self._soon()

    def _run_file_size(self) -> int:
        """Present size of the file of the simulation's run, bytes; 0 if there is none."""
        if self._session_controller.source != "simulation":
            return 0
        recording = self._session_controller.session.recording
        if recording is None or recording.path is None:
            return 0
        with contextlib.suppress(OSError):
            return os.path.getsize(recording.path)
        return 0


class _Line(QWidget):
    """A line of text after a coloured dot, painted here so that a change needs no new layout."""

    def __init__(self, side: Qt.AlignmentFlag, parent: QWidget) -> None:
        super().__init__(parent)
        self._side = side
        self._parts: tuple[Part, ...] = ()
        self._state = ""
        self._role = "dim"

    @property
    def text(self) -> str:
        """The whole text."""
        return " ".join(
            part for part in (self._state, _DOT.join(text for text, _ in self._parts)) if part
        )

    def show_parts(self, parts: Sequence[Part], state: str = "", role: str = "dim") -> None:
        """Show texts, each in a colour of the palette, after a state with a dot in the colour `role`."""
        if (tuple(parts), state, role) != (self._parts, self._state, self._role):
            self._parts = tuple(parts)
            self._state = state
            self._role = role
            self.setAccessibleName(self.text)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, 28)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = QRect(14, 0, self.width() - 28, self.height())
            if self._state:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour(self._role))
                painter.drawEllipse(QPointF(area.left() + 4, area.height() / 2), 4, 4)
                painter.setPen(theme.colour(self._role))
                font = painter.font()
                font.setBold(True)
                painter.setFont(font)
                area.setLeft(area.left() + 16)
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | self._side, self._state)
                area.setLeft(
                    area.left() + painter.fontMetrics().horizontalAdvance(self._state) + 20
                )
                font.setBold(False)
                painter.setFont(font)
            for index, (part, role) in enumerate(self._parts):
                painter.setPen(theme.colour(role))
                text = (_DOT if index else "") + part
                text = painter.fontMetrics().elidedText(
                    text, Qt.TextElideMode.ElideRight, area.width()
                )
                painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | self._side, text)
                area.setLeft(area.left() + painter.fontMetrics().horizontalAdvance(text))
        finally:
            painter.end()
