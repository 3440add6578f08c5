"""Values without effect: named once, with the place where they would have an effect and the fix."""

from __future__ import annotations

from typing import Any

import pytest

from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.reads import findings, unused_reason
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from tests.wording import naming

PLANAR = Scene()
TORQUES = with_values(Scene(), {"gait.kind": "joint_torque"})
CONTINUUM = with_values(Scene(), {"model.kind": "continuum_beam"})


@pytest.mark.parametrize("kind", FORMULATIONS)
def test_defaults_cause_no_problems(kind: str) -> None:
    assert findings(with_values(Scene(), {"model.kind": kind})) == []


@pytest.mark.parametrize(
    ("scene", "values", "sentence"),
    [
        (
            PLANAR,
            {"robot.axial_inertia_kg_m2": 0.002},
            naming("robot.axial_inertia_kg_m2: 0.002", 'model.kind = "spatial_nonsmooth"'),
        ),
        (
            PLANAR,
            {"actuator.dry_friction_nm": 0.02},
            naming("actuator.dry_friction_nm: 0.02", 'model.kind = "spatial_nonsmooth"'),
        ),
        (
            PLANAR,
            {"start.z_m": 0.2},
            naming("start.z_m: 0.2", 'model.kind = "spatial_nonsmooth"'),
        ),
        (
            PLANAR,
            {"ground.viscous_along_ns_per_m": 1.0},
            naming(
                "ground.viscous_along_ns_per_m: 1",
                'model.kind = "planar_lagrangian" or "planar_nonholonomic"',
            ),
        ),
        (
            TORQUES,
            {"joint_controller.kp_nm_per_rad": 50.0},
            naming("joint_controller.kp_nm_per_rad: 50"),
        ),
        (
            TORQUES,
            {"solver.joints": "implicit"},
            naming("solver.joints"),
        ),
        (
            TORQUES,
            {"gait.pitch_torque_nm": "0.1*sin(t)"},
            naming('gait.pitch_torque_nm: "0.1*sin(t)"', 'model.kind = "spatial_nonsmooth"'),
        ),
        (
            PLANAR,
            {"strain.wavelength_m": 2.0},
            naming("strain.wavelength_m: 2"),
        ),
        (
            PLANAR,
            {"strain.kind": "peristalsis", "strain.stretch": 0.1},
            naming("wavelength_m and speed_m_s"),
        ),
        (
            PLANAR,
            {
                "controller.kind": "leader_follower",
                "gait.amplitude_deg": 20.0,
                "gait.offset_deg": 3.0,
            },
            naming("gait: amplitude_deg and offset_deg"),
        ),
        (
            CONTINUUM,
            {"robot.mass_kg": 2.0, "robot.radius_m": 0.1, "robot.name": "Mine"},
            naming("robot: radius_m and mass_kg", "model.kind"),
        ),
        (
            CONTINUUM,
            {"controller.kind": "heading"},
            naming("model.kind"),
        ),
        (
            CONTINUUM,
            {"start.kind": "gait", "start.amplitude_deg": 30.0},
            naming("start.amplitude_deg: 30", "model.kind"),
        ),
        (
            CONTINUUM,
            {"start.vx_m_s": 0.1},
            naming("start.vx_m_s: 0.1"),
        ),
        (
            CONTINUUM,
            {"path.waypoints_m": ((0.0, 0.0), (1.0, 0.0))},
            naming("path.waypoints_m: 2 entries", "model.kind"),
        ),
    ],
)
def test_ignored_value_is_reported_with_its_use(
    scene: Scene, values: dict[str, Any], sentence: str
) -> None:
    changed = with_values(scene, values)
    (problem,) = findings(changed)
    assert problem.sentence() == sentence
    assert problem.severity == "warning"
    assert findings(with_values(changed, dict(problem.fixes[0].values))) == []


def test_reason_names_the_values_that_enable_a_value() -> None:
    def reason(key: str, **values: object) -> str:
        return unused_reason(
            with_values(Scene(), {name.replace("__", "."): each for name, each in values.items()}),
            key,
        )

    velocity = "ground.stribeck_velocity_m_s"
    assert (
        reason(velocity, model__kind="planar_lagrangian")
        == "only in the planar non-smooth and spatial models"
    )
    assert "Stribeck rise" in reason(velocity)
    assert "Stribeck rise" in reason(velocity, model__kind="spatial_nonsmooth")
    assert reason(velocity, model__kind="spatial_nonsmooth", ground__stribeck_rise=0.5) == ""
    stops = "robot.joint_limit_stiffness_nm_per_rad"
    assert "joint limit" in reason(stops, model__kind="planar_nonholonomic")
    assert reason(stops, model__kind="planar_nonholonomic", robot__joint_limit_deg=60.0) == ""
    assert (
        reason("joint_controller.kp_nm_per_rad", joint_controller__law="feedback_linearization")
        == ""
    ), "which the planar model does not know"
    assert (
        reason("robot.joint_limit_deg", model__kind="planar_lagrangian")
        == "not in the Lagrangian model"
    )


def test_relief_is_ignored_with_a_table_of_heights() -> None:
    field = {
        "kind": "height_field",
        "x_m": 0.0,
        "y_m": 5.0,
        "heights_m": [[0.0, 0.1], [0.0, 0.0]],
        "relief_m": 0.3,
    }
    scene = with_values(Scene(), {"model.kind": "spatial_nonsmooth", "obstacles": [field]})
    (problem,) = findings(scene)
    assert "obstacles[1].relief_m: 0.3" in problem.sentence()
    assert problem.fixes[0].values == (("obstacles[1].relief_m", 0.1),)
    assert unused_reason(scene, "obstacles[1].relief_m")
    assert not unused_reason(scene, "obstacles[1].z_m")
