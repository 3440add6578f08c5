"""The bar at the top: reset, play, step, speed, model, and measured values of the run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QAction,
    QActionEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.live_value import LiveValue, LiveValueRow
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.narrow_row import NarrowRow
from snakestudio.gui.runs.speed_chooser import SpeedChooser
from snakestudio.gui.scene.model_box import ModelBox
from snakestudio.model.run_time import run_time
from snakestudio.model.snapshot import CONVERGED, Fields
from snakestudio.viewmodel.sources import SourceKind

_FACTOR_TIP = "Measured ratio of simulated to real time"
_BAR = 3
"""Height of the progress along the lower edge of the play button, px."""


class PlayButton(QToolButton):
    """Plays and pauses; while the engine is prepared, a line at its lower edge shows the progress.

    The notice over the view has its text, the remaining time and the button that cancels.

    Parameters
    ----------
    action : QAction
        The play command.
    session_controller : SessionController
        Source of the progress.
    """

    def __init__(
        self, action: QAction, session_controller: SessionController, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._tip = ""
        self.progress: float | None = None
        """Finished fraction of the preparation; None while there is none."""
        self.setDefaultAction(action)
        self.setProperty("role", "primary")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setIconSize(QSize(18, 18))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(theme.scaled(44), theme.scaled(34))
        session_controller.status_changed.connect(self._refresh)
        session_controller.source_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        status = self._session_controller.status  # read once: the session changes it meanwhile
        tip = ""
        progress = None
        if self._session_controller.source == "simulation" and status.state == "preparing":
            progress = status.progress
            tip = (
                "Starts when the engine is ready; press again to only prepare it (Space)"
                if status.queued
                else "Press to start when the engine is ready (Space)"
            )
        elif self._session_controller.source == "simulation" and status.state == "unprepared":
            tip = f"{status.message}\nPress to prepare it and play (Space)"
        if (progress, tip) != (self.progress, self._tip):
            self.progress = progress
            self._tip = tip
            self.setAccessibleDescription(tip)
            self._explain()
            self.update()

    def _explain(self) -> None:
        """Set the tooltip to what a press does while preparing, or to that of the action."""
        self.setToolTip(self._tip or "".join(action.toolTip() for action in self.actions()))

    def actionEvent(self, event: QActionEvent) -> None:
        super().actionEvent(event)  # this sets the action's texts
        self._explain()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.progress is None:
            return
        with QPainter(self) as painter:
            line = self.rect().adjusted(_BAR, self.height() - 2 * _BAR, -_BAR, -_BAR)
            painter.fillRect(line, theme.colour("line"))
            line.setWidth(round(self.progress * line.width()))
            painter.fillRect(line, theme.colour("text"))


_NARROWEST = 860
"""Least width of the bar with a robot, px of the design."""

REFRESH_S = 0.1
"""Shortest time between two updates of the values, s: faster changes cannot be read."""


class RunBar(QToolBar):
    """Buttons for the actions of the run, and measured values.

    Parameters
    ----------
    exports : list of QAction
        Entries of the export button.
    sources : mapping of str to callable
        Switches to each kind of source.
    drag_out : QWidget
        Next to the export button.
    robot : QWidget
        State and stop of the robot, at the end of the bar.
    """

    def __init__(
        self,
        session_controller: SessionController,
        document: Document,
        reset: QAction,
        play: QAction,
        step: QAction,
        exports: list[QAction],
        sources: Mapping[SourceKind, Callable[[], object]],
        drag_out: QWidget,
        robot: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Run", parent)
        self._session_controller = session_controller
        self._last = 0.0
        self.setObjectName("run_bar")
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        content = NarrowRow(_NARROWEST, self)
        row = content.row
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        self.play = PlayButton(play, session_controller, content)
        step_button = _button(step, content)
        for button in (_button(reset, content), self.play, step_button):
            row.addWidget(button)
        row.addSpacing(8)
        captions = QLabel("speed", content), QLabel("model", content)
        for caption in captions:
            caption.setProperty("role", "dim")
        row.addWidget(captions[0])
        self.speed = SpeedChooser(content)
        self.speed.chosen.connect(session_controller.set_speed)
        row.addWidget(self.speed)
        row.addSpacing(8)
        row.addWidget(captions[1])
        self.model = ModelBox(document, short=True, parent=content)
        row.addWidget(self.model)
        row.addSpacing(16)
        self.time = LiveValue("time", "00000.000 s", "Simulated time of what is shown", content)
        self.factor = LiveValue(
            "real-time factor",
            "1000.00",
            _FACTOR_TIP,
            content,
        )
        self.residual = LiveValue(
            "residual",
            "0.0e-00 ",
            "<qt><b>Largest residual of the contact problems</b> since the last row: by how much forces and velocities "
            "violate the laws of contact and friction, relative to a link's weight. It is computed independently of "
            "the solver. Green up to 1e-8, which counts as solved.</qt>",
            content,
        )
        self.iterations = LiveValue(
            "iterations", "000.0", "Mean Newton iterations of the contact solver per step", content
        )
        self.unconverged = LiveValue(
            "unconverged",
            "0 000 000",
            "<qt><b>Steps of this run whose residual is above 1e-8.</b> They use the best solution found; "
            "a step that cannot be solved at all stops the run. The Solver plot shows when they occurred.</qt>",
            content,
        )
        values = self.time, self.factor, self.residual, self.unconverged, self.iterations
        row.addWidget(LiveValueRow(values, content))
        row.addStretch(1)
        self.source = SourceBox(session_controller, sources, content)
        row.addWidget(self.source)
        self.export = QToolButton(content)
        self.export.setText("Export")
        self.export.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setFixedHeight(theme.scaled(34))
        self.export.setToolTip("Export the run as data or video")
        menu = Menu(self.export)
        menu.addActions(exports)
        self.export.setMenu(menu)
        row.addWidget(drag_out)
        row.addWidget(self.export)
        row.addWidget(robot)
        # All of these are also in menus; the robot's stop and the source switch always stay.
        content.hide_if_narrow(*captions)
        content.shorten_if_narrow(self.export)
        for widget in (self.model, self.speed, drag_out, step_button, self.export):
            content.hide_if_narrow(widget)
        self.addWidget(content)
        theme.set_icon(self.export, "export")

        self._timer = Delay(0, self._refresh, self)
        session_controller.frame.connect(self._soon)
        session_controller.status_changed.connect(self._soon)
        session_controller.source_changed.connect(self._on_source)
        session_controller.replay_changed.connect(self._on_source)
        self._refresh()

    def _on_source(self) -> None:
        """Show the speed of the present source."""
        replay = self._session_controller.replay
        replayed = replay is not None and self._session_controller.source == "replay"
        speed = (
            replay.speed
            if replayed and replay is not None
            else self._session_controller.session.speed
        )
        if speed != self.speed.speed:
            self.speed.blockSignals(True)
            self.speed.choose(speed)
            self.speed.blockSignals(False)
        self._soon()

    def _soon(self) -> None:
        """Refresh now, or once the present values have been shown for `REFRESH_S`."""
        if not self._timer.isActive():
            passed = time.perf_counter() - self._last
            self._timer.start(max(0, round(1000 * (REFRESH_S - passed))))

    def _refresh(self) -> None:
        self._last = time.perf_counter()
        snapshot = self._session_controller.displayed
        session = self._session_controller.session
        if snapshot is None:
            for value in (self.time, self.residual, self.iterations, self.unconverged):
                value.show_value("–", "dim")
        else:
            self.time.show_value(
                run_time(snapshot.time), "text" if self._session_controller.live else "accent"
            )
            if Fields.SOLVER in snapshot.valid:
                solver = snapshot.solver
                role = "good" if solver.residual <= CONVERGED else "warning"
                self.residual.show_value(f"{solver.residual:.1e}" if solver.residual else "0", role)
                self.iterations.show_value(f"{solver.iterations:.1f}")
                role = "warning" if solver.unconverged else "good"
                self.unconverged.show_value(f"{solver.unconverged:,}".replace(",", " "), role)
            else:
                for value in (self.residual, self.iterations, self.unconverged):
                    value.show_value("–", "dim")
        running = self._session_controller.running
        possible = session.possible_factor
        if not running or not possible:
            self.factor.show_value("–", "dim")
        else:
            alone = f"{possible:.0f}" if possible >= 10 else f"{possible:.1f}"
            self.factor.setToolTip(f"{_FACTOR_TIP}; the engine alone, without drawing: {alone}×")
            target_speed = session.speed
            slow = math.isfinite(target_speed) and session.real_time_factor < 0.9 * target_speed
            self.factor.show_value(f"{session.real_time_factor:.2f}", "warning" if slow else "text")
        if running:
            self._soon()


def _button(action: QAction, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setIconSize(QSize(18, 18))
    button.setFixedSize(theme.scaled(44), theme.scaled(34))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


_SEGMENTS: tuple[tuple[SourceKind, str, str], ...] = (
    ("simulation", "Simulation", "Show the simulation; a connected robot is not affected"),
    ("robot", "Robot", "Show the connected robot, or connect to one"),
    ("replay", "Replay", "Show a recorded run"),
)


class SourceBox(QFrame):
    """A switch with a segment for each kind of source.

    Parameters
    ----------
    switches : mapping of str to callable
        Switches to each kind of source.
    """

    def __init__(
        self,
        session_controller: SessionController,
        switches: Mapping[SourceKind, Callable[[], object]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._switches = switches
        self.setObjectName("source_box")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.scaled(34))
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(2)
        self.segments: dict[SourceKind, QToolButton] = {}
        group = QButtonGroup(self)
        for kind, text, tip in _SEGMENTS:
            segment = QToolButton(self)
            segment.setText(text)
            segment.setToolTip(tip)
            segment.setCheckable(True)
            segment.setFixedHeight(theme.scaled(30))
            segment.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            segment.clicked.connect(lambda _=False, kind=kind: self._choose(kind))
            group.addButton(segment)
            row.addWidget(segment)
            self.segments[kind] = segment
        session_controller.source_changed.connect(self._show)
        self._apply_style()
        theme.follow(self, SourceBox._apply_style)
        self._show()

    @property
    def source(self) -> str:
        """Name of the present source."""
        if self._session_controller.source == "simulation":
            return "Simulation"
        return f"{self._session_controller.source.capitalize()}: {self._session_controller.source_name}"

    def _apply_style(self) -> None:
        p = theme.current()
        self.setStyleSheet(
            f"#source_box {{ background: {p.ground}; border: 1px solid {p.line}; border-radius: 7px; }}"
            f"QToolButton {{ background: transparent; color: {p.dim}; border: 1px solid transparent;"
            f" padding: 2px 9px; }}"
            f"QToolButton:hover {{ color: {p.text}; }}"
            f"QToolButton:focus {{ border-color: {p.accent}; }}"
            f"QToolButton:checked {{ background: {p.accent}; color: {p.on_accent}; font-weight: 600; }}"
            f"QToolButton:checked:focus {{ border-color: {p.text}; }}"
        )

    def _choose(self, kind: SourceKind) -> None:
        if kind != self._session_controller.source:
            self._switches[kind]()
        self._show()  # the switch may have been cancelled

    def _show(self) -> None:
        self.segments[self._session_controller.source].setChecked(True)
        self.setAccessibleName(f"Source: {self.source}")
        self.setToolTip(self.source)
