"""Points and repeats as values of the scene."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio.errors import StudyError
from snakestudio.model.edits import get_value
from snakestudio.study.plan import Plan
from snakestudio.study.study_file import parse_study
from tests.study.conftest import SCENES

HEAD = 'format = 1\nscene = "obstacle_aided.toml"\n'
RANGE = '[[vary]]\nkey = "gait.amplitude_deg"\nlow = 10.0\nhigh = 30.0\nsteps = 3\n'


def plan_of(text: str) -> Plan:
    return Plan.of_file(parse_study(HEAD + text), SCENES / "s.toml")


def test_grid_varies_the_last_value_fastest() -> None:
    plan = plan_of(
        RANGE + '[[vary]]\nkeys = ["ground.mu_along", "ground.mu_across"]\nvalues = [0.1, 0.4]\n'
    )
    points = [plan.grid_point(number).values for number in range(plan.study.n_points)]
    assert [p["gait.amplitude_deg"] for p in points] == [10.0, 10.0, 20.0, 20.0, 30.0, 30.0]
    assert [p["ground.mu_across"] for p in points] == [0.1, 0.4] * 3
    assert all(p["ground.mu_along"] == p["ground.mu_across"] for p in points)


def test_grouped_values_share_their_position_in_range() -> None:
    plan = plan_of(
        RANGE
        + 'together = "a"\n[[vary]]\nkey = "ground.mu_along"\nlow = 0.1\nhigh = 0.5\nsteps = 3\ntogether = "a"\n'
    )
    assert [tuple(plan.grid_point(k).values.values()) for k in range(3)] == [
        (10.0, 0.1),
        (20.0, 0.3),
        (30.0, 0.5),
    ]


def test_integer_values_are_integers() -> None:
    plan = plan_of('[[vary]]\nkey = "solver.max_iterations"\nlow = 10\nhigh = 20\nsteps = 4\n')
    assert [plan.grid_point(k).values["solver.max_iterations"] for k in range(4)] == [
        10,
        13,
        17,
        20,
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[vary]]\nkey = "gait.amplitude"\nlow = 1.0\nhigh = 2.0\nsteps = 2\n',
            "vary[1].key: gait.amplitude",
        ),
        (
            '[[vary]]\nkey = "gait"\nlow = 1.0\nhigh = 2.0\nsteps = 2\n',
            '"gait"',
        ),
        (
            '[[vary]]\nkey = "title"\nvalues = ["a", "b"]\n',
            '"title"',
        ),
        (
            '[[vary]]\nkey = "gait.kind"\nlow = 1.0\nhigh = 2.0\nsteps = 2\n',
            '"gait.kind"',
        ),
        (
            '[[vary]]\nkey = "ground.mu_along"\nlow = -1.0\nhigh = 2.0\nsteps = 2\n',
            "least 0",
        ),
        (
            '[[vary]]\nkey = "gait.kind"\nvalues = ["two_waves", "walking"]\n',
            'gait.kind cannot be "walking"',
        ),
        (RANGE + "[fixed]\nrun.durations_s = 1.0\n", "fixed.run.durations_s "),
        (
            RANGE
            + '[repeats]\ncount = 2\n[[repeats.jitter]]\nkey = "obstacles[*].colour"\nspread = 1.0\n',
            "repeats.jitter[1].key: obstacles[*].colour",
        ),
    ],
)
def test_unknown_or_invalid_values_are_reported(text: str, message: str) -> None:
    with pytest.raises(StudyError) as caught:
        plan_of(text)
    assert message in str(caught.value)


def test_repeats_differ_alike_at_every_point() -> None:
    plan = plan_of(
        RANGE
        + '[repeats]\ncount = 200\n[[repeats.jitter]]\nkey = "obstacles[*].x_m"\nspread = 0.01\n'
        '[[repeats.jitter]]\nkey = "ground.mu_along"\nspread = 0.1\nrelative = true\nlaw = "uniform"\n'
    )
    first = plan.grid_point(0)
    second = plan.grid_point(1)
    count = len(plan.scene.obstacles)
    shifts = np.array(
        [
            [
                plan.repeat(first, r)[f"obstacles[{k + 1}].x_m"] - plan.scene.obstacles[k].x_m
                for k in range(count)
            ]
            for r in range(200)
        ]
    )
    assert abs(shifts.std() - 0.01) < 0.001, "the standard deviation of the study"
    assert abs(np.corrcoef(shifts[:, 0], shifts[:, 1])[0, 1]) < 0.25, "obstacles are independent"
    friction = np.array([plan.repeat(first, r)["ground.mu_along"] for r in range(200)])
    present = get_value(plan.scene, "ground.mu_along")
    assert np.all(np.abs(friction / present - 1.0) <= 0.1 + 1e-12)
    assert friction.std() / present > 0.04
    for r in range(5):
        a, b = plan.repeat(first, r), plan.repeat(second, r)
        assert {key: a[key] for key in a if key != "gait.amplitude_deg"} == {
            key: b[key] for key in b if key != "gait.amplitude_deg"
        }


def test_repeats_stay_in_the_range_of_the_scene() -> None:
    plan = plan_of(
        RANGE
        + '[repeats]\ncount = 50\n[[repeats.jitter]]\nkey = "ground.mu_along"\nspread = 10.0\n'
    )
    assert min(plan.repeat(plan.grid_point(0), r)["ground.mu_along"] for r in range(50)) == 0.0


def test_study_is_found_next_to_its_scene(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"s.toml: scene: .*there"):
        Plan.of_file(parse_study(HEAD + RANGE), tmp_path / "s.toml")
