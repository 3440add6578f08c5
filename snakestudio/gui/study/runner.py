"""Runs the window's study in a process of its own, and puts it back where a robot needs this machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal, Slot

from snakestudio.errors import StudyError
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.study.driver import Progress
from snakestudio.study.running import Workers
from snakestudio.viewmodel.study.study_process import StudyProcess
from snakestudio.viewmodel.study.study_texts import how_far
from snakestudio.viewmodel.work import Progress as Report

ARMED = "The study is paused because the robot may move and has priority. Resume it when the robot is disarmed."

Start = Callable[[Path, Workers], StudyProcess]


def on_this_machine(workers: Workers) -> bool:
    """Whether a study would compute here."""
    host = urlsplit(workers.scheduler).hostname if workers.scheduler is not None else None
    return workers.scheduler is None or host in ("localhost", "127.0.0.1", "::1")


class StudyRunner(QObject):
    """At most one run of a study.

    A robot that gets armed while one runs on this machine pauses it: no more runs are handed out,
    and what the workers have still under way is of lower priority than everything else. It goes on
    when somebody says so and not by itself, or disarming for a moment would take the machine from
    who is about to arm again.

    Parameters
    ----------
    movable : callable
        Whether torque may be on at a robot of this window.
    start : callable, optional
        Starts the process.

    Signals
    -------
    changed()
        It began, went on or ended.
    began()
    ended()
    """

    changed = Signal()
    began = Signal()
    ended = Signal()

    def __init__(
        self,
        movable: Callable[[], bool],
        parent: QObject | None = None,
        start: Start = StudyProcess,
    ) -> None:
        super().__init__(parent)
        self._movable = movable
        self._start = start
        self._process: StudyProcess | None = None
        self._was_movable = False
        self.path: Path | None = None
        """File of the study that runs, or ran last."""
        self.pausing = False
        """Whether it was asked to pause."""
        self.paused_by_robot = False
        self.error = ""
        """Why the last run ended before its time, a sentence a line; "" if it did not."""
        self.task: Task[bool] | None = None
        """What follows the process; None while no study runs."""

    # -------------------------------------------------------------------------------- how far it is

    @property
    def busy(self) -> bool:
        """Whether a study runs, is paused, or is being ended."""
        return self._process is not None and self._process.running

    @property
    def cancelling(self) -> bool:
        """Whether it is being ended."""
        return self.busy and self._process is not None and self._process.cancelled

    @property
    def here(self) -> bool:
        """Whether it computes on this machine."""
        return self._process is not None and on_this_machine(self._process.workers)

    @property
    def progress(self) -> Progress | None:
        """Of the study that runs, or ran last."""
        return self._process.progress if self._process is not None else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known about it, in sentences."""
        return self._process.notes if self._process is not None else ()

    @property
    def text(self) -> str:
        """How far it is, in few words."""
        process = self._process
        if process is None:
            return ""
        if self.cancelling:
            return "Ending ..."
        text = how_far(process.progress, process.doing)
        if process.running:
            return f"{text}, pausing" if self.pausing and not process.paused else text
        if process.progress is None:
            return ""
        return (
            f"{text}, cancelled"
            if process.progress.state == "cancelled" or process.cancelled
            else text
        )

    # --------------------------------------------------------------------------------- what it does

    def start(self, path: Path, workers: Workers) -> None:
        """Run the study in a file; what is known already is taken over."""
        if self.busy:
            return
        self.error = ""
        self.pausing = False
        self.paused_by_robot = False
        self.path = path
        try:
            self._process = self._start(path, workers)
        except StudyError as error:
            self._process = None
            self.error = str(error)
            self.changed.emit()
            return
        self._was_movable = self._movable()
        if self.task is not None:
            self.task.discard()  # of a study that has ended, which is about to be signalled
        self.task = Task("study", partial(_follow, self._process), self)
        self.task.progressed.connect(self._on_progressed)
        self.task.finished.connect(self._on_ended)
        self.began.emit()
        self.changed.emit()

    def pause(self) -> None:
        """Hand out no more runs."""
        if self._process is not None and self.busy:
            self.pausing = True
            self._process.pause()
            self.changed.emit()

    def go_on(self) -> None:
        """Go on after a pause."""
        if self._process is not None and self.busy:
            self.pausing = self.paused_by_robot = False
            self._process.go_on()
            self.changed.emit()

    def cancel(self) -> None:
        """End it within a second; what is finished is kept."""
        if self._process is not None and self.busy:
            self._process.cancel()
            self.changed.emit()

    def look_at_robot(self) -> None:
        """A robot may have been armed."""
        movable = self._movable()
        armed = movable and not self._was_movable
        self._was_movable = movable
        if armed and self.busy and self.here and not self.pausing:
            self.paused_by_robot = True
            self.pause()

    @Slot(float)
    def _on_progressed(self, fraction: float) -> None:
        self.changed.emit()

    @Slot(object)
    def _on_ended(self, ended: bool) -> None:
        self.task = None
        self.error = self._process.error if self._process is not None else ""
        self.pausing = False
        self.paused_by_robot = False
        self.changed.emit()
        self.ended.emit()

    def forget(self) -> None:
        """Why the last run ended is of the past: a study was opened since."""
        if not self.busy and self.error:
            self.error = ""
            self.changed.emit()

    def close(self) -> None:
        """The window closes for good: end what runs, and wait for that."""
        if self._process is not None and self._process.running:
            self._process.close()
        close_tasks(self)


def _follow(process: StudyProcess, report: Report) -> bool:
    """Report how far a study is until it has ended."""

    def on_change() -> None:
        progress = process.progress
        report(progress.finished / max(1, progress.runs) if progress is not None else 0.0)

    process.follow(on_change)
    return True
