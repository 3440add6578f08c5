"""Text in the view has the same size on high-resolution screens as on others."""

from __future__ import annotations

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.style import DARK
from snakestudio.drawing.view import View
from snakestudio.drawing.world import grid_labels
from snakestudio.render.labels import label_rows


def height(view: View) -> float:
    """Height of the letters, in logical pixels of the window."""
    return float(label_rows(grid_labels(view.camera, DARK), view.pixel)[:, 7].max()) / view.ratio


def test_letters_keep_their_size_on_fine_screens() -> None:
    for high in (240, 480, 720):
        plain = height(View.of(Camera(), 2 * high, high))
        fine = height(View.of(Camera(), 4 * high, 2 * high, 2.0))
        assert fine > 0.85 * plain, f"in an image {high} pixels high"
