"""The mesh of a continuous body: closed, facing outwards, of the right radius, area and volume."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.drawing import quaternion
from snakestudio.drawing.tube import TAIL_CAP, Skin, band_step, rings, skin, smooth

from .continuum import arc, rotations_along

R = 0.02


def _straight(n: int = 41, length: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    pose = np.zeros((n, 7))
    pose[:, 0] = np.linspace(0, length, n)
    pose[:, 2] = R
    pose[:, 3] = 1.0
    return pose, np.tile((1.0, 0, 0), (n, 1))


def _skin(
    pose: np.ndarray, x: np.ndarray, radius: np.ndarray | float = R, columns: int = 48
) -> Skin:
    n = len(pose)
    at = rings(n, 2, 1.25)
    return skin(pose[:, :3], pose[:, 3:], x, np.broadcast_to(radius, n).astype(float), at, columns)


def _corners(shape: Skin) -> tuple[np.ndarray, np.ndarray]:
    triangles = shape.indices.reshape(-1, 3).astype(int)
    return shape.vertices[:, :3].astype(float)[triangles], triangles


def _wavy(n: int = 41) -> tuple[np.ndarray, np.ndarray]:
    """A body that bends and twists in space."""
    s = np.linspace(0, 1, n)
    x = np.stack(
        (np.cos(1.5 * np.sin(5 * s)), np.sin(1.5 * np.sin(5 * s)), 0.6 * np.cos(4 * s)), axis=1
    )
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    position = np.vstack((np.zeros(3), np.cumsum(0.5 * (x[1:] + x[:-1]), axis=0) / (n - 1)))
    q = rotations_along(x)
    roll = np.column_stack((np.cos(1.5 * s), np.sin(1.5 * s), 0 * s, 0 * s))
    return np.hstack((position, quaternion.multiply(q, roll))), x


@pytest.mark.parametrize(
    ("body", "n"),
    [
        *((body, n) for body in (_straight, arc) for n in (2, 3, 11, 41, 150)),
        (_wavy, 11),
        (_wavy, 41),
    ],
)
def test_mesh_is_closed_and_faces_outwards(body, n):
    pose, x = body(n)
    shape = _skin(pose, x)
    corner, triangles = _corners(shape)
    _, same = np.unique(np.round(shape.vertices[:, :3], 6), axis=0, return_inverse=True)
    t = same.ravel()[triangles]
    edges = np.concatenate((t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]))
    assert len(np.unique(edges, axis=0)) == len(edges), "every edge occurs once in each direction"
    forward, back = (e[np.lexsort(e.T)] for e in (edges, edges[:, ::-1]))
    assert np.array_equal(forward, back)
    facing = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    assert np.linalg.norm(facing, axis=1).min() > 0
    assert (np.einsum("ij,ij->i", facing, shape.vertices[triangles, 3:6].sum(axis=1)) > 0).all()
    assert np.allclose(np.linalg.norm(shape.vertices[:, 3:6], axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize(("body", "length"), [(_straight, 1.0), (arc, 0.6)])
def test_area_and_volume_of_cylinder_and_torus_match(body, length):
    pose, x = body()
    corner, _ = _corners(_skin(pose, x))
    a, b, c = (corner[:, k] for k in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    # Pappus: centre line times cross-section. The ends are a half sphere and half of a prolate
    # spheroid.
    e = math.sqrt(1 - 1 / TAIL_CAP**2)
    tip = math.pi * R**2 * (1 + TAIL_CAP / e * math.asin(e))
    assert volume == pytest.approx(
        math.pi * R**2 * length + 2 / 3 * math.pi * R**3 * (1 + TAIL_CAP), rel=4e-3
    )
    assert area == pytest.approx(2 * math.pi * R * length + 2 * math.pi * R**2 + tip, rel=3e-3)


def test_axis_follows_an_arc_between_the_sections():
    pose, x = arc(9, 0.3, 2.0)
    shape = _skin(pose, x)
    inner = slice(shape.head_rings, len(shape.middle) - shape.tail_rings)
    away = np.hypot(shape.middle[inner, 0], shape.middle[inner, 1] - 0.3)
    assert np.abs(away - 0.3).max() < 1e-5
    # Rings are perpendicular to the axis, everywhere at the radius from it.
    ring = shape.vertices.reshape(-1, shape.columns, 8)[inner]
    out = ring[..., :3] - shape.middle[inner, None]
    assert np.allclose(np.linalg.norm(out, axis=2), R, atol=1e-7)
    along = np.gradient(shape.middle[inner], axis=0)[5:-5]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    assert np.abs(np.einsum("ijk,ik->ij", out[5:-5], along)).max() < 2e-4


def test_normals_follow_the_slope_of_the_radius():
    n = 81
    pose, x = _straight(n)
    s = np.linspace(0, 1, n)
    shape = _skin(pose, x, R * (1 + 0.2 * np.sin(12 * s)))
    inner = slice(shape.head_rings, len(shape.middle) - shape.tail_rings)
    flat = shape.rings.tilt == 0.0
    ring = shape.vertices.reshape(-1, shape.columns, 8)[inner][flat]
    where = shape.middle[inner][flat, 0]
    slope = R * 0.2 * 12 * np.cos(12 * where)
    expected = -slope / np.hypot(1, slope)
    middle = (where > 0.05) & (where < 0.95)
    assert np.allclose(ring[middle][..., 3], expected[middle, None], atol=3e-3)
    assert np.allclose(
        shape.radius[inner][flat][middle], R * (1 + 0.2 * np.sin(12 * where[middle])), rtol=1e-3
    )


def test_mesh_is_independent_of_the_sign_of_quaternions():
    pose, x = _wavy()
    other = pose.copy()
    other[::3, 3:] *= -1
    assert np.allclose(_skin(pose, x).vertices, _skin(other, x).vertices, atol=1e-6)


def test_rings_are_shared_and_find_their_section():
    at = rings(41, 2, 1.25)
    assert rings(41, 2, 1.25) is at
    pose, x = _straight()
    first = _skin(pose, x)
    second = _skin(pose + 0.1 * (np.arange(7) == 0), x)
    assert first.indices is second.indices, "they are uploaded once"
    assert np.allclose(smooth(np.arange(41.0), at), at.first + at.part)
    inner = slice(first.head_rings, len(first.middle) - first.tail_rings)
    assert np.abs(first.section[inner] - first.middle[inner, 0] * 40).max() <= 0.5 + 1e-6
    assert first.section[0] == 0
    assert first.section[-1] == 40


def test_grooves_are_at_distant_sections():
    assert band_step(0.025, 0.02) == 2
    assert band_step(0.05, 0.02) == 1
    assert band_step(0.001, 0.02) == 50
    at = rings(41, 2, 1.25)
    dark = np.unique(np.round((at.first + at.part)[at.dark]))
    assert dark.tolist() == list(range(2, 39, 2))
