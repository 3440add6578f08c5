"""Contact geometry as plain Python, and with checked array access: both must agree with compiled code."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from tests.elsewhere import answer_of
from tests.kernels.solids import REACH, contacts

PROGRAM = """
import json, sys
sys.path.insert(0, ".")
from tests.kernels.test_solids_uncompiled import everything
json.dump(everything(), sys.stdout)
"""


def everything() -> list[list[list[float]]]:
    """Contacts of many links in a world with all kinds of solids."""
    from snakestudio.engines.solid_world import world_of_solids

    random = np.random.default_rng(8)
    heights = tuple(tuple(row) for row in random.uniform(0.0, 0.06, (13, 17)).tolist())
    obstacles = (
        Rubble(x_m=-0.5, y_m=0.0, length_m=0.8, width_m=0.8, blocks=25),
        HeightField(x_m=0.5, y_m=0.3, yaw_deg=20.0, length_m=0.8, width_m=0.6, heights_m=heights),
        Ramp(x_m=0.2, y_m=-0.6, heading_deg=30.0, length_m=0.5, landing_m=0.3, width_m=0.4),
        *(
            Cylinder(x_m=x, y_m=y, radius_m=0.04, height_m=0.09)
            for x, y in random.uniform(-0.9, 0.9, (15, 2))
        ),
    )
    world = world_of_solids([obstacle_solids(obstacle) for obstacle in obstacles], REACH)
    rows = []
    for _ in range(160):
        centre = (*random.uniform(-0.9, 0.9, 2), random.uniform(0.0, 0.16))
        result = contacts(world, centre, random.normal(size=3) * (1.0, 1.0, 0.5), 5e-4)
        table = np.column_stack(
            [result.body, result.feature, result.gap, result.normal, result.point]
        )
        rows.append(table.tolist())
    return rows


@pytest.mark.parametrize(
    "variable",
    [
        "NUMBA_DISABLE_JIT",
        pytest.param("NUMBA_BOUNDSCHECK", marks=[pytest.mark.soak, pytest.mark.timeout(900)]),
    ],
)
def test_uncompiled_and_checked_kernels_agree(variable: str) -> None:
    ours = everything()
    theirs = answer_of(PROGRAM, **{variable: "1"})
    assert sum(len(table) for table in ours) > 80
    assert [[row[:2] for row in table] for table in theirs] == [
        [row[:2] for row in table] for table in ours
    ]
    for one, other in zip(ours, theirs, strict=True):
        assert np.array(other) == pytest.approx(np.array(one), abs=1e-11)
