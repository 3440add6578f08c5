"""Measured tracks: dashes in gaps, prominent points, and both at their positions in the camera's view."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.overlays import MeasuredLine, Overlays
from snakestudio.drawing.tracks import dashes, track_lines, track_segments

from .scenery import HIGH, LOW, obstacle_scene, snapshot

CAMERA = Camera().frame(LOW, HIGH, 16 / 9)
ORANGE = (1.0, 0.5, 0.1)


def test_gaps_are_drawn_as_dashes():
    x = np.linspace(0.0, 3.0, 61)
    points = np.column_stack([x, np.zeros(61), np.full(61, 0.05)])
    dashed = (x[:-1] >= 1.0 - 1e-9) & (x[:-1] < 2.0 - 1e-9)
    start, end, faint = dashes(points, dashed, 0.1)
    length = np.linalg.norm(end - start, axis=1)
    assert length[~faint].sum() == pytest.approx(2.0)
    assert length[faint].sum() == pytest.approx(0.5)
    assert np.all(start[faint, 0] >= 1.0 - 1e-9)
    assert np.all(end[faint, 0] <= 2.0 + 1e-9)
    assert np.allclose(start[:, 2], 0.05)


def test_dashes_continue_around_a_corner():
    corner = np.array([[0.0, 0.0, 0.0], [0.25, 0.0, 0.0], [0.25, 0.25, 0.0]])
    start, end, faint = dashes(corner, np.array([True, True]), 0.1)
    assert faint.all()
    # 0 to 0.1, then 0.2 to 0.3 in two pieces around the corner at 0.25, then 0.4 to 0.5.
    assert np.linalg.norm(end - start, axis=1) == pytest.approx([0.1, 0.05, 0.05, 0.1])
    assert np.allclose(end[1], start[2])


def test_nan_interrupts_the_line_and_long_ones_are_thinned():
    points = np.zeros((7, 3))
    points[:, 0] = np.arange(7)
    points[3] = np.nan
    start, end, _ = track_segments(MeasuredLine(points, ORANGE), 0.1)
    assert start[:, 0].tolist() == [0.0, 1.0, 4.0, 5.0]
    assert end[:, 0].tolist() == [1.0, 2.0, 5.0, 6.0]
    long = np.column_stack([np.linspace(0, 1, 72_001), np.zeros(72_001), np.zeros(72_001)])
    start, end, _ = track_segments(MeasuredLine(long, ORANGE), 0.1)
    assert 3000 < len(start) <= 4001
    assert start[0, 0] == 0.0
    assert end[-1, 0] == 1.0


def test_track_of_one_point_is_a_mark():
    track = MeasuredLine(
        np.zeros((1, 3)), ORANGE, marks=np.array([[0.1, 0.2, 0.05], [np.nan, 0.0, 0.0]])
    )
    drawn = build(
        obstacle_scene(),
        snapshot(with_contacts=False),
        Overlays(show_grid=False, tracks=(track,)),
        CAMERA,
    )
    assert len(track_lines((track,), CAMERA)) == 0
    assert np.allclose(drawn.marks["sphere"][:, :3], [[0.1, 0.2, 0.05]])


def test_tracks_are_among_the_lines_of_a_view():
    points = np.array([[0.0, 0.0, 0.05], [1.0, 0.0, 0.05], [1.0, 1.0, 0.05]])
    plain = build(obstacle_scene(), snapshot(with_contacts=False), Overlays(), CAMERA)
    track = MeasuredLine(points, ORANGE, dashed=np.array([False, True]), width=4.0)
    drawn = build(
        obstacle_scene(), snapshot(with_contacts=False), Overlays(tracks=(track,)), CAMERA
    )
    rows = drawn.lines[: len(drawn.lines) - len(plain.lines)]
    assert np.allclose(rows[0, :3], points[0])
    assert np.allclose(rows[0, 4:7], points[1])
    assert np.allclose(rows[:, 8:11], ORANGE)
    assert np.allclose(rows[:, 3], 4.0)
    assert rows[0, 11] == pytest.approx(0.9)
    assert rows[1:, 11] == pytest.approx(0.54)
    assert len(rows) > 5
