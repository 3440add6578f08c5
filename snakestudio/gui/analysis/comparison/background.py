"""Comparison computed in the background: one task at a time, cancelled without waiting for its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from snakestudio.errors import Problem
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.session.engine_compiler import EngineCompiler, Stage, prepare
from snakestudio.session.time_left import progress_text
from snakestudio.viewmodel.scene.message_labels import labelled
from snakestudio.viewmodel.work import Progress

Result = TypeVar("Result")


class BackgroundComparison(QObject, Generic[Result]):
    """Base of comparisons of the window's scene.

    Signals
    -------
    changed()
        The comparison began, progressed, ended or was cleared, or must be shown differently.
    """

    changed = Signal()

    subject_name = "comparison"
    """Name of the comparison in messages."""

    def __init__(
        self,
        document: Document,
        parent: QObject | None = None,
        preparations: EngineCompiler | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self.task: Task[Result] | None = None
        """Task that computes the comparison; None while none is running."""
        self.comparison: Result | None = None
        self.message = ""
        """Reason why there is no result, as a sentence; empty if there is nothing to report."""
        self.scene_file: str | None = None
        """Name of the scene's file."""
        self._preparations = preparations
        self.preparing = ""
        """Engine that is being compiled, with progress and remaining time; empty if the comparison does not
        wait for one."""
        document.opened.connect(self.clear)

    @property
    def busy(self) -> bool:
        """Whether the comparison is being computed."""
        return self.task is not None

    @property
    def fraction(self) -> float:
        """Completed fraction."""
        return 0.0 if self.task is None else self.task.fraction

    def _begin(self, work: Callable[[Progress], Result | None]) -> None:
        """Run `work` in a thread, with file names relative to the document's file."""
        self.scene_file = self._document.origin.name if self._document.origin is not None else None
        self.task = Task(self.subject_name, work, self)
        self.task.progressed.connect(self._on_task_progressed)
        self.task.finished.connect(self._on_task_finished)
        self.task.failed.connect(self._on_task_failed)
        self.changed.emit()

    def _prepare(self, kinds: Iterable[str], progress: Progress) -> bool:
        """Have the engines of `kinds` compiled, in the task's thread; return False if cancelled."""

        def report(kind: str, stage: Stage) -> bool:
            left = progress_text(stage.fraction, stage.seconds_left)
            self.preparing = f"Preparing the {FORMULATIONS[kind].short} engine: {left}"
            return progress(stage.fraction)

        try:
            return prepare(kinds, report, self._preparations)
        finally:
            self.preparing = ""

    def cancel(self) -> None:
        """Cancel the comparison; there is no result then."""
        if self.task is None:
            return
        self.task.discard()
        self.task = None
        self.message = f"The {self.subject_name} was cancelled."
        self.changed.emit()

    def clear(self) -> None:
        """Cancel the task in progress and discard the last result."""
        self.cancel()
        self.comparison = None
        self.message = ""
        self.changed.emit()

    def close(self) -> None:
        """Cancel the task in progress and wait for its end; call before the program quits."""
        self.cancel()
        close_tasks(self)

    @Slot(float)
    def _on_task_progressed(self, fraction: float) -> None:
        self.changed.emit()

    @Slot(object)
    def _on_task_finished(self, result: Result | None) -> None:
        self._end(result, "")

    @Slot(object)
    def _on_task_failed(self, problem: Problem) -> None:
        self._end(None, labelled(problem.sentence(), self._document.scene))

    def _end(self, result: Result | None, message: str) -> None:
        self.task = None
        self.comparison = result
        self.message = message
        self._ended()
        self.changed.emit()

    def _ended(self) -> None:
        """React to a new result, or a message."""
