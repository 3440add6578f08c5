"""Ground of the spatial model whose friction depends on position and time: closed forms of a sliding link."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from snakestudio._arrays import FloatArray
from snakestudio.engines import registry
from snakestudio.kinds.reads import findings
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict
from tests.engines.common import still

G = 9.81
MASS = 1.0
RADIUS = 0.04
HALF = 0.05
STRIP = [[-9.0, -1.0], [-0.2, -1.0], [-0.2, 1.0], [-9.0, 1.0]]
"""The area beyond x = -0.2 m."""


def sliding(ground: dict[str, Any], step: float = 1e-4, vx: float = -1.0) -> Scene:
    """Return a link along x with its head at -x, thrown along its axis."""
    scene = scene_from_dict(
        {
            "format": 1,
            "model": {"kind": "spatial_nonsmooth"},
            "solver": {"step_s": step},
            "ground": {
                "mu_rolling": 0.0,
                **ground,
            },  # rolling friction would carry a part of the moment
            "robot": {
                "n_links": 1,
                "mass_kg": MASS,
                "radius_m": RADIUS,
                "contact_half_length_m": HALF,
            },
            "start": {"kind": "straight", "vx_m_s": vx},
        }
    )
    assert not [problem for problem in registry.check(scene) if problem.severity == "error"]
    return scene


def slide(scene: Scene, seconds: float) -> tuple[FloatArray, FloatArray]:
    """Return position and velocity of the link at the end."""
    engine = registry.create(scene)
    steps = round(seconds / scene.solver.step_s)
    report = engine.advance(still(scene, steps), steps, ())
    assert report.ok, report.message
    assert report.unconverged == 0
    snapshot = engine.snapshot()
    return snapshot.link_pose[0, :3], snapshot.link_twist[0, :3]


@pytest.mark.parametrize(("before", "behind"), [(0.2, 0.4), (0.3, 0.1)])
def test_link_crosses_a_patch_border_one_end_at_a_time(before: float, behind: float) -> None:
    """Friction F at the ground tilts the link forwards: its front end carries (m g + F r / h) / 2."""
    patch = {"points_m": STRIP, "mu_along": behind, "mu_across": behind}
    scene = sliding({"mu_along": before, "mu_across": before, "patch": [patch]}, vx=-1.2)
    lean = RADIUS / HALF
    between = 0.5 * (before + behind) * MASS * G / (1.0 - 0.5 * (behind - before) * lean)
    assert 0.5 * (MASS * G + between * lean) < MASS * G  # both ends stay down
    energy = 0.5 * MASS * 1.2**2 - before * MASS * G * (0.2 - HALF) - between * 2.0 * HALF
    expected = 0.2 + HALF + energy / (behind * MASS * G)
    position, velocity = slide(scene, 2.0)
    assert position[0] == pytest.approx(-expected, abs=2e-4)
    assert np.abs(velocity).max() < 1e-12


def test_directional_patch_acts_by_the_direction_of_sliding() -> None:
    patch = {"points_m": STRIP, "mu_along": 0.1, "mu_backward": 0.5, "mu_across": 0.3}
    for vx, mu in ((-1.0, 0.1), (1.0, 0.5)):
        scene = with_values(
            sliding({"mu_along": 0.7, "mu_across": 0.7, "patch": [patch]}, vx=vx),
            {"start.x_m": -3.0},
        )
        _, velocity = slide(scene, 0.1)
        assert velocity[0] == pytest.approx(math.copysign(1.0 - mu * G * 0.1, vx), abs=1e-6)


def test_friction_factor_of_time_slows_by_its_integral() -> None:
    _, velocity = slide(sliding({"mu_along": 0.2, "mu_across": 0.2, "friction_factor": "2*t"}), 0.5)
    assert velocity[0] == pytest.approx(-1.0 + 0.2 * G * 0.5**2, abs=1e-9)


def test_friction_factor_of_position_acts_at_both_ends() -> None:
    def force(distance: float) -> float:
        """Return the friction after a distance, with the front end ahead by h and loaded by F r / 2
        h above the mean."""
        front = 0.2 * math.exp(distance + HALF)
        rear = 0.2 * math.exp(distance - HALF)
        return 0.5 * (front + rear) * MASS * G / (1.0 - 0.5 * (front - rear) * RADIUS / HALF)

    position, _ = slide(
        sliding({"mu_along": 0.2, "mu_across": 0.2, "friction_factor": "exp(-1*x)"}), 2.0
    )
    expected = brentq(lambda distance: quad(force, 0.0, distance)[0] - 0.5 * MASS, 0.0, 1.0)
    assert position[0] == pytest.approx(-expected, abs=1e-4)


def test_factor_of_one_changes_no_bit() -> None:
    plain = sliding({"mu_along": 0.2, "mu_across": 0.3})
    # A patch with the same friction uses the tables.
    patch = {"points_m": STRIP, "mu_along": 0.2, "mu_across": 0.3}
    same = sliding({"mu_along": 0.2, "mu_across": 0.3, "patch": [patch]})
    for one, other in zip(slide(plain, 0.3), slide(same, 0.3), strict=True):
        assert one.tobytes() == other.tobytes()


def test_undefined_factor_stops_the_run_with_a_message() -> None:
    scene = sliding({"mu_along": 0.2, "mu_across": 0.2, "friction_factor": "sqrt(sin(1*x)+0.2)"})
    engine = registry.create(scene)
    report = engine.advance(still(scene, 10_000), 10_000, ())
    assert not report.ok
    print(report.message)
    assert engine.snapshot().link_pose[0, 0] == pytest.approx(-math.asin(0.2) + HALF, abs=1e-3)


def test_spatial_model_ignores_only_the_load_factor() -> None:
    patch = {"points_m": STRIP, "mu_along": 0.4, "mu_across": 0.4}
    assert findings(sliding({"friction_factor": "1+sin(1*t)", "patch": [patch]})) == []
    (problem,) = findings(sliding({"load_factor": "1+sin(1*t)"}))
    assert problem.key == "ground.load_factor"


@pytest.mark.parametrize(
    ("ground", "key"),
    [
        ({"friction_factor": "1/(t-0.25)"}, "ground.friction_factor"),
        ({"patch": [{"points_m": [[0, 0], [1, 1], [2, 2]]}]}, "ground.patch[1].points_m"),
    ],
)
def test_check_names_ground_friction_that_cannot_be_used(ground: dict[str, Any], key: str) -> None:
    scene = scene_from_dict({"format": 1, "model": {"kind": "spatial_nonsmooth"}, "ground": ground})
    assert key in [problem.key for problem in registry.check(scene) if problem.severity == "error"]
