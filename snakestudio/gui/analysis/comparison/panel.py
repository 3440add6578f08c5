"""The panel that compares models: which to run and for how long, progress, and the figures as a table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.analysis.comparison.models import ModelComparison, ModelRun
from snakestudio.export.comparison_tables import DifferenceRow, difference_rows, number, report, told
from snakestudio.gui.analysis.comparison.comparer import Comparer, model_name
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import model_colour
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.forms.task_bar import TaskBar
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.fields import field_doc
from snakestudio.model.run_time import run_time
from snakestudio.model.scene import Run, Scene
from snakestudio.text import capitalized
from snakestudio.viewmodel.scene.items import labelled

__all__ = ["ComparisonPanel"]

_STALE = "This is of an earlier version of the scene. Run it again to compare the scene as it is now."


class ComparisonPanel(Themed):
    """Everything about a comparison.

    Parameters
    ----------
    comparer : Comparer
    document : Document
    exporting : callable
        Whether something is being exported, so that this cannot be; `refresh` says that it may be otherwise.

    Signals
    -------
    closed()
        The user wants to see no more of it.
    csv_asked(comparison: ModelComparison, scene_file: str | None)
        The user wants it as a file; the scene came from `scene_file`.
    """

    closed = Signal()
    csv_asked = Signal(object, object)

    def __init__(
        self, comparer: Comparer, document: Document, exporting: Callable[[], bool], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._comparer, self._document, self._exporting = comparer, document, exporting
        self._own = ""
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 0, 16, 12)
        column.setSpacing(8)
        self._close = QToolButton()
        self._close.setProperty("role", "flat")
        self._close.setToolTip("Close this panel; ghosts and curves stay until they are cleared")
        self._close.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.addWidget(heading("Models side by side"), 1)
        head.addWidget(self._close)
        column.addLayout(head)

        self.boxes: dict[str, QCheckBox] = {}
        self._wanted = set(FORMULATIONS)
        self.why: dict[str, QLabel] = {}
        self._models = QVBoxLayout()
        self._models.setSpacing(8)
        column.addLayout(self._models)
        self._offer_models()

        self.duration = NumberField(field_doc(Run, "duration_s"))
        self.duration.set_usual_width(90)
        self.duration.setToolTip("Simulated time that every model runs for")
        self._problem = Message()
        self.duration.problem_changed.connect(self._problem.say)
        self.run_button, self.cancel_button = QPushButton("Run"), QPushButton("Cancel")
        self.run_button.setProperty("role", "primary")
        self.run_button.clicked.connect(self._run)
        self.cancel_button.clicked.connect(comparer.cancel)
        self.cancel_button.hide()  # or the panel would be as wide as with both until it is shown
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(QLabel("Duration"))
        row.addWidget(self.duration)
        unit = QLabel("s")
        unit.setProperty("role", "unit")
        row.addWidget(unit)
        row.addStretch(1)
        row.addWidget(self.run_button)
        row.addWidget(self.cancel_button)
        column.addLayout(row)
        column.addWidget(self._problem)

        self.bar = TaskBar()
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        column.addWidget(self.bar)
        column.addWidget(self.note)

        self.figures = MetricsTable(comparer)
        column.addWidget(self.figures)
        self.copy_button, self.csv_button, self.clear_button = (
            QPushButton("Copy"),
            QPushButton("Export CSV ..."),
            QPushButton("Clear"),
        )
        for button, tip, action in (
            (self.copy_button, "Copy all figures as a table of text", self._copy),
            (self.csv_button, "Write the course of all values and differences", self._export),
            (self.clear_button, "Take ghosts, curves and figures away", comparer.clear),
        ):
            button.setToolTip(tip)
            button.clicked.connect(action)
        self._buttons = QWidget()
        buttons = QGridLayout(self._buttons)
        buttons.setContentsMargins(0, 4, 0, 0)
        for index, button in enumerate((self.copy_button, self.csv_button, self.clear_button)):
            buttons.addWidget(button, 0, index)
        column.addWidget(self._buttons)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

        comparer.changed.connect(self.refresh)
        comparer.reasons.changed.connect(self.refresh)
        document.scene_changed.connect(self._on_scene)
        document.kinds_changed.connect(self._on_kinds_changed)
        self.renew_theme()
        self._on_scene(None, document.scene)

    def renew_theme(self) -> None:
        self._close.setIcon(theme.icon("close", "dim"))

    # --- which models ---------------------------------------------------------------------------------------------

    def _offer_models(self) -> None:
        for kind in FORMULATIONS:
            box = self.boxes[kind] = QCheckBox(FORMULATIONS[kind].title)
            box.clicked.connect(lambda on, kind=kind: self._choose(kind, on))
            why = self.why[kind] = QLabel()
            why.setProperty("role", "dim")
            why.setWordWrap(True)
            why.setContentsMargins(22, 0, 0, 0)
            why.setFont(theme.value_font(12, bold=False))
            self._models.addWidget(box)
            self._models.addWidget(why)

    def _on_kinds_changed(self) -> None:
        """Offer the formulations of the plug-ins that are loaded now; new ones are chosen."""
        if {kind: box.text() for kind, box in self.boxes.items()} == {k: FORMULATIONS[k].title for k in FORMULATIONS}:
            return
        self._wanted |= FORMULATIONS.keys() - self.boxes.keys()
        for widget in (*self.boxes.values(), *self.why.values()):
            self._models.removeWidget(widget)
            widget.deleteLater()
        self.boxes.clear()
        self.why.clear()
        self._offer_models()
        self.refresh()

    @property
    def chosen(self) -> list[str]:
        """The models to run, the scene's own first; that it is the reference."""
        own = self._document.scene.model.kind
        kinds = [own, *(kind for kind in self.boxes if kind != own)]
        return [kind for kind in kinds if kind in self._wanted and not self._comparer.reasons.by_kind.get(kind)]

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        if before is None or before.run.duration_s != after.run.duration_s:
            self.duration.set_value(after.run.duration_s)
        if after.model.kind != self._own:
            self._own = after.model.kind
            self._wanted.add(self._own)
        self.refresh()

    def _choose(self, kind: str, wanted: bool) -> None:
        """Run a model with the others, or do not."""
        (self._wanted.add if wanted else self._wanted.discard)(kind)
        self.refresh()

    def refresh(self) -> None:
        """Show what is so now."""
        comparer, scene = self._comparer, self._document.scene
        for kind, box in self.boxes.items():
            reasons = comparer.reasons.by_kind.get(kind, ())
            own = kind == self._own
            box.setChecked(kind in self._wanted and not reasons)  # and again as before once it can run
            # The scene's own model is what the others are compared with.
            box.setEnabled(not reasons and not own and not comparer.busy)
            text = " ".join(capitalized(labelled(reason, scene)) for reason in reasons)
            if own and not reasons:
                text = "The model of this scene: the others are compared with it."
            self.why[kind].setText(text)
            self.why[kind].setVisible(bool(text))
            box.setToolTip(f"<qt>{text or FORMULATIONS[kind].help}</qt>")
        enough = len(self.chosen) >= 2
        self.run_button.setEnabled(enough and not comparer.busy)
        self.run_button.setToolTip(
            "Run all chosen models, side by side" if enough else "Choose at least two models that can run this scene"
        )
        self.run_button.setVisible(not comparer.busy)
        self.cancel_button.setVisible(comparer.busy)
        self.bar.show_task(comparer.task)
        if comparer.busy:
            self._say(comparer.doing, "dim")
        elif comparer.stale:
            self._say(_STALE, "warning")
        else:
            self._say(comparer.message, "dim")
        self.figures.refresh()
        self._buttons.setVisible(comparer.comparison is not None)
        self.csv_button.setEnabled(not self._exporting())

    def _say(self, text: str, role: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
        if self.note.property("role") != role:
            theme.set_role(self.note, role)

    # --- what the buttons do --------------------------------------------------------------------------------------

    def _run(self) -> None:
        if self.duration.commit() and self.duration.value is not None:
            self._comparer.start(self.chosen, self.duration.value)

    def _copy(self) -> None:
        if self._comparer.comparison is not None:
            QGuiApplication.clipboard().setText(report(self._comparer.comparison))

    def _export(self) -> None:
        if self._comparer.comparison is not None:
            self.csv_asked.emit(self._comparer.comparison, self._comparer.scene_file)

    # --- Qt's events ----------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._comparer.reasons.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._comparer.reasons.watch(False)


_HEADS = ("", "at the end", "worst", "RMS")
_DIGITS = 3
_LABEL = 100
"""Width of what a row of the table is about, px of the design: two lines are read, three are not."""


class MetricsTable(Themed):
    """A block for every model: its colour, whether it is shown over the run, what is to be known, its differences.

    Parameters
    ----------
    comparer : Comparer
    """

    def __init__(self, comparer: Comparer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comparer = comparer
        self._shown: ModelComparison | None = None
        self.shows: dict[str, QCheckBox] = {}
        """What switches the runs on and off, by label."""
        self.cells: dict[str, list[list[str]]] = {}
        """Texts of the tables, by label: quantity, at the end, worst, RMS."""
        self._blocks: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(14)

    def refresh(self) -> None:
        """Bring it up to date with the comparison."""
        comparison = self._comparer.comparison
        if comparison is self._shown:
            return
        self._shown = comparison
        for block in self._blocks:
            self._column.removeWidget(block)
            block.deleteLater()
        self._blocks, self.shows, self.cells = [], {}, {}
        if comparison is not None:
            for run in comparison.runs:
                block = self._block(comparison, run)
                self._column.addWidget(block)
                self._blocks.append(block)

    def renew_theme(self) -> None:
        self._shown = None
        self.refresh()

    def _block(self, comparison: ModelComparison, run: ModelRun) -> QWidget:
        block = QWidget()
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        title = f"{model_name(run.kind)} model"
        if run is comparison.reference:
            title = f"{title}, the reference"
        show = self.shows[run.label] = QCheckBox(title)
        show.setStyleSheet(f"QCheckBox {{ color: {model_colour(run.kind)}; font-weight: 600; }}")
        show.setToolTip("Show it as a ghost in the viewport and as curves in the plots")
        show.setChecked(run.recording is not None and self._comparer.is_shown(run.label))
        show.setEnabled(run.recording is not None)
        show.toggled.connect(lambda on: self._comparer.show(run.label, on))
        column.addWidget(show)
        if run.recording is not None:
            column.addWidget(_line(_how_it_ran(run), "dim"))
        for sentence in told(run):
            column.addWidget(_line(capitalized(labelled(sentence, run.scene)), "warning"))
        for sentence in run.notes:
            column.addWidget(_line(capitalized(labelled(sentence, run.scene)), "dim"))
        if run.label in comparison.differences:
            column.addLayout(self._table(comparison, run))
        return block

    def _table(self, comparison: ModelComparison, run: ModelRun) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 2, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(0, 1)
        grid.setColumnMinimumWidth(0, theme.scaled(_LABEL))
        for index, text in enumerate(_HEADS):
            grid.addWidget(_cell(text, index, "dim"), 0, index)
        rows = self.cells[run.label] = []
        found = comparison.differences[run.label]
        reference = comparison.reference
        assert reference is not None
        for number_of_row, row in enumerate(difference_rows(comparison, run.label), 1):
            value = found[row.name]
            figures = (number(part, _DIGITS) for part in (value.end, value.worst, value.rms))
            texts = [f"{row.label}, {row.unit}", *figures]
            rows.append(texts)
            for index, text in enumerate(texts):
                cell = _cell(text, index, "" if index else "dim")
                cell.setToolTip(_explained(row, run, reference))
                grid.addWidget(cell, number_of_row, index)
        return grid


def _how_it_ran(run: ModelRun) -> str:
    step = 1000 * run.scene.solver.step_s
    return f"{run_time(run.end, significant=4)} in {run.engine_seconds:.2g} s of processor time, step {step:.3g} ms"


def _line(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    _small(label)
    return label


def _cell(text: str, index: int, role: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", role)
    side = Qt.AlignmentFlag.AlignRight if index else Qt.AlignmentFlag.AlignLeft
    label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    label.setWordWrap(not index)  # in a narrow panel names break, figures do not
    _small(label)
    return label


def _small(label: QLabel) -> None:
    label.setFont(theme.value_font(12, bold=False))


def _explained(row: DifferenceRow, run: ModelRun, reference: ModelRun) -> str:
    """What the figures of a row are differences of."""
    if not row.run:
        return "<qt>Distance of the links' centres from those of the reference, root mean square over the links</qt>"
    return (
        f"<qt>{row.label.capitalize()} at the end, {row.unit}<br>{model_name(run.kind)}: {row.run}<br>"
        f"{model_name(reference.kind)}: {row.reference}</qt>"
    )
