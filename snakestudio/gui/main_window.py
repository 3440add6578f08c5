"""The main window: viewport and time bar in the middle, docks around them, and what holds them together."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QMessageBox, QVBoxLayout, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui import theme
from snakestudio.gui.actions import Actions
from snakestudio.gui.banner import Banners
from snakestudio.gui.bridge import SessionBridge
from snakestudio.gui.comparison.chain_comparer import ChainComparer
from snakestudio.gui.comparison.comparer import Comparer
from snakestudio.gui.dock_title import DockTitle
from snakestudio.gui.docking import DOCKS, make_docks, size_docks
from snakestudio.gui.docks.obstacle_commands import ObstacleCommands
from snakestudio.gui.document import Document
from snakestudio.gui.exporting import Exporter
from snakestudio.gui.files import Files
from snakestudio.gui.guides import Guides
from snakestudio.gui.layouts import Layouts
from snakestudio.gui.moving_menus import MovingMenus
from snakestudio.gui.overlaid_runs import OverlaidRuns
from snakestudio.gui.panes import Panes
from snakestudio.gui.run_bar import RunBar
from snakestudio.gui.safekeeping import Safekeeping
from snakestudio.gui.selection import Selection
from snakestudio.gui.space_keeper import SpaceKeeper
from snakestudio.gui.status_bar import StatusBar
from snakestudio.gui.time_bar import TimeBar
from snakestudio.gui.video.camera_keys import CameraKeys
from snakestudio.gui.viewport.focus_frame import FocusFrame
from snakestudio.gui.viewport.viewport import Viewport

__all__ = ["MainWindow"]


class MainWindow(QMainWindow):
    """Everything on screen. `fill_docks` makes the panels once the window is there.

    Parameters
    ----------
    settings : QSettings, optional
        Where sizes, choices and recent files are kept; the user's if left out.
    """

    settings: QSettings
    document: Document
    bridge: SessionBridge
    selection: Selection
    viewport: Viewport
    obstacles: ObstacleCommands
    time_bar: TimeBar
    banners: Banners
    files: Files
    safekeeping: Safekeeping
    exporter: Exporter
    comparer: Comparer
    chain_comparer: ChainComparer
    overlaid: OverlaidRuns
    camera_keys: CameraKeys
    actions_table: Actions
    run_bar: RunBar
    docks: dict[str, QDockWidget]
    guides: Guides
    layouts: Layouts
    panes: Panes

    def __init__(self, settings: QSettings | None = None) -> None:
        super().__init__()
        self.settings = settings or QSettings()
        self.setObjectName("main_window")
        self.setAcceptDrops(True)
        self.setWindowIcon(theme.icon("snakestudio"))
        self.document = Document(self)
        self.bridge = SessionBridge(self.document, self)
        self.selection = Selection(self.document, self)
        self.viewport = Viewport(self.document, self.bridge, self.selection)
        self.obstacles = ObstacleCommands(
            self.document, self.selection, lambda: self.bridge.displayed,
            lambda: self.viewport.navigator.camera.target[:2], lambda sentence: self.banners.edits.say(
                "info", sentence, passing=True
            ),
        )  # fmt: skip
        FocusFrame(self.viewport)
        self.time_bar = TimeBar(self.bridge, self.document)
        self.banners = Banners(self.bridge, lambda: self.document.scene, self.show_checks)
        self.files = Files(self.document, self.banners.files, self.settings, self)
        self.safekeeping = Safekeeping(self.document, self.files, self.banners, self.settings, self)
        self.exporter = Exporter(self.document, self.bridge, self.viewport, self.banners.exports, self.settings, self)
        self.comparer = Comparer(self.document, self)
        self.chain_comparer = ChainComparer(self.document, self)
        self.overlaid = OverlaidRuns(self)
        for source in (self.comparer, self.chain_comparer):
            self.overlaid.add(source)
        self.camera_keys = CameraKeys(self.document, self.bridge, self.viewport.navigator, self.settings, self)
        self.exporter.overlaid, self.exporter.camera_path = self.overlaid.overlaid, lambda: self.camera_keys.path
        self.viewport.ghosts, self.viewport.ghost_names = self.overlaid.ghosts, self.overlaid.names
        self.viewport.drop.dropped.connect(lambda name, x, y: self.obstacles.add(name, (x, y)))
        self.actions_table = Actions(self)
        table = self.actions_table
        self.run_bar = RunBar(
            self.bridge, self.document, table["reset"], table["play"], table["step"],
            [table["export_csv"], table["export_video"], table["screenshot"]], self,
        )  # fmt: skip
        self._to_fill = list(DOCKS)
        self._default_layout = False
        self._space_keeper = SpaceKeeper(self)

        self.addToolBar(self.run_bar)
        middle = QWidget(self)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banners)
        column.addWidget(self.viewport, 1)
        column.addWidget(self.time_bar)
        self.setCentralWidget(middle)
        middle.addActions(table.local)
        self._status_bar = StatusBar(self.bridge, self.document, self)
        self.setStatusBar(self._status_bar)
        self.docks = make_docks(self)
        self.guides = Guides(self)
        self.layouts = Layouts(self, self.banners.program)
        self.panes = Panes(self)
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
            self.document.scene_changed,
            self.document.title_changed,
            self.document.undo_stack.indexChanged,
            self.selection.changed,
            self.viewport.options.changed,
            self.viewport.editor.options.changed,
            self.viewport.navigator.following_changed,
            self.exporter.changed,
        ):
            signal.connect(refresh)
        self.viewport.buttons.projection_changed.connect(refresh)
        self.comparer.shown_changed.connect(self.overlaid.changed)
        self.chain_comparer.changed.connect(self.overlaid.changed)
        self.overlaid.changed.connect(self.viewport.show_instant)
        self.bridge.status_changed.connect(self._dress_play)
        self.document.title_changed.connect(self._show_title)
        self.viewport.frame_drawn.connect(self._status_bar.count_frame)
        self.viewport.fell_back.connect(
            lambda reason: self.banners.error(f"The 3D view is not available: {reason} A plain view is shown instead.")
        )

    # --- the docks ------------------------------------------------------------------------------------------------

    def fill_docks(self) -> None:
        """Make the content of the docks one after the other, so that the window answers in between."""
        if not self._to_fill:
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

    def show_comparison(self) -> None:
        """Bring up the panel that compares models."""
        self.show_dock("comparison")

    def show_array(self) -> None:
        """Bring up the window that makes arrays of obstacles."""
        from snakestudio.gui.array_dialog import ArrayDialog

        dialog = self.findChild(ArrayDialog)
        if dialog is None:
            dialog = ArrayDialog(self.document, self.selection, self.obstacles, self.viewport.preview, self)
            corner = self.viewport.mapToGlobal(self.viewport.rect().topRight())
            dialog.move(corner.x() - dialog.sizeHint().width() - 12, corner.y() + 56)  # beside what it makes
        dialog.show()
        dialog.raise_()

    def rename_selected(self) -> None:
        """Let another name be typed for what is selected, in the tree."""
        from snakestudio.gui.docks.scene_tree import SceneTree

        tree = self.findChild(SceneTree)
        if tree is not None:
            self.show_dock("scene")
            tree.rename()

    def show_chain(self) -> None:
        """Bring up the window that holds chains of links against a continuous body."""
        from snakestudio.gui.comparison.chain_dialog import ChainDialog

        dialog = self.findChild(ChainDialog)
        if dialog is None:
            dialog = ChainDialog(self.chain_comparer, self._shown_time, self)
        dialog.show()
        dialog.raise_()

    def _shown_time(self) -> float:
        displayed = self.bridge.displayed
        return 0.0 if displayed is None else displayed.time

    def show_camera_keys(self) -> None:
        """Bring up the list of camera keyframes."""
        from snakestudio.gui.video.camera_dialog import CameraDialog

        CameraDialog.shown(self.camera_keys, self)

    def add_camera_key(self) -> None:
        """Set a camera keyframe at the shown moment."""
        time = self.camera_keys.add()
        if time is not None:
            count = len(self.camera_keys.path.keys)
            text = f"Camera keyframe at {time:.3f} s; there are {count} now." if count > 1 else (
                f"Camera keyframe at {time:.3f} s. Add another at another moment, and the camera moves between them."
            )  # fmt: skip
            self.banners.exports.say("info", text, [("Show Keyframes", self.show_camera_keys)], passing=True)

    def make_continuum(self) -> None:
        """Let a continuous body take the chain's place that moves as its gait says: one undo step."""
        from snakestudio.model.strain_fit import as_continuum

        try:
            made = as_continuum(self.document.scene, self.document.base_dir)
        except SnakeStudioError as error:
            QMessageBox.warning(self, "Make Continuum Scene from Gait", str(error))
        else:
            self.document.edit(made, "Make continuum scene from gait")

    # --- commands -------------------------------------------------------------------------------------------------

    def step(self, n_steps: int | None = None) -> None:
        """Go on by some time steps (a control period if not said how many), from the newest state."""
        self.bridge.set_cursor(None)
        self.bridge.session.step(n_steps)

    def reset(self) -> None:
        """Back to the start of the run."""
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
        self.run_bar.renew_theme()
        self.time_bar.renew_theme()
        self.viewport.renew_theme()
        self.comparer.renew_theme()
        for title in self.findChildren(DockTitle):
            title.renew_theme()

    # --- what is shown --------------------------------------------------------------------------------------------

    def _show_title(self) -> None:
        edited = " • edited" if self.document.dirty else ""
        self._name.setText(f"{self.document.name}{edited}")
        self.setWindowTitle(f"{self.document.name}[*] – SnakeStudio")
        self.setWindowModified(self.document.dirty)

    def _dress_play(self) -> None:
        running = self.bridge.status.state == "running"
        self.actions_table["play"].setIcon(theme.icon("pause" if running else "play", "on_accent"))

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
            self.resize(min(1600, room.width()), min(1000, room.height()))
        self._default_layout = not self.layouts.restore_last()
        self.set_arranging(False)

    def showEvent(self, event: QShowEvent) -> None:
        if self._default_layout:
            self._default_layout = False
            size_docks(self, self.docks)

    def _store(self) -> None:
        self.viewport.options.save(self.settings)
        self.viewport.editor.options.save(self.settings)
        self.settings.setValue("window/geometry", self.saveGeometry())
        self.layouts.store_last()
        self.settings.sync()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_discard():
            event.ignore()
            return
        self._to_fill.clear()
        self._store()
        self.comparer.close()
        self.chain_comparer.close()
        self.exporter.close()
        self.safekeeping.close()
        self.viewport.close_surface()
        self.bridge.close()
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = _dropped(event)
        if path is None:
            return
        event.acceptProposedAction()
        # A question about unsaved changes must not hold up the program the file came from.
        QTimer.singleShot(0, self, lambda: self.files.take(path))


def _dropped(event: QDropEvent) -> Path | None:
    """The file that is dragged over the window, if it is one and can be a scene or hold obstacles."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.suffix.lower() in (".toml", ".csv", ".svg") else None
