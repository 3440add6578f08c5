"""What is written into the picture is as large on a fine screen as on any other."""

from __future__ import annotations

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.style import DARK
from snakestudio.drawing.view import View
from snakestudio.drawing.world import grid_labels
from snakestudio.render.labels import label_rows


def height(view: View) -> float:
    """Of the letters, pixels of the window's design."""
    return float(label_rows(grid_labels(view.camera, DARK), view.pixel)[:, 7].max()) / view.ratio


def test_letters_do_not_become_small_with_the_pixels() -> None:
    for high in (240, 480, 720):
        plain = height(View.of(Camera(), 2 * high, high))
        fine = height(View.of(Camera(), 4 * high, 2 * high, 2.0))
        assert fine > 0.85 * plain, f"in a picture {high} pixels high"
