"""The Lagrangian kernels as plain Python, and with array bounds checks, give the same results as the compiled ones."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.engines.planar_lagrangian.engine import PlanarLagrangianEngine
from snakestudio.model.scene import Scene
from tests.elsewhere import answer_of
from tests.engines.common import gait_reference
from tests.engines.lagrangian import undulation

PROGRAM = """
import json, sys
sys.path.insert(0, ".")
from tests.engines.test_planar_lagrangian_uncompiled import last_row
json.dump(last_row({steps}), sys.stdout)
"""


def rough() -> Scene:
    return undulation(
        ground__mu_along=0.1,
        ground__mu_across=0.3,
        ground__coulomb_smoothing_m_s=0.02,
        ground__coulomb_law="tanh",
    )


def last_row(steps: int) -> list[list[float]]:
    """Return poses of the links and energies at the end of a run."""
    scene = rough()
    engine = PlanarLagrangianEngine(scene)
    engine.apply_wrench(1, (0.1, 0.2, 0.0, 0.0, 0.0, 0.1))
    report = engine.advance(gait_reference(scene, steps), steps, (steps,))
    assert report.ok, report.message
    engine.snapshot()
    return [report.rows.link_pose[-1].ravel().tolist(), report.rows.energy[-1].tolist()]


@pytest.mark.parametrize(
    ("environment", "steps"),
    [
        ({"NUMBA_DISABLE_JIT": "1"}, 50),
        pytest.param(
            {"NUMBA_BOUNDSCHECK": "1"}, 2000, marks=[pytest.mark.soak, pytest.mark.timeout(900)]
        ),
    ],
)
def test_uncompiled_and_checked_kernels_agree(environment: dict[str, str], steps: int) -> None:
    for here, other in zip(
        last_row(steps), answer_of(PROGRAM.format(steps=steps), **environment), strict=True
    ):
        assert np.array(other) == pytest.approx(np.array(here), abs=1e-11)
