"""The window that holds chains of links against the scene's continuous body."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import SnakeStudioError
from snakestudio.export.chain_csv import write_chain
from snakestudio.export.chain_text import report
from snakestudio.gui.analysis.comparison.chain_comparer import ChainComparer
from snakestudio.gui.analysis.comparison.chain_plots import ChainPlots
from snakestudio.gui.core import theme

__all__ = ["ChainDialog"]

_STALE = "This is of an earlier version of the scene. Compare again to see the scene as it is now."


class ChainDialog(QDialog):
    """Convergence, joint torques, and the chain as a ghost in the viewport while this is open.

    Parameters
    ----------
    comparer : ChainComparer
    time : callable
        The instant that the window shows, s.
    """

    def __init__(self, comparer: ChainComparer, time: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comparer, self._time = comparer, time
        self.setWindowTitle("Compare with a Chain of Links")
        self.resize(980, 520)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        self.run_button = QPushButton("Compare at the Shown &Instant")
        self.run_button.clicked.connect(lambda: self._comparer.start(self._time()))
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.clicked.connect(comparer.cancel)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Links")
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(comparer.choose)
        self.links = QLabel()
        self.links.setMinimumWidth(theme.scaled(70))
        top = QHBoxLayout()
        top.addWidget(self.run_button)
        top.addWidget(self.cancel_button)
        top.addWidget(self.bar, 1)
        top.addSpacing(16)
        top.addWidget(QLabel("Links"))
        top.addWidget(self.slider, 1)
        top.addWidget(self.links)
        column.addLayout(top)
        self.plots = ChainPlots()
        column.addWidget(self.plots, 1)
        self.note = QLabel()
        self.note.setWordWrap(True)
        column.addWidget(self.note)
        self.copy_button, self.csv_button = QPushButton("C&opy as Text"), QPushButton("&Export CSV ...")
        self.copy_button.clicked.connect(self._copy)
        self.csv_button.clicked.connect(self._ask_csv)
        bottom = QHBoxLayout()
        bottom.addStretch(1)
        bottom.addWidget(self.copy_button)
        bottom.addWidget(self.csv_button)
        column.addLayout(bottom)
        self._plotted: tuple[object, int] = (None, -1)
        comparer.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        comparer = self._comparer
        comparison, chosen = comparer.comparison, comparer.chosen
        self.run_button.setVisible(not comparer.busy)
        self.cancel_button.setVisible(comparer.busy)
        self.bar.setVisible(comparer.busy)
        self.bar.setValue(round(1000 * comparer.fraction))
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(comparer.counts) - 1)
        self.slider.setValue(chosen)
        self.slider.blockSignals(False)
        self.links.setText(f"n = {comparer.counts[chosen]}")
        if (comparison, chosen) != self._plotted:
            self._plotted = comparison, chosen
            self.plots.show_chain(comparison, chosen)
        for button in (self.copy_button, self.csv_button):
            button.setEnabled(comparison is not None)
        self._say()

    def _say(self) -> None:
        comparer = self._comparer
        profile, comparison = comparer.profile, comparer.comparison
        text, role = comparer.preparing or comparer.message, "dim"
        if comparer.stale:
            text, role = _STALE, "warning"
        elif profile is not None and comparison is not None:
            errors = comparison.errors[comparer.chosen, 0]
            apart = ", ".join(
                f"{part.label} {100 * error:.3g} %" for part, error in zip(comparison.parts, errors, strict=True)
            )
            how = "Friction moves the chain." if comparison.free else "The chain moves as the body does."
            speed = 100 * comparison.speed_errors[comparer.chosen, 0]
            head = f"At {profile.time:g} s, {profile.links} links differ from the body by"
            text = f"{head}: {apart}, speed {speed:.3g} %. {how}"
        self.note.setText(text)
        theme.set_role(self.note, role)

    def _copy(self) -> None:
        if self._comparer.comparison is not None:
            QGuiApplication.clipboard().setText(report(self._comparer.comparison))

    def _ask_csv(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Export Comparison", "chain.csv", "Comma-separated values (*.csv)")
        if name:
            self.write_csv(Path(name))

    def write_csv(self, path: Path) -> None:
        """Write the comparison as CSV."""
        if self._comparer.comparison is None:
            return
        try:
            write_chain(path, self._comparer.comparison, self._comparer.scene_file)
        except SnakeStudioError as error:
            self.note.setText(str(error))
            theme.set_role(self.note, "warning")
        else:
            self.note.setText(f"Wrote {path.name}.")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._comparer.show(True)
        if self._comparer.comparison is None and not self._comparer.busy:
            self._comparer.start(self._time())  # what else could be wanted of an empty window

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._comparer.show(False)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._comparer.cancel()
        super().closeEvent(event)
