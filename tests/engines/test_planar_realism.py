"""Properties of real robots in the planar model: against the spatial model, which has a separate
implementation, and against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.session.offline import run_offline
from tests.engines.common import gait_reference, run_engine

G = 9.81

BASE: dict[str, Any] = {
    "robot.n_links": 7,
    "ground.gravity_m_s2": 0.0,
    "ground.mu_along": 0.0,
    "ground.mu_across": 0.0,
    "gait.kind": "lateral_undulation",
    "gait.amplitude_deg": 25.0,
    "gait.frequency_deg_s": 150.0,
    "start.kind": "straight",
    "solver.step_s": 1.0 / 16000,
    "joint_controller.kp_nm_per_rad": 40.0,
    "joint_controller.kd_nms_per_rad": 0.4,
}

FLAWS: dict[str, dict[str, Any]] = {
    "offset": {"robot.axis_offset_m": 0.022},
    "play": {"actuator.free_play_deg": 5.0},
    "weak": {"actuator.max_torque_nm": 0.5},
    "slow": {"actuator.time_constant_s": 0.005},
    "implicit": {"solver.joints": "implicit"},
    "stops": {
        "solver.joints": "implicit",
        "robot.joint_limit_deg": 25.5,
        "robot.axis_offset_m": 0.022,
    },
}
FLAWS["all"] = {key: value for values in FLAWS.values() for key, value in values.items()}


def moved(kind: str, values: dict[str, Any], steps: int = 16000) -> Rows:
    start_values = {"start.z_m": 1.0} if kind == "spatial_nonsmooth" else {}
    scene = with_values(Scene(), {"model.kind": kind, **BASE, **start_values, **values})
    return run_engine(registry.create(scene), steps, 160)


@pytest.mark.parametrize("flaw", FLAWS)
def test_planar_motion_agrees_with_the_spatial_model(flaw: str) -> None:
    flat = moved("planar_nonsmooth", FLAWS[flaw])
    space = moved("spatial_nonsmooth", FLAWS[flaw])
    # Quaternions turn by 2 arctan(w dt / 4) in half a step, not by w dt / 2: less by (w dt)^2 / 48,
    # so that the difference is of order dt^2.
    assert flat.link_pose[:, :, :2] == pytest.approx(space.link_pose[:, :, :2], abs=1e-8)
    assert flat.joint_angle == pytest.approx(space.joint_angle[:, ::2], abs=2e-7)
    assert flat.joint_torque == pytest.approx(space.joint_torque[:, ::2], abs=2e-6)
    plain = moved("planar_nonsmooth", {})
    # and each property has an effect
    assert np.abs(flat.joint_angle - plain.joint_angle).max() > 1e-4


@pytest.mark.parametrize("flaw", FLAWS)
def test_energy_balance_closes(flaw: str) -> None:
    ground = {
        "ground.gravity_m_s2": G,
        "ground.mu_along": 0.1,
        "ground.mu_across": 0.5,
        "ground.stribeck_rise": 0.4,
    }
    energy = moved("planar_nonsmooth", FLAWS[flaw] | ground).energy
    # all except the work of closing the joints
    kinetic = energy[:, 0]
    works = energy[:, 2:9].sum(axis=1)
    assert kinetic[0] > 0.0
    assert works == pytest.approx(kinetic, abs=1e-9 * np.abs(energy).max())


def test_lagging_motor_continues_from_a_checkpoint() -> None:
    scene = with_values(Scene(), {"model.kind": "planar_nonsmooth", **BASE, **FLAWS["all"]})
    engine = registry.create(scene)
    other = registry.create(scene)
    engine.advance(gait_reference(scene, 100), 100, ())
    other.restore(engine.checkpoint())
    for one in (engine, other):
        one.advance(gait_reference(scene, 100, 100), 100, ())
    assert np.array_equal(engine.snapshot().link_pose, other.snapshot().link_pose)
    assert np.array_equal(engine.snapshot().joint_torque, other.snapshot().joint_torque)


def slowed(
    velocity: float, rise: float, values: dict[str, Any], obstacles: tuple[Box, ...] = ()
) -> float:
    """Return the deceleration of straight links that slide along x at `velocity`, m/s^2, in one step of 10 us."""
    scene = with_values(
        Scene(),
        {
            "model.kind": "planar_nonsmooth",
            "robot.n_links": 2,
            "start.kind": "straight",
            "start.vx_m_s": velocity,
            "gait.amplitude_deg": 0.0,
            "gait.kind": "lateral_undulation",
            "solver.step_s": 1e-5,
            "ground.stribeck_rise": rise,
            "ground.stribeck_velocity_m_s": 0.02,
            **values,
        },
    )
    engine = registry.create(scene.model_copy(update={"obstacles": obstacles}))
    rows = run_engine(engine, 1, gait=False)
    return float(velocity - rows.link_twist[0, 0, 0]) / 1e-5


@pytest.mark.parametrize(
    ("velocity", "rise"), [(0.02, 1 / math.e), (2.0, 0.0), (0.002, math.exp(-0.01))]
)
def test_stribeck_friction_rises_at_low_velocity(velocity: float, rise: float) -> None:
    # mu g (1 + rise exp(-(v / v_s)^2)), on the ground and along a wall that the links are pressed
    # on by g sin 30 deg.
    ground = {"ground.mu_along": 0.2, "ground.mu_across": 0.2}
    assert slowed(velocity, 0.5, ground) == pytest.approx(0.2 * G * (1.0 + 0.5 * rise), rel=1e-6)
    smooth = {
        "ground.mu_along": 0.0,
        "ground.mu_across": 0.0,
        "ground.slope_deg": 30.0,
        "ground.downhill_deg": -90.0,
    }
    radius = Scene().robot.radius_m
    wall = Box(
        kind="box",
        x_m=0.0,
        y_m=-radius - 0.1,
        length_m=9.0,
        width_m=0.2,
        height_m=0.5,
        friction=0.2,
    )
    assert slowed(velocity, 0.5, smooth, (wall,)) == pytest.approx(
        0.1 * G * (1.0 + 0.5 * rise), rel=1e-6
    )
    assert slowed(velocity, 0.0, ground) == pytest.approx(0.2 * G, rel=1e-9)


@pytest.mark.parametrize(("rise", "slides"), [(0.3, False), (0.1, True), (0.0, True)])
def test_stribeck_friction_holds_more_at_rest(rise: float, slides: bool) -> None:
    # Slope of tan 0.24: between mu = 0.2 and 1.3 mu, above 1.1 mu.
    scene = with_values(
        Scene(),
        {
            "model.kind": "planar_nonsmooth",
            "robot.n_links": 2,
            "start.kind": "straight",
            "gait.amplitude_deg": 0.0,
            "gait.kind": "lateral_undulation",
            "ground.mu_along": 0.2,
            "ground.mu_across": 0.2,
            "ground.slope_deg": math.degrees(math.atan(0.24)),
            "ground.stribeck_rise": rise,
        },
    )
    rows = run_engine(registry.create(scene), 2000, 2000, gait=False)
    assert (np.abs(rows.link_twist[-1, 0, :2]).max() > 0.05) == slides


def test_implicit_joints_are_stable_where_explicit_ones_are_not() -> None:
    stiff = {
        **BASE,
        "joint_controller.kp_nm_per_rad": 4000.0,
        "solver.step_s": 1.0 / 500,
        "run.duration_s": 1.0,
    }
    scene = with_values(
        Scene(), {"model.kind": "planar_nonsmooth", "solver.joints": "implicit", **stiff}
    )
    assert not [problem for problem in registry.check(scene) if problem.key == "solver.step_s"]
    result = run_offline(scene)
    assert result.ok
    rows = result.recording.rows(0, len(result.recording))
    late = rows.time > 0.5
    assert np.abs(rows.joint_angle - rows.joint_angle_ref)[late].max() < math.radians(2.0)
    explicit = with_values(scene, {"solver.joints": "explicit"})
    assert [problem for problem in registry.check(explicit) if problem.key == "solver.step_s"]
