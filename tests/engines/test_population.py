"""Robustness of the contact solver: random scenes that `check` accepts, each run for a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.population import (
    Outcome,
    any_robot_tree,
    robot_tree,
    run,
    spatial_drive_tree,
    spatial_robot_tree,
    table,
    tree,
)


def prove(
    numbers: range,
    least_accepted: int,
    make: Callable[[int], dict[str, Any]] = tree,
    most_unsolved: float = 1e-3,
) -> list[Outcome]:
    """Run the scenes of some numbers, and check each result and their statistics."""
    outcomes = [outcome for number in numbers if (outcome := run(number, make)) is not None]
    print(table(outcomes))
    assert len(outcomes) >= least_accepted
    assert not {outcome.number: outcome.message for outcome in outcomes if outcome.message}
    # The works of all forces are summed separately: there is no other source of energy.
    assert not {
        outcome.number: outcome.unexplained
        for outcome in outcomes
        if not outcome.unexplained <= 1e-6
    }
    steps = sum(o.steps for o in outcomes)
    unsolved = sum(o.unsolved for o in outcomes)
    assert unsolved <= most_unsolved * steps
    return outcomes


def test_random_scenes_run_without_energy_gain() -> None:
    outcomes = prove(range(20), 10)
    assert {outcome.kind for outcome in outcomes} == {"planar_nonsmooth", "spatial_nonsmooth"}


def test_random_unequal_links_run_without_energy_gain() -> None:
    prove(range(2, 13), 7, robot_tree, 1e-4)


def test_random_spatial_robots_run_without_energy_gain() -> None:
    prove(range(1, 8, 2), 4, spatial_robot_tree, 1e-4)


def test_random_drive_trains_run_without_energy_gain() -> None:
    prove(range(2, 9, 2), 3, spatial_drive_tree, 1e-4)


@pytest.mark.soak
def test_hundreds_of_robots_with_drive_trains() -> None:
    prove(range(300), 150, spatial_drive_tree, 1e-4)


@pytest.mark.soak
def test_hundreds_of_robots_of_any_joints_and_wheels() -> None:
    prove(range(400), 200, any_robot_tree, 1e-4)


@pytest.mark.soak
def test_thousand_robots_with_unequal_links() -> None:
    prove(range(1000), 500, robot_tree, 1e-4)


@pytest.mark.soak
def test_two_thousand_random_scenes() -> None:
    prove(range(2000), 1000)
