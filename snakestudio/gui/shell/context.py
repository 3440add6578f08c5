"""All parts of a window: those of the document, those that the features make, and the shell around them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from snakestudio.errors import Fix, SnakeStudioError
from snakestudio.gui.analysis.comparison.chain_comparer import ChainComparer
from snakestudio.gui.analysis.comparison.comparer import Comparer
from snakestudio.gui.analysis.comparison.step_checker import StepChecker, Subject
from snakestudio.gui.analysis.experiment.experiments import Experiments
from snakestudio.gui.analysis.experiment.files import ExperimentFiles
from snakestudio.gui.analysis.fitting.fitter import Fitter
from snakestudio.gui.core import theme
from snakestudio.gui.core.command import Command
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.feature import Feature, docks_of
from snakestudio.gui.core.overlaid_runs import OverlaidRuns
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.plot_docks import PlotDocks
from snakestudio.gui.plugins.plugin_controller import PluginController
from snakestudio.gui.remote.remote_control import RemoteControl
from snakestudio.gui.robot.bar_part import BarPart
from snakestudio.gui.robot.robot_feature import RobotFeature
from snakestudio.gui.robot.robot_overlay import RobotOverlay
from snakestudio.gui.robot.teleop.teleop_feature import TeleopFeature
from snakestudio.gui.robot.together.starter import StartTogether
from snakestudio.gui.runs.drag_out import DragOutButton
from snakestudio.gui.runs.exporting import Exporter
from snakestudio.gui.runs.opening import RUN_SUFFIX, OpenRuns
from snakestudio.gui.runs.pinned_runs import PinnedRuns
from snakestudio.gui.runs.plausibility_notice import PlausibilityNotice
from snakestudio.gui.runs.run_archiver import RunArchiver
from snakestudio.gui.runs.speed_chooser import SpeedChooser
from snakestudio.gui.runs.timeline.bar import TimeBar
from snakestudio.gui.runs.video.camera_keys import CameraKeys
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.gui.shell.actions import ActionRegistry
from snakestudio.gui.shell.docking import Docks
from snakestudio.gui.shell.document_recovery import DocumentRecovery
from snakestudio.gui.shell.files import Files
from snakestudio.gui.shell.focus_cycle import FocusCycle
from snakestudio.gui.shell.help_controller import HelpController
from snakestudio.gui.shell.layouts import Layouts
from snakestudio.gui.shell.run_bar import RunBar
from snakestudio.gui.shell.status_bar import StatusBar
from snakestudio.gui.streaming.streamer import Streamer
from snakestudio.gui.study.feature import StudyFeature
from snakestudio.gui.viewport.companions import OtherRuns, RobotState
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.edits import trimming_note
from snakestudio.model.scene import Scene
from snakestudio.study.study_file import is_study

THEME = Setting("theme", "dark", "Theme", "Colours of the window", choices=("dark", "light"))

_LOG_HEIGHT = 300
"""Height at which a traceback is readable, px of the design."""


class Context(QObject):
    """The parts of one window. Each command and each part declares in a protocol which of them it needs.

    Parameters
    ----------
    settings : QSettings
        Storage of sizes, options and recent files.
    commands : sequence of Command
        In the order of the menus.
    features : sequence of Feature
        In the order in which they are made.

    Signals
    -------
    closing(), closed()
        The window closes for good; threads that read files end now. The session has ended, too.
    """

    closing = Signal()
    closed = Signal()

    # the parts that the features make
    viewport: Viewport
    obstacles: ObstacleCommands
    channel_library: ChannelLibrary
    plot_docks: PlotDocks
    comparer: Comparer
    chain_comparer: ChainComparer
    step_checker: StepChecker
    fitter: Fitter
    experiments: Experiments
    experiment_files: ExperimentFiles
    study: StudyFeature
    time_bar: TimeBar
    open_runs: OpenRuns
    run_archiver: RunArchiver
    pinned_runs: PinnedRuns
    camera_keys: CameraKeys
    exporter: Exporter
    drag_out: DragOutButton
    plausibility_notice: PlausibilityNotice
    robot_controller: RobotController
    start_together: StartTogether
    robot_overlay: RobotOverlay
    teleop_feature: TeleopFeature
    bar_part: BarPart
    robot_feature: RobotFeature
    plugins: PluginController
    streamer: Streamer
    remote: RemoteControl

    def __init__(
        self,
        window: QMainWindow,
        settings: QSettings,
        commands: Sequence[Command[Any]],
        features: Sequence[Feature[Any]],
    ) -> None:
        super().__init__(window)
        self.window: QWidget = window
        self.settings = settings
        self.features = features
        self.document = document = Document(window)
        self.session_controller = session_controller = SessionController(
            document, window, new_run=lambda scene: self.run_archiver.new_run(scene)
        )
        self.selection = Selection(document, window)
        self.overlaid = OverlaidRuns(window)
        self.banners = Banners(
            session_controller, lambda: document.scene, self.show_checks, self._apply_fix
        )
        self.files = Files(document, self.banners.files, settings, window)
        self.status_bar = StatusBar(
            session_controller,
            document,
            lambda: self.robot_controller.status,
            self._background,
            window,
        )
        self.docks = Docks(window, docks_of(features))
        self.action_registry = ActionRegistry(commands, self, window)
        for feature in features:
            for name, part in feature.make(self):
                setattr(self, name, part)
        self._make_shell(window)
        for feature in features:
            for source, changed in feature.overlays(self):
                self.overlaid.add(source)
                changed.connect(self.overlaid.changed)
            for changed in feature.changes(self):
                changed.connect(self.action_registry.refresh_soon)
                changed.connect(self.status_bar.refresh_soon)
        self._connect()

    def _make_shell(self, window: QMainWindow) -> None:
        """Make the parts around the features: bars, layouts, recovery and help."""
        table = self.action_registry
        self.document_recovery = DocumentRecovery(
            self.document, self.files, self.banners, self.settings, window
        )
        self.run_bar = RunBar(
            self.session_controller,
            self.document,
            table["reset"],
            table["play"],
            table["step"],
            [table["export_csv"], table["export_video"], table["screenshot"]],
            {
                "simulation": self.session_controller.close_run,
                "robot": lambda: self.robot_feature.show_robot(),
                "replay": self.open_runs.show_last,
            },
            self.drag_out,
            self.bar_part,
            window,
        )
        self.time_bar.set_actions(table.__getitem__)
        plots = self.plot_docks.state, self.plot_docks.restore
        self.layouts = Layouts(window, self.docks, plots, self.banners.program, self.settings)
        self.focus_cycle = FocusCycle(
            self.docks, [self.viewport, self.time_bar], self.run_bar, window
        )
        self.help_controller = HelpController(self, window, self.viewport)

    def _connect(self) -> None:
        """Connect the document, the session, and features with each other."""
        session_controller = self.session_controller
        viewport = self.viewport
        for signal in (
            session_controller.status_changed,
            session_controller.recording_changed,
            session_controller.cursor_changed,
            session_controller.source_changed,
            session_controller.replay_changed,
            self.document.title_changed,
            self.selection.changed,
        ):
            signal.connect(self.action_registry.refresh_soon)
        self.document.scene_changed.connect(self._on_edit)
        self.document.scene_changed.connect(self._on_scene_changed)
        self.document.undo_stack.indexChanged.connect(self._on_edit)
        for signal in (
            session_controller.status_changed,
            session_controller.source_changed,
            session_controller.replay_changed,
        ):
            signal.connect(self.update_play_icons)
        theme.follow(self, Context.update_play_icons)
        self.overlaid.changed.connect(viewport.show_instant)
        viewport.companions.show_runs(
            OtherRuns(self.overlaid.ghosts, self.overlaid.names, self.experiments.tracks)
        )
        viewport.companions.show_robot(
            RobotState(self.robot_overlay.marks, self.robot_overlay.stale)
        )
        viewport.frame_drawn.connect(self.status_bar.count_frame)
        viewport.fell_back.connect(
            lambda reason: self.banners.error(
                f"The 3D view is not available: {reason} A plain view is shown instead."
            )
        )
        self.robot_overlay.marks_changed.connect(viewport.show_marks)
        for signal in (self.robot_controller.changed, self.robot_controller.polled):
            signal.connect(self.study.check_robot)
        self.robot_feature.connected_changed.connect(self._on_robot)

    # --- what parts ask for -----------------------------------------------------------------------

    def show_dock(self, name: str) -> bool:
        """Show a panel; return whether it was hidden."""
        return self.docks.show(name)

    def show_checks(self) -> None:
        """Show the list of problems, high enough to be read, at the first of them."""
        from snakestudio.gui.scene.checks import Checks

        self.show_dock("checks")
        checks = self.docks["checks"].widget()
        if isinstance(checks, Checks):
            self.docks.ensure_height(
                "checks",
                checks.height_of_problems + self.docks["checks"].height() - checks.height(),
            )
            checks.show_first()

    def show_plugin_log(self) -> None:
        """Show the plug-in log, high enough to be read."""
        self.show_dock("plugin_log")
        self.docks.ensure_height("plugin_log", theme.scaled(_LOG_HEIGHT))

    def _apply_fix(self, fix: Fix) -> None:
        try:
            self.document.apply_fix(fix)
        except SnakeStudioError as error:
            self.banners.edits.show_notice("warning", str(error))

    def trigger(self, command: str) -> None:
        """Run a command as its menu entry would; one that blocks the window is refused while a robot could move."""
        self.action_registry[command].trigger()

    @property
    def speed(self) -> SpeedChooser:
        """The chooser of the simulation speed."""
        return self.run_bar.speed

    def open_file(self, path: Path) -> None:
        """Open or import a file according to its type."""
        if path.suffix.lower() == RUN_SUFFIX:
            self.open_runs.open(path)
        elif path.suffix.lower() == ".toml" and is_study(path):
            self.study.open(path)
        else:
            self.experiment_files.open_dropped(path)

    def show_step_dialog(self) -> None:
        """Show the dialog of the time step check."""
        from snakestudio.gui.analysis.comparison.step_dialog import StepDialog

        dialog = self.window.findChild(StepDialog) or StepDialog(
            self.step_checker, self.exporter, self.window
        )
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def check_step_size(self, scene: Scene, base_dir: Path, name: str) -> None:
        """Check the time step of a scene that is not open in the window, and show the result."""
        self.step_checker.check(Subject(scene, base_dir, name, own=False))
        self.show_step_dialog()

    def toggle_theme(self) -> None:
        """Switch between light and dark theme."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.window.repaint()  # the switch takes a while, during which a closed menu or palette must not stay visible
        theme.apply(app, "dark" if theme.current() is theme.LIGHT else "light")
        THEME.store(self.settings, theme.current().name)

    def update_play_icons(self) -> None:
        """Update the play buttons to whether something plays."""
        moving = self.session_controller.moving
        self.action_registry["play"].setIcon(theme.icon("pause" if moving else "play", "on_accent"))
        recorded = "pause-recorded" if self.session_controller.playing else "play-recorded"
        self.action_registry["play_recorded"].setIcon(theme.icon(recorded))

    def close(self) -> None:
        """Release all parts; called when the window closes for good."""
        self.document_recovery.close()
        for feature in reversed(self.features):
            feature.close(self)
        self.closing.emit()
        self.session_controller.close()
        self.closed.emit()

    def _on_edit(self) -> None:
        (
            self.action_registry.refresh_later
            if self.document.gesture_continues
            else self.action_registry.refresh_soon
        )()

    def _on_scene_changed(self, before: Scene, after: Scene) -> None:
        note = trimming_note(before, after)
        if note:
            self.banners.edits.show_notice("info", note, passing=True)

    def _on_robot(self, connected: bool) -> None:
        self.action_registry.assign_space_key("stop_robot" if connected else "play")
        if not connected:
            for name in self.robot_feature.opened_docks:
                self.docks[name].hide()
            self.robot_feature.opened_docks.clear()
            for name in ("plots", "parameters"):  # those of the robot were in front of them
                self.docks[name].raise_()

    def _background(self) -> list[str]:
        """Return short descriptions of the work in the background."""
        return [doing for feature in self.features if (doing := feature.background(self))]
