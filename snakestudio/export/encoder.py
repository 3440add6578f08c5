"""Encoder of RGB frames to a video file with the best available codec of the installed FFmpeg."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import Self

import av
import numpy as np
from numpy.typing import NDArray

from snakestudio.export.codecs import CODECS, Quality, codecs_for, encoder_of, encoder_options


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
            os.environ.setdefault("SVT_LOG", "1")  # otherwise it logs to the terminal
        self._container: av.container.OutputContainer = av.open(
            str(path), "w", options={"fflags": "+bitexact"}
        )
        self._container.metadata["title"] = title
        stream = self._container.add_stream(
            encoder, rate=fps, options=encoder_options(encoder, quality)
        )
        assert isinstance(stream, av.VideoStream)
        self._stream = stream
        self._stream.width = width
        self._stream.height = height
        self._stream.pix_fmt = CODECS[chosen].pixels
        self._stream.codec_context.time_base = Fraction(1, fps)
        self._count = 0

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame, (height, width, 3), RGB."""
        picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
        picture.pts = self._count
        self._count += 1
        self._container.mux(self._stream.encode(picture))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._container.mux(self._stream.encode(None))
        finally:
            self._container.close()
