"""The interface of the Lagrangian engine: calls, checkpoints, rows, snapshots, live changes, failures."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.engines.planar_lagrangian.engine import PlanarLagrangianEngine
from snakestudio.model.motion import StraightStart
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.recording import Rows
from snakestudio.model.robot.joint_axes import yaw_axes
from snakestudio.model.snapshot import GROUND, ContactState, Fields
from tests.engines.common import gait_reference, same_rows, still
from tests.engines.lagrangian import changed, undulation

BOTH = {"ground__mu_along": 0.1, "ground__mu_across": 0.3, "ground__coulomb_smoothing_m_s": 0.02}


def test_one_call_and_many_calls_agree_bit_for_bit() -> None:
    scene = undulation(**BOTH)
    reference = gait_reference(scene, 2000)
    due_steps = np.arange(40, 2001, 40)
    one = PlanarLagrangianEngine(scene).advance(reference, 2000, due_steps).rows
    engine = PlanarLagrangianEngine(scene)
    parts = []
    for length in (1, 7, 32, 400, 560, 1000):
        parts.append(engine.advance(reference, length, tuple(due_steps)).rows)
        engine.snapshot()
    assert engine.step_count == 2000
    assert same_rows(one, Rows.concatenate(parts))


def test_control_periods_are_bit_identical() -> None:
    # A block's last knot is the first of the next block: references there are the knots' own values
    # in either block.
    scene = undulation(**BOTH)
    due_steps = np.arange(10, 2001, 10)
    one = PlanarLagrangianEngine(scene).advance(gait_reference(scene, 2000), 2000, due_steps).rows
    engine = PlanarLagrangianEngine(scene)
    parts = [
        engine.advance(gait_reference(scene, 40, begin), 40, due_steps).rows
        for begin in range(0, 2000, 40)
    ]
    assert same_rows(one, Rows.concatenate(parts))


def test_checkpoint_continues_bit_for_bit() -> None:
    scene = undulation(**BOTH)
    reference = gait_reference(scene, 3000)
    engine = PlanarLagrangianEngine(scene)
    engine.advance(reference, 990, ())
    engine.apply_wrench(2, (0.5, 0.0, 0.0, 0.0, 0.0, 0.1))
    saved = engine.checkpoint()
    first = engine.advance(reference, 2000, range(1000, 3000, 100)).rows
    engine.apply_wrench(2, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    engine.restore(saved)
    assert engine.step_count == 990
    assert engine.time == pytest.approx(0.99)
    again = engine.advance(reference, 2000, range(1000, 3000, 100)).rows
    other = PlanarLagrangianEngine(scene)
    other.restore(saved)
    assert same_rows(first, again)
    assert same_rows(first, other.advance(reference, 2000, range(1000, 3000, 100)).rows)


def test_rows_hold_sums_and_the_snapshot_means_over_the_call() -> None:
    scene = undulation(**BOTH)
    engine = PlanarLagrangianEngine(scene)
    reference = gait_reference(scene, 1100)
    rows = engine.advance(reference, 1000, range(100, 1001, 100)).rows
    assert engine.schema.n_links == 10
    assert engine.schema.axes == yaw_axes(9)
    assert rows.time == pytest.approx(np.arange(1, 11) * 0.1)
    assert rows.impulse_ground[:, :, 2] == pytest.approx(
        np.outer(rows.time * 9.81, np.ones(10)), rel=1e-12
    )
    assert rows.joint_angle_ref == pytest.approx(reference.angle[100:1001:100], abs=1e-12)
    assert not rows.impulse_obstacle.any()
    assert not rows.solver_residual.any()
    assert not rows.solver_iterations.any()
    # Contacts of a row have the sums since the previous row.
    assert rows.contacts.count.tolist() == [10] * 10
    total = (rows.contacts.impulse_normal + rows.contacts.impulse_friction).reshape(10, 10, 3)
    assert total[1:] == pytest.approx(np.diff(rows.impulse_ground, axis=0), abs=1e-13)

    before = engine.initial_rows()
    assert np.array_equal(before.link_pose, rows.link_pose[-1:])
    engine.advance(reference, 100, ())
    shot = engine.snapshot()
    after = engine.initial_rows()
    assert shot.time == pytest.approx(1.1)
    assert set(shot.contacts.other) == {GROUND}
    assert set(shot.contacts.state) == {int(ContactState.SLIP)}
    assert shot.contacts.point[:, :2] == pytest.approx(shot.link_pose[:, :2], abs=1e-15)
    force = (after.impulse_ground - before.impulse_ground)[0] / 0.1
    assert shot.contacts.force_normal + shot.contacts.force_friction == pytest.approx(
        force, abs=1e-10
    )
    assert same_rows(after, engine.initial_rows()), "looking changes nothing"


def test_viscous_friction_shows_its_forces_without_weight() -> None:
    scene = undulation(ground__gravity_m_s2=0.0)
    engine = PlanarLagrangianEngine(scene)
    assert len(engine.snapshot().contacts) == 0
    rows = engine.advance(gait_reference(scene, 100), 100, (100,)).rows
    assert rows.contacts.count.tolist() == [10]
    assert len(engine.snapshot().contacts) == 10
    assert not rows.impulse_ground[:, :, 2].any()


def test_torque_of_a_row_is_the_mean_over_the_last_step() -> None:
    # Two links in line are rotated relative to each other about their own centres: J / 2 phi'' =
    # tau.
    scene = undulation(
        robot__n_links=2,
        start=StraightStart(kind="straight"),
        ground__viscous_along_ns_per_m=0.0,
        ground__viscous_across_ns_per_m=0.0,
        joint_controller__law="pd",
        joint_controller__kp_nm_per_rad=2.0,
        joint_controller__kd_nms_per_rad=0.0,
    )
    engine = PlanarLagrangianEngine(scene)
    rows = engine.advance(still(scene, 1e-4), 1, (1,)).rows
    omega = np.sqrt(2.0 / (0.5 * 0.0016))
    mean = 2.0 * 1e-4 * np.sin(omega * 0.001) / (omega * 0.001)
    assert rows.joint_torque[0, 0] == pytest.approx(mean, rel=1e-6)


def test_running_engine_applies_supported_changes() -> None:
    scene = undulation()
    engine = PlanarLagrangianEngine(scene)
    reference = gait_reference(scene, 200)
    engine.advance(reference, 100, ())
    live = changed(scene, ground__viscous_across_ns_per_m=30.0, joint_controller__law="pd")
    assert engine.apply(live)
    assert engine.scene == live
    before = engine.initial_rows().energy[0]
    engine.advance(reference, 100, ())
    assert engine.initial_rows().energy[0, 3] < before[3]
    for other in (
        changed(live, solver__step_s=0.0005),
        changed(live, robot__mass_kg=2.0),
        changed(live, obstacles=(Cylinder(kind="cylinder", x_m=9.0, y_m=9.0),)),
    ):
        assert not engine.apply(other)
        assert engine.scene == live


def test_diverging_motion_stops_before_the_failed_step() -> None:
    scene = undulation(
        start=StraightStart(kind="straight"),
        joint_controller__law="pd",
        joint_controller__kp_nm_per_rad=1e5,
    )
    engine = PlanarLagrangianEngine(scene)
    report = engine.advance(still(scene, 0.3), 1000, range(1, 1001))
    assert not report.ok
    assert "diverged" in report.message
    assert report.steps == engine.step_count == len(report.rows.time)
    assert np.isfinite(report.rows.link_pose).all()
    assert np.isfinite(engine.snapshot().link_twist).all()
    assert engine.contact_problem() == {}


def test_rows_have_no_solver_fields() -> None:
    engine = PlanarLagrangianEngine(undulation())
    assert Fields.SOLVER not in engine.snapshot().valid
    assert Fields.SOLVER not in engine.schema.valid
    assert Fields.ENERGY in engine.snapshot().valid
