"""Summaries of repeats, the best point, and the front."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.study.results import Table, front, score_of
from snakestudio.study.store import RunOutcome, RunRequest
from snakestudio.study.study_file import parse_study

HEAD = 'format = 1\nscene = "a.toml"\n[[vary]]\nkey = "ground.mu_along"\nlow = 0.0\nhigh = 1.0\nsteps = 3\n'


def outcome(*measures: float, state: str = "done") -> RunOutcome:
    return RunOutcome(
        f"{measures}", state, "" if state == "done" else "No.", measures, None, 1.0, "w"
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("aim", "over", "expected"),
    [
        ("maximise", "mean", -2.0),
        ("minimise", "mean", 2.0),
        ("maximise", "worst", -1.0),
        ("minimise", "worst", 3.0),
        ("minimise", "spread", 1.0),
    ],
)
def test_repeats_are_summarised(aim: str, over: str, expected: float) -> None:
    goal = (
        f'[repeats]\ncount = 3\n[[goals]]\nmeasure = "net_speed"\naim = "{aim}"\nover = "{over}"\n'
    )
    score = score_of(parse_study(HEAD + goal), [outcome(1.0), outcome(2.0), outcome(3.0)])
    assert score.goals == (expected,)
    assert score.excess == 0.0


def test_failed_repeat_fails_its_point() -> None:
    study = parse_study(HEAD + '[repeats]\ncount = 2\n[[goals]]\nmeasure = "net_speed"\n')
    assert score_of(study, [outcome(1.0), outcome(math.nan, state="failed")]).goals == (math.inf,)


def test_limits_apply_to_the_worst_repeat() -> None:
    study = parse_study(
        HEAD
        + '[repeats]\ncount = 2\n[[limits]]\nmeasure = "net_speed"\nat_least = 1.0\nat_most = 4.0\n'
    )
    assert score_of(study, [outcome(2.0), outcome(3.0)]).excess == 0.0
    assert score_of(study, [outcome(2.0), outcome(5.0)]).excess == 0.25
    assert score_of(study, [outcome(0.0), outcome(3.0)]).excess == 0.25


def test_table_has_a_row_per_point() -> None:
    study = parse_study(
        HEAD
        + '[[goals]]\nmeasure = "net_speed"\n[[limits]]\nmeasure = "largest_torque"\nat_most = 2.0\n'
    )
    speeds = [0.1, 0.5, 0.3]
    torques = [1.0, 3.0, 1.0]
    results = [
        (RunRequest(k, 0, str(k), {"ground.mu_along": 0.5 * k}), outcome(speed, torque))
        for k, (speed, torque) in enumerate(zip(speeds, torques, strict=True))
    ]
    table = Table(study, results)
    assert list(table) == [
        "point",
        "ground.mu_along",
        "net_speed",
        "largest_torque",
        "within_limits",
        "runs",
        "failed",
        "seconds",
        "plausibility",
    ]
    np.testing.assert_array_equal(table["ground.mu_along"], [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(table["within_limits"], [True, False, True])
    assert table.best == 2
    np.testing.assert_array_equal(table.convergence, [0.1, 0.1, 0.3])
    with pytest.raises(KeyError, match="column"):
        table["speed"]


def test_table_of_an_unfinished_study_has_gaps() -> None:
    study = parse_study(HEAD + '[[goals]]\nmeasure = "net_speed"\n')
    table = Table(study, [(RunRequest(0, 0, "a", {"ground.mu_along": 0.0}), None)])
    assert table.best is None
    assert len(table.front) == 0
    assert np.isnan(table.convergence).all()
    assert Table(study, []).n_points == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40
    )
)
def test_front_is_the_nondominated_set(rows: list[tuple[int, int, int]]) -> None:
    """Compared with the definition, pair by pair."""
    goals = np.array(rows, np.float64)
    nondominated = {tuple(goals[row]) for row in front(goals)}
    expected = {
        tuple(row)
        for row in goals
        if not any(np.all(other <= row) and np.any(other < row) for other in goals)
    }
    assert nondominated == expected
    assert len(front(goals)) == len(nondominated)
