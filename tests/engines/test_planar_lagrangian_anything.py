"""Extreme valid scenes: every run continues, or stops with finite numbers and a message with the reason."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from snakestudio.engines import registry
from snakestudio.engines.planar_lagrangian.check import largest_stable_step
from snakestudio.engines.planar_lagrangian.schema import ENERGY
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import GaitStart, LateralUndulation
from snakestudio.model.robot.robot import JointController, Robot
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.world import Ground
from tests.engines.common import gait_reference
from tests.strategies import scenes

WORKS = [ENERGY.index(f"work_{name}") for name in ("actuator", "friction", "gravity", "external")]


@given(scenes("planar_lagrangian"))
def test_any_valid_scene_runs_or_reports_the_reason(scene: Scene) -> None:
    scene = scene.model_copy(update={"obstacles": ()})
    assume(not any(problem.severity == "error" for problem in registry.check(scene)))
    engine = registry.create(scene)
    report = engine.advance(gait_reference(scene, 100), 100, range(1, 101))
    if not report.ok:
        assert report.message.endswith(".")
        assert report.steps < 100
    assert len(report.rows) == report.steps
    assert np.isfinite(report.rows.link_pose).all()
    assert math.isfinite(engine.snapshot().energy["kinetic"])


@st.composite
def extreme_scenes(draw: st.DrawFn) -> Scene:
    """Draw masses of 1e-6 to 1e4 kg, ice to viscous mire, steep slopes; steps are 1/50 of the longest stable step."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    n = int(rng.choice([2, 3, 10, 30]))
    length = 10 ** rng.uniform(-1.5, 1)
    mass = 10 ** rng.uniform(-6, 4)
    inertia = mass * length**2 * 10 ** rng.uniform(-2.5, 0)
    viscous = mass * rng.choice([0.0, 0.1, 10.0], 2)
    mu = rng.choice([0.0, 0.1, 1.0], 2)
    scene = Scene(
        model=FORMULATIONS["planar_lagrangian"].fields(),
        robot=Robot(n_links=n, link_length_m=length, mass_kg=mass, inertia_kg_m2=inertia),
        ground=Ground(
            mu_along=float(mu[0]),
            mu_across=float(mu[1]),
            viscous_along_ns_per_m=float(viscous[0]),
            viscous_across_ns_per_m=float(viscous[1]),
            coulomb_smoothing_m_s=float(10 ** rng.uniform(-3, 0)),
            coulomb_law=str(rng.choice(["sqrt", "tanh"])),  # type: ignore[arg-type]
            slope_deg=float(rng.choice([0.0, 10.0, 60.0])),
            downhill_deg=float(rng.uniform(-180, 180)),
        ),
        gait=LateralUndulation(kind="lateral_undulation", amplitude_deg=float(rng.uniform(0, 60))),
        joint_controller=JointController(
            law=str(rng.choice(["pd", "feedback_linearization"])),  # type: ignore[arg-type]
            kp_nm_per_rad=float(100.0 * inertia),
            kd_nms_per_rad=float(10.0 * inertia),
        ),
        start=GaitStart(kind="gait"),
    )
    step = min(0.002, 0.02 * largest_stable_step(scene))
    return scene.model_copy(update={"solver": Solver(step_s=step)})


@given(extreme_scenes())
def test_extreme_scenes_keep_their_ledger(scene: Scene) -> None:
    engine = registry.create(scene)
    before = engine.initial_rows().energy[0, 0]
    report = engine.advance(gait_reference(scene, 200), 200, range(1, 201))
    assert report.ok, report.message
    energy = report.rows.energy
    size = max(float(np.abs(energy).max()), before)
    assert np.abs(energy[:, 0] - before - energy[:, WORKS].sum(axis=1)).max() < 1e-6 * size
    assert (energy[:, ENERGY.index("work_friction")] <= 0.0).all()
