"""Write numbers from the standard input as text; a helper process of long CSV exports."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio number-text`."""
    parser.add_argument(
        "counts", metavar="COLUMN", nargs="*", type=int, help="columns that hold counts, from 0"
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio number-text`; return the exit code."""
    import sys

    from snakestudio.export.number_text import serve

    serve(sys.stdin.buffer, sys.stdout.buffer, options.counts)
    return 0
