"""Trail of a link, read from the recording in pieces during the run."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.recording import Recording
from snakestudio.model.snapshot import Snapshot

SPAN = 30.0
"""Duration of a trail, simulated s."""

MAX_POINTS = 900
"""Largest number of points; more would be invisible but uploaded with every frame."""

_NONE = np.zeros((0, 3))


class TrailReader:
    """Reader of the positions of a link in a recording, which reads each row only once."""

    def __init__(self) -> None:
        self._recording: Recording | None = None
        self._link = -1
        self._stride = 1
        self._first = 0
        self._points: FloatArray = _NONE

    def points(
        self, recording: Recording | None, link: int, snapshot: Snapshot | None
    ) -> FloatArray:
        """Return the path of a link (0-based) in the last `SPAN` seconds before `snapshot`, (m, 3), m, oldest first."""
        if (
            recording is None
            or snapshot is None
            or not 0 <= link < snapshot.n_links
            or not len(recording)
        ):
            return _NONE
        if (
            recording.schema.n_links != snapshot.n_links
        ):  # another scene was opened, and its first state is not available yet
            return _NONE
        times = recording.times
        stop = int(np.searchsorted(times, snapshot.time, side="right"))
        start = int(np.searchsorted(times, snapshot.time - SPAN))
        rate = recording.scene.run.log_rate_hz
        stride = max(1, round(rate * SPAN / MAX_POINTS))
        if recording is not self._recording or link != self._link or stride != self._stride:
            self._recording = recording
            self._link = link
            self._stride = stride
            self._first = 0
            self._points = _NONE
        # Only every stride-th row from the first row of the run, so that a growing trail does not
        # flicker.
        first, last = -(-start // stride), -(-stop // stride)
        self._fetch(recording, link, first, last)
        path = self._points[max(0, first - self._first) : last - self._first]
        return np.vstack([path, snapshot.link_pose[link, :3]])

    def _fetch(self, recording: Recording, link: int, first: int, last: int) -> None:
        """Read the sampled points first to last."""
        have = self._first + len(self._points)
        if first > have or first < self._first:
            self._first = first
            self._points = _NONE
            have = first
        if last > have:
            rows = recording.rows(have * self._stride, (last - 1) * self._stride + 1)
            self._points = np.vstack([self._points, rows.link_pose[:: self._stride, link, :3]])
        surplus = first - self._first - 2 * MAX_POINTS
        if surplus > 0:
            self._points = self._points[surplus:].copy()
            self._first += surplus
