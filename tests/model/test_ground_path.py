"""The path on the ground: its values in scene files, and its geometry against closed forms."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import dump_scene, parse_scene
from snakestudio.model.track import Track

SQUARE = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))


def circle(radius: float, count: int = 24) -> GroundPath:
    """A circle about the origin, counterclockwise, from (radius, 0) on."""
    angles = 2 * math.pi * np.arange(count) / count
    points = tuple((radius * math.cos(a), radius * math.sin(a)) for a in angles)
    return GroundPath(waypoints_m=points, shape="spline", closed=True)


def test_path_is_saved_and_scenes_without_one_are_unchanged() -> None:
    scene = with_values(
        Scene(), {"path.waypoints_m": [[0.0, 0.1], [1, 2.5]], "path.shape": "spline"}
    )
    text = dump_scene(scene, "format = 1  # mine\n")
    assert parse_scene(text) == scene
    assert "# mine" in text
    assert parse_scene(dump_scene(scene)) == scene
    assert "path" not in dump_scene(Scene(), "format = 1\n")


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (
            "waypoints_m = [[0.0, 0.0]]",
            "path.waypoints_m: 1 waypoint is too few. A path needs at least 2.",
        ),
        (
            "waypoints_m = [[0.0, 0.0], [1.0, 0.0]]\nclosed = true",
            "path.waypoints_m: 2 waypoints are too few. A closed path needs at least 3.",
        ),
        (
            "waypoints_m = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]]",
            "path.waypoints_m[3]",
        ),
        (
            "waypoints_m = [[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [0.0, 0.0]]\nclosed = true",
            "path.waypoints_m[4]",
        ),
        (
            "waypoints_m = [[0.0, 0.0], [nan, 0.0]]",
            "path.waypoints_m[2][1]",
        ),
        (
            "waypoints_m = [[0.0, 0.0], [2e4, 0.0]]",
            "path.waypoints_m[2][1]",
        ),
        ("waypoints_m = [[0.0, 0.0], [1.0]]", "path.waypoints_m[2][2] is missing"),
        ("closed = 1", "path.closed"),
        ('shape = "round"', 'path.shape cannot be "round". Give "straight" or "spline".'),
    ],
)
def test_errors_are_reported(table: str, sentence: str) -> None:
    with pytest.raises(SceneError) as caught:
        parse_scene(f"format = 1\n[path]\n{table}\n")
    assert sentence in str(caught.value)
    assert len(caught.value.problems) == 1


def test_straight_path_has_lengths_and_directions_of_lines() -> None:
    track = Track(GroundPath(waypoints_m=SQUARE))
    assert track.length == 12.0
    for s, point, direction in [
        (1.0, (1.0, 0.0), 0.0),
        (4.0, (4.0, 0.0), math.pi / 2),
        (6.5, (4.0, 2.5), math.pi / 2),
        (11.0, (1.0, 4.0), math.pi),
        (-2.0, (-2.0, 0.0), 0.0),  # straight beyond both ends
        (13.0, (-1.0, 4.0), math.pi),
    ]:
        position, tangent = track.pose(s)
        np.testing.assert_allclose(position, point, atol=1e-12)
        assert tangent == pytest.approx(direction)
        assert track.curvature(s) == 0.0
    closed = Track(GroundPath(waypoints_m=SQUARE, closed=True))
    assert closed.length == 16.0
    np.testing.assert_allclose(closed.pose(17.0 + 32.0)[0], (1.0, 0.0), atol=1e-12)


def test_spline_of_circle_points_is_the_circle() -> None:
    # With 24 points the periodic cubic spline deviates from a circle by about (pi / 12)^4 / 384 of
    # the radius: 1.2e-5.
    track = Track(circle(2.0))
    assert track.length == pytest.approx(4 * math.pi, rel=1e-4)
    for s in np.linspace(0.0, track.length, 97):
        position, direction = track.pose(s)
        assert np.linalg.norm(position) == pytest.approx(2.0, rel=5e-5)
        assert math.sin(
            direction - (s * 2 * math.pi / track.length + math.pi / 2)
        ) == pytest.approx(0.0, abs=2e-4)
        assert track.curvature(s) == pytest.approx(0.5, rel=0.02)
    assert track.largest_curvature()[0] == pytest.approx(0.5, rel=0.02)


def test_only_a_smooth_path_loads_scipy() -> None:
    # Loading takes half a second, and the window draws paths from its first frame on.
    code = """
import sys
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.track import track
import snakestudio.drawing.draw_list
track(GroundPath(waypoints_m=((0.0, 0.0), (1.0, 0.0))))
assert "scipy" not in sys.modules
track(GroundPath(waypoints_m=((0.0, 0.0), (1.0, 0.0), (2.0, 1.0)), shape="spline"))
assert "scipy" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_length_along_a_spline_is_length() -> None:
    track = Track(
        GroundPath(waypoints_m=((0.0, 0.0), (1.0, 0.3), (1.2, 2.0), (4.0, 2.0)), shape="spline")
    )
    s = np.linspace(0.0, track.length, 4001)
    points = np.array([track.pose(float(v))[0] for v in s])
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    np.testing.assert_allclose(chords, track.length / 4000, rtol=1e-4)
    np.testing.assert_allclose(points[[0, -1]], [(0.0, 0.0), (4.0, 2.0)], atol=1e-9)
    # Curvature against the change of direction.
    turn = np.diff([track.pose(float(v))[1] for v in s]) / (track.length / 4000)
    np.testing.assert_allclose(
        [track.curvature(float(v)) for v in s[1:] - track.length / 8000], turn, atol=2e-3
    )


@pytest.mark.parametrize("shape", ["straight", "spline"])
@pytest.mark.parametrize("closed", [False, True])
@given(x=st.floats(-3.0, 7.0), y=st.floats(-3.0, 7.0))
def test_nearest_position_is_the_closest(shape: str, closed: bool, x: float, y: float) -> None:
    track = TRACKS[shape, closed]
    s = track.nearest(np.array([x, y]))
    near = np.linalg.norm(track.pose(s)[0] - (x, y))
    assert 0.0 <= s <= track.length
    # Pieces of 4 m / 64 are searched by their chords, which are up to (4 / 64)^2 / (8 * 2) = 0.24
    # mm inside the curve: near a centre of curvature, where many points are equally near, another
    # one may be nearer by this amount.
    among = np.linalg.norm(FINE[shape, closed] - (x, y), axis=1).min()
    assert among - 0.5 * track.length / 8000 - 1e-9 <= near <= among + 2.5e-4


TRACKS = {
    (shape, closed): Track(
        GroundPath.model_validate({"waypoints_m": SQUARE, "shape": shape, "closed": closed})
    )
    for shape in ("straight", "spline")
    for closed in (False, True)
}
FINE = {
    key: np.array([track.pose(float(s))[0] for s in np.linspace(0.0, track.length, 8001)])
    for key, track in TRACKS.items()
}


def test_self_intersecting_path_is_followed_to_its_end() -> None:
    # A loop that crosses the inbound part: a follower passes the crossing twice and never changes
    # branch.
    track = Track(
        GroundPath(waypoints_m=((-3.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0), (0.0, -3.0)))
    )
    s = 0.0
    for expected in np.arange(0.0, track.length + 2.0, 0.05):
        point, direction = track.pose(expected)
        left = np.array([-math.sin(direction), math.cos(direction)])
        s = track.nearest(point + 0.01 * left, s, 0.5)
        assert s == pytest.approx(expected, abs=0.011)
    assert track.nearest(np.array([0.0, -0.01])) == pytest.approx(15.01, abs=0.02)


def test_closed_path_is_followed_repeatedly() -> None:
    track = Track(circle(1.0))
    s = 0.0
    for angle in np.arange(0.0, 6 * math.pi, 0.1):
        s = track.nearest(np.array([1.1 * math.cos(angle), 1.1 * math.sin(angle)]), s, 0.5)
    assert s == pytest.approx(angle, rel=1e-3)
    assert track.nearest(np.array([math.cos(-0.2), math.sin(-0.2)]), 0.0, 0.5) == pytest.approx(
        -0.2, rel=1e-3
    )


@pytest.mark.parametrize("shape", ["straight", "spline"])
@pytest.mark.parametrize("closed", [False, True])
def test_track_has_the_positions_of_its_waypoints(shape: str, closed: bool) -> None:
    points = ((0.0, 0.0), (1.0, 0.2), (1.5, 1.0), (0.2, 1.4))
    tangent = Track(GroundPath(waypoints_m=points, shape=shape, closed=closed))  # type: ignore[arg-type]
    expected = (*points, points[0]) if closed else points
    assert len(tangent.waypoints) == len(expected)
    for s, point in zip(tangent.waypoints, expected, strict=True):
        assert tangent.pose(float(s))[0] == pytest.approx(point, abs=1e-9)
