"""Frequent calls with bound arguments give the same bits as calls that pass all arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import pytest

from snakestudio.engines import period_call, present_row, registry
from snakestudio.engines.base import Engine
from snakestudio.kernels._cache import jit_disabled
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.reference import JointReference
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.paths import scenes_dir
from tests.engines.common import gait_reference

pytestmark = pytest.mark.skipif(jit_disabled(), reason="nothing is compiled")

SCENES = ("path_following", "jam_resolution", "obstacle_aided_small", "obstacle_aided_3d")
PERIODS = 12


def advanced(
    engine: Engine, between: Callable[[Engine, int], object]
) -> tuple[list[Rows], list[Snapshot]]:
    """Return rows and snapshots of control periods with new references, with a row in every second period."""
    scene = engine.scene
    steps = scene.steps_per_period
    full_reference = gait_reference(scene, PERIODS * steps)
    rows = []
    snapshots = []
    for period in range(PERIODS):
        begin = period * steps
        between(engine, period)
        due = (begin + steps // 2,) if period % 2 else ()
        dt = scene.solver.step_s
        report = engine.advance(_part(full_reference, begin * dt, (begin + steps) * dt), steps, due)
        assert report.ok, report.message
        rows.append(report.rows)
        snapshots.append(engine.snapshot())
    return rows, snapshots


def _part(full_reference: JointReference, begin: float, end: float) -> JointReference:
    """Return the knots from one time to another, s."""
    first, last = np.searchsorted(full_reference.time, [begin - 1e-9, end + 1e-9])
    knots = slice(int(first), int(last))
    return JointReference(
        full_reference.time[knots],
        full_reference.angle[knots],
        full_reference.rate[knots],
        full_reference.acceleration[knots],
    )


def reset(engine: Engine, period: int) -> None:
    """Replace all arrays of the engine, or its parameters, in some periods."""
    if period == 5:
        engine.restore(engine.checkpoint())
    if period == 8:
        assert engine.apply(
            with_values(engine.scene, {"ground.mu_along": 0.17, "ground.mu_across": 0.17})
        )


@pytest.mark.parametrize(
    "between", [lambda engine, period: None, reset], ids=["undisturbed", "restored, edited"]
)
@pytest.mark.parametrize("name", SCENES)
def test_bound_calls_have_the_bits_of_unbound_calls(
    name: str, between: Callable[[Engine, int], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    results = []
    for often in (1, 10**9):
        monkeypatch.setattr(period_call, "_OFTEN", often)
        monkeypatch.setattr(present_row, "_OFTEN", often)
        engine = registry.create(load_scene(scenes_dir() / f"{name}.toml"))
        results.append((*advanced(engine, between), engine.checkpoint().state[0]))
    (rows, snapshots, state), (other_rows, other_snapshots, other_state) = results
    for row, other_row in zip(rows, other_rows, strict=True):
        np.testing.assert_equal(asdict(row), asdict(other_row))
    for snapshot, other_snapshot in zip(snapshots, other_snapshots, strict=True):
        np.testing.assert_equal(asdict(snapshot), asdict(other_snapshot))
    np.testing.assert_equal(state._asdict(), other_state._asdict())
