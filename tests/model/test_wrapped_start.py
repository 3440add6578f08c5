"""A start wrapped around a post: contact, helix, handedness and position; and the reasons why it is impossible."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import snakestudio as ss
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.edits.pose import as_joint_angles
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.robot.wrapped_start import wrapped
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.paths import scenes_dir
from snakestudio.session.scene_check import check
from snakestudio.viewmodel.scene.start_kinds import start_kinds, start_values

POLE = ss.load_scene(scenes_dir() / "pole_climb.toml")
X, Y, RADIUS = 0.3, -0.2, 0.055
BOX = {"kind": "box", "x_m": 1.0, "y_m": 0.0}


def scene(**changes: Any) -> Scene:
    values = {
        "start": {"kind": "wrapped"},
        "obstacles[1].x_m": X,
        "obstacles[1].y_m": Y,
        "obstacles[1].radius_m": RADIUS,
    }
    return with_values(POLE, values | {k.replace("__", "."): v for k, v in changes.items()})


def ends(of: Scene) -> NDArray[np.float64]:
    """Points on the axes of the links' capsules, (n, 41, 3), m, relative to the post."""
    pose, twist = initial_state(of)
    assert not twist.any()
    axis = matrices(pose[:, 3:])[:, :, 0]
    links = of.robot.links
    half = np.array([link.contact_half_length for link in links])
    middle = pose[:, :3] - np.array([link.centre_of_mass for link in links])[:, None] * axis
    fraction = np.linspace(-1.0, 1.0, 41)[:, None]
    points: NDArray[np.float64] = (
        middle[:, None] + fraction * half[:, None, None] * axis[:, None] - [X, Y, 0.0]
    )
    return points


@pytest.mark.parametrize(
    ("left_handed", "head", "rise"),
    [(False, "first", None), (True, "last", None), (False, "last", 0.12), (True, "first", 0.12)],
)
def test_links_touch_the_post_in_a_helix(left_handed: bool, head: str, rise: float | None) -> None:
    start = {"kind": "wrapped", "left_handed": left_handed, "angle_deg": 40.0, "rise_m": rise}
    of = scene(start={k: v for k, v in start.items() if v is not None}, robot__head=head)
    points = ends(of)
    radius = of.robot.radius_m
    gap = np.hypot(points[..., 0], points[..., 1]).min(axis=1) - RADIUS - radius
    assert gap.min() > -1e-4
    assert gap.max() < 0.06 * radius
    middle = points[:, 20]
    turned = np.unwrap(np.arctan2(middle[:, 1], middle[:, 0]))
    climb, _ = np.polyfit(turned, middle[:, 2], 1)
    expected = 2.2 * radius if rise is None else rise
    assert abs(climb) * 2.0 * math.pi == pytest.approx(expected, rel=0.02)
    assert (climb < 0.0) == left_handed
    top, bottom = (0, -1) if head == "first" else (-1, 0)
    assert middle[top, 2] > middle[bottom, 2]
    lowest = int(middle[:, 2].argmin())
    assert math.degrees(math.atan2(*middle[lowest, [1, 0]])) == pytest.approx(40.0, abs=1.0)
    assert (points[..., 2] - radius).min() == pytest.approx(0.0, abs=2e-4)


def test_height_and_end_are_set() -> None:
    of = scene(start={"kind": "wrapped", "z_m": 0.5, "head_down": True})
    middle = initial_state(of)[0][:, 2]
    assert middle.min() == pytest.approx(0.5)
    assert middle[0] < middle[-1]


def test_angles_of_the_joints_give_the_pose() -> None:
    of = scene()
    np.testing.assert_allclose(
        initial_joint_angles(of),
        wrapped(of, of.start).angles,
        atol=1e-9,  # type: ignore[arg-type]
    )
    posed = of.model_copy(update={"start": as_joint_angles(of)})
    np.testing.assert_allclose(
        initial_state(posed)[0][:, :3], initial_state(of)[0][:, :3], atol=1e-6
    )


def test_robot_climbs_from_its_start() -> None:
    """The rotating helix climbs at 0.076 m/s from the pose in the scene's file (documentation of gaits)."""
    of = with_values(POLE, {"start": {"kind": "wrapped", "rise_m": 0.12}, "run.duration_s": 3.0})
    run = ss.simulate(scenes_dir() / "pole_climb.toml", start=of.start.model_dump(), duration=3.0)
    assert run.scene.start == of.start
    rows = np.searchsorted(run["time_s"], [1.0, 2.995])
    climbed = np.diff(run["com_z_m"][rows])[0] / np.diff(run["time_s"][rows])[0]
    assert climbed == pytest.approx(0.076, rel=0.1)


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"start": {"kind": "wrapped", "obstacle": 7}}, "start.obstacle", "obstacle 7"),
        ({"obstacles": []}, "start.obstacle", "no obstacles"),
        ({"obstacles": [BOX]}, "start.obstacle", "cylinder"),
        ({"robot__n_links": 5}, "start.obstacle", "at least 8 links"),
        ({"robot__joint_limit_deg": 60.0}, "start.obstacle", "60°"),
        ({"obstacles[1].radius_m": 0.01}, "start.obstacle", "mm away"),
        ({"robot__joints": "yaw"}, "start.kind", "no pitch axes"),
        ({"robot__joints": "yaw", "model__kind": "planar_nonsmooth"}, "start.kind", "spatial"),
    ],
)
def test_impossible_start_gives_the_reason(changes: dict[str, Any], key: str, message: str) -> None:
    bare = "obstacles" in changes
    of = with_values(POLE, {"start": {"kind": "wrapped"}} | changes) if bare else scene(**changes)
    errors = [problem for problem in check(of) if problem.severity == "error"]
    assert (key, True) in [(error.key, message in error.sentence()) for error in errors]
    with pytest.raises(SceneError, match=key.replace(".", r"\.")):
        initial_state(of)


def test_choice_of_the_window_wraps_around_the_first_cylinder() -> None:
    of = with_values(POLE, {"obstacles": [BOX, *[o.model_dump() for o in POLE.obstacles]]})
    assert start_values(of, "wrapped", None)["obstacle"] == 2
    with pytest.raises(SceneError, match="no obstacles"):
        start_values(with_values(POLE, {"obstacles": []}), "wrapped", None)
    assert "wrapped" in start_kinds(POLE)
    assert "wrapped" not in start_kinds(Scene())
