"""Detection of changes that other programs make to the open scene's file, in any way of writing files."""

from __future__ import annotations

import os
from collections.abc import Callable

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.banner import Banner

_SETTLE_MS = 200
"""Time that another program has to finish writing, ms."""


class DiskWatch(QObject):
    """Watches the content of the document's file: touching it or saving the same text again is not a change.

    Signals
    -------
    noticed(state: str)
        "changed", "gone", or "same" when the file has its previous content again.
    """

    noticed = Signal(str)

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._state = "same"
        self._watcher = QFileSystemWatcher(self)
        self._timer = Delay(_SETTLE_MS, self.check, self)
        self._watcher.fileChanged.connect(self._check_soon)
        self._watcher.directoryChanged.connect(self._check_soon)
        document.title_changed.connect(self._on_title)
        # Some file systems, such as network drives, report no changes: check when the user returns to
        # the program.
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        self._app = app
        app.applicationStateChanged.connect(self._on_application)

    def _check_soon(self) -> None:
        self._timer.start()

    def _on_application(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._check_soon()

    def _on_title(self) -> None:
        path = self._document.path
        # The folder reports a file that is replaced or removed, which is no longer watched itself.
        targets = (
            []
            if path is None
            else [str(location) for location in (path, path.parent) if os.path.exists(location)]
        )
        watched = self._watcher.files() + self._watcher.directories()
        if removed := [name for name in watched if name not in targets]:
            self._watcher.removePaths(removed)
        if new := [name for name in targets if name not in watched]:
            self._watcher.addPaths(new)
        if self._state != "same":
            self.check()

    def check(self) -> None:
        """Check the file now."""
        state = self._document.on_disk()
        if state != self._state or state == "changed":
            self._state = state
            self.noticed.emit(state)
        path = self._document.path
        if path is not None and os.path.exists(path) and str(path) not in self._watcher.files():
            self._watcher.addPath(str(path))

    def close(self) -> None:
        """Stop watching."""
        self._document.title_changed.disconnect(self._on_title)
        self._app.applicationStateChanged.disconnect(self._on_application)
        self._timer.stop()
        if watched := self._watcher.files() + self._watcher.directories():
            self._watcher.removePaths(watched)


class DiskNotice(QObject):
    """Shows in a banner what `DiskWatch` detected, with buttons to resolve it.

    Parameters
    ----------
    reload, save : callable
        Load the file from disk; write the scene to it again.
    """

    def __init__(
        self,
        watch: DiskWatch,
        document: Document,
        banner: Banner,
        reload: Callable[[], object],
        save: Callable[[], object],
    ) -> None:
        super().__init__(watch)
        self._document = document
        self._banner = banner
        self._reload = reload
        self._save = save
        watch.noticed.connect(self._on_noticed)
        document.opened.connect(banner.clear)

    def _on_noticed(self, state: str) -> None:
        name = self._document.name
        keep = ("Keep My Version", self._keep)
        if state == "changed":
            edits = " The scene also has unsaved changes here." if self._document.dirty else ""
            text = f"{name} was changed by another program.{edits}"
            self._banner.show_notice(
                "warning", text, [("Reload", self._reload), keep], closable=False
            )
        elif state == "gone":
            text = f"{name} no longer exists: it was moved, renamed or deleted. The scene is still open."
            self._banner.show_notice(
                "warning", text, [("Save Again", self._save), keep], closable=False
            )
        else:
            self._banner.clear()

    def _keep(self) -> None:
        self._document.keep_mine()
        self._banner.clear()
