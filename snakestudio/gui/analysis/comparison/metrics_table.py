"""The figures of a comparison: how every model ran, and how far each is from the reference."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from snakestudio.analysis.comparison.models import ModelComparison, ModelRun
from snakestudio.export.comparison_text import DifferenceRow, difference_rows, number, told
from snakestudio.gui.analysis.comparison.comparer import Comparer, model_name
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import model_colour
from snakestudio.gui.core.theme import Themed

__all__ = ["MetricsTable", "capital"]

_HEADS = ("", "at the end", "worst", "RMS")
_DIGITS = 3


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
            column.addWidget(_line(capital(sentence), "warning"))
        for sentence in run.notes:
            column.addWidget(_line(capital(sentence), "dim"))
        if run.label in comparison.differences:
            column.addLayout(self._table(comparison, run))
        return block

    def _table(self, comparison: ModelComparison, run: ModelRun) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 2, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(0, 1)
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


def capital(sentence: str) -> str:
    """A sentence with a capital letter, unless it begins with a key of the scene."""
    first, _, _ = sentence.partition(" ")
    return sentence if "." in first or "_" in first else sentence[:1].upper() + sentence[1:]


def _how_it_ran(run: ModelRun) -> str:
    step = 1000 * run.scene.solver.step_s
    return f"{run.end:.4g} s in {run.engine_seconds:.2g} s of processor time, step {step:.3g} ms"


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
