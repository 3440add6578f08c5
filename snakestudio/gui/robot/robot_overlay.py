"""Robot in viewport and plots: marks for stale or unmeasured data, and the twin."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, Signal

from snakestudio.drawing.overlays import Ghost
from snakestudio.gui.core import theme
from snakestudio.gui.core.overlaid_runs import ghost_at
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.run_colours import twin_colour
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.model.recording import Recording
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.robot.robot_status import span_text

TWIN = "simulated twin"


class RobotOverlay(QObject):
    """Marks in the viewport, and the twin overlaid on the robot's run.

    Signals
    -------
    marks_changed()
        `marks` may have changed.
    changed()
        The twin changed.
    """

    changed = Signal()
    marks_changed = Signal()

    def __init__(
        self,
        robot_controller: RobotController,
        session_controller: SessionController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._robot_controller = robot_controller
        self._session_controller = session_controller
        self._twin_recording: Recording | None = None
        self._robot_controller.polled.connect(self._poll)
        self._session_controller.source_changed.connect(self._poll)
        theme.follow(self, RobotOverlay._on_theme)

    @property
    def shows_robot(self) -> bool:
        """Whether the window shows the live robot."""
        return self._session_controller.source == "robot"

    def stale(self) -> bool:
        """Return whether the robot is drawn stale because its present state is unknown."""
        return (
            self.shows_robot
            and self._session_controller.live
            and self._robot_controller.status.stale
        )

    def marks(self) -> list[tuple[str, str]]:
        """Return the colour and text of notes about the drawn robot."""
        if not self.shows_robot:
            return []
        palette = theme.current()
        snapshot = self._session_controller.displayed
        marks = []
        if self._robot_controller.status.lost:
            marks.append((palette.danger, self._robot_controller.status.title))
        if self.stale():
            marks.append((palette.dim, self._how_old()))
        if snapshot is not None and Fields.POSE not in snapshot.valid:
            marks.append((palette.warning, "base position unknown"))
        return marks

    def _how_old(self) -> str:
        status = self._robot_controller.status
        if not status.contact:
            return "no contact with the robot"
        if math.isinf(status.oldest):
            return "joints without data are drawn straight"
        return f"joint angles are {span_text(status.oldest)} old"

    def _poll(self) -> None:
        twin = self._robot_controller.twin if self.shows_robot else None
        if twin is not self._twin_recording:
            self._twin_recording = twin
            self.changed.emit()
        self.marks_changed.emit()

    def _on_theme(self) -> None:
        if self._twin_recording is not None:
            self.changed.emit()

    # --- overlay ----------------------------------------------------------------------------------

    def overlaid(self) -> list[OverlaidRun]:
        """Return the twin for the plots."""
        twin = self._twin_recording
        return [] if twin is None else [OverlaidRun(TWIN, twin_colour(), twin)]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Return the twin at `time` (s)."""
        twin = self._twin_recording
        ghost = (
            None
            if twin is None or not len(twin)
            else ghost_at(twin, min(time, float(twin.times[-1])), twin_colour())
        )
        return () if ghost is None else (ghost,)

    def names(self, time: float) -> list[tuple[str, str]]:
        """Return the colour and name of the twin."""
        return (
            []
            if self._twin_recording is None or not len(self._twin_recording)
            else [(twin_colour(), TWIN)]
        )
