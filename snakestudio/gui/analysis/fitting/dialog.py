"""Window that fits the scene to measured runs: set-up on the left, results on the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QPushButton,
    QWidget,
)

from snakestudio.analysis.experiment.importing import read_capture
from snakestudio.analysis.fitting import OFFSET_BOUNDS_S, offset_bounds
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.export.fit_picture import write_fit_picture
from snakestudio.export.fit_report import fit_report
from snakestudio.export.fit_text import length
from snakestudio.export.report import Report
from snakestudio.gui.analysis.fitting.fitter import Fitter
from snakestudio.gui.analysis.fitting.parameter_rows import ParameterRows
from snakestudio.gui.analysis.fitting.pictures import FitPictures, FitSummary
from snakestudio.gui.analysis.frame import AnalysisFrame, ReportExporter
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, ask_open_many, ask_save
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, form_field
from snakestudio.gui.forms.lines import column_of
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.forms.sections import heading
from snakestudio.model.capture import Capture
from snakestudio.model.run_time import run_time
from snakestudio.text import counted
from snakestudio.viewmodel.work import Progress

_OFFSET: dict[str, Any] = {
    "unit": "s",
    "help": "Search range of the clock offset of the measurement; equal values fix it",
    "minimum": -1e4,
    "maximum": 1e4,
    "slider": (-1.0, 1.0),
}


@dataclass(frozen=True)
class FitChoices:
    """Options of a fit."""

    method: str = form_field(
        "auto",
        "Method",
        choices=(
            Choice(
                "auto",
                "Automatic",
                "Short global search with CMA-ES, then local refinement by least squares",
            ),
            Choice(
                "least_squares",
                "Least squares",
                "Fast if the run depends smoothly on the values",
            ),
            Choice("cma", "CMA-ES", "Slower, for runs that depend discontinuously on the values"),
        ),
    )
    low_s: float = form_field(
        OFFSET_BOUNDS_S[0], "Clock offset", name="Min. clock offset", **_OFFSET
    )
    high_s: float = form_field(
        OFFSET_BOUNDS_S[1], "to", name="Max. clock offset", place="beside", **_OFFSET
    )
    align: bool = form_field(
        True,
        "",
        wide=True,
        text="Align the measurement with the run",
        help="Turn it off if the cameras use the frame of the scene",
    )


_STALE = "The scene has been edited since. Fit again to start from its current values."
_PICTURES = "PDF (*.pdf);;PNG (*.png);;SVG (*.svg)"


class FitDialog(Dialog):
    """Sets up a fit, shows its progress, and applies its result.

    Parameters
    ----------
    captures : callable
        Returns the measured runs loaded in the window.
    """

    def __init__(
        self,
        fitter: Fitter,
        document: Document,
        captures: Callable[[], Sequence[Capture]],
        exporter: ReportExporter,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, "Fit to Experiment")
        self._fitter = fitter
        self._document = document
        self.resize(theme.scaled(1120), theme.scaled(760))
        self.frame = AnalysisFrame(self._report, exporter, fitter.stop, is_wide=True)
        self.frame.side.setFixedWidth(theme.scaled(400))
        self.arrange((self.frame, 1), margins=(18, 14, 18, 14))
        self.note = self.frame.note
        self.stop_button = self.frame.cancel_button
        self.stop_button.setText("&Stop and Keep the Best")
        self.data = DataRows(captures)
        self.parameters = ParameterRows(document)
        self.form = DeclaredForm(FitChoices(), enter_accepts=False)
        self.method = self.form.widget("method", ChoiceBox)
        self.offsets = (
            self.form.widget("low_s", NumberField),
            self.form.widget("high_s", NumberField),
        )
        sections = (
            column_of(heading(title), part)
            for title, part in (
                ("Measured runs", self.data),
                ("Parameters to fit", self.parameters),
                ("Settings", self.form),
            )
        )
        self.frame.setup.addLayout(column_of(*sections, spacing=16, margins=(0, 0, 0, 8)))
        self.fit_button = QPushButton("&Fit")
        theme.set_role(self.fit_button, "primary")
        self.fit_button.setDefault(True)
        self.fit_button.clicked.connect(self._start)
        self.frame.foot.addWidget(self.fit_button)
        self._fill_results()
        for signal in (self.data.changed, self.parameters.changed, self.form.changed):
            signal.connect(self._refresh)
        fitter.changed.connect(self._refresh)
        document.opened.connect(self.data.refresh)
        self._refresh()

    def _fill_results(self) -> None:
        frame = self.frame
        self.trial = QComboBox()
        self.trial.setAccessibleName("Shown measured run")
        self.trial.currentIndexChanged.connect(lambda _: self._show_result())
        self.pictures = FitPictures()
        self.summary = FitSummary()
        frame.results.addLayout(column_of(self.trial, (self.pictures, 1), self.summary))
        self.visible_box = QCheckBox("Show &Both over the Run")
        self.visible_box.setToolTip(
            "Ghosts in the view and curves in the plots: before the fit, and fitted"
        )
        self.visible_box.toggled.connect(self._fitter.show)
        self.apply_button = QPushButton("&Apply to Scene")
        theme.set_role(self.apply_button, "primary")
        self.apply_button.setAutoDefault(False)
        self.apply_button.clicked.connect(self._fitter.apply)
        frame.add_actions(self.apply_button, option=self.visible_box)
        frame.export_menu.addSeparator()
        frame.export_menu.addAction("Figure (PDF, PNG, SVG)...", self._ask_picture)

    # --- actions ----------------------------------------------------------------------------------

    def _start(self) -> None:
        fields_ok = [self.parameters.commit(), self.form.commit()]
        if not all(fields_ok):
            return
        try:
            parameters = self.parameters.chosen
        except SnakeStudioError as error:
            self.frame.show_message(str(error), "warning")
            return
        now = self.form.values
        self._fitter.start(
            self.data.chosen, parameters, now.method, (now.low_s, now.high_s), now.align
        )

    def _report(self) -> Report | None:
        result = self._fitter.comparison
        return None if result is None else fit_report(result, self._fitter.scene_file)

    def _ask_picture(self) -> None:
        path = ask_save(self, "Save Figure", FileKind.FIGURES, "fit.pdf", _PICTURES)
        if path is not None:
            self.write_picture(path)

    def write_picture(self, path: Path) -> None:
        """Write the figure of the fit to a file."""
        if self._fitter.comparison is None:
            return
        try:
            write_fit_picture(path, self._fitter.comparison)
        except SnakeStudioError as error:
            self.frame.show_message(str(error), "warning")
        else:
            self.frame.show_message(f"Wrote {path.name}.")

    # --- state ------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        fitter = self._fitter
        result = self._fitter.comparison
        self._suggest_offsets()
        self.fit_button.setVisible(not fitter.busy)
        self.fit_button.setEnabled(bool(self.data.chosen) and self.parameters.any_chosen)
        self.stop_button.setEnabled(not fitter.stopping)
        for widget in (self.data, self.parameters, self.form):
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
        self.visible_box.setEnabled(result is not None)
        self.apply_button.setEnabled(result is not None and not fitter.applied)
        self.apply_button.setText("Applied" if fitter.applied else "&Apply to Scene")
        if self.visible_box.isChecked() != fitter.visible:
            self.visible_box.blockSignals(True)
            self.visible_box.setChecked(fitter.visible)
            self.visible_box.blockSignals(False)
        text, role = self._message()
        self.frame.show_state(fitter.task, text, role, has_result=result is not None)

    def _suggest_offsets(self) -> None:
        """Trust the clock if a start delay is free, unless the user has set the offsets."""
        if self.form.touched.intersection(("low_s", "high_s")):
            return
        try:
            suggested = offset_bounds(self.parameters.chosen)
        except SnakeStudioError:  # an invalid range is reported when the fit starts
            return
        if (self.form.values.low_s, self.form.values.high_s) != suggested:
            self.form.set(low_s=suggested[0], high_s=suggested[1])

    def _show_result(self) -> None:
        result = self._fitter.comparison
        self.pictures.show_result(result, max(0, self.trial.currentIndex()))
        self.summary.show_result(result)

    def _message(self) -> tuple[str, str]:
        """Return the message, and its colour."""
        fitter = self._fitter
        progress = self._fitter.progress
        if fitter.stopping:
            return "Stopping. The best values so far are run again.", "dim"
        if fitter.busy and progress is not None:
            best = (
                f"; best distance {length(progress.history[-1].cost)}" if progress.history else ""
            )
            return f"{progress.doing}: {counted(progress.evaluations, 'evaluation')}{best}", "dim"
        if fitter.busy:
            return fitter.preparing or "Preparing the simulations...", "dim"
        if fitter.message:
            return fitter.message, "warning"
        if fitter.comparison is None and not self.data.chosen:
            return "Tick a measured run, or load one from a file.", "dim"
        if fitter.comparison is None and not self.parameters.any_chosen:
            return "Tick at least one parameter to fit.", "dim"
        if fitter.stale:
            return _STALE, "warning"
        return "", "dim"

    # --- Qt's events ------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.data.refresh()
        self._refresh()

    def done(self, result: int) -> None:
        self.data.close_task()
        self._fitter.cancel()
        super().done(result)


_NONE = "No runs are loaded yet. Motion capture is read from CSV, TSV, TRC and C3D files."
_FILES = "Motion capture (*.csv *.tsv *.txt *.trc *.c3d);;All files (*)"


class DataRows(QWidget):
    """Check boxes for measured runs.

    Parameters
    ----------
    captures : callable
        Returns the runs loaded in the window.

    Signals
    -------
    changed()
        The runs or the ticked ones changed.
    """

    changed = Signal()

    def __init__(
        self, captures: Callable[[], Sequence[Capture]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._captures = captures
        self._own: list[Capture] = []
        self._task: Task[list[Capture]] | None = None
        self.boxes: list[tuple[QCheckBox, Capture]] = []
        self._rows = column_of(spacing=4)
        self._none = QLabel(_NONE)
        self._none.setProperty("role", "dim")
        self._none.setWordWrap(True)
        self.file_button = QPushButton("From &File...")
        self.file_button.clicked.connect(self._ask)
        self.message = Message()
        self.setLayout(column_of(self._rows, self._none, self.file_button, self.message, spacing=6))
        self.refresh()

    @property
    def chosen(self) -> list[Capture]:
        """Ticked runs."""
        return [capture for box, capture in self.boxes if box.isChecked()]

    def refresh(self) -> None:
        """Show the current runs; those not ticked stay so."""
        captures = [*self._captures(), *self._own]
        if [id(capture) for _, capture in self.boxes] == [id(capture) for capture in captures]:
            return
        off = {id(capture) for box, capture in self.boxes if not box.isChecked()}
        for box, _ in self.boxes:
            box.deleteLater()
        self.boxes = []
        for capture in captures:
            known = sum(link is not None for link in capture.links)
            box = QCheckBox(
                f"{capture.name}, {run_time(capture.duration, significant=3)} at {capture.rate:.3g} Hz"
            )
            box.setToolTip(
                "\n".join(
                    [f"{known} of {len(capture.bodies)} bodies on known links", *capture.notes]
                )
            )
            box.setChecked(id(capture) not in off)
            box.toggled.connect(lambda _: self.changed.emit())
            self._rows.addWidget(box)
            self.boxes.append((box, capture))
        self._none.setVisible(not captures)
        self.changed.emit()

    def _ask(self) -> None:
        paths = ask_open_many(self, "Measured Runs", FileKind.MEASUREMENT, _FILES)
        if paths:
            self.read(paths)

    def read(self, paths: Sequence[Path]) -> None:
        """Read further files in the background."""
        if self._task is not None:
            return
        self.message.show_text("")
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
        self.message.show_text(message)
        self.refresh()

    def close_task(self) -> None:
        """Cancel the reading and wait for its end; call before the program quits."""
        if self._task is not None:
            close_tasks(self)
            self._task = None
            self.file_button.setEnabled(True)
