"""Options of the commands that write a video."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.export.video_options import VideoOptions

_CAMERAS = ("all", "follow")


def add_video_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for the look of a video."""
    group = parser.add_argument_group("video")
    group.add_argument("--fps", metavar="N", type=int, help="frames per second (30; 15 for a .gif)")
    group.add_argument(
        "--size", metavar="WxH", default="", help="size in pixels (1280x720; 640x360 for a .gif)"
    )
    group.add_argument(
        "--codec", metavar="NAME", default="", help="h264, h265, vp9, av1, vp8, prores or ffv1"
    )
    group.add_argument("--quality", default="good", help="small, good (the default) or best")
    group.add_argument(
        "--speed",
        metavar="X",
        type=float,
        default=1.0,
        help="simulated time per playback time; 0.5 is slow motion",
    )
    group.add_argument("--start", metavar="S", type=float, help="simulated time of the first frame")
    group.add_argument("--end", metavar="S", type=float, help="simulated time of the last frame")
    group.add_argument(
        "--camera",
        metavar="C",
        default="all",
        help="all (everything in view), follow (the robot), or a file of keyframes (.toml)",
    )
    group.add_argument(
        "--strip",
        metavar="COLUMN",
        nargs="+",
        action="extend",
        default=[],
        help="draw columns (as in the CSV) as curves below the frame",
    )
    group.add_argument("--friction", action="store_true", help="draw friction forces, too")
    group.add_argument(
        "--no-forces", action="store_true", help="do not draw arrows of contact forces"
    )
    group.add_argument("--no-trail", action="store_true", help="do not draw the trail")
    group.add_argument("--no-time", action="store_true", help="do not show the time in the frame")
    group.add_argument(
        "--force-scale",
        metavar="M",
        type=float,
        default=0.03,
        help="length of an arrow in m/N (0.03)",
    )
    group.add_argument("--light", action="store_true", help="use light colours")
    group.add_argument(
        "--supersample",
        metavar="N",
        type=int,
        default=1,
        help="render at N times the resolution and average (1)",
    )


def video_options(options: argparse.Namespace, path: Path) -> VideoOptions:
    """Return the options of a video to be written to `path`.

    Raises `UsageError` or `ExportError` if an option is invalid or not available: before a run, not
    after it.
    """
    from snakestudio.drawing.style import DARK, LIGHT
    from snakestudio.export.camera_path import load_camera_path
    from snakestudio.export.codecs import video_path
    from snakestudio.export.video_options import VideoOptions

    video_path(path, options.codec)
    animation = path.suffix.lower() == ".gif"
    width, height = _size(options.size or ("640x360" if animation else "1280x720"))
    keyed = options.camera not in _CAMERAS
    if keyed and not options.camera.lower().endswith(".toml"):
        raise UsageError(
            f"--camera {options.camera}: give all, follow, or a file of keyframes ending in .toml."
        )
    result = VideoOptions(
        width=width,
        height=height,
        fps=options.fps if options.fps is not None else 15 if animation else 30,
        speed=options.speed,
        start=options.start,
        end=options.end,
        follow=options.camera == "follow",
        path=load_camera_path(options.camera) if keyed else None,
        forces=not options.no_forces,
        friction_forces=options.friction,
        force_scale=options.force_scale,
        time_stamp=not options.no_time,
        trail_link=None if options.no_trail else -1,
        theme=LIGHT if options.light else DARK,
        strip=tuple(options.strip),
        supersample=options.supersample,
        codec=options.codec,
        quality=options.quality,
    )
    if result.size != (width, height):
        print(
            f"snakestudio: --size {width}x{height}: videos need even sizes; {result.size[0]}x{result.size[1]} is used.",
            file=sys.stderr,
        )
    return result


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise UsageError(f"--size {text}: write it as WIDTHxHEIGHT, such as 1280x720.")
    return int(width), int(height)
