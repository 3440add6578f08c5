"""All parts of a window, constructed in the order of their dependencies; the window arranges them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from snakestudio.gui.core.overlaid_runs import OverlaidRuns
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.plot_docks import Panel, PlotDocks
from snakestudio.gui.plugins.plugin_controller import PluginController
from snakestudio.gui.plugins.stuck_notice import StuckNotice
from snakestudio.gui.remote.remote_control import RemoteControl
from snakestudio.gui.robot.bar_part import BarPart
from snakestudio.gui.robot.robot_feature import RobotFeature
from snakestudio.gui.robot.robot_overlay import RobotOverlay
from snakestudio.gui.robot.teleop.teleop_feature import TeleopFeature
from snakestudio.gui.robot.together.starter import StartTogether
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
from snakestudio.gui.shell.docking import Docks, DockSpec
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
from snakestudio.gui.viewport.corners import FocusFrame
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.edits import trimming_note
from snakestudio.model.scene import Scene
from snakestudio.runfile.library import RunLibrary
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
    docks : sequence of DockSpec
        In the order in which they are filled.
    plot_panel : callable
        Makes a plot panel, see `PlotDocks`.

    Signals
    -------
    closing()
        The window closes for good; threads that read files end now.
    """

    closing = Signal()
    action_registry: ActionRegistry
    robot_feature: RobotFeature

    def __init__(
        self,
        window: QMainWindow,
        settings: QSettings,
        commands: Sequence[Command[Any]],
        docks: Sequence[DockSpec[Any]],
        plot_panel: Callable[..., Panel],
    ) -> None:
        super().__init__(window)
        self.window: QWidget = window
        self.settings = settings
        self.document = document = Document(window)
        self.session_controller = session_controller = SessionController(
            document, window, new_run=lambda scene: self.run_archiver.new_run(scene)
        )
        self.selection = Selection(document, window)
        self._make_view()
        self._make_runs()
        self._make_analysis()
        self._show_other_runs()
        self.study = StudyFeature(self, lambda: self.robot_controller.movable)
        self.teleop_feature = TeleopFeature(
            self,
            self.viewport,
            self.viewport.free_range_above,
            lambda: self.action_registry.plain_keys(),
            lambda: self.trigger("teleop_mapping"),
        )
        self.plugins = PluginController(
            document,
            session_controller,
            self.banners.plugins,
            settings,
            window,
            lambda: self.robot_controller.movable,
            self.show_plugin_log,
        )
        self.streamer = Streamer(session_controller, self.banners.sharing, settings, window)
        self.remote = RemoteControl(self, self.banners.sharing)
        self.action_registry = table = ActionRegistry(commands, self, window)
        bar_part = BarPart(self.robot_controller)
        self.run_bar = RunBar(
            session_controller,
            document,
            table["reset"],
            table["play"],
            table["step"],
            [table["export_csv"], table["export_video"], table["screenshot"]],
            {
                "simulation": session_controller.close_run,
                "robot": lambda: self.robot_feature.show_robot(),
                "replay": self.open_runs.show_last,
            },
            bar_part,
            window,
        )
        self.time_bar.set_actions(table.__getitem__)
        self.status_bar = StatusBar(
            session_controller,
            document,
            lambda: self.robot_controller.status,
            self._background,
            window,
        )
        self.status_bar.insertPermanentWidget(1, StuckNotice(self.plugins, self.status_bar))
        self.plausibility_notice = PlausibilityNotice(
            session_controller, self.time_bar.track.show_time, self.status_bar
        )
        self.status_bar.insertPermanentWidget(1, self.plausibility_notice)
        self.docks = Docks(window, docks)
        self.plot_docks = PlotDocks(self, plot_panel, self.channel_library, self.overlaid.overlaid)
        plots = self.plot_docks.state, self.plot_docks.restore
        self.layouts = Layouts(window, self.docks, plots, self.banners.program, settings)
        self.focus_cycle = FocusCycle(
            self.docks, [self.viewport, self.time_bar], self.run_bar, window
        )
        self.help_controller = HelpController(self, window, self.viewport)
        self.robot_feature = RobotFeature(self, bar_part)
        self._connect()

    # --- what there is ----------------------------------------------------------------------------

    def _make_view(self) -> None:
        document = self.document
        session_controller = self.session_controller
        self.viewport = viewport = Viewport(document, session_controller, self.selection)
        self.obstacles = ObstacleCommands(
            document,
            self.selection,
            lambda: session_controller.displayed,
            lambda: viewport.navigator.camera.target[:2],
            lambda sentence: self.banners.edits.show_notice("info", sentence, passing=True),
            lambda x, y: viewport.rect().contains(viewport.pixel((x, y, 0.0)).toPoint()),
        )
        FocusFrame(viewport)
        viewport.drop.dropped.connect(lambda name, x, y: self.obstacles.add(name, (x, y)))
        self.time_bar = TimeBar(
            session_controller, document, camera=lambda: viewport.navigator.camera
        )
        self.banners = Banners(
            session_controller, lambda: document.scene, self.show_checks, self._apply_fix
        )

    def _make_runs(self) -> None:
        """Files, runs and robot."""
        document = self.document
        session_controller = self.session_controller
        banners = self.banners
        settings = self.settings
        window = self.window
        self.files = Files(document, banners.files, settings, window)
        self.open_runs = OpenRuns(
            document, session_controller, self.files.may_discard, banners.source, window
        )
        self.run_archiver = RunArchiver(
            RunLibrary(),
            document,
            session_controller,
            self.viewport,
            settings,
            window,
            lambda: self.robot_controller.movable,
        )
        self.robot_controller = RobotController(
            document, session_controller, self.run_archiver.new_run, parent=window
        )
        self.pinned_runs = PinnedRuns(window)
        self.document_recovery = DocumentRecovery(document, self.files, banners, settings, window)
        self.overlaid = OverlaidRuns(window)
        self.camera_keys = CameraKeys(
            document,
            session_controller,
            lambda: self.viewport.camera,
            self.viewport.navigator.animate_to,
            settings,
            window,
        )
        self.channel_library = ChannelLibrary(settings, window)
        self.exporter = Exporter(
            document,
            session_controller,
            self.viewport,
            banners.exports,
            settings,
            window,
            camera_path=lambda: self.camera_keys.path,
            overlaid=self.overlaid.overlaid,
            derived=lambda: {each.name: each.text for each in self.channel_library.derived},
        )
        self.start_together = StartTogether(
            document, session_controller, self.robot_controller, banners.together, settings, window
        )

    def _make_analysis(self) -> None:
        document = self.document
        window = self.window
        preparations = self.session_controller.session.preparations
        self.comparer = Comparer(document, window, preparations)
        self.chain_comparer = ChainComparer(document, window, preparations)
        self.step_checker = StepChecker(document, window, preparations)
        self.fitter = Fitter(document, window, preparations=preparations)
        self.experiments = Experiments(document, self.session_controller, window)
        self.experiment_files = ExperimentFiles(
            self.experiments, document, self.files, self.banners.files, self.settings, window
        )

    def _show_other_runs(self) -> None:
        """Update the overlaid runs in viewport and plots."""
        self.robot_overlay = RobotOverlay(
            self.robot_controller, self.session_controller, self.window
        )
        for source in (
            self.comparer,
            self.chain_comparer,
            self.experiments,
            self.fitter,
            self.pinned_runs,
            self.robot_overlay,
        ):
            self.overlaid.add(source)
        companions = self.viewport.companions
        companions.show_runs(
            OtherRuns(self.overlaid.ghosts, self.overlaid.names, self.experiments.tracks)
        )
        companions.show_robot(RobotState(self.robot_overlay.marks, self.robot_overlay.stale))
        self.robot_overlay.marks_changed.connect(self.viewport.show_marks)

    def _connect(self) -> None:
        session_controller = self.session_controller
        table = self.action_registry
        robot_controller = self.robot_controller
        for signal in (
            session_controller.status_changed,
            session_controller.recording_changed,
            session_controller.cursor_changed,
            session_controller.source_changed,
            session_controller.replay_changed,
            self.time_bar.track.moments.changed,
            self.document.title_changed,
            self.selection.changed,
            self.viewport.options.changed,
            self.viewport.tools.editor.options.changed,
            self.viewport.navigator.following_changed,
            self.viewport.buttons.projection_changed,
            self.exporter.changed,
            self.start_together.changed,
            self.teleop_feature.teleop.changed,
            robot_controller.changed,
            self.streamer.changed,
            self.remote.changed,
        ):
            signal.connect(table.refresh_soon)
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
        for signal in (
            self.comparer.shown_changed,
            self.chain_comparer.changed,
            self.fitter.shown_changed,
            self.experiments.shown_changed,
            self.pinned_runs.changed,
            self.robot_overlay.changed,
        ):
            signal.connect(self.overlaid.changed)
        # runs of the previous scene cannot be compared with another one
        self.document.opened.connect(self.pinned_runs.clear)
        self.experiment_files.imported.connect(lambda: self.show_dock("experiment"))
        self.overlaid.changed.connect(self.viewport.show_instant)
        self.overlaid.changed.connect(self.plot_docks.overlay)
        for changed in (self.streamer.changed, self.remote.changed):
            changed.connect(self.status_bar.refresh_soon)
        robot_controller.changed.connect(self.status_bar.refresh_soon)
        for signal in (robot_controller.changed, robot_controller.polled):
            signal.connect(self.study.check_robot)
        session_controller.recording_changed.connect(
            lambda: self.step_checker.annotate(session_controller.recording)
        )
        self.step_checker.finished.connect(
            lambda: self.step_checker.annotate(session_controller.recording)
        )
        self.viewport.frame_drawn.connect(self.status_bar.count_frame)
        self.viewport.fell_back.connect(
            lambda reason: self.banners.error(
                f"The 3D view is not available: {reason} A plain view is shown instead."
            )
        )
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
        for part in (
            self.plot_docks,
            self.comparer,
            self.chain_comparer,
            self.step_checker,
            self.fitter,
            self.experiment_files,
            self.experiments,
            self.exporter,
            self.start_together,
            self.document_recovery,
            self.study,
            self.teleop_feature,
            self.remote,
            self.streamer,
            self.plugins,
        ):
            part.close()
        self.time_bar.close_pictures()
        self.viewport.close_surface()
        self.pinned_runs.clear()
        self.closing.emit()
        self.session_controller.close()
        self.open_runs.close()

    def _on_edit(self) -> None:
        (
            self.action_registry.refresh_later
            if self.document.gesture_continues
            else self.action_registry.refresh_soon
        )()

    def _on_scene_changed(self, before: Scene | None, after: Scene) -> None:
        note = trimming_note(before, after) if before is not None else ""
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
        return [doing for doing in (self.streamer.doing, self.remote.doing) if doing]
