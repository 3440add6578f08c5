"""Problems of scenes with a steered robot: each doubtful value is reported, and no valid one."""

from __future__ import annotations

from typing import Any

import pytest

from snakestudio.control import registry
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from tests.wording import naming

SHIPPED = load_scene(scenes_dir() / "path_following.toml")
PLANAR = with_values(SHIPPED, {"model.kind": "planar_nonsmooth", "joint_controller.law": "pd"})
HEADING = with_values(SHIPPED, {"controller.kind": "heading"})


def post(x: float, y: float, radius: float, **more: Any) -> dict[str, Any]:
    return {"kind": "cylinder", "x_m": x, "y_m": y, "radius_m": radius, **more}


def box(x: float, y: float, yaw: float = 0.0) -> dict[str, Any]:
    return {"kind": "box", "x_m": x, "y_m": y, "length_m": 1.0, "width_m": 0.2, "yaw_deg": yaw}


# The robot of the scene needs 0.05 m + 0.14 m * (30 degrees) / (2 sin(20 degrees))^2 = 0.207 m to
# either side.
CASES: list[tuple[Scene, dict[str, Any], str]] = [
    (SHIPPED, {"path.waypoints_m": []}, naming("path.waypoints_m")),
    (
        SHIPPED,
        {"controller.look_ahead_m": 0.1},
        naming("controller.look_ahead_m: 0.1", "(0.14 m)"),
    ),
    (
        SHIPPED,
        {"controller.offset_limit_deg": 4.0},
        # 1.76 m where the spline is tightest; 0.14 m / (4 degrees) = 2.0 m.
        naming("1.8", "(5.7, 1)", "4°", "2 m"),
    ),
    (
        PLANAR,
        {"obstacles": [post(2.0, 0.4, 0.21)]},
        naming("1 at 0.19 m", "0.21 m to either"),
    ),
    (
        PLANAR,
        {"obstacles": [post(9, 9, 1), post(2, 0, 0.1, name="Pole")]},
        "The path passes through obstacle 2 (Pole),",
    ),
    (
        PLANAR,
        {"obstacles": [post(1, 0.3, 0.2), post(2, 0.1, 0.2)]},
        naming("1 more"),
    ),
    (PLANAR, {"obstacles": [box(2.0, 0.25)]}, "passes obstacle 1 at 0.15 m"),
    (PLANAR, {"obstacles": [box(2.0, 0.55, 90.0)]}, "passes obstacle 1 at 0.049 m"),
    (
        PLANAR,
        {"robot.joint_limit_deg": 35.0},
        naming("10°", "35°", "most 5"),
    ),
    (
        HEADING,
        {"gait.amplitude_deg": 0.0},
        naming("gait.amplitude_deg"),
    ),
    (HEADING, {"gait.frequency_deg_s": 0.0}, naming("gait.frequency_deg_s")),
    (HEADING, {"gait.phase_shift_deg": 0.0}, naming("gait.phase_shift_deg")),
    (HEADING, {"controller.gain": 0.0}, "controller.gain: The offset is always 0"),
    (
        HEADING,
        {"controller.offset_limit_deg": 0.0},
        "controller.offset_limit_deg: The offset is always 0",
    ),
]


@pytest.mark.parametrize(("scene", "values", "sentence"), CASES)
def test_doubtful_values_are_reported(scene: Scene, values: dict[str, Any], sentence: str) -> None:
    (problem,) = registry.check(with_values(scene, values))
    assert problem.sentence() == naming(sentence)
    assert problem.severity == ("error" if "path.waypoints_m" in sentence else "warning")


def test_obstacles_too_near_are_reported() -> None:
    far = post(2.0, 0.5, 0.2)
    near = post(3.0, -0.3, 0.2)
    (problem,) = registry.check(with_values(PLANAR, {"obstacles": [far, near]}))
    assert problem.obstacles == (1,)


@pytest.mark.parametrize(
    ("scene", "values"),
    [
        (SHIPPED, {}),
        (HEADING, {"path.waypoints_m": []}),
        (PLANAR, {"obstacles": [post(2.0, 0.45, 0.2), box(2.0, -0.35), box(0.0, 0.75, 90.0)]}),
        (PLANAR, {"robot.joint_limit_deg": 40.0}),
        # Stairs are meant to be climbed.
        (PLANAR, {"obstacles": [{"kind": "stairs", "x_m": 2.0, "y_m": 0.0}]}),
    ],
)
def test_valid_scenes_have_no_problems(scene: Scene, values: dict[str, Any]) -> None:
    assert registry.check(with_values(scene, values)) == []
