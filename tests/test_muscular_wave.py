"""A snake whose muscles bend it on dry ground, against the elastic rod of PyElastica.

The case is `ContinuumSnakeCase` of PyElastica 1.0.0 (Zhang et al., Nat. Commun. 12, 6076, 2021):
0.35 m, radius 0.011 of the length, 1000 kg/m³, 1 MPa, a period of 2 s, Froude number 0.1 and
friction 1, 1.5 and 2 (forwards, backwards, sideways) along the unit velocity. In a run of 22 s its
50 elements move at 0.02783 m/s from 10 to 20 s (0.02776 m/s as averaged by its postprocessing),
100 elements with a quarter of the step at 0.02803 m/s. CURVATURE is the amplitude
of the first harmonic of its curvature, times the length, at s = 0.02, 0.26, 0.5, 0.74 and 0.98 from
the tail.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.paths import scenes_dir

SPEED = 0.02783
CURVATURE = (7.117, 6.926, 7.108, 6.999, 6.849)
LENGTH = 0.35
PERIOD = 2.0
GRAVITY = 9.80665
ELEMENTS = 50
RADIUS = 0.011 * LENGTH
DENSITY = 1000.0
YOUNG = 1e6
DAMPING = 2e-3
FRICTION = LENGTH / (PERIOD**2 * GRAVITY * 0.1)


def last_period_velocity(run: ss.Run, head: int, tail: int) -> float:
    """Displacement of the centre of mass in the last period, divided by the period, m/s; positive if the head leads."""
    rows = np.arange(*np.searchsorted(run["time_s"], run["time_s"][-1] + [-PERIOD - 1e-6, 1e-6]))
    path = np.zeros(2)
    ahead = np.zeros(2)
    for k, axis in enumerate("xy"):
        path[k] = np.diff(run[f"com_{axis}_m"][rows[[0, -1]]])[0]
        ahead[k] = (run[f"link_{head}_{axis}_m"] - run[f"link_{tail}_{axis}_m"])[rows].mean()
    return float(np.copysign(np.linalg.norm(path), path @ ahead)) / PERIOD


def harmonic(time: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Amplitude of each column's oscillation with the period of the muscles."""
    angle = 2 * np.pi * time / PERIOD
    basis = np.stack([np.ones_like(time), np.sin(angle), np.cos(angle)], axis=1)
    _, sine, cosine = np.linalg.lstsq(basis, values, rcond=None)[0]
    return np.hypot(sine, cosine)


def muscular_chain() -> Scene:
    """Rigid links as long as PyElastica's elements, joint springs of the rod's stiffness, and its muscle torques.

    Its B-spline of six coefficients, piecewise cubic with knots at 1/3 and 2/3, is written with
    truncated powers. The damper of the joints dissipates as much in a wave of one body length as
    the rod's damping of angular velocities.
    """
    link = LENGTH / ELEMENTS
    area = math.pi * RADIUS**2
    stiffness = YOUNG * math.pi * RADIUS**4 / 4
    x = "(1-i/n)"
    beyond = "(({x}-{knot}+sqrt(({x}-{knot})^2))/2)^3"
    spline = (
        f"(-0.028125*{x}^3+0.01485*{x}^2-0.0009*{x}+0.0034"
        f"+0.05535*{beyond.format(x=x, knot='1/3')}-0.057375*{beyond.format(x=x, knot='2/3')})"
    )
    ramp = "((t+2-sqrt((t-2)^2))/4)"
    joints = {
        "index": "all",
        "spring_nm_per_rad": stiffness / link,
        "damper_nms_per_rad": DAMPING * DENSITY * area * (LENGTH / (2 * math.pi)) ** 2 / link,
    }
    values = {
        "model.kind": "planar_nonsmooth",
        "robot.n_links": ELEMENTS,
        "robot.link_length_m": link,
        "robot.radius_m": 0.45 * link,
        "robot.contact_half_length_m": 0.5 * link,
        "robot.mass_kg": DENSITY * area * link,
        "robot.inertia_kg_m2": DENSITY * area * link**3 / 12,
        "robot.head": "last",
        "robot.joints": "yaw",
        "robot.joint": [joints],
        "ground.law": "unit_velocity",
        "ground.mu_along": FRICTION,
        "ground.mu_backward": 1.5 * FRICTION,
        "ground.mu_across": 2.0 * FRICTION,
        "ground.gravity_m_s2": GRAVITY,
        "gait.kind": "joint_torque",
        "gait.torque_nm": f"{ramp}*{spline}*sin(pi*t+2*pi*i/n)",
        "solver.step_s": 5e-4,
        "start.kind": "straight",
    }
    return with_values(Scene(), values)


def test_muscle_torques_move_the_chain_like_pyelastica() -> None:
    run = ss.simulate(muscular_chain(), duration=6.0, rate=50.0)
    assert last_period_velocity(run, ELEMENTS, 1) == pytest.approx(SPEED, rel=0.01)
    settled = run["time_s"] >= 4.0
    joints = (1, 13, 25, 37, 49)
    bending = np.stack([run[f"joint_{i}_yaw_rad"][settled] for i in joints], axis=1) * ELEMENTS
    assert harmonic(run["time_s"][settled], bending) == pytest.approx(CURVATURE, rel=0.01)


def test_imposed_curvature_moves_the_body_like_pyelastica() -> None:
    # The amplitude of the rod's curvature is 7 / length within 3 % everywhere, that of its
    # harmonics below 5 %.
    values = {
        "beam.length_m": LENGTH,
        "beam.radius_m": RADIUS,
        "beam.density_kg_m3": DENSITY,
        "strain.k_z_per_m": f"7/{LENGTH}*cos(2*pi*s/{LENGTH})",
        "strain.speed_m_s": str(-LENGTH / PERIOD),
        "ground.mu_along": FRICTION,
        "ground.mu_backward": 1.5 * FRICTION,
        "ground.mu_across": 2.0 * FRICTION,
        "ground.gravity_m_s2": GRAVITY,
        "ground.coulomb_smoothing_m_s": 1e-4,
    }
    run = ss.simulate(scenes_dir() / "continuum_friction.toml", duration=6.0, rate=50.0, **values)
    assert last_period_velocity(run, 1, run.scene.beam.sections) == pytest.approx(SPEED, rel=0.01)
