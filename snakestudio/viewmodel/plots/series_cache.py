"""Cache of series for plots: reads new rows of a recording and stores what plots need to draw.

Only series that a plot shows are computed. A series that is added later is filled backwards from
the newest rows, one block at a time, so that the window never waits for it; derived series are
computed in a thread. Detail of old rows, which is dropped if there are many, is read again for the
span in view in the same way.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.model.piece import Piece
from snakestudio.model.recording import Recording, Rows
from snakestudio.viewmodel.plots.channels import Series, is_given, is_signal, series_of, signal_of
from snakestudio.viewmodel.plots.detail import Detail
from snakestudio.viewmodel.plots.pyramid import BLOCK, Envelope, Pyramid, Samples, stride_for
from snakestudio.viewmodel.work import in_thread, problem_of

if TYPE_CHECKING:
    from snakestudio.analysis.signals import Signal

Source = Recording
"""Recording that a cache reads."""

_PATIENCE_S = 0.3
"""Time without new rows after which a recording is assumed to be paused, s. Then its last rows are
also shown, although further ones would change them."""


BUDGET = 48 * 1024 * 1024
"""Memory limit of all series of a recording, bytes; each has a share in proportion to its columns."""
_DETAIL_SHARE = 6
"""Divisor of the limit for detail of old rows, which is read again while it is in view: a sixth."""

_NAME = "derived channel"

_MOST_PIECES = 8
"""Number of pieces of old rows that are computed for a derived channel before new rows are checked."""


class _Track:
    """Series and its filled rows, low to high."""

    def __init__(self, series: Series, start: int, limit: int) -> None:
        self.series = series
        self.pyramid = Pyramid(len(series.names), limit)
        self.low = self.high = start


class _DerivedRows:
    """Known rows of one derived channel of one recording.

    Parameters
    ----------
    other : Recording or None
        Recording that expressions call the other run.
    limit : int
        Memory limit, bytes.
    """

    def __init__(self, key: str, recording: Recording, other: Recording | None, limit: int) -> None:
        self._key = key
        self._recording = recording
        self._other = other
        self._limit = limit
        self.problem = ""
        self._future: Future[None] | None = None
        self._stop = threading.Event()
        self._parts: queue.SimpleQueue[tuple[int, NDArray[np.float64]]] = queue.SimpleQueue()
        self._old: queue.SimpleQueue[tuple[int, NDArray[np.float64]]] = queue.SimpleQueue()
        self._requests: dict[int, None] = {}
        self._grown = 0.0
        self._length = -1
        self._begin()

    def set_limit(self, limit: int) -> None:
        """Set the memory limit, bytes."""
        self._limit = limit
        self.pyramid.set_limit(limit)

    def _begin(self) -> None:
        self.pyramid = Pyramid(1, self._limit)
        self.high = 0
        self._settled = True  # True if later rows cannot change computed ones

    @property
    def missing(self) -> int:
        """Number of unknown rows, without those that further rows would change during the run."""
        if self.problem or (self._future is None and not self._patient and self.high):
            return 0
        return len(self._recording) - self.high

    @property
    def _patient(self) -> bool:
        """Whether the recording has been paused for a while."""
        return time.perf_counter() - self._grown > _PATIENCE_S

    def pull(self) -> bool:
        """Adopt the results of the thread and restart it; return whether there were any."""
        n = len(self._recording)
        if n != self._length:
            self._length, self._grown = n, time.perf_counter()
        news = False
        if self._future is not None:
            running = not self._future.done()
            while not self._parts.empty():
                start, values = self._parts.get()
                self.pyramid.write(start, values[:, None])
                self.high = start + len(values)
                news = True
            if running:
                return news
            error = self._future.exception()
            self.problem = "" if error is None else problem_of(_NAME, error).sentence()
            self._future = None
        if not self._old.empty():
            return news
        if self._requests and not self.problem:
            numbers = list(self._requests)[:_MOST_PIECES]
            for number in numbers:
                del self._requests[number]
            self._future = in_thread(_NAME, lambda: self._work_on_pieces(numbers))
            return news
        if self.problem or self.high >= n:
            return news
        if not self._settled:  # there are rows after the assumed last ones
            self._begin()
        complete = self._patient
        start = self.high
        self._settled = not complete
        self._future = in_thread(_NAME, lambda: self._work(start, n, complete))
        return news

    def _work(self, start: int, n: int, complete: bool) -> None:
        """Evaluate rows start to n in a thread; without `complete`, only those that later rows cannot change."""
        other = self._other
        signal = self._signal()
        if not complete:
            n = signal.settled_until(self._recording, start, n, other)
        if n == start:
            return
        for first, values in signal.pieces(self._recording, start, n, other):
            self._parts.put((first, values))
            if self._stop.is_set():
                return

    def request(self, numbers: Iterable[int]) -> None:
        """Request recomputation of these pieces of `BLOCK` old rows only."""
        self._requests = dict.fromkeys(numbers)

    def next_piece(self) -> tuple[int, NDArray[np.float64]] | None:
        """Return number and values of a recomputed piece; None if there is none."""
        return None if self._old.empty() else self._old.get()

    def _work_on_pieces(self, numbers: Sequence[int]) -> None:
        signal = self._signal()
        for number in numbers:
            start = number * BLOCK
            stop = (number + 1) * BLOCK
            parts = [
                values for _, values in signal.pieces(self._recording, start, stop, self._other)
            ]
            self._old.put((number, np.concatenate(parts)))
            if self._stop.is_set():
                return

    def _signal(self) -> Signal:
        signal = signal_of(
            self._key, self._recording.schema, None if self._other is None else self._other.schema
        )
        assert signal is not None
        return signal

    def close(self) -> None:
        """Stop the thread."""
        self._stop.set()
        if self._future is not None:
            wait([self._future])
            self._future = None


class SeriesCache:
    """Cached series of one recording at a time."""

    def __init__(self) -> None:
        self.recording: Source | None = None
        self.other: Source | None = None
        self._tracks: dict[str, _Track] = {}
        self._derived: dict[str, _DerivedRows] = {}
        self._detail = Detail(BUDGET // _DETAIL_SHARE)
        self._unreadable = ""
        self._keys: frozenset[str] = frozenset()

    def reset(self, recording: Source | None) -> None:
        """Switch to another recording."""
        self.recording = recording
        keys = self._keys
        self._keys = frozenset()
        self._tracks = {}
        self._detail = Detail(BUDGET // _DETAIL_SHARE)
        self._unreadable = ""
        self._close_derived(lambda key: True)
        self.want(keys)

    def compare_with(self, other: Source | None) -> None:
        """Set the recording that derived channels call the other run."""
        if other is not self.other:
            self.other = other
            self._close_derived(lambda key: "other." in key)
            self.want(self._keys)

    def close(self) -> None:
        """Stop all threads."""
        self._close_derived(lambda key: True)

    def _close_derived(self, is_removed: Callable[[str], bool]) -> None:
        for key in [key for key in self._derived if is_removed(key)]:
            self._derived.pop(key).close()
        self._detail.keep(self._keys)

    def want(self, keys: Iterable[str]) -> None:
        """Set the shown series, and discard the others."""
        self._keys = frozenset(keys)
        self._tracks = {key: track for key, track in self._tracks.items() if key in self._keys}
        self._close_derived(lambda key: key not in self._keys)
        recording = self.recording
        if recording is None:
            return
        newest = len(recording) // BLOCK * BLOCK
        visible = {
            key: series_of(key, recording.schema)
            for key in self._keys
            if is_given(key, recording.schema)
        }
        n_columns = sum(len(series.names) for series in visible.values())
        for key, series in visible.items():
            limit = min(
                series.limit, (BUDGET - BUDGET // _DETAIL_SHARE) * len(series.names) // n_columns
            )
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
        """Largest number of missing rows of a shown series."""
        n = 0 if self.recording is None else len(self.recording)
        derived = max((rows.missing for rows in self._derived.values()), default=0)
        tracks = max((n - track.high + track.low for track in self._tracks.values()), default=0)
        return max(derived, tracks, self._detail.missing)

    @property
    def filling(self) -> bool:
        """Whether many rows are still missing."""
        return bool(
            self.missing > BLOCK
            or self._detail.missing
            or any(track.low > 0 for track in self._tracks.values())
        )

    @property
    def problems(self) -> list[str]:
        """Reasons, as sentences, why derived channels have no values or old rows no detail."""
        problems = [self._unreadable, *(rows.problem for rows in self._derived.values())]
        return list(dict.fromkeys(problem for problem in problems if problem))

    @property
    def nbytes(self) -> int:
        """Used memory, bytes."""
        pyramids = [track.pyramid for track in self._tracks.values()]
        pyramids += [rows.pyramid for rows in self._derived.values()]
        return self._detail.nbytes + sum(pyramid.nbytes for pyramid in pyramids)

    def pull(self, budget_s: float) -> bool:
        """Fill in rows, the newest first, for about `budget_s` seconds; return whether there were any."""
        if self.recording is None:
            return False
        until = time.perf_counter() + budget_s
        any_rows = False
        for key, rows in self._derived.items():
            any_rows |= rows.pull()
            while (old := rows.next_piece()) is not None:
                self._detail.put(key, old[0], old[1][:, None])
                any_rows = True
            if rows.problem:
                self._detail.abandon(key)
            rows.request(self._detail.missing_of(key))
        while self._pull_newest() or self._pull_detail() or self._pull_older():
            any_rows = True
            if time.perf_counter() >= until:
                break
        return any_rows

    def envelope(self, key: str, start: int, stop: int, bins: int) -> Envelope | None:
        """Return rows start to stop of a series in at most about `bins` bins; None if it is not cached.

        Old rows are in larger bins until `pull` has read them.
        """
        pyramid = self._pyramid(key)
        if pyramid is None or stop <= start:
            return None
        stride = stride_for(stop - start, bins)
        coarse = pyramid.binned(start, stop, stride)
        if self._is_given_up(key):
            return coarse
        return self._detail.envelope(key, pyramid, start, stop, stride, coarse)

    def _is_given_up(self, key: str) -> bool:
        return key in self._derived and bool(self._derived[key].problem)

    def show_other_rows(self) -> None:
        """Cancel reading of old rows for the previous view."""
        self._detail.cancel()

    def _pyramid(self, key: str) -> Pyramid | None:
        if key in self._derived:
            return self._derived[key].pyramid
        return self._tracks[key].pyramid if key in self._tracks else None

    def samples(
        self, key: str, start: int, stop: int, stride: int, *, whole_run: bool = False
    ) -> Samples | None:
        """Return rows of a series from start to stop at multiples of `stride` (a power of 2); None if not cached.

        Old rows can be missing until `pull` has read them, which it does not do if `whole_run`,
        because a run has too many.
        """
        pyramid = self._pyramid(key)
        if pyramid is None or stop <= start:
            return None
        if whole_run or self._is_given_up(key):
            return pyramid.samples(start, stop, stride)
        return self._detail.samples(key, pyramid, start, stop, stride)

    def known(self, key: str) -> tuple[int, int, int]:
        """Return the first and last filled row of a series, and how often old rows were read."""
        read = self._detail.completed(key)
        if key in self._derived:
            return 0, self._derived[key].high, read
        track = self._tracks.get(key)
        return (0, 0, read) if track is None else (track.low, track.high, read)

    def values_at(self, key: str, index: int) -> NDArray[np.float64] | None:
        """Return the values of a series at any row."""
        recording = self.recording
        pyramid = self._pyramid(key)
        if recording is None or pyramid is None or not 0 <= index < len(recording):
            return None
        values = pyramid.row(index)
        if values is not None:
            return values.astype(np.float64)
        values = self._detail.value_at(key, index)
        if values is not None:
            return values.astype(np.float64)
        track = self._tracks.get(key)
        if track is None:  # the thread of a derived series computes unknown rows
            return np.full(pyramid.width, np.nan)
        row: NDArray[np.float64] = track.series.values(self._piece(index, index + 1))[0]
        return row

    def read(self, key: str, start: int, stop: int) -> FloatArray | None:
        """Read rows of a series from the recording; None for a derived channel, which takes longer."""
        track = self._tracks.get(key)
        return None if track is None else track.series.values(self._piece(start, stop))

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

    def _pull_detail(self) -> bool:
        following = self._detail.next_piece(self._tracks.keys())
        if following is None:
            return False
        number, keys = following
        try:
            piece = self._piece(number * BLOCK, (number + 1) * BLOCK)
        except (OSError, ValueError) as error:
            self._detail = Detail(0)
            self._unreadable = f"Older rows are shown without detail because the run file cannot be read ({error})."
            return True
        for key in keys:
            self._detail.put(key, number, self._tracks[key].series.values(piece))
        return True

    def _compute(self, keys: list[str], start: int, stop: int) -> None:
        piece = self._piece(start, stop)
        for key in keys:
            track = self._tracks[key]
            track.pyramid.write(start, track.series.values(piece))
