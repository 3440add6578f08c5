"""Options shared by the commands of studies and other commands with workers."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.errors import UsageError
from snakestudio.text import sentence

if TYPE_CHECKING:
    from snakestudio.study.cluster import Tls
    from snakestudio.study.running import Workers

_LOOK_S = 0.2
"""Interval of checks for the scheduler's file, s."""


def study_file(parser: argparse.ArgumentParser) -> None:
    """Declare the study's file."""
    parser.add_argument("study", metavar="FILE", help="the study's file (.toml)")


def include_implausible(parser: argparse.ArgumentParser) -> None:
    """Declare the option to let implausible runs count."""
    parser.add_argument(
        "--include-implausible",
        action="store_true",
        help="let runs that are not plausible count for the best points and the front",
    )


def add_cluster_arguments(parser: argparse.ArgumentParser, of_others: bool = False) -> None:
    """Declare the workers; with `of_others` only an existing scheduler."""
    who = parser.add_mutually_exclusive_group(required=of_others)
    if not of_others:
        who.add_argument(
            "--workers",
            metavar="N",
            type=int,
            help="processes on this computer (one per processor)",
        )
    who.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address of a running dask scheduler, such as tcp://host:8786",
    )
    who.add_argument(
        "--scheduler-file",
        metavar="F",
        help="file written by 'dask scheduler --scheduler-file' on a shared disk",
    )
    for name, what in (
        ("ca", "certificate of the trusted authority (PEM), for a tls:// address"),
        ("cert", "certificate of this computer (PEM)"),
        ("key", "key of this computer (PEM)"),
    ):
        parser.add_argument(f"--tls-{name}", metavar="F", help=what)


def workers_of(options: argparse.Namespace, least: int = 1) -> Workers:
    """Return the workers that the options select.

    Raises `UsageError` if the options are invalid.
    """
    from snakestudio.study.running import Workers

    return Workers.from_options(
        options.workers, scheduler_of(options), tls_of(options), least=least, prefix="--"
    )


def scheduler_of(options: argparse.Namespace, patience_s: float = 0.0) -> str | None:
    """Return the address of the scheduler that the options select; None if there is none.

    Raises `UsageError` if the file is missing or does not contain the address.

    Parameters
    ----------
    patience_s : float
        Time limit for the complete file to appear, s: workers of a batch system may start before
        the scheduler.
    """
    scheduler: str | None = options.scheduler
    if options.scheduler_file is None:
        return scheduler
    from snakestudio.inputs import NOTE, InputError, parse_json, read_text

    path = Path(options.scheduler_file)
    until = time.monotonic() + patience_s
    while True:
        try:
            values = parse_json(read_text(path, NOTE), NOTE)
            break
        except InputError as error:
            if time.monotonic() < until:
                time.sleep(_LOOK_S)
                continue
            remedy = "Check that 'dask scheduler --scheduler-file' writes this file."
            raise UsageError(
                f"--scheduler-file {path}: {sentence(error.message)} {remedy}"
            ) from None
    address = values.get("address") if isinstance(values, dict) else None
    if not isinstance(address, str):
        raise UsageError(
            f"--scheduler-file {path}: it does not contain the address of a scheduler. Give the file that"
            " 'dask scheduler --scheduler-file' writes."
        )
    return address


def tls_of(options: argparse.Namespace) -> Tls | None:
    """Return the TLS files that the options select; None if there are none.

    Raises `UsageError` if an option or a file is missing.
    """
    from snakestudio.study.cluster import Tls

    files = {
        "--tls-ca": options.tls_ca,
        "--tls-cert": options.tls_cert,
        "--tls-key": options.tls_key,
    }
    if not any(files.values()):
        return None
    for name, file in files.items():
        if not file:
            raise UsageError(
                f"{name} is missing. Give --tls-ca, --tls-cert and --tls-key together."
            )
        if not os.path.isfile(file):
            raise UsageError(f"{name} {file}: there is no such file. Check the path.")
    return Tls(*(Path(file) for file in files.values()))
