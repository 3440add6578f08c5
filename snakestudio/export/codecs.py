"""What a video can be encoded with: kinds by the ending of the file, codecs by name, and how good they shall be."""

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
    """A way to encode video."""

    label: str
    """What people call it."""

    kinds: tuple[str, ...]
    """Endings of the files it can stand in."""

    encoders: tuple[str, ...]
    """FFmpeg's encoders for it, the best first; which there are depends on the machine."""

    note: str
    """What it is good for."""

    bits: float
    """Bits a pixel and frame at "good", roughly: pictures of a scene with a robot that moves."""

    pixels: str = "yuv420p"
    """FFmpeg's name of its pixels."""


CODECS: dict[str, Codec] = {
    "h264": Codec(
        "H.264",
        (".mp4", ".mkv", ".mov"),
        ("libx264", "libopenh264", "h264_mf", "h264_videotoolbox"),
        "plays everywhere",
        0.07,
    ),
    "h265": Codec(
        "H.265 (HEVC)", (".mp4", ".mkv", ".mov"), ("libx265",), "smaller, for newer machines", 0.05
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
    "vp8": Codec("VP8", (".webm",), ("libvpx",), "free, for old browsers", 0.09),
    "prores": Codec(
        "ProRes 422", (".mov",), ("prores_ks",), "for cutting; large", 4.0, "yuv422p10le"
    ),
    "ffv1": Codec("FFV1", (".mkv",), ("ffv1",), "lossless; very large", 5.0, "bgr0"),
}

KINDS: dict[str, tuple[str, ...]] = {
    ".mp4": ("h264", "h265", "vp9", "av1"),
    ".mkv": ("h264", "h265", "vp9", "av1", "ffv1"),
    ".webm": ("vp9", "av1", "vp8"),
    ".mov": ("h264", "h265", "prores"),
}
"""Codecs of every kind of file, the usual one first."""

_QUALITY: dict[str, dict[Quality, str]] = {
    "libx264": {"small": "26", "good": "18", "best": "12"},
    "libx265": {"small": "28", "good": "21", "best": "14"},
    "libvpx-vp9": {"small": "36", "good": "24", "best": "14"},
    "libvpx": {"small": "20", "good": "8", "best": "4"},
    "libsvtav1": {"small": "42", "good": "30", "best": "18"},
}
"""Constant quality ("crf") of the encoders that know it; smaller numbers are better."""

_OPTIONS: dict[str, dict[str, str]] = {
    # Two renders shall be equal to the byte: x264's macroblock tree gave up to thirty different
    # files of the same frames in sixty runs (its vector code is at fault: with asm=0 they were
    # equal), without it they were all equal.
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
"""Bits a pixel and frame of what is no video."""

_PRORES: dict[Quality, str] = {"small": "lt", "good": "standard", "best": "hq"}


def encoder_of(codec: str) -> str | None:
    """FFmpeg's encoder that this machine has for a codec; None if it has none."""
    if find_spec("av") is None:  # a build without GPL parts: PyAV brings FFmpeg, and that x264
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
    """What FFmpeg is told for an encoder."""
    options = dict(_OPTIONS.get(encoder, {}))
    if encoder in _QUALITY:
        options["crf"] = _QUALITY[encoder][quality]
    if encoder == "prores_ks":
        options["profile"] = _PRORES[quality]
    return options


def codecs_for(suffix: str) -> list[str]:
    """Codecs that can stand in such a file and that this machine can encode, the usual one first."""
    return [codec for codec in KINDS.get(suffix, ()) if encoder_of(codec)]


def usual_ending() -> str:
    """Ending of a video's name where nobody has asked for another: an animation's where no video can be encoded."""
    return ".mp4" if codecs_for(".mp4") or codecs_for(".webm") else ".gif"


def estimated_bytes(suffix: str, codec: str, quality: Quality, pixels: int, n_frames: int) -> float:
    """About how large a video becomes: between half and twice that, depending on how much moves in it."""
    if suffix in _PICTURE_BITS:
        return _PICTURE_BITS[suffix] * pixels * n_frames / 8
    offered = codecs_for(suffix) or ["h264"]
    factor = {"small": 0.5, "good": 1.0, "best": 1.5}[quality]
    return CODECS[codec or offered[0]].bits * factor * pixels * n_frames / 8


def video_path(path: Path, codec: str = "") -> Path:
    """`path`, or the same name ending in .webm where no encoder for the wanted kind is installed.

    Names that end in .gif (an animation) or .png (a picture for every frame) are as good.

    Raises `ExportError` if the ending is no video's, the codec cannot be had or does not belong
    there, or nothing can be encoded.
    """
    suffix = path.suffix.lower()
    if suffix in (".gif", ".png"):
        if codec:
            raise ExportError(
                f"{path}: a {suffix[1:].upper()} has no codec; leave it out, or end the name in .mp4."
            )
        return path
    if suffix not in KINDS:
        raise ExportError(
            f"{path}: {suffix or 'no ending'} is no kind of video; end the name in .mp4, .mkv, .webm or .mov, in .gif "
            "for an animation, or in .png for a picture of every frame."
        )
    if find_spec("av") is None:
        raise ExportError(
            f"{path}: this build of SnakeStudio has no video encoder; end the name in .gif for an animation, or in "
            ".png for a picture of every frame."
        )
    if codec:
        if codec not in CODECS:
            raise ExportError(f"there is no codec {codec!r}; give one of {', '.join(CODECS)}.")
        if codec not in KINDS[suffix]:
            raise ExportError(
                f"{path}: {CODECS[codec].label} does not go into {suffix}; end the name in "
                f"{' or '.join(CODECS[codec].kinds)}, or choose {' or '.join(KINDS[suffix])}."
            )
        if not encoder_of(codec):
            offered = ", ".join(codecs_for(suffix)) or "none for this kind of file"
            raise ExportError(
                f"{path}: the installed PyAV cannot encode {CODECS[codec].label}; it offers {offered}."
            )
        return path
    if codecs_for(suffix):
        return path
    if codecs_for(".webm"):
        return path.with_suffix(".webm")
    raise ExportError(
        f"{path}: the installed PyAV has no video encoder; install a PyAV with libx264 or libvpx."
    )
