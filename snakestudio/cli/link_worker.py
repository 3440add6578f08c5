"""Run the link to a robot for a window in another process, which starts it."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio link-worker`."""
    parser.add_argument("setup", help="handle of the shared memory with the setup")
    parser.add_argument("size", type=int, help="size of the memory in bytes")


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio link-worker`; return the exit code."""
    from snakestudio.link.process.link_process import serve

    serve(options.setup, options.size)
    return 0
