"""Peers in separate processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).resolve().parents[1] / "peers" / "trigger_peer.py"


class Peer:
    """A running peer."""

    def __init__(self, *arguments: object) -> None:
        texts = [str(argument) for argument in arguments]
        self._process = subprocess.Popen(
            [sys.executable, "-S", str(PROGRAM), *texts],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        """Return the next printed line."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def result(self) -> Any:
        """Wait for the end and return the printed JSON; None without output."""
        out, err = self._process.communicate(timeout=60)
        assert self._process.returncode == 0, err
        return json.loads(out) if out.strip() else None

    def end(self) -> None:
        """Stop the process if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


@contextmanager
def peer(*arguments: object) -> Iterator[Peer]:
    """Start a peer that ends with the test."""
    running = Peer(*arguments)
    try:
        yield running
    finally:
        running.end()


@contextmanager
def listening(mode: str) -> Iterator[tuple[Peer, int]]:
    """Start a listening peer; yield it and its port."""
    with peer("listen", mode) as running:
        yield running, int(running.line())
