"""Write a recorded run as CSV, HDF5, MCAP, video or figures, or several of them, or in a format of a plug-in.

RUN is a run file (.mcap), or a scene or an exported CSV, which is run first. A video can show a
second run next to the first, or overlaid as a ghost.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.exports import NAMES, Export, add_export_arguments, report, requested
from snakestudio.cli.outputs import Outputs, add_force_argument, folder_for_outputs
from snakestudio.cli.results import add_quiet_argument
from snakestudio.cli.shared import ProgressLine, scene_path, warm_up
from snakestudio.cli.video_options import add_video_arguments
from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.api import Run
    from snakestudio.export.formats import SceneSource


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
    add_export_arguments(parser)
    parser.add_argument(
        "--figure-format", metavar="KIND", default="pdf", help="pdf, svg or png (pdf)"
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
    exports = requested(options)
    if not exports:
        names = ", ".join(f"--{name}" for name in NAMES)
        raise UsageError(
            f"There is nothing to export. Give {names} or --to with a file name (--figures with a folder)."
        )
    has_video = any(export.kind.name == "video" for export in exports)
    if options.second is not None and not has_video:
        raise UsageError(f"{options.second}: a second run needs a video. Give --video, too.")
    if options.ghost and options.second is None:
        raise UsageError("--ghost needs a second run. Give one to show as the ghost.")
    files = [export.path for export in exports if export.kind.ending]
    outputs = Outputs(options, (options.run, options.second), *files)
    for export in exports:
        if not export.kind.ending:
            folder_for_outputs(export.path)
    with ExitStack() as stack:
        _write(options, exports, outputs, stack)
    return 0


def _write(
    options: argparse.Namespace, exports: Sequence[Export], outputs: Outputs, stack: ExitStack
) -> None:
    """Open the sources, which `stack` closes, and write all files."""
    line = ProgressLine(options)
    if all(export.kind.subject == "scene" for export in exports):
        source: Run | SceneSource = _scene(options.run, outputs)
        for export in exports:
            _write_one(export, source, outputs, line)
        return
    to_mcap = any(export.kind.name == "mcap" for export in exports)
    run = _run(options.run, line, stack, to_mcap=to_mcap)
    second = _run(options.second, line, stack) if options.second is not None else None
    exports = [_with_second(options, export, run, second) for export in exports]
    for export in exports:
        _write_one(export, run, outputs, line)


def _write_one(
    export: Export, source: Run | SceneSource, outputs: Outputs, line: ProgressLine
) -> None:
    output = outputs.target(export.path) if export.kind.ending else nullcontext(export.path)
    with output as path:
        written = export.write(source, path, line.reporter(f"writing {export.kind.title}"))
        line.clear()
        assert written is not None, "the progress line does not cancel"
        report(written)


def _scene(name: str, outputs: Outputs) -> SceneSource:
    """Return the scene in a file, which formats of scenes do not run."""
    from snakestudio import api
    from snakestudio.export.formats import SceneSource

    scene, base_dir, _ = api.prepare(name)
    outputs.spare_files_of(scene, base_dir)
    return SceneSource(scene, base_dir)


def _with_second(
    options: argparse.Namespace, export: Export, run: Run, second: Run | None
) -> Export:
    """Return a video with the second run, after a check of its columns; other exports as they are.

    Raises `UsageError` if a column does not exist.
    """
    if export.kind.name != "video":
        return export
    from snakestudio.export.video_options import Companion, check_columns

    check_columns(export.options.strip, run.columns)
    other = None if second is None else Companion(second.recording, _name(options.second))
    video = replace(
        export.options,
        name=_name(options.run),
        ghosts=(other,) if options.ghost and other is not None else (),
        companion=None if options.ghost else other,
    )
    return export._replace(options=video)


def _name(source: str) -> str:
    """Return the label of a run in figures and videos."""
    return Path(source).stem.replace("_", " ")


def _run(source: str, line: ProgressLine, stack: ExitStack, *, to_mcap: bool = False) -> Run:
    """Return the run in a file; a scene or a CSV is run first."""
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
