"""Tasks: result and progress arrive from the event loop; cancelling and closing are safe at any time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Slot
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from snakestudio.errors import Problem, UserError
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.task_bar import TaskBar
from snakestudio.viewmodel.work import Progress

pytestmark = pytest.mark.gui


class LaterExecutor:
    """Runs submitted work when the test decides, in the thread of the test."""

    def __init__(self) -> None:
        self._submitted: list[tuple[Callable[[], Any], Future[Any]]] = []

    def __call__(self, name: str, work: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self._submitted.append((work, future))
        return future

    def run(self) -> None:
        """Run all work to its end."""
        while self._submitted:
            work, future = self._submitted.pop(0)
            try:
                result = work()
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(result)


class Owner(QObject):
    """Records the signals of its tasks."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[tuple[str, object]] = []

    def start(self, work: Callable[[Progress], Any], executor: LaterExecutor) -> Task[Any]:
        task: Task[Any] = Task("export", work, self, executor)
        task.progressed.connect(self.on_progressed)
        task.finished.connect(self.on_finished)
        task.failed.connect(self.on_failed)
        task.cancelled.connect(self.on_cancelled)
        return task

    @Slot(float)
    def on_progressed(self, fraction: float) -> None:
        self.events.append(("progressed", fraction))

    @Slot(object)
    def on_finished(self, result: object) -> None:
        self.events.append(("finished", result))

    @Slot(object)
    def on_failed(self, problem: Problem) -> None:
        self.events.append(("failed", problem.sentence()))

    @Slot()
    def on_cancelled(self) -> None:
        self.events.append(("cancelled", None))


@pytest.fixture
def executor(qapp: QCoreApplication) -> LaterExecutor:
    return LaterExecutor()


@pytest.fixture
def owner(qapp: QCoreApplication) -> Owner:
    return Owner()


def deliver() -> None:
    """Process all pending events, including deletions of objects."""
    QCoreApplication.sendPostedEvents()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def report_until_stopped(progress: Progress) -> str | None:
    return "whole" if progress(0.5) else None


def test_result_arrives_from_event_loop(owner: Owner, executor: LaterExecutor) -> None:
    task = owner.start(lambda progress: 42, executor)
    executor.run()
    assert task.running
    assert owner.events == []
    deliver()
    assert not task.running
    assert owner.events == [("finished", 42)]


def test_many_reports_become_one_signal_with_the_last(
    owner: Owner, executor: LaterExecutor
) -> None:
    def work(progress: Progress) -> str:
        for step in range(1001):
            progress(step / 1000)
        deliver()
        return "done"

    owner.start(work, executor)
    executor.run()
    deliver()
    assert owner.events == [("progressed", 1.0), ("finished", "done")]


def test_report_soon_after_another_is_not_lost(
    owner: Owner, executor: LaterExecutor, qtbot: QtBot
) -> None:
    def work(progress: Progress) -> None:
        progress(0.25)
        deliver()
        progress(0.5)
        qtbot.waitUntil(lambda: ("progressed", 0.5) in owner.events)

    owner.start(work, executor)
    executor.run()
    deliver()
    assert owner.events == [("progressed", 0.25), ("progressed", 0.5), ("finished", None)]


def test_mistake_of_user_becomes_a_problem(
    owner: Owner, executor: LaterExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    def work(progress: Progress) -> None:
        raise UserError("run.csv cannot be written. Choose another folder.")

    owner.start(work, executor)
    executor.run()
    deliver()
    assert owner.events == [("failed", "run.csv cannot be written. Choose another folder.")]
    assert not caplog.records


def test_internal_error_is_logged_and_named(
    owner: Owner, executor: LaterExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    def work(progress: Progress) -> None:
        raise ZeroDivisionError("no rows")

    owner.start(work, executor)
    with caplog.at_level(logging.ERROR):
        executor.run()
        deliver()
    assert owner.events == [("failed", "The export failed: ZeroDivisionError('no rows').")]
    assert caplog.records[0].exc_info is not None


def test_cancelled_work_that_stops_is_signalled(owner: Owner, executor: LaterExecutor) -> None:
    owner.start(report_until_stopped, executor).cancel()
    executor.run()
    deliver()
    assert owner.events[-1] == ("cancelled", None)
    assert not any(name in ("finished", "failed") for name, _ in owner.events)


def test_cancelling_too_late_delivers_the_result(owner: Owner, executor: LaterExecutor) -> None:
    task = owner.start(report_until_stopped, executor)
    executor.run()
    task.cancel()
    deliver()
    assert owner.events[-1] == ("finished", "whole")


def test_discarded_task_is_silent(owner: Owner, executor: LaterExecutor) -> None:
    task = owner.start(report_until_stopped, executor)
    executor.run()
    task.discard()
    deliver()
    assert owner.events == []
    assert not task.running


def test_destroyed_owner_stops_its_task(owner: Owner, executor: LaterExecutor) -> None:
    results: list[object] = []
    task = owner.start(lambda progress: results.append(report_until_stopped(progress)), executor)
    task.finished.connect(lambda result: results.append("signalled"))
    shiboken6.delete(owner)
    executor.run()
    deliver()
    assert results == [None]
    assert not task.running


def test_finished_task_can_still_be_queried(owner: Owner, executor: LaterExecutor) -> None:
    task = owner.start(lambda progress: 42, executor)
    executor.run()
    deliver()
    deliver()
    assert not shiboken6.isValid(task)
    task.cancel()
    task.discard()
    task.wait()
    assert not task.running


def test_slots_run_in_the_thread_of_the_window(owner: Owner, qtbot: QtBot) -> None:
    threads: list[threading.Thread] = []
    task = Task("export", lambda progress: threading.current_thread(), owner)
    task.finished.connect(lambda worker: threads.extend((worker, threading.current_thread())))
    qtbot.waitUntil(lambda: len(threads) == 2)
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()


def test_closing_waits_only_for_tasks_of_the_owner(owner: Owner) -> None:
    other = Owner()
    begun = threading.Event()
    free = threading.Event()
    ended = threading.Event()

    def until_stopped(progress: Progress) -> None:
        begun.set()
        while progress(0.0):
            free.wait(0.001)
        ended.set()

    def until_free(progress: Progress) -> None:
        free.wait()

    task = Task("export", until_stopped, owner)
    others = Task("export", until_free, other)
    begun.wait()
    close_tasks(owner)
    assert ended.is_set()
    assert others.running
    free.set()
    close_tasks(other)
    deliver()
    assert not task.running
    assert not others.running


def test_bar_follows_its_task_and_hides(
    owner: Owner, executor: LaterExecutor, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    bar = TaskBar(window)
    values: list[int] = []

    def work(progress: Progress) -> None:
        progress(0.25)
        deliver()
        values.append(bar.value())

    task = owner.start(work, executor)
    task.finished.connect(lambda _: bar.show_task(None))
    bar.show_task(task)
    assert not bar.isHidden()
    executor.run()
    deliver()
    assert values == [250]
    assert bar.isHidden()


def test_bar_ignores_the_previous_task(owner: Owner, executor: LaterExecutor, qtbot: QtBot) -> None:
    bar = TaskBar()
    qtbot.addWidget(bar)
    bar.show_task(owner.start(lambda progress: progress(0.75), executor))
    bar.show_task(owner.start(lambda progress: None, executor))
    executor.run()
    deliver()
    assert bar.value() <= 0
