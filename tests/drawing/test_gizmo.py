"""The gizmo's handles: constant size, picked where they are drawn, omitted where they cannot be used."""

from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.extent import extent
from snakestudio.drawing.gizmo import LENGTH, Gizmo, Guide, facing, handles, pick_handle
from snakestudio.drawing.overlays import Overlays
from snakestudio.model.rotations import rotation

from .scenery import obstacle_scene, snapshot

ASPECT = 16 / 9
PIVOT = np.array((0.4, 0.1, 0.15))
OBLIQUE = Camera((0.5, 0.0, 0.0), 2.0, math.radians(-60), math.radians(35))
TOP = Camera((0.5, 0.0, 0.0), 2.0).standard("top")


def seen(camera: Camera, point: np.ndarray) -> tuple[float, float]:
    x, y, _ = camera.project(point, ASPECT)
    return float(x), float(y)


def names(gizmo: Gizmo, camera: Camera) -> set[str]:
    return {handle.name for handle in handles(gizmo, camera)}


@pytest.mark.parametrize("distance", [0.2, 2.0, 30.0])
def test_gizmo_has_constant_size(distance: float) -> None:
    camera = Camera((0.4, 0.1, 0.15), distance, 0.3, 0.0)
    ring = next(
        h
        for h in handles(
            Gizmo("turn", PIVOT, offered="y"), Camera(camera.target, distance, math.pi / 2, 0.0)
        )
    )
    radius = np.linalg.norm(ring.points - PIVOT, axis=1) / float(camera.view_height(PIVOT))
    np.testing.assert_allclose(radius, 0.86 * LENGTH, rtol=1e-9)


@pytest.mark.parametrize("mode", ["move", "turn", "scale"])
@pytest.mark.parametrize(
    "camera", [OBLIQUE, TOP, OBLIQUE.toggled()], ids=["oblique", "top", "parallel"]
)
@pytest.mark.parametrize("axes", [np.eye(3), rotation(0.4, 0.3, -0.2)], ids=["world", "own"])
def test_drawn_handle_is_picked(mode: str, camera: Camera, axes: np.ndarray) -> None:
    gizmo = Gizmo(mode, PIVOT, axes)  # type: ignore[arg-type]
    these = handles(gizmo, camera)
    assert these
    for handle in these:
        if handle.kind == "ring":
            front = facing(handle, camera)
            # A piece in front, away from the crossing of two rings.
            k = int(np.argmax(front - 0.3 * np.abs(np.gradient(front)).max()))
            points = [handle.points[k + 2]]
        elif handle.kind == "axis":
            points = [handle.points[1]]
        else:
            points = [handle.points.mean(axis=0)]
        for point in points:
            assert pick_handle(these, camera, seen(camera, point), ASPECT) == handle.name
    x, y = seen(camera, PIVOT)
    assert pick_handle(these, camera, (x + 0.9, y), ASPECT) == ""


def test_centre_is_left_to_the_selection() -> None:
    these = handles(Gizmo("move", PIVOT), OBLIQUE)
    assert pick_handle(these, OBLIQUE, seen(OBLIQUE, PIVOT), ASPECT) == ""


def test_handles_seen_edge_on_are_omitted() -> None:
    assert names(Gizmo("move", PIVOT), TOP) == {"x", "y", "xy"}
    assert names(Gizmo("turn", PIVOT), TOP) == {"z"}
    assert names(Gizmo("move", PIVOT), OBLIQUE) == {"x", "y", "z", "xy", "xz", "yz"}
    assert names(Gizmo("move", PIVOT, offered="xy"), OBLIQUE) == {"x", "y", "xy"}
    assert names(Gizmo("scale", PIVOT), OBLIQUE) == {"x", "y", "z", "xyz"}
    assert names(Gizmo("turn", PIVOT, offered=""), OBLIQUE) == set()
    assert names(Gizmo("move", PIVOT, held="x"), OBLIQUE) == {"x"}


def test_gizmo_is_on_top_and_in_fine_tiles() -> None:
    """The draw list contains what the handles declare, and the finely drawn tiles cover all of it."""
    gizmo = Gizmo("move", PIVOT, hovered="x")
    guide = Guide((0.4, 0.1, 0.15), (0.9, 0.1, 0.15), dot=True)
    drawn = build(obstacle_scene(), snapshot(), Overlays(gizmo=gizmo, guides=(guide,)), OBLIQUE)
    assert {mesh: len(rows) for mesh, rows in drawn.handles.items()} == {
        "sphere": 1,
        "cone": 3,
        "plate": 3,
    }
    tips = {
        handle.name: handle.points[1] for handle in handles(gizmo, OBLIQUE) if handle.kind == "axis"
    }
    np.testing.assert_allclose(
        drawn.handles["cone"][:, :3], [tips[name] for name in "xyz"], atol=1e-6
    )
    assert drawn.handles["cone"][0, 12] > drawn.handles["cone"][1, 12], (
        "the handle under the cursor is larger"
    )
    where = extent(drawn, OBLIQUE, 1600, 900)
    assert where is not None
    for point in (*tips.values(), np.array(guide.end)):
        x, y = 0.5 * (np.array(seen(OBLIQUE, point)) + 1.0) * (1600, 900)
        left, bottom, width, height = where.tiles.T
        assert ((x >= left) & (x <= left + width) & (y >= bottom) & (y <= bottom + height)).any()
    plain = build(obstacle_scene(), snapshot(), Overlays(), OBLIQUE)
    assert not plain.handles
    assert not len(plain.handle_lines)
