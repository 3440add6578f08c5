"""Many obstacles: data reused between frames or scenes equals newly created data."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.obstacles import Obstacles, obstacles_of
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.drawing.picking import pick
from snakestudio.drawing.quality import Quality
from snakestudio.model.edits import remove_obstacles, with_values
from snakestudio.model.edits.transform import move
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.obstacles.shapes.ramp import Ramp
from snakestudio.model.obstacles.shapes.rubble import Rubble
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.scene import Scene
from snakestudio.render.offscreen import OffscreenRenderer
from snakestudio.render.static_layer import MANY

SIZE = (480, 300)
CAMERA = Camera().frame((-4.0, -4.0, 0.0), (4.0, 4.0, 0.3), SIZE[0] / SIZE[1])


def crowd(count: int = MANY + 60) -> Scene:
    """A scene of every kind of obstacle, most of them posts and blocks, without overlaps."""
    rng = np.random.default_rng(4)
    side = int(np.ceil(np.sqrt(count)))
    created: list[Obstacle] = []
    for i in range(count):
        x = 0.55 * (i % side) - 3.4
        y = 0.55 * (i // side) - 3.4
        if i % 40 == 7:
            kinds: tuple[Obstacle, ...] = (
                Ramp(x_m=x, y_m=y, length_m=0.3, rise_m=0.1, width_m=0.3),
                Stairs(x_m=x, y_m=y, steps=2, run_m=0.1, width_m=0.3, landing_m=0.1),
                HeightField(
                    x_m=x, y_m=y, length_m=0.4, width_m=0.4, heights_m=((0.0, 0.1), (0.05, 0.0))
                ),
                Rubble(
                    x_m=x,
                    y_m=y,
                    length_m=0.4,
                    width_m=0.4,
                    blocks=5,
                    smallest_m=0.05,
                    largest_m=0.1,
                ),
            )
            created.append(kinds[i // 40 % 4])
        elif i % 2:
            created.append(Cylinder(x_m=x, y_m=y, radius_m=float(rng.uniform(0.05, 0.12))))
        else:
            created.append(
                Box(
                    x_m=x,
                    y_m=y,
                    length_m=0.25,
                    width_m=0.15,
                    yaw_deg=float(rng.uniform(0, 90)),
                    pitch_deg=float(i % 7),
                )
            )
    return Scene(obstacles=tuple(created))


_numbers = itertools.count()


def elsewhere() -> Path:
    """A folder without cached obstacles."""
    return Path(f"folder_{next(_numbers)}")


def without_cache(scene: Scene, *, shown_only: bool = False) -> Obstacles:
    """Return the obstacles created without caches."""
    return obstacles_of(scene.obstacles, elsewhere(), shown_only=shown_only)


def same(one: Obstacles, other: Obstacles) -> None:
    for name in ("posts", "blocks"):
        a, b = getattr(one, name), getattr(other, name)
        for field in type(a).__dataclass_fields__:
            assert np.array_equal(getattr(a, field), getattr(b, field)), (name, field)
    assert [i for i, _ in one.prisms] == [i for i, _ in other.prisms]
    assert [i for i, _ in one.reliefs] == [i for i, _ in other.reliefs]
    assert np.array_equal(one.low, other.low, equal_nan=True)
    assert np.array_equal(one.high, other.high, equal_nan=True)
    a, b = one.terrain, other.terrain
    assert a is not None
    assert b is not None
    for name in ("skin", "shell"):
        assert np.array_equal(getattr(a, name).vertices, getattr(b, name).vertices)
        assert np.array_equal(getattr(a, name).indices, getattr(b, name).indices)
        assert np.array_equal(getattr(a, name + "_range"), getattr(b, name + "_range"))
    assert np.array_equal(a.earthen, b.earthen)
    assert np.array_equal(a.balls, b.balls)
    assert a.sunk == b.sunk


@pytest.mark.parametrize(
    "change",
    [
        lambda s: move(s, [4, 5], (0.1, -0.2, 0.0)),
        lambda s: with_values(s, {"obstacles[8].rise_m": 0.2}),
        lambda s: with_values(s, {"obstacles[48].steps": 4}),
        lambda s: with_values(s, {"obstacles[88].heights_m": [[0.0, 0.1, 0.2], [0.0, 0.1, 0.3]]}),
        lambda s: with_values(s, {"obstacles[128].blocks": 7}),
        lambda s: with_values(s, {"obstacles[128].seed": 7}),
        lambda s: with_values(s, {"obstacles[5].z_m": -0.02, "obstacles[6].radius_m": 0.2}),
        lambda s: remove_obstacles(s, [3, 9]),
        lambda s: move(s, range(len(s.obstacles)), (0.01, 0.0, 0.0)),
    ],
    ids=[
        "moved",
        "ramp",
        "other steps",
        "finer field",
        "more blocks",
        "other blocks",
        "sunk",
        "removed",
        "all",
    ],
)
def test_changed_scene_reuses_shared_obstacles(change) -> None:
    before = crowd()
    after = change(before)
    folder = elsewhere()
    first = obstacles_of(before.obstacles, folder)
    assert first.terrain is not None
    taken = obstacles_of(after.obstacles, folder)
    same(taken, without_cache(after))


def test_hidden_obstacles_are_not_drawn_and_reappear() -> None:
    scene = crowd()
    hidden = with_values(scene, {f"obstacles[{i}].hidden": True for i in (1, 2, 8, 48)})
    folder = elsewhere()
    all_obstacles = obstacles_of(hidden.obstacles, folder)
    visible = obstacles_of(hidden.obstacles, folder, shown_only=True)
    assert np.isfinite(all_obstacles.low).all()  # the robot still collides with them
    assert np.isnan(visible.low[[0, 1, 7, 47]]).all()
    assert np.isfinite(np.delete(visible.low, [0, 1, 7, 47], axis=0)).all()
    assert visible.terrain is not None
    moved = move(hidden, [20], (0.1, 0.0, 0.0))
    taken = obstacles_of(moved.obstacles, folder, shown_only=True)
    same(taken, without_cache(moved, shown_only=True))
    straight_down = Camera(
        elevation=np.pi / 2, azimuth=-np.pi / 2, orthographic=True, target=(-3.4, -3.4, 0.0)
    )
    for of, target in ((scene, "obstacle"), (hidden, "ground")):
        picked = pick(build(of, None, Overlays(), straight_down), straight_down, (0.0, 0.0), 1.6)
        assert picked is not None
        assert picked.kind == target
    assert obstacles_of(scene.obstacles, shown_only=True) is obstacles_of(scene.obstacles)


@pytest.mark.parametrize("quality", [Quality.LOW, Quality.MEDIUM])
def test_cached_frames_equal_new_ones(quality: Quality) -> None:
    scene = crowd()
    moved = [move(scene, [6, 11], (0.15 * k, 0.1 * k, 0.0)) for k in (1, 2, 3)]
    other = move(moved[-1], [30], (-0.1, 0.0, 0.0))
    selected = Overlays(selection=(Pick("obstacle", 6), Pick("obstacle", 11)))
    near = replace(CAMERA, azimuth=CAMERA.azimuth + 0.3)
    steps = [
        (scene, Overlays(), CAMERA),
        *((one, Overlays(), CAMERA) for one in moved),
        (moved[-1], selected, CAMERA),
        (other, selected, CAMERA),
        (scene, selected, CAMERA),  # undone
        (scene, selected, near),
        (moved[0], selected, near),
        (remove_obstacles(scene, [6]), Overlays(), near),
        (scene, Overlays(obstacle_opacity=0.5), near),
        (scene, Overlays(), near),
    ]
    with OffscreenRenderer(*SIZE, quality=quality) as screen:
        for number, (one, overlays, camera) in enumerate(steps):
            drawn = build(one, None, overlays, camera)
            cached = screen.draw(drawn, camera)
            with OffscreenRenderer(*SIZE, quality=quality) as fresh:
                away = np.abs(fresh.draw(drawn, camera).astype(int) - cached.astype(int))
            # Where two obstacles have the same depth in a pixel, the order of drawing decides.
            assert (away.max(axis=2) > 8).mean() < 2e-4, (
                f"step {number}: {(away.max(axis=2) > 8).sum()} pixels"
            )
