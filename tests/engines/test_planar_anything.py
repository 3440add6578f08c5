"""Extreme valid scenes: every step is solved, or the status reports that it is not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from snakestudio.engines import registry
from snakestudio.engines.planar_nonsmooth.check import largest_stable_step
from snakestudio.engines.planar_nonsmooth.schema import ENERGY
from snakestudio.model.motion import GaitStart, LateralUndulation
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.robot.robot import JointController, Robot
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.world import Ground
from tests.engines.planar import circle, gait_reference
from tests.strategies import scenes

WORKS = [
    i for i, name in enumerate(ENERGY) if name.startswith("work_") and name != "work_projection"
]


def _obstacle(rng: np.random.Generator, far: float, length: float) -> Cylinder | Box:
    """Return a post or a box, half of them rough."""
    x = float(rng.uniform(-far, far))
    y = float(rng.uniform(-2, 2) * length)
    friction = float(rng.choice([0.0, 0.0, 0.1, 0.5]))
    a, b = (float(length * 10 ** rng.uniform(-1, 0.5)) for _ in range(2))
    if rng.random() < 0.5:
        return Cylinder(x_m=x, y_m=y, radius_m=a, friction=friction)
    return Box(
        x_m=x, y_m=y, length_m=a, width_m=b, yaw_deg=float(rng.uniform(0, 360)), friction=friction
    )


@st.composite
def extreme_scenes(draw: st.DrawFn) -> Scene:
    """Draw masses of 1e-6 to 1e6 kg, steps of 1 microsecond to 5 ms, friction of 0 to 100, no gravity, steep slopes."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    n = int(rng.choice([2, 3, 5, 11, 30]))
    length = 10 ** rng.uniform(-1.5, 1)
    mass = 10 ** rng.uniform(-6, 6)
    robot = Robot(
        n_links=n,
        link_length_m=length,
        radius_m=length * rng.uniform(0.1, 0.5),
        contact_half_length_m=length * float(rng.choice([0.0, 0.3, 0.5])),
        mass_kg=mass,
        inertia_kg_m2=mass * length**2 * 10 ** rng.uniform(-2.5, 0),
        joint_limit_deg=float(rng.choice([60.0, 90.0])) if rng.random() < 0.4 else None,
    )
    mu = rng.choice([0.0, 0.01, 0.2, 1.0, 10.0, 100.0], 2)
    ground = Ground(
        mu_along=float(mu[0]),
        mu_across=float(mu[1]),
        gravity_m_s2=float(rng.choice([0.0, 9.81, 100.0])),
        slope_deg=float(rng.choice([0.0, 10.0, 60.0])),
        downhill_deg=float(rng.uniform(-180, 180)),
    )
    posts = tuple(_obstacle(rng, n * length, length) for _ in range(int(rng.choice([0, 5, 20]))))
    scene = Scene(
        robot=robot,
        ground=ground,
        obstacles=posts,
        solver=Solver(step_s=float(10 ** rng.uniform(-6, -2.3))),
        start=GaitStart(
            kind="gait",
            heading_deg=float(rng.uniform(0, 360)),
            vx_m_s=float(rng.choice([0.0, 1.0, 5.0])),
        ),
        gait=LateralUndulation(
            kind="lateral_undulation",
            amplitude_deg=float(rng.uniform(0, 60)),
            frequency_deg_s=float(rng.uniform(-300, 300)),
            phase_shift_deg=float(rng.uniform(-120, 120)),
        ),
    )
    gains = scene.joint_controller
    while largest_stable_step(scene) < 1.05 * scene.solver.step_s:
        gains = JointController(
            kp_nm_per_rad=gains.kp_nm_per_rad / 4, kd_nms_per_rad=gains.kd_nms_per_rad / 2
        )
        scene = scene.model_copy(update={"joint_controller": gains})
    hit = {
        j
        for problem in registry.check(scene)
        if problem.severity == "error"
        for j in problem.obstacles
    }
    return scene.model_copy(
        update={"obstacles": tuple(o for j, o in enumerate(posts) if j not in hit)}
    )


@given(extreme_scenes())
def test_extreme_scenes_are_solved_to_1e_8_in_every_step(scene: Scene) -> None:
    engine = registry.create(scene)
    before = engine.initial_rows().energy[0, 0]
    report = engine.advance(gait_reference(scene, 200), 200, (200,))
    assert report.ok, report.message
    assert report.unconverged == 0
    assert report.residual <= 1e-8
    energy = report.rows.energy[-1]
    size = max(float(np.abs(energy).max()), before, 1e-12)
    # The error of a step in the equations of motion is at most its residual, in units of m g dt,
    # for every coordinate.
    missed = report.residual * scene.robot.mass_kg * 9.81 * scene.solver.step_s
    speed = math.sqrt(2.0 * size / scene.robot.mass_kg)
    allowed = 1e-9 * size + 200 * 3 * scene.robot.n_links * missed * speed
    assert abs(energy[0] - before - energy[WORKS].sum()) < allowed


@given(scenes("planar_nonsmooth"))
def test_any_valid_scene_runs_or_reports_the_reason(scene: Scene) -> None:
    assume(not any(problem.severity == "error" for problem in registry.check(scene)))
    engine = registry.create(scene)
    report = engine.advance(gait_reference(scene, 100), 100, range(1, 101))
    if report.ok:
        assert report.unconverged == 0
        assert report.residual <= 1e-8
    else:
        assert report.message.endswith(".")
        assert report.steps < 100
    assert len(report.rows) == report.steps
    assert np.isfinite(report.rows.link_pose).all()
    assert math.isfinite(engine.snapshot().energy["kinetic"])


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_long_runs_in_a_crowd_are_solved(seed: int) -> None:
    # A minute among random posts: jams, corners, many simultaneous contacts.
    rng = np.random.default_rng(seed)
    posts = tuple(circle(*(float(v) for v in rng.uniform(-2, 3, 2)), 0.06) for _ in range(40))
    scene = Scene(obstacles=posts, start=GaitStart(kind="gait", heading_deg=180.0))
    hit = {j for problem in registry.check(scene) for j in problem.obstacles}
    scene = scene.model_copy(
        update={"obstacles": tuple(o for j, o in enumerate(posts) if j not in hit)}
    )
    engine = registry.create(scene)
    report = engine.advance(gait_reference(scene, 240000), 240000, range(40, 240001, 40))
    assert report.ok
    assert report.unconverged == 0
    assert report.residual <= 1e-8
