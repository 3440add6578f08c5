"""Backup of unsaved edits: twice a minute while there are new ones, and immediately after an internal error."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal, Slot

from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.model.scene import Scene
from snakestudio.session.recovery import RecoveryFile

log = logging.getLogger(__name__)

INTERVAL_S = 30.0
"""Longest time from an edit to its backup, excluding the time of writing, s."""


class Autosave(QObject):
    """Writes a backup of the document next to its file while it has unsaved edits; removes it when it has none.

    Parameters
    ----------
    interval_s : float
        Longest time from an edit to its backup, s.

    Signals
    -------
    failed(sentence: str)
        The backup cannot be written; emitted once until it works again.
    """

    failed = Signal(str)

    def __init__(
        self, document: Document, interval_s: float = INTERVAL_S, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._file = RecoveryFile()
        self._backed_up_scene: Scene | None = None
        self._written = False
        self._write_again = False
        self._task: Task[str] | None = None
        self._has_reported = self._ended = False
        self._timer = Delay(round(1000 * interval_s), self._write, self)
        self._timer.setObjectName("autosave_timer")
        document.opened.connect(self._discard_backup)
        document.scene_changed.connect(self._on_scene)
        document.title_changed.connect(self._on_title)

    def _on_scene(self) -> None:
        self._timer.request()

    def _on_title(self) -> None:
        if not self._document.dirty:
            self._discard_backup()
        elif not self._ended:  # the file may have changed while the scene stays
            self._on_scene()

    def _discard_backup(self) -> None:
        self._timer.stop()
        self._backed_up_scene = None
        if self._written:
            self._written = False
            self._file.remove()

    def _write(self) -> None:
        document = self._document
        if not document.dirty or document.scene is self._backed_up_scene:
            return
        if self._task is not None and self._task.running:  # a slow disk must not hold up the window
            self._write_again = True
            return
        scene = document.scene
        path = document.path
        order = self._file.next_order()
        self._backed_up_scene = scene
        self._written = True

        def work(_: object) -> str:
            try:
                self._file.write(scene, path, order)
            except OSError as error:
                return error.strerror or str(error)
            return ""

        self._task = Task("autosave", work, self)
        self._task.finished.connect(self._on_outcome)
        self._task.failed.connect(lambda problem: self._on_outcome(problem.message))

    @Slot(object)
    def _on_outcome(self, reason: str) -> None:
        if reason and not self._ended:
            self._backed_up_scene = None
            self._timer.start()
            if not self._has_reported:
                self.failed.emit(f"Unsaved changes cannot be backed up ({reason}). Save the scene.")
        self._has_reported = bool(reason)
        if self._write_again and not self._ended:
            self._write_again = False
            self._timer.start()

    def write_now(self) -> None:
        """Write the backup before returning, on any thread; a failure is only logged."""
        scene = self._document.scene
        if self._document.dirty and not self._ended:
            try:
                self._file.write(scene, self._document.path, self._file.next_order())
                self._backed_up_scene = scene
                self._written = True
            except Exception:  # a previous failure must not be followed by another one
                log.exception("unsaved changes could not be backed up")

    def close(self, keep: bool = False) -> None:
        """Stop writing; the backup is deleted unless `keep` is set."""
        if self._ended:
            return
        self._ended = True
        self._timer.stop()
        close_tasks(self)
        self._task = None
        if not keep:
            self._backed_up_scene = None
            self._file.remove()
