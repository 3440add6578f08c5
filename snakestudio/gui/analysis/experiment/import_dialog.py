"""Dialog before measured tracks are imported: meaning of columns, units, and the tracks from above."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QWidget

from snakestudio.analysis.experiment.layout import (
    Layout,
    layout_from_toml,
    layout_to_toml,
    load_layout,
    save_layout,
)
from snakestudio.analysis.experiment.recognizers.reading import Reading
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.analysis.experiment.layout_form import BodyRows, LayoutForm
from snakestudio.gui.analysis.experiment.preview_table import PreviewTable, TrackPlan
from snakestudio.gui.analysis.experiment.recognition_view import RecognitionView
from snakestudio.gui.core import theme
from snakestudio.gui.core.file_dialogs import FileKind, ask_open, ask_save
from snakestudio.gui.core.settings import StoredRecords
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.lines import column_of, holder_of, line_of
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.model.capture import Capture
from snakestudio.model.recognition import ignored_text
from snakestudio.model.scene import Scene
from snakestudio.text import capitalized
from snakestudio.viewmodel.experiment.columns import (
    UNUSED,
    Meaning,
    MeasuredBody,
    layout_of,
    meanings_of,
)
from snakestudio.viewmodel.work import Progress

_MOST_NOTES = 8

_LAYOUTS = "Layouts (*.toml)"


class ImportExperimentDialog(Dialog):
    """Columns, units and bodies of a measured file.

    Parameters
    ----------
    path : Path
        Measured file.
    scene : Scene
        Scene of the measured robot.
    settings : QSettings
        Stores the layouts.
    alike : int
        Number of further files to import that can have the same layout.
    """

    def __init__(
        self,
        path: Path,
        scene: Scene,
        settings: QSettings,
        alike: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, "Import Experiment")
        self._settings = settings
        self.capture: Capture | None = None
        """Imported capture, once the dialog is accepted."""
        self.file_layout: Layout | None = None
        self._table = is_table(path)
        self._meanings: list[Meaning] = []
        self._bodies: list[MeasuredBody] = []
        self._recalled = False
        self._take_over = True
        self._file_type = _TABLE
        self._recognized_layout: Layout | None = None
        self._displayed_file: FileRead | None = None
        self.resize(theme.scaled(900), theme.scaled(760 if self._table else 460))
        self.status = QLabel()
        self.status.setProperty("role", "dim")
        self.table = PreviewTable(scene.body.n_joints, self)
        self.form = LayoutForm(self)
        self.bodies = BodyRows(scene.body.n_parts)
        self.problems = self._sentences("warning")
        self.notes = self._sentences("dim")
        self.recognition_view = RecognitionView()
        self.read_button = QPushButton("Read as Shown")
        self.read_button.setToolTip("Read the file with these columns and units")
        self.read_button.setAutoDefault(False)
        self.read_button.clicked.connect(self._on_read_clicked)
        self.read_button.hide()
        self.plan = TrackPlan(scene.body.length, self)
        others = "other file" if alike == 1 else f"other {alike} files"
        self.for_all = QCheckBox(f"Read the {others} the same way")
        self.for_all.setChecked(True)
        self.for_all.setVisible(alike > 0)
        buttons, self.start = self.make_buttons("Import", "Cancel")
        layout_button = self._layout_button()
        for widget in (layout_button, self.table, self.form):
            widget.setVisible(self._table)
        bodies = column_of(
            self.bodies,
            self.problems,
            line_of(self.read_button, 1),
            self.recognition_view,
            self.notes,
            1,
            spacing=10,
        )
        left = column_of(heading("Bodies"), (scrolled(holder_of(bodies)), 1))
        self.arrange(
            line_of(heading(path.name), (self.status, 1), layout_button),
            (self.table, 3),
            self.form,
            (line_of((left, 3), (self.plan, 2), spacing=16), 4),
            line_of((self.for_all, 1), buttons),
            spacing=14,
        )
        self.table.chosen.connect(self._on_chosen)
        self.form.edited.connect(self._on_form)
        self.bodies.edited.connect(self._on_bodies)
        self._reader = Reader(path, self)
        self._reader.changed.connect(self._on_read)
        self._reader.read(None)

    def _sentences(self, role: str) -> QLabel:
        label = QLabel(self)
        label.setProperty("role", role)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(theme.text_font(12))
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.hide()
        return label

    def _layout_button(self) -> QPushButton:
        button = QPushButton("Layout", self)
        button.setToolTip("How this file is read: recognise it again, open a layout or save one")
        menu = Menu(button)
        menu.addAction("Recognise Again").triggered.connect(self.guess)
        menu.addAction("Open...").triggered.connect(self._ask_open)
        self._save_action = menu.addAction("Save As...")
        self._save_action.triggered.connect(self._ask_save)
        button.setMenu(menu)
        return button

    @property
    def changed_layout(self) -> Layout | None:
        """Layout for further files; None if it was not changed, so that each file is recognized by itself."""
        return None if self.file_layout == self._recognized_layout else self.file_layout

    @property
    def busy(self) -> bool:
        """Whether the file is being read."""
        return self._reader.busy

    # --- reading ----------------------------------------------------------------------------------

    def _on_read(self) -> None:
        result = self._reader.result
        if self._reader.busy or result is None or result is self._displayed_file:
            self.start.setEnabled(False)
            if self._reader.busy and self._displayed_file is None:
                self.plan.show_capture(None, "reading...")
            if self._reader.failure:
                self._show_messages((self._reader.failure,), ())
            return
        first = self._displayed_file is None
        self._displayed_file = result
        if result.reading is not None:
            self._file_type = result.file_type
            self._recognized_layout = result.layout
        if first and result.layout is not None and self._apply_remembered(result):
            return
        self._show(result)

    def _apply_remembered(self, result: FileRead) -> bool:
        """Read a table with the layout last used for tables with its signature, if it exists; return whether it did."""
        assert result.layout is not None
        layout = recall_layout(
            self._settings, signature(result.rows, result.layout, result.file_type)
        )
        if layout is None or layout == result.layout:
            return False
        self._recalled = True
        self._reader.read(layout)
        return True

    def _show(self, result: FileRead) -> None:
        layout = result.layout
        if layout is not None:
            width = max((len(row) for row in result.rows), default=0)
            self.file_layout = layout
            if self._take_over or len(self._meanings) != width:
                self._meanings, self._bodies = meanings_of(layout, width)
                self._take_over = False
            self.table.show_rows(result.rows, layout.header_rows, self._meanings, self._bodies)
            self.form.show_layout(layout)
            self.status.setText("read like the last such file" if self._recalled else "")
        elif result.capture is not None:
            self._bodies = [
                MeasuredBody(name, link)
                for name, link in zip(result.capture.bodies, result.capture.links, strict=True)
            ]
        self.bodies.show_bodies(self._bodies)
        capture = result.capture
        recognition = None if capture is None else capture.recognition
        self.plan.show_capture(capture, "" if capture is not None else "cannot be read yet")
        recognized = () if recognition is None else recognition.sentences()
        self._show_messages(
            result.problems,
            () if capture is None else [note for note in capture.notes if note not in recognized],
        )
        if recognition is not None:
            self.recognition_view.show_rows(recognition.rows())
        else:
            self.recognition_view.show_rows(
                () if result.reading is None else _rows_of(result.reading)
            )
        unclear = result.reading is not None and bool(result.reading.questions)
        self.read_button.setVisible(unclear and layout is not None and not layout.problems())
        self.start.setEnabled(capture is not None)

    def _show_messages(self, problems: Sequence[str], notes: Sequence[str]) -> None:
        for label, sentences in ((self.problems, problems), (self.notes, notes)):
            lines = list(sentences[:_MOST_NOTES])
            if len(sentences) > _MOST_NOTES:
                lines.append(f"... and {len(sentences) - _MOST_NOTES} more.")
            label.setText("\n".join(lines))
            label.setVisible(bool(lines))

    # --- editing ----------------------------------------------------------------------------------

    def _read_again(self, base: Layout) -> None:
        self._recalled = False
        self._take_over = False
        self.file_layout = layout_of(base, self._meanings, self._bodies)
        self.start.setEnabled(False)
        self._reader.read(self.file_layout)

    def _on_read_clicked(self) -> None:
        if self.file_layout is not None:
            self._read_again(self.file_layout)

    def _on_chosen(self, column: int, meaning: Meaning) -> None:
        if meaning.kind == "body" and meaning.index == len(self._bodies):
            self._bodies.append(MeasuredBody(f"Body {len(self._bodies) + 1}"))
        # A meaning belongs to a single column.
        self._meanings = [UNUSED if each == meaning else each for each in self._meanings]
        self._meanings[column] = meaning
        assert self.file_layout is not None
        self._read_again(self.file_layout)

    def _on_form(self, layout: Layout) -> None:
        if self.file_layout is not None and layout.delimiter != self.file_layout.delimiter:
            # other cells: the meanings of the columns are void
            self._meanings = []
            self._bodies = []
        self._read_again(layout)

    def _on_bodies(self, bodies: list[MeasuredBody]) -> None:
        self._bodies = bodies
        if self._table:
            assert self.file_layout is not None
            self._read_again(self.file_layout)

    def guess(self) -> None:
        """Discard the choices and recognize the file again."""
        self._recalled = False
        self._take_over = True
        self._reader.read(None)

    def _ask_open(self) -> None:
        path = ask_open(
            self, "Open Layout", FileKind.LAYOUT, _LAYOUTS, near=self._reader.path.parent
        )
        if path is not None:
            self.open_layout(path)

    def open_layout(self, path: Path) -> None:
        """Read the file with a layout from disk."""
        try:
            layout = load_layout(path)
        except SnakeStudioError as error:
            self._show_messages((str(error),), ())
            return
        self._recalled = False
        self._take_over = True
        self._reader.read(layout)

    def _ask_save(self) -> None:
        measured = self._reader.path
        name = measured.with_suffix(".layout.toml").name
        path = ask_save(
            self, "Save Layout As", FileKind.LAYOUT, name, _LAYOUTS, near=measured.parent
        )
        if path is not None and self.file_layout is not None:
            try:
                save_layout(path, self.file_layout)
            except SnakeStudioError as error:
                self._show_messages((str(error),), ())

    # --- ending -----------------------------------------------------------------------------------

    def accept(self) -> None:
        result = self._displayed_file
        if not self.form.commit() or self._reader.busy or result is None or result.capture is None:
            return
        capture = result.capture
        if self._table and self.file_layout is not None:
            name = signature(result.rows, self.file_layout, self._file_type)
            remember_layout(self._settings, name, self.file_layout)
        else:
            capture = replace(
                capture,
                bodies=tuple(body.name for body in self._bodies),
                links=tuple(body.link for body in self._bodies),
            )
        self.capture = capture
        super().accept()

    def done(self, result: int) -> None:
        self._reader.close()
        super().done(result)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in a field applies the field's value; it does not close the dialog.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.start.hasFocus():
            event.accept()
            return
        super().keyPressEvent(event)


_TABLE = "Table"
"""File type of tables that are recognized only by their column names."""

_REMEMBERED = StoredRecords(
    "experiment/layouts",
    ("signature", "layout"),
    "Measured Files",
    "Column mappings of measured files, by their columns",
)
_MOST = 40


def signature(rows: Sequence[Sequence[str]], layout: Layout, file_type: str = _TABLE) -> str:
    """Return the common part of tables with one layout: the texts over their columns, or else their number.

    File types that name their bodies in further rows include these rows.
    """
    header = rows[: layout.header_rows]
    titles = next((row for row in reversed(header) if len(row) > 1), ())
    width = max((len(row) for row in rows[layout.header_rows :]), default=0)
    text = "\x1f".join((layout.delimiter, str(width), *titles))
    if file_type != _TABLE:
        names = [cell for row in header for cell in row if cell and not cell[0].isdigit()]
        text = "\x1f".join((file_type, text, *names))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def remember_layout(settings: QSettings, name: str, layout: Layout) -> None:
    """Store the layout of tables with this signature; the oldest of many are discarded."""
    layouts = _stored_layouts(settings)
    layouts.pop(name, None)
    layouts[name] = layout_to_toml(layout)
    _REMEMBERED.store(settings, list(layouts.items())[-_MOST:])


def recall_layout(settings: QSettings, name: str) -> Layout | None:
    """Return the layout last used for tables with this signature; None if it does not exist or is not understood."""
    text = _stored_layouts(settings).get(name)
    if text is None:
        return None
    try:
        return layout_from_toml(text)
    except SnakeStudioError:
        return None


def _stored_layouts(settings: QSettings) -> dict[str, str]:
    return {str(signature): str(layout) for signature, layout in _REMEMBERED.load(settings)}


_ROWS = 40


def is_table(path: Path) -> bool:
    """Return whether a file is a table of text, which needs a layout."""
    from snakestudio.analysis.experiment.importing import TABLES

    return path.suffix.lower() in TABLES


@dataclass(frozen=True, slots=True, eq=False)
class FileRead:
    """Result of reading a file."""

    layout: Layout | None
    """Layout used; None for a file that needs none."""

    rows: list[list[str]]
    """Cells of the first lines."""

    capture: Capture | None
    """None if the file could not be read."""

    problems: tuple[str, ...] = ()
    """Reasons why it could not be read, one sentence each."""

    reading: Reading | None = None
    """Recognized meaning of a table, if no layout was given."""

    @property
    def file_type(self) -> str:
        """Recognized file type."""
        return _TABLE if self.reading is None else self.reading.file_type


def _read(path: Path, layout: Layout | None) -> FileRead:
    from snakestudio.analysis.experiment.importing import preview, read_capture, recognize_file
    from snakestudio.errors import SnakeStudioError

    rows: list[list[str]] = []
    reading: Reading | None = None
    try:
        requested = layout
        if is_table(path):
            if layout is None:
                reading = recognize_file(path)
                layout = reading.layout
            rows = preview(path, layout, _ROWS + layout.header_rows)
            problems = (*(reading.questions if reading is not None else ()), *layout.problems())
            if problems:
                return FileRead(layout, rows, None, problems, reading)
        return FileRead(layout, rows, read_capture(path, requested), reading=reading)
    except SnakeStudioError as error:
        text = str(error).replace(f"{path}: ", "")
        problems = tuple(capitalized(line) for line in text.splitlines())
        return FileRead(layout, rows, None, problems, reading)


def _rows_of(reading: Reading) -> tuple[tuple[str, str], ...]:
    """Return the rows for a file whose recognition is too uncertain to read it."""
    rows = [("File", reading.file_type)]
    if reading.ignored:
        rows.append(("Ignored", ignored_text(reading.ignored)))
    return tuple(rows)


class Reader(QObject):
    """Reads one file repeatedly; of several requests only the last is executed.

    Signals
    -------
    changed()
        `result` has changed, or the file is about to be read.
    """

    changed = Signal()

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.result: FileRead | None = None
        self.failure = ""
        self._task: Task[FileRead] | None = None
        self._waiting: tuple[Layout | None] | None = None

    @property
    def busy(self) -> bool:
        """Whether the file is being read."""
        return self._task is not None

    def read(self, layout: Layout | None) -> None:
        """Read the file with a layout; None to recognize it."""
        if self._task is not None:
            self._waiting = (layout,)
            return

        def work(progress: Progress) -> FileRead | None:
            return _read(self.path, layout)

        self._task = Task("import", work, self)
        self._task.finished.connect(self._on_read)
        self._task.failed.connect(self._on_failed)
        self.changed.emit()

    @Slot(object)
    def _on_read(self, result: FileRead) -> None:
        self._end(result, "")

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._end(self.result, problem.sentence())

    def _end(self, result: FileRead | None, failure: str) -> None:
        self._task = None
        if self._waiting is not None:
            (layout,) = self._waiting
            self._waiting = None
            self.read(layout)
            return
        self.result = result
        self.failure = failure
        self.changed.emit()

    def close(self) -> None:
        """Cancel the reading."""
        self._waiting = None
        close_tasks(self)
        self._task = None
