"""What a study has found so far, in a few lines."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.viewmodel.study.study_texts import found_so_far

__all__ = ["ResultsSummary"]


class ResultsSummary(QWidget):
    """Counts, and the best so far.

    Parameters
    ----------
    open_study : OpenStudy
    """

    def __init__(self, open_study: OpenStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open = open_study
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.addWidget(self.text, 1)
        open_study.landed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what there is now."""
        results = self._open.results
        if self._open.unreadable_results:
            self.text.setText(self._open.unreadable_results)
        elif results is None:
            self.text.setText("There are no results yet: Run computes them.")
        else:
            self.text.setText(found_so_far(results.table, results.units))
