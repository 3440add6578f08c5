"""Compute for a study: join a scheduler, which is dask's or that of a program that runs a study, until it goes."""

from __future__ import annotations

import argparse

from snakestudio.cli.study_options import add_cluster_arguments, scheduler_of, tls_of
from snakestudio.errors import UsageError

_PATIENCE_S = 60.0
"""How long the scheduler's file may take to appear."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study worker`."""
    add_cluster_arguments(parser, of_others=True)
    parser.add_argument("--name", help="what the worker is called (its address, if left out)")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="runs at once (1)")
    parser.add_argument(
        "--until-closed", action="store_true", help="end when the standard input ends"
    )


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio study worker`."""
    from snakestudio.study.worker import serve

    if options.threads < 1:
        raise UsageError(f"--threads {options.threads}: give a whole number from 1.")
    scheduler = scheduler_of(options, _PATIENCE_S)
    assert scheduler is not None
    serve(scheduler, options.name, options.threads, options.until_closed, tls_of(options))
    return 0
