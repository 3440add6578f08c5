"""Kept runs that are seen over the window's own run: as ghosts in the viewport, and as curves in the plots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from snakestudio.drawing.overlays import Ghost
from snakestudio.gui.core.overlaid_runs import ghost_at, has_ended
from snakestudio.gui.core.run_colours import kept_colour
from snakestudio.model.run_time import run_time
from snakestudio.runfile.mcap import RunFile, open_run
from snakestudio.viewmodel.plots.overlaid import OverlaidRun


@dataclass(frozen=True)
class _Beside:
    path: Path
    name: str
    recording: RunFile
    place: int


class PinnedRuns(QObject):
    """The runs from files that are seen beside the window's own.

    Signals
    -------
    changed()
        One came, went or was renamed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs: dict[Path, _Beside] = {}

    def __contains__(self, path: Path) -> bool:
        return path in self._runs

    def colour(self, path: Path) -> str:
        """The colour of a run that is seen."""
        return kept_colour(self._runs[path].place)

    def show(self, path: Path, name: str) -> None:
        """Let the run in a file be seen, under a name.

        Raises `RunFileError` if it cannot be read.
        """
        if path in self._runs:
            return
        taken = {run.place for run in self._runs.values()}
        place = next(number for number in range(len(taken) + 1) if number not in taken)
        self._runs[path] = _Beside(path, name, open_run(path), place)
        self.changed.emit()

    def hide(self, path: Path) -> None:
        """Let the run in a file not be seen any more."""
        run = self._runs.pop(path, None)
        if run is not None:
            self.changed.emit()  # nobody reads it any more
            run.recording.close()

    def clear(self) -> None:
        """Let none be seen."""
        for path in list(self._runs):
            self.hide(path)

    def renew_theme(self) -> None:
        """The palette is another one."""
        if self._runs:
            self.changed.emit()

    def overlaid(self) -> list[OverlaidRun]:
        """Them for the plots."""
        return [
            OverlaidRun(run.name, self.colour(path), run.recording)
            for path, run in self._runs.items()
        ]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Them at a time (s) for the viewport; those that had ended by then are not there."""
        ghosts = (
            ghost_at(run.recording, time, self.colour(path)) for path, run in self._runs.items()
        )
        return tuple(ghost for ghost in ghosts if ghost is not None)

    def names(self, time: float) -> list[tuple[str, str]]:
        """Colour and text of each at a time (s) for the viewport's legend."""
        entries = []
        for path, run in self._runs.items():
            over = (
                f", ended at {run_time(float(run.recording.times[-1]), significant=3)}"
                if has_ended(run.recording, time)
                else ""
            )
            entries.append((self.colour(path), run.name + over))
        return entries
