"""Page of the sequences for arm, disarm, stop, zero and reset, with the bytes of each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSplitter, QTabWidget, QVBoxLayout, QWidget

from snakestudio.errors import ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.sections import heading
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.parts_model import PartsModel
from snakestudio.gui.profile.parts_table import PartsTable
from snakestudio.link.core.codec import Codec
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Sequences, Step
from snakestudio.model.fields import field_doc
from snakestudio.text import counted
from snakestudio.viewmodel.cells import columns_of

_MOST_FRAMES = 400
_NAMES = tuple(Sequences.model_fields)


class SequencesPage(QWidget):
    """Tab for each sequence: table of steps above, frames on the bus below."""

    def __init__(self, document: ProfileDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        split = QSplitter(Qt.Orientation.Vertical, self)
        self.tabs = QTabWidget(split)
        self.tables: dict[str, PartsTable] = {}
        for name in _NAMES:
            doc = field_doc(Sequences, name)
            model = PartsModel(document, f"sequences.{name}", columns_of(Step), "step", parent=self)
            page = QWidget(self.tabs)
            table = PartsTable(model, self._fresh, self._suggest, order=True, parent=page)
            table.row_changed.connect(lambda row: self._show())
            self.tables[name] = table
            column = QVBoxLayout(page)
            column.setContentsMargins(0, 8, 0, 0)
            column.setSpacing(6)
            hint = QLabel(f"{doc.help}.")
            hint.setProperty("role", "dim")
            column.addWidget(hint)
            column.addWidget(table, 1)
            self.tabs.addTab(page, doc.label)
        below = QWidget(split)
        self.bytes = QPlainTextEdit(below)
        self.bytes.setReadOnly(True)
        self.bytes.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.bytes.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.bytes.setAccessibleName("Frames that this sequence sends")
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 8, 0, 0)
        self.title = heading("On the bus")
        column.addWidget(self.title)
        column.addWidget(self.bytes, 1)
        split.setChildrenCollapsible(False)
        split.addWidget(self.tabs)
        split.addWidget(below)
        split.setSizes([theme.scaled(320), theme.scaled(280)])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)
        self.tabs.currentChanged.connect(lambda _: self._show())
        document.changed.connect(self._show)
        self._show()

    @property
    def sequence(self) -> str:
        """Name of the shown sequence."""
        return _NAMES[self.tabs.currentIndex()]

    def _fresh(self, before: tuple[Any, ...]) -> Step:
        names = self._message_names()
        return Step(send=names[0]) if names else Step(wait_s=0.1)

    def _message_names(self) -> list[str]:
        return [message.called for message in self._document.profile.messages]

    def _suggest(self, row: int, name: str) -> Sequence[str]:
        return ["", *self._message_names()] if name == "send" else ()

    def _show(self) -> None:
        if not self.isVisible() and self.bytes.toPlainText():
            return
        steps = self.tables[self.sequence].model.parts
        text, count = frames_text(self._document, steps)
        self.bytes.setPlainText(text)
        self.title.setText(f"On the bus: {counted(count, 'frame')}" if count else "On the bus")

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._show()

    def select_step(self, name: str, row: int, field: str) -> None:
        """Show a cell of a sequence."""
        if name in _NAMES:
            self.tabs.setCurrentIndex(_NAMES.index(name))
            if row >= 0:
                self.tables[name].select_part(row, field)


def frames_text(document: ProfileDocument, steps: Sequence[Step]) -> tuple[str, int]:
    """Return the text with a line per frame that the steps send, and the number of frames."""
    if not steps:
        return "Nothing is sent.", 0
    try:
        codec = Codec(document.loaded)
    except ProfileError:
        return "The frames are shown once the problems of the checks are fixed.", 0
    lines: list[str] = []
    count = 0
    for number, step in enumerate(steps, 1):
        if step.wait_s is not None:
            lines.append(f"{number:3}  wait {step.wait_s:g} s")
        elif step.expect is not None:
            lines.append(
                f"{number:3}  wait until every node reports {step.expect}, at most {step.timeout_s:g} s"
            )
        else:
            frames, problem = _frames(codec, step)
            count += len(frames)
            lines += [f"{number:3}  {problem}"] if problem else []
            for frame in frames[: max(0, _MOST_FRAMES - len(lines))]:
                lines.append(f"{number:3}  {_frame_text(frame, codec.text)}")
    if count > _MOST_FRAMES:
        lines.append(f"     ... {count} frames in total")
    return "\n".join(lines), count


def _frames(codec: Codec, step: Step) -> tuple[list[Frame], str]:
    try:
        return codec.step_frames(step), ""
    except (ProfileError, ValueError) as error:
        return [], str(error).splitlines()[0]


def _frame_text(frame: Frame, text_of: Callable[[Frame], str]) -> str:
    number = f"{frame.id:08X}" if frame.extended else f"     {frame.id:03X}"
    data = "remote" if frame.remote else frame.data.hex(" ").upper() or "(no data)"
    return f"{number}  {data:<24} {text_of(frame)}".rstrip()
