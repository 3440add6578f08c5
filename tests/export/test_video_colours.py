"""Colours and layout of video files: every codec decodes to the drawn colours, and files state how to decode them."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from snakestudio.export.codecs import KINDS, encoder_of
from snakestudio.export.encoder import Encoder

COLOURS = np.array(
    [(73, 233, 164), (200, 30, 30), (30, 40, 220), (240, 240, 240), (16, 20, 24), (255, 200, 0)],
    np.uint8,
)
FORMATS = [(codec, kind) for kind, codecs in KINDS.items() for codec in codecs]
SIZES = [(256, 144), (1280, 720)]


def bars(width: int, height: int) -> np.ndarray:
    """An image of vertical bars, one for each colour."""
    index = np.arange(width) * len(COLOURS) // width
    return np.broadcast_to(COLOURS[index], (height, width, 3))


def encode(path: Path, size: tuple[int, int], codec: str, count: int = 4) -> Path:
    assert encoder_of(codec) is not None
    with Encoder(path, *size, 10, "Bars", codec, "best") as encoder:
        for _ in range(count):
            encoder.write(bars(*size))
    return path


@pytest.mark.parametrize("size", SIZES, ids=["small", "hd"])
@pytest.mark.parametrize(("codec", "kind"), FORMATS)
def test_decoded_colours_are_those_of_the_image(
    tmp_path: Path, codec: str, kind: str, size: tuple[int, int]
) -> None:
    path = encode(tmp_path / f"a{kind}", size, codec)
    with av.open(str(path)) as container:
        context = container.streams.video[0].codec_context
        (frame, *_) = list(container.decode(video=0))
    # ITU-T H.273: 1 is BT.709, 5 is BT.601 and 0 is RGB.
    matrix = {"vp8": 5, "ffv1": 0}.get(codec, 1)
    assert (context.colorspace, frame.colorspace) == (matrix, matrix)
    assert (context.color_primaries, context.color_trc) == (1, 1)
    image = frame.to_ndarray(format="rgb24")
    middles = (2 * np.arange(len(COLOURS)) + 1) * size[0] // (2 * len(COLOURS))
    np.testing.assert_allclose(image[size[1] // 2, middles].astype(int), COLOURS, atol=4)


@pytest.mark.parametrize("kind", [".mp4", ".mov"])
def test_h265_has_the_tag_of_apples_players(tmp_path: Path, kind: str) -> None:
    path = encode(tmp_path / f"a{kind}", SIZES[0], "h265")
    with av.open(str(path)) as container:
        assert container.streams.video[0].codec_context.codec_tag == "hvc1"


@pytest.mark.parametrize(
    ("codec", "kind"), [each for each in FORMATS if each[1] in (".mp4", ".mov")]
)
def test_index_precedes_the_frames(tmp_path: Path, codec: str, kind: str) -> None:
    data = encode(tmp_path / f"a{kind}", SIZES[0], codec).read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(("codec", "kind"), FORMATS)
def test_short_videos_have_all_frames_in_order(
    tmp_path: Path, codec: str, kind: str, count: int
) -> None:
    for attempt in range(4):  # x265 leaves their times undefined, which fails only sometimes
        path = encode(tmp_path / f"{attempt}{kind}", SIZES[0], codec, count)
        with av.open(str(path)) as container:
            times = [frame.time for frame in container.decode(video=0)]
        np.testing.assert_allclose(times, np.arange(count) / 10, atol=0.002)
