"""The cursor of the session as plots know it: a time and a row, the newest while nobody has set one."""

from __future__ import annotations

from snakestudio.gui.core.session_controller import SessionController
from snakestudio.viewmodel.plots.series_cache import SeriesCache

__all__ = ["RunCursor"]


class RunCursor:
    """Reads and moves the cursor.

    Parameters
    ----------
    bridge : SessionController
    history : SeriesCache
    """

    def __init__(self, bridge: SessionController, history: SeriesCache) -> None:
        self._bridge, self._history = bridge, history

    def place(self) -> tuple[float | None, int | None]:
        """Time (s) and row; None where there are no rows."""
        recording = self._history.recording
        if recording is None or not len(recording):
            return None, None
        index = self._bridge.cursor
        row = len(recording) - 1 if index is None else min(index, len(recording) - 1)
        return float(recording.times[row]), row

    def go_to(self, time: float) -> None:
        """Set it to the row nearest to a time, s."""
        recording = self._history.recording
        if recording is not None and len(recording):
            self._bridge.set_cursor(recording.index_at(time))

    def step(self, rows: int) -> None:
        """Move it by some rows."""
        _, row = self.place()
        recording = self._history.recording
        if row is not None and recording is not None:
            self._bridge.set_cursor(max(0, min(row + rows, len(recording) - 1)))
