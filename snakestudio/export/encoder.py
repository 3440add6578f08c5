"""Encoder of RGB frames to a video file with the best available codec of the installed FFmpeg."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import Self

import av
import numpy as np
from av.video.reformatter import ColorRange, VideoReformatter
from numpy.typing import NDArray

from snakestudio.export.codecs import CODECS, Quality, codecs_for, encoder_of, encoder_options

_BT709 = 1
"""Number of the primaries and the transfer of BT.709 (ITU-T H.273)."""

_DELAY = 3
"""Number of frames from which encoders reorder them."""


class Encoder:
    """Writer of a video file, frame by frame; a context manager.

    Parameters
    ----------
    path : path
        Its extension determines the container; `video_path` checks the availability.
    width, height : int
        Size of the frames, px; even numbers.
    fps : int
        Frames per second.
    title : str
        Title in the metadata.
    codec : str
        A key of `CODECS`; "" for the default of the file format.
    quality : str
        One of `QUALITIES`.
    """

    def __init__(
        self,
        path: Path,
        width: int,
        height: int,
        fps: int,
        title: str = "",
        codec: str = "",
        quality: Quality = "good",
    ) -> None:
        chosen = codec or codecs_for(path.suffix.lower())[0]
        encoder = encoder_of(chosen)
        assert encoder is not None, "video_path checks the codec"
        if encoder == "libsvtav1":
            os.environ.setdefault("SVT_LOG", "1")  # SVT-AV1 logs to the terminal by default
        options = {"fflags": "+bitexact"}
        is_mp4 = path.suffix.lower() in (".mp4", ".mov")
        if is_mp4:
            options["movflags"] = "+faststart"  # the index first, so that it plays while it loads
        self._container: av.container.OutputContainer = av.open(str(path), "w", options=options)
        self._container.metadata["title"] = title
        stream = self._container.add_stream(
            encoder, rate=fps, options=encoder_options(encoder, quality)
        )
        assert isinstance(stream, av.VideoStream)
        self._stream = stream
        self._stream.width = width
        self._stream.height = height
        self._stream.pix_fmt = CODECS[chosen].pixels
        context = self._stream.codec_context
        context.time_base = Fraction(1, fps)
        if chosen == "h265" and is_mp4:
            context.codec_tag = "hvc1"  # Apple's players refuse FFmpeg's default, "hev1"
        # Without a colour description, players guess the matrix from the height of the video.
        self._matrix = CODECS[chosen].matrix
        self._range = ColorRange.MPEG if self._matrix else ColorRange.JPEG
        context.colorspace = self._matrix
        context.color_primaries = context.color_trc = _BT709
        context.color_range = self._range
        self._reformatter = VideoReformatter()
        self._count = 0

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame, (height, width, 3), RGB."""
        picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
        picture = self._reformatter.reformat(
            picture,
            format=self._stream.pix_fmt,
            dst_colorspace=self._matrix or None,
            dst_color_range=self._range,
            dst_color_primaries=_BT709,
            dst_color_trc=_BT709,
        )
        picture.pts = self._count
        self._count += 1
        self._container.mux(self._stream.encode(picture))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                packets = self._stream.encode(None)
                if self._count < _DELAY:
                    # x265 leaves the times of so few frames undefined; they are not reordered.
                    for number, packet in enumerate(packets, self._count - len(packets)):
                        packet.pts = packet.dts = number
                self._container.mux(packets)
        finally:
            self._container.close()
