"""Run a scene without a window, as fast as it goes, and write what was asked for."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from snakestudio.cli.shared import ProgressLine, add_scene_arguments, assignments, not_the_scene, warm_up
from snakestudio.errors import PhysicsError, UsageError

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio run`."""
    add_scene_arguments(parser)
    parser.add_argument("--csv", metavar="F", type=Path, help="write a CSV")
    parser.add_argument("--video", metavar="F", type=Path, help="write a video (.mp4, .mkv, .webm)")
    parser.add_argument("--fps", metavar="N", type=int, default=30, help="frames a second of the video (30)")
    parser.add_argument("--size", metavar="WxH", default="1280x720", help="size of the video (1280x720)")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio run`."""
    values = assignments(options.values)
    width, height = _size(options.size)

    from snakestudio import api
    from snakestudio.export.codecs import video_path
    from snakestudio.export.video import VideoOptions, write_video

    if options.video is not None:
        # What cannot be written is said before the run, not after it.
        video_path(options.video)
        video = VideoOptions(width=width, height=height, fps=options.fps)
    not_the_scene(options.scene, options.csv, options.video)
    scene, base_dir, changes = api.prepare(options.scene, options.duration, options.rate, values)
    line = ProgressLine()
    warm_up([scene.model.kind], line)
    started = time.perf_counter()
    run = api.simulate_scene(
        scene, base_dir, changes, Path(options.scene).name, line.reporter("simulating", scene.run.duration_s)
    )
    line.clear()
    took = time.perf_counter() - started
    simulated = float(run.recording.times[-1])
    last = run.recording.rows(len(run.recording) - 1, len(run.recording))
    unconverged = int(last.solver_unconverged[0])
    worst = f", worst residual {run['solver_residual'].max():.1e}" if unconverged else ""
    print(
        f"{Path(options.scene).name}: {simulated:g} s simulated in {took:.2f} s, "
        f"{int(last.steps[0])} steps, {unconverged} unconverged{worst}"
    )
    if options.csv is not None:
        run.to_csv(options.csv)
        print(f"wrote {options.csv}: {len(run.recording)} rows")
    if options.video is not None:
        written = write_video(
            options.video, run.recording, video, progress=line.reporter("rendering"), base_dir=base_dir
        )
        line.clear()
        print(f"wrote {written}")
    if run.failure:
        raise PhysicsError(run.failure)
    return 0


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise UsageError(f"--size {text}: write it as WIDTHxHEIGHT, like 1280x720.")
    return int(width), int(height)
