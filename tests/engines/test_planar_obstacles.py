"""Rough obstacles and boxes in the plane: closed forms of Coulomb's law, and contacts that do not flicker."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
from snakestudio.engines.planar_nonsmooth.problem_file import problem_from_arrays
from snakestudio.engines.planar_nonsmooth.schema import ENERGY
from snakestudio.engines.planar_obstacles import gaps, outlines
from snakestudio.kernels.planar_scratch import make_scratch
from snakestudio.model.motion import StraightStart
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import ContactState
from tests.engines.common import state_of
from tests.engines.planar import case_scene, gait_reference, run, single, still
from tests.kernels.compiled import residuals, solve

# L_SC and L_GS of the default link
RADIUS = 0.0525
REACH = 0.0393
MASS = 7.5  # of eleven links
WORKS = [
    i for i, name in enumerate(ENERGY) if name.startswith("work_") and name != "work_projection"
]


def wall(friction: float, **more: Any) -> Box:
    """Return a wall along x whose upper side touches links on y = 0."""
    size = {
        "x_m": 0.0,
        "y_m": -RADIUS - 0.1,
        "length_m": 20.0,
        "width_m": 0.2,
        "friction": friction,
    }
    return Box.model_validate({**size, **more})


def rough(scene: Scene, mu: float) -> Scene:
    return scene.model_copy(
        update={"obstacles": tuple(o.model_copy(update={"friction": mu}) for o in scene.obstacles)}
    )


def boxed(mu: float) -> Scene:
    """Return the paper's scene with rotated square boxes instead of its pipes."""
    scene = case_scene("obstacle_aided")
    boxes = tuple(
        Box(x_m=o.x_m, y_m=o.y_m, length_m=0.19, width_m=0.19, yaw_deg=17.0 * i, friction=mu)
        for i, o in enumerate(scene.obstacles)
    )
    return scene.model_copy(update={"obstacles": boxes})


def pushed(engine: PlanarNonsmoothEngine, along: float, pressing: float) -> None:
    """Apply a force along x and one towards the wall, shared by both links."""
    for link in range(2):
        engine.apply_wrench(link, (0.5 * along, -0.5 * pressing, 0.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("turn", [0.0, 180.0])
@pytest.mark.parametrize("factor", [0.99, -0.99, 1.01, -1.01])
def test_sticks_below_and_slides_above_the_friction_limit(factor: float, turn: float) -> None:
    # Pressed on a wall with 10 N at mu = 0.3: it sticks up to 3 N, and slides beyond with exactly 3
    # N.
    scene = single((0.0, 0.0), obstacles=(wall(0.3, yaw_deg=turn),))
    engine = PlanarNonsmoothEngine(scene)
    pushed(engine, 3.0 * factor, 10.0)
    report = engine.advance(still(scene), 4000, range(40, 4001, 40))
    assert report.ok
    assert report.residual <= 1e-8
    rows = report.rows
    mass = 2 * scene.robot.mass_kg
    friction = rows.impulse_obstacle[-1, :, 0].sum()
    assert rows.impulse_obstacle[-1, :, 1].sum() == pytest.approx(10.0, rel=1e-6)
    states = set(rows.contacts.state[rows.contacts.other == 0].tolist())
    if abs(factor) < 1.0:
        assert np.abs(rows.link_twist[-1]).max() < 1e-12
        assert friction == pytest.approx(-3.0 * factor, rel=1e-6)
        assert states == {ContactState.STICK}
    else:
        assert friction == pytest.approx(-math.copysign(3.0, factor), rel=1e-6)
        speed = math.copysign(0.03 / mass, factor)
        assert rows.link_twist[-1, :, 0] == pytest.approx(np.full(2, speed), rel=1e-6)
        assert rows.energy[-1, ENERGY.index("work_friction")] == pytest.approx(
            -3.0 * 0.5 * abs(speed), rel=1e-3
        )
        assert states == {ContactState.SLIP}
    # Two links touch the wall with both ends each, and none of these contacts flickers.
    assert np.all(rows.contacts_closed == 4)
    snapshot = engine.snapshot()
    obstacle = snapshot.contacts.other == 0
    assert snapshot.contacts.force_friction[obstacle].sum(axis=0) == pytest.approx(
        [-math.copysign(min(abs(factor), 1.0) * 3.0, factor), 0.0, 0.0], rel=1e-6
    )
    assert set(snapshot.contacts.state[obstacle].tolist()) == states


@pytest.mark.parametrize(("along", "after"), [(1.0, 0.85), (-1.0, -0.85), (0.1, 0.0)])
def test_impact_on_a_rough_wall(along: float, after: float) -> None:
    # Broadside with 0.5 m/s: the wall takes all of that momentum, and friction takes 0.3 of it from
    # the motion along; the moment mu r about a link's axis is less than its ends can carry (L_GS),
    # so that nothing rotates.
    start = StraightStart(kind="straight", y_m=0.01, vx_m_s=along, vy_m_s=-0.5)
    scene = single((0.0, 0.0), start=start, obstacles=(wall(0.3),))
    _, rows = run(scene, 120, 10, gait=False)
    assert rows.link_twist[-1, :, 0] == pytest.approx(np.full(2, after), abs=1e-12)
    assert np.abs(rows.link_twist[-1, :, [1, 5]]).max() < 1e-12
    mass = 2 * scene.robot.mass_kg
    assert rows.impulse_obstacle[-1].sum(axis=0) == pytest.approx(
        [mass * (after - along), mass * 0.5, 0.0], abs=1e-12
    )
    hit = rows.contacts.other == 0
    assert rows.contacts.impulse_friction[hit].sum(axis=0) == pytest.approx(
        [mass * (after - along), 0, 0], abs=1e-12
    )
    assert rows.energy[-1, 0] - 0.5 * mass * (along**2 + 0.25) == pytest.approx(
        rows.energy[-1, WORKS].sum(), abs=1e-12
    )


def test_head_on_impact_on_a_wall_stops_dead() -> None:
    front = 0.122 + REACH + RADIUS  # of the second link
    start = StraightStart(kind="straight", vx_m_s=0.5)
    face = Box(x_m=front + 0.01 + 0.05, y_m=0.1, length_m=0.1, width_m=1.0, friction=0.4)
    _, rows = run(single((0.0, 0.0), start=start, obstacles=(face,)), 400, 40, gait=False)
    assert np.abs(rows.link_twist[-1]).max() < 1e-12
    momentum = 2 * MASS / 11 * 0.5
    assert rows.impulse_obstacle[-1, 1] == pytest.approx([-momentum, 0.0, 0.0], abs=1e-12)
    assert rows.contacts.point[rows.contacts.other == 0][0] == pytest.approx(
        [front + 0.01, 0.0, RADIUS], abs=2e-4
    )


def test_sliding_along_a_smooth_wall_keeps_the_speed() -> None:
    start = StraightStart(kind="straight", vx_m_s=0.5)
    scene = single((0.0, 0.0), start=start, obstacles=(wall(0.0),))
    engine = PlanarNonsmoothEngine(scene)
    pushed(engine, 0.0, 10.0)
    rows = engine.advance(still(scene), 4000, range(1, 4001)).rows
    assert rows.link_twist[-1, :, 0] == pytest.approx(np.full(2, 0.5), abs=1e-12)
    assert np.abs(rows.link_twist[:, :, [1, 5]]).max() < 1e-12
    assert np.all(rows.contacts_closed == 4)
    assert np.all(rows.contacts.state[rows.contacts.other == 0] == ContactState.SLIP)


def test_link_across_a_wall_end_touches_end_and_corner() -> None:
    # The wall ends 1 cm before the centre of link 2: that link touches with its rear end and at the
    # corner, link 1 with both ends.
    scene = single((0.0, 0.0), obstacles=(wall(0.2, x_m=0.112 - 10.0),))
    engine = PlanarNonsmoothEngine(scene)
    pushed(engine, 0.1, 10.0)
    rows = engine.advance(still(scene), 2000, range(1, 2001)).rows
    assert np.all(rows.contacts_closed == 4)
    assert np.abs(rows.link_twist).max() < 1e-10
    last = slice(-int(rows.contacts.count[-1]), None)
    points = rows.contacts.point[last][rows.contacts.other[last] == 0]
    assert points[:, 0].max() == pytest.approx(0.112, abs=1e-9)


def test_corner_of_a_box_against_the_side_of_a_link() -> None:
    # A square on its corner, 1 cm behind the middle of link 1, which is pressed with 8 N: force and
    # point are those of the corner.
    half = 0.1 * math.sqrt(0.5)
    corner = Box(x_m=-0.01, y_m=-RADIUS - half, length_m=0.1, width_m=0.1, yaw_deg=45.0)
    scene = single((0.0, 0.0), obstacles=(corner.model_copy(update={"friction": 0.0}),))
    engine = PlanarNonsmoothEngine(scene)
    engine.apply_wrench(0, (0.0, -8.0, 0.0, 0.0, 0.0, 0.0))
    rows = engine.advance(still(scene), 1, (1,)).rows
    obstacle = rows.contacts.other == 0
    assert rows.contacts_closed.tolist() == [1]
    assert rows.contacts.point[obstacle][0] == pytest.approx([-0.01, -RADIUS, RADIUS], abs=1e-9)
    assert rows.contacts.impulse_normal[obstacle][0, 0] == pytest.approx(0.0, abs=1e-12)
    assert rows.contacts.impulse_normal[obstacle][0, 1] > 0.0


@pytest.mark.parametrize(
    "scene", [rough(case_scene("obstacle_aided"), 0.3), boxed(0.3), boxed(1.0)]
)
def test_friction_of_obstacles_is_bounded_and_only_brakes(scene: Scene) -> None:
    engine = PlanarNonsmoothEngine(scene)
    engine.apply_wrench(3, (0.4, -0.3, 0.0, 0.0, 0.0, 0.05))
    reference = gait_reference(scene, 2000)
    scale = scene.robot.mass_kg * 9.81 * scene.solver.step_s
    mu = scene.obstacles[0].friction
    most = 0.0
    slipping = 0
    sticking = 0
    for _ in range(2000):
        # at the midpoint
        begin = state_of(engine)
        centre = begin.q[:, :2] + 0.5 * scene.solver.step_s * begin.u[:, :2]
        report = engine.advance(reference, 1, ())
        assert report.residual <= 1e-8
        work = engine._work
        k = int(work.active[0])
        normal = work.normal[:k]
        tangent = work.tangent[:k]
        link = work.link[:k]
        assert np.all(np.abs(tangent) <= normal * (1 + 1e-6) + 1e-8 * scale)
        gamma = (work.rows[:k, 3:] * work.u[link]).sum(axis=1)
        # The tangent is a unit vector at the point of contact on the link's surface.
        arm = work.point[:k] - centre[link]
        assert np.linalg.norm(work.rows[:k, 3:5], axis=1) == pytest.approx(np.full(k, mu))
        turned = arm[:, 0] * work.rows[:k, 4] - arm[:, 1] * work.rows[:k, 3]
        assert work.rows[:k, 5] == pytest.approx(turned, abs=1e-12)
        most = max(most, float((gamma * tangent).max(initial=0.0)) / (scale * 0.1))
        slides = (np.abs(gamma) > 1e-4) & (normal > 0.0)
        assert tangent[slides] == pytest.approx(
            -np.sign(gamma[slides]) * normal[slides], rel=1e-6, abs=1e-8 * scale
        )
        slipping += int(slides.sum())
        sticking += int(((np.abs(gamma) < 1e-7) & (normal > 0.0)).sum())
    assert most <= 1e-8
    assert slipping > 100
    assert sticking > 10
    energy = engine.initial_rows().energy[0]
    start = PlanarNonsmoothEngine(scene).initial_rows().energy[0, 0]
    assert energy[0] - start == pytest.approx(energy[WORKS].sum(), abs=1e-8)


def test_jammed_robot_among_rough_pipes_is_solved_in_every_step() -> None:
    # Ten seconds of the paper's scene; at 0.3 the robot still passes, at 1 it jams and pushes with
    # full force.
    for mu in (0.3, 1.0):
        scene = rough(case_scene("obstacle_aided"), mu)
        report = PlanarNonsmoothEngine(scene).advance(gait_reference(scene, 20000), 20000, (20000,))
        assert report.ok, report.message
        assert report.unconverged == 0
        assert report.residual <= 1e-8
        assert (report.rows.link_pose[0, 5, 0] > 1.2) == (mu < 0.5)


def test_checkpoint_among_rough_boxes_continues_bit_for_bit() -> None:
    scene = boxed(0.4)
    reference = gait_reference(scene, 3000)
    engine = PlanarNonsmoothEngine(scene)
    engine.advance(reference, 1500, ())
    assert problem_from_arrays(engine.contact_problem())[0].n_rough > 0
    saved = engine.checkpoint()
    first = engine.advance(reference, 1500, range(1500, 3000, 100)).rows
    other = PlanarNonsmoothEngine(scene)
    other.restore(saved)
    again = other.advance(reference, 1500, range(1500, 3000, 100)).rows
    assert np.array_equal(first.link_pose, again.link_pose)
    assert np.array_equal(first.energy, again.energy)
    assert np.array_equal(first.contacts.impulse_friction, again.contacts.impulse_friction)
    assert np.array_equal(first.contacts.state, again.contacts.state)


def test_problem_with_rough_obstacles_can_be_saved_and_solved() -> None:
    scene = boxed(0.4)
    engine = PlanarNonsmoothEngine(scene)
    engine.advance(gait_reference(scene, 1500), 1500, ())
    problem, impulses, u = problem_from_arrays(engine.contact_problem())
    assert problem.n_rough == problem.n_contacts > 0
    solve(problem, impulses, u, make_scratch(len(u), problem.n_contacts), 1e-9, 200)
    assert max(residuals(problem, u, impulses)) <= 1e-8
    assert impulses.tangent == pytest.approx(
        engine._work.tangent[: problem.n_contacts], abs=1e-6 * problem.scale
    )


def test_friction_of_an_obstacle_can_change_during_a_run() -> None:
    scene = single(
        (0.0, 0.0), obstacles=(wall(0.3),), start=StraightStart(kind="straight", vx_m_s=1.0)
    )
    engine = PlanarNonsmoothEngine(scene)
    pushed(engine, 0.0, 10.0)
    engine.advance(still(scene), 400, ())
    grid = engine._params.grid.items
    assert engine.apply(rough(scene, 0.0))
    assert engine._params.grid.items is grid
    before = engine.snapshot().link_twist[:, 0]
    assert before == pytest.approx(
        np.full(2, 1.0 - 3.0 / (2 * scene.robot.mass_kg) * 0.1), rel=1e-6
    )
    engine.advance(still(scene), 400, ())
    assert engine.snapshot().link_twist[:, 0] == pytest.approx(before, abs=1e-12)


def test_boxes_above_and_below_the_robot_are_ignored() -> None:
    bridge = Box(x_m=0.5, y_m=0.0, length_m=0.1, width_m=1.0, z_m=0.2)
    floor = Box(x_m=0.5, y_m=0.0, length_m=0.1, width_m=1.0, z_m=-0.2)
    scene = single(
        (0.0, 0.0), obstacles=(bridge, floor), start=StraightStart(kind="straight", vx_m_s=2.0)
    )
    _, rows = run(scene, 2000, 2000, gait=False)
    assert rows.link_pose[-1, 0, 0] == pytest.approx(1.0, abs=1e-9)
    assert np.all(rows.impulse_obstacle == 0.0)


@pytest.mark.parametrize("angle", [0.0, 3.88348649e-313, 1e-200, 1e-17])
def test_gap_is_accurate_for_links_nearly_parallel_to_a_face(angle: float) -> None:
    # A post of radius 0.125 m at the origin; closed form: the distance of its axis from the nearest
    # point of the link.
    post = outlines((Cylinder(x_m=0.0, y_m=0.0, radius_m=0.125),), RADIUS)[0]
    q = np.array([[0.122, 0.001, angle]])
    expected = math.hypot(0.122 - REACH, 0.001) - 0.125 - RADIUS
    assert gaps(post, q, REACH, RADIUS) == pytest.approx([expected], abs=1e-15)
