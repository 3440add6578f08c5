"""The main window: viewport and time bar in the middle, docks around them, menus and window state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QByteArray,
    QChildEvent,
    QEvent,
    QMargins,
    QObject,
    QRect,
    QSettings,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QMainWindow,
    QMenu,
    QStyle,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from snakestudio.analysis.experiment.importing import MARKERS, TABLES
from snakestudio.gui.core import theme
from snakestudio.gui.core.command import Command
from snakestudio.gui.core.feature import Feature, changing_menus
from snakestudio.gui.core.file_dialogs import FileFolders
from snakestudio.gui.core.recent_files import RecentFiles
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.menu import assign_mnemonics
from snakestudio.gui.robot.fault_menu import FAULT_MENU, FaultMenu
from snakestudio.gui.runs.opening import RUN_SUFFIX
from snakestudio.gui.shell.context import Context
from snakestudio.gui.shell.window_autosave import WindowAutosave
from snakestudio.gui.viewport.legend import fill_trail_menu
from snakestudio.robot_files.files import ENDINGS
from snakestudio.viewmodel.gallery import entries

_FIRST = 1600, 1000
"""Initial width and height of the window, px."""


_GEOMETRY = Setting(
    "window/geometry", QByteArray(), "Window", "Position and size of the window", remembered=True
)


class MainWindow(QMainWindow):
    """The main window. Its docks are filled after it is on screen.

    Parameters
    ----------
    settings : QSettings
        Storage of sizes, options and recent files.
    commands : sequence of Command
        In the order of the menus.
    features : sequence of Feature
        In the order in which they are made.
    """

    context: Context

    def __init__(
        self,
        settings: QSettings,
        commands: Sequence[Command[Any]],
        features: Sequence[Feature[Any]],
    ) -> None:
        super().__init__()
        self.setObjectName("main_window")
        self.setAcceptDrops(True)
        self.setWindowIcon(theme.icon("snakestudio"))
        FileFolders(settings, self)
        self.context = c = Context(self, settings, commands, features)
        self._default_layout = False
        self._autosave = WindowAutosave(self._snapshot, self._store, self)
        self._space_keeper = SpaceKeyFilter(self, c.viewport)
        self.addToolBar(c.run_bar)
        middle = QWidget(self)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(c.viewport, 1)
        column.addWidget(c.time_bar)
        c.banners.overlay_on(c.viewport)
        self.setCentralWidget(middle)
        middle.addActions(c.action_registry.local)
        self.setStatusBar(c.status_bar)
        c.docks.make()
        self._make_menus()
        c.document.title_changed.connect(self._show_title)
        self._restore()
        self._show_title()
        c.action_registry.refresh()
        c.viewport.setFocus()

    def _make_menus(self) -> None:
        c = self.context
        c.action_registry.fill(self.menuBar())
        c.document.kinds_changed.connect(self._update_kinds)
        MovingMenus(c)
        FaultMenu(c.action_registry.menus[FAULT_MENU], c.robot_controller)
        panels = c.action_registry.menus["View/Panels"]
        panels.addActions([dock.toggleViewAction() for dock in c.docks.all.values()])
        assign_mnemonics(panels)
        c.docks.added.connect(lambda dock: panels.addAction(dock.toggleViewAction()))
        self._state = QLabel(self)
        self._state.setObjectName("document_state")
        self._state.setProperty("role", "dim")
        self._state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._state.setFixedWidth(theme.scaled(96))
        self._state.setContentsMargins(0, 4, 16, 0)
        self.menuBar().setCornerWidget(self._state, Qt.Corner.TopRightCorner)

    def _update_kinds(self) -> None:
        """Update the menus whose commands plug-ins add to."""
        for menu, commands in changing_menus(self.context.features):
            self.context.action_registry.replace(menu, commands)

    # --- title ------------------------------------------------------------------------------------

    def _show_title(self) -> None:
        document = self.context.document
        self._state.setText("edited" if document.dirty else "")  # the title bar has the name
        self.setWindowTitle(f"{document.title}[*] – SnakeStudio")
        self.setWindowModified(document.dirty)

    # --- window -----------------------------------------------------------------------------------

    def _restore(self) -> None:
        self.context.viewport.options.load(self.context.settings)
        self.context.viewport.tools.editor.options.load(self.context.settings)
        self.context.update_play_icons()
        if not self.restoreGeometry(_GEOMETRY.load(self.context.settings)):
            available = QGuiApplication.primaryScreen().availableGeometry()
            title = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
            self.resize(
                min(_FIRST[0], available.width()), min(_FIRST[1], available.height() - title)
            )
        self._default_layout = not self.context.layouts.restore_last()
        self.context.docks.set_arranging(False)

    def showEvent(self, event: QShowEvent) -> None:
        first = self._default_layout
        self._default_layout = False
        if first:
            self.context.docks.size()
        if not event.spontaneous():
            self._autosave.start()
            # the frame's size is known only once the window is shown
            QTimer.singleShot(0, self, lambda: self._respect_frame(first))

    def _respect_frame(self, first: bool) -> None:
        """Keep title and borders on the screen; a window that fills the screen needs nothing."""
        if self.windowState() & (Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen):
            return
        geometry = placed_within(
            self.geometry(), self.screen().availableGeometry(), self.windowHandle().frameMargins()
        )
        if geometry != self.geometry():
            self.setGeometry(geometry)
            if first:
                self.context.docks.size()

    def _snapshot(self) -> object:
        """Return the state that `_store` writes."""
        viewport = self.context.viewport
        return (
            self.saveGeometry(),
            self.context.layouts.present,
            viewport.options.now,
            viewport.tools.editor.options.now,
        )

    def _store(self) -> None:
        self.context.viewport.options.save(self.context.settings)
        self.context.viewport.tools.editor.options.save(self.context.settings)
        _GEOMETRY.store(self.context.settings, self.saveGeometry())
        self.context.layouts.store_last()
        self.context.settings.sync()

    def childEvent(self, event: QChildEvent) -> None:
        if event.type() == QEvent.Type.ChildPolished and isinstance(bar := event.child(), QTabBar):
            # titles are shortened if they do not fit, so that all stay visible
            bar.setUsesScrollButtons(False)
        super().childEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        c = self.context
        if not c.robot_feature.may_close() or not c.files.may_discard() or not c.study.may_close():
            event.ignore()
            return
        c.robot_feature.close()
        c.docks.stop_filling()
        self._autosave.stop()
        self._store()
        c.close()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass an unhandled key to the viewport if the mouse is over it."""
        event.ignore()
        if not self.context.viewport.underMouse() or self.context.viewport.hasFocus():
            return
        keys = QKeySequence(event.keyCombination())
        action = next(
            (each for each in self.context.action_registry.local if keys in each.shortcuts()), None
        )
        if action is not None and action.isEnabled():
            self.context.viewport.setFocus()
            action.trigger()
            event.accept()
        elif action is None and self.context.viewport.tools.wants(event):
            self.context.viewport.setFocus()
            self.context.viewport.keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        _accept_copy(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        _accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        path = _accept_copy(event)
        if path is None:
            return
        # A question about unsaved changes must not block the program that the file was dragged from.
        QTimer.singleShot(0, self, lambda: self.context.open_file(path))


def placed_within(window: QRect, screen: QRect, frame: QMargins) -> QRect:
    """Return the geometry of a window without its frame such that it fits a screen with its frame."""
    available = screen.marginsRemoved(frame)
    width, height = min(window.width(), available.width()), min(window.height(), available.height())
    left = min(max(window.x(), available.x()), available.x() + available.width() - width)
    top = min(max(window.y(), available.y()), available.y() + available.height() - height)
    return QRect(left, top, width, height)


def _dropped(event: QDropEvent) -> Path | None:
    """Return the file that is dragged over the window if it can be a scene, run, robot, obstacles or track."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return (
        path
        if path.suffix.lower() in (".toml", ".svg", RUN_SUFFIX, *TABLES, *MARKERS, *ENDINGS)
        else None
    )


def _accept_copy(event: QDropEvent) -> Path | None:
    """Accept a file that the program can open, as a copy only: the source deletes a file accepted as moved.

    Returns the file, or None if nothing is accepted.
    """
    path = _dropped(event)
    if path is None or not event.possibleActions() & Qt.DropAction.CopyAction:
        event.ignore()
        return None
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
    return path


class SpaceKeyFilter(QObject):
    """Lets Space press buttons and open boxes that were focused by the keyboard.

    After a click on them Space plays, and once an entry of a box was chosen with the mouse, the view
    has the focus again. Only the focused widget is filtered, because filtering all widgets would cost
    time at every event.
    """

    def __init__(self, window: QWidget, view: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._view = view
        self._clicked: QWidget | None = None
        """Button or box that has the focus because of a click."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus)

    def _on_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if isinstance(old, QAbstractButton | QComboBox):
            old.removeEventFilter(self)
            if isinstance(old, QComboBox):
                old.activated.disconnect(self._on_choice)
        if isinstance(now, QAbstractButton | QComboBox):
            now.installEventFilter(self)
            if isinstance(now, QComboBox):
                now.activated.connect(self._on_choice)
        if QApplication.mouseButtons() and now is not None and now.window() is self._window:
            self._clicked = now
        elif now is not None and now is not self._clicked and now.window() is self._window:
            self._clicked = None  # the list of an open box is another window

    def _on_choice(self) -> None:
        box = self.sender()
        if box is self._clicked and isinstance(box, QComboBox) and not box.isEditable():
            self._view.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
            and watched is not self._clicked
        ):
            event.accept()
            return True
        return False


def short_names(paths: Sequence[Path]) -> list[str]:
    """Return the names of files, with as many of their folders as distinguish them."""
    names = []
    for path in paths:
        count = next(
            (
                count
                for count in range(1, len(path.parts))
                if sum(other.parts[-count:] == path.parts[-count:] for other in paths) == 1
            ),
            len(path.parts),
        )
        names.append(str(Path(*path.parts[-count:])))
    return names


def _list_recent(
    menu: QMenu, recent: RecentFiles, open_file: Callable[[Path], object], what: str
) -> None:
    menu.clear()
    menu.setToolTipsVisible(True)
    for number, (path, name) in enumerate(
        zip(recent.paths, short_names(recent.paths), strict=True), 1
    ):
        name = name.replace("&", "&&")
        entry = menu.addAction(f"&{number}  {name}" if number < 10 else f"{number}  {name}")
        entry.setToolTip(str(path))
        entry.triggered.connect(lambda _=False, p=path: open_file(p))
    if menu.isEmpty():
        menu.addAction(f"No recent {what}").setEnabled(False)
    else:
        menu.addSeparator()
        menu.addAction("Clear").triggered.connect(recent.clear)


class MovingMenus(QObject):
    """Refills the changing menus of a window when they open."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._context = context
        self._layouts: list[QAction] = []
        for name, fill in (
            ("File/Open Recent", self._fill_recent),
            ("File/Open Example", self._fill_examples),
            ("Simulation/Open Recent Study", self._fill_studies),
            ("View/Trail of", self._fill_trail),
            ("View/Layouts", self._fill_layouts),
            ("View/Layouts/Delete Layout", self._fill_delete),
        ):
            menu = self._context.action_registry.menus[name]
            menu.aboutToShow.connect(lambda menu=menu, fill=fill: fill(menu))
            menu.aboutToShow.connect(lambda menu=menu: assign_mnemonics(menu))

    def _fill_recent(self, menu: QMenu) -> None:
        files = self._context.files
        _list_recent(menu, files.recent, files.open, "scenes")

    def _fill_studies(self, menu: QMenu) -> None:
        study = self._context.study
        _list_recent(menu, study.recent, study.open, "studies")

    def _fill_examples(self, menu: QMenu) -> None:
        files = self._context.files
        menu.clear()
        menu.addAction(self._context.action_registry["gallery"])
        menu.addSeparator()
        for entry in entries():
            menu.addAction(entry.title).triggered.connect(
                lambda _=False, p=entry.path: files.open(p)
            )

    def _fill_trail(self, menu: QMenu) -> None:
        scene = self._context.document.scene
        menu.clear()
        fill_trail_menu(
            menu, self._context.viewport.options, scene.body.n_parts, scene.body.part_name
        )

    def _fill_layouts(self, menu: QMenu) -> None:
        """Add the saved layouts after the built-in ones."""
        layouts = self._context.layouts
        for old in self._layouts:
            menu.removeAction(old)
            old.deleteLater()
        self._layouts = []
        below = self._context.action_registry["save_layout"]
        for name in layouts.saved:
            action = QAction(name.replace("&", "&&"), menu)
            action.triggered.connect(lambda _=False, name=name: layouts.choose(name))
            menu.insertAction(below, action)
            self._layouts.append(action)
        if self._layouts:
            menu.insertSeparator(below)
            self._layouts.append(menu.actions()[menu.actions().index(below) - 1])
        self._context.action_registry.menus["View/Layouts/Delete Layout"].setEnabled(
            bool(layouts.saved)
        )

    def _fill_delete(self, menu: QMenu) -> None:
        layouts = self._context.layouts
        menu.clear()
        for name in layouts.saved:
            menu.addAction(name.replace("&", "&&")).triggered.connect(
                lambda _=False, name=name: layouts.delete(name)
            )
