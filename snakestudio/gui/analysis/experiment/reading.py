"""Reads a measured file beside the window, again whenever its layout changes: first rows, tracks, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from snakestudio.analysis.experiment.layout import Layout
from snakestudio.model.capture import Capture
from snakestudio.viewmodel.job import Job, Progress

__all__ = ["FileRead", "Reader", "is_table"]

_ROWS = 40


def is_table(path: Path) -> bool:
    """Whether a file is a table of text, which needs a layout."""
    from snakestudio.analysis.experiment.importing import TABLES

    return path.suffix.lower() in TABLES


@dataclass(frozen=True, slots=True, eq=False)
class FileRead:
    """What came of a file.

    Attributes
    ----------
    layout : Layout or None
        As it was read; None of a file that needs none.
    rows : list of list of str
        Cells of the first lines.
    capture : Capture or None
        None where it could not be read.
    problems : tuple of str
        Why not, one sentence each.
    """

    layout: Layout | None
    rows: list[list[str]]
    capture: Capture | None
    problems: tuple[str, ...] = ()


def _read(path: Path, layout: Layout | None) -> FileRead:
    from snakestudio.analysis.experiment.importing import guess_layout, preview, read_capture
    from snakestudio.errors import SnakeStudioError

    rows: list[list[str]] = []
    try:
        if is_table(path):
            layout = layout or guess_layout(path)
            rows = preview(path, layout, _ROWS + layout.header_rows)
            problems = layout.problems()
            if problems:
                return FileRead(layout, rows, None, problems)
        return FileRead(layout, rows, read_capture(path, layout))
    except SnakeStudioError as error:
        said = str(error).replace(f"{path}: ", "")
        return FileRead(layout, rows, None, tuple(line[:1].upper() + line[1:] for line in said.splitlines()))


class Reader(QObject):
    """Reads one file again and again; of several wishes only the last is carried out.

    Parameters
    ----------
    path : Path

    Signals
    -------
    changed()
        There is another `result`, or it is about to be read.
    """

    changed = Signal()

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.result: FileRead | None = None
        self.failure = ""
        self._job: Job[FileRead] | None = None
        self._waiting: tuple[Layout | None] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(20)
        self._timer.timeout.connect(self._watch)

    @property
    def busy(self) -> bool:
        """Whether it is being read."""
        return self._job is not None

    def read(self, layout: Layout | None) -> None:
        """Read it in a layout; None to have that guessed."""
        if self._job is not None:
            self._waiting = (layout,)
            return

        def work(progress: Progress) -> FileRead | None:
            return _read(self.path, layout)

        self._job = Job("import", work)
        self._timer.start()
        self.changed.emit()

    def _watch(self) -> None:
        job = self._job
        if job is None or job.running:
            return
        self._timer.stop()
        self._job = None
        if self._waiting is not None:
            (layout,), self._waiting = self._waiting, None
            self.read(layout)
            return
        self.result, self.failure = job.result or self.result, job.error
        self.changed.emit()

    def close(self) -> None:
        """Read no more."""
        self._timer.stop()
        self._waiting = None
        if self._job is not None:
            self._job.wait()
            self._job = None
