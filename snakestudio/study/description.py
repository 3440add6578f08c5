"""What a study is: which values of a scene vary, how they are searched, and what counts.

A value, as a scene is, and declared in the same way: the file, the window and Python read these
declarations.
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
"""Version of the file format. In format 1 a goal without aim is maximized, whatever it measures."""

MOST_RUNS = 1_000_000
"""Runs of one study: what is more would neither end nor fit into a table."""

SearchKind = Literal["grid", "random", "latin_hypercube", "sobol", "cma_es", "nsga2", "tpe"]

GOALS_OF: dict[str, tuple[int, int]] = {"cma_es": (1, 1), "nsga2": (2, 3), "tpe": (1, 3)}
"""How many goals the searches take that look at them, from and to."""

Plain = bool | int | float | str


class Vary(Frozen):
    """A value of the scene that varies, or several that are the same; a range, or a list.

    Those with one name in `together` move together: all of them are at the same share of their
    range, or at the same entry of their lists.
    """

    key: str = value("", label="Key", help="Scene key, like gait.amplitude_deg", max_length=200)
    keys: tuple[str, ...] = value(
        (), label="Keys", help="Several scene keys that get the same value", max_length=200
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
        help="Values of the range that a grid takes, both ends included",
        ge=2,
        le=MOST_RUNS,
    )
    values: tuple[Plain, ...] = value(
        (), label="Values", help="A list in place of a range", max_length=10_000
    )
    scale: Literal["lin", "log"] = value(
        "lin", label="Scale", help="Whether steps are differences or ratios"
    )
    together: str = value(
        "", label="Together", help="Values with the same name here move together", max_length=80
    )

    @property
    def all_keys(self) -> tuple[str, ...]:
        """The keys, however they are given."""
        return (self.key, *self.keys) if self.key else self.keys

    @property
    def name(self) -> str:
        """What it is called in tables: "ground.mu_along+ground.mu_across"."""
        return "+".join(self.all_keys)

    @property
    def count(self) -> int | None:
        """How many values it has in a grid; None for a range without steps."""
        return len(self.values) if self.values else self.steps

    def at(self, place: float) -> Plain:
        """The value at a place from 0 to 1 of a range or a list; with no more digits than a person would write."""
        place = min(max(place, 0.0), 1.0)
        if self.values:
            return self.values[min(int(place * len(self.values)), len(self.values) - 1)]
        assert self.low is not None
        assert self.high is not None
        if self.scale == "log":
            exact = self.low * (self.high / self.low) ** place
        else:
            exact = self.low + place * (self.high - self.low)
        return min(max(float(f"{exact:.9g}"), self.low), self.high)

    def step(self, index: int, count: int) -> Plain:
        """The value of an entry of a grid with `count` of them."""
        return self.values[index] if self.values else self.at(index / (count - 1))

    def mistakes(self) -> Iterator[tuple[str, str, str]]:
        """Field, what is wrong with it, and what to do."""
        if not self.all_keys:
            yield "key", "is missing", "name a value of the scene, like gait.amplitude_deg"
        if self.key and self.keys:
            yield "keys", "a key and several keys are given", "give one of them"
        if self.values:
            if self.low is not None or self.high is not None or self.steps is not None:
                yield "values", "a list and a range are given", "give one of them"
            if len(self.values) < 2:
                yield (
                    "values",
                    "a list of one value varies nothing",
                    "give at least two, or make it a fixed value",
                )
            if len(set(map(repr, self.values))) < len(self.values):
                yield "values", "the list has a value twice", "name each once"
        elif self.low is None or self.high is None:
            yield "low", "there is no range", "give both ends, or a list of values"
        elif not self.low < self.high:
            yield (
                "low",
                f"the range goes from {self.low:g} to {self.high:g}",
                "give a smaller and a larger number",
            )
        elif self.scale == "log" and self.low <= 0.0:
            yield (
                "low",
                f"a logarithmic scale cannot begin at {self.low:g}",
                "give a lower end above 0",
            )


class Search(Frozen):
    """How the values are searched."""

    kind: SearchKind = value("grid", label="Search", help="How points are chosen")
    points: int = value(
        100, label="Points", help="Points that are tried; a grid has its own", ge=1, le=MOST_RUNS
    )
    seed: int = value(1, label="Seed", help="Of the random numbers", ge=0, le=2**32 - 1)
    batch: int = value(
        0,
        label="Generation",
        help="Points that an optimiser asks for at once; 0: as many as suit it",
        ge=0,
        le=10_000,
    )


class Jitter(Frozen):
    """A value that differs a little from repeat to repeat."""

    key: str = value(
        label="Key", help="Scene key; obstacles[*].x_m means those of all obstacles", max_length=200
    )
    spread: float = value(
        label="Spread", help="Standard deviation, or half the width if it is uniform", gt=0, le=1e6
    )
    law: Literal["normal", "uniform"] = value("normal", label="Law", help="How it is distributed")
    relative: bool = value(
        False, label="Relative", help="Whether the spread is a share of the value"
    )


class Repeats(Frozen):
    """How often every point is run, each time a little otherwise."""

    count: int = value(1, label="Repeats", help="Runs of every point", ge=1, le=10_000)
    seed: int = value(
        1, label="Seed", help="Of what differs; the same repeats at every point", ge=0, le=2**32 - 1
    )
    jitter: tuple[Jitter, ...] = value(
        (), label="Jitter", help="What differs between repeats", max_length=200
    )


class Goal(Frozen):
    """A number that counts."""

    name: str = value(
        "", label="Name", help="What it is called; its measure if left out", max_length=80
    )
    measure: str = value(
        label="Measure",
        help="One of the usual ones, like net_speed, or an expression",
        max_length=2000,
    )
    aim: Aim = value(
        None,
        label="Aim",
        help="Which way is better; if left out, costs and spreads are minimised, all else maximised",
    )
    over: Over = value("mean", label="Of repeats", help="What counts of several repeats")

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
        """Which way is better of what it measures."""
        return natural_aim(self.measure, self.over)

    @property
    def warning(self) -> str:
        """Why its direction is doubtful, in a sentence and what to do; "" if it is not."""
        if self.aim == self.natural_aim or self.natural_aim == "maximise":
            return ""
        what = "A spread" if self.over == "spread" else "A cost"
        return f"{what} is maximized here. Minimize it, unless more of it is better in this study."

    @property
    def called(self) -> str:
        """Its name in tables."""
        return self.name or self.measure


class Limit(Frozen):
    """A number that has to stay within bounds for a point to count."""

    name: str = value(
        "", label="Name", help="What it is called; its measure if left out", max_length=80
    )
    measure: str = value(
        label="Measure",
        help="One of the usual ones, like largest_torque, or an expression",
        max_length=2000,
    )
    at_least: float | None = value(None, label="At least", help="Lower bound")
    at_most: float | None = value(None, label="At most", help="Upper bound")
    over: Over = value("worst", label="Of repeats", help="What counts of several repeats")

    @property
    def called(self) -> str:
        """Its name in tables."""
        return self.name or self.measure

    def excess(self, number: float) -> float:
        """How far a number is beyond the bounds; 0 within, infinite if there is none."""
        if math.isnan(number):
            return math.inf
        low = self.at_least - number if self.at_least is not None else 0.0
        high = number - self.at_most if self.at_most is not None else 0.0
        return max(low, high, 0.0)


def _plain_values(fixed: dict[str, Any]) -> dict[str, Any]:
    return dict(fixed)


class StudyFields(Frozen):
    """Everything about a study but its scene, which it names."""

    format: Literal[2] = value(FORMAT, label="Format", help="Version of the file format")
    title: str = value("", label="Title", help="What it is about", max_length=200)
    description: str = value(
        "", label="Description", help="What is asked, and why", max_length=4000
    )
    scene: str = value(
        label="Scene", help="File of the scene, beside the study's", min_length=1, max_length=4000
    )
    fixed: Annotated[dict[str, Any], AfterValidator(_plain_values)] = value(
        {}, label="Fixed values", help="Values of the scene that are others in all runs"
    )
    vary: tuple[Vary, ...] = value(
        (), label="Varied values", help="What differs from point to point", max_length=50
    )
    search: Search = value(Search(), label="Search", help="How the values are searched")
    repeats: Repeats = value(Repeats(), label="Repeats", help="How often every point is run")
    goals: tuple[Goal, ...] = value((), label="Goals", help="What counts", max_length=50)
    limits: tuple[Limit, ...] = value((), label="Limits", help="What has to hold", max_length=50)

    @property
    def measured(self) -> tuple[Goal | Limit, ...]:
        """What is measured of every run: the goals, then the limits."""
        return (*self.goals, *self.limits)

    @property
    def groups(self) -> tuple[tuple[Vary, ...], ...]:
        """The values that vary, those that move together in one; in the order of their first."""
        found: dict[str, list[Vary]] = {}
        for number, vary in enumerate(self.vary):
            found.setdefault(f" {vary.together}" if vary.together else str(number), []).append(vary)
        return tuple(tuple(group) for group in found.values())

    @property
    def n_points(self) -> int:
        """How many points are tried at most."""
        if self.search.kind != "grid":
            return self.search.points
        return math.prod(group[0].count or 1 for group in self.groups)

    @property
    def n_runs(self) -> int:
        """How many runs that makes."""
        return self.n_points * self.repeats.count


def problems(study: StudyFields) -> list[Problem]:
    """Mistakes in which two values of a study contradict each other, and what it cannot do."""
    found: list[Problem] = []

    def wrong(key: str, message: str, remedy: str) -> None:
        found.append(Problem("error", key, message, remedy))

    keys: set[str] = set()
    for number, vary in enumerate(study.vary, 1):
        for name, message, remedy in vary.mistakes():
            wrong(f"vary[{number}].{name}", message, remedy)
        for key in vary.all_keys:
            if key in keys:
                wrong(f"vary[{number}]", f"{key} varies already", "name it once")
            keys.add(key)
            if key in study.fixed:
                wrong(
                    f"vary[{number}]",
                    f"{key} is one of the fixed values",
                    "take it out there or here",
                )
        if study.search.kind == "grid" and vary.count is None:
            wrong(
                f"vary[{number}].steps",
                "a grid needs to know how many",
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
                f"{names} move together in different numbers of steps",
                "give each of them as many",
            )
    if study.repeats.jitter and study.repeats.count == 1:
        wrong("repeats.jitter", "there is one repeat only", "take more, like 10")
    measures = [part.called for part in study.measured]
    for number, called in enumerate(measures):
        if called in measures[:number]:
            part = (
                f"goals[{number + 1}]"
                if number < len(study.goals)
                else f"limits[{number - len(study.goals) + 1}]"
            )
            wrong(f"{part}.name", f'"{called}" is there twice', "give each a name of its own")
    for number, limit in enumerate(study.limits, 1):
        if limit.at_least is None and limit.at_most is None:
            wrong(f"limits[{number}]", "it has no bound", "say at least or at most how much")
        elif (
            limit.at_least is not None
            and limit.at_most is not None
            and limit.at_least > limit.at_most
        ):
            wrong(
                f"limits[{number}].at_least",
                "it is above the upper bound",
                "give a smaller and a larger number",
            )
    for number, goal in enumerate(study.goals, 1):
        if goal.over == "spread" and study.repeats.count == 1:
            wrong(f"goals[{number}].over", "one repeat has no spread", "take more, like 10")
    if study.search.kind in GOALS_OF:
        least, most = GOALS_OF[study.search.kind]
        if not least <= len(study.goals) <= most:
            count = counted(least, "goal") if least == most else f"{least} to {most} goals"
            remedy = (
                "add a goal" if len(study.goals) < least else "take out those that do not count"
            )
            there = f"there {'is' if len(study.goals) == 1 else 'are'} {len(study.goals)}"
            wrong("goals", f"this search takes {count}, and {there}", remedy)
    if study.n_runs > MOST_RUNS:
        amount = f"{study.n_points:,} points of {study.repeats.count} repeats are more than {MOST_RUNS:,} runs"
        wrong("search", amount, "take fewer steps or points")
    return found
