"""Tell in words how two scenes differ."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio diff`."""
    parser.add_argument("before", metavar="A", help="scene file, or a CSV of a run")
    parser.add_argument("after", metavar="B", help="the scene it is compared with")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio diff`."""
    from snakestudio.model.scene_diff import difference_in_words
    from snakestudio.model.scene_file import load_scene
    from snakestudio.plugins.scenes import named_plugins, without_running

    with without_running():
        before, after = load_scene(options.before), load_scene(options.after)
    words = difference_in_words(before, after)
    for name, scene in ((options.before, before), (options.after, after)):
        for plugin in named_plugins(scene.plugins, Path(name).parent):
            if plugin.state != "loaded":
                text = f"{name}: The plug-in {plugin.name} was not run; values of its kinds were not checked."
                print(text, file=sys.stderr)
    print("\n".join(words) if words else "no differences")
    return 0
