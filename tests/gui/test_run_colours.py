"""Different kinds of runs have distinct colours where all are overlaid on one run."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from snakestudio.drawing.style import colour
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import COLOURS
from snakestudio.kinds.formulation import FORMULATIONS

_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.9505, 1.0, 1.089])


def _lab(text: str) -> np.ndarray:
    """A colour in CIELAB, where distances are perceptual."""
    screen = np.array(colour(text))
    linear = np.where(screen > 0.04045, ((screen + 0.055) / 1.055) ** 2.4, screen / 12.92)
    ratio = _TO_XYZ @ linear / _WHITE
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("palette", [theme.DARK, theme.LIGHT], ids=lambda palette: palette.name)
def test_colours_of_runs_and_window_are_distinct(palette: theme.Palette) -> None:
    named = {
        f"{kind} {n}": text
        for kind, texts in COLOURS[palette.name].items()
        for n, text in enumerate(texts)
    }
    own = {
        name: getattr(palette, name) for name in ("accent", "good", "warning", "friction", "danger")
    }
    for (one, a), (other, b) in itertools.combinations([*named.items(), *own.items()], 2):
        if one in named:
            assert np.linalg.norm(_lab(a) - _lab(b)) > 10, f"{one} and {other}"


@pytest.mark.parametrize("palette", ["dark", "light"])
def test_every_model_has_a_distinct_colour(palette: str) -> None:
    assert len(COLOURS[palette]["model"]) >= len(FORMULATIONS)
