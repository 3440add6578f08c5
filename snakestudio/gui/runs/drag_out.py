"""Button from which the shown run or its scene is dragged out of the window, as a file in any export format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QMimeData, QPoint, QSettings, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from snakestudio.export.formats import EXPORTS, ExportKind, of_subject
from snakestudio.gui.core import theme
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.menu import Menu

_FORMAT = Setting(
    "drag_out/format",
    "csv",
    "Format of files that are dragged out",
    "Export format of the file that is dragged out of the run bar",
    remembered=True,
)


class DragSource(Protocol):
    """Writer of the files that are dragged out: the exporter of the window."""

    def version(self, kind: ExportKind) -> object:
        """Value that differs once a format would export something else."""
        ...

    def can_export(self, kind: ExportKind) -> bool:
        """Return whether a format can be exported now."""
        ...

    def write_for_drag(self, kind: ExportKind, done: Callable[[Path], object]) -> None:
        """Write a file, which exists until the window closes; `done` receives its path."""
        ...

    def show_notice(self, text: str) -> None:
        """Show a passing notice."""
        ...


class DragOutButton(QToolButton):
    """A drag writes the file in the background, and begins when it is complete; a click offers the formats."""

    def __init__(
        self, source: DragSource, settings: QSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._source = source
        self._settings = settings
        self._pressed: QPoint | None = None
        self._held = False
        self._file: tuple[ExportKind, object, Path] | None = None
        """Format, version of the run or scene, and path of the last file."""
        self.setFixedSize(theme.scaled(34), theme.scaled(34))
        self.setAccessibleName("Drag out")
        self.clicked.connect(self._show_formats)
        theme.set_icon(self, "drag-out")
        self._explain()

    def kinds(self) -> list[ExportKind]:
        """Formats that can be dragged out."""
        return of_subject("run", "contact_problem", "scene", "view")

    @property
    def kind(self) -> ExportKind:
        """Chosen format; CSV if its plug-in is not loaded."""
        kind = EXPORTS.get(_FORMAT.load(self._settings))
        return kind if kind in self.kinds() and kind is not None else EXPORTS["csv"]

    def choose(self, kind: ExportKind) -> None:
        """Choose the format of the next drag."""
        _FORMAT.store(self._settings, kind.name)
        self._explain()

    def make_menu(self) -> Menu:
        """Menu of all formats, with the chosen one checked."""
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for kind in self.kinds():
            action = menu.addAction(kind.title)
            action.setCheckable(True)
            action.setChecked(kind is self.kind)
            action.triggered.connect(lambda _=False, kind=kind: self.choose(kind))
        return menu

    def _show_formats(self) -> None:
        self.make_menu().popup(self.mapToGlobal(QPoint(0, self.height())))

    def _explain(self) -> None:
        self.setToolTip(
            f"Drag into a folder or another program: {self.kind.title}\nClick to choose the format"
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()
            self._held = True
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None:
            away = event.position().toPoint() - self._pressed
            if away.manhattanLength() >= QApplication.startDragDistance():
                self._pressed = None
                self.setDown(False)
                self._begin()
            return
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        self._held = False
        super().mouseReleaseEvent(event)

    def _begin(self) -> None:
        """Drag the file if it is up to date; otherwise write it first."""
        kind = self.kind
        version = self._source.version(kind)
        if (
            self._file is not None
            and self._file[:2] == (kind, version)
            and os.path.exists(self._file[2])
        ):
            self._drag(self._file[2])
        elif self._source.can_export(kind):
            self._source.write_for_drag(kind, lambda path: self._on_written(kind, version, path))
        else:
            self._source.show_notice(
                f"{kind.title} is not available now. Play the simulation, or choose another format."
            )

    def _on_written(self, kind: ExportKind, version: object, path: Path) -> None:
        self._file = kind, version, path
        if self._held:
            self._drag(path)
        else:
            self._source.show_notice(f"{path.name} is ready. Drag it out now.")

    def _drag(self, path: Path) -> None:
        self._held = False  # the drag receives the release
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(theme.icon("drag-out").pixmap(20, 20))
        drag.exec(Qt.DropAction.CopyAction)
