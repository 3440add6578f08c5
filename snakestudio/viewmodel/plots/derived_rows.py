"""Fills in derived channels: in a thread, for a filter of hours is no work for between two pictures."""

from __future__ import annotations

import queue
import time

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.recording import Recording
from snakestudio.viewmodel.job import Job, Progress
from snakestudio.viewmodel.plots.channels import signal_of
from snakestudio.viewmodel.plots.pyramid import Pyramid

__all__ = ["DerivedRows"]

_PATIENCE_S = 0.3
"""A recording that did not grow for so long is taken to stand: then its last rows are shown, too, though further ones
would change them."""


class DerivedRows:
    """The rows of one derived channel of one recording, as far as they are known.

    Parameters
    ----------
    key : str
    recording : Recording
    other : Recording or None
        What expressions call the other run.
    limit : int
        Bytes kept at full detail.
    """

    def __init__(self, key: str, recording: Recording, other: Recording | None, limit: int) -> None:
        self._key, self._recording, self._other, self._limit = key, recording, other, limit
        self.problem = ""
        self._job: Job[None] | None = None
        self._parts: queue.SimpleQueue[tuple[int, NDArray[np.float64]]] = queue.SimpleQueue()
        self._grown, self._length = 0.0, -1
        self._begin()

    def _begin(self) -> None:
        self.pyramid = Pyramid(1, self._limit)
        self.high = 0
        self._settled = True  # whether further rows leave all that is known as it is

    @property
    def missing(self) -> int:
        """Rows that are not known yet; of those that further rows would change, none count while the run goes."""
        if self.problem or (self._job is None and not self._patient and self.high):
            return 0
        return len(self._recording) - self.high

    @property
    def _patient(self) -> bool:
        """Whether the recording has stood for a while."""
        return time.perf_counter() - self._grown > _PATIENCE_S

    def pull(self) -> bool:
        """Take over what the thread has found, and set it to work again; whether there was anything new."""
        n = len(self._recording)
        if n != self._length:
            self._length, self._grown = n, time.perf_counter()
        news = False
        if self._job is not None:
            running = self._job.running
            while not self._parts.empty():
                start, values = self._parts.get()
                self.pyramid.write(start, values[:, None])
                self.high, news = start + len(values), True
            if running:
                return news
            self.problem = self._job.error
            self._job = None
        if self.problem or self.high >= n:
            return news
        if not self._settled:  # rows came after those that were taken for the last
            self._begin()
        whole = self._patient
        start = self.high
        self._settled = not whole
        self._job = Job("derived channel", lambda progress: self._work(start, n, whole, progress))
        return news

    def _work(self, start: int, n: int, whole: bool, progress: Progress) -> None:
        """Evaluate rows start to n, in a thread; without `whole` only those that further rows leave as they are."""
        other = self._other
        signal = signal_of(self._key, self._recording.schema, None if other is None else other.schema)
        assert signal is not None
        if not whole:
            n = signal.settled_until(self._recording, start, n, other)
        if n == start:
            return
        for first, values in signal.pieces(self._recording, start, n, other):
            self._parts.put((first, values))
            if not progress((first + len(values) - start) / (n - start)):
                return

    def close(self) -> None:
        """Stop the thread."""
        if self._job is not None:
            self._job.cancel()
            self._job.wait()
            self._job = None
