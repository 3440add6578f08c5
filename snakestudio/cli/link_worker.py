"""Be the link to a robot for a window in another process; started by it."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio link-worker`."""
    parser.add_argument("setup", help="handle of the memory that says what to do")
    parser.add_argument("size", type=int, help="bytes of it")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio link-worker`."""
    from snakestudio.link.process.link_process import serve

    serve(options.setup, options.size)
    return 0
