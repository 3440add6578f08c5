"""The error figures of an experiment: how far the run is from its trials, of each and of all together."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from snakestudio.analysis.experiment.comparison import ExperimentComparison
from snakestudio.analysis.experiment.figures import FIGURES, Figure, FigureKind
from snakestudio.export.experiment_text import report, shown, unit
from snakestudio.gui.analysis.experiment.experiments import Experiments
from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.forms.sections import heading
from snakestudio.viewmodel.plots.scale import MINUS

__all__ = ["Figures"]

_HEADS = {"error": ("", "error", "95 % interval"), "pair": ("", "run", "experiment", "difference")}
_TITLES = {"error": "Errors", "pair": "Speed, trend and frequency"}


class Figures(Themed):
    """The tables.

    Parameters
    ----------
    experiments : Experiments
    """

    def __init__(self, experiments: Experiments, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self._shown: ExperimentComparison | None = None
        self._of = 0
        self.cells: list[list[str]] = []
        """Texts of the tables' rows."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.which = QComboBox(self)
        self.which.setAccessibleName("Figures of")
        self.which.setToolTip("Whose figures stand below: those of all trials together, or of one of them")
        self.which.activated.connect(self._choose)
        column.addWidget(self.which)
        self._tables = QVBoxLayout()
        self._tables.setSpacing(4)
        column.addLayout(self._tables)
        self._made: list[QWidget] = []
        self.refresh()

    def text(self) -> str:
        """All figures as a table of text; empty while there are none."""
        return "" if self._shown is None else report(self._shown)

    def refresh(self) -> None:
        """Bring it up to date with the comparison."""
        compared = self._experiments.comparison
        figures = None if compared is None else compared.figures
        if figures is self._shown:
            return
        self._shown = figures
        names = [] if figures is None else [trial.name for trial in figures.trials]
        self.which.clear()
        self.which.addItems([f"All {len(names)} trials", *names] if len(names) > 1 else names)
        self._of = min(self._of, max(0, self.which.count() - 1))
        self.which.setCurrentIndex(self._of)
        self.which.setVisible(len(names) > 1)
        self._build()

    def renew_theme(self) -> None:
        self._build()

    def _choose(self, index: int) -> None:
        self._of = index
        self._build()

    def _build(self) -> None:
        for widget in self._made:
            self._tables.removeWidget(widget)
            widget.deleteLater()
        self._made, self.cells = [], []
        figures = self._shown
        if figures is None:
            return
        trial = figures.trials[self._of - 1 if len(figures.trials) > 1 else 0]
        together = len(figures.trials) > 1 and self._of == 0
        values = figures.together if together else trial.figures
        for sort in _HEADS:
            kinds = [kind for kind in FIGURES if kind.sort == sort and kind.name in values]
            if kinds:
                self._add(heading(_TITLES[sort]))
                self._add(self._table(sort, kinds, values))
        self._add(_line(figures.interval))
        for note in () if together else trial.notes:
            self._add(_line(note))

    def _add(self, widget: QWidget) -> None:
        self._tables.addWidget(widget)
        self._made.append(widget)

    def _table(self, sort: str, kinds: list[FigureKind], values: dict[str, Figure]) -> QWidget:
        table = QWidget(self)
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 0, 0, 6)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(0, 1)
        for index, text in enumerate(_HEADS[sort]):
            grid.addWidget(_cell(text, index, "dim"), 0, index)
        for row, kind in enumerate(kinds, 1):
            texts = _texts(kind, values[kind.name])
            self.cells.append(texts)
            for index, text in enumerate(texts):
                cell = _cell(text, index, "" if index else "dim")
                cell.setToolTip(_explained(kind, values[kind.name]))
                grid.addWidget(cell, row, index)
        return table


def _texts(kind: FigureKind, figure: Figure) -> list[str]:
    """The cells of a row."""
    label = f"{kind.label}, {unit(kind)}"
    if kind.sort == "pair":
        return [label, *(shown(kind, value) for value in (figure.run, figure.experiment, figure.value))]
    return [label, shown(kind, figure.value), _interval(kind, figure)]


def _interval(kind: FigureKind, figure: Figure) -> str:
    if not (math.isfinite(figure.low) and math.isfinite(figure.high)):
        return "–"
    return f"{shown(kind, figure.low)} to {shown(kind, figure.high)}"


def _explained(kind: FigureKind, figure: Figure) -> str:
    """What a figure says, and between what it lies."""
    lines = [kind.about]
    if kind.sort == "pair":
        lines.append("Difference: the experiment less the run.")
        if math.isfinite(figure.low):
            lines.append(f"95 % interval of the difference: {_interval(kind, figure)} {unit(kind)}.")
    return "<qt>" + "<br>".join(lines) + "</qt>"


def _line(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "dim")
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(theme.value_font(12, bold=False))
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _typeset(figure: str) -> str:
    """A figure with the signs that fields and plots have; a dash where there is none."""
    return "–" if figure == "-" else figure.replace("-", MINUS)


def _cell(text: str, index: int, role: str) -> QLabel:
    label = QLabel(_typeset(text) if index else text)
    label.setProperty("role", role)
    side = Qt.AlignmentFlag.AlignRight if index else Qt.AlignmentFlag.AlignLeft
    label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    label.setWordWrap(not index)  # in a narrow panel names break, figures do not
    label.setFont(theme.value_font(12, bold=False))
    return label
