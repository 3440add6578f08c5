"""Open the window."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from snakestudio.errors import UsageError

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
                load_scene(options.scene.parent / study.scene)
            else:
                load_scene(options.scene)
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        scene = options.scene or "SCENE"
        raise UsageError(f"There is no display for a window; run without one: snakestudio run {scene} --video run.mp4")
    from snakestudio.gui.app import run

    return run(options.scene, (lambda window: window.context.bridge.session.play()) if options.play else None)
