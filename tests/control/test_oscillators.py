"""Central pattern generators against closed forms, and against SciPy's solution of independent equations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from snakestudio.control.registry import create
from snakestudio.control.state_equations import integrate
from snakestudio.errors import MistakeError
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.session.continuation import continue_run
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check

CPG = ("phase_oscillators", "hopf_oscillators", "matsuoka_oscillators")
QUICK = {
    "model.kind": "planar_lagrangian",
    "robot.n_links": 4,
    "run.duration_s": 2.0,
    "solver.step_s": 0.001,
}
PERIOD = 0.01


def scene_of(kind: str, **values: Any) -> Scene:
    return with_values(
        Scene(),
        {**QUICK, "controller.kind": kind, **{f"controller.{k}": v for k, v in values.items()}},
    )


def references(controller: Any, until: float, since: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Times and angles, requested period by period."""
    times = []
    angles = []
    for number in range(round(since / PERIOD), round(until / PERIOD)):
        time = number * PERIOD + np.arange(6) * 0.002
        times.append(time[:-1])
        angles.append(controller.reference(time, None).angle[:-1])
    return np.concatenate(times), np.concatenate(angles)


def fundamental(time: np.ndarray, angle: np.ndarray, frequency: float, cycles: int) -> np.ndarray:
    """Complex amplitudes of the last complete cycles."""
    last = time > time[-1] - cycles / frequency + 1e-9
    result: np.ndarray = 2.0 * (
        angle[last] * np.exp(-2j * np.pi * frequency * time[last])[:, None]
    ).mean(axis=0)
    return result


# ---------------------------------------------------------------------------------- the integration


def test_integration_has_order_four_and_does_not_depend_on_calls() -> None:
    matrix = np.array([[0.0, 1.0], [-40.0, -1.0]])
    eigenvalues, vectors = np.linalg.eig(matrix)
    exact = (vectors @ np.diag(np.exp(eigenvalues)) @ np.linalg.inv(vectors) @ [1.0, 0.0]).real
    errors = []
    for step in (0.04, 0.02):
        time = np.linspace(0.0, 1.0, 26)
        errors.append(
            np.abs(integrate(lambda t, x: matrix @ x, [1.0, 0.0], time, step)[-1] - exact).max()
        )
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.15)
    time = np.arange(0, 41) * 0.00025
    full = integrate(lambda t, x: matrix @ x, [1.0, 0.0], time)
    half = integrate(lambda t, x: matrix @ x, [1.0, 0.0], time[:25])
    rest = integrate(lambda t, x: matrix @ x, half[-1], time[24:])
    np.testing.assert_array_equal(full, np.concatenate([half, rest[1:]]))
    between = np.array(
        [
            (vectors @ (np.exp(eigenvalues * t) * np.linalg.solve(vectors, [1.0, 0.0]))).real
            for t in time
        ]
    )
    np.testing.assert_allclose(full, between, atol=1e-8)


def test_equations_too_fast_for_the_step_are_refused() -> None:
    with pytest.raises(MistakeError, match="do not resolve"):
        integrate(lambda t, x: -600.0 * x, [1.0], np.array([0.0, 0.01]))
    with pytest.raises(MistakeError, match="shape"):
        integrate(lambda t, x: x[:1], [1.0, 2.0], np.array([0.0, 0.01]))
    with pytest.raises(MistakeError, match="not finite"):
        integrate(lambda t, x: x * np.nan if t > 0.005 else x, [1.0], np.array([0.0, 0.01, 0.02]))


# --------------------------------------------------------------------------------- the limit cycles


def test_phase_oscillators_match_manual_lag_and_growth() -> None:
    controller = create(
        scene_of("phase_oscillators", phase_lag_deg=70.0, frequency_hz=0.8, amplitude_deg=25.0)
    )
    time, _ = references(controller, 1.0)
    rate = 10.0 / 2.0
    # critically damped, after 1 s
    amplitude = math.radians(25.0) * (1.0 - (1.0 + rate) * math.exp(-rate))
    np.testing.assert_allclose(controller.state[1], amplitude, rtol=1e-8)
    controller.state[0] += [0.7, -0.9, 0.4]
    time, angle = references(controller, 20.0, 1.0)
    wave = fundamental(time, angle, 0.8, 4)
    np.testing.assert_allclose(np.abs(wave), math.radians(25.0), rtol=1e-6)
    np.testing.assert_allclose(np.degrees(np.angle(wave[1:] / wave[:-1])), -70.0, atol=1e-3)
    assert controller.cpg_lag_rad == pytest.approx(math.radians(70.0), abs=1e-6)
    assert np.ptp(np.diff(controller.state[0])) < 1e-6


def test_hopf_amplitude_reaches_root_mu_at_computed_rate() -> None:
    controller = create(scene_of("hopf_oscillators", coupling_per_s=0.0, amplitude_deg=40.0))
    references(controller, 0.5)
    mu = math.radians(40.0) ** 2
    alpha = 20.0
    first = 0.01
    radius = math.sqrt(mu / (1.0 + (mu / first**2 - 1.0) * math.exp(-2.0 * alpha * mu * 0.5)))
    np.testing.assert_allclose(np.hypot(*controller.state), radius, rtol=1e-6)
    controller = create(scene_of("hopf_oscillators", phase_lag_deg=-60.0, frequency_hz=0.5))
    controller.state += [[0.2, -0.1, 0.3], [0.1, 0.2, -0.2]]
    wave = fundamental(*references(controller, 24.0), 0.5, 4)
    np.testing.assert_allclose(np.abs(wave), math.radians(30.0), rtol=1e-5)
    np.testing.assert_allclose(np.degrees(np.angle(wave[1:] / wave[:-1])), 60.0, atol=1e-2)


def test_matsuoka_oscillators_agree_with_scipy() -> None:
    controller = create(scene_of("matsuoka_oscillators", frequency_hz=0.6, phase_lag_deg=40.0))
    first = controller.state.copy()
    references(controller, 3.0)
    tau = 1.0 / (0.6 * 7.56153956)
    drive = math.radians(30.0) / 0.46038537
    omega_tau = 2.0 * math.pi * 0.6 * 2.0 * tau

    def neurons(t: float, x: np.ndarray) -> np.ndarray:
        u = x.reshape(4, 3)[:2]
        v = x.reshape(4, 3)[2:]
        y = np.maximum(u, 0.0)
        d = y[0] - y[1]
        quarter = (d - (1.0 + omega_tau**2) * (v[0] - v[1])) / omega_tau
        pull = np.zeros(3)
        for i, j, lead in ((0, 1, 40.0), (1, 0, -40.0), (1, 2, 40.0), (2, 1, -40.0)):
            angle = math.radians(lead)
            pull[i] += 0.2 * (math.cos(angle) * d[j] + math.sin(angle) * quarter[j] - d[i])
        du = [
            (-u[k] - 2.5 * v[k] - 2.0 * y[1 - k] + drive + sign * pull) / tau
            for k, sign in ((0, 1.0), (1, -1.0))
        ]
        return np.concatenate([*du, *((y - v) / (2.0 * tau))])

    solution = solve_ivp(
        neurons, (0.0, 3.0), first.ravel(), rtol=1e-10, atol=1e-12, max_step=0.01
    ).y[:, -1]
    np.testing.assert_allclose(controller.state.ravel(), solution, atol=1e-5)


def test_matsuoka_period_and_peak_follow_frequency_and_amplitude() -> None:
    scene = scene_of(
        "matsuoka_oscillators", frequency_hz=0.8, amplitude_deg=20.0, phase_lag_deg=45.0
    )
    single = create(with_values(scene, {"controller.coupling": 0.0}))
    time, angle = references(single, 16.0)
    late = angle[time > 8.0, 0]
    up = time[time > 8.0][np.flatnonzero((late[:-1] < 0.0) & (late[1:] >= 0.0))]
    assert (up[-1] - up[0]) / (len(up) - 1) == pytest.approx(1.25, abs=0.001)
    assert np.degrees(late.max()) == pytest.approx(20.0, abs=0.01)
    wave = fundamental(*references(create(scene), 25.0), 0.8, 2)
    np.testing.assert_allclose(np.degrees(np.angle(wave[1:] / wave[:-1])), -45.0, atol=5.0)


@pytest.mark.parametrize("kind", CPG)
def test_changed_parameters_are_reached_without_a_jump(kind: str) -> None:
    scene = scene_of(kind)
    controller = create(scene)
    _, before = references(controller, 8.0)
    changed = with_values(
        scene, {"controller.amplitude_deg": 15.0, "controller.phase_lag_deg": 80.0}
    )
    controller.apply(changed, 8.0)
    time, after = references(controller, 24.0, 8.0)
    steps = np.abs(np.diff(np.concatenate([before, after]), axis=0))
    assert steps.max() < 0.002 * 6.0
    assert np.degrees(np.abs(after[time > 20.0]).max()) == pytest.approx(15.0, rel=0.04)
    wave = fundamental(time, after, 0.5, 2)
    np.testing.assert_allclose(
        np.degrees(np.angle(wave[1:] / wave[:-1])), -80.0, atol=8.0 if kind == CPG[2] else 0.1
    )


@pytest.mark.parametrize("kind", CPG)
def test_alternating_robots_get_a_pitch_wave(kind: str) -> None:
    space = {"model.kind": "spatial_nonsmooth", "robot.n_links": 6, "robot.joints": "alternating"}
    scene = with_values(
        scene_of(kind, pitch_amplitude_deg=10.0, pitch_phase_deg=60.0, phase_lag_deg=30.0),
        {**space},
    )
    assert [axis.kind for axis in scene.body.axes] == ["yaw", "pitch", "yaw", "pitch", "yaw"]
    wave = fundamental(*references(create(scene), 20.0), 0.5, 2)
    peak = 1.0 if kind != CPG[2] else 0.4802 / 0.4604
    np.testing.assert_allclose(
        np.degrees(np.abs(wave)) / peak, [30.0, 10.0, 30.0, 10.0, 30.0], rtol=0.03
    )
    phase = np.degrees(np.angle(wave / wave[0]))
    np.testing.assert_allclose(
        phase, [0.0, 30.0, -60.0, -30.0, -120.0], atol=6.0 if kind == CPG[2] else 0.1
    )
    flat = scene_of(kind, pitch_amplitude_deg=10.0)
    assert any("pitch axes" in problem.message for problem in check(flat))
    stopped = check(with_values(scene, {"robot.joint_limit_deg": 20.0}))
    assert any("oscillators reach 30°" in problem.message for problem in stopped)


@pytest.mark.parametrize("kind", CPG)
def test_period_boundaries_and_saved_states_make_no_difference(kind: str) -> None:
    scene = scene_of(kind, amplitude_deg=20.0)
    recordings = []
    for cuts in ((1000, 1000), (333, 667, 7, 993)):
        runner = Runner(scene)
        for steps in cuts:
            runner.advance(steps)
            if runner.engine.step_count == 1000:
                assert (
                    runner.apply(with_values(runner.scene, {"controller.frequency_hz": 0.9})) == []
                )
        recordings.append(runner.recording)
    continued = continue_run(recordings[0], 1.5)
    assert continued is not None
    assert continued.exact
    continued.runner.advance(2000 - continued.runner.engine.step_count)
    recordings.append(continued.runner.recording)
    rows = [each.rows(0, len(each)) for each in recordings]
    for name in ("link_pose", "joint_angle_ref", "extra"):
        assert {getattr(each, name).tobytes() for each in rows} == {
            getattr(rows[0], name).tobytes()
        }, name
    assert any(name.endswith("_joint_1_yaw_rad") for name in recordings[0].schema.extra)
