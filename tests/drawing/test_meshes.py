"""Meshes: no colour edge along a link, and parts on the head stay outside it at all levels of detail."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.drawing.meshes import build_mesh

DETAILS = (8, 12, 16, 20, 24, 32, 48, 64)


def nearest_and_farthest(name: str, detail: int) -> tuple[float, float]:
    """Distances of a mesh from the centre of the front sphere: nearest plane of a triangle, farthest corner."""
    mesh = build_mesh(name, detail)
    corners = mesh.vertices[:, :3].astype(float)
    a, b, c = corners[mesh.indices.reshape(-1, 3)].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=1)
    planes = np.abs(np.einsum("ij,ij->i", a, normal)[size > 0] / size[size > 0])
    return float(planes.min()), float(np.linalg.norm(corners, axis=1).max())


@pytest.mark.parametrize("detail", DETAILS)
def test_visor_and_eyes_are_on_the_head(detail: int) -> None:
    visor, top = nearest_and_farthest("visor", detail)
    eyes, _ = nearest_and_farthest("eyes", detail)
    assert visor > 1.003  # no corner of the head is further away than 1
    assert eyes > top + 0.001


@pytest.mark.parametrize("detail", DETAILS)
def test_collar_has_the_facets_of_the_shell(detail: int) -> None:
    def angles(name: str) -> np.ndarray:
        vertices = build_mesh(name, detail).vertices
        on_hull = np.hypot(vertices[:, 1], vertices[:, 2]) > 0.99
        return np.unique(np.round(np.arctan2(vertices[on_hull, 1], vertices[on_hull, 2]), 4))

    np.testing.assert_array_equal(angles("collar"), angles("end_link"))


@pytest.mark.parametrize("name", ["link", "end_link"])
@pytest.mark.parametrize("detail", DETAILS)
def test_colour_changes_smoothly_around_a_link(name: str, detail: int) -> None:
    mesh = build_mesh(name, detail)
    triangles = mesh.indices.reshape(-1, 3)
    long = triangles[np.ptp(mesh.vertices[triangles, 6], axis=1) > 1.0]  # from one end to the other
    sides = mesh.vertices[np.unique(long)]
    # light like on a round cylinder
    np.testing.assert_allclose(sides[:, 4:6], sides[:, 1:3], atol=1e-6)
    angle = np.arctan2(sides[:, 1], sides[:, 2])
    order = np.argsort(angle)
    around = np.diff(sides[order, 7])
    assert np.abs(around).max() < 1.3 / detail
    assert np.ptp(sides[:, 7]) > 0.15  # but the back can be recognised
