"""Contact over scenes at random: how many stop, and how many of their steps are left above 1e-8."""

from __future__ import annotations

from tests.population import run as run_scene
from tests.population import table

Row = tuple[str, object, str, str, bool]

SCENES = 200
"""Of the 2,000 that `make soak` runs."""


def run() -> list[Row]:
    """The figures: name, value, unit, bar, whether it is kept."""
    found = [outcome for number in range(SCENES) if (outcome := run_scene(number)) is not None]
    print(table(found))
    steps = sum(o.steps for o in found)
    unsolved = sum(o.unsolved for o in found)
    stopped = sum(bool(o.message) for o in found)
    worst = max(o.worst for o in found)
    share = 100.0 * (1.0 - unsolved / steps)
    return [
        (f"scenes at random that stop, of {len(found)}", stopped, "", "0", stopped == 0),
        (
            f"their steps solved to 1e-8, of {steps}",
            f"{share:.4f}",
            "%",
            ">= 99.99",
            share >= 99.99,
        ),
        ("largest residual of a step that was taken", f"{worst:.1e}", "", "<= 1e-6", worst <= 1e-6),
    ]
