"""The image of the ground's friction as a tint of the floor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.friction_picture import friction_picture
from snakestudio.drawing.overlays import Overlays
from snakestudio.model.scene import Scene
from snakestudio.model.world import Ground, GroundPicture
from snakestudio.render.offscreen import OffscreenRenderer


def save_halves(path: Path) -> None:
    """Save an image that is black on the left and white on the right."""
    Image.fromarray(np.array([[0] * 8 + [255] * 8] * 8, np.uint8)).save(path)


def pictured(**values: float) -> Scene:
    return Scene(ground=Ground(picture=GroundPicture(file="floor.png", **values)))


def test_slippery_half_is_darker(tmp_path: Path) -> None:
    save_halves(tmp_path / "floor.png")
    camera = (
        Camera(orthographic=True).standard("top").frame((-1.0, -0.6, 0.0), (1.0, 0.6, 0.0), 1.6)
    )
    bare = Overlays(show_grid=False, show_triad=False)

    with OffscreenRenderer(320, 200) as drawing:

        def light(scene: Scene, x: float) -> float:
            frame = drawing.frame(scene, None, bare, camera, tmp_path)
            ndc = camera.project((x, 0.1, 0.0), 1.6)
            return float(frame[round((1 - ndc[1]) * 100), round((1 + ndc[0]) * 160)].sum())

        scene = pictured(width_m=1.2)
        dark = light(scene, -0.3)
        bright = light(scene, 0.3)
        floor = light(Scene(), 0.3)
        assert dark < floor - 20 < floor + 20 < bright
        assert light(scene, 0.9) == light(Scene(), 0.9), "outside the image"
        turned = pictured(width_m=1.2, yaw_deg=180.0)
        assert light(turned, 0.3) < floor < light(turned, -0.3)
        slippery_white = pictured(width_m=1.2, black=1.0, white=0.1)
        assert light(slippery_white, 0.3) < floor < light(slippery_white, -0.3)
        below = replace(camera, elevation=-camera.elevation)
        from_below = [drawing.frame(each, None, bare, below, tmp_path) for each in (scene, Scene())]
        np.testing.assert_array_equal(*from_below)


def test_image_is_reused_until_it_changes(tmp_path: Path) -> None:
    save_halves(tmp_path / "floor.png")
    first = friction_picture(pictured().ground, tmp_path)
    assert first is not None
    assert friction_picture(pictured().ground, tmp_path) is first
    assert friction_picture(pictured(x_m=1.0).ground, tmp_path) is not first


def test_unusable_image_is_not_drawn(tmp_path: Path) -> None:
    assert friction_picture(Scene().ground, tmp_path) is None
    assert friction_picture(pictured().ground, tmp_path) is None
    (tmp_path / "floor.png").write_text("no picture")
    assert friction_picture(pictured().ground, tmp_path) is None
