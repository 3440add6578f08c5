"""Background work in a thread, with progress and result as signals in the window's thread."""

from __future__ import annotations

import contextlib
import logging
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.delay import Delay
from snakestudio.plugins.surroundings import PATIENCE_S, not_returning
from snakestudio.viewmodel.work import Progress, Submit, in_thread, problem_of

log = logging.getLogger(__name__)

Result = TypeVar("Result")

PROGRESS_MS = 50
"""Shortest time between two `progressed` signals, however often the work reports."""


class Task(QObject, Generic[Result]):
    """Work that starts when the task is constructed.

    All signals are emitted from the event loop of the window's thread, so none is missed if they are
    connected right after the construction. Exactly one of `finished`, `failed` and `cancelled` is
    emitted, unless the task was discarded.

    Parameters
    ----------
    name : str
        Name of the work in messages and logs ("export").
    work : callable
        Takes a `Progress` and returns the result, or None if it stopped early.
    owner : QObject
        The task is discarded when its owner is destroyed.
    submit : callable
        Starts the work, in a thread by default.
    """

    progressed = Signal(float)
    """The finished fraction, at most every `PROGRESS_MS`; the last report is never lost."""

    finished = Signal(object)
    """The work returned this result, even if it finished although a stop was requested."""

    failed = Signal(object)
    """The work raised an exception, which this `Problem` describes."""

    cancelled = Signal()
    """The work stopped early because `cancel` was called."""

    _reported = Signal()
    _done = Signal()

    def __init__(
        self,
        name: str,
        work: Callable[[Progress], Result | None],
        owner: QObject,
        submit: Submit = in_thread,
    ) -> None:
        # The application deletes the task in the window's thread, because the last reference may be
        # that of the worker.
        super().__init__(QCoreApplication.instance())
        self._name = name
        self._owner = weakref.ref(owner)
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._running = True
        self._discarded = False
        self._fraction = 0.0
        self._report_pending = False
        self._pause = Delay(PROGRESS_MS, self._on_pause_over, self)
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        self._done.connect(self._on_done, Qt.ConnectionType.QueuedConnection)
        owner.destroyed.connect(self.discard)
        self._future: Future[Result | None] = submit(name, partial(work, self._report))
        _running.append(self)
        self._future.add_done_callback(self._notify_done)

    @property
    def running(self) -> bool:
        """Whether the end has not been signalled yet."""
        return self._running

    @property
    def fraction(self) -> float:
        """The last reported finished fraction."""
        return self._fraction

    def cancel(self) -> None:
        """Ask the work to stop at its next report of progress."""
        self._stop.set()

    @Slot()
    def discard(self) -> None:
        """Ask the work to stop, and emit nothing any more."""
        self._discarded = True
        self._stop.set()

    def wait(self) -> None:
        """Return when the work has ended, or a plug-in does not return; signals follow from the event loop."""
        while not self._ended.wait(PATIENCE_S):
            if not_returning():
                return

    # --- in the thread of the work ---------------------------------------------------------------

    def _report(self, fraction: float) -> bool:
        self._fraction = fraction
        if not self._report_pending:
            self._report_pending = True
            self._emit_from_work(self._reported)
        return not self._stop.is_set()

    def _notify_done(self, future: Future[Any]) -> None:
        error = future.exception()
        if error is not None and not isinstance(error, SnakeStudioError):
            log.error("the %s failed", self._name, exc_info=error)
        self._emit_from_work(self._done)
        self._ended.set()

    @staticmethod
    def _emit_from_work(signal: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the application has ended, and nothing is shown
            signal.emit()

    # --- in the window's thread ------------------------------------------------------------------

    @Slot()
    def _on_reported(self) -> None:
        if not self._pause.isActive():
            self._emit_progress()

    @Slot()
    def _on_pause_over(self) -> None:
        if self._report_pending:
            self._emit_progress()

    def _emit_progress(self) -> None:
        self._report_pending = False  # before the fraction is read: a later report notifies again
        if self._running and not self._discarded:
            self.progressed.emit(self._fraction)
            self._pause.start()

    @Slot()
    def _on_done(self) -> None:
        self._ended.wait()  # the thread must not be emitting any more when this is deleted
        self._running = False
        if self in _running:
            _running.remove(self)
        if not self._discarded:
            self._emit_outcome()
        self.deleteLater()

    def _emit_outcome(self) -> None:
        error = self._future.exception()
        if error is not None:
            self.failed.emit(problem_of(self._name, error))
            return
        result = self._future.result()
        if result is None and self._stop.is_set():
            self.cancelled.emit()
        else:
            self.finished.emit(result)

    def belongs_to(self, owner: QObject) -> bool:
        """Whether `owner` is the owner of the task."""
        return self._owner() is owner


_running: list[Task[Any]] = []
"""Tasks whose end has not been handled in the window's thread yet."""


def close_tasks(owner: QObject) -> None:
    """Discard the running tasks of an owner, and wait for each (see `Task.wait`): before the program quits."""
    tasks = [task for task in _running if task.belongs_to(owner)]
    for task in tasks:
        task.discard()
    for task in tasks:
        task.wait()
