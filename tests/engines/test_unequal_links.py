"""Unequal links and joints in the smooth planar models against bodies with constraint forces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from snakestudio.engines import registry
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.robot.overrides import JointOverride, LinkOverride
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene
from snakestudio.model.world import GroundPatch
from tests.engines.common import gait_reference
from tests.engines.lagrangian import undulation
from tests.engines.newton_euler import motion

N = 6
DURATION = 0.5


def uneven(kind: str, **ground: Any) -> Scene:
    """Return a robot with different links and joints, with PD control."""
    rng = np.random.default_rng(7)
    shift = 0.0 if kind == "planar_nonholonomic" else 0.02
    links = tuple(
        LinkOverride(
            index=k + 1,
            length_m=rng.uniform(0.1, 0.25),
            mass_kg=rng.uniform(0.5, 2.0),
            inertia_kg_m2=0.004 + 0.001 * k,
            centre_of_mass_m=rng.uniform(-shift, shift),
        )
        for k in range(N)
    )
    joints = (
        JointOverride(index=1, kp_nm_per_rad=20.0, kd_nms_per_rad=0.5, max_torque_nm=0.8),
        JointOverride(
            index=2,
            kp_nm_per_rad=0.0,
            kd_nms_per_rad=0.0,
            spring_nm_per_rad=3.0,
            damper_nms_per_rad=0.05,
            rest_deg=10.0,
        ),
        JointOverride(index="4-5", upper_limit_deg=15.0, lower_limit_deg=-90.0),
    )
    scene = undulation(
        robot__n_links=N,
        robot__link=links,
        robot__joint=joints,
        joint_controller__law="pd",
        joint_controller__kp_nm_per_rad=30.0,
        joint_controller__kd_nms_per_rad=0.6,
        robot__joint_limit_stiffness_nm_per_rad=50.0,
        gait__amplitude_deg=25.0,
        solver__step_s=0.0005,
    )
    return with_values(scene, {"model.kind": kind, "solver.error_tolerance": 1e-9, **ground})


def run(scene: Scene) -> NDArray[np.float64]:
    """Return centres and directions of the links at the end."""
    errors = [p.sentence() for p in registry.check(scene) if p.severity == "error"]
    assert [
        sentence for sentence in errors if "limit" not in sentence
    ] == []  # the gait pushes joints against stops
    engine = registry.create(scene, checked=True)
    steps = round(DURATION / scene.solver.step_s)
    report = engine.advance(gait_reference(scene, steps), steps, (steps,))
    assert report.ok, report.message
    pose = report.rows.link_pose[-1]
    return np.column_stack([pose[:, :2], 2.0 * np.arctan2(pose[:, 6], pose[:, 3])])


def expected(
    scene: Scene, mu: NDArray[np.float64], factor: Any = lambda k, t, place: 1.0
) -> NDArray[np.float64]:
    reference = gait_reference(scene, round(DURATION / scene.solver.step_s))
    mass = [link.mass * scene.ground.gravity_m_s2 for link in scene.robot.links]

    def target(t: float) -> Any:
        return reference.at(t)

    q, u = planar_pose(scene)
    return motion(
        scene, q, u, DURATION, target, mu, lambda k, t, position: mass[k] * factor(k, t, position)
    )


@pytest.mark.parametrize("kind", ["planar_lagrangian", "planar_nonholonomic"])
def test_unequal_chain_moves_as_constrained_bodies(kind: str) -> None:
    scene = uneven(kind)
    np.testing.assert_allclose(run(scene), expected(scene, np.zeros((N, 3))), atol=2e-7)


@pytest.mark.parametrize("law", ["components", "ellipse", "unit_velocity"])
def test_friction_laws_move_the_chain_as_defined(law: str) -> None:
    scene = uneven(
        "planar_lagrangian",
        **{
            "ground.law": law,
            "ground.mu_along": 0.05,
            "ground.mu_backward": 0.15,
            "ground.mu_across": 0.25,
            "ground.coulomb_smoothing_m_s": 0.02,
        },
    )
    # The last link is the head: forward is along the axis.
    np.testing.assert_allclose(
        run(scene), expected(scene, np.tile([0.05, 0.15, 0.25], (N, 1))), atol=2e-6
    )


def test_factors_and_patches_scale_the_friction_under_each_link() -> None:
    scene = uneven(
        "planar_lagrangian",
        **{
            "ground.law": "ellipse",
            "ground.mu_along": 0.1,
            "ground.mu_across": 0.2,
            "ground.coulomb_smoothing_m_s": 0.02,
            "ground.load_factor": "1+0.9*cos(9*X-4*t)",
            "ground.friction_factor": "1+0.5*sin(6*t)+0.3*y",
        },
    )
    position = np.cumsum([link.length for link in scene.robot.links][::-1])[::-1]
    middle = position - 0.5 * np.array([link.length for link in scene.robot.links])

    def factor(k: int, t: float, position: NDArray[np.float64]) -> float:
        own = max(1 + 0.9 * np.cos(9 * middle[k] - 4 * t), 0.0)
        return float(own * (1 + 0.5 * np.sin(6 * t) + 0.3 * position[1]))

    np.testing.assert_allclose(
        run(scene), expected(scene, np.tile([0.1, 0.1, 0.2], (N, 1)), factor), atol=2e-6
    )
    # A patch under the whole robot has the same effect as such a ground.
    everywhere = GroundPatch(
        points_m=((-9, -9), (9, -9), (9, 9), (-9, 9)), mu_along=0.1, mu_across=0.2
    )
    patched = scene.ground.model_copy(
        update={"mu_along": 0.9, "mu_across": 0.0, "patch": (everywhere,)}
    )
    np.testing.assert_array_equal(run(scene.model_copy(update={"ground": patched})), run(scene))


def test_load_of_lifted_links_is_reported() -> None:
    scene = uneven(
        "planar_lagrangian",
        **{"ground.mu_along": 0.1, "ground.mu_across": 0.1, "ground.load_factor": "0.5"},
    )
    engine = registry.create(scene)
    rows: Rows = engine.advance(gait_reference(scene, 200), 200, (100, 200)).rows
    weight = np.array([link.mass for link in scene.robot.links]) * scene.ground.gravity_m_s2
    assert rows.impulse_ground[-1, :, 2] == pytest.approx(0.5 * weight * 0.1)
    assert rows.contacts.impulse_normal[-N:, 2] == pytest.approx(0.5 * weight * 0.05)


def test_energy_of_springs_and_stops_is_in_the_ledger() -> None:
    scene = uneven("planar_lagrangian")
    engine = registry.create(scene)
    report = engine.advance(gait_reference(scene, 1000), 1000, (1000,))
    ledger = dict(zip(engine.schema.energy, report.rows.energy[-1], strict=True))
    works = sum(
        ledger[f"work_{name}"] for name in ("actuator", "friction", "gravity", "external", "stop")
    )
    assert ledger["work_stop"] != 0.0
    # torques have kinks where motors saturate and stops begin
    assert ledger["kinetic"] == pytest.approx(works, abs=1e-6)


def test_wheels_roll_freely_and_hold_across() -> None:
    scene = uneven(
        "planar_lagrangian",
        **{"ground.mu_along": 0.3, "ground.mu_across": 0.3, "robot.wheels": "passive"},
    )
    scene = scene.model_copy(update={"robot": scene.robot.model_copy(update={"link": ()})})
    mu = np.tile([0.0, 0.0, 0.3], (N, 1))
    np.testing.assert_allclose(run(scene), expected(scene, mu), atol=2e-5)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ({"index": 2, "axes": "fixed"}, "Joint 2 is fixed"),
        ({"index": "3-4", "axes": "pitch"}, "Joint 3"),
    ],
)
@pytest.mark.parametrize("kind", ["planar_lagrangian", "planar_nonholonomic"])
def test_joints_without_yaw_are_named(kind: str, joint: dict[str, Any], message: str) -> None:
    scene = with_values(undulation(), {"model.kind": kind})
    robot = scene.robot.model_copy(update={"joint": (JointOverride(**joint),)})
    errors = [
        p.sentence()
        for p in registry.check(scene.model_copy(update={"robot": robot}))
        if p.severity == "error"
    ]
    assert len(errors) == 1
    assert message in errors[0]


def test_shifted_centre_is_reported_with_obstacles() -> None:
    scene = uneven("planar_lagrangian")
    problems = registry.check(with_values(scene, {"model.kind": "planar_nonholonomic"}))
    assert any("Link 1" in p.sentence() for p in problems)


def test_unsupported_law_is_reported_with_models_that_have_it() -> None:
    scene = with_values(
        undulation(), {"model.kind": "planar_nonholonomic", "ground.law": "unit_velocity"}
    )
    (problem,) = [p for p in registry.check(scene) if p.key == "ground.law"]
    assert problem.severity == "error"
    assert '"components"' in problem.sentence()
    assert "planar_lagrangian" in problem.sentence()
