"""The interface of the planar engine: calls, rows, snapshots, checkpoints, live changes, failures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
from snakestudio.engines.planar_nonsmooth.problem_file import problem_from_arrays
from snakestudio.engines.planar_nonsmooth.state import make_state
from snakestudio.kernels.planar_scratch import make_scratch
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import GaitStart, StraightStart
from snakestudio.model.recording import Rows
from snakestudio.model.robot.joint_axes import yaw_axes
from snakestudio.model.robot.robot import JointController, Robot
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.snapshot import GROUND, ContactState
from snakestudio.model.world import Ground
from tests.engines.common import same_rows, set_state, state_of
from tests.engines.planar import case_scene, circle, gait_reference, run, single, still
from tests.kernels.compiled import residuals, solve
from tests.reference_data import CASES


def test_one_call_and_many_calls_agree_bit_for_bit() -> None:
    scene = case_scene("obstacle_aided")
    reference = gait_reference(scene, 4000)
    due_steps = np.arange(40, 4001, 40)
    one = PlanarNonsmoothEngine(scene).advance(reference, 4000, due_steps).rows
    engine = PlanarNonsmoothEngine(scene)
    parts = []
    done = 0
    for length in (1, 7, 32, 400, 1560, 2000):
        parts.append(engine.advance(reference, length, tuple(due_steps)).rows)
        done += length
    assert done == 4000
    assert same_rows(one, Rows.concatenate(parts))


def test_control_periods_equal_a_single_reference() -> None:
    # Every period has its own block of knots; the rows may differ only by the rounding of the
    # knots' times.
    scene = case_scene("obstacle_aided")
    one = PlanarNonsmoothEngine(scene).advance(gait_reference(scene, 2000), 2000, (2000,)).rows
    engine = PlanarNonsmoothEngine(scene)
    for begin in range(0, 2000, 40):
        rows = engine.advance(gait_reference(scene, 40, begin), 40, (2000,)).rows
    assert rows.link_pose == pytest.approx(one.link_pose, abs=1e-9)


def test_checkpoint_continues_bit_for_bit() -> None:
    scene = case_scene("obstacle_aided")
    reference = gait_reference(scene, 4000)
    engine = PlanarNonsmoothEngine(scene)
    engine.advance(reference, 1990, ())
    saved = engine.checkpoint()
    first = engine.advance(reference, 2000, range(2000, 4000, 100)).rows
    engine.restore(saved)
    assert engine.step_count == 1990
    again = engine.advance(reference, 2000, range(2000, 4000, 100)).rows
    other = PlanarNonsmoothEngine(scene)
    other.restore(saved)
    elsewhere = other.advance(reference, 2000, range(2000, 4000, 100)).rows
    assert same_rows(first, again)
    assert same_rows(first, elsewhere)


def test_overflow_of_every_store_continues_bit_for_bit() -> None:
    scene = case_scene("obstacle_aided")
    reference = gait_reference(scene, 4000)
    due_steps = np.arange(40, 4001, 40)
    roomy = PlanarNonsmoothEngine(scene)
    tight = PlanarNonsmoothEngine(scene)
    begin = state_of(tight)
    small = make_state(begin.q, begin.u, capacity=1)._asdict()
    slots = {name: small[name][:, :1].copy() for name in ("slot_key", "slot_sum")}
    set_state(tight, **small | slots)
    assert len(state_of(tight).normal) == state_of(tight).slot_key.shape[1] == 1
    tight._room_for_contacts = lambda n_rows: 1  # type: ignore[method-assign]
    one = roomy.advance(reference, 4000, due_steps).rows
    other = tight.advance(reference, 4000, due_steps).rows
    assert len(state_of(tight).normal) > 1
    assert state_of(tight).slot_key.shape[1] > 1
    assert same_rows(one, other)


def test_rows_hold_sums_and_the_snapshot_means_over_the_call() -> None:
    scene = case_scene("obstacle_aided")
    engine, rows = run(scene, 4000, 400)
    assert engine.schema.n_links == 11
    assert engine.schema.axes == yaw_axes(10)
    assert rows.time == pytest.approx(np.arange(1, 11) * 0.1)
    load = scene.robot.mass_kg * 9.81
    assert rows.impulse_ground[:, :, 2] == pytest.approx(
        np.outer(rows.time * load, np.ones(11)), rel=1e-12
    )
    assert np.all(np.diff(rows.solver_iterations) > 0)
    # Contacts of a row have the sums since the previous row.
    ends = np.cumsum(rows.contacts.count)
    last = slice(ends[-2], ends[-1])
    link = rows.contacts.link[last]
    other = rows.contacts.other[last]
    ground = other == GROUND
    obstacle = other >= 0
    total = rows.contacts.impulse_normal[last] + rows.contacts.impulse_friction[last]
    assert total[ground] == pytest.approx(
        rows.impulse_ground[-1] - rows.impulse_ground[-2], abs=1e-12
    )
    per_link = np.zeros((11, 3))
    np.add.at(per_link, link[obstacle], total[obstacle])
    assert per_link == pytest.approx(
        rows.impulse_obstacle[-1] - rows.impulse_obstacle[-2], abs=1e-12
    )

    before = engine.initial_rows()
    engine.advance(gait_reference(scene, 4040), 40, ())
    shot = engine.snapshot()
    after = engine.initial_rows()
    assert shot.time == pytest.approx(1.01)
    ground = shot.contacts.other == GROUND
    assert shot.contacts.force_normal[ground, 2] == pytest.approx(load)
    force = (after.impulse_obstacle - before.impulse_obstacle)[0].sum(axis=0) / 0.01
    assert shot.contacts.force_normal[~ground].sum(axis=0) == pytest.approx(force, abs=1e-9)
    assert np.linalg.norm(
        shot.contacts.point[~ground, :2] - shot.link_pose[shot.contacts.link[~ground], :2], axis=1
    ) == (pytest.approx(0.07, abs=0.03))
    assert set(shot.contacts.state) <= {int(s) for s in ContactState}
    assert shot.joint_angle == pytest.approx(shot.joint_angle_ref, abs=0.02)
    assert shot.energy["kinetic"] == pytest.approx(
        0.5
        * (
            scene.robot.mass_kg * (shot.link_twist[:, :3] ** 2).sum()
            + 1.32e-3 * (shot.link_twist[:, 5] ** 2).sum()
        )
    )


def test_snapshots_do_not_change_the_engine() -> None:
    scene = case_scene("obstacle_aided")
    reference = gait_reference(scene, 800)
    due_steps = np.arange(30, 801, 70)
    looked = PlanarNonsmoothEngine(scene)
    alone = PlanarNonsmoothEngine(scene)
    parts = []
    for _ in range(20):
        parts.append(looked.advance(reference, 40, due_steps).rows)
        looked.snapshot()
        looked.initial_rows()
        looked.checkpoint()
    assert same_rows(Rows.concatenate(parts), alone.advance(reference, 800, due_steps).rows)


def test_first_row_is_the_initial_state() -> None:
    scene = case_scene(
        "obstacle_aided",
        start=GaitStart(kind="gait", link=6, x_m=0.515, y_m=0.157, heading_deg=180.0),
    )
    rows = PlanarNonsmoothEngine(scene).initial_rows()
    assert rows.time == pytest.approx([0.0])
    assert rows.joint_angle == pytest.approx(rows.joint_angle_ref)
    assert np.all(rows.impulse_ground == 0.0)
    assert rows.contacts.count.tolist() == [0]
    assert state_of(PlanarNonsmoothEngine(scene)).q == pytest.approx(
        np.array(case_state("obstacle_aided")), abs=1e-12
    )


def case_state(name: str) -> list[list[float]]:
    return np.array(CASES[name]["q0"]).reshape(-1, 3).tolist()  # type: ignore[no-any-return]


def test_live_changes_apply_or_need_a_rebuild() -> None:
    scene = case_scene("obstacle_aided")
    engine = PlanarNonsmoothEngine(scene)
    reference = gait_reference(scene, 800)
    engine.advance(reference, 400, ())
    live = scene.model_copy(
        update={
            "ground": Ground(mu_along=0.0, mu_across=0.5, gravity_m_s2=5.0),
            "joint_controller": JointController(kp_nm_per_rad=700.0, kd_nms_per_rad=1.5),
            "solver": Solver(tolerance=1e-10, max_iterations=50),
            "obstacles": (*scene.obstacles[:3], circle(0.2, 0.3, 0.02)),
        }
    )
    assert engine.apply(live)
    assert engine.scene == live
    report = engine.advance(reference, 400, (800,))
    assert report.ok
    assert report.residual <= 1e-9
    assert np.all(state_of(engine).friction[:, 0] == 0.0)
    assert report.rows.contacts.other.max(initial=-1) < 4
    for update in (
        {"robot": Robot(n_links=12)},
        {"robot": Robot(mass_kg=1.0)},
        {"robot": Robot(link_length_m=0.13)},
        {"solver": Solver(step_s=1e-4)},
        {"start": StraightStart(kind="straight")},
    ):
        assert not engine.apply(live.model_copy(update=update))
        assert engine.scene == live


def test_live_change_equals_a_change_before_the_run() -> None:
    scene = single()
    changed = scene.model_copy(
        update={"ground": Ground(mu_along=0.4, mu_across=0.1, slope_deg=30.0)}
    )
    engine = PlanarNonsmoothEngine(scene)
    assert engine.apply(changed)
    _, rows = run(changed, 100, 100, gait=False)
    assert same_rows(engine.advance(still(changed), 100, (100,)).rows, rows)


def test_diverging_scene_stops_with_the_state_before() -> None:
    # Five times the largest stable step: the joints diverge within a second.
    scene = case_scene("lateral_undulation_isotropic", solver=Solver(step_s=1.8e-3))
    engine = PlanarNonsmoothEngine(scene)
    report = engine.advance(gait_reference(scene, 2000), 2000, range(1, 2001))
    assert not report.ok
    assert "step" in report.message
    assert report.steps == engine.step_count == len(report.rows) < 2000
    assert np.isfinite(engine.snapshot().link_pose).all()
    assert np.array_equal(engine.snapshot().link_pose, report.rows.link_pose[-1])


def test_unsolved_problem_can_be_saved_and_solved(tmp_path: Path) -> None:
    # One iteration is not enough for the impact; with more iterations, the same problem is solved.
    scene = case_scene("obstacle_aided", solver=Solver(max_iterations=1))
    engine = PlanarNonsmoothEngine(scene)
    report = engine.advance(gait_reference(scene, 4000), 4000, ())
    assert not report.ok
    assert "solver.max_iterations" in report.message
    np.savez(tmp_path / "problem.npz", **engine.contact_problem())
    with np.load(tmp_path / "problem.npz") as arrays:
        problem, impulses, u = problem_from_arrays(arrays)
    scratch = make_scratch(len(u), max(problem.n_contacts, 1))
    assert solve(problem, impulses, u, scratch, 1e-9, 200) < 20
    assert max(residuals(problem, u, impulses)) <= 1e-8


def test_create_rejects_scenes_with_errors() -> None:
    from snakestudio.errors import SceneError

    scene = Scene(obstacles=(circle(0.1, 0.1, 0.08),))
    with pytest.raises(SceneError, match=r"obstacles\[1\]: Link 2 starts.*1") as caught:
        registry.create(scene)
    assert caught.value.problems[0].obstacles == (0,)


def test_registry_compiles_its_engines() -> None:
    progress: list[tuple[float, str]] = []
    assert "planar_nonsmooth" in FORMULATIONS
    registry.warm_up("planar_nonsmooth", lambda fraction, what: progress.append((fraction, what)))
    assert registry.is_warm("planar_nonsmooth")
    assert progress[0][0] == 0.0
    assert progress[-1] == (1.0, "Ready")
    assert [fraction for fraction, _ in progress] == sorted(fraction for fraction, _ in progress)


def test_twenty_thousand_obstacles_are_fast() -> None:
    # A lane through a field of posts: the grid must give each link a few candidates, not 20000.
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-30, 30, 20000), rng.uniform(-30, 30, 20000)
    posts = tuple(
        circle(float(a), float(b), 0.03)
        for a, b in zip(x, y, strict=True)
        if abs(b) > 0.3 or abs(a) > 2.0
    )
    engine = PlanarNonsmoothEngine(Scene(obstacles=posts))
    grid = np.diff(engine._params.grid.first)
    assert grid.max() <= 30
    report = engine.advance(gait_reference(engine.scene, 400), 400, ())
    assert report.ok
    assert report.residual <= 1e-8


def test_gravity_off_and_friction_off_move_freely() -> None:
    for ground in (Ground(gravity_m_s2=0.0), Ground(mu_along=0.0, mu_across=0.0)):
        scene = single(ground=ground, start=StraightStart(kind="straight", vx_m_s=0.3, vy_m_s=-0.1))
        _, rows = run(scene, 400, 400, gait=False)
        assert rows.link_pose[0, 0, :2] == pytest.approx([0.03, -0.01], abs=1e-12)
        assert math.isclose(rows.energy[-1, 0], 0.1 * scene.robot.mass_kg, rel_tol=1e-12)
