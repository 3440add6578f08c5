"""What a measured file was found to hold, as captions and texts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from snakestudio.gui.core import theme

__all__ = ["RecognitionView"]


class RecognitionView(QWidget):
    """The rows of a `Recognition`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: list[QLabel] = []
        self._rows: tuple[tuple[str, str], ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self.setAccessibleName("Recognized")
        self.hide()

    @property
    def text(self) -> str:
        """All rows, one a line."""
        return "\n".join(f"{caption}: {text}" for caption, text in self._rows)

    def show_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Show these captions and texts."""
        if tuple(rows) == self._rows:
            return
        self._rows = tuple(rows)
        for label in self._labels:
            self._grid.removeWidget(label)
            label.deleteLater()
        self._labels = []
        for row, (caption, text) in enumerate(rows):
            for column, words in enumerate((caption, text)):
                label = QLabel(words, self)
                label.setTextFormat(Qt.TextFormat.PlainText)
                label.setFont(theme.text_font(12))
                label.setProperty("role", "dim" if column == 0 else "")
                if column:
                    label.setWordWrap(True)
                    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self._grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
                self._labels.append(label)
        self.setVisible(bool(rows))
