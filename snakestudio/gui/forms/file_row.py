"""A form row for a file that a scene names: typed, or chosen in a dialog."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, choose_file
from snakestudio.gui.forms.form import TextRow

__all__ = ["PICTURE_FILES", "FileRow"]

PICTURE_FILES = "Pictures (*.png *.tif *.tiff *.jpg *.jpeg *.bmp *.pgm);;All files (*)"


class FileRow(TextRow):
    """The name of a file, relative to the scene file if it is in its folder."""

    kind: FileKind
    files: str
    """Filters of the dialog."""
    title: str
    """Of the dialog."""
    tip: str

    def __init__(self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None) -> None:
        super().__init__(document, keys, of, parent)
        self.browse = QToolButton()
        self.browse.setText("…")
        self.browse.setToolTip(self.tip)
        self.browse.setAccessibleName(self.tip)
        self.browse.clicked.connect(self._choose)
        self._line = QHBoxLayout()
        self._line.setSpacing(4)
        self._grid.removeWidget(self.field)
        self._line.addWidget(self.field, 1)
        self._line.addWidget(self.browse)
        self._grid.addLayout(self._line, 0, 1, 1, 2)

    def _choose(self) -> None:
        name = choose_file(self, self.title, self.kind, self._document.base_dir, self.files)
        if name:
            self._say(self._apply(name))
            self.refresh()
