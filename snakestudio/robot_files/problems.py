"""Problems of a robot file, collected so that all are reported together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from snakestudio.errors import Problem
from snakestudio.inputs import InputError


class ProblemsError(InputError):
    """Several problems of a robot file.

    Parameters
    ----------
    problems : sequence of Problem
        At least one.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].message, problems[0].remedy)
        self.problems = tuple(problems)


def problems_of(error: InputError) -> tuple[Problem, ...]:
    """Return the problems that an error reports."""
    return error.problems if isinstance(error, ProblemsError) else (error.problem(),)


class Problems:
    """Problems of a robot file while it is read or converted.

    Attributes
    ----------
    complete : bool
        Whether everything else in the file was read, so that later checks find real problems only.
    """

    def __init__(self) -> None:
        self.complete = True
        self._problems: list[Problem] = []

    def add(self, message: str, remedy: str) -> None:
        """Add a feature that a scene cannot represent; reading continues as if the file did not have it."""
        self._add(Problem("error", "", message, remedy))

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Run a block; an `InputError` ends the block and becomes a problem, and the rest of the file is read."""
        try:
            yield
        except InputError as error:
            self.record(error)

    def record(self, error: InputError) -> None:
        """Add the problems of an error, after which a part of the file is missing."""
        self.complete = False
        for problem in problems_of(error):
            self._add(problem)

    def _add(self, problem: Problem) -> None:
        if problem not in self._problems:
            self._problems.append(problem)

    def all(self) -> tuple[Problem, ...]:
        """Return all problems, in the order in which they were found, each once."""
        return tuple(self._problems)

    def check(self) -> None:
        """Raise `ProblemsError` with all problems, if there are any."""
        if self._problems:
            raise ProblemsError(self._problems)
