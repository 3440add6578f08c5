"""Description of a study: the varied values of a scene, the search, the goals and constraints.

An immutable value that is declared like a scene: the file format, the window and the Python API all
follow these declarations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, model_validator

from snakestudio.errors import Problem
from snakestudio.model.fields import Frozen, value
from snakestudio.study.goals import Aim, Over, natural_aim
from snakestudio.text import counted

FORMAT = 2
"""Version of the file format. In format 1 a goal without aim is always maximised."""

MOST_RUNS = 1_000_000
"""Largest number of runs of a study; more would neither finish nor fit into a table."""

SearchKind = Literal["grid", "random", "latin_hypercube", "sobol", "cma_es", "nsga2", "tpe"]

GOALS_OF: dict[str, tuple[int, int]] = {"cma_es": (1, 1), "nsga2": (2, 3), "tpe": (1, 3)}
"""Smallest and largest number of goals of each adaptive search."""

Plain = bool | int | float | str


class Vary(Frozen):
    """A varied value of the scene, or several equal ones, over a range or a list.

    Values with the same name in `together` vary together: all are at the same fraction of their
    ranges, or at the same entry of their lists.
    """

    key: str = value("", label="Key", help="Scene key, such as gait.amplitude_deg", max_length=200)
    keys: tuple[str, ...] = value(
        (), label="Keys", help="Several scene keys with the same value", max_length=200
    )
    low: float | None = value(
        None, label="From", help="Lower end of the range, in the unit of the key"
    )
    high: float | None = value(
        None, label="To", help="Upper end of the range, in the unit of the key"
    )
    steps: int | None = value(
        None,
        label="Steps",
        help="Number of values in a grid, including both ends of the range",
        ge=2,
        le=MOST_RUNS,
    )
    values: tuple[Plain, ...] = value(
        (), label="Values", help="List of values instead of a range", max_length=10_000
    )
    scale: Literal["lin", "log"] = value(
        "lin", label="Scale", help="Linear or logarithmic spacing of the steps"
    )
    together: str = value(
        "", label="Together", help="Values with the same group name vary together", max_length=80
    )

    @property
    def all_keys(self) -> tuple[str, ...]:
        """All keys, from `key` or `keys`."""
        return (self.key, *self.keys) if self.key else self.keys

    @property
    def name(self) -> str:
        """Name in tables, such as "ground.mu_along+ground.mu_across"."""
        return "+".join(self.all_keys)

    @property
    def count(self) -> int | None:
        """Number of values in a grid; None for a range without steps."""
        return len(self.values) if self.values else self.steps

    def at(self, position: float) -> Plain:
        """Return the value at a fraction from 0 to 1 of the range or the list, rounded to 9 digits."""
        position = min(max(position, 0.0), 1.0)
        if self.values:
            return self.values[min(int(position * len(self.values)), len(self.values) - 1)]
        assert self.low is not None
        assert self.high is not None
        if self.scale == "log":
            exact = self.low * (self.high / self.low) ** position
        else:
            exact = self.low + position * (self.high - self.low)
        return min(max(float(f"{exact:.9g}"), self.low), self.high)

    def step(self, index: int, count: int) -> Plain:
        """Return the value of entry `index` of a grid with `count` entries."""
        return self.values[index] if self.values else self.at(index / (count - 1))

    def mistakes(self) -> Iterator[tuple[str, str, str]]:
        """Yield the problems as field, message and remedy."""
        if not self.all_keys:
            yield "key", "is missing", "give a scene key, such as gait.amplitude_deg"
        if self.key and self.keys:
            yield "keys", "a key and several keys are given", "give one of them"
        if self.values:
            if self.low is not None or self.high is not None or self.steps is not None:
                yield "values", "a list and a range are given", "give one of them"
            if len(self.values) < 2:
                yield (
                    "values",
                    "a list of one value does not vary",
                    "give at least two, or make it a fixed value",
                )
            if len(set(map(repr, self.values))) < len(self.values):
                yield "values", "the list contains a value twice", "give each value once"
        elif self.low is None or self.high is None:
            yield "low", "the range is incomplete", "give both ends, or a list of values"
        elif not self.low < self.high:
            yield (
                "low",
                f"the range goes from {self.low:g} to {self.high:g}",
                "give the smaller number first",
            )
        elif self.scale == "log" and self.low <= 0.0:
            yield (
                "low",
                f"a logarithmic scale cannot start at {self.low:g}",
                "give a positive lower end",
            )


class Search(Frozen):
    """Search over the varied values."""

    kind: SearchKind = value("grid", label="Search", help="Method that chooses the points")
    points: int = value(
        100, label="Points", help="Number of points; ignored by a grid", ge=1, le=MOST_RUNS
    )
    seed: int = value(1, label="Seed", help="Seed of the random numbers", ge=0, le=2**32 - 1)
    batch: int = value(
        0,
        label="Generation",
        help="Number of points per generation of an optimiser, for cma_es and nsga2 at least 2; 0: automatic",
        ge=0,
        le=10_000,
    )
    include_implausible: bool = value(
        False,
        label="Include implausible runs",
        help="Whether runs that are not plausible count for the best points, the front and optimisers",
    )


class Jitter(Frozen):
    """Random variation of a value between repeats."""

    key: str = value(
        label="Key", help="Scene key; obstacles[*].x_m applies to all obstacles", max_length=200
    )
    spread: float = value(
        label="Spread",
        help="Standard deviation, or half the width of a uniform distribution",
        gt=0,
        le=1e6,
    )
    law: Literal["normal", "uniform"] = value(
        "normal", label="Law", help="Probability distribution"
    )
    relative: bool = value(
        False, label="Relative", help="Whether the spread is relative to the value"
    )


class Repeats(Frozen):
    """Repeated runs of every point, with random variations."""

    count: int = value(1, label="Repeats", help="Number of runs per point", ge=1, le=10_000)
    seed: int = value(
        1,
        label="Seed",
        help="Seed of the variations, which are the same at every point",
        ge=0,
        le=2**32 - 1,
    )
    jitter: tuple[Jitter, ...] = value(
        (), label="Jitter", help="Random variations between repeats", max_length=200
    )


class Goal(Frozen):
    """An objective of a study."""

    name: str = value(
        "", label="Name", help="Name in tables; the measure if omitted", max_length=80
    )
    measure: str = value(
        label="Measure",
        help="Predefined measure, such as net_speed, or an expression",
        max_length=2000,
    )
    aim: Aim = value(
        None,
        label="Aim",
        help="Direction of improvement; if omitted, costs and spreads are minimised, all others maximised",
    )
    over: Over = value("mean", label="Over repeats", help="How the values of repeats are combined")

    @model_validator(mode="before")
    @classmethod
    def _with_aim(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("aim") is not None:
            return values
        return values | {
            "aim": natural_aim(str(values.get("measure", "")), str(values.get("over", "mean")))
        }

    @property
    def natural_aim(self) -> Aim:
        """Natural direction of improvement of the measure."""
        return natural_aim(self.measure, self.over)

    @property
    def warning(self) -> str:
        """Message with remedy about an unusual direction; "" if it is usual."""
        if self.aim == self.natural_aim or self.natural_aim == "maximise":
            return ""
        what = "A spread" if self.over == "spread" else "A cost"
        return (
            f"{what} is maximised here. Minimise it, unless a larger value is better in this study."
        )

    @property
    def called(self) -> str:
        """Name in tables."""
        return self.name or self.measure


class Limit(Frozen):
    """A constraint: a measure that must stay within bounds for a point to be valid."""

    name: str = value(
        "", label="Name", help="Name in tables; the measure if omitted", max_length=80
    )
    measure: str = value(
        label="Measure",
        help="Predefined measure, such as largest_torque, or an expression",
        max_length=2000,
    )
    at_least: float | None = value(None, label="At least", help="Lower bound")
    at_most: float | None = value(None, label="At most", help="Upper bound")
    over: Over = value("worst", label="Over repeats", help="How the values of repeats are combined")

    @property
    def called(self) -> str:
        """Name in tables."""
        return self.name or self.measure

    def excess(self, number: float) -> float:
        """Return the distance of a number from the bounds; 0 within, infinite for NaN."""
        if math.isnan(number):
            return math.inf
        low = self.at_least - number if self.at_least is not None else 0.0
        high = number - self.at_most if self.at_most is not None else 0.0
        return max(low, high, 0.0)


def _plain_values(fixed: dict[str, Any]) -> dict[str, Any]:
    return dict(fixed)


class StudyFields(Frozen):
    """All values of a study except its scene, which it names."""

    format: Literal[2] = value(FORMAT, label="Format", help="Version of the file format")
    title: str = value("", label="Title", help="Title of the study", max_length=200)
    description: str = value(
        "", label="Description", help="Question and purpose of the study", max_length=4000
    )
    scene: str = value(
        label="Scene",
        help="Scene file, relative to the folder of the study",
        min_length=1,
        max_length=4000,
    )
    fixed: Annotated[dict[str, Any], AfterValidator(_plain_values)] = value(
        {}, label="Fixed values", help="Scene values that are replaced in all runs"
    )
    vary: tuple[Vary, ...] = value(
        (), label="Varied values", help="Values that differ between points", max_length=50
    )
    search: Search = value(Search(), label="Search", help="How the points are chosen")
    repeats: Repeats = value(Repeats(), label="Repeats", help="Repeated runs of every point")
    goals: tuple[Goal, ...] = value((), label="Goals", help="Objectives", max_length=50)
    limits: tuple[Limit, ...] = value(
        (), label="Limits", help="Constraints on measures", max_length=50
    )

    @property
    def measured(self) -> tuple[Goal | Limit, ...]:
        """Measures of every run: the goals, then the limits."""
        return (*self.goals, *self.limits)

    @property
    def groups(self) -> tuple[tuple[Vary, ...], ...]:
        """The varied values, grouped by `together`, in the order of the first member."""
        groups: dict[str, list[Vary]] = {}
        for number, vary in enumerate(self.vary):
            groups.setdefault(f" {vary.together}" if vary.together else str(number), []).append(
                vary
            )
        return tuple(tuple(group) for group in groups.values())

    @property
    def n_points(self) -> int:
        """Largest number of points."""
        if self.search.kind != "grid":
            return self.search.points
        return math.prod(group[0].count or 1 for group in self.groups)

    @property
    def n_runs(self) -> int:
        """Largest number of runs."""
        return self.n_points * self.repeats.count


def problems(study: StudyFields) -> list[Problem]:
    """Return the problems of contradicting values, and of requests that a study cannot fulfil."""
    problems: list[Problem] = []

    def wrong(key: str, message: str, remedy: str) -> None:
        problems.append(Problem("error", key, message, remedy))

    keys: set[str] = set()
    for number, vary in enumerate(study.vary, 1):
        for name, message, remedy in vary.mistakes():
            wrong(f"vary[{number}].{name}", message, remedy)
        for key in vary.all_keys:
            if key in keys:
                wrong(f"vary[{number}]", f"{key} varies twice", "remove one of the entries")
            keys.add(key)
            if key in study.fixed:
                wrong(
                    f"vary[{number}]",
                    f"{key} is one of the fixed values",
                    "remove it from one of the two",
                )
        if study.search.kind == "grid" and vary.count is None:
            wrong(
                f"vary[{number}].steps",
                "a grid needs a number of steps",
                "give steps, or a list of values",
            )
    if not study.vary and study.repeats.count == 1:
        wrong("vary", "nothing varies", "add a value that varies, or repeats")
    for group in study.groups:
        counts = {vary.count for vary in group}
        if (
            len(group) > 1
            and (study.search.kind == "grid" or any(vary.values for vary in group))
            and len(counts) > 1
        ):
            names = ", ".join(vary.name for vary in group)
            wrong(
                "vary",
                f"{names} vary together, but with different numbers of steps",
                "give all of them the same number",
            )
    if study.repeats.jitter and study.repeats.count == 1:
        wrong("repeats.jitter", "there is only one repeat", "use more, such as 10")
    measures = [part.called for part in study.measured]
    for number, called in enumerate(measures):
        if called in measures[:number]:
            part = (
                f"goals[{number + 1}]"
                if number < len(study.goals)
                else f"limits[{number - len(study.goals) + 1}]"
            )
            wrong(f"{part}.name", f'"{called}" occurs twice', "give each a unique name")
    for number, limit in enumerate(study.limits, 1):
        if limit.at_least is None and limit.at_most is None:
            wrong(f"limits[{number}]", "it has no bound", "give a lower or an upper bound")
        elif (
            limit.at_least is not None
            and limit.at_most is not None
            and limit.at_least > limit.at_most
        ):
            wrong(
                f"limits[{number}].at_least",
                "it is above the upper bound",
                "give the smaller number first",
            )
    for number, goal in enumerate(study.goals, 1):
        if goal.over == "spread" and study.repeats.count == 1:
            wrong(f"goals[{number}].over", "one repeat has no spread", "use more, such as 10")
    if study.search.kind in GOALS_OF:
        least, most = GOALS_OF[study.search.kind]
        if not least <= len(study.goals) <= most:
            count = counted(least, "goal") if least == most else f"{least} to {most} goals"
            remedy = "add a goal" if len(study.goals) < least else "remove the others"
            actual = f"there {'is' if len(study.goals) == 1 else 'are'} {len(study.goals)}"
            wrong("goals", f"this search needs {count}, but {actual}", remedy)
    if study.search.kind in ("cma_es", "nsga2") and study.search.batch == 1:
        wrong(
            "search.batch",
            "this search cannot learn from generations of one point",
            "use at least 2, or 0 for the automatic number",
        )
    if study.n_runs > MOST_RUNS:
        amount = f"{study.n_points:,} points of {study.repeats.count} repeats are more than {MOST_RUNS:,} runs"
        wrong("search", amount, "use fewer steps or points")
    return problems
