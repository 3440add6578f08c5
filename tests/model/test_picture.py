"""Untrusted images: supported formats, size limits, and that nothing else is opened."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image

from snakestudio.errors import SceneError
from snakestudio.inputs import InputError
from snakestudio.model.obstacles.picture import KINDS, grey_values
from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.obstacles.shapes.height_field import HeightField
from tests.hostile.kinds import png

EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 8 8
%%EndComments
0 0 moveto 8 8 lineto stroke
%%EOF
"""


@pytest.mark.parametrize("kind", KINDS)
def test_supported_formats_are_listed(tmp_path: Path, kind: str) -> None:
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
    Image.fromarray(grey).save(tmp_path / "map", kind)
    np.testing.assert_allclose(grey_values(tmp_path / "map"), grey[::-1] / 255.0, atol=0.05)


def test_16_bit_images_have_values_from_0_to_1(tmp_path: Path) -> None:
    deep = np.array([[0, 65535], [32768, 100]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / "map.png")
    np.testing.assert_allclose(grey_values(tmp_path / "map.png"), deep[::-1] / 65535.0)


def test_no_other_program_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> None:
        raise AssertionError("Ghostscript was run")

    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", run)
    monkeypatch.setattr(EpsImagePlugin, "has_ghostscript", lambda: True)
    (tmp_path / "map.png").write_bytes(EPS)
    with pytest.raises(SceneError, match=r"map\.png' cannot be used"):
        obstacle_solids(HeightField(x_m=0, y_m=0, picture="map.png"), tmp_path)


@pytest.mark.parametrize("kind", ["GIF", "TGA", "PDF", "WEBP", "ICO"])
def test_other_formats_are_refused_with_any_name(tmp_path: Path, kind: str) -> None:
    held = io.BytesIO()
    Image.new("L", (16, 16)).save(held, kind)
    (tmp_path / "map.png").write_bytes(held.getvalue())
    with pytest.raises(InputError, match=r"image.*grey\-scale"):
        grey_values(tmp_path / "map.png")


@pytest.mark.parametrize(
    ("width", "height", "message"),
    [
        (5000, 5000, "It has 5000 x 5000 pixels. Use 2 to 4096 pixels"),
        (14_000, 14_000, "It has far too many pixels"),
        (1, 9, "It has 1 x 9 pixels"),
        (2**31 - 1, 1, "pixels"),
    ],
)
def test_size_is_checked_before_decompression(
    tmp_path: Path, width: int, height: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unpacked(*_: object) -> None:
        raise AssertionError("it was unpacked")

    monkeypatch.setattr(Image.Image, "convert", unpacked)
    (tmp_path / "map.png").write_bytes(png(width, height, b""))
    with pytest.raises(InputError, match=message):
        grey_values(tmp_path / "map.png")


def test_damaged_image_is_reported(tmp_path: Path) -> None:
    sound = png(8, 8)
    for at in range(8, len(sound), 3):
        data = bytearray(sound)
        data[at] ^= 0xFF
        (tmp_path / "map.png").write_bytes(data)
        with contextlib.suppress(InputError):
            assert grey_values(tmp_path / "map.png").shape == (8, 8)
