"""Other runs overlaid on the window's run: ghosts with names in the viewport, curves in the plots."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Signal

from snakestudio.drawing.overlays import Ghost
from snakestudio.drawing.style import colour
from snakestudio.model.recording import Recording
from snakestudio.viewmodel.plots.overlaid import OverlaidRun

_OPACITY = 0.45
_LATE = 0.5
"""A ghost is shown for this share of a row's interval after the end of its run."""


def has_ended(recording: Recording, time: float) -> bool:
    """Return whether a recording had ended by `time` (s)."""
    return (
        not len(recording)
        or time > float(recording.times[-1]) + _LATE / recording.scene.run.log_rate_hz
    )


def ghost_at(recording: Recording, time: float, hue: str) -> Ghost | None:
    """Return the robot of a recording at `time` (s) in the colour `hue`; None before its first row or after its end."""
    if (
        has_ended(recording, time)
        or time < float(recording.times[0]) - _LATE / recording.scene.run.log_rate_hz
    ):
        return None
    row = recording.index_at(time)
    pose = recording.rows(row, row + 1).link_pose[0]
    return Ghost(pose, colour(hue), _OPACITY, recording.scene.body)


class RunsOver(Protocol):
    """A source of runs that are overlaid on the window's run."""

    def overlaid(self) -> list[OverlaidRun]:
        """Return the runs for the plots."""
        ...

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Return the ghosts for the viewport at a time (s)."""
        ...

    def names(self, time: float) -> list[tuple[str, str]]:
        """Return colour and text of each run for the viewport's legend at a time (s)."""
        ...


class OverlaidRuns(QObject):
    """All overlaid runs of all sources.

    Signals
    -------
    changed()
        The overlaid runs, their names or their colours changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sources: list[RunsOver] = []

    def add(self, source: RunsOver) -> None:
        """Add a source of runs, which emits `changed` of this object or has a signal connected to it."""
        self._sources.append(source)

    def overlaid(self) -> list[OverlaidRun]:
        """Return all runs for the plots."""
        return [run for source in self._sources for run in source.overlaid()]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Return all ghosts for the viewport at a time (s)."""
        return tuple(ghost for source in self._sources for ghost in source.ghosts(time))

    def names(self, time: float) -> list[tuple[str, str]]:
        """Return colour and text of all runs for the viewport's legend at a time (s)."""
        return [name for source in self._sources for name in source.names(time)]
