"""What of other runs is seen over the window's own: ghosts in the viewport with their names, curves in the plots."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Signal

from snakestudio.drawing.overlays import Ghost
from snakestudio.drawing.style import colour
from snakestudio.model.recording import Recording
from snakestudio.viewmodel.plots.overlaid import OverlaidRun

_OPACITY = 0.45
_LATE = 0.5
"""A ghost stays for this share of a row's interval after its run's end."""


def has_ended(recording: Recording, time: float) -> bool:
    """Whether a recording had ended by `time` (s)."""
    return (
        not len(recording)
        or time > float(recording.times[-1]) + _LATE / recording.scene.run.log_rate_hz
    )


def ghost_at(recording: Recording, time: float, hue: str) -> Ghost | None:
    """The robot of a recording at `time` (s) in the colour `hue`; None before its first row and after its end."""
    if (
        has_ended(recording, time)
        or time < float(recording.times[0]) - _LATE / recording.scene.run.log_rate_hz
    ):
        return None
    row = recording.index_at(time)
    pose = recording.rows(row, row + 1).link_pose[0]
    return Ghost(pose, colour(hue), _OPACITY, recording.scene.body)


class RunsOver(Protocol):
    """Something that has runs to be seen over the window's own."""

    def overlaid(self) -> list[OverlaidRun]:
        """Them for the plots."""
        ...

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Them at a time (s) for the viewport."""
        ...

    def names(self, time: float) -> list[tuple[str, str]]:
        """Colour and text of each at a time (s) for the viewport's legend."""
        ...


class OverlaidRuns(QObject):
    """All that is seen over the run, wherever it comes from.

    Signals
    -------
    changed()
        Other runs are to be seen, or under another name or colour.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sources: list[RunsOver] = []

    def add(self, source: RunsOver) -> None:
        """Have the runs of `source` seen, too; it emits this object's `changed` (or has a signal led to it)."""
        self._sources.append(source)

    def overlaid(self) -> list[OverlaidRun]:
        """All of them for the plots."""
        return [run for source in self._sources for run in source.overlaid()]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """All of them at a time (s) for the viewport."""
        return tuple(ghost for source in self._sources for ghost in source.ghosts(time))

    def names(self, time: float) -> list[tuple[str, str]]:
        """Colour and text of all at a time (s) for the viewport's legend."""
        return [name for source in self._sources for name in source.names(time)]
