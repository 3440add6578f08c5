"""Write a plug-in to begin with: it runs as it is, and comments say what to change."""

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
        "file", metavar="FILE", type=Path, help="Python file to write; the kind is called as it is"
    )
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio plugin new`."""
    from snakestudio.plugins.starting import new_plugin

    new_plugin(options.role, options.file, force=options.force)
    print(f"wrote {options.file}: its first lines say how to try it")
    return 0
