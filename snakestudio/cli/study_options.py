"""Options that the commands of studies, and others that have workers, share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.study.cluster import Tls
    from snakestudio.study.running import Workers

__all__ = ["add_cluster_arguments", "add_tls_arguments", "study_file", "tls_of", "workers_of"]


def study_file(parser: argparse.ArgumentParser) -> None:
    """Declare the study's file."""
    parser.add_argument("study", metavar="FILE", help="the study's file (.toml)")


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare who computes."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--workers", metavar="N", type=int, help="processes of this machine (as many as processors)")
    who.add_argument(
        "--scheduler", metavar="ADDRESS", help="a dask scheduler that is there already, like tcp://host:8786"
    )
    add_tls_arguments(parser)


def workers_of(options: argparse.Namespace, least: int = 1) -> Workers:
    """Who computes, as the options say.

    Raises
    ------
    UsageError
        If they make no sense.
    """
    from snakestudio.study.running import Workers

    return Workers.given(options.workers, options.scheduler, tls_of(options), least=least, prefix="--")


def add_tls_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files with which a cluster is spoken to in private."""
    parser.add_argument("--tls-ca", metavar="F", help="certificate of whom to trust (PEM), for a tls:// address")
    parser.add_argument("--tls-cert", metavar="F", help="certificate of this machine (PEM)")
    parser.add_argument("--tls-key", metavar="F", help="its key (PEM)")


def tls_of(options: argparse.Namespace) -> Tls | None:
    """What these options say; None if nothing.

    Raises
    ------
    UsageError
        If some are missing, or a file is.
    """
    from snakestudio.study.cluster import Tls

    given = {"--tls-ca": options.tls_ca, "--tls-cert": options.tls_cert, "--tls-key": options.tls_key}
    if not any(given.values()):
        return None
    for name, file in given.items():
        if not file:
            raise UsageError(f"{name} is missing: give --tls-ca, --tls-cert and --tls-key together.")
        if not Path(file).is_file():
            raise UsageError(f"{name} {file}: there is no such file; check the path.")
    return Tls(*(Path(file) for file in given.values()))
