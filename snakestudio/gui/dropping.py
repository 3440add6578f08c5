"""Files that are dragged onto the window from other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent

from snakestudio.gui.runs.opening import RUN_SUFFIX
from snakestudio.session.experiment.importing import MARKERS, TABLES

if TYPE_CHECKING:
    from snakestudio.gui.main_window import MainWindow

__all__ = ["accept_copy", "dropped", "take"]


def dropped(event: QDropEvent) -> Path | None:
    """The file that is dragged over the window, if it can be a scene or a run, or hold obstacles or a track.

    None also where it may only be moved: who drags would take it away from where it is read.
    """
    if not event.possibleActions() & Qt.DropAction.CopyAction:
        return None
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.suffix.lower() in (".toml", ".svg", RUN_SUFFIX, *TABLES, *MARKERS) else None


def accept_copy(event: QDropEvent) -> None:
    """Take a file as a copy, whatever who drags it proposes: after a move its source deletes it."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def take(window: MainWindow, path: Path) -> None:
    """Do with a file what it is for."""
    if path.suffix.lower() == RUN_SUFFIX:
        window.open_runs.open(path)
    else:
        window.experiment_files.take(path)
