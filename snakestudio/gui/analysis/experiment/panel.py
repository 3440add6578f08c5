"""The panel of experiments: the loaded trials, how they lie over the run, and how far the run is from them."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPixmap
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

from snakestudio.analysis.experiment.comparison import ExperimentComparison
from snakestudio.analysis.experiment.figures import FIGURES, Figure, FigureKind
from snakestudio.export.experiment_tables import link_name, report, shown, unit
from snakestudio.gui.analysis.experiment.alignment_box import AlignmentBox
from snakestudio.gui.analysis.experiment.experiments import Experiments, Trial
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.forms.task_bar import TaskBar
from snakestudio.model.run_time import run_time
from snakestudio.text import MINUS, counted

__all__ = ["ExperimentPanel"]

_EMPTY = (
    "Load what was measured of a real robot: a table (CSV, TSV), TRC or C3D. It is laid over the run, in the view and "
    "in the plots, and the errors are read here. Several trials are compared together."
)
_WAITS = "Run the simulation: the trials are laid over the run as soon as it stops."


class ExperimentPanel(Themed):
    """Everything about experiments.

    Parameters
    ----------
    experiments : Experiments
    document : Document

    Signals
    -------
    closed()
        The user wants to see no more of it.
    import_asked()
        A file is to be chosen.
    example_asked()
        The example that comes along is to be loaded.
    report_asked(comparison: ExperimentComparison)
        A report is to be written.
    """

    closed = Signal()
    import_asked = Signal()
    example_asked = Signal()
    report_asked = Signal(object)

    def __init__(self, experiments: Experiments, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._experiments = experiments
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 0, 16, 12)
        column.setSpacing(10)
        self._close = QToolButton()
        self._close.setProperty("role", "flat")
        self._close.setToolTip("Close this panel; tracks and curves stay until the trials are removed")
        self._close.setIconSize(QSize(16, 16))
        self._close.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.addWidget(heading("Experiment beside the run"), 1)
        head.addWidget(self._close)
        column.addLayout(head)

        self._empty = QLabel(_EMPTY)
        self._empty.setProperty("role", "dim")
        self._empty.setWordWrap(True)
        column.addWidget(self._empty)
        self.rows = TrialRows(experiments)
        column.addWidget(self.rows)
        self.import_button, self.example_button = QPushButton("Import ..."), QPushButton("Example (synthetic)")
        self.import_button.setToolTip("Load measured trials: CSV, TSV, TRC, C3D")
        self.import_button.clicked.connect(self.import_asked)
        self.example_button.setToolTip("Load trials that come along: a simulation with the faults of a real robot")
        self.example_button.clicked.connect(self.example_asked)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.import_button)
        row.addWidget(self.example_button)
        row.addStretch(1)
        column.addLayout(row)

        self._loaded = QWidget()
        loaded = QVBoxLayout(self._loaded)
        loaded.setContentsMargins(0, 6, 0, 0)
        loaded.setSpacing(8)
        loaded.addWidget(heading("Alignment"))
        self.alignment = AlignmentBox(experiments, document)
        loaded.addWidget(self.alignment)
        self.bar = TaskBar()
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.clicked.connect(experiments.cancel)
        self._under_way = QWidget()
        under_way = QHBoxLayout(self._under_way)
        under_way.setContentsMargins(0, 0, 0, 0)
        under_way.addWidget(self.bar, 1)
        under_way.addWidget(self.cancel_button)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.compare_button = QPushButton("Compare")
        self.compare_button.setProperty("role", "primary")
        self.compare_button.setToolTip("Align the trials with the run as it is now, and make the figures anew")
        self.compare_button.clicked.connect(experiments.compare)
        loaded.addWidget(self._under_way)
        said = QHBoxLayout()
        said.addWidget(self.note, 1)
        said.addWidget(self.compare_button)
        loaded.addLayout(said)
        self.figures = Figures(experiments)
        loaded.addWidget(self.figures)
        self.report_button, self.copy_button, self.clear_button = (
            QPushButton("Report ..."),
            QPushButton("Copy Table"),
            QPushButton("Remove All"),
        )
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button, tip, action in (
            (self.report_button, "Write pictures, figures and how they came about as HTML or PDF", self._report),
            (self.copy_button, "Copy all figures as a table of text", self._copy),
            (self.clear_button, "Remove all trials, their tracks and curves", experiments.remove_all),
        ):
            button.setToolTip(tip)
            button.clicked.connect(action)
            buttons.addWidget(button)
        loaded.addLayout(buttons)
        column.addWidget(self._loaded)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

        experiments.changed.connect(self.refresh)
        document.scene_changed.connect(self.refresh)
        self.renew_theme()
        self.refresh()

    def renew_theme(self) -> None:
        self._close.setIcon(theme.icon("close", "dim"))

    def refresh(self) -> None:
        """Bring it up to date with the trials."""
        experiments = self._experiments
        any_trials = bool(experiments.trials)
        self._empty.setVisible(not any_trials)
        self._loaded.setVisible(any_trials)
        self.rows.refresh()
        self.alignment.refresh()
        busy, stale = experiments.busy, experiments.stale
        self._under_way.setVisible(busy)
        self.bar.show_task(experiments.task)
        if experiments.message:
            self._say(experiments.message, "warning")
        elif stale and not busy:
            self._say(stale, "warning")
        elif not busy and experiments.comparison is None:
            self._say("" if experiments.possible else _WAITS, "dim")
        else:
            self._say("", "dim")
        wanted = bool(stale) or experiments.comparison is None
        self.compare_button.setVisible(experiments.possible and wanted and not busy)
        self.figures.refresh()
        compared = experiments.comparison is not None
        for button in (self.report_button, self.copy_button):
            button.setEnabled(compared)

    def _say(self, text: str, role: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
        if self.note.property("role") != role:
            theme.set_role(self.note, role)

    def _report(self) -> None:
        compared = self._experiments.comparison
        if compared is not None:
            self.report_asked.emit(compared.figures)

    def _copy(self) -> None:
        text = self.figures.text()
        if text:
            QGuiApplication.clipboard().setText(text)


_MOST_BODIES = 3


def described(trial: Trial) -> str:
    """What was measured, in a line."""
    capture = trial.capture
    words = [f"{run_time(capture.duration, significant=3)} at {capture.rate:.3g} Hz"]
    bodies = [
        name if link is None or name.lower() == link_name(link) else f"{name} on {link_name(link)}"
        for name, link in zip(capture.bodies, capture.links, strict=True)
    ]
    words.append(", ".join(bodies) if len(bodies) <= _MOST_BODIES else f"{len(bodies)} bodies")
    filled = int((capture.known & ~capture.measured).any(axis=1).sum())
    if filled:
        words.append(f"{counted(filled, 'row')} filled in")
    return " · ".join(words)


class TrialRows(Themed):
    """The rows.

    Parameters
    ----------
    experiments : Experiments
    """

    def __init__(self, experiments: Experiments, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self._shown: list[Trial] = []
        self._rows: list[QWidget] = []
        self.shows: list[QCheckBox] = []
        self.removes: list[QToolButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)

    def refresh(self) -> None:
        """Bring it up to date with the trials."""
        trials = self._experiments.trials
        if trials != self._shown:
            self._build()
        for trial, show in zip(trials, self.shows, strict=True):
            show.setChecked(trial.shown)

    def renew_theme(self) -> None:
        self._build()

    def _build(self) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self._shown = list(self._experiments.trials)
        self._rows, self.shows, self.removes = [], [], []
        for index, trial in enumerate(self._shown):
            row = self._row(index, trial)
            self._column.addWidget(row)
            self._rows.append(row)

    def _row(self, index: int, trial: Trial) -> QWidget:
        row = QWidget(self)
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        head = QHBoxLayout()
        head.setSpacing(6)
        show = QCheckBox(trial.capture.name.replace("&", "&&"), row)
        swatch = QPixmap(theme.scaled(14), theme.scaled(8))
        swatch.fill(QColor(trial_colour(trial.number)))
        show.setIcon(swatch)
        show.setIconSize(QSize(theme.scaled(14), theme.scaled(8)))
        show.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        show.setToolTip("Show its track, its robot and its curves over the run")
        show.setChecked(trial.shown)
        show.clicked.connect(lambda on: self._experiments.show(index, on))
        remove = QToolButton(row)
        remove.setProperty("role", "flat")
        remove.setIcon(theme.icon("close", "dim"))
        remove.setToolTip(f"Remove {trial.capture.name}")
        remove.setAccessibleName(f"Remove {trial.capture.name}")
        remove.clicked.connect(lambda: self._experiments.remove(index))
        head.addWidget(show, 1)
        head.addWidget(remove)
        column.addLayout(head)
        what = QLabel(described(trial), row)
        what.setProperty("role", "dim")
        what.setWordWrap(True)
        what.setTextFormat(Qt.TextFormat.PlainText)
        what.setFont(theme.value_font(12, bold=False))
        what.setContentsMargins(22, 0, 0, 0)
        what.setToolTip("<qt>" + "<br>".join(trial.capture.notes or ("Nothing had to be mended on import",)) + "</qt>")
        column.addWidget(what)
        self.shows.append(show)
        self.removes.append(remove)
        return row


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
        self.which = narrow(ChoiceBox(self))
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
