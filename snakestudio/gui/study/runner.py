"""Runs the window's study in a process of its own, and puts it back where a robot needs this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, QTimer, Signal

from snakestudio.errors import StudyError
from snakestudio.study.driver import Progress
from snakestudio.study.running import Workers
from snakestudio.viewmodel.study.study_process import StudyProcess
from snakestudio.viewmodel.study.study_texts import how_far

__all__ = ["ARMED", "StudyRunner", "on_this_machine"]

_POLL_MS = 100

ARMED = "The study is paused, as the robot may move: its timing goes first. Resume it when the robot is disarmed."

Start = Callable[[Path, Workers], StudyProcess]


def on_this_machine(workers: Workers) -> bool:
    """Whether a study would compute here."""
    host = urlsplit(workers.scheduler).hostname if workers.scheduler is not None else None
    return workers.scheduler is None or host in ("localhost", "127.0.0.1", "::1")


class StudyRunner(QObject):
    """At most one run of a study.

    A robot that gets armed while one runs on this machine pauses it: no more runs are handed out, and what the workers
    have still under way is of lower priority than everything else. It goes on when somebody says so and not by itself,
    or disarming for a moment would take the machine from who is about to arm again.

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

    def __init__(self, movable: Callable[[], bool], parent: QObject | None = None, start: Start = StudyProcess) -> None:
        super().__init__(parent)
        self._movable, self._start = movable, start
        self._process: StudyProcess | None = None
        self._was_movable = False
        self.path: Path | None = None
        """File of the study that runs, or ran last."""
        self.pausing = False
        """Whether it was asked to pause."""
        self.paused_by_robot = False
        self.error = ""
        """Why the last run ended before its time, a sentence a line; "" if it did not."""
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._shown: object = None

    # -------------------------------------------------------------------------------------------------- how far it is

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
        return f"{text}, cancelled" if process.progress.state == "cancelled" or process.cancelled else text

    # --------------------------------------------------------------------------------------------------- what it does

    def start(self, path: Path, workers: Workers) -> None:
        """Run the study in a file; what is known already is taken over."""
        if self.busy:
            return
        self.error, self.pausing, self.paused_by_robot = "", False, False
        self.path = path
        try:
            self._process = self._start(path, workers)
        except StudyError as error:
            self._process, self.error = None, str(error)
            self.changed.emit()
            return
        self._was_movable = self._movable()
        self._timer.start()
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
        armed, self._was_movable = movable and not self._was_movable, movable
        if armed and self.busy and self.here and not self.pausing:
            self.paused_by_robot = True
            self.pause()

    def _poll(self) -> None:
        process = self._process
        if process is None:
            return
        now = (process.running, process.progress, process.doing, process.notes)
        if now != self._shown:
            self._shown = now
            self.changed.emit()
        if not process.running:
            self._timer.stop()
            self.error = process.error
            self.pausing = self.paused_by_robot = False
            self.changed.emit()
            self.ended.emit()

    def forget(self) -> None:
        """Why the last run ended is of the past: a study was opened since."""
        if not self.busy and self.error:
            self.error = ""
            self.changed.emit()

    def close(self) -> None:
        """The window closes for good: end what runs, and wait for that."""
        self._timer.stop()
        if self._process is not None and self._process.running:
            self._process.close()
