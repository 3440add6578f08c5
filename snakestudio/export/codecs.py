"""Video formats: file extensions, codecs and quality levels."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from snakestudio.errors import ExportError

Quality = Literal["small", "good", "best"]
QUALITIES: tuple[Quality, ...] = ("small", "good", "best")


@dataclass(frozen=True, slots=True)
class Codec:
    """A video codec."""

    label: str
    """Label for people."""

    kinds: tuple[str, ...]
    """Extensions of the files that can contain it."""

    encoders: tuple[str, ...]
    """FFmpeg's encoders for it, in order of preference; availability depends on the machine."""

    note: str
    """Recommended use."""

    bits: float
    """Approximate bits per pixel and frame at "good", for images of a scene with a moving robot."""

    pixels: str = "yuv420p"
    """FFmpeg's name of its pixel format."""

    matrix: int = 1
    """Number of its conversion from RGB (ITU-T H.273): 1 is BT.709, 0 leaves RGB as it is."""


CODECS: dict[str, Codec] = {
    "h264": Codec(
        "H.264",
        (".mp4", ".mkv", ".mov"),
        ("libx264", "libopenh264", "h264_mf", "h264_videotoolbox"),
        "plays everywhere",
        0.07,
    ),
    "h265": Codec(
        "H.265 (HEVC)", (".mp4", ".mkv", ".mov"), ("libx265",), "smaller, for newer computers", 0.05
    ),
    "vp9": Codec(
        "VP9", (".webm", ".mkv", ".mp4"), ("libvpx-vp9",), "free, plays in every browser", 0.055
    ),
    "av1": Codec(
        "AV1",
        (".webm", ".mkv", ".mp4"),
        ("libsvtav1",),
        "smallest files, free, newer browsers",
        0.04,
    ),
    # VP8 is BT.601 by definition (RFC 6386, section 9.2).
    "vp8": Codec("VP8", (".webm",), ("libvpx",), "free, for old browsers", 0.09, matrix=5),
    "prores": Codec(
        "ProRes 422", (".mov",), ("prores_ks",), "for editing; large", 4.0, "yuv422p10le"
    ),
    "ffv1": Codec("FFV1", (".mkv",), ("ffv1",), "lossless; very large", 5.0, "bgr0", 0),
}

KINDS: dict[str, tuple[str, ...]] = {
    ".mp4": ("h264", "h265", "vp9", "av1"),
    ".mkv": ("h264", "h265", "vp9", "av1", "ffv1"),
    ".webm": ("vp9", "av1", "vp8"),
    ".mov": ("h264", "h265", "prores"),
}
"""Codecs for each file extension, the default first."""

_QUALITY: dict[str, dict[Quality, str]] = {
    "libx264": {"small": "26", "good": "18", "best": "12"},
    "libx265": {"small": "28", "good": "21", "best": "14"},
    "libvpx-vp9": {"small": "36", "good": "24", "best": "14"},
    "libvpx": {"small": "20", "good": "8", "best": "4"},
    "libsvtav1": {"small": "42", "good": "30", "best": "18"},
}
"""Constant quality ("crf") for the encoders that support it; smaller numbers are better."""

_OPTIONS: dict[str, dict[str, str]] = {
    # Two renderings must be identical byte by byte: with x264's macroblock tree, the same frames
    # produced up to thirty different files in sixty runs (due to its vector code: with asm=0 they were
    # identical); without it they were all identical.
    "libx264": {"preset": "medium", "threads": "1", "x264-params": "mbtree=0"},
    "libx265": {
        "preset": "medium",
        "threads": "1",
        "x265-params": "pools=none:frame-threads=1:log-level=error",
    },
    "libvpx-vp9": {"b": "0", "row-mt": "1", "cpu-used": "4"},
    "libvpx": {"b": "8M"},
    "libsvtav1": {"preset": "8", "svtav1-params": "lp=1"},
    "prores_ks": {"profile": "standard", "threads": "1"},
    "ffv1": {"level": "3", "threads": "1"},
}

_PICTURE_BITS = {".gif": 1.5, ".png": 5.0}
"""Approximate bits per pixel and frame of formats that are not videos."""

_PRORES: dict[Quality, str] = {"small": "lt", "good": "standard", "best": "hq"}


def encoder_of(codec: str) -> str | None:
    """Return the FFmpeg's encoder for a codec on this machine; None if there is none."""
    if find_spec("av") is None:  # a build without GPL parts: PyAV includes FFmpeg with x264
        return None
    import av

    for name in CODECS[codec].encoders:
        try:
            av.Codec(name, "w")
        except (av.FFmpegError, ValueError):
            continue
        return name
    return None


def encoder_options(encoder: str, quality: Quality) -> dict[str, str]:
    """Return the FFmpeg options for an encoder."""
    options = dict(_OPTIONS.get(encoder, {}))
    if encoder in _QUALITY:
        options["crf"] = _QUALITY[encoder][quality]
    if encoder == "prores_ks":
        options["profile"] = _PRORES[quality]
    return options


def codecs_for(suffix: str) -> list[str]:
    """Return the codecs that such a file can contain and this machine can encode, the default first."""
    return [codec for codec in KINDS.get(suffix, ()) if encoder_of(codec)]


def usual_ending() -> str:
    """Default extension of videos: that of an animation if no video can be encoded."""
    return ".mp4" if codecs_for(".mp4") or codecs_for(".webm") else ".gif"


def estimated_bytes(suffix: str, codec: str, quality: Quality, pixels: int, n_frames: int) -> float:
    """Return the estimated size of a video, to within a factor of two, depending on the amount of motion."""
    if suffix in _PICTURE_BITS:
        return _PICTURE_BITS[suffix] * pixels * n_frames / 8
    offered = codecs_for(suffix) or ["h264"]
    factor = {"small": 0.5, "good": 1.0, "best": 1.5}[quality]
    return CODECS[codec or offered[0]].bits * factor * pixels * n_frames / 8


def video_path(path: Path, codec: str = "") -> Path:
    """`path`, or the same name with .webm if no encoder for the requested format is installed.

    Names that end in .gif (animation) or .png (an image for each frame) are also accepted.

    Raises `ExportError` if the extension is not that of a video, the codec is not available or does not fit
    the file, or nothing can be encoded.
    """
    suffix = path.suffix.lower()
    if suffix in (".gif", ".png"):
        if codec:
            raise ExportError(
                f"{path}: A {suffix[1:].upper()} has no codec. Remove the codec, or end the name in .mp4."
            )
        return path
    if suffix not in KINDS:
        raise ExportError(
            f"{path}: {suffix or 'no extension'} is not a video format. End the name in .mp4, .mkv, .webm or .mov, in "
            ".gif for an animation, or in .png for an image of each frame."
        )
    if find_spec("av") is None:
        raise ExportError(
            f"{path}: This build of SnakeStudio has no video encoder. End the name in .gif for an animation, or in "
            ".png for an image of each frame."
        )
    if codec:
        if codec not in CODECS:
            raise ExportError(f"There is no codec {codec!r}. Choose one of {', '.join(CODECS)}.")
        if codec not in KINDS[suffix]:
            raise ExportError(
                f"{path}: A {suffix} file cannot contain {CODECS[codec].label}. End the name in "
                f"{' or '.join(CODECS[codec].kinds)}, or choose {' or '.join(KINDS[suffix])}."
            )
        if not encoder_of(codec):
            offered = ", ".join(codecs_for(suffix)) or "no codec for this format"
            raise ExportError(
                f"{path}: The installed PyAV cannot encode {CODECS[codec].label}. Choose one of these: {offered}."
            )
        return path
    if codecs_for(suffix):
        return path
    if codecs_for(".webm"):
        return path.with_suffix(".webm")
    raise ExportError(
        f"{path}: The installed PyAV has no video encoder. Install a PyAV with libx264 or libvpx."
    )
