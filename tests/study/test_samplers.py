"""Points chosen by samplers, and results of optimisers for functions with a known optimum."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
import pytest

from snakestudio.errors import StudyError
from snakestudio.model.scene import Scene
from snakestudio.study.plan import Plan
from snakestudio.study.results import PointScore, front
from snakestudio.study.samplers import ranked, sampler
from snakestudio.study.study_file import parse_study
from tests.study.conftest import SCENES

HEAD = 'format = 1\nscene = "a.toml"\n'
TWO = (
    '[[vary]]\nkey = "ground.mu_along"\nlow = 0.0\nhigh = 1.0\nsteps = 5\n'
    '[[vary]]\nkey = "ground.mu_across"\nlow = 0.0\nhigh = 1.0\nsteps = 4\n'
)
GOAL = '[[goals]]\nmeasure = "net_speed"\n'


def plan_of(text: str) -> Plan:
    return Plan(parse_study(HEAD + text), Scene(), SCENES)


def sampled(plan: Plan, score: Callable[[np.ndarray], PointScore] | None = None) -> np.ndarray:
    """All points of a plan whose optimiser is given the scores."""
    chooses = sampler(plan)
    points = []
    while batch := chooses.ask():
        places = [np.array(list(point.values.values())) for point in batch]
        assert [point.number for point in batch] == list(
            range(len(points), len(points) + len(batch))
        )
        points += places
        if chooses.adaptive:
            assert score is not None
            chooses.receive_scores([score(position) for position in places])
    return np.array(points)


def test_grid_has_every_combination_once() -> None:
    points = sampled(plan_of(TWO))
    assert len(points) == len(np.unique(points, axis=0)) == 20


@pytest.mark.parametrize("kind", ["random", "latin_hypercube", "sobol"])
def test_points_fill_the_square_and_are_reproducible(kind: str) -> None:
    text = TWO + f'[search]\nkind = "{kind}"\npoints = 64\nseed = 3\n'
    points = sampled(plan_of(text))
    assert points.shape == (64, 2)
    np.testing.assert_array_equal(points, sampled(plan_of(text)))
    assert not np.array_equal(points, sampled(plan_of(text.replace("seed = 3", "seed = 4"))))
    if kind == "latin_hypercube":  # one in every row and column, by definition
        for column in points.T:
            assert sorted(np.floor(column * 64).astype(int)) == list(range(64))
    if (
        kind == "sobol"
    ):  # 64 points of a (0, 6, 2)-net: one in each of the 8 x 8 squares, Sobol' 1967
        squares = np.floor(points * 8).astype(int)
        assert len(np.unique(squares, axis=0)) == 64


@pytest.mark.parametrize("kind", ["random", "sobol"])
def test_widened_study_starts_with_its_old_points(kind: str) -> None:
    text = TWO + f'[search]\nkind = "{kind}"\npoints = 50\n'
    np.testing.assert_array_equal(
        sampled(plan_of(text.replace("50", "100")))[:50], sampled(plan_of(text))
    )


def test_evolution_finds_the_minimum_of_rosenbrock() -> None:
    """Its minimum is 0 at (1, 1) in the square (-2, 2)^2 (Rosenbrock 1960)."""

    def score(position: np.ndarray) -> PointScore:
        x, y = 4.0 * position - 2.0
        return PointScore((float(100.0 * (y - x * x) ** 2 + (1.0 - x) ** 2),), 0.0)

    text = TWO + GOAL + '[search]\nkind = "cma_es"\npoints = 600\n'
    points = sampled(plan_of(text), score)
    assert len(points) == 600
    assert min(score(position).goals[0] for position in points) < 1e-6
    np.testing.assert_array_equal(points, sampled(plan_of(text), score))


def test_evolution_restarts_after_convergence() -> None:
    """A function with one wide basin around the start and a deeper narrow one elsewhere."""

    def score(position: np.ndarray) -> PointScore:
        wide = np.sum((position - 0.5) ** 2)
        narrow = 20.0 * np.sum((position - 0.85) ** 2) - 0.5
        return PointScore((float(min(wide, narrow)),), 0.0)

    points = sampled(plan_of(TWO + GOAL + '[search]\nkind = "cma_es"\npoints = 1500\n'), score)
    assert min(score(position).goals[0] for position in points) < -0.49


def test_restarts_and_generations_of_evolution_are_known() -> None:
    """With a constant value it restarts immediately; the last generation may be incomplete."""
    chooses = sampler(plan_of(TWO + GOAL + '[search]\nkind = "cma_es"\npoints = 32\nbatch = 4\n'))
    sizes = []
    while batch := chooses.ask():
        sizes.append(len(batch))
        chooses.receive_scores([PointScore((1.0,), 0.0)] * len(batch))
    assert sizes == [4, 4, 8, 8, 8]
    assert chooses.begun == ((0, 4), (8, 8), (24, 16))
    assert not sampler(plan_of(TWO)).begun


def test_evolution_respects_limits_and_failed_runs() -> None:
    """Minimum of x + y where x y >= 0.25 is 1 at (0.5, 0.5); runs with x > 0.9 fail."""

    def score(position: np.ndarray) -> PointScore:
        x, y = position
        return PointScore((math.inf if x > 0.9 else float(x + y),), max(0.0, float(0.25 - x * y)))

    points = sampled(plan_of(TWO + GOAL + '[search]\nkind = "cma_es"\npoints = 400\n'), score)
    best = min((s.goals[0], s.excess) for s in map(score, points) if s.excess == 0.0)
    assert 1.0 <= best[0] < 1.001


def test_points_within_limits_come_first() -> None:
    scores = [
        PointScore((5.0,), 0.0),
        PointScore((-9.0,), 0.3),
        PointScore((math.inf,), 0.0),
        PointScore((2.0,), 0.0),
    ]
    assert np.argsort(ranked(scores)).tolist() == [3, 0, 1, 2]


def test_missing_package_is_reported_at_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = plan_of(TWO + GOAL + '[search]\nkind = "tpe"\n')
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(StudyError) as caught:
        sampler(plan)
    assert [problem.key for problem in caught.value.problems] == ["search.kind"]
    assert "optuna" in caught.value.problems[0].message
    assert str(caught.value).startswith("study: search.kind: This search needs optuna")


def test_two_goals_give_their_front() -> None:
    """Schaffer's problem (1985): x^2 and (x - 2)^2 conflict for 0 <= x <= 2, where sqrt f1 + sqrt f2 = 2."""
    pytest.importorskip("optuna")
    one = '[[vary]]\nkey = "ground.mu_along"\nlow = 0.0\nhigh = 1.0\n'
    two = GOAL + '[[goals]]\nmeasure = "cost_of_transport"\naim = "minimise"\n'

    def score(position: np.ndarray) -> PointScore:
        x = 20.0 * float(position[0]) - 10.0
        return PointScore((x * x, (x - 2.0) ** 2), 0.0)

    for kind in ("nsga2", "tpe"):
        text = one + two + f'[search]\nkind = "{kind}"\npoints = 160\nseed = 2\n'
        points = sampled(plan_of(text), score)
        goals = np.array([score(position).goals for position in points])
        best = goals[front(goals)]
        inside = np.abs(np.sqrt(best[:, 0]) + np.sqrt(best[:, 1]) - 2.0) < 1e-6
        assert inside.sum() >= 8, kind
        np.testing.assert_array_equal(points, sampled(plan_of(text), score))


@pytest.mark.parametrize("kind", ["cma_es", "nsga2", "tpe"])
@pytest.mark.parametrize("points", [1, 3, 5])
def test_smallest_generations_give_all_points(kind: str, points: int) -> None:
    batch = 1 if kind == "tpe" else 2
    goals = GOAL + ('[[goals]]\nmeasure = "net_distance"\n' if kind == "nsga2" else "")
    text = f'{TWO}[search]\nkind = "{kind}"\npoints = {points}\nbatch = {batch}\n{goals}'
    score = PointScore(tuple(1.0 for _ in range(goals.count("measure"))), 0.0)
    assert len(sampled(plan_of(text), lambda position: score)) == points
