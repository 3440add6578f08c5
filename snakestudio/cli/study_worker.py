"""Compute for a study: connect to a dask scheduler, or to a program that runs a study, until it ends."""

from __future__ import annotations

import argparse

from snakestudio.cli.study_options import add_cluster_arguments, scheduler_of, tls_of
from snakestudio.errors import UsageError

_PATIENCE_S = 60.0
"""Time limit for the scheduler's file to appear, s."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study worker`."""
    add_cluster_arguments(parser, of_others=True)
    parser.add_argument("--name", help="name of the worker (its address if omitted)")
    parser.add_argument(
        "--threads", metavar="N", type=int, default=1, help="number of concurrent runs (1)"
    )
    parser.add_argument(
        "--until-closed", action="store_true", help="stop at the end of the standard input"
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio study worker`; return the exit code."""
    from snakestudio.study.worker import serve

    if options.threads < 1:
        raise UsageError(f"--threads {options.threads}: give an integer of at least 1.")
    scheduler = scheduler_of(options, _PATIENCE_S)
    assert scheduler is not None
    serve(scheduler, options.name, options.threads, options.until_closed, tls_of(options))
    return 0
