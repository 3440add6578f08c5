"""Write a recorded run as CSV, HDF5, MCAP, video or figures, or several of them.

RUN is a run file (.mcap), or a scene or an exported CSV, which is run first. A video can show a
second run next to the first, or overlaid as a ghost.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.outputs import Outputs, add_force_argument, folder_for_outputs, output
from snakestudio.cli.results import add_quiet_argument
from snakestudio.cli.shared import ProgressLine, scene_path, warm_up
from snakestudio.cli.video_options import add_video_arguments, video_options
from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.api import Run
    from snakestudio.export.video_options import VideoOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio export`."""
    parser.add_argument(
        "run",
        metavar="RUN",
        type=scene_path,
        help="run file (.mcap), or a CSV of a run or a scene (its file or name) to run again",
    )
    parser.add_argument(
        "second", metavar="RUN2", type=scene_path, nargs="?", help="another run, for the video"
    )
    parser.add_argument(
        "--csv", metavar="F", type=output, help="write a CSV (- for the standard output)"
    )
    parser.add_argument(
        "--hdf5", metavar="F", type=output, help="write an HDF5 file, with units and the scene"
    )
    parser.add_argument("--mcap", metavar="F", type=output, help="write a run file (.mcap)")
    parser.add_argument(
        "--to",
        metavar="F",
        type=output,
        action="append",
        default=[],
        dest="others",
        help="write a file in the format of its suffix, including formats of plug-ins (can be repeated)",
    )
    parser.add_argument(
        "--figures",
        metavar="FOLDER",
        type=Path,
        help="draw figures into this folder: general ones, and those of the papers for its scene",
    )
    parser.add_argument(
        "--figure-format", metavar="KIND", default="pdf", help="pdf, svg or png (pdf)"
    )
    parser.add_argument(
        "--video",
        metavar="F",
        type=output,
        help="write a video (.mp4, .mkv, .webm, .mov), a .gif, or .png images",
    )
    add_force_argument(parser)
    add_quiet_argument(parser)
    add_video_arguments(parser)
    parser.add_argument(
        "--ghost",
        action="store_true",
        help="overlay RUN2 as a ghost instead of showing it next to the run",
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio export`; return the exit code."""
    targets = [
        path
        for path in (options.csv, options.hdf5, options.mcap, options.video)
        if path is not None
    ]
    targets += options.others
    if not targets and options.figures is None:
        raise UsageError(
            "There is nothing to export. Give --csv, --hdf5, --mcap, --video or --to with a file name,"
            " or --figures with a folder."
        )
    if options.second is not None and options.video is None:
        raise UsageError(f"{options.second}: a second run needs a video. Give --video, too.")
    if options.ghost and options.second is None:
        raise UsageError("--ghost needs a second run. Give one to show as the ghost.")
    video = video_options(options, options.video) if options.video is not None else None
    if options.others:
        from snakestudio.export.formats import format_of

        for path in options.others:
            format_of(path)
    outputs = Outputs(options, (options.run, options.second), *targets)
    if options.figures is not None:
        folder_for_outputs(options.figures)
    with ExitStack() as stack:
        _write(options, video, outputs, stack)
    return 0


def _write(
    options: argparse.Namespace, video: VideoOptions | None, outputs: Outputs, stack: ExitStack
) -> None:
    """Open the sources, which `stack` closes, and write all files."""
    line = ProgressLine(options)
    run = _run(options.run, line, stack, to_mcap=options.mcap is not None)
    second = _run(options.second, line, stack) if options.second is not None else None
    if video is not None:
        from snakestudio.export.video_options import check_columns

        check_columns(video.strip, run.columns)
    for path, write, doing in (
        (options.csv, _csv, "writing CSV"),
        (options.hdf5, _hdf5, "writing HDF5"),
        (options.mcap, _mcap, "writing MCAP"),
    ):
        if path is not None:
            with outputs.place(path) as file:
                write(file, run, line.reporter(doing))
                line.clear()
                print(f"wrote {file}: {len(run.recording)} rows")
    if options.others:
        from snakestudio.export.formats import format_of, write_as

        for path in options.others:
            with outputs.place(path) as file:
                write_as(format_of(path), run, file)
                print(f"wrote {file}")
    if options.figures is not None:
        from snakestudio.export.figures.make import FigureOutput, write_run_figures

        figures = FigureOutput(options.figures, f".{options.figure_format.lower().lstrip('.')}")
        written = write_run_figures(
            figures, run.recording, run.scene_file, progress=line.reporter("drawing")
        )
        line.clear()
        print(f"wrote {len(written)} figures to {options.figures}")
    if video is not None:
        from snakestudio.export.video import write_video
        from snakestudio.export.video_options import Companion

        ghosts: tuple[Companion, ...] = ()
        companion = (
            Companion(second.recording, _name(options.second)) if second is not None else None
        )
        if companion is not None and options.ghost:
            ghosts = (companion,)
            companion = None
        with outputs.place(options.video) as file:
            film = write_video(
                file,
                run.recording,
                video,
                line.reporter("rendering"),
                base_dir=run.base_dir,
                ghosts=ghosts,
                companion=companion,
                name=_name(options.run),
            )
            line.clear()
            print(f"wrote {film}")


def _name(source: str) -> str:
    """Label of a run in figures and videos."""
    return Path(source).stem.replace("_", " ")


def _run(source: str, line: ProgressLine, stack: ExitStack, *, to_mcap: bool = False) -> Run:
    """The run in a file; a scene or a CSV is run first."""
    from snakestudio import api
    from snakestudio.runfile.mcap import RunFile

    if Path(source).suffix.lower() == ".mcap":
        loaded = api.load_run(source)
        stack.callback(loaded.close)
        if isinstance(loaded.recording, RunFile) and loaded.recording.cut_off:
            until = f"{loaded.recording.info.duration:.4g} s"
            print(
                f"{Path(source).name}: its recording is truncated; it is exported up to {until}.",
                file=sys.stderr,
            )
            if not to_mcap:
                print(loaded.recording.cut_off, file=sys.stderr)
        return loaded
    scene, base_dir, changes = api.prepare(source)
    warm_up([scene.model.kind], line)
    print(f"{Path(source).name}: running the scene for {scene.run.duration_s:g} s...", flush=True)
    run = api.simulate_scene(
        scene,
        base_dir,
        changes,
        Path(source).name,
        line.reporter("simulating", scene.run.duration_s),
    )
    line.clear()
    if run.failure:
        print(f"{Path(source).name}: {run.failure} The rows up to then are exported.")
    return run


def _csv(path: Path, run: Run, progress: Callable[[float], bool]) -> None:
    from snakestudio.export.csv import write_csv

    write_csv(path, run.recording, run.scene_file, progress)


def _hdf5(path: Path, run: Run, progress: Callable[[float], bool]) -> None:
    from snakestudio.export.hdf5 import write_hdf5

    write_hdf5(path, run.recording, run.scene_file, progress)


def _mcap(path: Path, run: Run, progress: Callable[[float], bool]) -> None:
    from snakestudio.export.mcap import write_mcap

    write_mcap(path, run.recording, run.scene_file, progress, base_dir=run.base_dir)
