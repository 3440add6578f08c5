"""Checks of scenes for the Lagrangian model, and of its values in scenes of other models."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.engines.planar_lagrangian.check import largest_stable_step
from snakestudio.engines.planar_lagrangian.engine import PlanarLagrangianEngine
from snakestudio.errors import SceneError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import TwoWaves
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.scene import Scene
from tests.engines.common import set_state, state_of, still
from tests.engines.lagrangian import changed, undulation
from tests.wording import naming

POST = Cylinder(kind="cylinder", x_m=3.0, y_m=3.0)


def sentences(scene: Scene) -> list[str]:
    return [problem.sentence() for problem in registry.check(scene)]


def test_checking_does_not_load_the_compiler() -> None:
    program = (
        "import sys; from snakestudio.engines import registry; from snakestudio.model.scene import Scene;"
        "from snakestudio.kinds.formulation import FORMULATIONS;"
        "registry.check(Scene(model=FORMULATIONS['planar_lagrangian'].fields())); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"ground__stribeck_rise": 0.5},
            naming(
                "ground.stribeck_rise: 0.5",
                "0",
                'model.kind = "planar_nonsmooth" or "spatial_nonsmooth"',
            ),
        ),
        (
            {"ground__mu_rolling": 0.1},
            naming("ground.mu_rolling: 0.1", "Remove it", 'model.kind = "spatial_nonsmooth"'),
        ),
        (
            {"solver__joints": "implicit"},
            naming(
                'solver.joints: "implicit"',
                'model.kind = "planar_nonsmooth" or "spatial_nonsmooth"',
            ),
        ),
        (
            {"actuator__max_torque_nm": 3.0},
            naming(
                "actuator.max_torque_nm: 3",
                'model.kind = "planar_nonsmooth" or "spatial_nonsmooth"',
            ),
        ),
        (
            {"robot__joint_limit_deg": 60.0},
            naming("robot.joint_limit_deg: 60", "model.kind"),
        ),
        (
            {"gait": TwoWaves(amplitude_deg=30.0)},
            naming("gait.pitch_amplitude_deg", 'model.kind to "spatial_nonsmooth"', "it to 0"),
        ),
        (
            {"ground__viscous_along_ns_per_m": 0.0, "ground__viscous_across_ns_per_m": 0.0},
            naming("ground.mu_along"),
        ),
    ],
)
def test_unsupported_values_are_reported(values: dict[str, Any], sentence: str) -> None:
    assert sentences(undulation(**values)) == [sentence]


def test_rolling_friction_of_zero_is_accepted() -> None:
    assert sentences(undulation(ground__mu_rolling=0.0)) == []


def test_obstacles_are_rejected() -> None:
    scene = undulation(obstacles=(POST, POST))
    (problem,) = registry.check(scene)
    assert (
        'model.kind to "planar_nonsmooth", "planar_nonholonomic" or "spatial_nonsmooth"'
        in problem.sentence()
    )
    assert problem.obstacles == (0, 1)
    with pytest.raises(SceneError, match="does not support obstacles"):
        registry.create(scene)


@pytest.mark.parametrize("kind", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_other_models_report_values_of_this_model(kind: Any) -> None:
    assert registry.check(Scene(model=FORMULATIONS[kind].fields())) == []
    scene = undulation(model=FORMULATIONS[kind].fields(), ground__coulomb_smoothing_m_s=0.01)
    problems = {p.key: p for p in registry.check(scene) if "ignored" in p.message}
    assert set(problems) == {
        "ground.viscous_along_ns_per_m",
        "ground.viscous_across_ns_per_m",
        "ground.coulomb_smoothing_m_s",
        "joint_controller.law",
    }
    assert (
        'joint_controller.law: "feedback_linearization"'
        in problems["joint_controller.law"].sentence()
    )
    assert 'model.kind = "planar_lagrangian"' in problems["joint_controller.law"].sentence()
    assert problems["ground.coulomb_smoothing_m_s"].remedy.startswith("remove it, or")


STIFF = {
    "viscous": {"ground__viscous_across_ns_per_m": 3000.0},
    "coulomb": {"ground__mu_across": 0.4, "ground__mu_along": 0.2},
    "linearized": {"joint_controller__linearization_kd_per_s": 900.0},
    "pd": {"joint_controller__law": "pd", "joint_controller__kp_nm_per_rad": 800.0},
}


def trembling(scene: Scene) -> bool:
    """Return whether a nearly straight robot at rest continues to move (or worse) with a time step."""
    scene = changed(scene, gait__amplitude_deg=0.0)
    engine = PlanarLagrangianEngine(scene)
    kick = 1e-7 * np.random.default_rng(1).normal(size=12)
    set_state(engine, v=kick)
    ok = engine.advance(still(scene), 3000).ok
    return not ok or float(np.abs(state_of(engine).v).max()) > np.abs(kick).max()


@pytest.mark.parametrize("what", STIFF)
def test_largest_stable_step_is_where_motion_starts_to_oscillate(what: str) -> None:
    scene = undulation(**STIFF[what], gait__amplitude_deg=0.0)
    stable = largest_stable_step(scene)
    assert not trembling(changed(scene, solver__step_s=0.97 * stable))
    assert trembling(changed(scene, solver__step_s=1.03 * stable))


def test_too_long_step_is_reported_with_its_reason() -> None:
    (gains,) = sentences(undulation(**STIFF["pd"]))
    assert "solver.step_s: 0.001" in gains
    (friction,) = sentences(undulation(**STIFF["coulomb"]))
    stable = largest_stable_step(undulation(**STIFF["coulomb"]))
    assert friction == (
        "solver.step_s: 0.001 s is too long for such stiff friction: slow links will oscillate. "
        f"Set it to at most {stable:.3g} s, or increase ground.coulomb_smoothing_m_s."
    )
    assert sentences(undulation(**STIFF["coulomb"], solver__step_s=1e-4)) == []
