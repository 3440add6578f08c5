"""Obstacles of every kind as triangles, bounds and targets of rays, compared with volumes and brute force."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from snakestudio.drawing import surfaces
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.instances import LINE_WIDTH
from snakestudio.drawing.meshes import Mesh
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.drawing.picking import pick
from snakestudio.drawing.rays import ray_blocks, ray_prism, ray_relief
from snakestudio.drawing.style import DARK
from snakestudio.model.obstacles.outlines import footprint
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.obstacles.solids import Prism, Relief
from snakestudio.model.rotations import rotation
from snakestudio.model.scene import Scene

from .scenery import HEIGHTS, every_kind

ASPECT = 16 / 9


def _triangles(mesh: Mesh) -> np.ndarray:
    return mesh.vertices[mesh.indices.reshape(-1, 3), :3].astype(float)


def _volumes(mesh: Mesh) -> np.ndarray:
    """Volumes by the divergence theorem, one per axis: they are equal only for a closed surface."""
    corner = _triangles(mesh)
    area = 0.5 * np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    return (corner.mean(axis=1) * area).sum(axis=0)


def _heights_volume(heights: np.ndarray, dx: float, dy: float) -> float:
    """Volume below the two triangles of each cell, split from the first corner to the last."""
    a = heights[:-1, :-1]
    b = heights[:-1, 1:]
    c = heights[1:, 1:]
    d = heights[1:, :-1]
    return float(((a + b + c) / 3 + (a + c + d) / 3).sum() * 0.5 * dx * dy)


TABLE = np.array(HEIGHTS) + 0.1
VOLUMES: list[tuple[Obstacle, float]] = [
    (Box(x_m=1, y_m=2, length_m=0.5, width_m=0.4, height_m=0.2, z_m=0.3, yaw_deg=30, pitch_deg=20, roll_deg=-10), 0.04),
    (Box(x_m=0, y_m=0, length_m=0.5, width_m=0.4, height_m=0.2, z_m=-0.1, yaw_deg=30), 0.5 * 0.4 * 0.1),
    (Stairs(x_m=0, y_m=0, heading_deg=20, steps=3, rise_m=0.05, run_m=0.3, width_m=0.8, landing_m=0.5),
     0.8 * (0.3 * 0.05 + 0.3 * 0.10 + 0.5 * 0.15)),
    (Ramp(x_m=1, y_m=0, heading_deg=-40, length_m=1, rise_m=0.2, width_m=0.5), 0.5 * 0.5 * 0.2),
    (Ramp(x_m=1, y_m=0, length_m=1, rise_m=0.2, width_m=0.5, landing_m=0.4), 0.5 * (0.5 * 0.2 + 0.4 * 0.2)),
    (HeightField(x_m=0, y_m=1, length_m=2, width_m=1, yaw_deg=25, heights_m=tuple(map(tuple, TABLE.tolist()))),
     _heights_volume(TABLE, 2 / (TABLE.shape[1] - 1), 1 / (TABLE.shape[0] - 1))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("obstacle", "volume"), VOLUMES, ids=lambda value: getattr(value, "kind", "")
)
def test_skins_enclose_the_volume_above_the_ground(obstacle: Obstacle, volume: float) -> None:
    terrain = obstacles_of((obstacle,)).terrain
    assert terrain is not None
    # Faces on the ground are omitted: they would add nothing to any of the three.
    assert _volumes(terrain.skin) == pytest.approx([volume] * 3, rel=1e-4)


@pytest.mark.parametrize(
    "obstacle", [o for o, _ in VOLUMES if o.kind != "stairs"], ids=lambda o: o.kind
)
def test_grown_shells_enclose_more(obstacle: Obstacle) -> None:
    terrain = obstacles_of((obstacle,)).terrain
    assert terrain is not None
    shell = terrain.shell
    volumes = _volumes(shell)
    grown = shell.vertices.copy()
    grown[:, :3] += 0.01 * shell.vertices[:, 3:6]
    assert (_volumes(Mesh(grown, shell.indices)) > volumes + 1e-4).all()


def test_stairs_are_one_body_without_inner_faces() -> None:
    """No face of stairs is inside them: each is visible from outside by a ray along its normal."""
    stairs = Stairs(x_m=0, y_m=0, steps=4, rise_m=0.1, run_m=0.2, width_m=1.0, landing_m=0.4)
    world = obstacles_of((stairs,))
    assert world.terrain is not None
    corner = _triangles(world.terrain.skin)
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    size = np.linalg.norm(normal, axis=1)
    corner = corner[size > 1e-9]
    normal = normal[size > 1e-9]
    size = size[size > 1e-9]
    b = world.blocks
    for middle, displacement in zip(corner.mean(axis=1), normal / size[:, None], strict=True):
        away = (
            np.abs(np.einsum("kij,ki->kj", b.rotation, middle + 1e-4 * displacement - b.centre))
            - b.half
        )
        assert (away.max(axis=1) > 0).all()


def test_fine_field_is_thinned_and_keeps_its_ends() -> None:
    rng = np.random.default_rng(1)
    field = Relief(np.array([1.0, 2.0, 0.5]), 0.3, 0.002, 0.004, rng.random((500, 1000)))
    relief = surfaces.relief(field)
    top = relief.skin.vertices[relief.skin.vertices[:, 5] > 1e-3]
    assert len(top) == (surfaces.MOST_CELLS + 1) ** 2
    local = (top[:, :3] - field.origin) @ rotation(field.yaw)
    i, j = local[:, 0] / field.dx, local[:, 1] / field.dy
    assert np.allclose(i, i.round(), atol=2e-3)
    assert np.allclose(
        local[:, 2], field.heights[j.round().astype(int), i.round().astype(int)], atol=1e-5
    )
    assert (i.round().min(), i.round().max(), j.round().max()) == (0, 999, 499)


def test_bounds_are_those_of_the_drawing() -> None:
    world = obstacles_of(every_kind())
    terrain = world.terrain
    assert terrain is not None
    for index, (first, count) in enumerate(terrain.skin_range):
        points = terrain.skin.vertices[terrain.skin.indices[first : first + count], :3]
        if not count:
            assert world.bodies[index].obstacle.kind == "cylinder"
            continue
        low, high = points.min(axis=0), points.max(axis=0)
        # Sunken blocks are cut at the ground, which may reduce their width.
        assert (low[:2] >= world.low[index, :2] - 1e-5).all()
        assert (high <= world.high[index] + 1e-5).all()
        assert high[2] == pytest.approx(world.high[index, 2], abs=1e-5)
    # Every corner is inside a finely drawn ball.
    away = (
        np.linalg.norm(terrain.skin.vertices[:, None, :3] - terrain.balls[:, :3], axis=2)
        - terrain.balls[:, 3]
    )
    assert away.min(axis=1).max() < 1e-5


def test_footprints_contain_the_corners() -> None:
    for body in obstacles_of(every_kind()).bodies:
        for solid in body.solids:
            if body.obstacle.kind == "cylinder":
                continue
            outline = footprint(solid)  # type: ignore[arg-type]
            ahead = np.roll(outline, -1, axis=0) - outline
            turn = (
                ahead[:, 0] * np.roll(ahead, -1, axis=0)[:, 1]
                - ahead[:, 1] * np.roll(ahead, -1, axis=0)[:, 0]
            )
            assert (turn > 0).all(), "convex and anticlockwise"
    (box,) = obstacles_of((Box(x_m=1, y_m=2, length_m=0.6, width_m=0.2),)).bodies
    corners = np.array(sorted(map(tuple, footprint(box.solids[0]).tolist())))  # type: ignore[arg-type]
    assert corners == pytest.approx(np.array([(0.7, 1.9), (0.7, 2.1), (1.3, 1.9), (1.3, 2.1)]))


# --- caching and sharing --------------------------------------------------------------------------


def test_unchanged_obstacles_are_reused() -> None:
    before = every_kind()
    world = obstacles_of(before)
    assert obstacles_of(before) is world
    moved = (before[0].model_copy(update={"x_m": 5.0}), *before[1:])
    after = obstacles_of(moved)
    assert after is not world
    assert all(a is b for a, b in zip(after.bodies[1:], world.bodies[1:], strict=True))
    assert after.bodies[0] is not world.bodies[0]


def test_image_is_read_next_to_the_scene_or_reported(tmp_path: Path) -> None:
    field = HeightField(
        x_m=0.5, y_m=0.2, yaw_deg=90, length_m=1.0, width_m=0.4, picture="hills.png", relief_m=0.3
    )
    obstacles = (field,)
    ((index, problem),) = obstacles_of(obstacles, tmp_path).problems
    assert index == 0
    assert "hills.png" in problem.message
    stand_in = build(Scene(obstacles=obstacles), None, Overlays(), Camera(), base_dir=tmp_path)
    assert stand_in.terrain, "there is a placeholder"
    assert stand_in.high[:2] - stand_in.low[:2] == pytest.approx((0.4, 1.0))
    assert stand_in.high[2] < 0.01
    # With the image an equal scene is read again.
    Image.fromarray(np.full((20, 30), 255, np.uint8)).save(tmp_path / "hills.png")
    loaded = obstacles_of((field,), tmp_path)
    assert loaded.problems == []
    assert loaded.high[0, 2] == pytest.approx(0.3)
    assert obstacles_of((field,), tmp_path / "elsewhere").problems


def test_selected_terrain_is_lighter() -> None:
    scene = Scene(obstacles=every_kind())
    kinds = [o.kind for o in scene.obstacles]
    overlays = Overlays(
        selection=(Pick("obstacle", kinds.index("box")), Pick("obstacle", kinds.index("ramp"))),
        hover=Pick("obstacle", kinds.index("stairs")),
    )
    drawn = build(scene, None, overlays, Camera())
    terrain = drawn.world.terrain
    assert terrain is not None
    assert sum(look.ranges[:, 1].sum() for look in drawn.terrain) == len(terrain.skin.indices)
    assert len(drawn.terrain) == 4, "orange and earthen, both lighter, too"
    outlined = [set(range(*np.cumsum(r))) for look in drawn.terrain_outlines for r in look.ranges]
    expected = [kinds.index(kind) for kind in ("stairs", "box", "ramp")]
    assert outlined == [set(range(*np.cumsum(terrain.shell_range[k]))) for k in expected]
    assert np.allclose(drawn.terrain_outlines[1].row[0, 8:11], np.square(DARK.accent), atol=1e-6)
    assert drawn.lines.shape == (0, LINE_WIDTH)


# --- rays -----------------------------------------------------------------------------------------

unit = st.floats(-1, 1)
vectors = st.tuples(unit, unit, unit)


def _first_triangle(origin: np.ndarray, direction: np.ndarray, corner: np.ndarray) -> float:
    """Nearest hit of a ray with any of many triangles, m (Moeller and Trumbore 1997)."""
    a = corner[:, 0]
    u = corner[:, 1] - corner[:, 0]
    v = corner[:, 2] - corner[:, 0]
    p = np.cross(direction, v)
    scale = np.einsum("ij,ij->i", u, p)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        s = origin - a
        x = np.einsum("ij,ij->i", s, p) / scale
        q = np.cross(s, u)
        y = q @ direction / scale
        t = np.einsum("ij,ij->i", v, q) / scale
        hit = (np.abs(scale) > 1e-14) & (x >= -1e-9) & (y >= -1e-9) & (x + y <= 1 + 1e-9) & (t >= 0)
    return float(t[hit].min(initial=math.inf))


def _ray(
    eye: tuple[float, float, float], aim: tuple[float, float, float]
) -> tuple[np.ndarray, np.ndarray]:
    origin = np.array(eye) * (1.5, 1.5, 0.3) + (0.0, 0.0, 1.0)
    direction = np.array(aim) * (0.6, 0.6, 0.1) - origin
    return origin, direction / np.linalg.norm(direction)


@given(vectors, vectors, st.integers(0, 2**16))
@settings(max_examples=25, deadline=None)
def test_rays_hit_the_nearest_triangle(eye: tuple, aim: tuple, seed: int) -> None:
    """Compare picking with drawing for every kind: rays against all triangles of the surface."""
    rng = np.random.default_rng(seed)
    table = tuple(map(tuple, (0.3 * rng.random((rng.integers(2, 7), rng.integers(2, 7)))).tolist()))
    angle = float(rng.uniform(-180, 180))
    origin, direction = _ray(eye, aim)
    for obstacle in (
        Box(x_m=0, y_m=0, length_m=0.8, yaw_deg=angle, pitch_deg=20, z_m=0.2, height_m=0.2),
        Ramp(x_m=-0.3, y_m=0, heading_deg=angle, landing_m=0.2, rise_m=0.3),
        Stairs(x_m=-0.3, y_m=0, heading_deg=angle, landing_m=0.4, rise_m=0.1),
        HeightField(
            x_m=0, y_m=0, yaw_deg=angle, heights_m=table, length_m=1.2, width_m=0.9, z_m=0.05
        ),
    ):
        world = obstacles_of((obstacle,))
        assert world.terrain is not None
        b = world.blocks
        exact = min(
            [*ray_blocks(origin, direction, b.centre, b.rotation, b.half), math.inf],
        )
        exact = min([exact, *(ray_prism(origin, direction, body) for _, body in world.prisms)])
        exact = min([exact, *(ray_relief(origin, direction, body) for _, body in world.reliefs)])
        drawn = _first_triangle(origin, direction, _triangles(world.terrain.skin))
        if math.isfinite(drawn):
            assert exact == pytest.approx(drawn, abs=2e-5)
        elif math.isfinite(exact):
            # The surface has no underside on the ground, and its corners are rounded to single
            # precision.
            point = origin + exact * direction
            shifted = [
                _first_triangle(
                    origin + 1e-5 * np.array(s), direction, _triangles(world.terrain.skin)
                )
                for s in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
            ]
            assert point[2] < 1e-4 or min(shifted) < math.inf


def test_rays_along_walls_and_from_inside_hit() -> None:
    world = obstacles_of((Box(x_m=0, y_m=0, length_m=1, width_m=1, height_m=1),))
    b = world.blocks
    inside = ray_blocks(
        np.array([0.0, 0, 0.5]), np.array([1.0, 0, 0]), b.centre, b.rotation, b.half
    )
    assert inside == pytest.approx([0.5])
    past = ray_blocks(
        np.array([0.0, 0.6, 0.5]), np.array([1.0, 0, 0]), b.centre, b.rotation, b.half
    )
    assert np.isinf(past).all()
    wedge = Prism(np.zeros(3), np.eye(3), np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 0.5)]), 0.5)
    assert ray_prism(np.array([0.5, 0.0, 2.0]), np.array([0, 0, -1.0]), wedge) == pytest.approx(
        1.75
    )
    assert ray_prism(np.array([0.5, 0.0, 0.1]), np.array([1.0, 0, 0]), wedge) == pytest.approx(0.5)
    assert ray_prism(np.array([0.5, 0.6, 2.0]), np.array([0, 0, -1.0]), wedge) == math.inf


@pytest.mark.parametrize("orthographic", [False, True])
def test_every_kind_is_picked(orthographic: bool) -> None:
    scene = Scene(obstacles=every_kind())
    world = obstacles_of(scene.obstacles)
    camera = Camera(elevation=1.3, orthographic=orthographic).frame(
        world.low.min(0), world.high.max(0), ASPECT
    )
    drawn = build(scene, None, Overlays(), camera)
    for index, o in enumerate(scene.obstacles):
        low, high = world.low[index], world.high[index]
        middle = 0.5 * (low + high)
        hit = pick(
            drawn, camera, tuple(camera.project(np.array((*middle[:2], 0.0)), ASPECT)[:2]), ASPECT
        )
        if isinstance(o, Rubble):
            block = world.blocks.centre[world.blocks.owner == index][0]
            hit = pick(drawn, camera, tuple(camera.project((*block[:2], 0.01), ASPECT)[:2]), ASPECT)
        assert hit == Pick("obstacle", index), o.kind
        assert hit.point is not None
        assert (low[:2] - 1e-9 <= hit.point[:2]).all()
        assert (hit.point[:2] <= high[:2] + 1e-9).all()


def test_posts_keep_their_numbers_among_other_kinds() -> None:
    obstacles = (
        Box(x_m=0, y_m=0),
        Cylinder(x_m=1, y_m=0),
        Rubble(x_m=0, y_m=3),
        Cylinder(x_m=2, y_m=0),
    )
    camera = Camera(target=(1.0, 0.0, 0.0), elevation=1.5)
    overlays = Overlays(selection=(Pick("obstacle", 3),))
    drawn = build(Scene(obstacles=obstacles), None, overlays, camera)
    assert pick(drawn, camera, tuple(camera.project((2.0, 0.0, 0.3), ASPECT)[:2]), ASPECT) == Pick(
        "obstacle", 3
    )
    assert drawn.obstacles[1, 8] > drawn.obstacles[0, 8], "the selected one is lighter"
    assert drawn.outlines["drum"][0, :2] == pytest.approx((2.0, 0.0))
