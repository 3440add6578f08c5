"""Evaluators for the evaluations of a search: the current thread, or an external pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from snakestudio.analysis.fitting.objective import Objective, Outcome, Task


class StoppedError(Exception):
    """The evaluation was stopped from outside."""


class Evaluator(Protocol):
    """Evaluates tasks."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the evaluation."""
        ...

    def map(self, tasks: Sequence[Task], proceed: Callable[[], bool]) -> list[Outcome]:
        """Return the outcomes of `tasks`, in order.

        Raises `StoppedError` when `proceed`, which is polled often, returns False.
        """
        ...


MakePool = Callable[[Objective], AbstractContextManager[Evaluator]]
"""Creates a replacement evaluator of an objective, which is closed when its context ends."""


class SerialEvaluator:
    """Evaluates tasks in this thread, one after the other."""

    notes = ()

    def __init__(self, objective: Objective) -> None:
        self._objective = objective

    def map(self, tasks: Sequence[Task], proceed: Callable[[], bool]) -> list[Outcome]:
        """See `Evaluator.map`."""
        outcomes = []
        for task in tasks:
            outcome = self._objective.evaluate(task, proceed) if proceed() else None
            if outcome is None:
                raise StoppedError
            outcomes.append(outcome)
        return outcomes
