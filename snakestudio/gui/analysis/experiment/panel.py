"""Panel of experiments: the loaded trials, their alignment with the run, and the errors."""

from __future__ import annotations

import html

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.analysis.experiment.comparison import ExperimentComparison
from snakestudio.export.experiment_report import experiment_report
from snakestudio.export.experiment_tables import error_table, link_name, pair_table
from snakestudio.export.report import Report
from snakestudio.gui.analysis.experiment.alignment_box import AlignmentBox
from snakestudio.gui.analysis.experiment.experiments import Experiments, LoadedTrial
from snakestudio.gui.analysis.frame import AnalysisFrame, ReportExporter
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.forms.table import TableView
from snakestudio.model.run_time import run_time
from snakestudio.text import counted

_EMPTY = (
    "Load measurements of a real robot: a table (CSV, TSV), TRC or C3D. It is overlaid on the run, in the view "
    "and in the plots, and the errors are listed here. Several trials are compared together."
)
_WAITS = "Run the simulation: the trials are overlaid on the run when it stops."


class ExperimentPanel(QWidget):
    """Trials, alignment and errors.

    Signals
    -------
    closed()
        The user closed the panel.
    import_requested()
        A file must be chosen.
    example_requested()
        The bundled example must be loaded.
    """

    closed = Signal()
    import_requested = Signal()
    example_requested = Signal()

    def __init__(
        self,
        experiments: Experiments,
        document: Document,
        exporter: ReportExporter,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self._document = document
        self.frame = AnalysisFrame(
            self._report, exporter, experiments.cancel, title="Measured trials"
        )
        self.frame.close_button.setToolTip(
            "Close this panel; tracks and curves stay until the trials are removed"
        )
        self.frame.closed.connect(self.closed)
        self._fill_setup()
        self.compare_button = QPushButton("Compare")
        self.compare_button.setProperty("role", "primary")
        self.compare_button.setToolTip(
            "Align the trials with the run as it is now, and recompute the values"
        )
        self.compare_button.clicked.connect(experiments.compare)
        self.frame.message_row.addWidget(self.compare_button)
        self.tables = ExperimentTables(experiments)
        self.frame.results.addWidget(self.tables)
        self.clear_button = QPushButton("&Remove All")
        self.clear_button.setToolTip("Remove all trials, their tracks and curves")
        self.clear_button.clicked.connect(experiments.remove_all)
        self.frame.add_actions(self.clear_button)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 0, 16, 12)
        column.addWidget(self.frame)
        column.addStretch(1)
        experiments.changed.connect(self.refresh)
        document.scene_changed.connect(self.refresh)
        self.refresh()  # first, or the panel is as wide as with all buttons until it is shown
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

    def _fill_setup(self) -> None:
        """Add the trials, the buttons that load more, and the alignment."""
        experiments = self._experiments
        setup = self.frame.setup
        self._empty = QLabel(_EMPTY)
        self._empty.setProperty("role", "dim")
        self._empty.setWordWrap(True)
        self.rows = TrialRows(experiments)
        self.import_button = QPushButton("&Import...")
        self.import_button.setToolTip("Load measured trials: CSV, TSV, TRC, C3D")
        self.import_button.clicked.connect(self.import_requested)
        self.example_button = QPushButton("&Example (Synthetic)")
        self.example_button.setToolTip(
            "Load the bundled trials: a simulation with the imperfections of a real robot"
        )
        self.example_button.clicked.connect(self.example_requested)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.import_button)
        row.addWidget(self.example_button)
        row.addStretch(1)
        self._alignment_heading = heading("Alignment")
        self._alignment_heading.setContentsMargins(0, 6, 0, 0)
        self.alignment = AlignmentBox(experiments, self._document)
        setup.addWidget(self._empty)
        setup.addWidget(self.rows)
        setup.addLayout(row)
        setup.addWidget(self._alignment_heading)
        setup.addWidget(self.alignment)

    def refresh(self) -> None:
        """Update to the trials."""
        experiments = self._experiments
        any_trials = bool(experiments.trials)
        self._empty.setVisible(not any_trials)
        self._alignment_heading.setVisible(any_trials)
        self.alignment.setVisible(any_trials)
        self.rows.refresh()
        self.alignment.refresh()
        busy = experiments.busy
        stale = experiments.stale
        compared = experiments.comparison is not None
        text = experiments.message
        role = "warning"
        if not text and stale and not busy:
            text = stale
        elif not text and any_trials and not busy and not compared and not experiments.possible:
            text = _WAITS
            role = "dim"
        self.frame.show_state(experiments.task, text, role, has_result=compared)
        self.frame.show_actions(any_trials)
        is_outdated = bool(stale) or not compared
        self.compare_button.setVisible(
            any_trials and experiments.possible and is_outdated and not busy
        )
        self.tables.refresh()

    def _report(self) -> Report | None:
        compared = self._experiments.comparison
        if compared is None:
            return None
        origin = self._document.origin
        scene_file = origin.name if origin is not None else None
        return experiment_report(compared.comparison, scene_file, self._document.base_dir)


_MOST_BODIES = 3


def described(trial: LoadedTrial) -> str:
    """Describe a measured trial in a line."""
    capture = trial.capture
    parts = [f"{run_time(capture.duration, significant=3)} at {capture.rate:.3g} Hz"]
    bodies = [
        name if link is None or name.lower() == link_name(link) else f"{name} on {link_name(link)}"
        for name, link in zip(capture.bodies, capture.links, strict=True)
    ]
    parts.append(", ".join(bodies) if len(bodies) <= _MOST_BODIES else f"{len(bodies)} bodies")
    filled = int((capture.known & ~capture.measured).any(axis=1).sum())
    if filled:
        parts.append(f"{counted(filled, 'row')} interpolated")
    return " · ".join(parts)


class TrialRows(ThemedWidget):
    """A row for each trial."""

    def __init__(self, experiments: Experiments, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self._displayed_trials: list[LoadedTrial] = []
        self._rows: list[QWidget] = []
        self.shows: list[QCheckBox] = []
        self.removes: list[QToolButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)

    def refresh(self) -> None:
        """Update to the trials."""
        trials = self._experiments.trials
        if trials != self._displayed_trials:
            self._build()
        for trial, show in zip(trials, self.shows, strict=True):
            show.setChecked(trial.visible)

    def apply_theme(self) -> None:
        self._build()

    def _build(self) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self._displayed_trials = list(self._experiments.trials)
        self._rows = []
        self.shows = []
        self.removes = []
        for index, trial in enumerate(self._displayed_trials):
            row = self._row(index, trial)
            self._column.addWidget(row)
            self._rows.append(row)

    def _row(self, index: int, trial: LoadedTrial) -> QWidget:
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
        show.setChecked(trial.visible)
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
        notes = trial.capture.notes or ("Nothing had to be repaired on import",)
        what.setToolTip(f"<qt>{'<br>'.join(map(html.escape, notes))}</qt>")
        column.addWidget(what)
        self.shows.append(show)
        self.removes.append(remove)
        return row


class ExperimentTables(ThemedWidget):
    """Tables of all trials together, or of one of them."""

    def __init__(self, experiments: Experiments, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self._displayed_comparison: ExperimentComparison | None = None
        self._of = 0
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.which = narrow(ChoiceBox(self))
        self.which.setAccessibleName("Values of")
        self.which.setToolTip("Values to list below: of all trials together, or of one trial")
        self.which.activated.connect(self._choose)
        column.addWidget(self.which)
        self.errors = TableView("Errors", fits=True, is_small=True)
        self.pairs = TableView("Speed, trend and frequency", hidden=(4,), fits=True, is_small=True)
        self._titles = {
            table: heading(table.accessibleName()) for table in (self.errors, self.pairs)
        }
        for table, title in self._titles.items():
            column.addWidget(title)
            column.addWidget(table)
        self._notes = _text()
        column.addWidget(self._notes)
        self._fill()

    def refresh(self) -> None:
        """Update to the comparison."""
        compared = self._experiments.comparison
        comparison = None if compared is None else compared.comparison
        if comparison is self._displayed_comparison:
            return
        self._displayed_comparison = comparison
        names = [] if comparison is None else [trial.name for trial in comparison.trials]
        self.which.clear()
        self.which.addItems([f"All {len(names)} trials", *names] if len(names) > 1 else names)
        self._of = min(self._of, max(0, self.which.count() - 1))
        self.which.setCurrentIndex(self._of)
        self._fill()

    def apply_theme(self) -> None:
        self._fill()

    def _choose(self, index: int) -> None:
        self._of = index
        self._fill()

    def _fill(self) -> None:
        comparison = self._displayed_comparison
        self.setVisible(comparison is not None)
        if comparison is None:
            return
        n_trials = len(comparison.trials)
        self.which.setVisible(n_trials > 1)
        is_together = n_trials > 1 and self._of == 0
        trial = comparison.trials[max(0, self._of - 1) if n_trials > 1 else 0]
        values = comparison.together if is_together else trial.figures
        for view, table in (
            (self.errors, error_table("Errors", values)),
            (self.pairs, pair_table("Speed, trend and frequency", values)),
        ):
            view.show_table(table)
            view.setVisible(bool(table.rows))
            self._titles[view].setVisible(bool(table.rows))
        self._notes.setText("\n".join((comparison.interval, *(() if is_together else trial.notes))))


def _text() -> QLabel:
    label = QLabel()
    label.setProperty("role", "dim")
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(theme.value_font(12, bold=False))
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
