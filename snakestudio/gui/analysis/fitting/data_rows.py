"""The measured runs that a fit can use: those that the window has loaded, and those from further files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from snakestudio.analysis.experiment.importing import read_capture
from snakestudio.gui.forms.number_field import Message
from snakestudio.model.capture import Capture
from snakestudio.viewmodel.job import Job, Progress

__all__ = ["DataRows"]

_LOOK_MS = 30
_NONE = "None is loaded yet. Motion capture is read from CSV, TSV, TRC and C3D files."
_FILES = "Motion capture (*.csv *.tsv *.txt *.trc *.c3d);;All files (*)"


class DataRows(QWidget):
    """A tick for each measured run.

    Parameters
    ----------
    captures : callable
        The runs that the window has loaded.

    Signals
    -------
    changed()
        Others are there or ticked.
    """

    changed = Signal()

    def __init__(self, captures: Callable[[], Sequence[Capture]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._captures = captures
        self._own: list[Capture] = []
        self._job: Job[list[Capture]] | None = None
        self.boxes: list[tuple[QCheckBox, Capture]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        column.addLayout(self._rows)
        self._none = QLabel(_NONE)
        self._none.setProperty("role", "dim")
        self._none.setWordWrap(True)
        column.addWidget(self._none)
        self.file_button = QPushButton("From &File ...")
        self.file_button.clicked.connect(self._ask)
        column.addWidget(self.file_button)
        self.message = Message()
        column.addWidget(self.message)
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._take)
        self.refresh()

    @property
    def chosen(self) -> list[Capture]:
        """The ticked runs."""
        return [capture for box, capture in self.boxes if box.isChecked()]

    def refresh(self) -> None:
        """Show the runs there are now; what was not ticked stays so."""
        there = [*self._captures(), *self._own]
        if [id(capture) for _, capture in self.boxes] == [id(capture) for capture in there]:
            return
        off = {id(capture) for box, capture in self.boxes if not box.isChecked()}
        for box, _ in self.boxes:
            box.deleteLater()
        self.boxes = []
        for capture in there:
            known = sum(link is not None for link in capture.links)
            box = QCheckBox(f"{capture.name}, {capture.duration:.3g} s at {capture.rate:.3g} Hz")
            box.setToolTip("\n".join([f"{known} of {len(capture.bodies)} bodies on known links", *capture.notes]))
            box.setChecked(id(capture) not in off)
            box.toggled.connect(lambda _: self.changed.emit())
            self._rows.addWidget(box)
            self.boxes.append((box, capture))
        self._none.setVisible(not there)
        self.changed.emit()

    def _ask(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Measured Runs", "", _FILES)
        if names:
            self.read([Path(name) for name in names])

    def read(self, paths: Sequence[Path]) -> None:
        """Read further files, beside the window."""
        if self._job is not None:
            return
        self.message.say("")
        self.file_button.setEnabled(False)

        def work(progress: Progress) -> list[Capture]:
            return [read_capture(path) for path in paths if progress(0.0)]

        self._job = Job("import", work)
        self._look.start()

    def _take(self) -> None:
        job = self._job
        if job is None or job.running:
            return
        self._look.stop()
        self._job = None
        self.file_button.setEnabled(True)
        self._own += job.result or []
        self.message.say(job.error)
        self.refresh()

    def close_job(self) -> None:
        """Wait for what is being read; call before the program quits."""
        self._look.stop()
        if self._job is not None:
            self._job.cancel()
            self._job.wait()
            self._job = None
