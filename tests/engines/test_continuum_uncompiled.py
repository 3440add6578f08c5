"""The kernels as plain Python, and with array bounds checks, give the same results as the compiled kernels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.elsewhere import answer_of
from tests.engines.beam import body, run

SUPPORTS = {
    "rings": {"kind": "rings", "count": 4, "side": "alternating"},
    "anchors": {"kind": "anchors", "anchors": [{"at_m": "0.3 + 0.2*t"}, {"at_m": "l"}]},
    "friction": {"kind": "friction"},
}

PROGRAM = """
import json, sys
sys.path.insert(0, ".")
from tests.engines.test_continuum_uncompiled import last
json.dump([last(name, {steps}) for name in ("rings", "anchors", "friction")], sys.stdout)
"""


def last(name: str, steps: int) -> list[list[float]]:
    """Return poses, internal wrenches and energies after some steps of a body with few cross-sections."""
    scene = body(
        {"kind": "serpentine", "curvature_per_m": 6.0},
        SUPPORTS[name],
        {"sections": 9},
        solver={"step_s": 0.01, "error_tolerance": 1e-2},
        run={"duration_s": 1.0},
    )
    rows = run(scene, 0.01 * steps, every=steps)[1]
    return [
        rows.link_pose[-1].ravel().tolist(),
        rows.wrench[-1].ravel().tolist(),
        rows.energy[-1].tolist(),
    ]


@pytest.mark.parametrize(
    ("environment", "steps"),
    [
        ({"NUMBA_DISABLE_JIT": "1"}, 2),
        # Recompiling everything takes minutes.
        pytest.param(
            {"NUMBA_BOUNDSCHECK": "1"}, 100, marks=[pytest.mark.soak, pytest.mark.timeout(900)]
        ),
    ],
)
def test_uncompiled_and_checked_kernels_agree(environment: dict[str, str], steps: int) -> None:
    for name, elsewhere in zip(
        SUPPORTS, answer_of(PROGRAM.format(steps=steps), **environment), strict=True
    ):
        for ours, theirs in zip(last(name, steps), elsewhere, strict=True):
            assert np.array(theirs) == pytest.approx(np.array(ours), abs=1e-11)
