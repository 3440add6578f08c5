"""Time engines for `snakestudio tune`, which runs this in processes that compute for one target each."""

from __future__ import annotations

import argparse
import os
import sys

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio time-engines`: there are none."""


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio time-engines`: answers questions until the standard input ends."""
    from snakestudio.session.tuning import serve

    # Answers get the output for themselves: a library's stray line must not come between them.
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(sys.stdin, lambda line: print(line, file=answers, flush=True))
    return 0
