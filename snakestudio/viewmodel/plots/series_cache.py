"""The plots' memory of a run: pulls new rows from the recording and keeps what the shown plots need, ready to draw.

Only series that a plot shows are computed. One that comes to be shown later is filled in from the newest rows
backwards, a block at a time, so that the window never waits for it; derived ones are worked out in a thread.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.quantities import Piece
from snakestudio.model.recording import Recording, Rows
from snakestudio.viewmodel.job import Job, Progress
from snakestudio.viewmodel.plots.channels import Series, is_given, is_signal, series_of, signal_of
from snakestudio.viewmodel.plots.pyramid import BLOCK, Envelope, Pyramid

__all__ = ["SeriesCache", "Source"]


Source = Recording
"""What a history reads."""

_PATIENCE_S = 0.3
"""A recording that did not grow for so long is taken to stand: then its last rows are shown, too, though further ones
would change them."""


BUDGET = 48 * 1024 * 1024
"""Bytes that the series of a recording take together: each has a share of them that goes with its columns."""


class _Track:
    """A series and which of its rows, low to high, are filled in."""

    def __init__(self, series: Series, start: int, limit: int) -> None:
        self.series = series
        self.pyramid = Pyramid(len(series.names), limit)
        self.low = self.high = start


class _DerivedRows:
    """The rows of one derived channel of one recording, as far as they are known.

    Parameters
    ----------
    key : str
    recording : Recording
    other : Recording or None
        What expressions call the other run.
    limit : int
        Bytes that they take.
    """

    def __init__(self, key: str, recording: Recording, other: Recording | None, limit: int) -> None:
        self._key, self._recording, self._other, self._limit = key, recording, other, limit
        self.problem = ""
        self._job: Job[None] | None = None
        self._parts: queue.SimpleQueue[tuple[int, NDArray[np.float64]]] = queue.SimpleQueue()
        self._grown, self._length = 0.0, -1
        self._begin()

    def set_limit(self, limit: int) -> None:
        """Take at most so many bytes from now on."""
        self._limit = limit
        self.pyramid.set_limit(limit)

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


class SeriesCache:
    """Series of one recording at a time."""

    def __init__(self) -> None:
        self.recording: Source | None = None
        self.other: Source | None = None
        self._tracks: dict[str, _Track] = {}
        self._derived: dict[str, _DerivedRows] = {}
        self._keys: frozenset[str] = frozenset()

    def reset(self, recording: Source | None) -> None:
        """Turn to another recording."""
        self.recording = recording
        keys, self._keys, self._tracks = self._keys, frozenset(), {}
        self._close_derived(lambda key: True)
        self.want(keys)

    def compare_with(self, other: Source | None) -> None:
        """Say which recording derived channels mean by the other run."""
        if other is not self.other:
            self.other = other
            self._close_derived(lambda key: "other." in key)
            self.want(self._keys)

    def close(self) -> None:
        """Stop what is worked out in threads."""
        self._close_derived(lambda key: True)

    def _close_derived(self, gone: Callable[[str], bool]) -> None:
        for key in [key for key in self._derived if gone(key)]:
            self._derived.pop(key).close()

    def want(self, keys: Iterable[str]) -> None:
        """Say which series are shown; the others are forgotten."""
        self._keys = frozenset(keys)
        self._tracks = {key: track for key, track in self._tracks.items() if key in self._keys}
        self._close_derived(lambda key: key not in self._keys)
        recording = self.recording
        if recording is None:
            return
        newest = len(recording) // BLOCK * BLOCK
        shown = {key: series_of(key, recording.schema) for key in self._keys if is_given(key, recording.schema)}
        n_columns = sum(len(series.names) for series in shown.values())
        for key, series in shown.items():
            limit = min(series.limit, BUDGET * len(series.names) // n_columns)
            if key in self._derived:
                self._derived[key].set_limit(limit)
            elif key in self._tracks:
                self._tracks[key].pyramid.set_limit(limit)
            elif is_signal(key):
                self._derived[key] = _DerivedRows(key, recording, self.other, limit)
            else:
                self._tracks[key] = _Track(series, newest, limit)

    @property
    def missing(self) -> int:
        """Rows that a shown series still lacks, at most."""
        n = 0 if self.recording is None else len(self.recording)
        derived = max((rows.missing for rows in self._derived.values()), default=0)
        return max(derived, max((n - track.high + track.low for track in self._tracks.values()), default=0))

    @property
    def filling(self) -> bool:
        """Whether many rows still have to be read."""
        return self.missing > BLOCK or any(track.low > 0 for track in self._tracks.values())

    @property
    def problems(self) -> list[str]:
        """Why derived channels have no values, in sentences."""
        return list(dict.fromkeys(rows.problem for rows in self._derived.values() if rows.problem))

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        pyramids = [track.pyramid for track in self._tracks.values()]
        return sum(pyramid.nbytes for pyramid in [*pyramids, *(rows.pyramid for rows in self._derived.values())])

    def pull(self, budget_s: float) -> bool:
        """Fill in rows, the newest first, for about `budget_s` seconds; whether there were any."""
        if self.recording is None:
            return False
        until = time.perf_counter() + budget_s
        any_rows = False
        for rows in self._derived.values():
            any_rows |= rows.pull()
        while self._pull_newest() or self._pull_older():
            any_rows = True
            if time.perf_counter() >= until:
                break
        return any_rows

    def envelope(self, key: str, start: int, stop: int, bins: int) -> Envelope | None:
        """Rows start to stop of a series in at most about `bins` bins; None if it is not kept."""
        pyramid = self._pyramid(key)
        return None if pyramid is None or stop <= start else pyramid.envelope(start, stop, bins)

    def _pyramid(self, key: str) -> Pyramid | None:
        if key in self._derived:
            return self._derived[key].pyramid
        return self._tracks[key].pyramid if key in self._tracks else None

    def samples(self, key: str, start: int, stop: int, stride: int) -> NDArray[np.float32] | None:
        """Every stride-th row of a series from start to stop, NaN where it is not known; None if it is not kept."""
        pyramid = self._pyramid(key)
        return None if pyramid is None or stop <= start else pyramid.samples(start, stop, stride)

    def known(self, key: str) -> tuple[int, int]:
        """The rows of a series that are filled in."""
        if key in self._derived:
            return 0, self._derived[key].high
        track = self._tracks.get(key)
        return (0, 0) if track is None else (track.low, track.high)

    def values_at(self, key: str, index: int) -> NDArray[np.float64] | None:
        """The values of a series at one row, however old it is."""
        recording, pyramid = self.recording, self._pyramid(key)
        if recording is None or pyramid is None or not 0 <= index < len(recording):
            return None
        kept = pyramid.row(index)
        if kept is not None:
            return kept.astype(np.float64)
        track = self._tracks.get(key)
        if track is None:  # of a derived one, what is not known yet is worked out by its thread
            return np.full(pyramid.width, np.nan)
        row: NDArray[np.float64] = track.series.values(self._piece(index, index + 1))[0]
        return row

    def _piece(self, start: int, stop: int) -> Piece:
        recording = self.recording
        assert recording is not None
        before: Rows | None = recording.rows(start - 1, start) if start else None
        return Piece(recording.schema, recording.rows(start, stop), before)

    def _pull_newest(self) -> bool:
        assert self.recording is not None
        if not self._tracks:
            return False
        start = min(track.high for track in self._tracks.values())
        stop = min(len(self.recording), start // BLOCK * BLOCK + BLOCK)
        if stop <= start:
            return False
        tracks = [key for key, track in self._tracks.items() if track.high == start]
        self._compute(tracks, start, stop)
        for key in tracks:
            self._tracks[key].high = stop
        return True

    def _pull_older(self) -> bool:
        stop = max((track.low for track in self._tracks.values()), default=0)
        if stop <= 0:
            return False
        start = (stop - 1) // BLOCK * BLOCK
        tracks = [key for key, track in self._tracks.items() if track.low == stop]
        self._compute(tracks, start, stop)
        for key in tracks:
            self._tracks[key].low = start
        return True

    def _compute(self, keys: list[str], start: int, stop: int) -> None:
        piece = self._piece(start, stop)
        for key in keys:
            track = self._tracks[key]
            track.pyramid.write(start, track.series.values(piece))
