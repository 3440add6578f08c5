"""Study that is open in the window: its file, its problems, and the results in its store."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.core.throttle import Throttle
from snakestudio.study.description import StudyFields
from snakestudio.study.evaluate import Trace
from snakestudio.study.study_file import scene_of
from snakestudio.viewmodel.study.checking import StudyCheck, checked
from snakestudio.viewmodel.study.landing import StoredResults, newer_results, trace_of
from snakestudio.viewmodel.study.study_on_disk import StudyOnDisk
from snakestudio.viewmodel.work import Submit, in_thread

_LOOK_MS = 1000
_REFRESH_MS = 500
"""Minimum interval between readings of results."""


class OpenStudy(QObject):
    """At most one study. Changes are saved immediately; checks and results are computed in threads.

    Signals
    -------
    opened()
        Another study is open, or none.
    changed()
        The study or the state of its file changed.
    checked()
        `study_check` has changed.
    results_changed()
        `results` have changed.

    Parameters
    ----------
    submit : callable
        Starts checks and readings, each in a thread by default.
    """

    opened = Signal()
    changed = Signal()
    checked = Signal()
    results_changed = Signal()

    def __init__(self, parent: QObject | None = None, submit: Submit = in_thread) -> None:
        super().__init__(parent)
        self._submit = submit
        self._disk: StudyOnDisk | None = None
        self.study_check = StudyCheck()
        self.results: StoredResults | None = None
        self.unreadable_results = ""
        """Reason why the results cannot be read, as a sentence; "" if they can."""
        self.taken_up = False
        """Whether the last change was made to the file by another program."""
        self._check_task: Task[StudyCheck] | None = None
        self._check_again = False
        self._read_task: Task[list[StoredResults]] | None = None
        self._read_path: Path | None = None
        self._file_timer = QTimer(self)
        self._file_timer.setInterval(_LOOK_MS)
        self._file_timer.timeout.connect(self._check_file)
        self._refresh_throttle = Throttle(_REFRESH_MS, self.read_results, self)

    # ----------------------------------------------------------------------------------------- file

    @property
    def path(self) -> Path | None:
        """File of the study; None if no study is open."""
        return self._disk.path if self._disk is not None else None

    @property
    def study(self) -> StudyFields:
        """Study as edited."""
        assert self._disk is not None
        return self._disk.study

    @property
    def scene_path(self) -> Path:
        """File of the scene."""
        assert self._disk is not None
        return scene_of(self._disk.study, self._disk.path).resolve()

    @property
    def unreadable(self) -> str:
        """Reason why the file cannot be read, a sentence per line; "" if it can."""
        return self._disk.unreadable if self._disk is not None else ""

    @property
    def unsaved(self) -> str:
        """Reason why the edited study could not be saved, as a sentence; "" if it was."""
        return self._disk.unsaved if self._disk is not None else ""

    @property
    def missing(self) -> bool:
        """Whether the file was deleted by someone."""
        return self._disk is not None and self._disk.missing

    @property
    def pending(self) -> bool:
        """Whether there are unsaved changes."""
        return self._disk is not None and self._disk.pending

    @property
    def shipped(self) -> bool:
        """Whether the study is bundled: it must be saved elsewhere to be changed or run."""
        return self._disk is not None and self._disk.shipped

    @property
    def ready(self) -> bool:
        """Whether the study can be run in its current state."""
        return self._disk is not None and not (
            self.unreadable or self.unsaved or self.study_check.problems or self.checking
        )

    @property
    def checking(self) -> bool:
        """Whether a check is in progress."""
        return self._check_task is not None

    @property
    def reading(self) -> bool:
        """Whether results are being read."""
        return self._read_task is not None

    def open(self, path: Path) -> None:
        """Open the study in a file.

        Raises `StudyError` if the file does not exist.
        """
        self._set(StudyOnDisk(path))

    def close_study(self) -> None:
        """Close the study."""
        self._set(None)

    def _set(self, disk: StudyOnDisk | None) -> None:
        self._disk = disk
        self.study_check = StudyCheck()
        self.results = None
        self.unreadable_results = ""
        self.taken_up = False
        if disk is not None:
            self._file_timer.start()
            self._begin_check()
            self.read_results(again=True)  # a reading in progress belongs to the previous study
        else:
            self._file_timer.stop()
            self._discard_check()
        self.opened.emit()
        self.changed.emit()
        self.results_changed.emit()

    def edit(self, study: StudyFields) -> None:
        """Replace the study and save it."""
        assert self._disk is not None
        before = self._disk.study, self._disk.unsaved
        self._disk.edit(study)
        self.taken_up = False
        if (self._disk.study, self._disk.unsaved) != before:
            self._begin_check()
            self.changed.emit()

    def save(self) -> None:
        """Try again to save what could not be saved."""
        assert self._disk is not None
        self._disk.save()
        self.changed.emit()

    def save_as(self, path: Path) -> None:
        """Save the study to another file, which is used from then on.

        Raises `StudyError` if the file cannot be written; nothing changes then.
        """
        assert self._disk is not None
        self._disk.save_as(path)
        self._set(self._disk)

    def _check_file(self) -> None:
        if self._disk is not None and self._disk.reload_changes():
            self.taken_up = not self._disk.missing
            self._begin_check()
            self.changed.emit()

    # ----------------------------------------------------------------------------------------- check

    def check_again(self) -> None:
        """Check again because the scene changed."""
        if self._disk is not None:
            self._begin_check()

    def _begin_check(self) -> None:
        if self._disk is None or self._disk.unreadable:
            self.study_check = StudyCheck()
            self.checked.emit()
            return
        if self._check_task is not None:
            self._check_again = True
            return
        study = self._disk.study
        path = self._disk.path
        self._check_task = Task("check", lambda _: checked(study, path), self, self._submit)
        self._check_task.finished.connect(self._on_checked)
        self._check_task.failed.connect(lambda problem: self._on_checked(StudyCheck()))

    def _discard_check(self) -> None:
        self._check_again = False
        if self._check_task is not None:
            self._check_task.discard()
            self._check_task = None

    @Slot(object)
    def _on_checked(self, study_check: StudyCheck) -> None:
        self._check_task = None
        if self._check_again:
            self._check_again = False
            self._begin_check()
        else:
            self.study_check = study_check
            self.checked.emit()

    # -------------------------------------------------------------------------------------- results

    def read_results_soon(self) -> None:
        """Read new results at a limited rate."""
        self._refresh_throttle.request()

    def read_all_results(self) -> None:
        """Read the results again after the last run, so that none is missing."""
        self.read_results(again=True)

    def read_results(self, again: bool = False) -> None:
        """Read results if there are more than before, or `again`."""
        path = self.path
        if path is None or (self._read_task is not None and not again):
            return
        if self._read_task is not None:
            self._read_task.discard()  # this reading must be the last
        before = None if again or self.results is None else self.results.number

        def work(_: object) -> list[StoredResults]:
            new_results = newer_results(path, before)
            return [] if new_results is None else [new_results]

        self._read_path = path
        self._read_task = Task("study results", work, self, self._submit)
        self._read_task.finished.connect(lambda read: self._on_read(read, ""))
        self._read_task.failed.connect(lambda problem: self._on_read([], problem.sentence()))

    def _on_read(self, read: list[StoredResults], error: str) -> None:
        self._read_task = None
        if self._read_path != self.path:
            return
        before = self.unreadable_results
        self.unreadable_results = error
        if read:
            self.results = read[0]
        if read or before != error:
            self.results_changed.emit()

    def trace(self, key: str) -> Trace | None:
        """Return the path and last pose of a run, by its key."""
        return None if self.path is None else trace_of(self.path, key)

    def close(self) -> None:
        """Stop everything because the window closes."""
        self._file_timer.stop()
        self._refresh_throttle.cancel()
        close_tasks(self)
