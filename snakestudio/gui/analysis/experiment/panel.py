"""The panel of experiments: the loaded trials, how they lie over the run, and how far the run is from them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.analysis.experiment.alignment_box import AlignmentBox
from snakestudio.gui.analysis.experiment.error_table import Figures
from snakestudio.gui.analysis.experiment.experiments import Experiments
from snakestudio.gui.analysis.experiment.trial_rows import TrialRows
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.forms.sections import heading, scrolled

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
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
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
        document.scene_changed.connect(lambda *_: self.refresh())
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
        self.bar.setValue(round(1000 * experiments.fraction))
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
