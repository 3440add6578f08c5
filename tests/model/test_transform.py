"""Moved, turned and scaled obstacles: their corners agree with SciPy's rotations and plain scaling."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from snakestudio.errors import SceneError
from snakestudio.model.edits import transform
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids, shape_of
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief
from snakestudio.model.rotations import rotation
from snakestudio.model.scene import Scene

HEIGHTS = ((0.0, 0.1, 0.2), (0.0, 0.15, 0.3))
KINDS: tuple[Obstacle, ...] = (
    Cylinder(x_m=0.4, y_m=-0.2),
    Box(x_m=1.2, y_m=0.1, z_m=0.05, yaw_deg=20),
    Stairs(x_m=2.2, y_m=0.3, heading_deg=-30, steps=3),
    Ramp(x_m=0.0, y_m=1.5, heading_deg=100, landing_m=0.2),
    HeightField(x_m=2.0, y_m=1.7, z_m=0.1, yaw_deg=45, heights_m=HEIGHTS),
    Rubble(x_m=-1.2, y_m=0.5, yaw_deg=-10, blocks=8),
)
TILTED = Box(
    x_m=0.3,
    y_m=-0.7,
    z_m=0.2,
    length_m=0.5,
    width_m=0.2,
    height_m=0.3,
    yaw_deg=35,
    pitch_deg=-20,
    roll_deg=50,
)
ids = [o.kind for o in KINDS]


def corners(obstacle: Obstacle) -> np.ndarray:
    """Points (k, 3) fixed to the bodies of an obstacle, m, always in the same order."""
    unit = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    result = []
    for solid in obstacle_solids(obstacle):
        if isinstance(solid, Block):
            result.append(solid.centre + (unit * solid.half) @ solid.rotation.T)
        elif isinstance(solid, Post):
            result.append(np.array([(solid.x, solid.y, solid.low), (solid.x, solid.y, solid.high)]))
        elif isinstance(solid, Prism):
            local = np.array(
                [(x, y, z) for x, z in solid.profile for y in (-solid.half_width, solid.half_width)]
            )
            result.append(solid.origin + local @ solid.rotation.T)
        else:
            assert isinstance(solid, Relief)
            ny, nx = solid.heights.shape
            grid = [
                (i * solid.dx, j * solid.dy, solid.heights[j, i])
                for j in range(ny)
                for i in range(nx)
            ]
            result.append(
                solid.origin + np.array(grid) @ Rotation.from_euler("z", solid.yaw).as_matrix().T
            )
    return np.concatenate(result)


@pytest.mark.parametrize("obstacle", KINDS, ids=ids)
def test_moving_moves_every_corner(obstacle: Obstacle) -> None:
    shift = np.array([0.31, -0.27, 0.2 if shape_of(obstacle).raised else 0.0])
    moved = transform.move(Scene(obstacles=(KINDS[0], obstacle)), [1], shift)
    np.testing.assert_allclose(corners(moved.obstacles[1]), corners(obstacle) + shift, atol=2e-6)
    assert moved.obstacles[0] is KINDS[0]


@pytest.mark.parametrize("obstacle", KINDS, ids=ids)
@pytest.mark.parametrize("axis", ["z", (0.0, 0.0, -2.0)])
def test_turning_about_the_vertical_turns_every_corner(
    obstacle: Obstacle, axis: str | tuple[float, ...]
) -> None:
    pivot = np.array([0.5, -0.3, 0.7])
    angle = 1.1
    turned = transform.turn(Scene(obstacles=(obstacle,)), [0], axis, angle, pivot).obstacles[0]
    by = Rotation.from_rotvec((angle if axis == "z" else -angle) * np.array([0.0, 0.0, 1.0]))
    # A millionth of a degree at one or two metres is 3e-8 m; positions are rounded to micrometres.
    np.testing.assert_allclose(
        corners(turned), pivot + by.apply(corners(obstacle) - pivot), atol=3e-6
    )


@given(
    st.floats(-180, 180),
    st.floats(-180, 180),
    st.floats(-180, 180),
    st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1),
    st.floats(-7, 7),
)
def test_box_is_turned_about_any_axis(
    yaw: float, pitch: float, roll: float, axis: tuple[float, float, float], angle: float
) -> None:
    box = TILTED.model_copy(update={"yaw_deg": yaw, "pitch_deg": pitch, "roll_deg": roll})
    pivot = np.array([0.1, -0.4, 0.3])
    turned = transform.turn(Scene(obstacles=(box,)), [0], axis, angle, pivot).obstacles[0]
    by = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis))
    np.testing.assert_allclose(corners(turned), pivot + by.apply(corners(box) - pivot), atol=3e-6)


def test_angles_of_a_box_tilted_past_upright_stay_consistent() -> None:
    """Through the orientation where yaw and roll are equivalent, and beyond it without a jump."""
    scene = Scene(obstacles=(Box(x_m=0, y_m=0, yaw_deg=30),))
    pivot = np.array([0.0, 0.0, 0.05])
    axis = rotation(math.radians(30))[:, 1]
    up = transform.turn(scene, [0], axis, math.radians(-90), pivot).obstacles[0]
    assert isinstance(up, Box)
    assert (up.yaw_deg, up.pitch_deg, up.roll_deg) == (30.0, -90.0, 0.0)
    on = transform.turn(Scene(obstacles=(up,)), [0], axis, math.radians(-10), pivot).obstacles[0]
    assert isinstance(on, Box)
    assert (on.yaw_deg, on.pitch_deg, on.roll_deg) == (30.0, -100.0, 0.0)


def test_turning_about_vertical_keeps_tilt_and_digits() -> None:
    turned = transform.turn(
        Scene(obstacles=(TILTED,)), [0], "z", math.radians(30), (0.3, -0.7, 0.0)
    ).obstacles[0]
    assert turned == TILTED.model_copy(update={"yaw_deg": 65.0})
    for _ in range(11):
        turned = transform.turn(
            Scene(obstacles=(turned,)), [0], "z", math.radians(30), (0.3, -0.7, 0)
        ).obstacles[0]
    assert turned == TILTED


@pytest.mark.parametrize("obstacle", [KINDS[0], *KINDS[2:]], ids=[ids[0], *ids[2:]])
def test_only_boxes_tilt(obstacle: Obstacle) -> None:
    scene = Scene(obstacles=(obstacle,))
    with pytest.raises(SceneError, match="1 cannot"):
        transform.turn(scene, [0], "x", 0.1, (0, 0, 0))
    if not shape_of(obstacle).raised:
        with pytest.raises(SceneError, match="1 cannot"):
            transform.move(scene, [0], (0, 0, 0.1))


@pytest.mark.parametrize("obstacle", [o for o in KINDS if o.kind != "rubble"], ids=lambda o: o.kind)
def test_scaling_along_its_own_axes_scales_every_corner(obstacle: Obstacle) -> None:
    """For objects aligned with the axes of the world; turned ones are scaled along their own axes."""
    names = {"yaw_deg", "heading_deg"} & set(type(obstacle).model_fields)
    straight = obstacle.model_copy(update=dict.fromkeys(names, 0.0))
    pivot = np.array([0.4, -0.1, 0.2 if shape_of(obstacle).raised else 0.0])
    factors = np.array([1.5, 1.5 if obstacle.kind == "cylinder" else 0.7, 2.0])
    scaled = transform.scale(Scene(obstacles=(straight,)), [0], factors, pivot).obstacles[0]
    result = corners(scaled)
    had = corners(straight)
    if isinstance(obstacle, HeightField | Box):
        np.testing.assert_allclose(result, pivot + factors * (had - pivot), atol=3e-6)
    else:
        np.testing.assert_allclose(result, pivot + factors * (had - pivot), atol=3e-6)
        assert result[:, 2].min() == 0.0  # it is still on the ground
    turned = transform.scale(Scene(obstacles=(obstacle,)), [0], factors, pivot).obstacles[0]
    sizes = {name for name in type(obstacle).model_fields if name.endswith("_m")} - {
        "x_m",
        "y_m",
        "z_m",
    }
    assert {name: getattr(turned, name) for name in sizes} == {
        name: getattr(scaled, name) for name in sizes
    }


def test_cylinder_stays_round_and_rubble_keeps_its_proportions() -> None:
    scene = Scene(obstacles=(KINDS[0], KINDS[5]))
    round_ = transform.scale(scene, [0], (1.0, 0.5, 1.0), (0, 0, 0)).obstacles[0]
    assert isinstance(round_, Cylinder)
    assert round_.radius_m == 0.0625
    rubble = transform.scale(scene, [1], (2.0, 2.0, 3.0), KINDS[5].x_m * np.ones(3)).obstacles[1]
    assert isinstance(rubble, Rubble)
    assert (rubble.length_m, rubble.width_m, rubble.smallest_m, rubble.largest_m) == (
        4.0,
        4.0,
        0.12,
        0.4,
    )
    assert rubble.height_m == pytest.approx(0.15)


def test_values_out_of_range_are_refused() -> None:
    scene = Scene(obstacles=KINDS)
    with pytest.raises(SceneError, match=r"obstacles\[2\].x_m.*10000 m"):
        transform.move(scene, [1], (1e4, 0, 0))
    with pytest.raises(SceneError, match=r"obstacles\[1\].radius_m.*1000 m"):
        transform.scale(scene, [0], (1e5, 1, 1), (0.4, -0.2, 0))
    with pytest.raises(SceneError, match=r"0.*1.5 or 50%"):
        transform.scale(scene, [0], (1, 0, 1), (0, 0, 0))


def test_one_of_two_thousand_is_moved_quickly() -> None:
    many = tuple(Cylinder(x_m=0.1 * (k % 50), y_m=0.1 * (k // 50)) for k in range(2000))
    scene = Scene(obstacles=many)
    best = math.inf
    for _ in range(5):
        began = time.thread_time()
        moved = transform.move(scene, [1000], (0.01, 0, 0))
        best = min(best, time.thread_time() - began)
    assert best < 2e-3
    assert sum(a is not b for a, b in zip(many, moved.obstacles, strict=True)) == 1
