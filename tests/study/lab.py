"""A lab's cluster on this machine: a scheduler and workers that were started separately."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from snakestudio.errors import StudyError
from snakestudio.paths import own_program
from snakestudio.study.running import results_of

LONG_S = 300.0
"""Limit of everything in a test, s."""


@contextlib.contextmanager
def scheduler(file: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a scheduler that writes its address to a file; yields address and process."""
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--port",
        "0",
        "--no-dashboard",
    ]
    with subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--scheduler-file", str(file), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            until = time.monotonic() + LONG_S
            address = None
            while address is None:
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
                with contextlib.suppress(OSError, ValueError):  # it may exist and be empty
                    address = str(json.loads(file.read_text())["address"])
            yield address, process
        finally:
            process.kill()


@contextlib.contextmanager
def joined(*options: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker that was started on another machine."""
    command = [*own_program(), "study", "worker", "--until-closed", *options]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | environment,
    ) as worker:
        try:
            yield worker
        finally:
            worker.kill()


def runs_of(study: Path) -> int:
    """Number of runs of a study with results."""
    try:
        return int(results_of(study)["runs"].sum())
    except StudyError:
        return 0
