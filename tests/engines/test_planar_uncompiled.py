"""The kernels as plain Python, and with array bounds checks, give the same results as the compiled kernels."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
from tests.elsewhere import answer_of
from tests.engines.planar import gait_reference, mixed_scene

PROGRAM = """
import json, sys
sys.path.insert(0, ".")
from tests.engines.planar import gait_reference, mixed_scene
from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
scene = mixed_scene()
engine = PlanarNonsmoothEngine(scene)
report = engine.advance(gait_reference(scene, {steps}), {steps}, range(10, {steps} + 1, 10))
assert report.ok and report.unconverged == 0, report
engine.snapshot()
json.dump([report.rows.link_pose[-1].tolist(), report.rows.energy[-1].tolist(), int(report.rows.contacts_closed[-1])],
          sys.stdout)
"""


def elsewhere(steps: int, **environment: str) -> list[object]:
    """Return the last row of a run in a separate process."""
    last: list[object] = answer_of(PROGRAM.format(steps=steps), **environment)
    return last


@pytest.mark.parametrize(
    ("environment", "steps"),
    [
        ({"NUMBA_DISABLE_JIT": "1"}, 200),
        # Recompiling everything takes minutes.
        pytest.param(
            {"NUMBA_BOUNDSCHECK": "1"}, 4000, marks=[pytest.mark.soak, pytest.mark.timeout(900)]
        ),
    ],
)
def test_uncompiled_and_checked_kernels_agree(environment: dict[str, str], steps: int) -> None:
    scene = mixed_scene()
    rows = PlanarNonsmoothEngine(scene).advance(gait_reference(scene, steps), steps, (steps,)).rows
    assert np.any(rows.contacts.impulse_friction[rows.contacts.other >= 0] != 0.0)
    pose, energy, closed = elsewhere(steps, **environment)
    assert np.array(pose) == pytest.approx(rows.link_pose[-1], abs=1e-11)
    assert np.array(energy) == pytest.approx(rows.energy[-1], abs=1e-11)
    assert closed == rows.contacts_closed[-1]
