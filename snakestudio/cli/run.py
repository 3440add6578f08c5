"""Run a scene without a window, as fast as it goes, and write what was asked for."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from snakestudio.cli.shared import ProgressLine, add_scene_arguments, assignments, not_the_scene, warm_up
from snakestudio.cli.video_options import add_video_arguments, video_options
from snakestudio.errors import ExportError, PhysicsError

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio run`."""
    add_scene_arguments(parser)
    parser.add_argument("--csv", metavar="F", type=Path, help="write a CSV")
    parser.add_argument("--hdf5", metavar="F", type=Path, help="write an HDF5 file, with units and the scene")
    parser.add_argument("--mcap", metavar="F", type=Path, help="record to a run file while it runs (.mcap)")
    parser.add_argument(
        "--video", metavar="F", type=Path, help="write a video (.mp4, .mkv, .webm, .mov), a .gif, or .png pictures"
    )
    add_video_arguments(parser)


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio run`."""
    values = assignments(options.values)

    from snakestudio import api
    from snakestudio.export.files import writable

    # What cannot be written is said before the run, not after it.
    video = video_options(options, options.video) if options.video is not None else None
    not_the_scene(options.scene, options.csv, options.hdf5, options.mcap, options.video)
    if options.mcap is not None:
        writable(options.mcap)
    scene, base_dir, changes = api.prepare(options.scene, options.duration, options.rate, values)
    line = ProgressLine()
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
    if options.hdf5 is not None:
        run.to_hdf5(options.hdf5)
        print(f"wrote {options.hdf5}: {len(run.recording)} rows")
    if video is not None:
        from snakestudio.export.video import write_video

        written = write_video(
            options.video, run.recording, video, progress=line.reporter("rendering"), base_dir=base_dir
        )
        line.clear()
        print(f"wrote {written}")
    if run.failure:
        raise PhysicsError(run.failure)
    return 0
