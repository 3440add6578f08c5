"""Every fix offered with a problem removes it: checked by a second check."""

from __future__ import annotations

from typing import Any

import pytest

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.scene_check import check

MAIN = load_scene(scenes_dir() / "obstacle_aided.toml")
SPATIAL = load_scene(scenes_dir() / "obstacle_aided_3d.toml")

CASES: dict[str, tuple[Scene, dict[str, Any]]] = {
    "long step": (MAIN, {"solver.step_s": 0.005}),
    "long step, spatial": (SPATIAL, {"solver.step_s": 0.005}),
    "amplitude": (MAIN, {"robot.joint_limit_deg": 30.0, "start.kind": "straight"}),
    "amplitude and offset": (
        MAIN,
        {"robot.joint_limit_deg": 30.0, "gait.offset_deg": 12.0, "start.kind": "straight"},
    ),
    "no friction": (MAIN, {"ground.mu_along": 0.0, "ground.mu_across": 0.0}),
    "no gravity": (MAIN, {"ground.gravity_m_s2": 0.0}),
    "pitch in the plane": (
        MAIN,
        {
            "gait.kind": "two_waves",
            "gait.pitch_amplitude_deg": 10.0,
            "gait.pitch_frequency_deg_s": 80.0,
        },
    ),
    "viscous friction": (MAIN, {"ground.viscous_along_ns_per_m": 1.0}),
    "tilted box": (
        MAIN,
        {
            "obstacles": [
                {"kind": "box", "x_m": 1.0, "y_m": 2.0, "pitch_deg": 20.0, "roll_deg": 5.0}
            ]
        },
    ),
    "rubble in the plane": (MAIN, {"obstacles": [{"kind": "rubble", "x_m": 1.0, "y_m": 3.0}]}),
    "low box": (MAIN, {"obstacles": [{"kind": "box", "x_m": 1.0, "y_m": 2.0, "height_m": 0.02}]}),
    "inside": (MAIN, {"obstacles[3].x_m": 0.6, "obstacles[3].y_m": 0.08}),
    "inside, spatial": (SPATIAL, {"obstacles[3].x_m": 0.6, "obstacles[3].y_m": 0.08}),
    "hidden": (MAIN, {"obstacles[3].hidden": True}),
    "far": (MAIN, {"obstacles[3].y_m": 9.0}),
    "waits for ever": (
        MAIN,
        {"control.soft_start_deg": 1.0, "gait.amplitude_deg": 5.0, "gait.offset_deg": 20.0},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_fix_removes_its_problem(name: str) -> None:
    base, change = CASES[name]
    folder = scenes_dir()
    scene = with_values(base, change)
    before = {(p.key, p.message) for p in check(base, folder)}
    result = [p for p in check(scene, folder) if (p.key, p.message) not in before and p.fixes]
    assert result, "the scene has something to mend"
    for problem in result:
        for fix in problem.fixes:
            assert fix.label[0].isupper()
            mended = with_values(scene, dict(fix.values))
            left = [
                p
                for p in check(mended, folder)
                if (p.key, p.message) == (problem.key, problem.message)
            ]
            assert left == [], fix.label
            alike = [
                p for p in check(mended, folder) if p.key == problem.key and p.severity == "error"
            ]
            assert alike == [], f"{fix.label}: {alike}"


def test_fix_moves_little_and_not_locked_obstacles() -> None:
    scene = with_values(MAIN, {"obstacles[3].x_m": 0.6, "obstacles[3].y_m": 0.08})
    problem = next(p for p in check(scene) if p.key == "obstacles[3]")
    moved = with_values(scene, dict(problem.fixes[0].values)).obstacles[2]
    old = scene.obstacles[2]
    distance = ((moved.x_m - old.x_m) ** 2 + (moved.y_m - old.y_m) ** 2) ** 0.5
    depth = float(problem.message.split(" mm deep")[0].rsplit(" ", 1)[1]) / 1e3
    assert depth <= distance < 0.25, "no farther than the pipe is wide"
    locked = with_values(scene, {"obstacles[3].locked": True})
    assert next(p for p in check(locked) if p.key == "obstacles[3]").fixes == ()


def test_many_overlaps_are_fixed_quickly() -> None:
    pile = with_values(MAIN, {"obstacles": [{"kind": "cylinder", "x_m": 0.6, "y_m": 0.08}] * 40})
    inside = [p for p in check(pile) if p.severity == "error"]
    assert len(inside) == 40
    assert sum(bool(p.fixes) for p in inside) == 4
