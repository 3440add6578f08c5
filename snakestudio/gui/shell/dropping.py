"""Files that are dragged onto the window from other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent

from snakestudio.analysis.experiment.importing import MARKERS, TABLES
from snakestudio.gui.runs.opening import RUN_SUFFIX

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["accept_copy", "dropped", "take"]


def dropped(event: QDropEvent) -> Path | None:
    """The file that is dragged over the window, if it can be a scene or a run, or hold obstacles or a track."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.suffix.lower() in (".toml", ".svg", RUN_SUFFIX, *TABLES, *MARKERS) else None


def accept_copy(event: QDropEvent) -> Path | None:
    """Accept a file that the program can open, as copied only: whoever drags it deletes what was accepted as moved.

    The file, or None where nothing is accepted.
    """
    path = dropped(event)
    if path is None or not event.possibleActions() & Qt.DropAction.CopyAction:
        event.ignore()
        return None
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
    return path


def take(window: MainWindow, path: Path) -> None:
    """Do with a file what it is for."""
    if path.suffix.lower() == RUN_SUFFIX:
        window.open_runs.open(path)
    else:
        window.experiment_files.take(path)
