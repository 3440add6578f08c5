"""Panel of recorded runs: search, open, overlay, rename, tag and delete."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QByteArray,
    QFileSystemWatcher,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QUrl,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QFontMetrics,
    QImage,
    QImageReader,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPixmap,
    QPixmapCache,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QInputDialog,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QMessageBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.runs.pinned_runs import PinnedRuns
from snakestudio.gui.runs.run_archiver import RunArchiver
from snakestudio.gui.runs.run_list import RUN, RunListModel, facts, moment
from snakestudio.runfile.library import RunLibrary, SavedRun
from snakestudio.text import counted, size_text
from snakestudio.viewmodel.work import Progress

_MARGIN = 6
_RADIUS = 4.0

_LARGEST = 2000
"""Maximum width and height of a thumbnail, px."""


class RunDelegate(QStyledItemDelegate):
    """Painter of a run: a thumbnail with three lines of text.

    Parameters
    ----------
    colour_of : callable
        Returns the overlay colour of the run in a file; "" if it is not overlaid.
    present : callable
        Returns the file of the current run, or None.
    """

    def __init__(
        self,
        colour_of: Callable[[Path], str],
        present: Callable[[], Path | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._colour_of = colour_of
        self._present = present

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        lines = (
            QFontMetrics(theme.text_font(13, strong=True)).height()
            + 2 * QFontMetrics(theme.text_font(12)).height()
        )
        return QSize(160, lines + 2 * _MARGIN + 2)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        run: SavedRun = index.data(RUN)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self._paint_ground(painter, rect, state)
        height = rect.height() - 2 * _MARGIN
        picture_rect = QRect(
            rect.left() + _MARGIN, rect.top() + _MARGIN, round(height * 1.5), height
        )
        self._paint_picture(painter, picture_rect, run)
        left = picture_rect.right() + 10
        self._paint_texts(
            painter, QRect(left, picture_rect.top(), rect.right() - left - _MARGIN, height), run
        )
        painter.restore()

    def _paint_ground(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag) -> None:
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
            painter.fillPath(outline, theme.colour("raised" if selected else "card"))
            if selected and state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(theme.colour("accent"))
                painter.drawPath(outline)

    def _paint_picture(self, painter: QPainter, rect: QRect, run: SavedRun) -> None:
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(rect), _RADIUS, _RADIUS)
        painter.fillPath(outline, theme.colour("ground"))
        pixmap = _pixmap(run)
        painter.save()
        painter.setClipPath(outline)
        if pixmap is not None:
            scaled = pixmap.size().scaled(
                rect.size(), Qt.AspectRatioMode.KeepAspectRatioByExpanding
            )
            target = QRect(rect.topLeft(), scaled)
            target.moveCenter(rect.center())
            painter.drawPixmap(target, pixmap)
        else:
            icon = theme.icon("warning" if run.info is None else "snakestudio", "dim")
            size = theme.scaled(20)
            icon.paint(
                painter,
                QRect(rect.center().x() - size // 2, rect.center().y() - size // 2, size, size),
            )
        painter.restore()
        if run.info is not None and run.info.robot:  # marks robot runs
            size = theme.scaled(18)
            mark = QRect(rect.right() - size, rect.bottom() - size, size, size)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("panel"))
            painter.drawRoundedRect(mark, _RADIUS, _RADIUS)
            theme.icon("robot", "danger").paint(painter, mark.adjusted(2, 2, -2, -2))
        colour = self._colour_of(run.path)
        if colour:  # the colour of its curves and its ghost
            painter.fillRect(QRect(rect.left(), rect.top(), 4, rect.height()), QColor(colour))

    def _paint_texts(self, painter: QPainter, rect: QRect, run: SavedRun) -> None:
        running = run.path == self._present()
        when = "current run" if running else moment(run.created)
        painter.setFont(theme.text_font(13, strong=True))
        painter.setPen(theme.colour("text" if run.info is not None else "dim"))
        top = _line(painter, run.name, rect, rect.top())
        painter.setFont(theme.text_font(12))
        painter.setPen(theme.colour("accent" if running else "dim"))
        tags = "  ".join(f"#{tag}" for tag in run.tags)
        top = _line(painter, f"{when}   {tags}" if tags else when, rect, top)
        painter.setPen(theme.colour("dim" if run.info is not None else "warning"))
        _line(painter, facts(run, running), rect, top)


def _line(painter: QPainter, text: str, rect: QRect, top: int) -> int:
    """Paint a line elided to the available width; returns the left edge of the next one, px."""
    metrics = painter.fontMetrics()
    elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(
        QRect(rect.left(), top, rect.width(), metrics.height()),
        Qt.AlignmentFlag.AlignVCenter,
        elided,
    )
    return top + metrics.height()


def _pixmap(run: SavedRun) -> QPixmap | None:
    """Thumbnail of a run from Qt's cache, unless its file changed."""
    if run.picture is None or not os.path.isfile(run.picture):  # reading a pipe would block
        return None
    try:
        key = f"{run.picture}:{run.picture.stat().st_mtime_ns}:{theme.current().name}"
    except OSError:
        return None
    pixmap = QPixmap()
    if QPixmapCache.find(key, pixmap):
        return pixmap
    # PNG only, regardless of its suffix
    reader = QImageReader(str(run.picture), QByteArray(b"png"))
    size = reader.size()
    if not 0 < max(size.width(), size.height()) <= _LARGEST:
        return None
    pixmap = QPixmap.fromImage(in_theme(reader.read()))
    QPixmapCache.insert(key, pixmap)
    return None if pixmap.isNull() else pixmap


def in_theme(picture: QImage) -> QImage:
    """Thumbnail of a run adapted to the lightness of the current theme.

    Light and dark are swapped and hues are kept: (1 - max - min) of each pixel is added to red,
    green and blue.
    """
    image = picture.convertToFormat(QImage.Format.Format_RGBA8888)
    if image.isNull():
        return picture
    rows = np.frombuffer(image.bits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    pixels = rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)[:, :, :3]
    if (np.median(pixels.max(axis=2)) < 128) == (theme.current() is theme.DARK):
        return picture
    colours = pixels.astype(np.int16)
    colours += 255 - colours.max(axis=2, keepdims=True) - colours.min(axis=2, keepdims=True)
    pixels[:] = np.clip(colours, 0, 255)
    return image


_LOW_SPACE_BYTES = 2e9
"""Free space, bytes, below which the panel warns."""


class RunPanel(ThemedWidget):
    """Panel with the list of recorded runs.

    Parameters
    ----------
    banner : Banner
        Shows errors.

    Signals
    -------
    open_requested(path: Path, name: str)
        Request to show a run instead of the current one.
    scene_requested(path: Path)
        Request to open the scene of a run.
    deleting(path: Path)
        A run is about to be deleted; its readers must close it.
    """

    open_requested = Signal(object, str)
    scene_requested = Signal(object)
    deleting = Signal(object)

    def __init__(
        self,
        library: RunLibrary,
        run_archiver: RunArchiver,
        pinned_runs: PinnedRuns,
        banner: Banner,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._run_archiver = run_archiver
        self._pinned_runs = pinned_runs
        self._banner = banner
        self._task: Task[list[SavedRun]] | None = None
        self._again = False
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search runs")
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName("Search runs")
        self.model = RunListModel(self)
        self.search.textChanged.connect(self._seek)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(
            RunDelegate(self._colour_of, lambda: run_archiver.present, self.list)
        )
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setDragEnabled(True)
        self.list.setAccessibleName("Recorded runs")
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.list.activated.connect(lambda index: self._open(index.data(RUN)))
        self._note = QLabel()
        self._note.setObjectName("note")
        self._note.setProperty("role", "dim")
        self._note.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 4, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self.search)
        layout.addWidget(self.list, 1)
        layout.addWidget(self._note)

        self._soon = Delay(300, self.refresh, self)
        self._folder = QFileSystemWatcher([str(library.folder)], self)
        self._folder.directoryChanged.connect(lambda path: self._soon.start())
        run_archiver.changed.connect(self._soon.start)
        pinned_runs.changed.connect(self.list.viewport().update)

    # --- list -------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Reload the list in a thread, because there may be thousands of files."""
        if self._task is not None:
            self._again = True
            return

        def read(progress: Progress) -> list[SavedRun]:
            return self._library.runs()

        self._again = False
        self._task = Task("list of runs", read, self)
        self._task.finished.connect(self._on_read)
        self._task.failed.connect(self._on_failed)

    @Slot(object)
    def _on_read(self, runs: list[SavedRun]) -> None:
        self.model.set_runs(runs)
        self._end("")

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._end(problem.sentence())

    def _end(self, error: str) -> None:
        self._task = None
        self._show_summary(error)
        if self._again:
            self.refresh()

    def _show_summary(self, error: str = "") -> None:
        runs = self.model.all
        count = f"{counted(len(runs), 'run')}, {size_text(sum(run.size_bytes for run in runs))}"
        n_visible = self.model.rowCount()
        text = error or (count if n_visible == len(runs) else f"{n_visible} of {count}")
        if not runs and not error:
            text = "Every run is recorded here as it runs. Press Play to start one."
        elif not n_visible:
            text = "No matching runs. Remove a word."
        free = self._library.free_bytes
        if free < _LOW_SPACE_BYTES:
            text = f"{text}. Only {size_text(free)} are free on this disk. Delete runs that are not needed."
        self._note.setText(text)

    def _seek(self, text: str) -> None:
        self.model.seek(text)
        self._show_summary()

    def _colour_of(self, path: Path) -> str:
        return self._pinned_runs.colour(path) if path in self._pinned_runs else ""

    @property
    def selected(self) -> list[SavedRun]:
        """Selected runs."""
        return [
            index.data(RUN) for index in sorted(self.list.selectedIndexes(), key=QModelIndex.row)
        ]

    # --- actions ----------------------------------------------------------------------------------

    def _open(self, run: SavedRun) -> None:
        if run.path == self._run_archiver.present:
            self._banner.show_notice("info", "This run is already shown.", passing=True)
        elif run.info is None:
            self._banner.show_notice("warning", run.problem)
        else:
            self.open_requested.emit(run.path, run.name)

    def overlay(self, runs: list[SavedRun], visible: bool) -> None:
        """Overlay runs on the current run, or remove their overlays."""
        for run in runs:
            try:
                if visible:
                    self._pinned_runs.show(run.path, run.name)
                else:
                    self._pinned_runs.hide(run.path)
            except SnakeStudioError as error:
                self._banner.show_notice("warning", str(error))

    def rename(self, run: SavedRun) -> None:
        """Ask for a new name of a run."""
        name, accepted = QInputDialog.getText(
            self,
            "Rename Run",
            "Name (empty: name of the scene)",
            QLineEdit.EchoMode.Normal,
            run.name,
        )
        if accepted:
            self._changed(
                lambda: self._library.rename(
                    run, "" if name == run.name and not run.label else name
                )
            )

    def tag(self, runs: list[SavedRun]) -> None:
        """Ask for the tags of runs."""
        common = [tag for tag in runs[0].tags if all(tag in run.tags for run in runs)]
        which = "Tags" if len(runs) == 1 else f"Tags shared by all {len(runs)} runs"
        text, accepted = QInputDialog.getText(
            self,
            "Tags",
            f"{which}, separated by spaces",
            QLineEdit.EchoMode.Normal,
            " ".join(common),
        )
        if accepted:
            for run in runs:
                own = [tag for tag in run.tags if tag not in common]
                self._changed(lambda run=run, own=own: self._library.tag(run, [*own, text]))  # type: ignore[misc]

    def _changed(self, change: Callable[[], object]) -> None:
        try:
            change()
        except OSError as error:
            self._banner.show_notice("warning", f"The run cannot be changed: {error}.")
        self.refresh()

    def delete(self, runs: list[SavedRun]) -> None:
        """Delete runs permanently after asking."""
        present = self._run_archiver.present
        runs = [run for run in runs if run.path != present]
        if not runs:
            self._banner.show_notice(
                "info",
                "The current run cannot be deleted while it is shown. Reset the simulation first.",
                passing=True,
            )
            return
        size = size_text(sum(run.size_bytes for run in runs))
        what = f"the run “{runs[0].name}”" if len(runs) == 1 else f"{len(runs)} runs"
        answer = QMessageBox.question(
            self,
            "Delete Runs",
            f"Delete {what} ({size}) permanently?",
            QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel,
            QMessageBox.StandardButton.Cancel,
        )
        if answer != QMessageBox.StandardButton.Yes:
            return
        for run in runs:
            self._pinned_runs.hide(run.path)
            self.deleting.emit(run.path)
            try:
                self._library.delete(run)
            except OSError as error:
                self._banner.show_notice("warning", f"{run.path.name} cannot be deleted: {error}.")
        self.refresh()

    def menu(self) -> QMenu:
        """Context menu of the selected runs."""
        menu = Menu(self)
        runs = self.selected
        sound = [run for run in runs if run.info is not None]
        one = runs[0] if len(runs) == 1 else None
        seen = bool(sound) and all(run.path in self._pinned_runs for run in sound)

        def add(text: str, possible: bool, do: Callable[[], object]) -> None:
            action = menu.addAction(text)
            action.setEnabled(possible)
            action.triggered.connect(lambda: do())

        others = bool(one and one.info and one.path != self._run_archiver.present)
        add("Open", others, lambda: self._open(runs[0]))
        add(
            "Hide Overlay" if seen else "Overlay on Current Run",
            bool(sound),
            lambda: self.overlay(sound, not seen),
        )
        add(
            "Open Its Scene",
            bool(one and one.info),
            lambda: self.scene_requested.emit(runs[0].path),
        )
        menu.addSeparator()
        add("Rename...", one is not None, lambda: self.rename(runs[0]))
        add("Tags...", bool(runs), lambda: self.tag(runs))
        folder = QUrl.fromLocalFile(str(self._library.folder))
        add("Show Folder", True, lambda: QDesktopServices.openUrl(folder))
        menu.addSeparator()
        add("Delete...", bool(runs), lambda: self.delete(runs))
        menu.addSeparator()
        keep = menu.addAction("Record Every Run")
        keep.setCheckable(True)
        keep.setChecked(self._run_archiver.recording_enabled)
        keep.toggled.connect(self._run_archiver.set_recording_enabled)
        return menu

    def _show_menu(self, point: QPoint) -> None:
        menu = self.menu()
        menu.exec(self.list.viewport().mapToGlobal(point))
        menu.deleteLater()

    # --- Qt's events ------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.selected:
            self.delete(self.selected)
        elif event.key() == Qt.Key.Key_F2 and len(self.selected) == 1:
            self.rename(self.selected[0])
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def apply_theme(self) -> None:
        self.list.viewport().update()
        self.list.setMinimumWidth(theme.scaled(120))

    def close_reading(self) -> None:
        """Wait for the running reading task; called before the program quits."""
        close_tasks(self)
