"""Simulate for a fit that runs in another process; started by it."""

from __future__ import annotations

import argparse
import os
import sys

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio fit-worker`: there are none."""


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio fit-worker`."""
    from snakestudio.analysis.fitting.worker import serve

    # Answers get the output for themselves: a library's stray line must not come between them.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(sys.stdin.buffer, answers)
    return 0
