"""Unequal links, joints and friction in the plane: closed forms, other formulations, values of other programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from snakestudio._arrays import FloatArray
from snakestudio.engines import registry
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.session.runner import Runner
from tests.kernels.compiled import natural_ground

G = 9.81


def scene(**parts: dict[str, Any]) -> Scene:
    """Return a scene of `parts` that `check` accepts."""
    plain: dict[str, Any] = {
        "format": 1,
        "gait": {"kind": "lateral_undulation", "amplitude_deg": 0.0},
    }
    for name, values in parts.items():
        plain[name] = {**plain.get(name, {}), **values}
    robot_scene = scene_from_dict(plain)
    assert not [problem for problem in registry.check(robot_scene) if problem.severity == "error"]
    return robot_scene


def run(
    robot_scene: Scene, push: tuple[float, float] = (0.0, 0.0)
) -> tuple[Rows, dict[str, FloatArray]]:
    """Return rows and energies of a run with a force on link 1 (N); each step is solved, and energy
    does not increase."""
    runner = Runner(robot_scene, None)
    try:
        runner.engine.apply_wrench(0, (*push, 0.0, 0.0, 0.0, 0.0))
        report = runner.advance(runner.end_step)
        rows = runner.recording.rows(0, len(runner.recording))
        assert report.ok, report.message
        energy = dict(zip(runner.engine.schema.energy, rows.energy.T, strict=True))
    finally:
        runner.recording.close()
    assert rows.solver_residual.max() <= 1e-8
    works = {
        name: work
        for name, work in energy.items()
        if name.startswith("work_") and name != "work_projection"
    }
    size = 1e-9 + sum(float(np.abs(work).max()) for work in works.values())
    assert (
        np.abs(energy["kinetic"] - energy["kinetic"][0] - sum(works.values())).max() <= 1e-10 * size
    )
    falls = energy["work_gravity"] + energy["work_projection"] + energy.get("work_spring", 0.0)
    assert np.abs(energy["potential"] - energy["potential"][0] + falls).max() <= 1e-9 * size
    return rows, energy


def one(ground: dict[str, Any], *, duration: float = 0.5, **parts: dict[str, Any]) -> Scene:
    """Return one link of 1 kg along x, with its head at -x."""
    robot = {"n_links": 1, "mass_kg": 1.0, **parts.pop("robot", {})}
    run_for = {"duration_s": duration, "log_rate_hz": 100.0}
    solver = {"step_s": 0.001, **parts.pop("solver", {})}
    return scene(robot=robot, ground=ground, run=run_for, solver=solver, **parts)


DIFFERENT = {"mu_along": 0.1, "mu_backward": 0.3, "mu_across": 0.5}
"""Friction sliding head first, tail first and across."""


@pytest.mark.parametrize("law", ["ellipse", "unit_velocity", "components"])
@pytest.mark.parametrize("head", ["first", "last"])
@pytest.mark.parametrize(("push", "mu"), [((-6.0, 0.0), 0.1), ((6.0, 0.0), 0.3), ((0.0, 6.0), 0.5)])
def test_pushed_link_gains_the_work_minus_friction(
    law: str, head: str, push: tuple[float, float], mu: float
) -> None:
    # E = t^2 (F - mu m g)^2 / 2 m. With its head at the last link, the robot faces +x.
    if head == "last":
        push = -push[0], push[1]
    rows, energy = run(one({**DIFFERENT, "law": law}, robot={"head": head}), push)
    expected = rows.time**2 * (math.hypot(*push) - mu * G) ** 2 / 2.0
    np.testing.assert_allclose(energy["kinetic"], expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("law", ["ellipse", "unit_velocity", "components"])
@pytest.mark.parametrize("push", [(-0.9, 0.0), (2.8, 0.0), (0.0, 4.8)])
def test_link_pushed_below_the_friction_limit_stays(law: str, push: tuple[float, float]) -> None:
    rows, _ = run(one({**DIFFERENT, "law": law}), push)
    assert np.abs(rows.link_pose[-1] - rows.link_pose[0]).max() <= 1e-12


def test_wheel_rolls_freely_and_ratchet_in_one_direction() -> None:
    for wheels, push, free in (
        ("passive", 1.0, True),
        ("ratchet", -1.0, True),
        ("ratchet", 1.0, False),
    ):
        rows, energy = run(one({"mu_across": 0.5}, robot={"wheels": wheels}), (push, 0.0))
        expected = rows.time**2 / 2.0 if free else 0.0 * rows.time
        np.testing.assert_allclose(energy["kinetic"], expected, rtol=1e-9, atol=1e-18)
        assert abs(energy["work_friction"][-1]) <= 1e-15
        held, _ = run(one({"mu_across": 0.5}, robot={"wheels": wheels}), (0.0, 4.9))
        assert np.abs(held.link_pose[-1] - held.link_pose[0]).max() <= 1e-12


@pytest.mark.parametrize("law", ["ellipse", "unit_velocity", "components"])
def test_obliquely_sliding_link_follows_its_law(law: str) -> None:
    start = {"kind": "straight", "vx_m_s": -0.6, "vy_m_s": 0.5}
    mu = np.array([0.1, 0.5])

    def slowing(_: float, v: FloatArray) -> FloatArray:
        if law == "components":
            return -G * mu * np.sign(v)
        if law == "unit_velocity":
            return -G * mu * v / np.linalg.norm(v)
        return np.asarray(-G * mu**2 * v / np.linalg.norm(mu * v))

    rows, _ = run(
        one({**DIFFERENT, "law": law}, duration=0.08, start=start, solver={"step_s": 1e-5})
    )
    expected = solve_ivp(
        slowing, (0.0, 0.08), [-0.6, 0.5], rtol=1e-10, atol=1e-12, t_eval=rows.time
    ).y.T
    assert np.linalg.norm(expected[-1]) > 0.1
    np.testing.assert_allclose(rows.link_twist[:, 0, :2], expected, atol=2e-5)


def test_friction_varies_with_position_time_and_load() -> None:
    # With 1 m/s along -x: friction 0.2 up to x = -0.2, then 0.4, which the link reaches with v^2 =
    # 1 - 2 a s.
    patch = {
        "points_m": [[-9.0, -1.0], [-0.2, -1.0], [-0.2, 1.0], [-9.0, 1.0]],
        "mu_along": 0.4,
        "mu_across": 0.4,
    }
    start = {"kind": "straight", "vx_m_s": -1.0}
    fine = {"step_s": 1e-4}
    ground: dict[str, Any] = {"mu_along": 0.2, "mu_across": 0.2, "patch": [patch]}
    rows, _ = run(one(ground, duration=1.0, start=start, solver=fine))
    distance = 0.2 + (1.0 - 2.0 * 0.2 * G * 0.2) / (2.0 * 0.4 * G)
    assert rows.link_pose[-1, 0, 0] == pytest.approx(-distance, abs=1e-4)
    # A factor 2 t: v = 1 - mu g t^2; the load's factor does the same.
    for name in ("friction_factor", "load_factor"):
        rows, _ = run(
            one({"mu_along": 0.2, "mu_across": 0.2, name: "2*t"}, start=start, solver=fine)
        )
        np.testing.assert_allclose(
            rows.link_twist[:, 0, 0], -1.0 + 0.2 * G * rows.time**2, atol=1e-4
        )
    np.testing.assert_allclose(rows.impulse_ground[:, 0, 2], G * rows.time**2, atol=1e-9)
    lifted, _ = run(one({"mu_along": 0.2, "mu_across": 0.2, "load_factor": "-1"}, start=start))
    np.testing.assert_array_equal(lifted.link_twist[:, 0, 0], -1.0)


def _projected(p: FloatArray, plus: float, minus: float) -> FloatArray:
    """Return the point of the two half ellipses with semi-axes plus or minus along and 1 across
    that is nearest to `p`."""
    if (p[0] / (plus if p[0] > 0.0 else minus)) ** 2 + p[1] ** 2 <= 1.0:
        return p
    angle = np.linspace(0.0, 2.0 * math.pi, 400_001)
    edge = np.column_stack(
        [np.where(np.cos(angle) > 0.0, plus, minus) * np.cos(angle), np.sin(angle)]
    )
    nearest: FloatArray = edge[np.sum((edge - p) ** 2, axis=1).argmin()]
    return nearest


@pytest.mark.parametrize("shares", [(1.0, 0.3), (0.2, 1.0), (1.0, 1.0)])
def test_two_half_ellipses_project_to_the_nearest_point(
    shares: tuple[float, float],
) -> None:
    # P = prox_C(P - gamma) for the Euclidean projection: solutions of the law, computed without its
    # closed form.
    rng = np.random.default_rng(3)
    sliding = 0
    for _ in range(40):
        y = rng.uniform(-2.0, 2.0, 2)
        p = _projected(y, *shares)
        gamma = p - y
        assert natural_ground("halves", *p, *gamma, 1.0, 1.0, *shares) <= 1e-4
        if np.abs(gamma).max() > 0.01:  # sliding requires the full friction
            sliding += 1
            assert natural_ground("halves", *(0.97 * p), *gamma, 1.0, 1.0, *shares) > 1e-3
    assert sliding > 10


UNEQUAL = {
    "n_links": 5,
    "link": [
        {"index": "odd", "length_m": 0.2, "mass_kg": 0.9, "centre_of_mass_m": 0.03},
        {"index": 2, "inertia_kg_m2": 0.004, "centre_of_mass_m": -0.02},
        {"index": "last", "mass_kg": 0.3},
    ],
}


def _lagrangian(robot_scene: Scene, duration: float) -> FloatArray:
    """Return link directions at the end for a chain with springs only: Lagrange's equations in (x, y, directions)."""
    links = robot_scene.robot.links
    n = len(links)
    length, centre, mass, inertia = (
        np.array([getattr(link, name) for link in links])
        for name in ("length", "centre_of_mass", "mass", "inertia")
    )
    reach = np.tril(np.tile(length, (n, 1)), -1) + np.diag(0.5 * length + centre)
    values = robot_scene.axis_values

    def moving(_: float, state: FloatArray) -> FloatArray:
        theta = state[2 : n + 2]
        omega = state[n + 4 :]
        normal = np.array([-np.sin(theta), np.cos(theta)])
        axis = np.array([np.cos(theta), np.sin(theta)])
        jacobian = np.zeros((n, 2, n + 2))
        jacobian[:, :, :2] = np.eye(2)
        jacobian[:, :, 2:] = reach[:, None, :] * normal[None]
        bias = -np.einsum("kj,aj->ka", reach, axis * omega**2)
        matrix = np.einsum("k,kai,kaj->ij", mass, jacobian, jacobian)
        matrix[2:, 2:] += np.diag(inertia)
        force = -np.einsum("k,kai,ka->i", mass, jacobian, bias)
        torque = -values.spring * (np.diff(theta) - values.rest) - values.damper * np.diff(omega)
        force[2:-1] -= torque
        force[3:] += torque
        return np.concatenate([state[n + 2 :], np.linalg.solve(matrix, force)])

    begin = np.zeros(2 * (n + 2))
    begin[2 : n + 2] = [0.0, 0.3, -0.2, 0.5, 0.1]
    end = solve_ivp(moving, (0.0, duration), begin, method="DOP853", rtol=1e-11, atol=1e-13).y[
        :, -1
    ]
    return np.asarray(end[2 : n + 2])


def test_unequal_links_on_springs_follow_lagranges_equations() -> None:
    springs = {
        "index": "all",
        "kp_nm_per_rad": 0.0,
        "kd_nms_per_rad": 0.0,
        "spring_nm_per_rad": 1.0,
        "rest_deg": 20.0,
    }
    robot = {**UNEQUAL, "joint": [springs, {"index": 2, "damper_nms_per_rad": 0.01}]}
    angles = np.degrees([0.0, 0.3, -0.2, 0.5, 0.1]).tolist()
    ends = []
    for step in (2e-4, 1e-4, 5e-5):
        robot_scene = scene(
            robot=robot,
            ground={"gravity_m_s2": 0.0},
            start={"kind": "link_angles", "link_angles_deg": angles},
            solver={"step_s": step},
            run={"duration_s": 0.4, "log_rate_hz": 100.0},
        )
        pose = run(robot_scene)[0].link_pose[-1]
        ends.append(np.unwrap(2.0 * np.arctan2(pose[:, 6], pose[:, 3])))
    expected = _lagrangian(robot_scene, 0.4)
    errors = [float(np.abs(end - expected).max()) for end in ends]
    assert errors[0] < 5e-3
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.05)
    better = 2.0 * ends[1] - ends[0], 2.0 * ends[2] - ends[1]
    assert np.abs((4.0 * better[1] - better[0]) / 3.0 - expected).max() < 1e-7


def test_fixed_joint_merges_two_links() -> None:
    # Two links of 0.1 m and 1 kg about their common middle: 2 kg and 2 (J + m (L / 2)^2), with a
    # force on the first link.
    common = {"ground": {"gravity_m_s2": 0.0}, "run": {"duration_s": 0.5, "log_rate_hz": 50.0}}
    body = {
        "link_length_m": 0.1,
        "mass_kg": 1.0,
        "inertia_kg_m2": 1e-3,
        "contact_half_length_m": 0.02,
    }
    rows, _ = run(
        scene(robot={"n_links": 2, **body, "joint": [{"index": 1, "axes": "fixed"}]}, **common),
        (0.0, 0.1),
    )
    turn = 2.0 * np.arctan2(rows.link_pose[:, :, 6], rows.link_pose[:, :, 3])
    assert np.abs(np.diff(turn, axis=1)).max() == 0.0
    middle = rows.link_pose[:, :, :2].mean(axis=1)
    np.testing.assert_allclose(middle[:, 1] - middle[0, 1], 0.5 * 0.05 * rows.time**2, atol=2e-5)

    def turning(_: float, state: FloatArray) -> list[float]:
        return [state[1], -0.1 * 0.05 * math.cos(state[0]) / (2.0 * (1e-3 + 1.0 * 0.05**2))]

    expected = solve_ivp(
        turning, (0.0, 0.5), [0.0, 0.0], rtol=1e-10, atol=1e-12, t_eval=rows.time
    ).y[0]
    np.testing.assert_allclose(turn[:, 0], expected, atol=2e-4)


def _no_slip(theta: FloatArray, rates: FloatArray, length: float) -> FloatArray:
    """Return the velocity (vx, vy, omega) of link 1 of three links whose middles do not slip sideways."""
    matrix = np.zeros((3, 3))
    right = np.zeros(3)
    normal = np.column_stack([-np.sin(theta), np.cos(theta)])
    reach = np.array([[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 1.0, 0.5]]) * length
    bends = np.concatenate([[0.0], np.cumsum(rates)])
    for k in range(3):
        matrix[k, :2] = normal[k]
        turns = np.array([reach[k, j] * float(normal[k] @ normal[j]) for j in range(3)])
        matrix[k, 2] = turns.sum()
        right[k] = -turns @ bends
    velocity: FloatArray = np.linalg.solve(matrix, right)
    return velocity


@pytest.mark.parametrize("kind", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_wheels_move_three_links_by_their_constraints(kind: str) -> None:
    # Three wheeled links are a kinematic machine: joint angles determine their motion, independent
    # of forces. In space, each link has both contacts at one point, because wheels at both ends
    # would prevent rotation, and rolling friction keeps it upright, like an axle.
    gait = {"amplitude_deg": 25.0, "frequency_deg_s": 120.0, "phase_shift_deg": 70.0}
    step = 4e-4
    wheels = {"wheels": "passive", "radius_m": 0.01, "contact_half_length_m": 0.0}
    robot_scene = scene(
        model={"kind": kind},
        robot={"n_links": 3, "joints": "yaw", **wheels},
        ground={"mu_across": 5.0, "mu_rolling": 1.0},
        gait=gait,
        start={"kind": "gait"},
        solver={"step_s": step, "joints": "implicit"},
        run={"duration_s": 2.0, "log_rate_hz": 50.0},
    )
    rows, _ = run(robot_scene)
    omega = rows.link_twist[:, :, 5]
    # Constraints hold at the middle of a step, from which the links move with the velocity at its
    # end.
    turn = 2.0 * np.arctan2(rows.link_pose[:, :, 6], rows.link_pose[:, :, 3]) - 0.5 * step * omega
    rates = np.diff(omega, axis=1)
    expected = [
        _no_slip(*values, robot_scene.robot.link_length_m)
        for values in zip(turn[5:], rates[5:], strict=True)
    ]
    np.testing.assert_allclose(rows.link_twist[5:, 0][:, [0, 1, 5]], expected, atol=1e-7)
    travelled = np.linalg.norm(
        rows.link_pose[-1, :, :2].mean(axis=0) - rows.link_pose[0, :, :2].mean(axis=0)
    )
    assert travelled > 0.02


def _creeping(mu: tuple[float, float], law: str, step: float) -> float:
    """Return the speed of 40 links with curvature 7 cos(2 pi (s + t)) and Froude number 1, lengths per period."""
    n = 40
    robot_scene = scene(
        robot={
            "n_links": n,
            "link_length_m": 1.0 / n,
            "mass_kg": 1.0 / n,
            "inertia_kg_m2": 1.0 / (12.0 * n**3),
            "radius_m": 0.001,
            "contact_half_length_m": 0.3 / n,
        },
        ground={"mu_along": mu[0], "mu_across": mu[1], "gravity_m_s2": 1.0, "law": law},
        gait={
            "amplitude_deg": math.degrees(7.0 * math.sin(math.pi / n) / math.pi),
            "frequency_deg_s": 360.0,
            "phase_shift_deg": 360.0 / n,
            "phase_deg": 90.0 + 360.0 / n,
        },
        joint_controller={"kp_nm_per_rad": 3000.0, "kd_nms_per_rad": 30.0},
        solver={"step_s": step, "joints": "implicit"},
        start={"kind": "gait"},
        run={"duration_s": 6.0, "log_rate_hz": 20.0},
    )
    rows, _ = run(robot_scene)
    middle = rows.link_pose[:, :, :2].mean(axis=1)
    return float(np.linalg.norm(middle[-1] - middle[-21]))


@pytest.mark.parametrize(
    ("mu", "law", "expected"),
    [
        ((1.0, 1.0), "unit_velocity", 0.0276),
        ((1.0, 2.0), "unit_velocity", 0.156),
        ((1.0, 2.0), "ellipse", 0.31),
        ((1.0, 1.0), "components", 0.098),
        ((1.0, 2.0), "components", 0.41),
    ],
)
def test_imposed_wave_moves_as_in_kinematic_snake(
    mu: tuple[float, float], law: str, expected: float
) -> None:
    # Extrapolated over the step, in which the error is of first order; forty links approximate the
    # curve.
    coarse, fine = (_creeping(mu, law, step) for step in (1e-3, 5e-4))
    assert 2.0 * fine - coarse == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(
    ("parts", "key", "message"),
    [
        ({"robot": {"joints": "alternating"}}, "robot.joints", "joint 2"),
        (
            {"robot": {"joint": [{"index": 3, "axes": "roll"}]}},
            "robot.joint[1].axes",
            "joint 3",
        ),
        (
            {"robot": {"joint": [{"index": 4, "axes": "fixed"}]}, "start": {"kind": "gait"}},
            "start",
            "joint 4",
        ),
        (
            {"robot": {"joint": [{"index": 2, "axis_offset_m": 0.3}]}},
            "robot.joint",
            "2, 0.3 m",
        ),
        (
            {"robot": {"wheels": "ratchet"}, "ground": {"law": "unit_velocity"}},
            "ground.law",
            "link 1 has no friction",
        ),
        (
            {"robot": {"wheels": "passive"}, "ground": {"law": "unit_velocity"}},
            "ground.law",
            "slip sideways",
        ),
    ],
)
def test_unsupported_robot_is_reported(parts: dict[str, Any], key: str, message: str) -> None:
    problems = registry.check(scene_from_dict({"format": 1, **parts}))
    assert [problem for problem in problems if problem.key == key and message in problem.message]
