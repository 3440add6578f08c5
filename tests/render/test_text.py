"""Letters on frames."""

from __future__ import annotations

import numpy as np

from snakestudio.render.text import draw_text, text_size


def test_text_stays_in_its_box_and_has_its_colour():
    frame = np.zeros((80, 300, 3), np.uint8)
    width, height = text_size("t = 5.20 s, µ = 0.2", 24)
    draw_text(frame, "t = 5.20 s, µ = 0.2", 10, 20, 24, (1.0, 0.5, 0.0))
    rows, columns = np.nonzero(frame.any(axis=2))
    assert rows.min() >= 20
    assert rows.max() < 20 + height
    assert columns.min() >= 9
    assert columns.max() <= 10 + width
    assert tuple(frame.reshape(-1, 3).max(axis=0)) == (255, 128, 0)
    assert len(np.unique(frame[..., 0])) > 10, "edges are anti-aliased"


def test_text_is_clipped_and_unknown_letters_are_boxes():
    frame = np.full((20, 30, 3), 40, np.uint8)
    draw_text(frame, "雪wide text that runs out", -7, -5, 28)
    assert frame.max() > 200
    draw_text(frame, "far away", 500, 500)


def test_opacity_blends():
    strong = np.zeros((40, 60, 3), np.uint8)
    weak = np.zeros((40, 60, 3), np.uint8)
    draw_text(strong, "M", 5, 5, 24)
    draw_text(weak, "M", 5, 5, 24, opacity=0.5)
    assert abs(int(weak.max()) * 2 - int(strong.max())) <= 2


def test_sizes_grow():
    assert text_size("abc", 12) < text_size("abc", 24) < text_size("abc", 64)
