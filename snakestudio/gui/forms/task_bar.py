"""A progress bar that is visible while a task runs."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QProgressBar, QWidget

from snakestudio.gui.core.task import Task

_STEPS = 1000


class TaskBar(QProgressBar):
    """The progress of one task at a time; hidden without a task."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, _STEPS)
        self.setTextVisible(False)
        self.setAccessibleName("Progress")
        self._task: Task[Any] | None = None
        self.hide()

    def show_task(self, task: Task[Any] | None) -> None:
        """Show the progress of a task instead of the previous one; None hides the bar."""
        if task is not self._task:
            if self._task is not None and self._task.running:
                self._task.progressed.disconnect(self._show_fraction)
            self._task = task
            if task is not None and task.running:
                task.progressed.connect(self._show_fraction)
        running = task is not None and task.running
        self.setVisible(running)
        if task is not None and running:
            self._show_fraction(task.fraction)

    @Slot(float)
    def _show_fraction(self, fraction: float) -> None:
        self.setValue(round(_STEPS * fraction))
