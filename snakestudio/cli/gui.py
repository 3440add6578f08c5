"""Open the window."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from snakestudio.cli.shared import SCENE_HELP, scene_path
from snakestudio.cli.streaming import add_stream_arguments, stream_target
from snakestudio.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio gui`."""
    parser.add_argument(
        "scene",
        metavar="SCENE",
        nargs="?",
        type=scene_path,
        help=f"{SCENE_HELP}; or a study or a recorded run (.mcap)",
    )
    add_window_options(parser)


def add_window_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options without the scene; they are valid without a command, too."""
    parser.add_argument(
        "--play", action="store_true", help="start the simulation when the scene has opened"
    )
    parser.add_argument(
        "--remote",
        metavar="PORT",
        nargs="?",
        type=int,
        const=0,
        help="allow remote control by programs on this computer (see 'snakestudio remote'; any free port if omitted)",
    )
    add_stream_arguments(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio [SCENE]`; return the exit code."""
    target = stream_target(options)
    if options.remote is not None and not 0 <= options.remote <= 65535:
        raise UsageError(f"--remote {options.remote} is not a port. Give a number up to 65535.")
    scene = None if options.scene is None else Path(options.scene)
    if scene is not None:  # report errors in the terminal, before the window opens
        if scene.suffix.lower() == ".mcap":
            from snakestudio.runfile.mcap import read_info

            read_info(scene)
        else:
            from snakestudio.model.scene_file import load_scene
            from snakestudio.study.study_file import is_study, load_study, scene_of

            if is_study(scene):
                study = load_study(scene, strict=False)
                load_scene(scene_of(study, scene))
            else:
                load_scene(scene)
    from snakestudio.viewmodel.no_window import NO_DISPLAY, missing_library

    named = [os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")]
    if sys.platform.startswith("linux") and not any(named):
        raise UsageError(NO_DISPLAY)
    from snakestudio.gui.app import run

    def begin(window: Any) -> None:
        context = window.context
        if options.remote is not None:
            context.remote.start(options.remote)
        if target is not None:
            context.streamer.start(target)
        if options.play:
            context.session_controller.session.play()

    try:
        return run(scene, begin)
    except ImportError as error:
        if reason := missing_library(str(error)):
            raise UsageError(reason) from None
        raise
