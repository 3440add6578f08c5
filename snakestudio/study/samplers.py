"""Samplers, which choose the points in batches; optimisers receive the scores of each batch.

Samplers are deterministic: with the same study and the same scores they choose the same points.
Their state is therefore not stored; a resumed study requests the known points again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from snakestudio.errors import Problem, StudyError
from snakestudio.study.description import StudyFields
from snakestudio.study.plan import Plan, Point

_GENERATIONS = {"nsga2": 24, "tpe": 8}
"""Default number of points per generation; CMA-ES starts with few and doubles them at every
restart."""

_PIECE = 256
"""Number of points per batch of searches that do not use results."""


class Score(Protocol):
    """Score of a point, for samplers."""

    @property
    def goals(self) -> tuple[float, ...]:
        """Goals, smaller is better; infinite if the simulation failed."""
        ...

    @property
    def excess(self) -> float:
        """Relative violation of the limits; 0 within."""
        ...


class Sampler(Protocol):
    """Source of the points of a study."""

    adaptive: bool
    """Whether it needs the scores of a batch before the next one."""

    begun: tuple[tuple[int, int], ...]
    """Starts and restarts of adaptive samplers: the number of the first point, and the number of points
    per generation from there on."""

    def ask(self) -> list[Point]:
        """Return the next batch; empty at the end."""
        ...

    def receive_scores(self, scores: Sequence[Score]) -> None:
        """Receive the scores of the last batch, in its order; for adaptive samplers only."""
        ...


class _ListSampler:
    """Sampler of points that are known from the start."""

    adaptive = False
    begun: tuple[tuple[int, int], ...] = ()

    def __init__(self, points: Callable[[int], Point], count: int) -> None:
        self._points = points
        self._count = count
        self._next = 0

    def ask(self) -> list[Point]:
        """See `Sampler`."""
        begin = self._next
        self._next = min(self._next + _PIECE, self._count)
        return [self._points(number) for number in range(begin, self._next)]

    def receive_scores(self, scores: Sequence[Score]) -> None:
        """See `Sampler`."""


def _listed(plan: Plan) -> Sampler:
    study = plan.study
    search = study.search
    d = len(study.groups)
    if search.kind == "grid" or d == 0:
        return _ListSampler(plan.grid_point, study.n_points)
    if search.kind == "random":
        places = np.random.Generator(np.random.Philox(search.seed)).random((search.points, d))
    else:
        from scipy.stats import qmc

        if search.kind == "sobol":
            # A longer sequence starts with the shorter one, and is balanced at powers of two.
            power = math.ceil(math.log2(search.points)) if search.points > 1 else 0
            places = qmc.Sobol(d, rng=search.seed).random_base2(power)[: search.points]
        else:
            places = qmc.LatinHypercube(d, rng=search.seed).random(search.points)
    return _ListSampler(lambda number: plan.point(number, places[number]), search.points)


class _Batches:
    """Sampler of a generator that yields batches of fractions and receives their scores."""

    adaptive = True

    def __init__(self, plan: Plan, batches: Callable[[StudyFields, int], Iterator[Any]]) -> None:
        self._plan = plan
        self._left = plan.study.search.points
        self._number = 0
        self.begun: tuple[tuple[int, int], ...] = ()
        self._batches: Any = batches(plan.study, len(plan.study.groups))
        self._scores: list[Score] | None = None

    def ask(self) -> list[Point]:
        """See `Sampler`."""
        if self._left <= 0:
            return []
        places = next(self._batches) if self._scores is None else self._batches.send(self._scores)
        if (
            not self.begun or len(places) != self.begun[-1][1]
        ):  # restarts always change the number of points
            self.begun += ((self._number, len(places)),)
        places = places[: self._left]
        points = [self._plan.point(self._number + k, position) for k, position in enumerate(places)]
        self._number += len(points)
        self._left -= len(points)
        return points

    def receive_scores(self, scores: Sequence[Score]) -> None:
        """See `Sampler`."""
        self._scores = list(scores)


def ranked(scores: Sequence[Score]) -> list[float]:
    """Return one number per point for a search with one goal: valid points by goal, then violations, then failures.

    Smaller is better. CMA-ES uses only the order, so the distance between the classes does not matter.
    """
    sound = [
        score.goals[0] for score in scores if score.excess == 0.0 and math.isfinite(score.goals[0])
    ]
    top = max(sound, default=0.0)
    worst = max((score.excess for score in scores if math.isfinite(score.excess)), default=0.0)
    numbers = []
    for score in scores:
        if not math.isfinite(score.goals[0]):
            numbers.append(top + 2.0 + worst + 1.0)
        elif score.excess > 0.0:
            numbers.append(top + 1.0 + min(score.excess, worst))
        else:
            numbers.append(score.goals[0])
    return numbers


def _evolution(study: StudyFields, d: int) -> Iterator[Any]:
    """Yield the CMA-ES (Hansen), restarted from a new point with twice the population after convergence."""
    import cma

    random = np.random.RandomState(study.search.seed)
    size = study.search.batch or 4 + int(3 * math.log(d + 1))
    # the library sometimes fails in one dimension; an unused second one is harmless
    dimension = max(d, 2)
    begin = np.full(dimension, 0.5)
    while True:
        options = {
            "bounds": [0.0, 1.0],
            "popsize": size,
            "randn": random.randn,
            "seed": math.nan,
            "verbose": -9,
            "tolx": 1e-4,
            "tolfun": 0.0,
            "tolfunhist": 0.0,
            "tolstagnation": 0,
        }
        strategy = cma.CMAEvolutionStrategy(begin, 0.25, options)
        while not strategy.stop():
            points = strategy.ask()
            scores: Any = yield [point[:d] for point in points]
            if len(scores) < len(points):  # the last batch can be truncated; none follows
                return
            strategy.tell(points, ranked(scores))
        begin = random.uniform(0.1, 0.9, dimension)
        size *= 2


def _optuna(study: StudyFields, d: int) -> Iterator[Any]:
    """Search with one or more goals by a sampler of optuna."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    search = study.search
    size = search.batch or _GENERATIONS[search.kind]
    sampler: Any
    if search.kind == "nsga2":
        sampler = optuna.samplers.NSGAIISampler(population_size=size, seed=search.seed)
    else:
        sampler = optuna.samplers.TPESampler(seed=search.seed)
    inner = optuna.create_study(directions=["minimize"] * len(study.goals), sampler=sampler)
    names = [f"u{k}" for k in range(d)]
    space: Any = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in names}
    while True:
        trials = [inner.ask(space) for _ in range(size)]
        scores: Any = yield [[trial.params[name] for name in names] for trial in trials]
        for trial, score in zip(trials, scores, strict=False):
            trial.set_constraint("limits", min(score.excess, 1e300))
            if all(math.isfinite(goal) for goal in score.goals):
                inner.tell(trial, list(score.goals))
            else:
                inner.tell(trial, state=optuna.trial.TrialState.FAIL)


def sampler(plan: Plan) -> Sampler:
    """Create the sampler of a study.

    Raises `StudyError` if it needs a package that is not installed.
    """
    kind = plan.study.search.kind
    if kind == "cma_es":
        return _Batches(plan, _evolution)
    if kind in ("nsga2", "tpe"):
        try:
            import optuna  # noqa: F401
        except ImportError:
            remedy = 'install it with pip install "snakestudio[study]", or use another search'
            wrong = Problem(
                "error", "search.kind", "this search needs optuna, which is not installed", remedy
            )
            raise StudyError.of([wrong], plan.source) from None
        return _Batches(plan, _optuna)
    return _listed(plan)
