"""Tell in words how two scenes differ."""

from __future__ import annotations

import argparse

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio diff`."""
    parser.add_argument("before", metavar="A", help="scene file, or a CSV of a run")
    parser.add_argument("after", metavar="B", help="the scene it is compared with")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio diff`."""
    from snakestudio.model.scene_diff import difference_in_words
    from snakestudio.model.scene_file import load_scene

    words = difference_in_words(load_scene(options.before), load_scene(options.after))
    print("\n".join(words) if words else "no differences")
    return 0
