"""Which models can run the open scene, and why the others cannot: found out beside the window, which stays fluid."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from snakestudio.analysis.comparison.models import refusals
from snakestudio.gui.core.document import Document
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.viewmodel.job import Job, Progress

__all__ = ["Reasons"]

_AFTER_MS, _LOOK_MS = 250, 30
"""A slider that moves shall not have the scene checked at every step."""

Found = dict[str, tuple[str, ...]]


class Reasons(QObject):
    """Sentences by model, brought up to date a moment after the scene changed, as long as somebody looks.

    Parameters
    ----------
    document : Document

    Signals
    -------
    changed()
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._watched = False
        self._job: Job[Found] | None = None
        self.by_kind: Found = {}
        """Why each model cannot run the scene; empty for one that can, missing for one not yet asked."""
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_AFTER_MS)
        self._later.timeout.connect(self._begin)
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._take)
        document.scene_changed.connect(lambda before, after: self._soon())
        document.title_changed.connect(self._soon)  # saved elsewhere, file names mean other files

    def watch(self, watched: bool) -> None:
        """Say whether somebody looks."""
        self._watched = watched
        if watched:
            self._begin()
        else:
            self._later.stop()

    def close(self) -> None:
        """Wait for what is under way; call before the program quits."""
        self._watched = False
        self._later.stop()
        self._look.stop()
        if self._job is not None:
            self._job.wait()
            self._job = None

    def _soon(self) -> None:
        if self._watched:
            self._later.start()

    def _begin(self) -> None:
        if self._job is not None:
            self._later.start()
            return
        scene, folder = self._document.scene, self._document.base_dir

        def work(progress: Progress) -> Found:
            return {kind: refusals(scene, kind, folder) for kind in FORMULATIONS}

        self._job = Job("check", work)
        self._look.start()

    def _take(self) -> None:
        job = self._job
        if job is None or job.running:
            return
        self._look.stop()
        self._job = None
        found = job.result or {}
        if found != self.by_kind:
            self.by_kind = found
            self.changed.emit()
