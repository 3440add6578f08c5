"""Laws of mechanics that the planar engine must satisfy in any scene; all values follow from the laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
from snakestudio.engines.planar_nonsmooth.schema import ENERGY
from snakestudio.model.motion import GaitStart, JointAnglesStart, LateralUndulation, StraightStart
from snakestudio.model.robot.robot import JointController, Robot
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.world import Ground
from tests.engines.common import set_state, state_of
from tests.engines.planar import case_scene, circle, gait_reference, run, single, still

LIMP = JointController(kp_nm_per_rad=0.0, kd_nms_per_rad=0.0)


@pytest.mark.parametrize(
    ("friction", "velocity", "mu"),
    [((0.2, 0.2), (1.0, 0.0), 0.2), ((0.1, 0.5), (1.0, 0.0), 0.1), ((0.1, 0.5), (0.0, 1.0), 0.5)],
)
def test_stopping_distance(
    friction: tuple[float, float], velocity: tuple[float, float], mu: float
) -> None:
    # s = v^2 / (2 mu g). The velocity decreases by mu g dt per step and the midpoint rule
    # integrates that exactly except in the last step, in which it stops: with dt = 1e-5 that is
    # below (mu g dt / v)^2 / 4 of the distance.
    dt = 1e-5
    start = StraightStart(kind="straight", vx_m_s=velocity[0], vy_m_s=velocity[1])
    steps = math.ceil(1.0 / (mu * 9.81 * dt)) + 10
    engine, rows = run(
        single(friction, start=start, solver=Solver(step_s=dt)), steps, steps, gait=False
    )
    moved = rows.link_pose[-1, :, :2] - np.array([[0.0, 0.0], [0.122, 0.0]])
    assert np.linalg.norm(moved, axis=1) == pytest.approx(1.0 / (2 * mu * 9.81), rel=1e-6)
    assert np.abs(rows.link_twist[-1]).max() < 1e-12
    assert rows.energy[-1, ENERGY.index("work_friction")] == pytest.approx(
        -0.5 * 2 * engine.scene.robot.mass_kg
    )


@pytest.mark.parametrize(("slope_share", "direction"), [(0.9, 0.0), (0.9, 37.0), (0.9, 90.0)])
def test_no_creep_below_the_friction_angle(slope_share: float, direction: float) -> None:
    slope = slope_share * math.degrees(math.atan(0.2))
    ground = Ground(mu_along=0.2, mu_across=0.2, slope_deg=slope, downhill_deg=direction)
    _, rows = run(single(ground=ground), 8000, 8000, gait=False)
    assert np.abs(rows.link_twist[-1]).max() < 1e-12


def test_exact_sliding_above_the_friction_angle() -> None:
    # Acceleration g (sin s - mu cos s), down the slope; constant, so the midpoint rule is exact.
    slope = 1.1 * math.atan(0.2)
    ground = Ground(mu_along=0.2, mu_across=0.2, slope_deg=math.degrees(slope), downhill_deg=30.0)
    _, rows = run(single(ground=ground), 4000, 4000, gait=False)
    acceleration = 9.81 * (math.sin(slope) - 0.2 * math.cos(slope))
    along = np.array([math.cos(math.radians(30.0)), math.sin(math.radians(30.0))])
    assert rows.link_twist[-1, :, :2] @ along == pytest.approx(acceleration * 1.0, rel=1e-9)
    assert (rows.link_pose[-1, 0, :2]) @ along == pytest.approx(0.5 * acceleration, rel=1e-9)


def test_free_chain_keeps_momentum() -> None:
    # No external force: linear momentum is constant to rounding. Angular momentum only converges
    # with the step, because positions and impulses of a step belong to different instants: the
    # error is a quarter with half the step.
    errors = []
    for dt in (2.5e-4, 1.25e-4):
        scene = case_scene("lateral_undulation_isotropic").model_copy(
            update={
                "ground": Ground(mu_along=0.0, mu_across=0.0),
                "solver": Solver(step_s=dt),
                "start": GaitStart(kind="gait", vx_m_s=0.3, omega_deg_s=50.0),
            }
        )
        engine = PlanarNonsmoothEngine(scene)
        first = engine.initial_rows()
        steps = round(0.5 / dt)
        rows = engine.advance(gait_reference(scene, steps), steps, (steps,)).rows
        mass = scene.robot.mass_kg
        inertia = scene.robot.inertia_kg_m2
        momentum = [mass * r.link_twist[0, :, :2].sum(axis=0) for r in (first, rows)]
        # After the first step, whose velocity jump to values that the joints allow also conserves
        # momentum.
        assert momentum[1] == pytest.approx(momentum[0], abs=1e-11)
        spin = []
        for r in (first, rows):
            (x, y), (vx, vy) = r.link_pose[0, :, :2].T, r.link_twist[0, :, :2].T
            spin.append((inertia * r.link_twist[0, :, 5] + mass * (x * vy - y * vx)).sum())
        errors.append(abs(spin[1] - spin[0]) / abs(spin[0]))
    assert errors[0] < 1e-3
    assert errors[1] < 0.6 * errors[0]


def test_head_on_impact_stops_dead() -> None:
    # P2 (48): completely inelastic. Straight along x against a cylinder on the axis: everything is
    # at rest afterwards, and the obstacle's impulse is the robot's momentum.
    start = StraightStart(kind="straight", vx_m_s=0.5)
    front = 0.122 + 0.0393 + 0.0525  # of the second link
    scene = single((0.0, 0.0), start=start, obstacles=(circle(front + 0.1 + 0.01, 0.0, 0.1),))
    _, rows = run(scene, 400, 40, gait=False)
    assert np.abs(rows.link_twist[-1]).max() < 1e-12
    momentum = 2 * scene.robot.mass_kg * 0.5
    assert rows.impulse_obstacle[-1, 1] == pytest.approx([-momentum, 0.0, 0.0], abs=1e-12)
    # The impact is in the one row of its time, and the mean forces of all rows reproduce it.
    assert rows.contacts.count.sum() - 2 * len(rows) == 1
    loaded = rows.contacts.other >= 0
    assert rows.contacts.impulse_normal[loaded].sum(axis=0) == pytest.approx(
        [-momentum, 0.0, 0.0], abs=1e-12
    )
    assert rows.contacts.point[loaded][0] == pytest.approx([front + 0.01, 0.0, 0.0525], abs=2e-4)


def test_energy_ledger_balances() -> None:
    # The change of kinetic energy is the sum of all works, PHYSICS.md: to 1e-8 J; with all terms
    # present.
    scene = case_scene("obstacle_aided").model_copy(
        update={
            "ground": Ground(mu_along=0.15, mu_across=0.3, slope_deg=3.0, downhill_deg=70.0),
            "robot": Robot(joint_limit_deg=35.0),
        }
    )
    engine = PlanarNonsmoothEngine(scene)
    engine.apply_wrench(3, (0.4, -0.3, 0.0, 0.0, 0.0, 0.05))
    rows = engine.advance(gait_reference(scene, 8000), 8000, np.arange(40, 8001, 40)).rows
    term = dict(zip(ENERGY, rows.energy.T, strict=True))
    works = [name for name in ENERGY if name.startswith("work_") and name != "work_projection"]
    for name in works:
        assert np.abs(term[name]).max() > 0, name
    assert np.abs(term["kinetic"] - sum(term[name] for name in works)).max() < 1e-8
    fallen = term["potential"] - engine_potential(scene)
    assert np.abs(fallen + term["work_gravity"] + term["work_projection"]).max() < 1e-8


def engine_potential(scene: Scene) -> float:
    return float(PlanarNonsmoothEngine(scene).initial_rows().energy[0, ENERGY.index("potential")])


@pytest.mark.parametrize("friction", [(0.2, 0.2), (0.05, 0.4), (0.0, 0.3)])
def test_friction_stays_in_the_disc_and_only_brakes(friction: tuple[float, float]) -> None:
    scene = case_scene("obstacle_aided", ground=Ground(mu_along=friction[0], mu_across=friction[1]))
    engine = PlanarNonsmoothEngine(scene)
    reference = gait_reference(scene, 2000)
    load = scene.robot.mass_kg * 9.81 * scene.solver.step_s
    mu = np.array(friction)
    worst_power = -1.0
    for _ in range(2000):
        engine.advance(reference, 1, ())
        state = state_of(engine)
        cos, sin = (engine.contact_problem()[name] for name in ("cos", "sin"))
        assert np.linalg.norm(state.friction, axis=1).max() <= load * (1 + 1e-6)
        assert np.all(state.friction[:, mu == 0.0] == 0.0)
        axis = np.column_stack([cos, sin])
        side = np.column_stack([-sin, cos])
        gamma = (
            np.column_stack([(axis * state.u[:, :2]).sum(1), (side * state.u[:, :2]).sum(1)]) * mu
        )
        worst_power = max(
            worst_power, float((gamma * state.friction).sum(axis=1).max()) / (load * 0.1)
        )
    assert worst_power <= 1e-8


def test_joints_stay_closed_in_velocity_and_position() -> None:
    # P2 (61) at the midpoint to 1e-12 m/s, VI-C at the end of the step.
    scene = case_scene("obstacle_aided")
    engine = PlanarNonsmoothEngine(scene)
    reference = gait_reference(scene, 500)
    half = 0.5 * scene.robot.link_length_m
    for _ in range(500):
        engine.advance(reference, 1, ())
        state = state_of(engine)
        cos, sin = (engine.contact_problem()[name] for name in ("cos", "sin"))
        swing = half * state.u[:, 2:3] * np.column_stack([-sin, cos])
        gap = state.u[:-1, :2] + swing[:-1] - state.u[1:, :2] + swing[1:]
        assert np.abs(gap).max() < 1e-12
        arm = half * np.column_stack([np.cos(state.q[:, 2]), np.sin(state.q[:, 2])])
        assert np.abs(state.q[:-1, :2] + arm[:-1] - state.q[1:, :2] + arm[1:]).max() < 1e-12


def test_joint_stop_holds_a_limp_joint() -> None:
    # Two limp links that fold evenly at 100 deg/s reach their stop at 30 degrees: inelastic, so
    # everything is at rest there.
    scene = Scene(
        robot=Robot(n_links=2, joint_limit_deg=30.0),
        joint_controller=LIMP,
        ground=Ground(mu_along=0.0, mu_across=0.0),
        gait=LateralUndulation(kind="lateral_undulation", amplitude_deg=0.0),
        start=JointAnglesStart(kind="joint_angles", joint_angles_deg=(29.0,)),
    )
    engine = PlanarNonsmoothEngine(scene)
    velocity = state_of(engine).u
    velocity[:, 2] = math.radians(-50.0), math.radians(50.0)
    set_state(engine, u=velocity)
    report = engine.advance(still(scene), 400, range(1, 401))
    assert report.ok
    assert report.residual <= 1e-8
    angle, rate = report.rows.joint_angle[:, 0], report.rows.joint_rate[:, 0]
    assert angle.max() <= math.radians(30.0) + math.radians(100.0) * scene.solver.step_s
    assert angle[-1] >= math.radians(30.0)
    assert abs(rate[-1]) < 1e-12
    assert np.abs(report.rows.link_twist[-1, :, 5]).max() < 1e-12
    assert report.rows.energy[-1, ENERGY.index("work_stop")] < 0.0


def test_wrench_accelerates_the_whole_body() -> None:
    # Joints held by the PD controller, no friction: the centre of mass obeys F = 2 m a exactly.
    scene = single((0.0, 0.0))
    engine = PlanarNonsmoothEngine(scene)
    engine.apply_wrench(1, (3.0, 0.0, 9.0, 7.0, 7.0, 0.0))
    engine.advance(still(scene), 4000, ())
    engine.apply_wrench(1, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    engine.advance(still(scene), 400, ())
    velocity = engine.snapshot().link_twist[:, 0]
    assert velocity == pytest.approx(3.0 / (2 * scene.robot.mass_kg), rel=1e-9)


@pytest.mark.parametrize("n", [2, 88, 1000])
def test_any_number_of_links(n: int) -> None:
    posts = tuple(circle(0.3 * k, 0.25 * (-1) ** k, 0.05) for k in range(0, 4 * n // 10))
    scene = Scene(
        robot=Robot(n_links=n), obstacles=posts, start=GaitStart(kind="gait", heading_deg=3.0)
    )
    hit = {j for problem in registry.check(scene) for j in problem.obstacles}
    remaining = [o for j, o in enumerate(posts) if j not in hit]
    scene = scene.model_copy(update={"obstacles": tuple(remaining)})
    steps = 40 if n == 1000 else 400
    _, rows = run(scene, steps, steps)
    assert np.isfinite(rows.link_pose).all()
    joint_error = np.abs(rows.joint_angle - rows.joint_angle_ref).max()
    assert joint_error < math.radians(1.0)
