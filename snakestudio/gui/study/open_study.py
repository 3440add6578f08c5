"""The study that is open in the window: its file, what is wrong with it, and what has landed in its store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from snakestudio.study.description import StudyFields
from snakestudio.study.evaluate import Trace
from snakestudio.study.study_file import scene_of
from snakestudio.viewmodel.job import Job
from snakestudio.viewmodel.study.checking import Findings, checked
from snakestudio.viewmodel.study.landing import Landed, landed, trace_of
from snakestudio.viewmodel.study.study_on_disk import StudyOnDisk

__all__ = ["OpenStudy"]

_LOOK_MS = 1000
_WATCH_MS = 25
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
        self._check: Job[Findings] | None = None
        self._check_again = False
        self._read: Job[list[Landed]] | None = None
        self._read_path: Path | None = None
        self._look = _timer(_LOOK_MS, self._look_at_file, self)
        self._watch = _timer(_WATCH_MS, self._watch_jobs, self)
        self._refresh = _timer(_REFRESH_MS, self.read_results, self)

    # ------------------------------------------------------------------------------------------------------ the file

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
            self.unreadable or self.unsaved or self.findings.problems or self._check is not None
        )

    def open(self, path: Path) -> None:
        """Open the study in a file.

        Raises
        ------
        StudyError
            If there is no such file.
        """
        self._set(StudyOnDisk(path))

    def close_study(self) -> None:
        """Open none any more."""
        self._set(None)

    def _set(self, disk: StudyOnDisk | None) -> None:
        self._disk = disk
        self.findings, self.results, self.unreadable_results = Findings(), None, ""
        self.taken_up = False
        if disk is not None:
            self._look.start()
            self._begin_check()
            self.read_results()
        else:
            self._look.stop()
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

        Raises
        ------
        StudyError
            If it cannot be written there; then nothing has changed.
        """
        assert self._disk is not None
        self._disk.save_as(path)
        self._set(self._disk)

    def _look_at_file(self) -> None:
        if self._disk is not None and self._disk.look():
            self.taken_up = not self._disk.missing
            self._begin_check()
            self.changed.emit()

    # ----------------------------------------------------------------------------------------- what is wrong with it

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
        study, path = self._disk.study, self._disk.path
        self._check = Job("check", lambda _: checked(study, path))
        self._watch.start()

    # ------------------------------------------------------------------------------------------------------- results

    def follow(self, running: bool) -> None:
        """Whether results are landing; when they have ended they are read once more."""
        if running:
            self._refresh.start()
        else:
            self._refresh.stop()
            self.read_results(again=True)

    def read_results(self, again: bool = False) -> None:
        """Read what has landed, if it is more than before, or `again`."""
        path = self.path
        if path is None or (self._read is not None and not again):
            return
        if self._read is not None:
            self._read.wait()  # a fraction of a second: what is read now must be the last
        before = None if again or self.results is None else self.results.number

        def work(_: object) -> list[Landed]:
            found = landed(path, before)
            return [] if found is None else [found]

        self._read, self._read_path = Job("reading of results", work), path
        self._watch.start()

    def trace(self, key: str) -> Trace | None:
        """Way and last posture of a run, by its key."""
        return None if self.path is None else trace_of(self.path, key)

    # ---------------------------------------------------------------------------------------------------------- jobs

    def _watch_jobs(self) -> None:
        check, read = self._check, self._read
        if check is not None and not check.running:
            self._check = None
            if self._check_again:
                self._check_again = False
                self._begin_check()
            else:
                self.findings = check.result or Findings()
                self.checked.emit()
        if read is not None and not read.running:
            self._read = None
            if self._read_path == self.path:
                self._take(read)
        if self._check is None and self._read is None:
            self._watch.stop()

    def _take(self, read: Job[list[Landed]]) -> None:
        before = self.unreadable_results
        self.unreadable_results = read.error
        if read.result:
            self.results = read.result[0]
        if read.result or before != read.error:
            self.landed.emit()

    def close(self) -> None:
        """The window closes for good."""
        for timer in (self._look, self._watch, self._refresh):
            timer.stop()
        for job in (self._check, self._read):
            if job is not None:
                job.wait()


def _timer(interval_ms: int, call: Callable[[], object], parent: QObject) -> QTimer:
    timer = QTimer(parent)
    timer.setInterval(interval_ms)
    timer.timeout.connect(call)
    return timer
