"""The plots' memory of a run: pulls new rows from the recording and keeps what the shown plots need, ready to draw.

Only channels that a plot shows are computed. One that comes to be shown later is filled in from the newest rows
backwards, a block at a time, so that the window never waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio.gui.plots.channels import CHANNELS
from snakestudio.gui.plots.pyramid import BLOCK, Envelope, Pyramid
from snakestudio.model.recording import Rows, Schema

__all__ = ["History", "Source"]


class Source(Protocol):
    """What a history reads: a recording that knows the times of its rows."""

    @property
    def schema(self) -> Schema: ...

    @property
    def times(self) -> NDArray[np.float64]: ...

    def __len__(self) -> int: ...

    def rows(self, start: int, stop: int) -> Rows: ...

    def index_at(self, time: float) -> int: ...


class _Track:
    """A channel and which of its rows, low to high, are filled in."""

    def __init__(self, width: int, start: int) -> None:
        self.pyramid = Pyramid(width)
        self.low = self.high = start


class History:
    """Channel values of one recording at a time."""

    def __init__(self) -> None:
        self.recording: Source | None = None
        self._tracks: dict[str, _Track] = {}
        self._keys: frozenset[str] = frozenset()

    def reset(self, recording: Source | None) -> None:
        """Turn to another recording."""
        self.recording = recording
        keys, self._keys, self._tracks = self._keys, frozenset(), {}
        self.want(keys)

    def want(self, keys: Iterable[str]) -> None:
        """Say which channels are shown; the others are forgotten."""
        self._keys = frozenset(keys)
        self._tracks = {key: track for key, track in self._tracks.items() if key in self._keys}
        recording = self.recording
        if recording is None:
            return
        newest = len(recording) // BLOCK * BLOCK
        for key in self._keys - self._tracks.keys():
            channel = CHANNELS[key]
            if channel.needs in recording.schema.valid:
                self._tracks[key] = _Track(len(channel.names(recording.schema)), newest)

    @property
    def missing(self) -> int:
        """Rows that a shown channel still lacks, at most."""
        n = 0 if self.recording is None else len(self.recording)
        return max((n - track.high + track.low for track in self._tracks.values()), default=0)

    @property
    def filling(self) -> bool:
        """Whether many rows still have to be read."""
        return self.missing > BLOCK or any(track.low > 0 for track in self._tracks.values())

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return sum(track.pyramid.nbytes for track in self._tracks.values())

    def pull(self, budget_s: float) -> bool:
        """Fill in rows, the newest first, for about `budget_s` seconds; whether there were any."""
        if self.recording is None or not self._tracks:
            return False
        until = time.perf_counter() + budget_s
        any_rows = False
        while self._pull_newest() or self._pull_older():
            any_rows = True
            if time.perf_counter() >= until:
                break
        return any_rows

    def envelope(self, key: str, start: int, stop: int, bins: int) -> Envelope | None:
        """Rows start to stop of a channel in at most about `bins` bins; None if it is not kept."""
        track = self._tracks.get(key)
        return None if track is None or stop <= start else track.pyramid.envelope(start, stop, bins)

    def values_at(self, key: str, index: int) -> NDArray[np.float64] | None:
        """The values of a channel at one row, however old it is."""
        recording, track = self.recording, self._tracks.get(key)
        if recording is None or track is None or not 0 <= index < len(recording):
            return None
        kept = track.pyramid.row(index)
        if kept is not None:
            return kept.astype(np.float64)
        values = CHANNELS[key].compute(recording.rows(index, index + 1), self._row_before(index))
        row: NDArray[np.float64] = values[0]
        return row

    def _row_before(self, index: int) -> Rows | None:
        assert self.recording is not None
        return self.recording.rows(index - 1, index) if index else None

    def _pull_newest(self) -> bool:
        assert self.recording is not None
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
        stop = max(track.low for track in self._tracks.values())
        if stop <= 0:
            return False
        start = (stop - 1) // BLOCK * BLOCK
        tracks = [key for key, track in self._tracks.items() if track.low == stop]
        self._compute(tracks, start, stop)
        for key in tracks:
            self._tracks[key].low = start
        return True

    def _compute(self, keys: list[str], start: int, stop: int) -> None:
        assert self.recording is not None
        rows, before = self.recording.rows(start, stop), self._row_before(start)
        for key in keys:
            self._tracks[key].pyramid.write(start, CHANNELS[key].compute(rows, before))
