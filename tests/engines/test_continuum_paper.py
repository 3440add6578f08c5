"""The continuum engine against P5's own equations, integrated as printed along the body."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from tests.engines.beam import Paper, body, run

EVERYTHING = {
    "kind": "formulas",
    "gamma_x": "1 + 0.1*sin(3*X + 2*t)",
    "gamma_y": "0.1*cos(4*X)*sin(1.0*t)",
    "gamma_z": "0.05*X*sin(2*t)",
    "k_x_per_m": "1.5*sin(2*X)*cos(1.0*t)",
    "k_y_per_m": "2*cos(3*X - 1.0*t)",
    "k_z_per_m": "4*sin(5*X + 1.5*t)",
}
"""A law with all six strains, in space and time."""


def shoot(
    paper: Paper, t: float, at: float, target: FloatArray, which: str, eta: FloatArray
) -> FloatArray:
    """Return the head's twist (or its derivative) for a twist `target` of the section at `at`: a linear problem."""
    zero = np.zeros(6)
    part = slice(12, 18) if which == "eta" else slice(18, 24)

    def there(guess: FloatArray) -> FloatArray:
        first = paper.first(
            np.eye(3), zero[:3], *((guess, zero) if which == "eta" else (eta, guess))
        )
        return paper.integrate(t, 0.0, at, first)[part]

    offset = there(zero)
    matrix = np.stack([there(column) - offset for column in np.eye(6)], axis=1)
    return np.linalg.solve(matrix, target - offset)


def head_twist(paper: Paper, t: float, at: float, speed: float) -> FloatArray:
    """Return eta_o from P5 (30) with an anchor fixed in space at C = `at`, C' = `speed`."""
    return shoot(paper, t, at, -paper.strains(at, t)[0] * speed, "eta", np.zeros(6))


@pytest.mark.parametrize(
    ("at", "speed", "every"),
    [
        ("0", 0.0, 500),
        pytest.param("0", 0.0, 200, marks=pytest.mark.soak),
        pytest.param("0.42", 0.0, 200, marks=pytest.mark.soak),
        pytest.param("l", 0.0, 200, marks=pytest.mark.soak),
        ("0.3 + 0.2*t", 0.2, 500),
        pytest.param("0.3 + 0.2*t", 0.2, 200, marks=pytest.mark.soak),
    ],
    ids=["head", "head, at more times", "inside", "tail", "sweeping", "sweeping, at more times"],
)
def test_anchored_bodies_follow_the_paper(at: str, speed: float, every: int) -> None:
    support: dict[str, Any] = {"kind": "anchors", "anchors": [{"at_m": at}]}
    ground = {"slope_deg": 30.0, "downhill_deg": 40.0}
    scene = body(EVERYTHING, support, {"group": "SE3", "radius_m": 0.03}, ground=ground)
    _, rows = run(scene, 1.0, every=every)
    paper = Paper(scene)
    length = scene.beam.length_m
    for index in range(len(rows)):
        t = float(rows.time[index])
        anchor = {"0": 0.0, "0.42": 0.42, "l": length}.get(at, 0.3 + 0.2 * t)
        turn = matrices(rows.link_pose[index, :1, 3:])[0]
        position = rows.link_pose[index, 0, :3]
        eta = head_twist(paper, t, anchor, speed)
        # The derivative of eta_o by differences of the paper's own equation, independent of the
        # engine.
        step = 1e-3
        near = [
            head_twist(paper, t + k * step, anchor + k * step * speed, speed)
            for k in (-2, -1, 1, 2)
        ]
        eta_t = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * step)
        world = np.concatenate([turn @ eta[:3], turn @ eta[3:]])
        assert rows.link_twist[index, 0] == pytest.approx(world, abs=1e-7)
        # Lambda from both free ends; the difference where they meet is the anchor's wrench.
        first = paper.first(turn, position, eta, eta_t)
        before = paper.integrate(t, 0.0, anchor, first) if anchor > 0 else first
        tail = paper.integrate(t, anchor, length, before) if anchor < length else before.copy()
        tail[24:] = 0.0
        after = paper.integrate(t, length, anchor, tail) if anchor < length else tail
        wrench = before[24:] - after[24:]
        hold = rows.hold[index, 0]
        rotation = before[:9].reshape(3, 3)
        assert hold[0] == 1.0
        assert hold[1] == pytest.approx(anchor, abs=1e-12)
        assert hold[2:5] == pytest.approx(before[9:12], abs=1e-7)
        assert hold[8:11] == pytest.approx(rotation @ wrench[:3], abs=2e-6)
        assert hold[11:14] == pytest.approx(rotation @ wrench[3:], abs=2e-6)
        for k, x in enumerate(scene.beam.abscissas):
            if k % 8 and k != 40:
                continue
            if x < anchor:
                here = paper.integrate(t, 0.0, x, first) if x > 0 else first
            else:
                here = paper.integrate(t, length, x, tail) if x < length else tail
                if x == length == anchor:
                    here = before  # Lambda(l) = F_+
            assert rows.link_pose[index, k, :3] == pytest.approx(here[9:12], abs=1e-7)
            assert rows.wrench[index, k] == pytest.approx(here[24:], abs=2e-6)


def test_moved_anchor_moves_the_body() -> None:
    # A straight rod rotated about its end: N_X = rho A w^2 (l^2 - X^2) / 2, and the anchor carries
    # all of it.
    omega = 3.0
    support = {
        "kind": "anchors",
        "anchors": [{"at_m": "0", "angular_velocity_rad_s": ["0", "0", str(omega)]}],
    }
    scene = body({"kind": "formulas"}, support, ground={"gravity_m_s2": 0.0})
    _, rows = run(scene, 1.0, every=100)
    x = np.array(scene.beam.abscissas)
    mass = scene.beam.mass_per_length
    assert rows.wrench[-1, :, 0] == pytest.approx(0.5 * mass * omega**2 * (1 - x**2), abs=1e-9)
    assert rows.wrench[-1, :, 1:] == pytest.approx(np.zeros((len(x), 5)), abs=1e-9)
    angle = omega * rows.time[-1]
    assert rows.link_pose[-1, -1, :2] == pytest.approx([np.cos(angle), np.sin(angle)], abs=1e-10)
    assert rows.hold[-1, 0, 8:11] == pytest.approx(
        -0.5 * mass * omega**2 * np.array([np.cos(angle), np.sin(angle), 0])
    )


def bent(scene_gravity: float, curvature: float) -> tuple[Scene, FloatArray]:
    support = {"kind": "anchors", "anchors": [{"at_m": "0"}]}
    ground = {"slope_deg": 90.0, "downhill_deg": -90.0, "gravity_m_s2": scene_gravity}
    scene = body(
        {"kind": "formulas", "k_z_per_m": str(curvature)}, support, {"group": "SE2"}, ground=ground
    )
    _, rows = run(scene, 0.01)
    return scene, rows.wrench[-1]


def test_cantilever_is_in_static_equilibrium() -> None:
    # Straight: w (l - X)^2 / 2 about z. The part behind hangs down, so it turns the part in front
    # clockwise.
    scene, wrench = bent(9.81, 0.0)
    w = scene.beam.mass_per_length * 9.81
    rest = 1.0 - np.array(scene.beam.abscissas)
    assert wrench[:, 1] == pytest.approx(-w * rest, abs=1e-9)
    assert wrench[:, 5] == pytest.approx(-0.5 * w * rest**2, abs=1e-9)
    # An arc of radius 1/k: the couple of the weight behind, w integral (x(S) - x(X)) dS with x =
    # sin(k S) / k.
    k = 2.5
    scene, wrench = bent(9.81, k)
    x = np.array(scene.beam.abscissas)
    lever = (np.cos(k * x) - np.cos(k)) / k**2 - (1.0 - x) * np.sin(k * x) / k
    assert wrench[:, 5] == pytest.approx(-w * lever, abs=1e-7)  # of 3.6 N m


def test_several_anchors_share_the_load_by_least_squares() -> None:
    support = {"kind": "anchors", "anchors": [{"at_m": "0.1"}, {"at_m": "0.5"}, {"at_m": "0.9"}]}
    ground = {"slope_deg": 90.0, "downhill_deg": 0.0}
    scene = body({"kind": "formulas"}, support, {"group": "R"}, ground=ground)
    _, rows = run(scene, 0.05)
    weight = scene.beam.mass * 9.81
    assert rows.hold[-1, :, 8] == pytest.approx(np.full(3, -weight / 3), rel=1e-9)
    assert rows.extra[-1, 7] == pytest.approx(0.0, abs=1e-12)
    # Two anchors that move apart while the body cannot stretch: the program records their slip
    # speed.
    moving = {"at_m": "0.9", "velocity_m_s": ["0.02", "0", "0"]}
    scene = body(
        {"kind": "formulas"},
        {"kind": "anchors", "anchors": [{"at_m": "0.1"}, moving]},
        {"group": "R"},
    )
    _, rows = run(scene, 0.05)
    assert rows.extra[-1, 7] == pytest.approx(0.01, rel=1e-9)


@pytest.mark.parametrize("group", ["SE2", "SE3"])
@pytest.mark.parametrize("moved", [False, True])
def test_energy_balance_of_a_held_body_closes(group: str, moved: bool) -> None:
    strain = {"kind": "formulas", "k_z_per_m": "6*cos(8*X + 4*t)"}
    if group == "SE3":
        strain |= {"k_y_per_m": "3*sin(3*X - 2*t)", "gamma_x": "1 + 0.1*sin(3*t + 2*X)"}
    anchor: dict[str, object] = {"at_m": "0"}
    if moved:
        anchor |= {
            "velocity_m_s": ["0.3*sin(2*t)", "0.1", "0"],
            "angular_velocity_rad_s": ["0", "0", "1*t"],
        }
    scene = body(strain, {"kind": "anchors", "anchors": [anchor]}, {"group": group})
    _, rows = run(scene, 1.0)
    gained = rows.energy - rows.energy[0]
    left = np.abs(gained[:, 0] - gained[:, 2:].sum(axis=1)).max()
    assert left < 1e-7 * np.abs(gained).max()
    assert np.abs(gained[:, 1] + gained[:, 4]).max() < 1e-7  # the potential is minus gravity's work
    assert (np.abs(gained[-1, 5]) > 0.05) == moved  # an anchor at rest does no work
