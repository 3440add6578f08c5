"""Open the window."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from snakestudio.errors import UsageError
from snakestudio.inputs import local_path

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio gui`."""
    parser.add_argument(
        "scene", metavar="SCENE", nargs="?", type=Path, help="scene, study, or recorded run (.mcap), to open"
    )
    parser.add_argument("--play", action="store_true", help="begin to simulate as soon as the scene is open")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio [SCENE]`."""
    if options.scene is not None:  # a mistake is said here, where the command was typed
        if options.scene.suffix.lower() == ".mcap":
            from snakestudio.runfile.mcap import read_info

            read_info(options.scene)
        else:
            from snakestudio.model.scene_file import load_scene
            from snakestudio.study.study_file import is_study, load_study

            if is_study(options.scene):
                study = load_study(options.scene, whole=False)
                load_scene(local_path(study.scene, options.scene.parent))
            else:
                load_scene(options.scene)
    from snakestudio.viewmodel.no_window import NO_DISPLAY, missing_library

    named = [os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")]
    if sys.platform.startswith("linux") and not any(named):
        raise UsageError(NO_DISPLAY)
    from snakestudio.gui.app import run

    try:
        return run(options.scene, (lambda window: window.context.bridge.session.play()) if options.play else None)
    except ImportError as error:
        if reason := missing_library(str(error)):
            raise UsageError(reason) from None
        raise
