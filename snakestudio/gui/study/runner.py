"""Runs the window's study in a separate process, and pauses it if a robot needs this computer."""

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
    """Return whether a study would be computed on this computer."""
    host = urlsplit(workers.scheduler).hostname if workers.scheduler is not None else None
    return workers.scheduler is None or host in ("localhost", "127.0.0.1", "::1")


class StudyRunner(QObject):
    """At most one run of a study.

    A robot that is armed during a run on this computer pauses the study: no more runs are started,
    and the workers finish theirs at a lower priority than everything else. Only the user resumes
    it: resuming automatically after a short disarming would take the computer from a user who is
    about to arm again.

    Parameters
    ----------
    movable : callable
        Returns whether a robot of this window may be armed.
    start : callable, optional
        Starts the process.

    Signals
    -------
    changed()
        A run began, resumed or ended.
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
        """File of the study that is running, or ran last."""
        self.pausing = False
        """Whether a pause was requested."""
        self.paused_by_robot = False
        self.error = ""
        """Reason why the last run ended early, a sentence per line; "" if it did not."""
        self.task: Task[bool] | None = None
        """Task that follows the process; None while no study is running."""

    # ------------------------------------------------------------------------------------- progress

    @property
    def busy(self) -> bool:
        """Whether a study is running, paused, or being stopped."""
        return self._process is not None and self._process.running

    @property
    def cancelling(self) -> bool:
        """Whether the study is being stopped."""
        return self.busy and self._process is not None and self._process.cancelled

    @property
    def here(self) -> bool:
        """Whether the study is computed on this computer."""
        return self._process is not None and on_this_machine(self._process.workers)

    @property
    def progress(self) -> Progress | None:
        """Progress of the study that is running, or ran last."""
        return self._process.progress if self._process is not None else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the run, as sentences."""
        return self._process.notes if self._process is not None else ()

    @property
    def text(self) -> str:
        """Short text of the progress."""
        process = self._process
        if process is None:
            return ""
        if self.cancelling:
            return "Ending..."
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

    # -------------------------------------------------------------------------------------- control

    def start(self, path: Path, workers: Workers) -> None:
        """Run the study in a file; existing results are reused."""
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
            self.task.discard()  # belongs to a study that has ended but not yet signalled it
        self.task = Task("study", partial(_follow, self._process), self)
        self.task.progressed.connect(self._on_progressed)
        self.task.finished.connect(self._on_ended)
        self.began.emit()
        self.changed.emit()

    def pause(self) -> None:
        """Start no more runs."""
        if self._process is not None and self.busy:
            self.pausing = True
            self._process.pause()
            self.changed.emit()

    def resume(self) -> None:
        """Resume after a pause."""
        if self._process is not None and self.busy:
            self.pausing = self.paused_by_robot = False
            self._process.resume()
            self.changed.emit()

    def cancel(self) -> None:
        """Stop the study in a second; finished runs are saved."""
        if self._process is not None and self.busy:
            self._process.cancel()
            self.changed.emit()

    def check_robot(self) -> None:
        """Check whether a robot was armed."""
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

    def clear_error(self) -> None:
        """Clear the error of the last run because another study was opened."""
        if not self.busy and self.error:
            self.error = ""
            self.changed.emit()

    def close(self) -> None:
        """Stop the study and wait for its end because the window closes."""
        if self._process is not None and self._process.running:
            self._process.close()
        close_tasks(self)


def _follow(process: StudyProcess, report: Report) -> bool:
    """Report the progress of a study until it ends."""

    def on_change() -> None:
        progress = process.progress
        report(progress.finished / max(1, progress.runs) if progress is not None else 0.0)

    process.follow(on_change)
    return True
