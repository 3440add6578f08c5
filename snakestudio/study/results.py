"""Results of the points of a study: goals and limits over their repeats, the best point, and the front."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray, IntArray
from snakestudio.model.plausibility import NOT_CHECKED, PLAUSIBLE, Plausibility
from snakestudio.study.description import Goal, Limit, StudyFields
from snakestudio.study.goals import Over
from snakestudio.study.store import RunOutcome, RunRequest
from snakestudio.text import counted, listing


@dataclass(frozen=True, slots=True)
class PointScore:
    """Score of a point; see `samplers.Score`."""

    goals: tuple[float, ...]
    """Goals, smaller is better; infinite if a repeat failed."""

    excess: float
    """Relative violation of the limits and of the plausibility checks; 0 within."""


def over_repeats(numbers: FloatArray, over: Over, lower_is_worse: bool) -> float:
    """Combine the numbers of repeats; NaN if one of them is NaN."""
    if not len(numbers) or np.isnan(numbers).any():
        return math.nan
    if over == "mean":
        return float(np.mean(numbers))
    if over == "spread":
        return float(np.std(numbers, ddof=1)) if len(numbers) > 1 else 0.0
    return float(np.min(numbers) if lower_is_worse else np.max(numbers))


def _goal_over(goal: Goal, numbers: FloatArray) -> float:
    return over_repeats(numbers, goal.over, goal.aim == "maximise")


def _limit_over(limit: Limit, numbers: FloatArray) -> float:
    if limit.over == "worst" and limit.at_least is not None and limit.at_most is not None:
        # The one with the largest violation; within the bounds the choice does not matter.
        return max((float(number) for number in numbers), key=limit.excess, default=math.nan)
    return over_repeats(numbers, limit.over, limit.at_least is not None)


def score_of(study: StudyFields, outcomes: Sequence[RunOutcome]) -> PointScore:
    """Return the score of a point from the outcomes of its repeats."""
    measures = _measures(study, outcomes)
    goals = []
    excess = 0.0
    for k, goal in enumerate(study.goals):
        number = _goal_over(goal, measures[:, k])
        goals.append(
            math.inf if math.isnan(number) else -number if goal.aim == "maximise" else number
        )
    for k, limit in enumerate(study.limits, len(study.goals)):
        beyond = limit.excess(_limit_over(limit, measures[:, k]))
        bound = limit.at_most if limit.at_most is not None else limit.at_least
        excess += beyond / max(abs(bound or 0.0), 1e-9) if math.isfinite(beyond) else math.inf
    if not study.search.include_implausible:
        # Like a limit, so that an optimiser returns to plausible points from nearby ones.
        excess += max(
            (o.plausibility.excess for o in outcomes if o.plausibility is not None), default=0.0
        )
    return PointScore(tuple(goals), excess)


def _measures(study: StudyFields, outcomes: Sequence[RunOutcome]) -> FloatArray:
    """Return the measures of repeats, (r, goals and limits); NaN for failed runs."""
    count = len(study.goals) + len(study.limits)
    measures = np.full((len(outcomes), count), np.nan)
    for row, outcome in enumerate(outcomes):
        if outcome.state == "done" and len(outcome.measures) == count:
            measures[row] = outcome.measures
    return measures


def _plausibility_of(outcomes: Sequence[RunOutcome]) -> str:
    """Return the entry of a point in the column ``plausibility``."""
    results = [outcome.plausibility for outcome in outcomes if outcome.state == "done"]
    checks = dict.fromkeys(
        violation.check
        for result in results
        if result is not None
        for violation in result.violations
    )
    if checks:
        return " ".join(checks)
    return NOT_CHECKED if None in results else PLAUSIBLE if results else ""


class Table(Mapping[str, np.ndarray]):
    """The points of a study, one row each, as a mapping from column names to arrays.

    The columns are ``point``, the values, goals and limits by their names, ``within_limits``, the
    number of finished repeats (``runs``), of failed repeats (``failed``) and their computing time
    (``seconds``), and ``plausibility``: "plausible", the names of the checks that a repeat did not pass,
    "not checked", or "" without a completed repeat.

    Parameters
    ----------
    results : sequence of (Asked, Outcome or None)
        Runs by point and repeat, from `Store.results`.
    begun : tuple of (int, int), optional
        Starts and restarts of an optimiser: the first point, and the number of points per
        generation.
    """

    def __init__(
        self,
        study: StudyFields,
        results: Sequence[tuple[RunRequest, RunOutcome | None]],
        begun: tuple[tuple[int, int], ...] = (),
    ) -> None:
        self.study = study
        self.begun = begun
        self.rows: list[list[tuple[RunRequest, RunOutcome | None]]] = []
        for request, outcome in results:
            if not self.rows or self.rows[-1][0][0].point != request.point:
                self.rows.append([])
            self.rows[-1].append((request, outcome))
        n = len(self.rows)
        goals = study.goals
        limits = study.limits
        numbers = np.full((n, len(goals) + len(limits)), np.nan)
        runs = np.zeros(n, np.int64)
        failed = np.zeros(n, np.int64)
        seconds = np.zeros(n)
        plausibility = np.full(n, "", np.object_)
        for row, repeats in enumerate(self.rows):
            outcomes_done = [outcome for _, outcome in repeats if outcome is not None]
            runs[row] = len(outcomes_done)
            failed[row] = sum(outcome.state != "done" for outcome in outcomes_done)
            seconds[row] = math.fsum(outcome.seconds for outcome in outcomes_done)
            plausibility[row] = _plausibility_of(outcomes_done)
            if len(outcomes_done) < len(repeats):
                continue
            measures = _measures(study, outcomes_done)
            numbers[row] = [_goal_over(goal, measures[:, k]) for k, goal in enumerate(goals)] + [
                _limit_over(limit, measures[:, k]) for k, limit in enumerate(limits, len(goals))
            ]
        within = np.ones(n, np.bool_)
        for k, limit in enumerate(limits, len(goals)):
            within &= np.array(
                [limit.excess(number) == 0.0 for number in numbers[:, k]], np.bool_
            ).reshape(n)
        within &= (runs > 0) & (failed == 0)
        columns: dict[str, Any] = {
            "point": np.array([row[0][0].point for row in self.rows], np.int64)
        }
        for vary in study.vary:
            values = [row[0][0].changes.get(vary.all_keys[0]) for row in self.rows]
            plain = all(
                isinstance(value, int | float) and not isinstance(value, bool) for value in values
            )
            columns[vary.name] = np.array(values, np.float64 if plain else np.object_)
        for k, part in enumerate(study.measured):
            columns[part.called] = numbers[:, k]
        columns |= {
            "within_limits": within,
            "runs": runs,
            "failed": failed,
            "seconds": seconds,
            "plausibility": plausibility,
        }
        self._columns: dict[str, np.ndarray] = columns

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def n_points(self) -> int:
        """Number of points requested so far."""
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Table of {self.n_points} points: {', '.join(self)}>"

    @property
    def goals(self) -> FloatArray:
        """Goals of all points, smaller is better, (n, g)."""
        signs = [-1.0 if goal.aim == "maximise" else 1.0 for goal in self.study.goals]
        columns = [
            sign * self[goal.called] for sign, goal in zip(signs, self.study.goals, strict=True)
        ]
        return np.stack(columns, axis=1) if columns else np.zeros((self.n_points, 0))

    def including_implausible(self, include: bool) -> Table:
        """Return the same results, with or without the points that are not plausible among the valid ones."""
        if include == self.includes_implausible:
            return self
        search = self.study.search.model_copy(update={"include_implausible": include})
        table = copy(self)
        table.study = self.study.model_copy(update={"search": search})
        return table

    @property
    def includes_implausible(self) -> bool:
        """Whether points that are not plausible count."""
        return self.study.search.include_implausible

    @property
    def implausible(self) -> BoolArray:
        """Mask of the points with a run that is not plausible."""
        known = np.array(["", PLAUSIBLE, NOT_CHECKED], np.object_)
        implausible: BoolArray = ~np.isin(self["plausibility"], known)
        return implausible

    @property
    def counts(self) -> BoolArray:
        """Mask of the valid points: finished, plausible, within the limits, and with all goals.

        With `include_implausible` in the study's search, points do not have to be plausible.
        """
        counts: BoolArray = self["within_limits"] & ~np.isnan(self.goals).any(axis=1)
        return counts if self.includes_implausible else counts & ~self.implausible

    @property
    def implausible_runs(self) -> int:
        """Number of runs that are not plausible."""
        return sum(not result.plausible for result in self._results() if result is not None)

    @property
    def plausibility_note(self) -> str:
        """Sentences on the runs that are not plausible, or were not checked; "" if all are plausible."""
        results = self._results()
        notes = []
        if count := self.implausible_runs:
            titles = Counter(
                violation.title
                for result in results
                if result is not None
                for violation in result.violations
            )
            reasons = listing([title for title, _ in titles.most_common()], most=3)
            use = (
                "They count nevertheless."
                if self.includes_implausible
                else "They are left out of the best points."
            )
            are = "is" if count == 1 else "are"
            notes.append(
                f"{count:,} of {counted(len(results), 'run')} {are} not plausible: {reasons}. {use}"
            )
        if unchecked := sum(result is None for result in results):
            were = "was" if unchecked == 1 else "were"
            notes.append(
                f"{counted(unchecked, 'run')} of an earlier version {were} not checked for plausibility."
            )
        return " ".join(notes)

    def _results(self) -> list[Plausibility | None]:
        """Return the result of the plausibility checks of each completed run."""
        return [
            outcome.plausibility
            for repeats in self.rows
            for _, outcome in repeats
            if outcome is not None and outcome.state == "done"
        ]

    @property
    def best(self) -> int | None:
        """Row of the best point by the first goal; None without valid points."""
        rows = np.flatnonzero(self.counts)
        return int(rows[np.argmin(self.goals[rows, 0])]) if len(rows) and self.study.goals else None

    @property
    def front(self) -> IntArray:
        """Rows of the Pareto-optimal points."""
        rows = np.flatnonzero(self.counts)
        return rows[front(self.goals[rows])] if self.study.goals else rows[:0]

    @property
    def ranked(self) -> IntArray:
        """Rows of the valid points, the best first; with several goals only the front."""
        if len(self.study.goals) != 1:
            return self.front
        rows = np.flatnonzero(self.counts)
        return rows[np.argsort(self.goals[rows, 0], kind="stable")]

    @property
    def convergence(self) -> FloatArray:
        """Best value of the first goal up to each row; NaN before the first valid point."""
        if not self.study.goals:
            return np.full(self.n_points, np.nan)
        numbers = np.where(self.counts, self.goals[:, 0], np.inf)
        best = np.minimum.accumulate(numbers) if len(numbers) else numbers
        sign = -1.0 if self.study.goals[0].aim == "maximise" else 1.0
        return np.where(np.isinf(best), np.nan, sign * best)


def front(goals: FloatArray) -> IntArray:
    """Return the pareto-optimal rows of `goals` (n, g), where smaller is better, in the order of the first goal.

    Of identical rows only the first is included.
    """
    rest = np.lexsort(goals.T[::-1]) if goals.shape[1] else np.arange(min(1, len(goals)))
    best: list[int] = []
    while len(rest):  # in this order, no row is better than the first remaining one
        best.append(int(rest[0]))
        rest = rest[~np.all(goals[rest[0]] <= goals[rest], axis=1)]
    return np.array(best, np.int64)
