"""Recorded runs overlaid on the current run: ghosts in the viewport and curves in the plots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from snakestudio.drawing.overlays import Ghost
from snakestudio.gui.core import theme
from snakestudio.gui.core.overlaid_runs import ghost_at, has_ended
from snakestudio.gui.core.run_colours import pinned_colour
from snakestudio.model.run_time import run_time
from snakestudio.runfile.mcap import RunFile, open_run
from snakestudio.viewmodel.plots.overlaid import OverlaidRun


@dataclass(frozen=True)
class _PinnedRun:
    path: Path
    name: str
    recording: RunFile
    index: int


class PinnedRuns(QObject):
    """Runs from files that are overlaid on the current run.

    Signals
    -------
    changed()
        A run was added, removed or renamed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs: dict[Path, _PinnedRun] = {}
        theme.follow(self, PinnedRuns._on_theme)

    def __contains__(self, path: Path) -> bool:
        return path in self._runs

    def colour(self, path: Path) -> str:
        """Return the colour of an overlaid run."""
        return pinned_colour(self._runs[path].index)

    def show(self, path: Path, name: str) -> None:
        """Overlay the run in a file under `name`.

        Raises `RunFileError` if it cannot be read.
        """
        if path in self._runs:
            return
        taken = {run.index for run in self._runs.values()}
        index = next(number for number in range(len(taken) + 1) if number not in taken)
        self._runs[path] = _PinnedRun(path, name, open_run(path), index)
        self.changed.emit()

    def hide(self, path: Path) -> None:
        """Remove the overlay of the run in a file."""
        run = self._runs.pop(path, None)
        if run is not None:
            self.changed.emit()  # the file has no readers left
            run.recording.close()

    def clear(self) -> None:
        """Remove all overlays."""
        for path in list(self._runs):
            self.hide(path)

    def _on_theme(self) -> None:
        if self._runs:
            self.changed.emit()

    def overlaid(self) -> list[OverlaidRun]:
        """Return the overlaid runs for the plots."""
        return [
            OverlaidRun(run.name, self.colour(path), run.recording)
            for path, run in self._runs.items()
        ]

    def ghosts(self, time: float) -> tuple[Ghost, ...]:
        """Return the ghosts for the viewport at `time` (s), without runs that ended before."""
        ghosts = (
            ghost_at(run.recording, time, self.colour(path)) for path, run in self._runs.items()
        )
        return tuple(ghost for ghost in ghosts if ghost is not None)

    def names(self, time: float) -> list[tuple[str, str]]:
        """Return the colour and text of each run at `time` (s) for the legend of the viewport."""
        entries = []
        for path, run in self._runs.items():
            over = (
                f", ended at {run_time(float(run.recording.times[-1]), significant=3)}"
                if has_ended(run.recording, time)
                else ""
            )
            entries.append((self.colour(path), run.name + over))
        return entries
