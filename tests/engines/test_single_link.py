"""A single link (`n_links = 1`): a rigid body with textbook motions, in every formulation."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.model.rotations import matrices
from snakestudio.session.scene_check import check

LINKS = ("planar_nonsmooth", "spatial_nonsmooth", "planar_lagrangian", "planar_nonholonomic")
G = 9.81


def one(kind: str, **values: Any) -> ss.Scene:
    keyed = {key.replace("__", "."): value for key, value in values.items()}
    return with_values(ss.Scene(), {"model.kind": kind, "robot.n_links": 1, **keyed})


def test_single_link_precesses_like_a_symmetric_top() -> None:
    # Torque-free: the axis precesses about the angular momentum at the rate |L| / I_transverse
    # (Rodrigues), and the centre of mass follows a ballistic path. The error halves with the step.
    spin = 12.0
    swing = 5.0
    span = 0.5
    errors = []
    for dt in (2.5e-4, 1.25e-4):
        run = ss.simulate(
            one(
                "spatial_nonsmooth",
                start__z_m=9.0,
                start__vx_m_s=0.4,
                start__vz_m_s=1.0,
                start__omega_x_deg_s=math.degrees(spin),
                start__omega_y_deg_s=math.degrees(swing),
                solver__step_s=dt,
            ),
            duration=span,
        )
        robot = run.scene.robot
        momentum = np.array([robot.axial_inertia_kg_m2 * spin, robot.inertia_kg_m2 * swing, 0.0])
        rate = np.linalg.norm(momentum) / robot.inertia_kg_m2
        towards = momentum / np.linalg.norm(momentum)
        x = np.array([1.0, 0.0, 0.0])
        turned = (
            x * math.cos(rate * span)
            + np.cross(towards, x) * math.sin(rate * span)
            + towards * (towards @ x) * (1.0 - math.cos(rate * span))
        )
        pose = np.array([[run[f"link_1_q{c}"][-1] for c in "wxyz"]])
        errors.append(float(np.linalg.norm(matrices(pose)[0, :, 0] - turned)))
        assert run["link_1_x_m"][-1] == pytest.approx(0.4 * span, abs=1e-10)
        assert run["link_1_z_m"][-1] == pytest.approx(9.0 + span - 0.5 * G * span**2, abs=1e-9)
        np.testing.assert_allclose(run["head_az_mps2"][1:], -G, rtol=1e-9)
    assert errors[0] < 2e-3
    assert errors[1] < 0.55 * errors[0]


@pytest.mark.parametrize("kind", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_coulomb_friction_stops_a_link_at_the_exact_distance(kind: str) -> None:
    # v_0^2 / (2 mu g), and then it is at rest; along its axis, which in space is the direction in
    # which it cannot roll.
    v0, mu = 0.8, 0.25
    still = {} if kind == "planar_nonsmooth" else {"ground__mu_rolling": 0.0}
    run = ss.simulate(
        one(kind, start__vx_m_s=v0, ground__mu_along=mu, ground__mu_across=mu, **still),
        duration=0.6,
    )
    assert run["link_1_x_m"][-1] == pytest.approx(v0**2 / (2.0 * mu * G), rel=1e-3)
    assert abs(run["link_1_vx_mps"][-1]) < 1e-9
    assert run["link_1_vx_mps"][20] == pytest.approx(v0 - mu * G * 0.2, abs=1e-3)
    assert run["solver_unconverged"].sum() == 0


@pytest.mark.parametrize("kind", ["planar_lagrangian", "planar_nonholonomic"])
def test_isotropic_viscous_friction_does_not_damp_rotation(kind: str) -> None:
    # m v' = -c v for any rotation; friction acts at its centre, so that the rotation is not damped.
    c = 3.0
    omega = 2.0
    span = 0.4
    values = {
        "ground__viscous_along_ns_per_m": c,
        "ground__viscous_across_ns_per_m": c,
        "ground__mu_along": 0.0,
        "ground__mu_across": 0.0,
        "start__vx_m_s": 0.5,
        "start__vy_m_s": -0.2,
        "start__omega_deg_s": math.degrees(omega),
    }
    run = ss.simulate(one(kind, **values), duration=span)
    left = math.exp(-c / run.scene.robot.mass_kg * run["time_s"][-1])
    # The nonholonomic engine integrates damping implicitly, of order 1 in its steps.
    exact = 1e-9 if kind == "planar_lagrangian" else 2e-3
    assert run["link_1_vx_mps"][-1] == pytest.approx(0.5 * left, rel=exact)
    assert run["link_1_vy_mps"][-1] == pytest.approx(-0.2 * left, rel=exact)
    assert run["link_1_wz_radps"][-1] == pytest.approx(omega, rel=1e-9)
    assert 2.0 * math.atan2(run["link_1_qz"][-1], run["link_1_qw"][-1]) == pytest.approx(
        omega * span, rel=1e-9
    )


@pytest.mark.parametrize("kind", LINKS)
def test_run_of_a_single_link_is_written_and_read(kind: str, tmp_path: Path) -> None:
    run = ss.simulate(one(kind, start__vx_m_s=0.2), duration=0.05)
    run.to_csv(tmp_path / "a.csv")
    run.to_mcap(tmp_path / "a.mcap")
    run.to_hdf5(tmp_path / "a.h5")
    again = ss.load_run(tmp_path / "a.mcap")
    assert again.columns == run.columns
    assert not [name for name in run.columns if name.startswith("joint_")]
    np.testing.assert_array_equal(again["link_1_x_m"], run["link_1_x_m"])
    repeated = ss.simulate(tmp_path / "a.csv")
    np.testing.assert_array_equal(repeated["link_1_x_m"], run["link_1_x_m"])


@pytest.mark.parametrize("kind", LINKS)
@pytest.mark.parametrize(
    "controller",
    ["heading", "path_following", "leader_follower", "strain_follower", "teleoperation"],
)
def test_controller_without_joints_is_refused(kind: str, controller: str) -> None:
    scene = one(kind, controller__kind=controller)
    (problem,) = [p for p in check(scene) if p.severity == "error" and p.key == "controller.kind"]
    assert problem.sentence() == (
        f'controller.kind: A robot with a single link has no joints for "{controller}" to move. '
        'Set it to "none", or increase robot.n_links.'
    )
    with pytest.raises(ss.SnakeStudioError, match=r"single.*joints"):
        ss.simulate(scene, duration=0.01)


@pytest.mark.parametrize("kind", LINKS)
def test_joint_values_of_a_single_link_are_reported(kind: str) -> None:
    assert [p for p in check(one(kind)) if "no effect" in p.message] == []
    scene = one(
        kind,
        gait__frequency_deg_s=10.0,
        gait__amplitude_deg=3.0,
        joint_controller__kp_nm_per_rad=9.0,
        control__lead_in=False,
        robot__head="last",
    )
    named = {p.key for p in check(scene) if "no effect here (only with joints)" in p.message}
    assert {"joint_controller.kp_nm_per_rad", "control.lead_in"} <= named
    assert "robot.head" not in named  # headings are recorded
    assert named & {"gait", "gait.amplitude_deg"}
    # In the gait's pose, the direction comes from the gait.
    posed = with_values(one(kind), {"start.kind": "gait", "gait.amplitude_deg": 20.0})
    assert not [p for p in check(posed) if p.key.startswith("gait")]
