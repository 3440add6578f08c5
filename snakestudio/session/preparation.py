"""Compiling engines in processes of their own, so that a window stays fluid meanwhile; the result is in the cache."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import IO

from snakestudio.engines import registry

__all__ = ["Preparation", "prepare"]


class Preparation:
    """A running compilation.

    Parameters
    ----------
    kind : str
        Model whose engine is compiled.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        frozen = getattr(sys, "frozen", False)
        program = [sys.executable] if frozen else [sys.executable, "-m", "snakestudio"]
        self._progress = (0.0, "")
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [*program, "warm-up", kind],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), name="snakestudio-preparation", daemon=True
        )
        self._reader.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line)

    def poll(self) -> tuple[float, str, bool]:
        """Finished fraction, what is being done, and whether it has ended.

        How it ended makes no difference: if badly, the engine compiles when it is built.
        """
        ended = self._process.poll() is not None
        while not self._lines.empty():
            fraction, _, text = self._lines.get().strip().partition(" ")
            try:
                self._progress = (float(fraction), text)
            except ValueError:
                continue
        return (*self._progress, ended)

    def stop(self) -> None:
        """End it, finished or not."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()


def prepare(kinds: Iterable[str], progress: Callable[[str, float], bool]) -> bool:
    """Compile those engines of `kinds` that are not compiled, one after the other; returns when that is done.

    Parameters
    ----------
    kinds : iterable of str
    progress : callable
        Gets the kind that is being compiled and how much of it is done; False stops.

    Returns
    -------
    bool
        False if it was stopped.
    """
    for kind in kinds:
        if registry.is_warm(kind):
            continue
        preparation = Preparation(kind)
        try:
            ended = False
            while not ended:
                fraction, _, ended = preparation.poll()
                if not progress(kind, fraction):
                    return False
                time.sleep(0.05)
        finally:
            preparation.stop()
    return True
