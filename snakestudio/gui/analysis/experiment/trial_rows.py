"""The loaded trials in the panel, a row each: colour, name, whether it is shown, what was read, and a way out."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from snakestudio.export.experiment_text import link_name
from snakestudio.gui.analysis.experiment.experiments import Experiments, Trial
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.gui.core.theme import Themed

__all__ = ["TrialRows", "described"]

_MOST_BODIES = 3


def described(trial: Trial) -> str:
    """What was measured, in a line."""
    capture = trial.capture
    words = [f"{capture.duration:.3g} s at {capture.rate:.3g} Hz"]
    bodies = [
        name if link is None or name.lower() == link_name(link) else f"{name} on {link_name(link)}"
        for name, link in zip(capture.bodies, capture.links, strict=True)
    ]
    words.append(", ".join(bodies) if len(bodies) <= _MOST_BODIES else f"{len(bodies)} bodies")
    filled = int((capture.known & ~capture.measured).any(axis=1).sum())
    if filled:
        words.append("1 row filled in" if filled == 1 else f"{filled} rows filled in")
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
