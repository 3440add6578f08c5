"""A comparison that is made in the background: one task at a time, cancelled without waiting for its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from snakestudio.errors import Problem
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.session.engine_compiler import EngineCompiler, Stage, prepare
from snakestudio.session.time_left import percent, time_left
from snakestudio.viewmodel.work import Progress

Result = TypeVar("Result")


class BackgroundComparison(QObject, Generic[Result]):
    """What comparisons of the window's scene have in common.

    Signals
    -------
    changed()
        It began, went on, ended or was cleared, or something about it is to be shown otherwise.
    """

    changed = Signal()

    subject_name = "comparison"
    """What it is called in messages."""

    def __init__(
        self,
        document: Document,
        parent: QObject | None = None,
        preparations: EngineCompiler | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self.task: Task[Result] | None = None
        """What makes the comparison; None while none is being made."""
        self.comparison: Result | None = None
        self.message = ""
        """Why there is no result, in a sentence; empty if there is nothing to say."""
        self.scene_file: str | None = None
        """Name of the file the scene came from."""
        self._preparations = preparations
        self.preparing = ""
        """Which engine it waits for, how far that is and how long it takes; empty while it waits
        for none."""
        document.opened.connect(self.clear)

    @property
    def busy(self) -> bool:
        """Whether it is being made."""
        return self.task is not None

    @property
    def fraction(self) -> float:
        """How much of that is done."""
        return 0.0 if self.task is None else self.task.fraction

    def _begin(self, work: Callable[[Progress], Result | None]) -> None:
        """Make it in a thread of its own, as of the document's file."""
        self.scene_file = self._document.origin.name if self._document.origin is not None else None
        self.task = Task(self.subject_name, work, self)
        self.task.progressed.connect(self._on_task_progressed)
        self.task.finished.connect(self._on_task_finished)
        self.task.failed.connect(self._on_task_failed)
        self.changed.emit()

    def _prepare(self, kinds: Iterable[str], progress: Progress) -> bool:
        """Have the engines of `kinds` compiled, in the task's thread; False if it was stopped meanwhile."""

        def tell(kind: str, stage: Stage) -> bool:
            left = time_left(stage.seconds_left)
            self.preparing = f"Preparing the {FORMULATIONS[kind].short} engine: {percent(stage.fraction)}, {left}"
            return progress(stage.fraction)

        try:
            return prepare(kinds, tell, self._preparations)
        finally:
            self.preparing = ""

    def cancel(self) -> None:
        """Stop; there is no result then."""
        if self.task is None:
            return
        self.task.discard()
        self.task = None
        self.message = f"The {self.subject_name} was cancelled."
        self.changed.emit()

    def clear(self) -> None:
        """Stop what is under way and take all of the last result away."""
        self.cancel()
        self.comparison = None
        self.message = ""
        self.changed.emit()

    def close(self) -> None:
        """Stop what is under way and wait for its end; call before the program quits."""
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
        self._end(None, problem.sentence())

    def _end(self, result: Result | None, message: str) -> None:
        self.task = None
        self.comparison = result
        self.message = message
        self._ended()
        self.changed.emit()

    def _ended(self) -> None:
        """There is a result, or a message why not."""
