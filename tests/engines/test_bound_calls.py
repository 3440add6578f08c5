"""Calls with bound arguments give the same bits as calls that pass all arguments, also after arrays are replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines import registry
from snakestudio.engines.base import Engine
from snakestudio.engines.row_buffers import RowCollector
from snakestudio.kernels import many_calls
from snakestudio.kernels._cache import jit_disabled
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.reference import JointReference
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.paths import scenes_dir
from tests.engines.common import gait_reference, same_rows

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
    for bound in (True, False):
        monkeypatch.setattr(many_calls, "jit_disabled", lambda bound=bound: not bound)
        engine = registry.create(load_scene(scenes_dir() / f"{name}.toml"))
        results.append((*advanced(engine, between), engine.checkpoint().state[0]))
    (rows, snapshots, state), (other_rows, other_snapshots, other_state) = results
    for row, other_row in zip(rows, other_rows, strict=True):
        np.testing.assert_equal(asdict(row), asdict(other_row))
    for snapshot, other_snapshot in zip(snapshots, other_snapshots, strict=True):
        np.testing.assert_equal(asdict(snapshot), asdict(other_snapshot))
    np.testing.assert_equal(state._asdict(), other_state._asdict())


def held(
    begin: int, n_steps: int, dt: float, angle: FloatArray, rate: FloatArray | None
) -> JointReference:
    """Return the reference of steps under set-points, as an array for each knot."""
    rates = np.zeros((2, len(angle))) if rate is None else np.stack([rate, rate])
    end = angle if rate is None else angle + rate * (n_steps * dt)
    time = np.array([begin * dt, (begin + n_steps) * dt])
    return JointReference(time, np.stack([angle, end]), rates, np.zeros_like(rates))


@pytest.mark.parametrize("name", SCENES)
def test_set_points_have_the_bits_of_their_references(name: str) -> None:
    scene = load_scene(scenes_dir() / f"{name}.toml")
    dt = scene.solver.step_s
    own, plain = registry.create(scene), registry.create(scene)
    angle = own.snapshot().joint_angle
    rate = np.linspace(-0.2, 0.3, len(angle))
    wave = gait_reference(scene, 200)  # too many knots to be copied
    saved = own.checkpoint(), plain.checkpoint()
    for round_ in range(2):
        for n_steps, moving in ((7, False), (7, True), (1, False), (12, True), (1, True)):
            begin = own.step_count
            assert own.hold(n_steps, angle, rate if moving else None, None) == ""
            reference = held(begin, n_steps, dt, angle, rate if moving else None)
            assert plain.advance(reference, n_steps).ok
            np.testing.assert_equal(own.reference.angle, reference.angle)
            np.testing.assert_equal(asdict(own.snapshot()), asdict(plain.snapshot()))
            # A reference of two knots with accelerations, and a long one, between them.
            knots = own.step_count + np.array([0, 5])
            bent = JointReference(
                knots * dt, np.stack([angle, angle]), *np.full((2, 2, len(angle)), 0.1)
            )
            for engine in (own, plain):
                assert engine.advance(bent, 3, ()).ok
                assert engine.advance(wave, 2, ()).ok
        np.testing.assert_equal(own.checkpoint().state[0], plain.checkpoint().state[0])
        if round_ == 0:
            own.restore(saved[0])
            plain.restore(saved[1])
            assert own.step_count == 0


def test_collected_rows_equal_those_of_reports() -> None:
    scene = load_scene(scenes_dir() / "jam_resolution.toml")
    reference = gait_reference(scene, 400)
    due_steps = np.arange(4, 401, 4)
    one = registry.create(scene).advance(reference, 400, due_steps).rows
    engine = registry.create(scene)
    collector = RowCollector()
    parts = []
    for step in range(0, 400, 4):  # a hundred rows: more than one block of rows
        collector.due = (step + 4,)
        report = engine.advance(reference, 4, collector)
        assert report.ok
        assert not len(report.rows)
        assert collector.last_step == step + 4
        engine.snapshot()
        if step % 200 == 100:
            n_rows = collector.count
            popped = collector.pop()
            assert popped is not None
            assert len(popped) == n_rows
            parts.append(popped)
            assert collector.pop() is None
    rest = collector.pop()
    assert rest is not None
    assert same_rows(one, Rows.concatenate([*parts, rest]))
