"""The nonholonomic engine against the values of paper P3, other engines, exact solutions and invariants."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.engines.planar_lagrangian.engine import PlanarLagrangianEngine
from snakestudio.engines.planar_nonholonomic.chebyshev import MOST_STAGES, longest_part, scheme
from snakestudio.engines.planar_nonholonomic.engine import PlanarNonholonomicEngine
from snakestudio.engines.planar_nonholonomic.schema import ENERGY
from snakestudio.model.motion import JointAnglesStart, LinkAnglesStart, StraightStart
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.session.offline import run_offline
from tests.engines.common import FloatArray, gait_reference, still
from tests.engines.lagrangian import changed, undulation
from tests.engines.nonholonomic import jam, run

LIMP = {"joint_controller__kp_nm_per_rad": 0.0, "joint_controller__kd_nms_per_rad": 0.0}
SLICK = {"ground__mu_along": 0.0, "ground__mu_across": 0.0}
COLUMN = {name: i for i, name in enumerate(ENERGY)}


def tumbling(**values: object) -> Scene:
    """Return a bent robot that slides and rotates without obstacles."""
    start = JointAnglesStart(
        kind="joint_angles",
        joint_angles_deg=tuple(20.0 * np.sin(np.arange(9.0)).round(3)),
        vx_m_s=0.3,
        vy_m_s=-0.1,
        omega_deg_s=60.0,
    )
    return jam(start=start, obstacles=(), **values)


def walled(**values: object) -> Scene:
    """Return two straight limp links on a smooth floor that move sideways into a wall above them."""
    start = StraightStart(kind="straight", link=1, x_m=0.0, y_m=0.0, vy_m_s=0.5)
    wall = Box(
        kind="box", x_m=0.07, y_m=0.145, length_m=2.0, width_m=0.2, height_m=0.1, friction=0.0
    )
    scene = jam(start=start, obstacles=(wall,), robot__n_links=2, **LIMP, **SLICK)
    return changed(scene, **values)


def com(rows: Rows) -> FloatArray:
    return rows.link_pose[:, :, :2].mean(axis=1)


# --- the integration


@pytest.mark.parametrize("stages", [2, 3, 5, 12, 40, MOST_STAGES])
def test_schemes_are_of_order_two_and_stable(stages: int) -> None:
    # Sommeijer, Shampine, Verwer 1998: order conditions, stable on the real axis down to -0.65 (s^2
    # - 1).
    rows = scheme(stages)
    assert rows[:, 5].sum() == pytest.approx(1.0, abs=1e-12)
    assert rows[:, 5] @ rows[:, 4] == pytest.approx(0.5, abs=1e-12)
    assert rows[-1, 4] == pytest.approx(1.0)
    z = -np.linspace(0.0, 0.65 * (stages**2 - 1.0), 4001)
    before = np.ones_like(z)
    now = 1.0 + rows[1, 3] * z
    for last, older, ahead, begin in rows[2:, :4]:
        before, now = (
            now,
            1.0 - last - older + (last + ahead * z) * now + older * before + begin * z,
        )
    assert np.abs(now).max() <= 1.0 + 1e-9
    assert np.abs(now[len(z) // 20 :]).max() < 1.0 - 1e-3, "and damps what is stiff"
    assert longest_part(1000.0) * 1000.0 <= 0.65 * (MOST_STAGES**2 - 1.0)


def test_error_falls_with_the_tolerance() -> None:
    # The error of a part is of third order, so that the final error decreases with tolerance^(2/3),
    # by 20 here.
    scene = tumbling(ground__coulomb_smoothing_m_s=0.05, ground__coulomb_smoothing_rad_s=0.5)
    ends = []
    for tolerance in (1e-10, 1e-5, 1e-7):
        own = changed(
            scene, solver__error_tolerance=tolerance, solver__step_s=0.02, control__period_s=0.02
        )
        ends.append(run(own, 2.0, 100, gait_reference(own, 100))[1].link_pose[-1, :, :2])
    coarse, fine = (np.abs(end - ends[0]).max() for end in ends[1:])
    assert coarse < 1e-4
    assert fine < 0.1 * coarse


# --- against another engine, and exact solutions


def test_model_without_friction_torque_is_the_lagrangian_one() -> None:
    # P4's equations are P3's without P3's friction torque (PHYSICS.md), and viscous friction has
    # none.
    smooth = undulation(
        joint_controller__law="pd",
        joint_controller__kp_nm_per_rad=20.0,
        joint_controller__kd_nms_per_rad=1.0,
    )
    reference = gait_reference(smooth, 3000)
    other = PlanarLagrangianEngine(smooth).advance(reference, 3000, (1000, 3000)).rows
    own = changed(smooth, model__kind="planar_nonholonomic", solver__error_tolerance=1e-8)
    _, rows = run(own, 3.0, 1000, reference)
    assert rows.link_pose[[1, 3]] == pytest.approx(other.link_pose, abs=2e-6)
    assert rows.energy[[1, 3]][:, :5] == pytest.approx(other.energy[:, :5], abs=2e-5)


def test_sliding_links_stop_by_coulombs_law() -> None:
    # v^2 / (2 mu g), for the smoothed law within the creep that it allows below eps.
    start = StraightStart(kind="straight", vx_m_s=0.7)
    _, rows = run(jam(start=start, obstacles=()), 0.6)
    assert com(rows)[-1, 0] - com(rows)[0, 0] == pytest.approx(0.7**2 / (2 * 0.3 * 9.81), abs=2e-4)


def test_wall_decelerates_links_by_its_damping() -> None:
    # m v' = -d v from the contact on, at 25 mm: both links stop after 0.5 m/s * m / d = 0.5 mm.
    engine, rows = run(walled(), 0.4, 1)
    y, vy = rows.link_pose[:, 0, 1], rows.link_twist[:, 0, 1]
    touch = 0.045 - 0.02
    assert y[-1] == pytest.approx(touch + 0.5 / 1000.0, abs=6e-5)
    assert vy[0] == 0.5
    assert abs(vy[-1]) < 1e-9
    # In between, the velocity decays exponentially: after one more time constant (1 ms) by e.
    late = np.searchsorted(rows.time, touch / 0.5 + 0.001)
    assert vy[late + 1] / vy[late] == pytest.approx(np.exp(-1.0), abs=0.02)
    # The impulse of the mean force over these 0.4 s is the whole momentum.
    contacts = engine.snapshot().contacts
    assert contacts.force_normal[contacts.other == 0][:, 1] == pytest.approx(
        [-1.25, -1.25], abs=1e-9
    )


def test_link_is_held_when_pushed_and_free_when_pulled() -> None:
    engine, _ = run(walled(), 0.4)
    for link in range(2):
        engine.apply_wrench(link, (0.0, 7.0, 0.0, 0.0, 0.0, 0.0))
    reference = still(engine.scene)
    report = engine.advance(reference, 200, (600,))
    assert np.abs(report.rows.link_twist[-1, :, 1]).max() < 1e-9, "it does not give way"
    shot = engine.snapshot()
    walls = shot.contacts.other == 0
    assert shot.contacts.force_normal[walls, 1] == pytest.approx([-7.0, -7.0], abs=1e-6)
    assert shot.contacts.point[walls, 1] == pytest.approx(0.0455, abs=1e-3)
    for link in range(2):
        engine.apply_wrench(link, (0.0, -1.0, 0.0, 0.0, 0.0, 0.0))
    report = engine.advance(reference, 200, (800,))
    # No constraint: 1 N on 1 kg for 0.2 s.
    assert report.rows.link_twist[-1, :, 1] == pytest.approx([-0.2, -0.2], abs=1e-6)


def test_link_between_two_walls_has_a_two_sided_constraint() -> None:
    walls = tuple(
        Box(kind="box", x_m=0.07, y_m=y, length_m=2.0, width_m=0.2, height_m=0.1)
        for y in (0.1195, -0.1195)
    )
    scene = walled(obstacles=walls, start=StraightStart(kind="straight"))
    engine, _ = run(scene, 0.01)
    for sign in (1.0, -1.0):
        for link in range(2):
            engine.apply_wrench(link, (0.0, 5.0 * sign, 0.0, 0.0, 0.0, 0.0))
        report = engine.advance(still(scene), 50, (engine.step_count + 50,))
        assert np.abs(report.rows.link_twist[-1, :, 1]).max() < 1e-9
        contacts = engine.snapshot().contacts
        force = contacts.force_normal[
            (contacts.other == (0 if sign > 0 else 1)) & (contacts.link == 0)
        ]
        assert force[:, 1] == pytest.approx([-5.0 * sign], abs=1e-6)


def test_held_link_keeps_its_normal_velocity() -> None:
    # (33) holds the lateral acceleration of the middle link's centre at 0: after the pin's damping
    # has removed the velocity (80 time constants), the velocity stays constant for any time.
    pin = Cylinder(kind="cylinder", x_m=0.0, y_m=0.0499, radius_m=0.03, friction=0.0)
    start = StraightStart(kind="straight", link=2)
    gait = {
        "gait__amplitude_deg": 30.0,
        "gait__frequency_deg_s": 120.0,
        "gait__phase_shift_deg": 60.0,
    }
    scene = jam(start=start, obstacles=(pin,), robot__n_links=3, **gait)
    engine = PlanarNonholonomicEngine(scene)
    for link in range(3):
        engine.apply_wrench(link, (0.0, 8.0, 0.0, 0.0, 0.0, 0.0))
    rows = engine.advance(gait_reference(scene, 1000), 600, range(80, 601)).rows
    theta = 2.0 * np.arctan2(rows.link_pose[:, :, 6], rows.link_pose[:, :, 3])
    across = -np.sin(theta) * rows.link_twist[:, :, 0] + np.cos(theta) * rows.link_twist[:, :, 1]
    assert np.abs(np.diff(theta[[0, -1]], axis=0)).max() > 0.2
    assert (rows.contacts.other == 0).sum() == len(rows), "the pin holds it all the time"
    assert np.abs(across[:, 1] - across[0, 1]).max() < 1e-11
    assert np.abs(across[:, 1]).max() < 1e-8


def test_obstacle_friction_is_the_coefficient_times_the_force() -> None:
    scene = walled(
        obstacles=tuple(o.model_copy(update={"friction": 0.4}) for o in walled().obstacles)
    )
    engine, _ = run(scene, 0.1)
    for link in range(2):
        engine.apply_wrench(link, (4.0, 6.0, 0.0, 0.0, 0.0, 0.0))
    before = engine.snapshot().link_twist[:, 0].mean()
    engine.advance(still(scene), 100, ())
    gained = engine.snapshot().link_twist[:, 0].mean() - before
    assert gained == pytest.approx((4.0 - 0.4 * 6.0) * 0.1, rel=5e-3)


# --- invariants


def test_momentum_changes_by_the_recorded_impulses() -> None:
    _, rows = run(jam(), 1.5, 50, still(jam(), np.radians(10.0)))
    momentum = rows.link_twist[:, :, :2].sum(axis=1)
    impulse = (rows.impulse_ground + rows.impulse_obstacle)[:, :, :2].sum(axis=1)
    assert momentum - momentum[0] == pytest.approx(impulse, abs=1e-12)
    assert np.abs(rows.impulse_obstacle).max() > 0.1
    total = rows.contacts.impulse_normal + rows.contacts.impulse_friction
    assert total.sum(axis=0) == pytest.approx(
        (rows.impulse_ground + rows.impulse_obstacle)[-1].sum(axis=0), abs=1e-9
    )


def test_linear_momentum_is_conserved_without_external_forces() -> None:
    scene = tumbling(**SLICK)
    _, rows = run(scene, 2.0, 100, gait_reference(scene, 2000))
    momentum = rows.link_twist[:, :, :2].sum(axis=1)
    assert np.abs(momentum - momentum[0]).max() < 1e-12


def test_energy_ledger_balances_and_friction_dissipates() -> None:
    scene = jam(solver__error_tolerance=1e-6)
    _, rows = run(scene, 1.5, 50, still(scene, np.radians(10.0)))
    energy = rows.energy
    works = energy[:, 2:].sum(axis=1)
    # Every jump of the acceleration at an obstacle is resolved in parts of 0.1 ms, which determines
    # the error.
    assert (
        np.abs(energy[:, 0] - energy[0, 0] - works).max()
        < 2e-3 * np.abs(energy[:, COLUMN["work_actuator"]]).max()
    )
    assert (np.diff(energy[:, COLUMN["work_friction"]]) <= 1e-12).all()
    assert energy[-1, COLUMN["work_obstacle"]] < 0.0
    free = tumbling(solver__error_tolerance=1e-10)
    energy = run(free, 1.0, 50, gait_reference(free, 1000))[1].energy
    assert np.abs(energy[:, 0] - energy[0, 0] - energy[:, 2:].sum(axis=1)).max() < 1e-6


def test_motion_is_invariant_to_rotation_and_reflection() -> None:
    base = jam(run__duration_s=1.0, controller__begins="right")
    angles = np.array(base.start.link_angles_deg)  # type: ignore[union-attr]
    turned = turn(base, 33.0)
    mirrored = changed(
        base,
        start=base.start.model_copy(
            update={"link_angles_deg": tuple(-angles), "y_m": -base.start.y_m}  # type: ignore[union-attr]
        ),
        obstacles=tuple(o.model_copy(update={"y_m": -o.y_m}) for o in base.obstacles),
        controller__begins="left",
    )
    plain, other, mirror = (com(run_whole(scene)) for scene in (base, turned, mirrored))
    back = np.radians(-33.0)
    matrix = np.array([[np.cos(back), -np.sin(back)], [np.sin(back), np.cos(back)]])
    assert np.abs(plain[-1] - plain[0]).max() > 0.01
    assert other @ matrix.T == pytest.approx(plain, abs=1e-7)
    assert mirror * [1.0, -1.0] == pytest.approx(plain, abs=1e-7)


def turn(scene: Scene, degrees: float) -> Scene:
    """Return the whole scene rotated about the origin."""
    angle = np.radians(degrees)
    cos, sin = np.cos(angle), np.sin(angle)

    def moved(x: float, y: float) -> dict[str, float]:
        return {"x_m": float(cos * x - sin * y), "y_m": float(sin * x + cos * y)}

    start = scene.start
    assert isinstance(start, LinkAnglesStart)
    return changed(
        scene,
        start=start.model_copy(
            update={
                "link_angles_deg": tuple(a + degrees for a in start.link_angles_deg),
                **moved(start.x_m, start.y_m),
            }
        ),
        obstacles=tuple(o.model_copy(update=moved(o.x_m, o.y_m)) for o in scene.obstacles),
        controller__direction_deg=degrees,
    )


def run_whole(scene: Scene) -> Rows:
    """Return all rows of a run with the scene's controller."""
    done = run_offline(scene)
    assert done.ok, done.message
    return Rows.concatenate(list(done.recording.chunks()))


# --- the paper's cases


def test_robot_without_resolution_jams_after_forty_centimetres() -> None:
    # PHYSICS.md: 0.386 m, top speed at 3.6 s, standstill by 4.5 to 4.9 s; paper: about 0.4 m, 3.5
    # s, 4.5 s.
    rows = run_whole(jam())
    speed = np.hypot(*rows.link_twist[:, :, :2].mean(axis=1).T)
    assert com(rows)[-1, 0] - com(rows)[0, 0] == pytest.approx(0.386, abs=0.015)
    assert rows.time[speed.argmax()] == pytest.approx(3.55, abs=0.15)
    assert speed.max() == pytest.approx(0.203, abs=0.02)
    assert speed[rows.time > 4.9].max() < 0.025
    assert rows.solver_unconverged[-1] == 0
    assert rows.solver_residual.max() < 1e-10


def test_resolution_without_gain_frees_nothing() -> None:
    # PHYSICS.md: k_theta = 0 stays at 0.40 m.
    rows = run_whole(
        jam("jam_resolution", controller__jam_gain_rad_per_n=0.0, run__duration_s=12.0)
    )
    assert com(rows)[-1, 0] - com(rows)[0, 0] == pytest.approx(0.40, abs=0.05)


def test_resolution_frees_the_robot_repeatedly() -> None:
    # PHYSICS.md: first jam at 2.38 s, about a dozen jams in 30 s, each followed by more than 5 cm/s
    # within 2 s; chaotic from then on, so that only the distance that all of some dozen starts
    # reach is required (at least 0.9 m in 15 s).
    scene = jam("jam_resolution", run__duration_s=15.0)
    done = run_offline(scene)
    rows = Rows.concatenate(list(done.recording.chunks()))
    names = done.recording.schema.extra
    state = rows.extra[:, names.index("controller_state")]
    begins = rows.time[1:][np.diff(state) > 0]
    ends = rows.time[1:][np.diff(state) < 0]
    assert begins[0] == pytest.approx(2.40, abs=0.06)
    assert 4 <= rows.extra[-1, names.index("jam_count")] <= 14
    assert ends[: len(begins)] - begins[: len(ends)] == pytest.approx(0.5, abs=0.015)
    speed = np.hypot(*rows.link_twist[:, :, :2].mean(axis=1).T)
    for end in ends[ends < 13.0]:
        assert speed[(rows.time >= end) & (rows.time <= end + 2.0)].max() > 0.05
    assert com(rows)[-1, 0] - com(rows)[0, 0] > 0.8
