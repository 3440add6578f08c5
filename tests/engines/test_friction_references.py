"""Friction laws against values of other programs, and lifting against an independent momentum balance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.offline import run_offline

MU = 0.101936799
"""Friction coefficient with Froude number 1 for a length of 1 m and a period of 1 s."""


def wave(**ground: Any) -> Scene:
    scene = load_scene(scenes_dir() / "continuum_friction.toml")
    values = {"run.duration_s": 12.0, "ground.mu_backward": None}
    return with_values(
        scene, {**values, **{f"ground.{key}": value for key, value in ground.items()}}
    )


def speed(scene: Scene) -> float:
    """Return the speed of the centre of mass over the last three periods, body lengths per period."""
    recording = run_offline(scene).recording
    pose = recording.rows(0, len(recording.times)).link_pose[:, :, :2]
    weight = np.full(pose.shape[1], 1.0)
    weight[[0, -1]] = 0.5
    centre = np.average(pose, axis=1, weights=weight)
    begin = int(np.argmin(np.abs(recording.times - (recording.times[-1] - 3.0))))
    return float(np.linalg.norm(centre[-1] - centre[begin]) / 3.0)


@pytest.mark.parametrize(
    ("law", "across", "expected", "tolerance"),
    [
        ("unit_velocity", 1.0, 0.0276, 0.0006),  # kinematic_snake (Zhang et al. 2021)
        ("unit_velocity", 2.0, 0.156, 0.001),
        ("ellipse", 1.0, 0.028, 0.0005),
        ("ellipse", 2.0, 0.31, 0.005),
        ("components", 1.0, 0.098, 0.002),
        ("components", 2.0, 0.41, 0.005),
    ],
)
def test_wave_has_the_speed_of_its_law(
    law: str, across: float, expected: float, tolerance: float
) -> None:
    assert speed(wave(law=law, mu_along=MU, mu_across=across * MU)) == pytest.approx(
        expected, abs=tolerance
    )


def lifted_speed(duration: float, eps: float, amplitude: float) -> float:
    """Return the speed of the same body with its load multiplied by 1 + A cos 4 pi (X - t), from momentum alone.

    The centre of mass accelerates under the sum of the friction, and the angular momentum about it
    changes by its moment; the shape and its rate follow from the curvature, at 400 midpoints.
    """
    count = 400
    x = (np.arange(count) + 0.5) / count

    def shape(t: float) -> NDArray[np.float64]:
        # Direction of the tangent is the integral of 7 cos 2 pi (X - t).
        theta = 7.0 / (2 * np.pi) * (np.sin(2 * np.pi * (x - t)) + np.sin(2 * np.pi * t))
        step = np.column_stack([np.cos(theta), np.sin(theta)]) / count
        position = np.cumsum(step, axis=0) - 0.5 * step
        return np.column_stack([position - position.mean(axis=0), theta])

    def rates(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        phi = y[2]
        momentum = y[5]
        here = shape(t)
        rate = (shape(t + 1e-5) - shape(t - 1e-5)) / 2e-5
        position = here[:, :2]
        flow = rate[:, :2]
        inner = np.mean(position[:, 0] * flow[:, 1] - position[:, 1] * flow[:, 0])
        spin = (momentum - inner) / np.mean((position**2).sum(axis=1))
        turn = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
        velocity = (
            y[3:5] + (spin * np.column_stack([-position[:, 1], position[:, 0]]) + flow) @ turn.T
        )
        theta = here[:, 2] + phi
        tangent = np.column_stack([np.cos(theta), np.sin(theta)])
        normal = np.column_stack([-tangent[:, 1], tangent[:, 0]])
        unit = velocity / np.sqrt((velocity**2).sum(axis=1) + eps**2)[:, None]
        load = np.maximum(1 + amplitude * np.cos(4 * np.pi * (x - t)), 0.0)[:, None]
        along, across = ((unit * each).sum(axis=1)[:, None] * each for each in (tangent, normal))
        force = -load * (along + 2.0 * across)
        arm = position @ turn.T
        moment = np.mean(arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])
        return np.array([*y[3:5], spin, *force.mean(axis=0), moment])

    here = shape(0.0)
    rate = (shape(1e-5) - shape(-1e-5)) / 2e-5
    inner = np.mean(here[:, 0] * rate[:, 1] - here[:, 1] * rate[:, 0])
    y = np.array([0.0, 0.0, 0.0, *-rate[0, :2], inner])  # as in the engine, the head starts at rest
    times = [duration - 3.0, duration]
    result = solve_ivp(rates, (0.0, duration), y, t_eval=times, rtol=1e-6, atol=1e-8).y
    return float(np.linalg.norm(result[:2, 1] - result[:2, 0]) / 3.0)


def test_lifted_speed_agrees_with_a_momentum_balance() -> None:
    lifted = wave(
        mu_along=MU,
        mu_across=2 * MU,
        coulomb_smoothing_m_s=0.02,
        load_factor="1-1.5*cos(4*pi*X-4*pi*t)",
    )
    expected = lifted_speed(12.0, 0.02, -1.5)
    assert speed(lifted) == pytest.approx(expected, rel=0.005)
    assert expected > 2 * 0.156


def test_backward_friction_acts_only_on_backward_sliding() -> None:
    forward = speed(wave(law="unit_velocity", mu_along=MU, mu_backward=MU, mu_across=2 * MU))
    rough = speed(wave(law="unit_velocity", mu_along=MU, mu_backward=1.5 * MU, mu_across=2 * MU))
    # no part of this wave slides tail first for long
    assert rough == pytest.approx(forward, rel=0.05)


def test_body_stops_sooner_tail_first() -> None:
    # v^2 = 2 mu g s, with the head at X = 0 and heading along -x.
    straight = {"strain.k_z_per_m": "0", "run.duration_s": 2.0}
    for sign, mu in ((-1.0, 0.1), (1.0, 0.2)):
        scene = wave(law="ellipse", mu_along=0.1, mu_backward=0.2, mu_across=0.5)
        scene = with_values(
            scene,
            {
                **straight,
                "start.vx_m_s": sign,
                "start.heading_deg": 0.0,
                "ground.coulomb_smoothing_m_s": 1e-4,
            },
        )
        recording = run_offline(scene).recording
        pose = recording.rows(0, len(recording.times)).link_pose
        moved = pose[-1, 0, 0] - pose[0, 0, 0]
        assert moved == pytest.approx(sign / (2 * mu * 9.81), abs=2e-3)
