"""Stop trusting a plug-in or a folder."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio plugin forget`."""
    parser.add_argument(
        "forgotten",
        metavar="PLUGIN",
        nargs="+",
        help="a .py file, a folder, or an installed plug-in",
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio plugin forget`; return the exit code."""
    from snakestudio.plugins.trust import revoke_trust

    for plugin in options.forgotten:
        print(revoke_trust(plugin))
    return 0
