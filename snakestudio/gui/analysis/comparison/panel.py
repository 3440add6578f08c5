"""Panel that compares models: which to run and for how long, progress, and a table of differences for each."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from snakestudio.analysis.comparison.models import ModelComparison, ModelRun
from snakestudio.export.comparison_tables import comparison_report, difference_table, reported
from snakestudio.export.report import Report
from snakestudio.gui.analysis.comparison.comparer import Comparer, model_name
from snakestudio.gui.analysis.frame import AnalysisFrame, ReportExporter
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import model_colour
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.form_fields import field_for
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.gui.forms.sections import scrolled
from snakestudio.gui.forms.table import TableView
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.run_time import run_time
from snakestudio.model.scene import Run, Scene
from snakestudio.text import capitalized
from snakestudio.viewmodel.papers import cited
from snakestudio.viewmodel.scene.message_labels import labelled

_STALE = "These results are for an earlier version of the scene. Run it again to update them."


class ComparisonPanel(QWidget):
    """Set-up, progress and results of a comparison.

    Signals
    -------
    closed()
        The user closed the panel.
    """

    closed = Signal()

    def __init__(
        self,
        comparer: Comparer,
        document: Document,
        exporter: ReportExporter,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._comparer = comparer
        self._document = document
        self._own = ""
        self.frame = AnalysisFrame(
            self._report, exporter, comparer.cancel, title="Comparison of models"
        )
        self.frame.close_button.setToolTip(
            "Close this panel; ghosts and curves stay until they are cleared"
        )
        self.frame.closed.connect(self.closed)
        self._fill_setup()
        self.differences = Differences(comparer)
        self.frame.results.addWidget(self.differences)
        self.clear_button = QPushButton("C&lear")
        self.clear_button.setToolTip("Clear ghosts, curves and tables")
        self.clear_button.clicked.connect(comparer.clear)
        self.frame.add_actions(self.clear_button)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 0, 16, 12)
        column.addWidget(self.frame)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

        comparer.changed.connect(self.refresh)
        comparer.reasons.changed.connect(self.refresh)
        document.scene_changed.connect(self._on_scene)
        document.kinds_changed.connect(self._on_kinds_changed)
        self._on_scene(None, document.scene)

    def _fill_setup(self) -> None:
        """Add the choice of models and of the duration."""
        column = self.frame.setup
        self.boxes: dict[str, QCheckBox] = {}
        self._chosen = set(FORMULATIONS)
        self.why: dict[str, QLabel] = {}
        self._models = QVBoxLayout()
        self._models.setSpacing(8)
        column.addLayout(self._models)
        self._offer_models()
        duration = field_for(Run, "duration_s", live=False, width=90)
        duration = replace(duration, label="&Duration", help="Simulated time of each run")
        fields = {"duration_s": duration}
        self.form = DeclaredForm(self._document.scene.run, fields, self, spacing=(8, 6))
        self.form.message.setObjectName("problem")
        self.duration = self.form.widget("duration_s", NumberField)
        self.run_button = QPushButton("R&un")
        self.run_button.setProperty("role", "primary")
        self.run_button.clicked.connect(self._run)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.form, 1)
        row.addWidget(self.run_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)

    # --- which models -----------------------------------------------------------------------------

    def _offer_models(self) -> None:
        for kind in FORMULATIONS:
            box = self.boxes[kind] = QCheckBox(cited(FORMULATIONS[kind].title))
            box.clicked.connect(lambda on, kind=kind: self._choose(kind, on))
            why = self.why[kind] = _line("", "dim")
            why.setContentsMargins(22, 0, 0, 0)
            self._models.addWidget(box)
            self._models.addWidget(why)

    def _on_kinds_changed(self) -> None:
        """Offer the formulations of the loaded plug-ins; new ones are chosen."""
        if {kind: box.text() for kind, box in self.boxes.items()} == {
            k: cited(FORMULATIONS[k].title) for k in FORMULATIONS
        }:
            return
        self._chosen |= FORMULATIONS.keys() - self.boxes.keys()
        for widget in (*self.boxes.values(), *self.why.values()):
            self._models.removeWidget(widget)
            widget.deleteLater()
        self.boxes.clear()
        self.why.clear()
        self._offer_models()
        self.refresh()

    @property
    def chosen(self) -> list[str]:
        """Models to run, that of the scene first, which is the reference."""
        own = self._document.scene.model.kind
        kinds = [own, *(kind for kind in self.boxes if kind != own)]
        return [
            kind
            for kind in kinds
            if kind in self._chosen and not self._comparer.reasons.reasons_by_kind.get(kind)
        ]

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        if before is None or before.run.duration_s != after.run.duration_s:
            self.form.set(duration_s=after.run.duration_s)
            self.form.set_first(duration_s=after.run.duration_s)
        if after.model.kind != self._own:
            self._own = after.model.kind
            self._chosen.add(self._own)
        self.refresh()

    def _choose(self, kind: str, on: bool) -> None:
        """Add a model to the comparison, or remove it."""
        (self._chosen.add if on else self._chosen.discard)(kind)
        self.refresh()

    def refresh(self) -> None:
        """Show the current state."""
        comparer = self._comparer
        scene = self._document.scene
        for kind, box in self.boxes.items():
            reasons = comparer.reasons.reasons_by_kind.get(kind, ())
            own = kind == self._own
            # checked again when it can run
            box.setChecked(kind in self._chosen and not reasons)
            # The scene's own model is the reference.
            box.setEnabled(not reasons and not own and not comparer.busy)
            text = " ".join(capitalized(labelled(reason, scene)) for reason in reasons)
            if own and not reasons:
                text = "The model of this scene is the reference."
            self.why[kind].setText(text)
            self.why[kind].setVisible(bool(text))
            box.setToolTip(f"<qt>{text or FORMULATIONS[kind].help}</qt>")
        enough = len(self.chosen) >= 2
        self.run_button.setEnabled(enough and not comparer.busy)
        self.run_button.setToolTip(
            "Run all chosen models in parallel"
            if enough
            else "Choose at least two models that can run this scene"
        )
        self.run_button.setVisible(not comparer.busy)
        text = comparer.message
        role = "dim"
        if comparer.busy:
            text = comparer.doing
        elif comparer.stale:
            text = _STALE
            role = "warning"
        has_result = comparer.comparison is not None
        self.frame.show_state(comparer.task, text, role, has_result=has_result)
        self.frame.show_actions(has_result)
        self.differences.refresh()

    # --- actions ----------------------------------------------------------------------------------

    def _run(self) -> None:
        if self.form.commit():
            self._comparer.start(self.chosen, self.form.values.duration_s)

    def _report(self) -> Report | None:
        comparison = self._comparer.comparison
        return (
            None if comparison is None else comparison_report(comparison, self._comparer.scene_file)
        )

    # --- Qt's events ------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._comparer.reasons.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._comparer.reasons.watch(False)


_DIGITS = 3
_VALUES = (1, 2)
"""Columns with the values of both runs, for which a panel has no space; they are in the tooltip of a
row."""


class Differences(ThemedWidget):
    """A block for each model: its colour, whether its run is shown, notes, and differences."""

    def __init__(self, comparer: Comparer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comparer = comparer
        self._displayed_comparison: ModelComparison | None = None
        self.shows: dict[str, QCheckBox] = {}
        """Check boxes that show the runs, by label."""
        self.tables: dict[str, TableView] = {}
        """Tables of quantity, difference at the end, worst and RMS, by label."""
        self._blocks: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(14)

    def refresh(self) -> None:
        """Update to the comparison."""
        comparison = self._comparer.comparison
        if comparison is self._displayed_comparison:
            return
        self._displayed_comparison = comparison
        for block in self._blocks:
            self._column.removeWidget(block)
            block.deleteLater()
        self._blocks = []
        self.shows = {}
        self.tables = {}
        if comparison is not None:
            for run in comparison.runs:
                block = self._block(comparison, run)
                self._column.addWidget(block)
                self._blocks.append(block)

    def apply_theme(self) -> None:
        self._displayed_comparison = None
        self.refresh()

    def _block(self, comparison: ModelComparison, run: ModelRun) -> QWidget:
        block = QWidget()
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        title = f"{model_name(run.kind)} model"
        if run is comparison.reference:
            title = f"{title} (reference)"
        show = self.shows[run.label] = QCheckBox(title)
        show.setStyleSheet(f"QCheckBox {{ color: {model_colour(run.kind)}; font-weight: 600; }}")
        show.setToolTip("Show it as a ghost in the viewport and as curves in the plots")
        show.setChecked(run.recording is not None and self._comparer.is_visible(run.label))
        show.setEnabled(run.recording is not None)
        show.toggled.connect(lambda on: self._comparer.show(run.label, on))
        column.addWidget(show)
        if run.recording is not None:
            column.addWidget(_line(_how_it_ran(run), "dim"))
        for sentence in reported(run):
            column.addWidget(_line(capitalized(labelled(sentence, run.scene)), "warning"))
        for sentence in run.notes:
            column.addWidget(_line(capitalized(labelled(sentence, run.scene)), "dim"))
        if run.label in comparison.differences:
            table = self.tables[run.label] = TableView(
                f"Differences of the {title}", hidden=_VALUES, fits=True, is_small=True
            )
            table.show_table(difference_table(comparison, run.label, _DIGITS))
            column.addWidget(table)
        return block


def _how_it_ran(run: ModelRun) -> str:
    step = 1000 * run.scene.solver.step_s
    return f"{run_time(run.end, significant=4)} in {run.engine_seconds:.2g} s of processor time, step {step:.3g} ms"


def _line(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setFont(theme.value_font(12, bold=False))
    return label
