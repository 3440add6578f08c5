"""List every mistake in scene files, one sentence each: file, key, value, remedy."""

from __future__ import annotations

import argparse

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio check`."""
    parser.add_argument("scenes", metavar="SCENE", nargs="+", help="scene files")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio check`."""
    import sys

    from snakestudio import api

    mistakes = 0
    for name in options.scenes:
        problems = api.check(name)
        errors = [problem for problem in problems if problem.severity == "error"]
        mistakes += len(errors)
        for problem in problems:
            text = problem.sentence()
            if problem.severity == "error":
                print(f"{name}: {text}", file=sys.stderr)
            else:
                print(f"{name}: {problem.severity}: {text}")
        if not errors:
            print(f"{name}: no mistakes")
    return 2 if mistakes else 0
