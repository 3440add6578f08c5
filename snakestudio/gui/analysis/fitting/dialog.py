"""The window that fits the scene to measured runs: what is free on the left, what comes of it on the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.analysis.experiment.importing import read_capture
from snakestudio.analysis.fitting import OFFSET_BOUNDS_S, offset_bounds
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.export.fit_picture import write_fit_picture
from snakestudio.export.fit_text import length, report
from snakestudio.gui.analysis.fitting.fitter import Fitter
from snakestudio.gui.analysis.fitting.parameter_rows import ParameterRows
from snakestudio.gui.analysis.fitting.pictures import FitPictures, Outcome
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, ask_open_many, ask_save
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.forms.task_bar import TaskBar
from snakestudio.model.capture import Capture
from snakestudio.model.fields import FieldDoc
from snakestudio.model.run_time import run_time
from snakestudio.text import counted
from snakestudio.viewmodel.work import Progress

__all__ = ["FitDialog"]

_METHODS = (
    ("Automatic", "auto", "Looks around with a short CMA-ES, then goes down by least squares"),
    ("Least squares", "least_squares", "Quick, where the run changes smoothly with the values"),
    ("CMA-ES", "cma", "Patient, where the run answers by jumps"),
)
_OFFSET = FieldDoc(
    "Clock off by", "s", "Between what the clock of the measurement may be off; equal numbers: it is known",
    "", (-1.0, 1.0), False, -1e4, 1e4, False, 0.0,
)  # fmt: skip
_STALE = "The scene was edited since; fit again to begin from what it is now."
_PICTURES = "PDF (*.pdf);;PNG (*.png);;SVG (*.svg)"


class FitDialog(Dialog):
    """Sets up a fit, shows how it goes, and hands over what it found.

    Parameters
    ----------
    fitter : Fitter
    document : Document
    captures : callable
        The measured runs that the window has loaded.
    """

    def __init__(
        self, fitter: Fitter, document: Document, captures: Callable[[], Sequence[Capture]],
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._fitter, self._document = fitter, document
        self.setWindowTitle("Fit to Experiment")
        self.resize(theme.scaled(1120), theme.scaled(760))
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 14, 18, 14)
        row.setSpacing(20)
        left = QVBoxLayout()
        left.setSpacing(8)
        self.data, self.parameters = DataRows(captures), ParameterRows(document)
        for title, widget in (("Measured runs", self.data), ("What may change", self.parameters)):
            left.addWidget(_heading(title))
            left.addWidget(widget)
            left.addSpacing(8)
        left.addWidget(_heading("How"))
        left.addLayout(self._how())
        left.addStretch(1)
        self.note = QLabel()
        self.note.setWordWrap(True)
        left.addWidget(self.note)
        self.bar = TaskBar()
        left.addWidget(self.bar)
        self.fit_button, self.stop_button = QPushButton("&Fit"), QPushButton("&Stop and Keep the Best")
        theme.set_role(self.fit_button, "primary")
        self.fit_button.setDefault(True)
        self.fit_button.clicked.connect(self._start)
        self.stop_button.clicked.connect(fitter.stop)
        left.addWidget(self.fit_button)
        left.addWidget(self.stop_button)
        side = QWidget()
        side.setLayout(left)
        left.setContentsMargins(0, 0, 0, 0)
        side.setFixedWidth(theme.scaled(400))
        row.addWidget(side)
        row.addLayout(self._right(), 1)
        for signal in (self.data.changed, self.parameters.changed):
            signal.connect(self._refresh)
        self._offsets_touched = False
        fitter.changed.connect(self._refresh)
        document.opened.connect(self.data.refresh)
        self._refresh()

    def _how(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        self.method = QComboBox()
        self.method.setAccessibleName("Method")
        for number, (text, name, tip) in enumerate(_METHODS):
            self.method.addItem(text, name)
            self.method.setItemData(number, tip, Qt.ItemDataRole.ToolTipRole)
        self.offsets = (NumberField(_OFFSET, parent=self), NumberField(_OFFSET, parent=self))
        self.offset_message = Message()
        for field, value in zip(self.offsets, OFFSET_BOUNDS_S, strict=True):
            field.setToolTip(_OFFSET.help)
            field.set_value(value)
            field.committed.connect(lambda value, again, field=field: self._on_offset(field, value))
            field.problem_changed.connect(self.offset_message.say)
        self.align = QCheckBox("Turn and move the measurement to lie on the run")
        self.align.setChecked(True)
        self.align.setToolTip("Leave it off where the cameras' frame is that of the scene")
        grid.addWidget(QLabel("Method"), 0, 0)
        grid.addWidget(self.method, 0, 1, 1, 3)
        grid.addWidget(QLabel("Clock off by, s"), 1, 0)
        grid.addWidget(self.offsets[0], 1, 1)
        grid.addWidget(QLabel("to"), 1, 2)
        grid.addWidget(self.offsets[1], 1, 3)
        grid.addWidget(self.offset_message, 2, 0, 1, 4)
        grid.addWidget(self.align, 3, 0, 1, 4)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        return grid

    def _right(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(10)
        self.trial = QComboBox()
        self.trial.setAccessibleName("Measured run that is shown")
        self.trial.currentIndexChanged.connect(lambda _: self._show_result())
        column.addWidget(self.trial)
        self.pictures = FitPictures()
        column.addWidget(self.pictures, 1)
        self.outcome = Outcome()
        column.addWidget(self.outcome)
        buttons = QHBoxLayout()
        self.shown = QCheckBox("Show &Both over the Run")
        self.shown.setToolTip("Ghosts in the view and curves in the plots: before the fit, and fitted")
        self.shown.toggled.connect(self._fitter.show)
        self.copy_button, self.picture_button = QPushButton("C&opy as Text"), QPushButton("Save &Picture ...")
        self.apply_button = QPushButton("&Apply to the Scene")
        theme.set_role(self.apply_button, "primary")
        self.copy_button.clicked.connect(self._copy)
        self.picture_button.clicked.connect(self._ask_picture)
        self.apply_button.clicked.connect(self._fitter.apply)
        buttons.addWidget(self.shown)
        buttons.addStretch(1)
        for button in (self.copy_button, self.picture_button, self.apply_button):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        column.addLayout(buttons)
        return column

    # --- what the fields and buttons do ---------------------------------------------------------------------------

    def _on_offset(self, field: NumberField, value: float) -> None:
        field.set_value(value)
        self._offsets_touched = True
        self._refresh()

    def _start(self) -> None:
        fields_ok = [self.parameters.commit(), *(field.commit() for field in self.offsets)]
        if not all(fields_ok):
            return
        try:
            parameters = self.parameters.chosen
        except SnakeStudioError as error:
            self._say(str(error), "warning")
            return
        low, high = (float(field.value or 0.0) for field in self.offsets)
        self._fitter.start(
            self.data.chosen, parameters, str(self.method.currentData()), (low, high), self.align.isChecked()
        )

    def _copy(self) -> None:
        if self._fitter.comparison is not None:
            QGuiApplication.clipboard().setText(report(self._fitter.comparison))

    def _ask_picture(self) -> None:
        path = ask_save(self, "Save Picture", FileKind.FIGURES, "fit.pdf", _PICTURES)
        if path is not None:
            self.write_picture(path)

    def write_picture(self, path: Path) -> None:
        """Write the picture of the fit as a file."""
        if self._fitter.comparison is None:
            return
        try:
            write_fit_picture(path, self._fitter.comparison)
        except SnakeStudioError as error:
            self._say(str(error), "warning")
        else:
            self._say(f"Wrote {path.name}.", "dim")

    # --- what is shown --------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        fitter, result = self._fitter, self._fitter.comparison
        self._suggest_offsets()
        self.fit_button.setVisible(not fitter.busy)
        self.fit_button.setEnabled(bool(self.data.chosen) and self.parameters.any_chosen)
        self.stop_button.setVisible(fitter.busy)
        self.stop_button.setEnabled(not fitter.stopping)
        self.bar.show_task(fitter.task)
        for widget in (self.data, self.parameters, self.method, *self.offsets, self.align):
            widget.setEnabled(not fitter.busy)
        self.pictures.show_progress(fitter.progress)
        names = [] if result is None else [outcome.trial.name for outcome in result.trials]
        if [self.trial.itemText(i) for i in range(self.trial.count())] != names:
            self.trial.blockSignals(True)
            self.trial.clear()
            self.trial.addItems(names)
            self.trial.blockSignals(False)
        self.trial.setVisible(len(names) > 1)
        self._show_result()
        for button in (self.copy_button, self.picture_button, self.shown):
            button.setEnabled(result is not None)
        self.apply_button.setEnabled(result is not None and not fitter.applied)
        self.apply_button.setText("Applied" if fitter.applied else "&Apply to the Scene")
        if self.shown.isChecked() != fitter.shown:
            self.shown.blockSignals(True)
            self.shown.setChecked(fitter.shown)
            self.shown.blockSignals(False)
        self._tell()

    def _suggest_offsets(self) -> None:
        """Where a start delay is free the clock is to be trusted, unless somebody said otherwise."""
        if self._offsets_touched:
            return
        try:
            suggested = offset_bounds(self.parameters.chosen)
        except SnakeStudioError:  # a range that makes no sense is told when the fit is to begin
            return
        for field, value in zip(self.offsets, suggested, strict=True):
            field.set_value(value)

    def _show_result(self) -> None:
        result = self._fitter.comparison
        self.pictures.show_result(result, max(0, self.trial.currentIndex()))
        self.outcome.show_result(result)

    def _tell(self) -> None:
        fitter, progress = self._fitter, self._fitter.progress
        if fitter.stopping:
            self._say("Stopping; the best values so far are run once more.", "dim")
        elif fitter.busy and progress is not None:
            best = f"; the best is {length(progress.history[-1].cost)} off" if progress.history else ""
            self._say(f"{progress.doing}: {counted(progress.evaluations, 'evaluation')}{best}", "dim")
        elif fitter.busy:
            self._say(fitter.preparing or "Preparing the simulations ...", "dim")
        elif fitter.message:
            self._say(fitter.message, "warning")
        elif fitter.comparison is None and not self.data.chosen:
            self._say("Tick a measured run, or load one from a file.", "dim")
        elif fitter.comparison is None and not self.parameters.any_chosen:
            self._say("Tick at least one value that may change.", "dim")
        elif fitter.stale:
            self._say(_STALE, "warning")
        else:
            self._say("", "dim")

    def _say(self, text: str, role: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
        if self.note.property("role") != role:
            theme.set_role(self.note, role)

    # --- Qt's events ----------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.data.refresh()
        self._refresh()

    def done(self, result: int) -> None:
        self.data.close_task()
        self._fitter.cancel()
        super().done(result)


def _heading(text: str) -> QLabel:
    made = QLabel(text)
    made.setProperty("role", "heading")
    return made


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
        self._task: Task[list[Capture]] | None = None
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
            box = QCheckBox(f"{capture.name}, {run_time(capture.duration, significant=3)} at {capture.rate:.3g} Hz")
            box.setToolTip("\n".join([f"{known} of {len(capture.bodies)} bodies on known links", *capture.notes]))
            box.setChecked(id(capture) not in off)
            box.toggled.connect(lambda _: self.changed.emit())
            self._rows.addWidget(box)
            self.boxes.append((box, capture))
        self._none.setVisible(not there)
        self.changed.emit()

    def _ask(self) -> None:
        paths = ask_open_many(self, "Measured Runs", FileKind.MEASUREMENT, _FILES)
        if paths:
            self.read(paths)

    def read(self, paths: Sequence[Path]) -> None:
        """Read further files, beside the window."""
        if self._task is not None:
            return
        self.message.say("")
        self.file_button.setEnabled(False)

        def work(progress: Progress) -> list[Capture]:
            return [read_capture(path) for path in paths if progress(0.0)]

        self._task = Task("import", work, self)
        self._task.finished.connect(self._on_read)
        self._task.failed.connect(self._on_failed)

    @Slot(object)
    def _on_read(self, captures: list[Capture]) -> None:
        self._own += captures
        self._end("")

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._end(problem.sentence())

    def _end(self, message: str) -> None:
        self._task = None
        self.file_button.setEnabled(True)
        self.message.say(message)
        self.refresh()

    def close_task(self) -> None:
        """Stop what is being read, and wait for its end; call before the program quits."""
        if self._task is not None:
            close_tasks(self)
            self._task = None
            self.file_button.setEnabled(True)
