"""The floor hides nothing: parts below it are visible from above, and it is transparent from below."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.quality import Quality
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.paths import scenes_dir
from snakestudio.render.offscreen import OffscreenRenderer
from tests.body_recording import make_body_recording
from tests.gui.fake import make_recording


@pytest.mark.parametrize("elevation", [0.6, -0.6])
@pytest.mark.parametrize("height", [-0.5, 0.0, 0.5])
@pytest.mark.parametrize("continuum", [True, False])
def test_robot_is_visible_through_the_floor(
    continuum: bool, height: float, elevation: float
) -> None:
    scene = load_scene(scenes_dir() / "continuum_snake_3d.toml") if continuum else Scene()
    at = (make_body_recording if continuum else make_recording)(scene, 3).snapshot(1)
    pose = at.link_pose.copy()
    pose[:, 2] += height
    low = pose[:, :3].min(axis=0) - 0.1
    high = pose[:, :3].max(axis=0) + 0.1
    camera = replace(Camera().frame(low, high, 1.6), elevation=elevation)

    def picture(snapshot: Snapshot | None) -> np.ndarray:
        return drawing.frame(scene, snapshot, Overlays(trail=None), camera).astype(int)

    with OffscreenRenderer(320, 200, quality=Quality.HIGH) as drawing:
        robot = np.abs(picture(replace(at, link_pose=pose)) - picture(None)).sum(axis=2) > 30
    x = np.nonzero(robot)[1]
    seen = np.array([(1 + camera.project(p, 1.6)[0]) * 160 for p in pose[:, :3]])
    assert len(x) > 300
    assert x.min() < seen.min() + 8, "the whole robot, not only the part above the floor"
    assert x.max() > seen.max() - 8


def test_camera_below_the_floor_shows_the_grid() -> None:
    camera = Camera().orbit(0.0, -1.2)
    assert camera.elevation < -0.5
    with OffscreenRenderer(320, 200) as drawing:
        grid, none = (
            drawing.frame(Scene(), None, Overlays(show_grid=visible), camera).astype(int)
            for visible in (1, 0)
        )
    assert (np.abs(grid - none).sum(axis=2) > 6).sum() > 200
