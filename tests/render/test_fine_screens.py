"""What is written into the picture is as large on a fine screen as on any other."""

from __future__ import annotations

from snakestudio.render.camera import Camera
from snakestudio.render.labels import label_rows
from snakestudio.render.style import DARK
from snakestudio.render.view import View
from snakestudio.render.world_parts import grid_labels


def height(view: View) -> float:
    """Of the letters, pixels of the window's design."""
    return float(label_rows(grid_labels(view.camera, DARK), view.pixel)[:, 7].max()) / view.ratio


def test_letters_do_not_become_small_with_the_pixels() -> None:
    for high in (240, 480, 720):
        plain = height(View.of(Camera(), 2 * high, high))
        fine = height(View.of(Camera(), 4 * high, 2 * high, 2.0))
        assert fine > 0.85 * plain, f"in a picture {high} pixels high"
