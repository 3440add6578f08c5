"""The bar at the top: reset, play, step, speed, model, and the measured figures of the run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMenu, QToolBar, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.live_figure import Figure, FigureRow
from snakestudio.gui.forms.narrow_row import NarrowRow
from snakestudio.gui.runs.source_box import SourceBox
from snakestudio.gui.runs.speed_chooser import SpeedChooser
from snakestudio.gui.scene.model_box import ModelBox
from snakestudio.gui.shell.play_button import PlayButton
from snakestudio.model.snapshot import Fields
from snakestudio.viewmodel.sources import SourceKind

__all__ = ["CONVERGED", "RunBar"]

CONVERGED = 1e-8
"""Residual up to which a step counts as solved."""

_NARROWEST = 860
"""Width of the bar's least, px of the design: with a robot."""

REFRESH_S = 0.1
"""Figures change at most this often: faster ones cannot be read."""


class RunBar(QToolBar):
    """Buttons for the actions of the run, and what is measured.

    Parameters
    ----------
    bridge : SessionController
    document : Document
    reset, play, step : QAction
    exports : list of QAction
        What the export button offers.
    sources : mapping of str to callable
        What leads to each kind of source.
    robot : QWidget
        State and stop of the robot, at the end of the bar.
    """

    def __init__(
        self,
        bridge: SessionController,
        document: Document,
        reset: QAction,
        play: QAction,
        step: QAction,
        exports: list[QAction],
        sources: Mapping[SourceKind, Callable[[], object]],
        robot: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Run", parent)
        self._bridge = bridge
        self._last = 0.0
        self.setObjectName("run_bar")
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        content = NarrowRow(_NARROWEST, self)
        row = content.row
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        self.play = PlayButton(play, bridge, content)
        step_button = _button(step, content)
        for button in (_button(reset, content), self.play, step_button):
            row.addWidget(button)
        row.addSpacing(8)
        captions = QLabel("speed", content), QLabel("model", content)
        for caption in captions:
            caption.setProperty("role", "dim")
        row.addWidget(captions[0])
        self.speed = SpeedChooser(content)
        self.speed.chosen.connect(bridge.set_speed)
        row.addWidget(self.speed)
        row.addSpacing(8)
        row.addWidget(captions[1])
        self.model = ModelBox(document, short=True, parent=content)
        row.addWidget(self.model)
        row.addSpacing(16)
        self.time = Figure("time", "00000.000 s", "Simulated time of what is shown", content)
        self.factor = Figure(
            "real-time factor",
            "10.00 (max 000×)",
            "Simulated over real time, measured; in brackets what as fast as possible would give",
            content,
        )
        self.residual = Figure(
            "residual",
            "0.0e-00 ",
            "<qt><b>Residual of the contact problems</b>, the worst since the row before: by how much forces and "
            "velocities miss the laws of contact and friction, as a share of a link's weight. It is computed by code "
            "that does not know the solver. Green up to 1e-8, which counts as solved.</qt>",
            content,
        )
        self.iterations = Figure("iterations", "000.0", "Mean Newton iterations of the contact solver a step", content)
        self.unconverged = Figure(
            "unconverged",
            "0 000 000",
            "<qt><b>Steps of this run whose residual is above 1e-8.</b> They were taken with the best solution that "
            "was found; a step that cannot be solved at all stops the run. The plot Solver shows when they were.</qt>",
            content,
        )
        figures = self.time, self.residual, self.factor, self.unconverged, self.iterations
        row.addWidget(FigureRow(figures, content))
        row.addStretch(1)
        self.source = SourceBox(bridge, sources, content)
        row.addWidget(self.source)
        self.export = QToolButton(content)
        self.export.setText("Export")
        self.export.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setFixedHeight(theme.scaled(34))
        self.export.setToolTip("Write the run as numbers or as a video")
        menu = QMenu(self.export)
        menu.addActions(exports)
        self.export.setMenu(menu)
        row.addWidget(self.export)
        row.addWidget(robot)
        # All of these are in menus, too; the robot's stop and the choice of what is shown stay.
        content.give_up(*captions)
        content.give_up_text(self.export)
        content.give_up_by(self.play.make_room, lambda: self.play.spare)
        for given_up in (self.model, self.speed, step_button, self.export):
            content.give_up(given_up)
        self.addWidget(content)
        self.renew_theme()

        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._refresh)
        bridge.frame.connect(self._soon)
        bridge.status_changed.connect(self._soon)
        bridge.source_changed.connect(self._on_source)
        bridge.player_changed.connect(self._on_source)
        self._refresh()

    def renew_theme(self) -> None:
        """The palette is another one."""
        self.play.renew_theme()
        self.source.renew_theme()
        self.export.setIcon(theme.icon("export"))

    def _on_source(self) -> None:
        """The speed is that of what is shown."""
        player = self._bridge.player
        replayed = player is not None and self._bridge.source == "replay"
        speed = player.speed if replayed and player is not None else self._bridge.session.speed
        if speed != self.speed.speed:
            self.speed.blockSignals(True)
            self.speed.choose(speed)
            self.speed.blockSignals(False)
        self._soon()

    def _soon(self) -> None:
        """Refresh now, or when the figures have stood long enough to be read."""
        if not self._timer.isActive():
            passed = time.perf_counter() - self._last
            self._timer.start(max(0, round(1000 * (REFRESH_S - passed))))

    def _refresh(self) -> None:
        self._last = time.perf_counter()
        snapshot = self._bridge.displayed
        session = self._bridge.session
        if snapshot is None:
            for figure in (self.time, self.residual, self.iterations, self.unconverged):
                figure.show_value("–", "dim")
        else:
            self.time.show_value(f"{snapshot.time:.3f} s", "text" if self._bridge.live else "accent")
            if Fields.SOLVER in snapshot.valid:
                figures = snapshot.solver
                role = "good" if figures.residual <= CONVERGED else "warning"
                self.residual.show_value(f"{figures.residual:.1e}" if figures.residual else "0", role)
                self.iterations.show_value(f"{figures.iterations:.1f}")
                role = "warning" if figures.unconverged else "good"
                self.unconverged.show_value(f"{figures.unconverged:,}".replace(",", " "), role)
            else:
                for figure in (self.residual, self.iterations, self.unconverged):
                    figure.show_value("–", "dim")
        running = self._bridge.running
        possible = session.possible_factor
        if not running or not possible:
            self.factor.show_value("–", "dim")
        else:
            most = f" (max {possible:.0f}×)" if possible >= 10 else f" (max {possible:.1f}×)"
            wanted = session.speed
            slow = math.isfinite(wanted) and session.real_time_factor < 0.9 * wanted
            self.factor.show_value(f"{session.real_time_factor:.2f}{most}", "warning" if slow else "text")
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
