"""Contact in random scenes: how many runs stop, and how many steps have a residual above 1e-8."""

from __future__ import annotations

from tests.population import run as run_scene
from tests.population import table

Row = tuple[str, object, str, str, bool]

SCENES = 200
"""Number of scenes, of the 2,000 that `make soak` runs."""


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    outcomes = [outcome for number in range(SCENES) if (outcome := run_scene(number)) is not None]
    print(table(outcomes))
    steps = sum(o.steps for o in outcomes)
    unsolved = sum(o.unsolved for o in outcomes)
    stopped = sum(bool(o.message) for o in outcomes)
    worst = max(o.worst for o in outcomes)
    fraction = 100.0 * (1.0 - unsolved / steps)
    return [
        (f"random scenes that stop, of {len(outcomes)}", stopped, "", "0", stopped == 0),
        (
            f"their steps solved to 1e-8, of {steps}",
            f"{fraction:.4f}",
            "%",
            ">= 99.99",
            fraction >= 99.99,
        ),
        ("largest residual of a step", f"{worst:.1e}", "", "<= 1e-6", worst <= 1e-6),
    ]
