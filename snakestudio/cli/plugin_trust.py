"""Trust a plug-in with its present content, or all Python files in a folder, so that scenes can run them."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio plugin trust`."""
    parser.add_argument(
        "trusted", metavar="PLUGIN", nargs="+", help="a .py file, a folder, or an installed plug-in"
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio plugin trust`; return the exit code."""
    from snakestudio.plugins.trust import trust

    for plugin in options.trusted:
        print(trust(plugin))
    return 0
