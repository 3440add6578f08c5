"""The main window: viewport and time bar in the middle, docks around them, and what holds them together."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QChildEvent, QEvent, QMargins, QRect, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QStyle, QTabBar, QVBoxLayout, QWidget

from snakestudio.gui.analysis.comparison.chain_comparer import ChainComparer
from snakestudio.gui.analysis.comparison.comparer import Comparer
from snakestudio.gui.analysis.experiment.experiments import Experiments
from snakestudio.gui.analysis.experiment.files import ExperimentFiles
from snakestudio.gui.analysis.fitting.fitter import Fitter
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.overlaid_runs import OverlaidRuns
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.forms.dock_title import DockTitle
from snakestudio.gui.plots.plot_docks import PlotDocks
from snakestudio.gui.robot.bar_part import BarPart
from snakestudio.gui.robot.controller import RobotControl
from snakestudio.gui.robot.fault_menu import FAULT_MENU
from snakestudio.gui.robot.robot_feature import RobotFeature
from snakestudio.gui.robot.teleop.teleop_feature import TeleopFeature
from snakestudio.gui.robot.together.starter import Starter
from snakestudio.gui.runs.exporting import Exporter
from snakestudio.gui.runs.opening import OpenRuns
from snakestudio.gui.runs.pinned_runs import PinnedRuns
from snakestudio.gui.runs.run_archiver import RunArchiver
from snakestudio.gui.runs.timeline.bar import TimeBar
from snakestudio.gui.runs.video.camera_keys import CameraKeys
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.gui.shell.actions import ActionRegistry
from snakestudio.gui.shell.dialogs import Dialogs
from snakestudio.gui.shell.docking import DOCKS, make_docks, size_docks
from snakestudio.gui.shell.document_recovery import DocumentRecovery
from snakestudio.gui.shell.dropping import accept_copy, take
from snakestudio.gui.shell.files import Files
from snakestudio.gui.shell.focus_cycle import FocusCycle
from snakestudio.gui.shell.help_controller import HelpController
from snakestudio.gui.shell.layouts import Layouts
from snakestudio.gui.shell.moving_menus import MovingMenus
from snakestudio.gui.shell.preparing_ahead import PreparingAhead
from snakestudio.gui.shell.run_bar import RunBar
from snakestudio.gui.shell.space_key_filter import SpaceKeyFilter
from snakestudio.gui.shell.status_bar import StatusBar
from snakestudio.gui.shell.tuning import Tuner, TuningOffer
from snakestudio.gui.viewport.focus_frame import FocusFrame
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.runfile.library import RunLibrary

__all__ = ["MainWindow", "placed_within"]

_FIRST = 1600, 1000
"""Width and height of the first window, px."""


class MainWindow(QMainWindow):
    """Everything on screen. `fill_docks` makes the panels once the window is there.

    Parameters
    ----------
    settings : QSettings, optional
        Where sizes, choices and recent files are kept; the user's if left out.

    Signals
    -------
    closing()
        The window closes for good: what is read in threads ends now.
    filled()
        All panels are there.
    """

    closing = Signal()
    filled = Signal()

    settings: QSettings
    document: Document
    bridge: SessionController
    selection: Selection
    viewport: Viewport
    obstacles: ObstacleCommands
    time_bar: TimeBar
    banners: Banners
    files: Files
    open_runs: OpenRuns
    keeper: RunArchiver
    ahead: PreparingAhead
    tuner: Tuner
    robot: RobotControl
    robot_in_window: RobotFeature
    beside: PinnedRuns
    dialogs: Dialogs
    safekeeping: DocumentRecovery
    exporter: Exporter
    comparer: Comparer
    chain_comparer: ChainComparer
    fitter: Fitter
    experiments: Experiments
    experiment_files: ExperimentFiles
    overlaid: OverlaidRuns
    together: Starter
    camera_keys: CameraKeys
    teleoperation: TeleopFeature
    actions_table: ActionRegistry
    run_bar: RunBar
    docks: dict[str, QDockWidget]
    guides: HelpController
    plot_docks: PlotDocks
    layouts: Layouts
    panes: FocusCycle

    def __init__(self, settings: QSettings | None = None) -> None:
        super().__init__()
        self.settings = settings or QSettings()
        self.setObjectName("main_window")
        self.setAcceptDrops(True)
        self.setWindowIcon(theme.icon("snakestudio"))
        self.document = Document(self)
        self.bridge = SessionController(self.document, self, new_run=lambda scene: self.keeper.new_run(scene))
        self.selection = Selection(self.document, self)
        self.viewport = Viewport(self.document, self.bridge, self.selection)
        self.obstacles = ObstacleCommands(
            self.document, self.selection, lambda: self.bridge.displayed,
            lambda: self.viewport.navigator.camera.target[:2], lambda sentence: self.banners.edits.say(
                "info", sentence, passing=True
            ),
            lambda x, y: self.viewport.rect().contains(self.viewport.pixel((x, y, 0.0)).toPoint()),
        )  # fmt: skip
        FocusFrame(self.viewport)
        self.time_bar = TimeBar(self.bridge, self.document)
        self.banners = Banners(self.bridge, lambda: self.document.scene, self.show_checks)
        self.files = Files(self.document, self.banners.files, self.settings, self)
        self.open_runs = OpenRuns(self.document, self.bridge, self.files, self.banners.source, self.settings, self)
        self.keeper = RunArchiver(RunLibrary(), self.document, self.bridge, self.viewport, self.settings, self)
        self.robot = RobotControl(self.document, self.bridge, self.keeper.new_run, parent=self)
        self.keeper.robot_waits = lambda: self.robot.movable
        self.beside = PinnedRuns(self)
        self.safekeeping = DocumentRecovery(self.document, self.files, self.banners, self.settings, self)
        self.exporter = Exporter(self.document, self.bridge, self.viewport, self.banners.exports, self.settings, self)
        self.comparer = Comparer(self.document, self)
        self.chain_comparer = ChainComparer(self.document, self)
        self.together = Starter(self.document, self.bridge, self.robot, self.banners.together, self.settings, self)
        self.fitter = Fitter(self.document, self)
        self.experiments = Experiments(self.document, self.bridge, self)
        self.experiment_files = ExperimentFiles(
            self.experiments, self.document, self.files, self.banners.files, self.settings, self
        )
        for waiting in (self.comparer, self.chain_comparer, self.fitter):
            waiting.preparations = self.bridge.session.preparations
        self.tuner = Tuner(self.settings, lambda: self.robot.connected, self._occupied, parent=self)
        self.ahead = PreparingAhead(
            self.bridge.session.preparations, self.settings,
            state=lambda: self.bridge.status.state, busy=self._computing, robot=lambda: self.robot.connected,
            recent=lambda: self.files.recent, parent=self,
        )  # fmt: skip
        self.overlaid = OverlaidRuns(self)
        for source in (self.comparer, self.chain_comparer, self.experiments, self.fitter, self.beside):
            self.overlaid.add(source)
        self.camera_keys = CameraKeys(
            self.document, self.bridge, lambda: self.viewport.camera, self.viewport.navigator.go, self.settings, self
        )
        self.exporter.overlaid, self.exporter.camera_path = self.overlaid.overlaid, lambda: self.camera_keys.path
        self.viewport.show_beside(self.overlaid.ghosts, self.overlaid.names, self.experiments.tracks)
        self.viewport.drop.dropped.connect(lambda name, x, y: self.obstacles.add(name, (x, y)))
        self.teleoperation = TeleopFeature(self)
        self.dialogs = Dialogs(self)
        TuningOffer(
            self.tuner, self.bridge, self.banners.program, lambda: self.robot.connected, self.dialogs.show_tuning, self
        )
        self.actions_table = ActionRegistry(self)
        table = self.actions_table
        self.run_bar = RunBar(
            self.bridge, self.document, table["reset"], table["play"], table["step"],
            [table["export_csv"], table["export_video"], table["screenshot"]],
            {
                "simulation": self.bridge.close_run, "robot": lambda: self.robot_in_window.show_robot(),
                "replay": self.open_runs.show_last,
            },
            BarPart(self.robot), self,
        )  # fmt: skip
        self.time_bar.set_actions(table.__getitem__)
        self.time_bar.track.thumbnails.camera = lambda: self.viewport.navigator.camera
        self._to_fill = list(DOCKS)
        self._default_layout = False
        self._space_keeper = SpaceKeyFilter(self)

        self.addToolBar(self.run_bar)
        middle = QWidget(self)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.viewport, 1)
        column.addWidget(self.time_bar)
        self.banners.lie_over(self.viewport)
        self.setCentralWidget(middle)
        middle.addActions(table.local)
        self._status_bar = StatusBar(self.bridge, self.document, self)
        self._status_bar.ahead = lambda: self.ahead.doing
        self.ahead.changed.connect(self._status_bar.refresh_soon)
        self.robot.changed.connect(
            self.ahead.look
        )  # beside a robot nothing is prepared ahead, from the first moment on
        self.robot.changed.connect(self.tuner.look)
        self.bridge.status_changed.connect(self.tuner.look)
        self.tuner.began.connect(self.bridge.session.preparations.stop_ahead)
        self.setStatusBar(self._status_bar)
        self.docks = make_docks(self)
        self.plot_docks = PlotDocks(self)
        self.guides = HelpController(self)
        self.layouts = Layouts(self, self.banners.program)
        self.panes = FocusCycle(self)
        self.robot_in_window = RobotFeature(self)
        self._make_menus()
        table.renew_theme()
        self._connect()
        self._restore()
        self._show_title()
        table.refresh()
        self.viewport.setFocus()

    def _make_menus(self) -> None:
        self.actions_table.fill(self.menuBar())
        MovingMenus(self)
        self.robot_in_window.make_faults(self.actions_table.menus[FAULT_MENU])
        self.actions_table.menus["View/Panels"].addActions([dock.toggleViewAction() for dock in self.docks.values()])
        self._name = QLabel(self)
        self._name.setProperty("role", "dim")
        self._name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._name.setFixedWidth(theme.scaled(420))
        self._name.setContentsMargins(0, 4, 16, 0)
        self.menuBar().setCornerWidget(self._name, Qt.Corner.TopRightCorner)

    def _connect(self) -> None:
        refresh = self.actions_table.refresh_soon
        for signal in (
            self.bridge.status_changed,
            self.bridge.recording_changed,
            self.bridge.cursor_changed,
            self.bridge.source_changed,
            self.bridge.player_changed,
            self.time_bar.track.moments.changed,
            self.document.title_changed,
            self.selection.changed,
            self.viewport.options.changed,
            self.viewport.editor.options.changed,
            self.viewport.navigator.following_changed,
            self.exporter.changed,
            self.together.changed,
            self.teleoperation.teleop.changed,
        ):
            signal.connect(refresh)
        self.document.scene_changed.connect(self._on_edit)
        self.document.undo_stack.indexChanged.connect(self._on_edit)
        self.viewport.buttons.projection_changed.connect(refresh)
        for signal in (
            self.comparer.shown_changed, self.chain_comparer.changed, self.fitter.shown_changed,
            self.experiments.shown_changed, self.beside.changed,
        ):  # fmt: skip
            signal.connect(self.overlaid.changed)
        self.document.opened.connect(self.beside.clear)  # runs of the scene before mean nothing beside another
        self.experiment_files.imported.connect(self.show_experiment)
        self.overlaid.changed.connect(self.viewport.show_instant)
        for signal in (self.bridge.status_changed, self.bridge.source_changed, self.bridge.player_changed):
            signal.connect(self._dress_play)
        self.document.title_changed.connect(self._show_title)
        self.viewport.frame_drawn.connect(self._status_bar.count_frame)
        self.viewport.fell_back.connect(
            lambda reason: self.banners.error(f"The 3D view is not available: {reason} A plain view is shown instead.")
        )

    # --- the docks ------------------------------------------------------------------------------------------------

    def _on_edit(self) -> None:
        (self.actions_table.refresh_later if self.document.going_on else self.actions_table.refresh_soon)()

    def fill_docks(self) -> None:
        """Make the content of the docks one after the other, so that the window answers in between."""
        if not self._to_fill:
            self.filled.emit()
            return
        spec = self._to_fill.pop(0)
        dock = self.docks[spec.name]
        placeholder = dock.widget()
        dock.setWidget(spec.make(self))
        if placeholder is not None:
            placeholder.deleteLater()
        QTimer.singleShot(15, self.fill_docks)

    @property
    def docks_filled(self) -> bool:
        """Whether all panels are there."""
        return not self._to_fill

    @property
    def arranging(self) -> bool:
        """Whether panels have title bars to move and close them by."""
        return self._arranging

    def set_arranging(self, arranging: bool) -> None:
        """Give the panels title bars to move and close them by, or take them away."""
        self._arranging = arranging
        for title in self.findChildren(DockTitle):
            title.set_arranging(arranging)

    def show_dock(self, name: str) -> None:
        """Bring up a panel."""
        self.docks[name].show()
        self.docks[name].raise_()

    def show_checks(self) -> None:
        """Bring up what is wrong with the scene."""
        self.show_dock("checks")

    def show_experiment(self) -> None:
        """Bring up the panel of measured trials."""
        self.show_dock("experiment")

    # --- commands -------------------------------------------------------------------------------------------------

    def step(self, n_steps: int | None = None) -> None:
        """Go on by some time steps (a control period if not said), from the newest state; by a row of an opened run."""
        if self.bridge.source == "replay":
            self.time_bar.track.shift(1)
            return
        self.bridge.set_cursor(None)
        self.bridge.session.step(n_steps)

    def reset(self) -> None:
        """Back to the start of the run."""
        if self.bridge.source == "replay":
            self.bridge.pause_recorded()
            self.bridge.set_cursor(0)
            return
        self.bridge.set_cursor(None)
        self.bridge.session.reset()

    def toggle_theme(self) -> None:
        """Light instead of dark, or the other way round."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, "dark" if theme.current() is theme.LIGHT else "light")
        self.settings.setValue("theme", theme.current().name)
        self.actions_table.renew_theme()
        self._dress_play()
        for part in (
            self.run_bar, self.robot_in_window, self.time_bar, self.viewport, self.comparer, self.fitter,
            self.experiments, self.beside,
        ):  # fmt: skip
            part.renew_theme()
        for title in self.findChildren(DockTitle):
            title.renew_theme()

    def _computing(self) -> bool:
        """Whether something takes processor time that somebody waits for."""
        jobs = self.comparer, self.chain_comparer, self.fitter, self.exporter, self.tuner
        return self.bridge.playing or any(job.busy for job in jobs)

    def _occupied(self) -> str:
        """Why this is no moment to measure how fast engines are, in a sentence; empty if it is one."""
        if self.bridge.status.state == "running":
            return "The simulation is running: pause it to measure."
        if self.bridge.status.state == "preparing":
            return "An engine is being prepared: measure when it is ready."
        return "Something else is being computed: measure when it is done." if self._computing() else ""

    # --- what is shown --------------------------------------------------------------------------------------------

    def _show_title(self) -> None:
        edited = " • edited" if self.document.dirty else ""
        self._name.setText(f"{self.document.title}{edited}")
        self.setWindowTitle(f"{self.document.title}[*] – SnakeStudio")
        self.setWindowModified(self.document.dirty)

    def _dress_play(self) -> None:
        moving = self.bridge.moving
        self.actions_table["play"].setIcon(theme.icon("pause" if moving else "play", "on_accent"))
        recorded = "pause-recorded" if self.bridge.playing else "play-recorded"
        self.actions_table["play_recorded"].setIcon(theme.icon(recorded))

    def tell_internal_error(self, sentence: str) -> None:
        """A defect of the program showed: say so instead of dying silently."""
        self.banners.error(sentence)

    # --- window ---------------------------------------------------------------------------------------------------

    def _restore(self) -> None:
        self.viewport.options.load(self.settings)
        self.viewport.editor.options.load(self.settings)
        self._dress_play()
        geometry = self.settings.value("window/geometry")
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            room = QGuiApplication.primaryScreen().availableGeometry()
            title = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
            self.resize(min(_FIRST[0], room.width()), min(_FIRST[1], room.height() - title))
        self._arranging = False
        self._default_layout = not self.layouts.restore_last()
        self.set_arranging(False)

    def showEvent(self, event: QShowEvent) -> None:
        first, self._default_layout = self._default_layout, False
        if first:
            size_docks(self, self.docks)
        if not event.spontaneous():
            QTimer.singleShot(0, self, lambda: self._respect_frame(first))  # the frame comes with the window

    def _respect_frame(self, first: bool) -> None:
        """Stay on the screen with title and borders; a window that fills it does so already."""
        if self.windowState() & (Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen):
            return
        wanted = placed_within(self.geometry(), self.screen().availableGeometry(), self.windowHandle().frameMargins())
        if wanted != self.geometry():
            self.setGeometry(wanted)
            if first:
                size_docks(self, self.docks)

    def _store(self) -> None:
        self.viewport.options.save(self.settings)
        self.viewport.editor.options.save(self.settings)
        self.settings.setValue("window/geometry", self.saveGeometry())
        self.layouts.store_last()
        self.settings.sync()

    def childEvent(self, event: QChildEvent) -> None:
        bar = event.child()
        if event.type() == QEvent.Type.ChildPolished and isinstance(bar, QTabBar):
            bar.setUsesScrollButtons(False)  # titles that do not all fit are shortened, and none is out of sight
        super().childEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.robot_in_window.may_close() or not self.files.may_discard():
            event.ignore()
            return
        self.robot_in_window.close()
        self._to_fill.clear()
        self._store()
        for part in (
            self.ahead, self.tuner, self.plot_docks, self.comparer, self.chain_comparer, self.fitter,
            self.experiment_files, self.experiments, self.exporter, self.together, self.safekeeping,
            self.teleoperation,
        ):  # fmt: skip
            part.close()
        self.time_bar.close_pictures()
        self.viewport.close_surface()
        self.beside.clear()
        self.closing.emit()
        self.bridge.close()
        self.open_runs.close()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A key for which nothing has a use goes to the viewport if the mouse is over it."""
        event.ignore()
        if not self.viewport.underMouse() or self.viewport.hasFocus():
            return
        keys = QKeySequence(event.keyCombination())
        action = next((each for each in self.actions_table.local if keys in each.shortcuts()), None)
        if action is not None and action.isEnabled():
            self.viewport.setFocus()
            action.trigger()
            event.accept()
        elif action is None and self.viewport.tools.wants(event):
            self.viewport.setFocus()
            self.viewport.keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        accept_copy(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        path = accept_copy(event)
        if path is None:
            return
        # A question about unsaved changes must not hold up the program the file came from.
        QTimer.singleShot(0, self, lambda: take(self, path))


def placed_within(window: QRect, screen: QRect, frame: QMargins) -> QRect:
    """Where a window (without its frame) goes so that it is on a screen with its frame, no smaller than it must."""
    room = screen.marginsRemoved(frame)
    width, height = min(window.width(), room.width()), min(window.height(), room.height())
    left = min(max(window.x(), room.x()), room.x() + room.width() - width)
    top = min(max(window.y(), room.y()), room.y() + room.height() - height)
    return QRect(left, top, width, height)
