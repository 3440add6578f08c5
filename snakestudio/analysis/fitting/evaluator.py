"""Who carries out the evaluations that a search asks for: this thread, or a pool that is handed in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from snakestudio.analysis.fitting.objective import Objective, Outcome, Task


class StoppedError(Exception):
    """The work was stopped from outside."""


class Evaluator(Protocol):
    """Something that evaluates tasks."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of it, in sentences."""
        ...

    def map(self, tasks: Sequence[Task], go_on: Callable[[], bool]) -> list[Outcome]:
        """The outcomes of `tasks`, in their order.

        Raises `StoppedError` when `go_on`, which is asked often, says False.
        """
        ...


MakePool = Callable[[Objective], AbstractContextManager[Evaluator]]
"""Makes what evaluates in the place of an objective, and is gone when its context ends."""


class Here:
    """Evaluates in this thread, one task after the other."""

    notes = ()

    def __init__(self, objective: Objective) -> None:
        self._objective = objective

    def map(self, tasks: Sequence[Task], go_on: Callable[[], bool]) -> list[Outcome]:
        """See `Evaluator`."""
        outcomes = []
        for task in tasks:
            outcome = self._objective.evaluate(task, go_on) if go_on() else None
            if outcome is None:
                raise StoppedError
            outcomes.append(outcome)
        return outcomes
