"""Effects of the camera's operations on the view."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snakestudio.drawing.camera import STANDARD_VIEWS, Camera, blend

ASPECT = 16 / 9


def _numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


points = st.tuples(_numbers(-2, 2), _numbers(-2, 2), _numbers(0, 1))
cameras = st.builds(
    Camera,
    target=points,
    distance=_numbers(0.3, 20),
    azimuth=_numbers(-3.1, 3.1),
    elevation=_numbers(0.05, 1.5),
    fov=_numbers(0.2, 1.2),
    orthographic=st.booleans(),
)
ndcs = st.tuples(_numbers(-0.9, 0.9), _numbers(-0.9, 0.9))


def _ndc(camera: Camera, point) -> np.ndarray:
    return camera.project(np.asarray(point, float), ASPECT)[:2]


@given(cameras)
def test_target_is_in_the_middle_and_axes_are_orthonormal(camera):
    assert np.allclose(_ndc(camera, camera.target), 0, atol=1e-9)
    assert np.allclose(camera.axes @ camera.axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(camera.axes) > 0
    assert camera.axes[1, 2] >= 0, "up is up"


@given(cameras, ndcs, _numbers(-0.9, 0.9))
def test_unproject_inverts_project(camera, ndc, depth):
    point = camera.unproject((*ndc, depth), ASPECT)
    assert np.allclose(camera.project(point, ASPECT), (*ndc, depth), atol=1e-6)


@given(cameras, ndcs, _numbers(0.05, 5))
def test_points_of_a_ray_are_under_the_cursor(camera, ndc, displacement):
    origin, direction = camera.ray(ndc, ASPECT)
    assert math.isclose(np.linalg.norm(direction), 1, abs_tol=1e-12)
    point = (
        origin + (displacement * camera.distance + (camera.distance - camera.clip[0])) * direction
    )
    assert np.allclose(_ndc(camera, point), ndc, atol=1e-6)


@given(cameras, _numbers(-2, 2), _numbers(-1, 1), points)
def test_orbit_keeps_its_pivot_in_place(camera, dx, dy, pivot):
    before = _ndc(camera, pivot)
    after = camera.orbit(dx, dy, pivot)
    if np.isfinite(before).all() and np.abs(before).max() < 3:
        assert np.allclose(_ndc(after, pivot), before, atol=1e-6)
    assert -math.pi / 2 <= after.elevation <= math.pi / 2
    assert after.elevation == pytest.approx(
        min(max(camera.elevation + dy, -math.pi / 2), math.pi / 2)
    )
    assert math.isclose(after.distance, camera.distance)


@given(cameras, _numbers(0.2, 5), points)
def test_zoom_keeps_the_point_under_the_cursor(camera, factor, point):
    before = _ndc(camera, point)
    if np.isfinite(before).all() and np.abs(before).max() < 3:
        assert np.allclose(_ndc(camera.zoom(factor, point=point), point), before, atol=1e-5)


@given(cameras, _numbers(0.2, 5), ndcs)
def test_zoom_without_a_point_moves_to_the_cursor(camera, factor, ndc):
    right, up, _ = camera.axes
    half = camera.distance * math.tan(camera.fov / 2)
    point = np.array(camera.target) + ndc[0] * half * ASPECT * right + ndc[1] * half * up
    assert np.allclose(_ndc(camera.zoom(factor, ndc, aspect=ASPECT), point), ndc, atol=1e-6)


@given(cameras, ndcs)
def test_pan_moves_the_view_by_the_given_amount(camera, shift):
    moved = camera.pan(*shift, ASPECT)
    assert np.allclose(_ndc(moved, camera.target), shift, atol=1e-6)


@given(cameras, ndcs)
def test_ground_point_is_on_the_ground_and_under_the_cursor(camera, ndc):
    point = camera.ground_point(ndc, ASPECT)
    if point is not None and np.linalg.norm(point - camera.eye) < 50 * camera.distance:
        assert point[2] == 0
        assert np.allclose(_ndc(camera, point), ndc, atol=1e-5)


def test_there_is_no_ground_above_the_horizon():
    camera = Camera(elevation=0.1)
    assert camera.ground_point((0, 0.9), ASPECT) is None
    assert camera.ground_point((0, -0.9), ASPECT) is not None
    assert Camera(elevation=0.0, orthographic=True).ground_point((0, 0.5), ASPECT) is None


@given(cameras, points, points)
@settings(max_examples=60)
def test_frame_shows_all_of_the_box(camera, a, b):
    low = np.minimum(a, b)
    high = np.maximum(a, b) + 0.05
    framed = camera.frame(low, high, ASPECT)
    corners = np.array(
        [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    )
    ndc = framed.project(corners, ASPECT)[:, :2]
    assert np.isfinite(ndc).all()
    assert np.abs(ndc).max() <= 1.0
    assert np.abs(ndc).max() > 0.4, "and not much smaller than the view"


@pytest.mark.parametrize("name", STANDARD_VIEWS)
def test_standard_views_have_their_axes(name):
    camera = Camera((1, 2, 0.5), 4).standard(name)
    assert camera.target == (1, 2, 0.5)
    assert camera.distance == 4
    right, up, back = camera.axes
    expected = {
        "front": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
        "right": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
        "top": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    }.get(name)
    if expected:
        assert np.allclose((right, up, back), expected, atol=1e-12)
    if name == "isometric":
        assert np.allclose(np.abs(back), 1 / math.sqrt(3))


def test_projection_switch_keeps_the_scale_at_the_target():
    camera = Camera((0.3, 0.2, 0.1), 2.0)
    offset = np.array(camera.target) + 0.2 * camera.axes[0]
    assert np.allclose(_ndc(camera, offset), _ndc(camera.toggled(), offset))


@given(cameras, cameras)
def test_blend_takes_the_shortest_rotation(a, b):
    assert blend(a, b, 0) == a
    assert blend(a, b, 1) == b
    middle = blend(a, b, 0.5)
    assert (
        min(a.distance, b.distance) * 0.999
        <= middle.distance
        <= max(a.distance, b.distance) * 1.001
    )
    assert abs(math.remainder(middle.azimuth - a.azimuth, math.tau)) <= math.pi / 2 + 1e-9


def test_follow_keeps_direction_and_distance():
    camera = Camera((0, 0, 0), 2.5, 0.3, 0.7)
    followed = camera.follow(np.array((1.0, -2.0, 0.05)))
    assert followed.target == (1.0, -2.0, 0.05)
    assert (followed.distance, followed.azimuth, followed.elevation) == (2.5, 0.3, 0.7)


def test_points_behind_the_camera_have_no_position():
    camera = Camera((0, 0, 0), 2.0, elevation=0.5)
    assert np.isnan(camera.project(camera.eye + camera.axes[2], ASPECT)).all()
