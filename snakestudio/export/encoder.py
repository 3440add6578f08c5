"""Turns RGB frames into a video file with whichever good codec the installed FFmpeg offers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import ExportError

__all__ = ["Encoder", "video_path"]

_CODECS = {
    ".mp4": ("libx264", "libopenh264", "h264_mf", "h264_videotoolbox"),
    ".mkv": ("libx264", "libopenh264", "libvpx-vp9"),
    ".webm": ("libvpx-vp9", "libvpx"),
}
_OPTIONS = {
    # Two renders shall be equal to the byte: x264's macroblock tree gave up to thirty different files of the same
    # frames in sixty runs (its vector code is at fault: with asm=0 they were equal), without it they were all equal.
    "libx264": {"crf": "18", "preset": "medium", "threads": "1", "x264-params": "mbtree=0"},
    "libvpx-vp9": {"crf": "24", "b": "0", "row-mt": "1", "cpu-used": "4"},
    "libvpx": {"crf": "8", "b": "8M"},
}


def _codec(suffix: str) -> str | None:
    for name in _CODECS[suffix]:
        try:
            av.Codec(name, "w")
        except (av.FFmpegError, ValueError):
            continue
        return name
    return None


def video_path(path: Path) -> Path:
    """`path`, or the same name ending in .webm where no encoder for the wanted kind is installed.

    Raises
    ------
    ExportError
        If the ending is no video's, or nothing can be encoded at all.
    """
    suffix = path.suffix.lower()
    if suffix not in _CODECS:
        raise ExportError(f"{path}: {suffix or 'no ending'} is no kind of video; end the name in .mp4, .mkv or .webm.")
    if _codec(suffix):
        return path
    if _codec(".webm"):
        return path.with_suffix(".webm")
    raise ExportError(f"{path}: the installed PyAV has no video encoder; install a PyAV with libx264 or libvpx.")


class Encoder:
    """A video file being written, frame by frame; a context manager.

    Parameters
    ----------
    path : path
        Its ending chooses the container.
    width, height : int
        Size of the frames, px; even numbers.
    fps : int
        Frames a second.
    title : str
        Title in the metadata.
    """

    def __init__(self, path: Path, width: int, height: int, fps: int, title: str = "") -> None:
        codec = _codec(path.suffix.lower())
        assert codec is not None, "video_path says which endings can be encoded"
        self._container = av.open(str(path), "w", options={"fflags": "+bitexact"})
        self._container.metadata["title"] = title
        stream = self._container.add_stream(codec, rate=fps, options=_OPTIONS.get(codec, {}))
        assert isinstance(stream, av.VideoStream)
        self._stream: av.VideoStream = stream
        self._stream.width, self._stream.height = width, height
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = Fraction(1, fps)
        self._count = 0

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame, (height, width, 3), RGB."""
        picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
        picture.pts = self._count
        self._count += 1
        self._container.mux(self._stream.encode(picture))

    def __enter__(self) -> Encoder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._container.mux(self._stream.encode(None))
        finally:
            self._container.close()
