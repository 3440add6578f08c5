"""The interface of the continuum engine: calls, checkpoints, rows, snapshots, live changes, failures."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from scipy.optimize import minimize

from snakestudio._arrays import FloatArray
from snakestudio.analysis.comparison.chains import compare_chain
from snakestudio.control.strain_source import StrainSource
from snakestudio.engines import registry
from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine
from snakestudio.errors import PhysicsError, SceneError, UsageError
from snakestudio.model.columns import table
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.robot.discretise import discretise
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.model.snapshot import SUPPORT, Fields
from snakestudio.session import scene_check
from snakestudio.session.offline import run_offline
from tests.engines.beam import body, reference, run, shipped
from tests.strategies import continuum_scenes

SNAKE: dict[str, Any] = {"kind": "serpentine", "turn_per_m": 2.0, "turn_start_s": 0.1}
FRICTION: dict[str, Any] = {
    "kind": "friction",
    "viscous_along_ns_per_m2": 2.0,
    "viscous_across_ns_per_m2": 20.0,
}
WAVE: dict[str, Any] = {"kind": "formulas", "k_z_per_m": "8*sin(7*X + 4*t)"}
SCENES = {
    "rings": body(SNAKE, {"kind": "rings"}),
    "anchors": shipped("inchworm"),
    "waves": shipped("worm_accelerating"),
    "friction": body(WAVE, FRICTION, solver={"step_s": 0.01, "error_tolerance": 1e-5}),
}


def same(one: Rows, other: Rows) -> bool:
    """Return whether two sequences of rows are equal bit for bit; positions of inactive holds are NaN in both."""
    names = [name for name in Rows.__dataclass_fields__ if name != "contacts"]
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    contacts = one.contacts.__dataclass_fields__
    pairs += [(getattr(one.contacts, name), getattr(other.contacts, name)) for name in contacts]
    return all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


@pytest.mark.parametrize("name", SCENES)
def test_one_call_and_many_calls_agree_bit_for_bit(name: str) -> None:
    scene = SCENES[name]
    due_steps = np.arange(4, 161, 4)
    one = ContinuumBeamEngine(scene).advance(reference(scene, 160), 160, due_steps).rows
    engine = ContinuumBeamEngine(scene)
    parts = []
    begin = 0
    for length in (1, 7, 32, 40, 80):
        parts.append(engine.advance(reference(scene, length, begin), length, tuple(due_steps)).rows)
        engine.snapshot()
        begin += length
    assert engine.step_count == 160
    assert same(one, Rows.concatenate(parts))


@pytest.mark.parametrize("name", SCENES)
def test_checkpoint_continues_bit_for_bit(name: str) -> None:
    scene = SCENES[name]
    engine = ContinuumBeamEngine(scene)
    engine.advance(reference(scene, 90), 90, ())
    engine.apply_wrench(20, (0.5, 0.0, 0.0, 0.0, 0.0, 0.1))
    saved = engine.checkpoint()
    first = engine.advance(reference(scene, 100, 90), 100, range(90, 190, 10)).rows
    engine.apply_wrench(20, (0.0,) * 6)
    engine.restore(saved)
    assert engine.step_count == 90
    assert same(first, engine.advance(reference(scene, 100, 90), 100, range(90, 190, 10)).rows)


@pytest.mark.parametrize("name", SCENES)
def test_snapshots_equal_rows(name: str) -> None:
    scene = SCENES[name]
    engine = ContinuumBeamEngine(scene)
    rows = engine.advance(reference(scene, 10), 10, (10,)).rows
    snapshot = engine.snapshot()
    assert snapshot.body is not None
    assert np.array_equal(snapshot.link_pose, rows.link_pose[0])
    assert np.array_equal(snapshot.body.wrench, rows.wrench[0])
    assert np.array_equal(snapshot.body.strain, rows.strain[0])
    assert np.array_equal(snapshot.body.active, rows.hold[0, :, 0] == 1)
    assert snapshot.joint_angle.shape == (0,)
    assert not snapshot.valid & (Fields.JOINTS | Fields.REFERENCE)
    assert snapshot.control["slip_mps"] == rows.extra[0, engine.schema.extra.index("slip_mps")]
    # The impulses of the interval are those of the sums since the start.
    gained = rows.impulse_obstacle[0].sum(axis=0)
    supports = snapshot.contacts.other == SUPPORT
    assert snapshot.contacts.force_normal[supports].sum(axis=0) * 0.1 == pytest.approx(
        gained, abs=1e-15
    )


def test_works_and_poses_are_of_order_four_in_the_step() -> None:
    # The grid in space is fine enough; the finest step is the reference.
    law = {"kind": "formulas", "k_z_per_m": "4*sin(5*X - 9*t)", "k_y_per_m": "3*cos(4*X + 7*t)"}
    anchors = {"kind": "anchors", "anchors": [{"at_m": "0.4 + 0.3*sin(2*t)"}]}

    def end(step: float) -> FloatArray:
        scene = body(
            law,
            anchors,
            {"group": "SE3", "sections": 5},
            solver={"step_s": step, "error_tolerance": 1e-4},
            control={"period_s": step},
            run={"log_rate_hz": 1.0, "duration_s": 1.0},
        )
        engine, _ = run(scene, 0.8, every=round(0.8 / step))
        rows = engine.initial_rows()
        return np.concatenate([rows.link_pose[0].ravel(), rows.energy[0, 2:]])

    ends = [end(step) for step in (0.04, 0.02, 0.01, 0.0025)]
    errors = [float(np.abs(e[:7] - ends[-1][:7]).max()) for e in ends[:3]]
    works = [float(np.abs(e[35:] - ends[-1][35:]).max()) for e in ends[:3]]
    for coarse, fine in pairwise(errors):
        assert np.log2(coarse / fine) == pytest.approx(4, abs=0.5)
    for coarse, fine in pairwise(works):
        assert np.log2(coarse / fine) == pytest.approx(4, abs=0.7)


# --- one-sided supports


def sided(side: str, **values: Any) -> Scene:
    return body(
        SNAKE, {"kind": "rings", "count": 7, "side": side, **values}, run={"duration_s": 2.0}
    )


def columns(rows: Rows, index: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return unit wrenches (3, p) of the supports about the head, F_c, and the supports' amounts along t_Y."""
    pose = rows.link_pose[index, 0]
    hold = rows.hold[index]
    angle = 2 * np.arctan2(pose[6], pose[3])
    x = np.array([np.cos(angle), np.sin(angle)])
    y = np.array([-np.sin(angle), np.cos(angle)])
    lateral = np.stack([-hold[:, 6], hold[:, 5]], axis=1)
    arm = hold[:, 2:4] - pose[:2]
    unit = np.stack(
        [lateral @ x, lateral @ y, arm[:, 0] * lateral[:, 1] - arm[:, 1] * lateral[:, 0]]
    )
    return unit, rows.extra[index, [0, 1, 5]], (hold[:, 8:10] * lateral).sum(axis=1)


def test_two_sided_supports_minimise_the_square_of_forces() -> None:
    scene = sided("both", weights=[1.0, 2.0, 3.0, 1.0, 0.5, 1.0, 1.0])
    _, rows = run(scene, 0.5, every=10)
    for index in range(len(rows)):
        unit, resultant, amount = columns(rows, index)
        weight = np.diag(scene.support.weights)  # type: ignore[union-attr, arg-type]
        assert amount == pytest.approx(
            weight @ unit.T @ np.linalg.solve(unit @ weight @ unit.T, resultant), abs=1e-10
        )


@pytest.mark.parametrize("side", ["left", "right", "alternating", "inner", "outer"])
def test_one_sided_supports_push_and_report_the_mismatch(side: str) -> None:
    scene = sided(side)
    _, rows = run(scene, 1.6, every=40)
    carried = 0
    for index in range(len(rows)):
        unit, resultant, amount = columns(rows, index)
        if side in ("inner", "outer"):
            bend = np.interp(rows.hold[index, :, 1], scene.beam.abscissas, rows.strain[index, :, 5])
            sign = (
                np.where(bend > 0, -1.0, 1.0) if side == "inner" else np.where(bend > 0, 1.0, -1.0)
            )
            sign[np.abs(bend) < 0.3] = 0.0  # between two samples the sign is unknown
        else:
            sign = {"left": -np.ones(7), "right": np.ones(7)}.get(
                side, np.where(np.arange(7) % 2, 1.0, -1.0)
            )
        assert (amount * sign > -1e-9).all()
        # The least-squares solution of a general optimizer under the same bounds.
        scale = np.array([1.0, 1.0, 1.0 / scene.beam.length_m])
        optimum = minimize(
            lambda t: 0.5e9 * np.square(scale * (unit @ t - resultant)).sum() + 0.5 * t @ t,  # noqa: B023
            np.zeros(7),
            jac=lambda t: 1e9 * unit.T @ (scale**2 * (unit @ t - resultant)) + t,  # noqa: B023
            bounds=[(0, None) if s > 0 else (None, 0) if s < 0 else (None, None) for s in sign],
            method="L-BFGS-B",
            options={"maxiter": 20000, "ftol": 1e-15, "gtol": 1e-10},
        )
        missed = float(np.abs(scale * (unit @ optimum.x - resultant)).max())
        left = rows.extra[index, 8]
        assert left == pytest.approx(missed, abs=2e-4)
        carried += left < 1e-6
    assert rows.solver_unconverged[-1] >= (len(rows) - carried)
    assert side not in ("left", "right") or carried < len(rows), (
        "from one side alone a snake cannot be pushed on"
    )


# --- live changes and failures


def test_changed_law_enters_at_the_head_without_sliding() -> None:
    scene = body(
        SNAKE,
        {"kind": "rings"},
        run={"duration_s": 6.0},
        solver={"step_s": 0.01, "error_tolerance": 1e-7},
    )
    source = StrainSource(scene)
    engine = ContinuumBeamEngine(scene)
    changed = with_values(scene, {"strain.curvature_per_m": 14.0, "strain.speed_m_s": 0.8})
    slip = []
    for step in range(0, 400, 10):
        if step == 100:
            assert engine.apply(changed)
            source.apply(changed, engine.time)
        time = np.arange(step, step + 11) * 0.01
        report = engine.advance(source.reference(time, None), 10, range(step + 1, step + 11))
        assert report.ok
        slip.append(report.rows.extra[:, 7])
    speed = np.concatenate(slip)
    assert speed.max() < 1e-4
    assert engine.snapshot().control["axial_speed_mps"] == pytest.approx(-0.8)


def test_changes_of_the_body_need_a_rebuild() -> None:
    scene = SCENES["rings"]
    engine = ContinuumBeamEngine(scene)
    for key, value in {
        "beam.length_m": 2.0,
        "beam.sections": 21,
        "support.count": 7,
        "support.kind": "friction",
        "start.x_m": 1.0,
    }.items():
        assert not engine.apply(with_values(scene, {key: value}))
    assert engine.apply(with_values(scene, {"ground.slope_deg": 10.0, "support.side": "left"}))


def test_undetermined_motion_of_a_straight_body_is_reported() -> None:
    scene = body(
        {"kind": "formulas", "k_z_per_m": "5*sin(4*X + 3*t)*(1 - rise(5*t))"}, {"kind": "rings"}
    )
    engine = ContinuumBeamEngine(scene)
    report = engine.advance(reference(scene, 100), 100, range(1, 101))
    assert not report.ok
    assert "determine" in report.message
    assert report.steps == engine.step_count == len(report.rows) < 100
    assert np.isfinite(report.rows.link_pose).all()


def test_force_on_a_held_body_loads_its_supports() -> None:
    scene = body(
        {"kind": "formulas"},
        {"kind": "anchors", "anchors": [{"at_m": "0"}]},
        ground={"gravity_m_s2": 0.0},
    )
    engine = ContinuumBeamEngine(scene)
    engine.apply_wrench(40, (0.0, 2.0, 0.0, 0.0, 0.0, 0.5))
    rows = engine.advance(reference(scene, 1), 1, (1,)).rows
    assert rows.hold[0, 0, 8:11] == pytest.approx([0.0, -2.0, 0.0])
    assert rows.hold[0, 0, 13] == pytest.approx(-2.5)  # 2 N at 1 m, and the couple
    assert rows.wrench[0, :, 1] == pytest.approx(np.full(41, 2.0))
    assert rows.wrench[0, :, 5] == pytest.approx(2.0 * (1 - np.array(scene.beam.abscissas)) + 0.5)


TIP = {
    "tip_fx_n": 0.7,
    "tip_fy_n": -1.2,
    "tip_fz_n": 0.4,
    "tip_mx_nm": 0.3,
    "tip_my_nm": -0.2,
    "tip_mz_nm": 0.1,
}


@pytest.mark.parametrize("bend", [0.0, 1.7], ids=["straight", "helix"])
def test_tip_load_of_a_held_body_follows_statics(bend: float) -> None:
    # A cantilever without weight: each cross-section carries the load at the tip, moved there: F
    # and M + r x F.
    strain = {
        "kind": "formulas",
        "k_x_per_m": str(0.8 * bend),
        "k_y_per_m": str(bend),
        "k_z_per_m": str(-0.5 * bend),
    }
    scene = body(
        strain,
        {"kind": "anchors", "anchors": [{"at_m": "0"}]},
        {"group": "SE3", **TIP},
        ground={"gravity_m_s2": 0.0},
        start={"kind": "straight", "z_m": 0.5, "heading_deg": 40.0, "pitch_deg": -20.0},
    )
    assert not [p for p in scene_check.check(scene) if p.key.startswith("beam.")]
    _, rows = run(scene, 0.05)
    force, torque = np.array(scene.beam.tip_wrench).reshape(2, 3)
    position = rows.link_pose[-1, :, :3]
    turn = matrices(rows.link_pose[-1, :, 3:])
    moved = torque + np.cross(position[-1] - position, force)
    np.testing.assert_allclose(
        rows.wrench[-1, :, :3], np.einsum("nji,j->ni", turn, force), atol=1e-9
    )
    np.testing.assert_allclose(
        rows.wrench[-1, :, 3:], np.einsum("nji,nj->ni", turn, moved), atol=1e-9
    )
    np.testing.assert_allclose(rows.hold[-1, 0, 8:11], -force, atol=1e-9)


def test_tip_load_on_ice_follows_newtons_law() -> None:
    # A stiff rod without friction: a = F / m, and its first angular acceleration is (M + l/2 F) / I
    # about the middle.
    ice = FRICTION | {"viscous_along_ns_per_m2": 0.0, "viscous_across_ns_per_m2": 0.0}
    scene = body(
        {"kind": "formulas"},
        ice,
        {"tip_fx_n": 0.3, "tip_fy_n": 0.4, "tip_mz_nm": 0.2},
        ground={"mu_along": 0.0, "mu_across": 0.0},
        solver={"step_s": 0.001, "error_tolerance": 1e-10},
    )
    beam = scene.beam
    span = 0.02
    recording = run_offline(
        with_values(scene, {"run.duration_s": span, "run.log_rate_hz": 1000.0})
    ).recording
    names = ("time_s", "com_vx_mps", "com_vy_mps", "link_1_wz_radps")
    time, vx, vy, omega = np.concatenate(list(table(recording, names))).T
    np.testing.assert_allclose(vx, 0.3 / beam.mass * time, atol=1e-9)
    np.testing.assert_allclose(vy, 0.4 / beam.mass * time, atol=1e-9)
    inertia = beam.mass * beam.length_m**2 / 12.0 + beam.inertia_per_length[2] * beam.length_m
    # The body runs from the head at X = 0 along x: its tip is half a length ahead of its middle.
    assert omega[2] / time[2] == pytest.approx(
        (0.2 + 0.5 * beam.length_m * 0.4) / inertia, rel=1e-4
    )


def test_tip_load_is_added_to_an_external_wrench() -> None:
    scene = body(
        {"kind": "formulas"},
        {"kind": "anchors", "anchors": [{"at_m": "0"}]},
        {"tip_fy_n": 1.0},
        ground={"gravity_m_s2": 0.0},
    )
    engine = ContinuumBeamEngine(scene)
    for pull, expected in ((2.0, 3.0), (0.0, 1.0)):
        engine.apply_wrench(40, (0.0, pull, 0.0, 0.0, 0.0, 0.0))
        rows = engine.advance(
            reference(scene, 1, engine.step_count), 1, (engine.step_count + 1,)
        ).rows
        assert rows.wrench[-1, :, 1] == pytest.approx(np.full(41, expected))


def test_ineffective_tip_load_is_reported() -> None:
    scene = body({"kind": "formulas"}, {"kind": "anchors", "anchors": [{"at_m": "0"}]}, TIP)
    problems = {p.key: p.sentence() for p in scene_check.check(scene) if p.key.startswith("beam.")}
    assert set(problems) == {"beam.tip_fz_n", "beam.tip_mx_nm", "beam.tip_my_nm"}
    assert "beam.tip_fz_n: 0.4" in problems["beam.tip_fz_n"]
    assert "beam.group = 'SE2'" in problems["beam.tip_fz_n"]
    assert "it to 0" in problems["beam.tip_fz_n"]
    with pytest.raises(UsageError, match=r"chain.*force"):
        compare_chain(scene)
    sliding = body({"kind": "formulas"}, FRICTION, {"tip_fx_n": 0.3})
    with pytest.raises(SceneError, match=r"beam\.tip_fx_n: .*0\.3.*it to 0"):
        discretise(sliding, 8)


def is_determined(engine: ContinuumBeamEngine) -> bool:
    """Return whether the supports determine the motion in the present state."""
    try:
        engine.evaluated()
    except PhysicsError:
        return False
    return True


# The serpentine law is straight at t = 0.16 s, where the anchor no longer determines the motion.
@example(
    scene_from_dict(
        {
            "format": 1,
            "model": {"kind": "continuum_beam"},
            "strain": {"kind": "serpentine"},
            "support": {"kind": "anchors", "anchors": [{"at_m": "l/2 + 0.1*sin(2*t)"}]},
            "beam": {"group": "SE2", "length_m": 0.0625},
            "start": {"kind": "straight"},
            "solver": {"step_s": 0.01},
        }
    )
)
@given(continuum_scenes)
def test_any_valid_scene_runs_or_reports_the_reason(scene: Scene) -> None:
    assume(not any(problem.severity == "error" for problem in scene_check.check(scene)))
    engine = registry.create(scene)
    report = engine.advance(
        StrainSource(scene).reference(np.arange(21) * scene.solver.step_s, None), 20, range(1, 21)
    )
    if not report.ok:
        assert report.message.endswith(".")
        assert report.steps < 20
    # The only state without a row is one in which the supports do not determine the velocities.
    assert len(report.rows) == report.steps - (not report.ok and not is_determined(engine))
    assert np.isfinite(report.rows.link_pose).all()
    assert np.isfinite(report.rows.wrench).all()
