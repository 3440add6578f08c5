"""A lab's cluster on this machine: a scheduler, and workers that somebody started."""

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
"""Nothing takes so long, s: where something hangs, the test ends."""


@contextlib.contextmanager
def scheduler(file: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler that writes where it is into a file; its address, and its process."""
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
                with contextlib.suppress(
                    OSError, ValueError
                ):  # it may be there and not yet written
                    address = str(json.loads(file.read_text())["address"])
            yield address, process
        finally:
            process.kill()


@contextlib.contextmanager
def joined(*options: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker that somebody started on another machine."""
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
    """How many runs of a study have results."""
    try:
        return int(results_of(study)["runs"].sum())
    except StudyError:
        return 0
