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
    found = [outcome for number in numbers if (outcome := run(number, make)) is not None]
    print(table(found))
    assert len(found) >= least_accepted
    assert not {outcome.number: outcome.message for outcome in found if outcome.message}
    # The works of all forces are summed separately: there is no other source of energy.
    assert not {
        outcome.number: outcome.unexplained for outcome in found if not outcome.unexplained <= 1e-6
    }
    steps = sum(o.steps for o in found)
    unsolved = sum(o.unsolved for o in found)
    assert unsolved <= most_unsolved * steps
    return found


def test_scenes_at_random_never_stop_and_make_no_energy() -> None:
    found = prove(range(40), 20)
    assert {outcome.kind for outcome in found} == {"planar_nonsmooth", "spatial_nonsmooth"}


def test_robots_of_links_that_differ_never_stop_and_make_no_energy() -> None:
    prove(range(2, 13), 7, robot_tree, 1e-4)


def test_robots_of_any_joints_in_space_never_stop_and_make_no_energy() -> None:
    prove(range(1, 8, 2), 4, spatial_robot_tree, 1e-4)


@pytest.mark.soak
def test_hundreds_of_robots_of_any_joints_and_wheels() -> None:
    prove(range(400), 200, any_robot_tree, 1e-4)


@pytest.mark.soak
def test_a_thousand_robots_of_links_that_differ() -> None:
    prove(range(1000), 500, robot_tree, 1e-4)


@pytest.mark.soak
def test_two_thousand_scenes_at_random() -> None:
    prove(range(2000), 1000)
