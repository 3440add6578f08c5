"""Row that opens a log of frames and cuts parts out of it, to learn without the robot."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from snakestudio.errors import Problem
from snakestudio.gui.core.file_dialogs import FileKind, ask_open
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.boxes import DoubleSpinBox
from snakestudio.gui.forms.number_field import Message
from snakestudio.link.bus.frame_log import READABLE, LogReader, read_log
from snakestudio.link.frame import Frame
from snakestudio.viewmodel.work import Progress

_FILES = f"Logs of frames ({' '.join('*' + ending for ending in READABLE)})"


class LogRow(QWidget):
    """Log and the time at which a part of it starts.

    Attributes
    ----------
    frames : list of Frame or None
        Frames received from the robot, times in s since the first frame; None while no log is open.

    Signals
    -------
    opened()
        A log was opened or closed.
    """

    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.frames: list[Frame] | None = None
        self._name = ""
        self._path = Path()
        self._reader: LogReader | None = None
        self._task: Task[list[Frame]] | None = None
        self.open_button = QPushButton("Open &Log...")
        self.open_button.setToolTip(
            "Learn from a BLF, ASC, candump or PCAN TRC file instead of a bus"
        )
        self.open_button.clicked.connect(self.ask)
        self.close_button = QPushButton("&Back to Bus")
        self.close_button.clicked.connect(self.close_log)
        self.summary = QLabel()
        self.summary.setProperty("role", "dim")
        self.start_box = DoubleSpinBox()
        self.start_box.setDecimals(1)
        self.start_box.setSingleStep(0.1)
        self.start_box.setPrefix("from ")
        self.start_box.setSuffix(" s")
        self.start_box.setToolTip(
            "Time in the log at which the rest or the motion starts, to within half a second"
        )
        self.message = Message()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for button in (self.open_button, self.close_button):
            button.setAutoDefault(False)
        for widget in (self.open_button, self.summary, self.start_box, self.close_button):
            line.addWidget(widget)
        line.addWidget(self.message, 1)
        line.addStretch(0)
        self._show()

    def ask(self) -> None:
        """Ask for a log and read it."""
        path = ask_open(self, "Learn from Log", FileKind.FRAME_LOG, _FILES)
        if path is not None:
            self.read(path)

    def read(self, path: Path) -> None:
        """Read a log in a thread."""
        reader = read_log(path)

        def work(progress: Progress) -> list[Frame] | None:
            frames = []
            with closing(reader):
                for logged in reader:
                    if not logged.sent and not logged.frame.error:
                        frames.append(logged.frame)
                    if len(frames) % 1000 == 0 and not progress(0.0):
                        return None
            return frames

        self.end()
        self._path = path
        self._reader = reader
        self.message.show_text("")
        self._task = Task("reading of the log", work, self)
        self._task.finished.connect(self._on_read)
        self._task.failed.connect(self._on_failed)

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._task = None
        self.message.show_text(problem.sentence())

    @Slot(object)
    def _on_read(self, frames: list[Frame]) -> None:
        self._task = None
        if not frames:  # results from the bus or the previous log stay
            self.message.show_text(f"{self._path.name} contains no CAN frames. Choose another log.")
            return
        self.frames = frames
        self._name = self._path.name
        self.message.show_text(" ".join(self._reader.notes) if self._reader else "")
        self.start_box.setMaximum(self.frames[-1].time)
        self.start_box.setValue(0.0)
        self._show()
        self.opened.emit()

    def close_log(self) -> None:
        """Close the log and return to the bus."""
        self.end()
        self.frames = None
        self.message.show_text("")
        self._show()
        self.opened.emit()

    def cut(self, begin: float, length: float) -> list[Frame]:
        """Return the frames from `begin` (s) on for `length` s."""
        return [frame for frame in self.frames or () if begin <= frame.time <= begin + length]

    def end(self) -> None:
        """Stop reading; an open log stays open."""
        close_tasks(self)
        self._task = None

    def _show(self) -> None:
        is_open = self.frames is not None
        for widget in (self.summary, self.start_box, self.close_button):
            widget.setVisible(is_open)
        if self.frames:
            length = self.frames[-1].time
            self.summary.setText(f"{self._name}: {len(self.frames)} frames, {length:.1f} s")
