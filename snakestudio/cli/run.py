"""Run a scene without a window, as fast as it goes, and write what was asked for."""

from __future__ import annotations

import argparse
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.shared import ProgressLine, add_scene_arguments, assignments, not_the_scene, warm_up
from snakestudio.errors import ExportError, PhysicsError, UsageError

if TYPE_CHECKING:
    from snakestudio.api import Run

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio run`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "--from", metavar="T", type=float, dest="since",
        help="go on with a recorded run (SCENE is its .mcap file) from T seconds, as a new run; --set changes it there",
    )  # fmt: skip
    parser.add_argument("--csv", metavar="F", type=Path, help="write a CSV")
    parser.add_argument("--mcap", metavar="F", type=Path, help="record to a run file while it runs (.mcap)")
    parser.add_argument("--video", metavar="F", type=Path, help="write a video (.mp4, .mkv, .webm)")
    parser.add_argument("--fps", metavar="N", type=int, default=30, help="frames a second of the video (30)")
    parser.add_argument("--size", metavar="WxH", default="1280x720", help="size of the video (1280x720)")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio run`."""
    values = assignments(options.values)
    width, height = _size(options.size)

    from snakestudio import api
    from snakestudio.export.encoder import video_path
    from snakestudio.export.files import writable
    from snakestudio.export.video import VideoOptions, write_video

    if options.video is not None:
        # What cannot be written is said before the run, not after it.
        video_path(options.video)
        video = VideoOptions(width=width, height=height, fps=options.fps)
    not_the_scene(options.scene, options.csv, options.mcap, options.video)
    if options.mcap is not None:
        writable(options.mcap)
    line = ProgressLine()
    started = time.perf_counter()
    if options.since is not None:
        run, base_dir = _continued(options, values, line)
    else:
        scene, base_dir, changes = api.prepare(options.scene, options.duration, options.rate, values)
        warm_up([scene.model.kind], line)
        started = time.perf_counter()
        run = api.simulate_scene(
            scene,
            base_dir,
            changes,
            Path(options.scene).name,
            line.reporter("simulating", scene.run.duration_s),
            options.mcap,
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
    if options.mcap is not None:
        if run.trouble:
            raise ExportError(run.trouble)
        print(f"wrote {options.mcap}: {len(run.recording)} rows")
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


def _continued(options: argparse.Namespace, values: dict[str, Any], line: ProgressLine) -> tuple[Run, Path | None]:
    """The run that goes on from a moment of another one; what is to be known about it is said."""
    from snakestudio import api
    from snakestudio.session.run_file import open_run

    if Path(options.scene).suffix.lower() != ".mcap":
        raise UsageError(f"--from goes on with a recorded run: give its .mcap file in place of {options.scene}.")
    if options.rate is not None:
        raise UsageError("--rate cannot change while a run goes; leave it out together with --from.")
    with contextlib.closing(open_run(options.scene)) as old:
        warm_up([old.scene.model.kind], line)
    run, notes = api.continue_from(
        options.scene, options.since, options.duration, values, line.reporter("simulating"), options.mcap
    )
    line.clear()
    print(f"continued from {options.since:g} s of {Path(options.scene).name}")
    for note in notes:
        print(f"note: {note}")
    return run, run.base_dir


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise UsageError(f"--size {text}: write it as WIDTHxHEIGHT, like 1280x720.")
    return int(width), int(height)
