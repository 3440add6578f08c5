"""Write numbers from the standard input as text; a long CSV export runs this beside itself."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio number-text`."""
    parser.add_argument(
        "counts", metavar="COLUMN", nargs="*", type=int, help="columns that hold counts, from 0"
    )


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio number-text`."""
    import sys

    from snakestudio.export.number_text import serve

    serve(sys.stdin.buffer, sys.stdout.buffer, options.counts)
    return 0
