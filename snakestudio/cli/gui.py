"""Open the window."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from snakestudio.cli.shared import SCENE_HELP, scene_path
from snakestudio.errors import UsageError

__all__ = ["add_arguments", "add_window_options", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio gui`."""
    parser.add_argument(
        "scene", metavar="SCENE", nargs="?", type=scene_path, help=f"{SCENE_HELP}; or a study or a recorded run (.mcap)"
    )
    add_window_options(parser)


def add_window_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options without the scene: they may stand without a command, too."""
    parser.add_argument("--play", action="store_true", help="start the simulation as soon as the scene is open")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio [SCENE]`."""
    scene = None if options.scene is None else Path(options.scene)
    if scene is not None:  # a mistake is said here, where the command was typed
        if scene.suffix.lower() == ".mcap":
            from snakestudio.runfile.mcap import read_info

            read_info(scene)
        else:
            from snakestudio.model.scene_file import load_scene
            from snakestudio.study.study_file import is_study, load_study, scene_of

            if is_study(scene):
                study = load_study(scene, whole=False)
                load_scene(scene_of(study, scene))
            else:
                load_scene(scene)
    from snakestudio.viewmodel.no_window import NO_DISPLAY, missing_library

    named = [os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")]
    if sys.platform.startswith("linux") and not any(named):
        raise UsageError(NO_DISPLAY)
    from snakestudio.gui.app import run

    try:
        return run(scene, (lambda window: window.context.bridge.session.play()) if options.play else None)
    except ImportError as error:
        if reason := missing_library(str(error)):
            raise UsageError(reason) from None
        raise
