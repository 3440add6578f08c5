"""Runs that no robot performs, each found by the check of its cause; and similar ones that are plausible."""

from __future__ import annotations

from typing import Any

import pytest

import snakestudio as ss
from snakestudio.model.events import Change
from snakestudio.model.plausibility import Plausibility
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline

POSTS = "obstacle_aided"
WEDGED: dict[str, Any] = {"gait.amplitude_deg": 90, "gait.frequency_deg_s": 40}


def checked(scene: str, duration: float = 4.0, **values: Any) -> Plausibility:
    result = ss.simulate(scene, duration=duration, values=values).plausibility
    assert result is not None
    return result


def names(result: Plausibility) -> set[str]:
    return {violation.check for violation in result.violations}


@pytest.mark.parametrize("frequency", [40, 80, 120])
def test_robot_flung_by_unlimited_motors_is_not_plausible(frequency: float) -> None:
    result = checked(POSTS, **{"gait.amplitude_deg": 90, "gait.frequency_deg_s": frequency})
    assert names(result) == {"joint_torque", "contact_force", "speed", "fling"}
    torque, force, speed, fling = result.violations
    # 531 N m, and thrown out within two seconds: from the columns of the run.
    assert torque.value == pytest.approx(530.0, abs=10.0)
    assert torque.time < force.time < speed.time < fling.time < 2.0
    assert "actuator.max_torque_nm" in torque.remedy


def test_motor_limit_makes_the_same_gait_plausible() -> None:
    assert checked(POSTS, **WEDGED, **{"actuator.max_torque_nm": 20.0}).plausible


def test_motor_limit_beyond_all_motors_does_not_help() -> None:
    result = checked(POSTS, **WEDGED, **{"actuator.max_torque_nm": 1000.0})
    assert {"joint_torque", "fling"} <= names(result)


def test_robot_flung_by_strong_motors_exceeds_speed_check() -> None:
    result = checked(POSTS, **WEDGED, **{"actuator.max_torque_nm": 60.0})
    assert names(result) == {"speed", "fling"}


def test_robot_wedged_in_space_is_not_plausible() -> None:
    result = checked(
        "obstacle_aided_3d", 1.2, **{"gait.amplitude_deg": 80, "gait.frequency_deg_s": 40}
    )
    assert {"joint_torque", "contact_force"} <= names(result)


@pytest.mark.parametrize(
    "values",
    [
        {"ground.mu_along": 5.0, "ground.mu_across": 5.0, **WEDGED},
        {f"obstacles[{k}].friction": 5.0 for k in (1, 2, 3)}
        | {"gait.amplitude_deg": 75.0, "gait.phase_shift_deg": -30.0},
        {
            "robot.mass_kg": 0.001,
            "robot.inertia_kg_m2": 1e-6,
            "solver.joints": "implicit",
            "gait.amplitude_deg": 60.0,
        },
        {
            "joint_controller.kp_nm_per_rad": 5000.0,
            "solver.joints": "implicit",
            "gait.phase_shift_deg": -40.0,
        },
        {"gait.phase_shift_deg": -70.0},
        {"gait.amplitude_deg": 48.9, "gait.frequency_deg_s": 95.0, "gait.phase_shift_deg": 39.8},
    ],
    ids=["rough ground", "rough posts", "tiny mass", "stiff joints", "short wave", "long wave"],
)
def test_wedged_robots_have_implausible_torques(values: dict[str, Any]) -> None:
    assert "joint_torque" in names(checked(POSTS, **values))


def test_long_step_lets_links_into_obstacles() -> None:
    result = checked(
        POSTS,
        **{"solver.step_s": 0.01, "solver.joints": "implicit", "gait.amplitude_deg": 90.0},
    )
    assert "penetration" in names(result)


def test_long_step_leaves_energy_unexplained() -> None:
    result = checked(
        "planar_swimmer_9",
        **{
            "solver.step_s": 0.01,
            "control.period_s": 0.01,
            "ground.mu_across": 1.0,
            "ground.mu_along": 0.1,
        },
    )
    assert names(result) == {"energy_balance"}


def test_obstacle_moved_into_the_robot_is_a_penetration() -> None:
    scene = ss.load_scene(POSTS)
    moved = Change(1.1, {"obstacles[3].y_m": scene.obstacles[2].y_m + 0.04})
    short = scene.model_copy(update={"run": scene.run.model_copy(update={"duration_s": 2.0})})
    result = run_offline(short, changes=(moved,))
    plausibility = result.recording.plausibility
    assert plausibility is not None
    assert "penetration" in names(plausibility)
    (violation,) = (each for each in plausibility.violations if each.check == "penetration")
    assert "obstacle 3" in violation.text
    assert violation.time >= 1.1


def test_model_without_motor_limits_exceeds_them() -> None:
    values = {"actuator.max_torque_nm": 1.0, "gait.frequency_deg_s": 160.0}
    result = checked("lagrangian_undulation", **values)
    (violation,) = result.violations
    assert violation.check == "joint_torque"
    assert violation.limit == pytest.approx(2.0)
    assert "model" in violation.remedy


@pytest.mark.parametrize(
    ("scene", "values"),
    [
        ("lateral_undulation_isotropic", {"robot.mass_kg": 0.01, "solver.joints": "implicit"}),
        ("lateral_undulation_isotropic", {"robot.mass_kg": 20.0}),
        ("lateral_undulation_isotropic", {"gait.frequency_deg_s": 400.0}),
        ("lateral_undulation_isotropic", {"gait.phase_shift_deg": 0.0}),
        ("lateral_undulation_isotropic", {"ground.gravity_m_s2": 0.0}),
        ("lateral_undulation_isotropic", {"ground.slope_deg": 45.0}),
        ("lateral_undulation_isotropic", {"gait.amplitude_deg": 0.0}),
        (POSTS, {"joint_controller.kp_nm_per_rad": 5.0}),
        (POSTS, {"ground.mu_along": 5.0, "ground.mu_across": 5.0}),
        (POSTS, {"actuator.max_torque_nm": 3.0}),
        ("jam_resolution", {"robot.mass_kg": 0.2}),
    ],
)
def test_unusual_robots_are_plausible(scene: str, values: dict[str, Any]) -> None:
    result = checked(scene, **values)
    assert result.plausible, result.values


@pytest.mark.parametrize("scene", sorted(path.stem for path in scenes_dir().glob("*.toml")))
def test_bundled_scenes_are_plausible(scene: str) -> None:
    result = checked(scene, min(2.0, ss.load_scene(scene).run.duration_s))
    assert result.plausible, result.values
    assert {"energy_balance", "step"} <= set(result.checked)
