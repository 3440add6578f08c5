"""Laws of mechanics that the spatial engine must satisfy in any scene; all values follow from the laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines import registry
from snakestudio.model.motion import GaitStart, StraightStart, TwoWaves
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.recording import Rows
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.snapshot import GROUND, ContactState
from snakestudio.model.world import Ground
from tests.engines.common import circle, gait_reference, still
from tests.engines.spatial import (
    KIND,
    LIMP,
    NO_GRAVITY,
    case_scene,
    energy,
    matrices,
    moving,
    pair,
    run,
    step_end,
    twists,
)

G = 9.81


def last_xy(rows: Rows) -> FloatArray:
    return rows.link_pose[-1, :, :2]


@pytest.mark.parametrize(
    ("friction", "velocity", "mu"),
    [
        ((0.2, 0.2), (1.0, 0.0), 0.2),
        ((0.1, 0.5), (1.0, 0.0), 0.1),
        ((0.1, 0.5), (0.0, 1.0), 0.5),
        ((0.3, 0.3), (0.0, -1.0), 0.3),
    ],
)
def test_stopping_distance(
    friction: tuple[float, float], velocity: tuple[float, float], mu: float
) -> None:
    # s = v^2 / (2 mu g), to 6 digits. The velocity decreases by mu g dt per step and the midpoint
    # rule integrates that exactly except in the step in which it stops: with dt = 1e-4 that is
    # below (mu g dt / v)^2 / 4 = 6e-8 of the distance. Rolling friction equal to that of sliding
    # keeps the links from rolling sideways. (In oblique directions they would rotate: friction
    # along shifts load from one end of a link to the other, and so the friction across.)
    dt = 1e-4
    ground = Ground(mu_along=friction[0], mu_across=friction[1], mu_rolling=1.0)
    start = StraightStart(kind="straight", vx_m_s=velocity[0], vy_m_s=velocity[1])
    steps = math.ceil(1.0 / (mu * G * dt)) + 10
    scene = pair(ground, start=start, solver=Solver(step_s=dt))
    engine, rows = run(scene, steps, steps, gait=False)
    moved = last_xy(rows) - np.array([[0.0, 0.0], [0.122, 0.0]])
    assert np.linalg.norm(moved, axis=1) == pytest.approx(1.0 / (2 * mu * G), rel=1e-6)
    assert moved @ np.array(velocity) == pytest.approx(1.0 / (2 * mu * G), rel=1e-6)
    assert np.abs(rows.link_twist[-1]).max() < 1e-10
    assert energy(rows, engine)["work_friction"][-1] == pytest.approx(
        -0.5 * 2 * scene.robot.mass_kg, rel=1e-6
    )


@pytest.mark.parametrize("direction", [0.0, 37.0, 90.0])
def test_no_creep_below_the_friction_angle(direction: float) -> None:
    # Four seconds at 0.9 of the friction angle (peers creep 1e-5 to 1e-3 m/s). A residual of 1e-9
    # is a velocity of 1e-9 m g dt mu (1/m + R^2/Theta) = 3e-12 m/s. Rolling friction keeps a
    # transverse link from rolling.
    slope = 0.9 * math.degrees(math.atan(0.2))
    ground = Ground(
        mu_along=0.2, mu_across=0.2, mu_rolling=0.5, slope_deg=slope, downhill_deg=direction
    )
    scene = pair(ground)
    start = registry.create(scene).snapshot().link_pose
    _, rows = run(scene, 16000, 16000, gait=False)
    assert np.abs(rows.link_pose[-1, :, :3] - start[:, :3]).max() < 4.0 * 1e-11
    assert np.abs(rows.link_twist[-1]).max() < 1e-10


@pytest.mark.parametrize("direction", [0.0, 90.0])
def test_exact_sliding_above_the_friction_angle(direction: float) -> None:
    # Acceleration g (sin s - mu cos s), down the slope; constant, so the midpoint rule is exact.
    # Rolling friction keeps the links from rolling, so that friction is the same for any slope
    # direction.
    slope = 1.1 * math.atan(0.2)
    ground = Ground(
        mu_along=0.2,
        mu_across=0.2,
        mu_rolling=1.0,
        slope_deg=math.degrees(slope),
        downhill_deg=direction,
    )
    _, rows = run(pair(ground), 4000, 4000, gait=False)
    acceleration = G * (math.sin(slope) - 0.2 * math.cos(slope))
    along = np.array([math.cos(math.radians(direction)), math.sin(math.radians(direction))])
    assert rows.link_twist[-1, :, :2] @ along == pytest.approx(acceleration, rel=1e-8)
    assert rows.link_pose[-1, 0, :2] @ along == pytest.approx(0.5 * acceleration, rel=1e-8)


def test_free_fall_is_exact() -> None:
    scene = pair(start=StraightStart(kind="straight", z_m=50.0, vx_m_s=0.3, vz_m_s=1.0))
    _, rows = run(scene, 4000, 4000, gait=False)
    assert rows.link_pose[-1, :, 2] == pytest.approx(50.0 + 1.0 - 0.5 * G, abs=1e-10)
    assert rows.link_pose[-1, 0, 0] == pytest.approx(0.3, abs=1e-12)
    assert rows.link_twist[-1, :, 2] == pytest.approx(1.0 - G, abs=1e-10)


def test_landing_flat_stops_dead() -> None:
    # P1 (55): completely inelastic. Dropped level from 0.2 m, everything is at rest afterwards, the
    # ground has taken all the momentum, and the normal impulses have done the work of the fall.
    height = 0.2
    steps = 2000
    scene = pair(start=StraightStart(kind="straight", z_m=0.0525 + height))
    engine, rows = run(scene, steps, 100, gait=False)
    dt = scene.solver.step_s
    weight = 2 * scene.robot.mass_kg * G
    impact = math.sqrt(2 * G * height)
    assert np.abs(rows.link_twist[-1]).max() < 1e-10
    assert rows.impulse_ground[-1, :, 2].sum() == pytest.approx(weight * steps * dt, rel=1e-9)
    assert rows.link_pose[:, :, 2].min() >= 0.0525 - impact * dt
    assert energy(rows, engine)["work_obstacle"][-1] == pytest.approx(
        -weight * height, abs=weight * impact * dt
    )
    # The impact is in the one row of its time.
    blow = np.diff(rows.impulse_ground[:, :, 2].sum(axis=1), prepend=0.0) - weight * 100 * dt
    assert np.count_nonzero(blow > 0.5 * 2 * scene.robot.mass_kg * impact) == 1


def test_head_on_impact_on_a_post_stops_dead() -> None:
    # Straight along x, without friction, against a post on the axis: the post takes the momentum.
    front = 0.122 + 0.0393 + 0.0525  # of the second link
    ground = Ground(mu_along=0.0, mu_across=0.0, mu_rolling=0.0)
    start = StraightStart(kind="straight", vx_m_s=0.5)
    scene = pair(ground, start=start, obstacles=(circle(front + 0.1 + 0.01, 0.0, 0.1),))
    engine, rows = run(scene, 400, 40, gait=False)
    assert np.abs(rows.link_twist[-1]).max() < 1e-9
    momentum = 2 * scene.robot.mass_kg * 0.5
    assert rows.impulse_obstacle[-1, 1] == pytest.approx([-momentum, 0.0, 0.0], abs=1e-9)
    loaded = rows.contacts.other >= 0
    assert rows.contacts.impulse_normal[loaded].sum(axis=0) == pytest.approx(
        [-momentum, 0.0, 0.0], abs=1e-9
    )
    assert rows.contacts.point[loaded][0] == pytest.approx([front + 0.01, 0.0, 0.0525], abs=2e-4)
    assert energy(rows, engine)["work_obstacle"][-1] == pytest.approx(
        -0.5 * momentum * 0.5, rel=1e-6
    )


def test_spinning_cylinder_ends_in_pure_rolling() -> None:
    # On its side, without rolling friction: friction at the ground changes spin and velocity so
    # that Theta_3 omega + m R v is constant (momentum about the line of contact): omega_end =
    # omega_0 / (1 + m R^2 / Theta_3), v = omega_end R, reached after omega_end R / (mu g).
    scene = pair(Ground(mu_along=0.2, mu_across=0.2, mu_rolling=0.0))
    robot = scene.robot
    spin = 20.0
    twist = np.zeros((2, 6))
    twist[:, 3] = spin
    end = spin / (1.0 + robot.mass_kg * robot.radius_m**2 / robot.axial_inertia_kg_m2)
    until = end * robot.radius_m / (0.2 * G)
    dt = scene.solver.step_s
    _, rows = run(moving(scene, twist), round((until + 0.5) / dt), 1, gait=False)
    before = rows.link_twist[round(0.9 * until / dt), 0]
    assert before[1] == pytest.approx(-0.2 * G * (round(0.9 * until / dt) + 1) * dt, rel=1e-8)
    after = rows.link_twist[math.ceil(until / dt) + 1 :, :]
    assert after[..., 3] == pytest.approx(np.full(after[..., 3].shape, end), rel=1e-8)
    assert after[..., 1] == pytest.approx(
        np.full(after[..., 1].shape, -end * robot.radius_m), rel=1e-8
    )


def test_rolling_cylinder_stops_by_rolling_friction() -> None:
    # Rolling without slip, decelerated by the torque mu_V R m g (P1 (59)): (Theta_3 + m R^2) omega'
    # = -mu_V R m g. It stops after omega_0 / |omega'| and a distance of omega_0^2 R / (2 |omega'|);
    # the step in which it stops contributes 1e-6 of that.
    scene = pair(Ground(mu_along=0.2, mu_across=0.2, mu_rolling=0.05))
    robot = scene.robot
    spin = 5.0
    radius = robot.radius_m
    mass = robot.mass_kg
    slowing = 0.05 * radius * mass * G / (robot.axial_inertia_kg_m2 + mass * radius**2)
    until = spin / slowing
    dt = scene.solver.step_s
    twist = np.zeros((2, 6))
    twist[:, 1] = -spin * radius
    twist[:, 3] = spin
    steps = math.ceil(until / dt) + 400
    _, rows = run(moving(scene, twist), steps, 1, gait=False)
    half = round(0.5 * until / dt)
    assert rows.link_twist[half - 1, :, 3] == pytest.approx(spin - slowing * half * dt, rel=1e-8)
    assert abs(rows.link_twist[math.floor(until / dt) - 2, 0, 3]) > 0.5 * slowing * dt
    assert np.abs(rows.link_twist[math.ceil(until / dt) :]).max() < 1e-9
    assert rows.link_pose[-1, :, 1] == pytest.approx(-(spin**2) * radius / (2 * slowing), rel=2e-6)


def busy(**update: object) -> Scene:
    """Return sidewinding down a slope among a rough post and block, with joint stops: a scene with all terms."""
    return case_scene(
        "sidewinding",
        ground=Ground(
            mu_along=0.15, mu_across=0.3, mu_rolling=0.05, slope_deg=4.0, downhill_deg=70.0
        ),
        obstacles=(
            Cylinder(kind="cylinder", x_m=0.2, y_m=0.16, radius_m=0.06, friction=0.2),
            Box(
                kind="box",
                x_m=-0.3,
                y_m=0.22,
                length_m=0.4,
                width_m=0.2,
                height_m=0.02,
                friction=0.3,
            ),
        ),
        robot=case_scene("sidewinding").robot.model_copy(update={"joint_limit_deg": 30.1}),
        **update,
    )


def test_energy_ledger_balances() -> None:
    # The change of kinetic energy is the sum of all works, to 1e-8 J, and so is the decrease of
    # potential energy.
    scene = busy()
    engine = registry.create(scene)
    at_start = energy(engine.initial_rows(), engine)
    engine.apply_wrench(3, (0.4, -0.3, 0.5, 0.01, 0.02, 0.05))
    rows = engine.advance(gait_reference(scene, 16000), 16000, np.arange(40, 16001, 40)).rows
    term = energy(rows, engine)
    works = [
        name
        for name in engine.schema.energy
        if name.startswith("work_") and name != "work_projection"
    ]
    for name in works:
        assert np.abs(term[name]).max() > 0, name
    assert rows.impulse_obstacle[-1].any()
    assert (
        np.abs(term["kinetic"] - at_start["kinetic"] - sum(term[name] for name in works)).max()
        < 1e-8
    )
    fallen = term["potential"] - at_start["potential"]
    assert np.abs(fallen + term["work_gravity"] + term["work_projection"]).max() < 1e-8
    # Independent kinetic energy from the twists.
    robot = scene.robot
    turn = matrices(rows.link_pose[-1])
    omega = rows.link_twist[-1, :, 3:]
    own = np.einsum("kji,kj->ki", turn, omega) ** 2 @ [
        robot.axial_inertia_kg_m2,
        *2 * [robot.inertia_kg_m2],
    ]
    kinetic = 0.5 * (robot.mass_kg * (rows.link_twist[-1, :, :3] ** 2).sum() + own.sum())
    assert term["kinetic"][-1] == pytest.approx(kinetic, rel=1e-9)


@pytest.mark.parametrize(
    "friction", [pytest.param((0.2, 0.2), marks=pytest.mark.soak), (0.1, 0.5), (0.0, 0.3)]
)
@pytest.mark.parametrize("name", ["sidewinding", "spatial_lateral_undulation"])
def test_contact_laws_hold_step_by_step(name: str, friction: tuple[float, float]) -> None:
    # All impulses of all steps against P1 (55), (57): pressing, inside the ellipse to 1e-6, never
    # driving, and sliding only with full friction. Velocities are those at the end, directions
    # those at the middle of a step, computed here from the state before.
    scene = case_scene(name)
    scene = scene.model_copy(
        update={
            "ground": scene.ground.model_copy(
                update={"mu_along": friction[0], "mu_across": friction[1]}
            )
        }
    )
    engine = registry.create(scene)
    reference = gait_reference(scene, 4000)
    assert engine.advance(reference, 1200, ()).ok  # sidewinding is under way by then
    dt = scene.solver.step_s
    arm = scene.robot.contact_half_length_m
    radius = scene.robot.radius_m
    load = scene.robot.mass_kg * G
    mu = np.array(friction)
    seen = set[int]()
    loaded = 0
    before = engine.snapshot()
    for _ in range(1500):
        assert engine.advance(reference, 1, ()).ok
        after = engine.snapshot()
        c = after.contacts
        if len(c) == 0:
            before = after
            continue
        loaded += 1
        assert np.all(c.other == GROUND)
        pose, twist = step_end(before, after, dt)
        axis = matrices(pose)[c.link, :, 0]
        middle = pose[c.link, :3]
        end = np.sign(((c.point - middle) * axis).sum(1))[:, None]
        reach = end * arm * axis - np.array([0.0, 0.0, radius])
        assert c.point[:, :2] == pytest.approx((middle + reach)[:, :2], abs=1e-6)
        velocity = twist[c.link, :3] + np.cross(twist[c.link, 3:], reach)
        along = axis * [1.0, 1.0, 0.0]
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        across = np.cross([0.0, 0.0, 1.0], along)
        force = np.stack([(c.force_friction * d).sum(1) for d in (along, across)], -1)
        slip = np.stack([(velocity * d).sum(1) for d in (along, across)], -1)
        pressed = c.force_normal[:, 2]
        assert np.all(pressed >= 0.0)
        assert np.abs(force[:, mu == 0.0]).max(initial=0.0) < 1e-12 * load
        force_ratio = np.linalg.norm(
            np.divide(force, mu, out=np.zeros_like(force), where=mu > 0), axis=1
        )
        assert np.all(force_ratio <= pressed * (1 + 1e-6) + 1e-6 * load)
        power = (force * slip).sum(1)
        assert np.all(power <= 1e-8 * load * 0.1)
        # Maximum dissipation: power = -|slip in disc coordinates| P_N, so sliding uses the full
        # friction.
        assert power == pytest.approx(
            -np.linalg.norm(slip * mu, axis=1) * pressed, abs=1e-6 * load * 0.1
        )
        assert np.all(velocity[pressed > 1e-3 * load, 2] < 1e-9)
        seen |= set(c.state.tolist())
        before = after
    assert loaded > 1000
    # When lying flat with a gait, all contacts slide.
    assert int(ContactState.SLIP) in seen
    assert int(ContactState.STICK) in seen or name != "sidewinding"


@pytest.mark.parametrize("offset", [0.0, 0.022])
def test_joints_stay_closed_in_velocity_and_position(offset: float) -> None:
    # P1 (38), (40) at the midpoint to 1e-12 m/s and rad/s, VII-C at the end of the step. With an
    # axis offset, the yaw axis is on link k, the pitch axis on link k + 1, and y_{k+1} x z_k points
    # from one to the other.
    scene = case_scene("sidewinding")
    if offset:
        robot = scene.robot.model_copy(update={"axis_offset_m": offset})
        start = StraightStart(kind="straight", heading_deg=180.0)
        scene = scene.model_copy(update={"robot": robot, "start": start})
    engine = registry.create(scene)
    reference = gait_reference(scene, 6000)
    dt = scene.solver.step_s
    half = 0.5 * (scene.robot.link_length_m - offset)
    assert engine.advance(reference, 5000, ()).ok
    before = engine.snapshot()
    for _ in range(500):
        assert engine.advance(reference, 1, ()).ok
        after = engine.snapshot()
        pose, twist = step_end(before, after, dt)
        turn = matrices(pose)
        v = twist[:, :3]
        omega = twist[:, 3:]
        x, y, z = turn[..., 0], turn[..., 1], turn[..., 2]
        relative = omega[1:] - omega[:-1]
        assert np.abs((relative * np.cross(z[:-1], y[1:])).sum(1)).max() < 1e-12
        # relative = yaw rate z_k + pitch rate y_k+1, which at the midpoint are not exactly
        # perpendicular.
        skew = (y[1:] * z[:-1]).sum(1)
        yaw_rate = ((relative * z[:-1]).sum(1) - skew * (relative * y[1:]).sum(1)) / (1.0 - skew**2)
        between = omega[:-1] + yaw_rate[:, None] * z[:-1]
        gap = (
            v[:-1] + np.cross(omega[:-1], half * x[:-1]) - v[1:] + np.cross(omega[1:], half * x[1:])
        )
        gap += np.cross(between, offset * np.cross(y[1:], z[:-1]))
        assert np.abs(gap).max() < 1e-12
        turn = matrices(after.link_pose)
        x, y, z = turn[..., 0], turn[..., 1], turn[..., 2]
        assert np.abs((y[1:] * z[:-1]).sum(1)).max() < 1e-12
        joint = after.link_pose[:-1, :3] + half * x[:-1] + offset * np.cross(y[1:], z[:-1])
        assert np.abs(joint - after.link_pose[1:, :3] + half * x[1:]).max() < 1e-12
        before = after


@pytest.mark.parametrize("plane", [0, 1], ids=["yaw", "pitch"])
def test_joint_stop_holds_a_limp_joint(plane: int) -> None:
    # Two limp links that fold evenly at 100 deg/s reach their stop at 30 degrees: inelastic, so
    # everything is at rest there.
    scene = Scene(
        model=KIND,
        robot=Robot(n_links=2, joint_limit_deg=30.0),
        joint_controller=LIMP,
        ground=NO_GRAVITY,
        gait=TwoWaves(kind="two_waves", amplitude_deg=0.0, pitch_amplitude_deg=0.0),
        start=StraightStart(kind="straight", z_m=1.0),
    )
    pose = registry.create(scene).snapshot().link_pose
    rate = np.zeros((1, 2))
    rate[0, plane] = math.radians(100.0)
    axis = np.array([0.0, 0.0, 1.0]) if plane == 0 else np.array([0.0, 1.0, 0.0])
    first = np.concatenate([np.zeros(3), -0.5 * rate[0, plane] * axis])
    twist = twists(scene, pose, first, rate)
    twist[:, :3] -= twist[:, :3].mean(axis=0)
    engine = registry.create(moving(scene, twist, pose))
    report = engine.advance(still(scene), 1600, range(1, 1601))
    assert report.ok
    assert report.residual <= 1e-8
    angle = report.rows.joint_angle[:, plane]
    speed = report.rows.joint_rate[:, plane]
    assert angle[400] > math.radians(9.0)  # before the stop it turns freely
    assert angle.max() <= math.radians(30.0) + math.radians(100.0) * scene.solver.step_s
    assert angle[-1] >= math.radians(30.0) - 1e-9
    assert abs(speed[-1]) < 1e-10
    assert np.abs(report.rows.link_twist[-1]).max() < 1e-10
    assert energy(report.rows, engine)["work_stop"][-1] < 0.0


def test_wrench_accelerates_the_whole_body() -> None:
    # Floating, joints held: the centre of mass obeys F = 2 m a exactly, for any effect of the
    # torque on the links.
    scene = pair(NO_GRAVITY, start=StraightStart(kind="straight", z_m=1.0))
    engine = registry.create(scene)
    engine.apply_wrench(1, (3.0, 0.5, -2.0, 0.001, 0.002, 0.0))
    report = engine.advance(still(scene), 400, (400,))
    mean = report.rows.link_twist[0, :, :3].mean(axis=0)
    assert mean == pytest.approx(
        np.array([3.0, 0.5, -2.0]) * 0.1 / (2 * scene.robot.mass_kg), rel=1e-9
    )


@pytest.mark.parametrize("n", [2, 88])
def test_any_number_of_links(n: int) -> None:
    scene = Scene(
        model=KIND,
        robot=Robot(n_links=n),
        gait=TwoWaves(kind="two_waves"),
        start=GaitStart(kind="gait"),
    )
    _, rows = run(scene, 400, 400)
    assert np.isfinite(rows.link_pose).all()
