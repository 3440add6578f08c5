"""The interface of the nonholonomic engine: calls, checkpoints, rows, snapshots, live changes, failures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

import snakestudio as ss
from snakestudio.engines import registry
from snakestudio.engines.planar_nonholonomic.engine import PlanarNonholonomicEngine
from snakestudio.errors import PhysicsError
from snakestudio.model.motion import StraightStart
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import GROUND, ContactState, Fields
from snakestudio.paths import scenes_dir
from tests.elsewhere import answer_of
from tests.engines.common import gait_reference, same_rows, still
from tests.engines.lagrangian import changed
from tests.engines.nonholonomic import jam
from tests.strategies import scenes

PROGRAM = """
import json, sys
sys.path.insert(0, ".")
from tests.engines.test_planar_nonholonomic_engine import last_row
json.dump(last_row({steps}), sys.stdout)
"""


def last_row(steps: int) -> list[list[float]]:
    """Return poses of the links and energies at the end of a run among obstacles."""
    scene = jam(solver__step_s=0.0002)
    # Thicker pins, so that links are among them from the beginning.
    scene = changed(
        scene, obstacles=tuple(o.model_copy(update={"radius_m": 0.065}) for o in scene.obstacles)
    )
    engine = PlanarNonholonomicEngine(scene)
    engine.apply_wrench(1, (0.1, 0.2, 0.0, 0.0, 0.0, 0.1))
    report = engine.advance(gait_reference(scene, steps), steps, (steps,))
    assert report.ok, report.message
    assert report.rows.energy[-1, 5] != 0.0, "obstacles had a part in it"
    engine.snapshot()
    return [report.rows.link_pose[-1].ravel().tolist(), report.rows.energy[-1].tolist()]


@pytest.mark.parametrize(
    ("environment", "steps"),
    [
        ({"NUMBA_DISABLE_JIT": "1"}, 20),
        # Recompiling everything takes minutes.
        pytest.param(
            {"NUMBA_BOUNDSCHECK": "1"}, 2000, marks=[pytest.mark.soak, pytest.mark.timeout(900)]
        ),
    ],
)
def test_uncompiled_and_checked_kernels_agree(environment: dict[str, str], steps: int) -> None:
    # Results of fused multiply-add differ in the last bit, and obstacles amplify that.
    for here, other in zip(
        last_row(steps), answer_of(PROGRAM.format(steps=steps), **environment), strict=True
    ):
        assert np.array(other) == pytest.approx(np.array(here), abs=1e-8)


def test_one_call_and_many_calls_agree_bit_for_bit() -> None:
    scene = jam()
    reference = gait_reference(scene, 2000)
    due_steps = np.arange(40, 2001, 40)
    one = PlanarNonholonomicEngine(scene).advance(reference, 2000, due_steps).rows
    engine = PlanarNonholonomicEngine(scene)
    parts = []
    for length in (1, 7, 32, 400, 560, 1000):
        parts.append(engine.advance(reference, length, tuple(due_steps)).rows)
        engine.snapshot()
    assert engine.step_count == 2000
    assert same_rows(one, Rows.concatenate(parts))


def test_checkpoint_continues_bit_for_bit() -> None:
    scene = jam()
    reference = gait_reference(scene, 3000)
    engine = PlanarNonholonomicEngine(scene)
    engine.advance(reference, 990, ())
    engine.apply_wrench(2, (0.5, 0.0, 0.0, 0.0, 0.0, 0.1))
    saved = engine.checkpoint()
    first = engine.advance(reference, 1000, range(1000, 2000, 100)).rows
    engine.apply_wrench(2, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    engine.restore(saved)
    assert engine.step_count == 990
    again = engine.advance(reference, 1000, range(1000, 2000, 100)).rows
    other = PlanarNonholonomicEngine(scene)
    other.restore(saved)
    assert same_rows(first, again)
    assert same_rows(first, other.advance(reference, 1000, range(1000, 2000, 100)).rows)


def test_rows_hold_sums_and_the_snapshot_means_over_the_interval() -> None:
    scene = jam()
    engine = PlanarNonholonomicEngine(scene)
    reference = gait_reference(scene, 1100)
    report = engine.advance(reference, 1000, range(100, 1001, 100))
    rows = report.rows
    assert rows.impulse_ground[:, :, 2] == pytest.approx(
        np.outer(rows.time * 9.81, np.ones(10)), rel=1e-12
    )
    assert report.iterations == rows.solver_iterations[-1] >= 3000
    pushed = rows.contacts.other != GROUND
    assert pushed.any()
    assert rows.contacts.other.max() < len(scene.obstacles)
    # Contacts of a row have the sums since the previous row, link by link.
    index = np.repeat(np.arange(10), rows.contacts.count)
    total = np.zeros((10, 10, 3))
    of = rows.contacts
    np.add.at(
        total, (index[pushed], of.link[pushed]), (of.impulse_normal + of.impulse_friction)[pushed]
    )
    assert np.cumsum(total, axis=0) == pytest.approx(rows.impulse_obstacle, abs=1e-9)

    before = engine.initial_rows()
    engine.advance(reference, 50, ())
    engine.resume(reference, 50, ())
    shot = engine.snapshot()
    after = engine.initial_rows()
    walls = shot.contacts.other != GROUND
    force = np.zeros((10, 3))
    np.add.at(
        force,
        shot.contacts.link[walls],
        (shot.contacts.force_normal + shot.contacts.force_friction)[walls],
    )
    assert force == pytest.approx(
        (after.impulse_obstacle - before.impulse_obstacle)[0] / 0.1, abs=1e-9
    )
    assert set(shot.contacts.state) <= {int(ContactState.SLIP)}
    assert Fields.SOLVER in shot.valid
    assert same_rows(after, engine.initial_rows()), "looking changes nothing"


def test_running_engine_applies_supported_changes() -> None:
    scene = jam()
    engine = PlanarNonholonomicEngine(scene)
    engine.advance(still(scene), 100, ())
    live = changed(scene, ground__obstacle_damping_ns_per_m=10.0, obstacles=scene.obstacles[:3])
    assert engine.apply(live)
    engine.advance(still(live), 100, ())
    assert engine.snapshot().contacts.other.max() < 3
    for other in (changed(live, solver__step_s=0.0005), changed(live, robot__mass_kg=2.0)):
        assert not engine.apply(other)
        assert engine.scene == live


def test_diverging_motion_stops_before_the_failed_step() -> None:
    scene = jam(
        start=StraightStart(kind="straight", omega_deg_s=5e4),
        obstacles=(),
        joint_controller__kp_nm_per_rad=1e9,
    )
    engine = PlanarNonholonomicEngine(scene)
    report = engine.advance(still(scene, 3.0), 1000, range(1, 1001))
    assert not report.ok
    assert "diverged" in report.message
    assert report.steps == engine.step_count == len(report.rows.time)
    assert np.isfinite(report.rows.link_pose).all()
    assert np.isfinite(engine.snapshot().link_twist).all()


def test_divergence_at_stiff_obstacles_suggests_less_damping() -> None:
    # Shorter steps do not help: with 1/2 and 1/10 of the step, the run ends in the same way,
    # somewhat later.
    scene = scenes_dir() / "jam_resolution.toml"
    with pytest.raises(
        PhysicsError, match=r"Reduce ground\.obstacle_damping_ns_per_m from 1e\+06 to 1000\."
    ) as caught:
        ss.simulate(scene, duration=1.5, **{"ground.obstacle_damping_ns_per_m": 1e6})
    assert "step_s" not in str(caught.value)
    ss.simulate(scene, duration=1.5, **{"ground.obstacle_damping_ns_per_m": 1e3})


@given(scenes("planar_nonholonomic"))
def test_any_valid_scene_runs_or_reports_the_reason(scene: Scene) -> None:
    assume(not any(problem.severity == "error" for problem in registry.check(scene)))
    engine = registry.create(scene)
    report = engine.advance(gait_reference(scene, 100), 100, range(1, 101))
    if not report.ok:
        assert report.message.endswith(".")
        assert report.steps < 100
    assert len(report.rows) == report.steps
    assert np.isfinite(report.rows.link_pose).all()


def test_two_and_sixty_links_run() -> None:
    for n in (2, 60):
        scene = jam(
            robot__n_links=n,
            start=StraightStart(kind="straight", y_m=0.115, vx_m_s=0.3, vy_m_s=0.2),
        )
        report = PlanarNonholonomicEngine(scene).advance(gait_reference(scene, 300), 300, (300,))
        assert report.ok, report.message
        assert report.unconverged == 0
