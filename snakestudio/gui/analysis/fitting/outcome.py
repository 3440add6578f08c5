"""What a fit found, in figures: values with their intervals, the distance, and what is to be known about them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from snakestudio.analysis.fitting import FitResult
from snakestudio.export.fit_text import fit_rows, length, trial_line
from snakestudio.gui.core import theme

__all__ = ["Outcome"]

_HEADS = ("", "fitted", "95 % interval", "before")


class Outcome(QFrame):
    """A card with the table of values and the notes; hidden while there is no result."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._result: FitResult | None = None
        self.texts: list[tuple[str, ...]] = []
        """Rows of the table."""
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(8)
        self._table = QWidget()
        column.addWidget(self._table)
        self.distance = QLabel()
        self.distance.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self.distance)
        self.notes = QLabel()
        self.notes.setProperty("role", "warning")
        self.notes.setWordWrap(True)
        column.addWidget(self.notes)
        self.hide()

    def show_result(self, result: FitResult | None) -> None:
        """Show a result, or none."""
        if result is self._result:
            return
        self._result = result
        self.setVisible(result is not None)
        if result is None:
            return
        old, self._table = self._table, QWidget()
        column = self.layout()
        assert column is not None
        column.replaceWidget(old, self._table)
        old.deleteLater()
        self._fill(result)
        lines = [f"Distance {length(result.cost_after)}, before {length(result.cost_before)};"]
        lines[0] += f" {result.evaluations} evaluations"
        if len(result.trials) > 1 or result.trials[0].trial.align:
            lines += [trial_line(outcome) for outcome in result.trials]
        self.distance.setText("\n".join(lines))
        self.notes.setText("\n".join(result.notes))
        self.notes.setVisible(bool(result.notes))

    def _fill(self, result: FitResult) -> None:
        grid = QGridLayout(self._table)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(22)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(4, 1)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        self.texts = []
        for place, text in enumerate(_HEADS):
            head = QLabel(text)
            head.setProperty("role", "dim")
            head.setAlignment(right)
            grid.addWidget(head, 0, place)
        for line, (name, label, value, interval, before, unit) in enumerate(fit_rows(result), start=1):
            unit = f" {unit}" if unit else ""
            cells = (label, f"{value}{unit}", f"{interval}{unit}", before if before == "none" else f"{before}{unit}")
            self.texts.append(cells)
            for place, text in enumerate(cells):
                cell = QLabel(text)
                cell.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                if place == 0:
                    cell.setToolTip(name)
                else:
                    cell.setAlignment(right)
                if place == 1:
                    cell.setFont(theme.value_font(14))
                elif place > 1:
                    cell.setProperty("role", "dim")
                grid.addWidget(cell, line, place)
