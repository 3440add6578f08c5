"""Create a plug-in from a template, which runs unchanged and has comments on what to change."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.plugins.starting import ROLES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio plugin new`."""
    parser.add_argument(
        "role", metavar="KIND", choices=ROLES, help=f"what it adds: {', '.join(ROLES)}"
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help="Python file to write; its name becomes the name of the kind",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing file")


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio plugin new`; return the exit code."""
    from snakestudio.plugins.starting import new_plugin

    new_plugin(options.role, options.file, force=options.force)
    print(f"wrote {options.file}; its first lines explain how to try it")
    return 0
