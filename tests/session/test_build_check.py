"""Hints about a scene during editing, each with values computed by hand."""

from __future__ import annotations

import math

import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, scene_from_dict
from snakestudio.paths import scenes_dir
from snakestudio.session.build_check import check, greatest_way, hints
from tests.wording import naming


def scene(**more: object) -> Scene:
    """A straight robot of 11 links of 0.122 m from x = 0 on, at rest, in a lateral undulation."""
    values = {
        "format": 1,
        "gait": {
            "kind": "lateral_undulation",
            "amplitude_deg": 30.0,
            "frequency_deg_s": 80.0,
            "phase_shift_deg": 50.0,
        },
        "start": {"kind": "straight"},
        "run": {"duration_s": 10.0},
        "obstacles": [{"kind": "cylinder", "x_m": 1.0, "y_m": 0.5, "radius_m": 0.1}],
    }
    return scene_from_dict({**values, **more})


def test_largest_distance_is_that_of_the_wave() -> None:
    # The wave passes a link every delta/omega = 50/80 s: 0.122 m in 0.625 s, 1.952 m in 10 s.
    assert greatest_way(scene()) == pytest.approx(0.122 / (50 / 80) * 10.0, rel=1e-12)
    assert greatest_way(with_values(scene(), {"gait.phase_shift_deg": 0.0})) == math.inf
    assert greatest_way(with_values(scene(), {"ground.slope_deg": 10.0})) == math.inf
    assert greatest_way(with_values(scene(), {"gait.amplitude_deg": 0.0})) == 0.0
    assert greatest_way(with_values(scene(), {"gait.kind": "joint_torque"})) == math.inf


def test_path_without_a_follower_is_reported() -> None:
    path = {"path.waypoints_m": [[0.0, 0.0], [5.0, 0.0]]}
    for obstacles in (scene(), scene(obstacles=[])):
        assert not [p for p in check(obstacles) if p.key == "path"]
        (problem,) = (p for p in check(with_values(obstacles, path)) if p.key == "path")
        assert problem.severity == "warning"
        assert "no controller follows" in problem.message
        for kind in ("path_following", "teleoperation"):
            followed = with_values(obstacles, {**path, "controller.kind": kind})
            assert not [p for p in check(followed) if p.key == "path"]


@pytest.mark.parametrize("name", ["sidewinding", "obstacle_aided", "spatial_lateral_undulation"])
def test_robots_of_the_papers_stay_within_the_distance(name: str) -> None:
    # Distances of the papers' runs: 0.1047 m/s sideways, 0.16 m/s among obstacles, 0.08 m/s
    # on flat ground.
    speed = {"sidewinding": 0.1047, "obstacle_aided": 0.16, "spatial_lateral_undulation": 0.08}[
        name
    ]
    one = load_scene(scenes_dir() / f"{name}.toml")
    assert speed * one.run.duration_s < greatest_way(one)


def test_obstacles_out_of_reach_are_reported_with_a_fix() -> None:
    far = scene(
        obstacles=[{"kind": "cylinder", "x_m": x, "y_m": 8.0, "radius_m": 0.1} for x in (0.5, 1.0)]
    )
    (problem,) = check(far)
    assert problem.severity == "hint"
    assert problem.obstacles == (0, 1)
    assert "2 obstacles are" in problem.message
    (fix,) = problem.fixes
    assert check(with_values(far, dict(fix.values))) == []
    assert check(scene()) == []
    thrown = with_values(far, {"start.vx_m_s": 3.0})
    assert check(thrown) == []


def test_post_within_the_play_of_the_joints_is_reported() -> None:
    # With 4 degrees of play the end of a link of 0.122 m moves by 8.52 mm.
    gap = 0.006
    near = scene(
        model={"kind": "spatial_nonsmooth"},
        actuator={"free_play_deg": 4.0},
        obstacles=[{"kind": "cylinder", "x_m": 0.244, "y_m": 0.0525 + 0.1 + gap, "radius_m": 0.1}],
    )
    (problem,) = check(near)
    assert "6 mm from link" in problem.message
    assert f"{1e3 * math.radians(4.0) * 0.122:.2g} mm" in problem.message
    assert problem.obstacles == (0,)
    for change in (
        {"actuator.free_play_deg": 0.0},
        {"obstacles[1].y_m": 0.2},
        {"model.kind": "planar_nonsmooth"},
    ):
        assert check(with_values(near, change)) == []


def test_hidden_obstacles_are_reported_and_can_be_shown() -> None:
    hidden = with_values(scene(), {"obstacles[1].hidden": True})
    (problem,) = check(hidden)
    assert "hidden" in problem.message
    fixed_scene = with_values(hidden, dict(problem.fixes[0].values))
    assert not fixed_scene.obstacles[0].hidden
    assert check(fixed_scene) == []


def hinted(**values: object) -> list[str]:
    """Sentences of the hints for the main scene with other values."""
    changed = load_scene(scenes_dir() / "obstacle_aided.toml").with_values(values)
    return [problem.sentence() for problem in hints(changed)]


def test_unlimited_motors_among_obstacles_get_a_hint() -> None:
    (text,) = hinted()
    assert text == naming("actuator.max_torque_nm", "the motors", "obstacles", "limit")
    limited = {"index": "first", "max_torque_nm": 7.0}
    (text,) = hinted(**{"robot.joint": [limited]})
    assert text == naming("9 of 10 motors")
    (text,) = hinted(obstacles=[{"kind": "cylinder", "x_m": 1.0, "y_m": 0.9, "radius_m": 0.1}])
    assert text == naming("obstacle 1")


@pytest.mark.parametrize(
    "values",
    [
        {"actuator.max_torque_nm": 7.0},
        {"robot.joint": [{"index": "all", "max_torque_nm": 7.0}]},
        {"obstacles": []},
        {"obstacles": [{"kind": "cylinder", "x_m": 100.0, "y_m": 0.0, "radius_m": 0.1}]},
        {"model.kind": "planar_lagrangian", "obstacles": []},
    ],
    ids=["limited", "limited by joints", "no obstacles", "out of reach", "no collisions"],
)
def test_hints_concern_motors_that_can_meet_obstacles(values: dict[str, object]) -> None:
    assert hinted(**values) == []


def test_hints_are_reported_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    scene = "obstacle_aided"
    assert ss.check(scene) == []
    (problem,) = ss.check(scene, hints=True)
    assert problem.severity == "hint"
    assert main(["check", scene]) == 0
    assert "max_torque" not in capsys.readouterr().out
    assert main(["check", scene, "--hints"]) == 0
    printed = capsys.readouterr().out
    assert problem.sentence() in printed
    assert "1 hint" in printed
    assert main(["check", scene, "--hints", "--json"]) == 0
    assert '"severity": "hint"' in capsys.readouterr().out
