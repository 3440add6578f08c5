"""Chains of links compared with a continuous body: friction and rings, tables, and unsuitable scenes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.analysis.comparison.chains import compare_chain
from snakestudio.cli import main
from snakestudio.control.controllers.strain_follower import StrainFollower
from snakestudio.errors import SceneError, UsageError
from snakestudio.model.edits import with_value, with_values
from snakestudio.model.robot.discretise import discretise
from snakestudio.model.robot.pose import planar_pose
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, scene_from_dict
from snakestudio.paths import scenes_dir
from snakestudio.session import scene_check

SNAKE = scenes_dir() / "continuum_snake_2d.toml"


def crawler(**values: object) -> Scene:
    """A body of two wavelengths driven by viscous friction, with a moving start."""
    scene = scene_from_dict(
        {
            "format": 1,
            "model": {"kind": "continuum_beam"},
            "beam": {"length_m": 1.0, "radius_m": 0.03},
            "strain": {"kind": "formulas", "k_z_per_m": "6/l*sin(2*pi*1.4*X/l - 5*t)"},
            "support": {
                "kind": "friction",
                "viscous_along_ns_per_m2": 1.0,
                "viscous_across_ns_per_m2": 8.0,
            },
            "ground": {"mu_along": 0.0, "mu_across": 0.0},
            "start": {
                "kind": "straight",
                "heading_deg": 25.0,
                "vx_m_s": 0.1,
                "vy_m_s": -0.05,
                "omega_deg_s": 20.0,
            },
            "solver": {"step_s": 0.01, "error_tolerance": 1e-7},
            "run": {"duration_s": 0.6},
        }
    )
    return with_values(scene, {key.replace("__", "."): value for key, value in values.items()})


@cache
def crawled() -> ChainComparison:
    result = compare_chain(crawler(), (8, 16, 32, 64), (0.3, 0.6))
    assert result is not None
    return result


def test_chain_under_friction_converges_to_the_body() -> None:
    """P4's engine against P5's, which are independent: path, speed and torques converge with order 2."""
    result = crawled()
    assert result.free
    assert result.order(result.path_errors) == pytest.approx(2.0, abs=0.2)
    assert result.path_errors[-1] < 1e-3
    for index in range(2):
        assert result.order(result.errors[:, index, 0]) == pytest.approx(2.0, abs=0.2)
        assert result.errors[-1, index, 0] < 0.01
        assert result.speed_errors[-1, index] < 0.02
    # Extrapolated to infinitely many links the difference vanishes.
    limit = (4.0 * result.profiles[-1][1].chain[1::2, 0] - result.profiles[-2][1].chain[:, 0]) / 3.0
    body = result.profiles[-2][1].body[:, 0]
    assert limit == pytest.approx(body, abs=1e-3 * np.abs(body).max())


def test_chain_starts_where_the_body_is() -> None:
    """Links of a fine chain against the body's cross-sections, and their velocities from the first steps of the run."""
    from snakestudio.model.robot.beam_shape import initial_body

    scene = crawler(beam__sections=129)
    chain = discretise(scene, 64)
    q, _ = planar_pose(chain)
    pose, _ = initial_body(scene)
    assert np.abs(q[:, :2] - pose[1::2, :2]).max() < 2e-4
    assert chain.robot.mass_kg * 64 == pytest.approx(scene.beam.mass)
    assert not [problem for problem in scene_check.check(chain) if problem.severity == "error"]
    # Rotating about its ends, a link is a piece of the body: its moment of inertia equals that of a
    # straight one.
    straight = with_value(scene, "strain.k_z_per_m", "0")
    q, _ = planar_pose(discretise(straight, 5))
    robot = discretise(straight, 5).robot
    about_middle = (
        5 * robot.inertia_kg_m2
        + robot.mass_kg * np.square(np.linalg.norm(q[:, :2] - q[2, :2], axis=1)).sum()
    )
    beam = straight.beam
    assert about_middle == pytest.approx(
        beam.mass / 12.0 + beam.inertia_per_length[2] * beam.length_m
    )


def test_joints_follow_the_strain_law_exactly() -> None:
    """Angles are integrals of the curvature, in closed form; rates and accelerations their derivatives."""
    scene = discretise(crawler(), 10)
    law = StrainFollower(scene)
    t = np.array([0.0, 0.2, 0.45])
    k = 2 * np.pi * 1.4
    h = 0.1
    x = h * np.arange(1, 10)
    size = 6.0 / k * 2.0 * np.sin(0.5 * k * h)
    phase = k * x - 5.0 * t[:, None]
    result = law.reference(t, None)
    assert result.angle == pytest.approx(size * np.sin(phase), abs=1e-6)
    assert result.rate == pytest.approx(-5.0 * size * np.cos(phase), abs=1e-5)
    assert result.acceleration == pytest.approx(-25.0 * size * np.sin(phase), abs=1e-4)


def test_changed_law_and_start_apply_smoothly() -> None:
    scene = discretise(crawler(), 6)
    law = StrainFollower(scene, np.full(5, 0.1))
    assert law.reference(np.zeros(1), None).angle[0] == pytest.approx(0.1)
    law.apply(with_value(scene, "strain.k_z_per_m", "3/l*sin(4*t)"), 0.5)
    t = np.linspace(0.4, 1.2, 8001)
    result = law.reference(t, None)
    step = t[1] - t[0]
    assert np.gradient(result.angle, step, axis=0)[1:-1] == pytest.approx(
        result.rate[1:-1], abs=1e-4
    )
    assert np.gradient(result.rate, step, axis=0)[1:-1] == pytest.approx(
        result.acceleration[1:-1], abs=5e-3
    )
    assert result.angle[-1] == pytest.approx(3.0 / 6 * np.sin(4 * 1.2))


def test_strains_that_joints_cannot_follow_are_reported() -> None:
    chain = discretise(crawler(), 8)
    for key, formula, part in (
        ("gamma_x", "1 + 0.1*sin(X/l)", "cannot stretch"),
        ("k_x_per_m", "1/l", "or twist"),
        ("k_z_per_m", "1/X", "is not finite"),
        ("k_z_per_m", "1/(", "strain.k_z_per_m"),
    ):
        problems = [
            p
            for p in scene_check.check(with_value(chain, f"strain.{key}", formula))
            if p.severity == "error"
        ]
        assert any(part in problem.sentence() for problem in problems), formula
    hints = scene_check.check(with_value(chain, "beam.length_m", 2.0))
    assert "beam.length_m" in [problem.key for problem in hints if problem.severity == "hint"]


def test_rings_work_by_command_line_and_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    csv = tmp_path / "chain.csv"
    arguments = [
        "compare",
        "chain",
        str(SNAKE),
        "--links",
        "8,16,32,64",
        "--at",
        "2",
        "--csv",
        str(csv),
    ]
    assert main(arguments) == 0
    output = capsys.readouterr().out
    result = ss.compare_chain(SNAKE, 8, 16, 32, 64, at=2.0)
    assert str(result) in output
    assert result.data.order(result.data.errors[:, 0, 0]) == pytest.approx(2.0, abs=0.2)
    lines = [
        line for line in csv.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    table = np.genfromtxt(lines, delimiter=",", names=True)
    assert len(table) == 7 + 15 + 31 + 63
    part = table[table["links"] == 16]
    np.testing.assert_array_equal(
        part["chain_yaw_torque_nm"], result.data.profiles[1][0].chain[:, 0]
    )
    # The published range of the internal moment, C_Z from -0.083 to 0.001 N m.
    assert table["body_yaw_torque_nm"].max() == pytest.approx(0.083, abs=1e-3)
    assert main(["compare", "chain", str(csv), "--links", "8", "--at", "2"]) == 0
    assert "8" in capsys.readouterr().out


def test_unsuitable_scenes_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    pipes = str(scenes_dir() / "obstacle_aided.toml")
    for arguments in (
        [pipes],
        [str(SNAKE), "--links", "1"],
        [str(SNAKE), "--links", "a"],
        [str(SNAKE), "--at", "99"],
    ):
        assert main(["compare", "chain", *arguments]) == 2
        assert capsys.readouterr().err.startswith("snakestudio: ")
    with pytest.raises(SceneError, match=r"support\.kind"):
        discretise(load_scene(SNAKE), 8)
    with pytest.raises(UsageError, match="later"):
        compare_chain(crawler(), (8,), (0.0,))
    straight = crawler(strain__k_z_per_m="0")
    with pytest.raises(UsageError, match="neither"):
        compare_chain(straight, (8,))


def test_comparison_can_be_cancelled() -> None:
    assert compare_chain(crawler(), (8, 16), (), None, lambda fraction: fraction < 0.5) is None
