"""The study that is open in the window: its file, what is wrong with it, and what has landed in its store."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.core.throttle import Throttle
from snakestudio.study.description import StudyFields
from snakestudio.study.evaluate import Trace
from snakestudio.study.study_file import scene_of
from snakestudio.viewmodel.study.checking import Findings, checked
from snakestudio.viewmodel.study.landing import Landed, landed, trace_of
from snakestudio.viewmodel.study.study_on_disk import StudyOnDisk

_LOOK_MS = 1000
_REFRESH_MS = 500
"""Results are read at most as often."""


class OpenStudy(QObject):
    """At most one study. Every change is saved at once; checks and results are made in threads.

    Signals
    -------
    opened()
        Another study is open, or none any more.
    changed()
        It is another study, or what stands about its file is otherwise.
    checked()
        There is other `findings`.
    landed()
        There are more `results`.
    """

    opened = Signal()
    changed = Signal()
    checked = Signal()
    landed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._disk: StudyOnDisk | None = None
        self.findings = Findings()
        self.results: Landed | None = None
        self.unreadable_results = ""
        """Why the results cannot be read, in a sentence; "" if they can."""
        self.taken_up = False
        """Whether the last change came from another program, by the file."""
        self._check: Task[Findings] | None = None
        self._check_again = False
        self._read: Task[list[Landed]] | None = None
        self._read_path: Path | None = None
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._look_at_file)
        self._refresh = Throttle(_REFRESH_MS, self.read_results, self)

    # ------------------------------------------------------------------------------------- the file

    @property
    def path(self) -> Path | None:
        """Its file; None while no study is open."""
        return self._disk.path if self._disk is not None else None

    @property
    def study(self) -> StudyFields:
        """As it is edited."""
        assert self._disk is not None
        return self._disk.study

    @property
    def scene_path(self) -> Path:
        """The file of its scene."""
        assert self._disk is not None
        return scene_of(self._disk.study, self._disk.path).resolve()

    @property
    def unreadable(self) -> str:
        """Why its file cannot be read, a sentence a line; "" if it can."""
        return self._disk.unreadable if self._disk is not None else ""

    @property
    def unsaved(self) -> str:
        """Why it is not in its file as it is edited, in a sentence; "" if it is."""
        return self._disk.unsaved if self._disk is not None else ""

    @property
    def missing(self) -> bool:
        """Whether somebody took its file away."""
        return self._disk is not None and self._disk.missing

    @property
    def pending(self) -> bool:
        """Whether there are changes that are not in its file."""
        return self._disk is not None and self._disk.pending

    @property
    def shipped(self) -> bool:
        """Whether it comes with the program: to be changed or run it is saved in another place."""
        return self._disk is not None and self._disk.shipped

    @property
    def ready(self) -> bool:
        """Whether it can be run as it stands."""
        return self._disk is not None and not (
            self.unreadable or self.unsaved or self.findings.problems or self.checking
        )

    @property
    def checking(self) -> bool:
        """Whether a check of it is under way."""
        return self._check is not None

    @property
    def reading(self) -> bool:
        """Whether its results are being read."""
        return self._read is not None

    def open(self, path: Path) -> None:
        """Open the study in a file.

        Raises `StudyError` if there is no such file.
        """
        self._set(StudyOnDisk(path))

    def close_study(self) -> None:
        """Open none any more."""
        self._set(None)

    def _set(self, disk: StudyOnDisk | None) -> None:
        self._disk = disk
        self.findings = Findings()
        self.results = None
        self.unreadable_results = ""
        self.taken_up = False
        if disk is not None:
            self._look.start()
            self._begin_check()
            self.read_results(again=True)  # what is being read is of the study before
        else:
            self._look.stop()
            self._discard_check()
        self.opened.emit()
        self.changed.emit()
        self.landed.emit()

    def edit(self, study: StudyFields) -> None:
        """Have another study in its place, saved at once."""
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
        """Save it in another place, where it stays from now on.

        Raises `StudyError` if it cannot be written there; then nothing has changed.
        """
        assert self._disk is not None
        self._disk.save_as(path)
        self._set(self._disk)

    def _look_at_file(self) -> None:
        if self._disk is not None and self._disk.look():
            self.taken_up = not self._disk.missing
            self._begin_check()
            self.changed.emit()

    # ------------------------------------------------------------------------ what is wrong with it

    def check_again(self) -> None:
        """Its scene is another one."""
        if self._disk is not None:
            self._begin_check()

    def _begin_check(self) -> None:
        if self._disk is None or self._disk.unreadable:
            self.findings = Findings()
            self.checked.emit()
            return
        if self._check is not None:
            self._check_again = True
            return
        study = self._disk.study
        path = self._disk.path
        self._check = Task("check", lambda _: checked(study, path), self)
        self._check.finished.connect(self._on_checked)
        self._check.failed.connect(lambda problem: self._on_checked(Findings()))

    def _discard_check(self) -> None:
        self._check_again = False
        if self._check is not None:
            self._check.discard()
            self._check = None

    @Slot(object)
    def _on_checked(self, findings: Findings) -> None:
        self._check = None
        if self._check_again:
            self._check_again = False
            self._begin_check()
        else:
            self.findings = findings
            self.checked.emit()

    # -------------------------------------------------------------------------------------- results

    def read_results_soon(self) -> None:
        """Read what has landed, but not more often than it can be followed."""
        self._refresh.ask()

    def read_all_results(self) -> None:
        """No more results will land: read them again, so that none is missed."""
        self.read_results(again=True)

    def read_results(self, again: bool = False) -> None:
        """Read what has landed, if it is more than before, or `again`."""
        path = self.path
        if path is None or (self._read is not None and not again):
            return
        if self._read is not None:
            self._read.discard()  # what is read now must be the last
        before = None if again or self.results is None else self.results.number

        def work(_: object) -> list[Landed]:
            found = landed(path, before)
            return [] if found is None else [found]

        self._read_path = path
        self._read = Task("study results", work, self)
        self._read.finished.connect(lambda read: self._on_read(read, ""))
        self._read.failed.connect(lambda problem: self._on_read([], problem.sentence()))

    def _on_read(self, read: list[Landed], error: str) -> None:
        self._read = None
        if self._read_path != self.path:
            return
        before = self.unreadable_results
        self.unreadable_results = error
        if read:
            self.results = read[0]
        if read or before != error:
            self.landed.emit()

    def trace(self, key: str) -> Trace | None:
        """Way and last posture of a run, by its key."""
        return None if self.path is None else trace_of(self.path, key)

    def close(self) -> None:
        """The window closes for good."""
        self._look.stop()
        self._refresh.cancel()
        close_tasks(self)
