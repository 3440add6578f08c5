"""Form row of the friction image of the ground: its file, and a button that removes the image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind
from snakestudio.gui.forms.form import GUTTER, PICTURE_FILES, FileRow
from snakestudio.model.edits import with_values


class FrictionPictureRow(FileRow):
    """Image file, typed or chosen; without a file all values of the image are removed from the scene."""

    kind = FileKind.PICTURE
    files = PICTURE_FILES
    title = "Friction Image"
    tip = "Choose an image file"
    placeholder = "none"

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None
    ) -> None:
        self.remove: QToolButton | None = None
        super().__init__(document, keys, of, parent)
        self.remove = QToolButton()
        self.remove.setIcon(theme.icon("delete"))
        self.remove.setToolTip("Remove the friction image")
        self.remove.setAccessibleName("Remove the friction image")
        self.remove.clicked.connect(self._remove)
        self._line.addWidget(self.remove)
        self.refresh()

    def offer_reset(self) -> None:
        """Only align with other rows: the button that removes the image serves as reset."""
        self._grid.setContentsMargins(GUTTER, 0, 0, 0)

    def _show(self, value: Any) -> None:
        super()._show(value)
        if self.remove is not None:
            self.remove.setVisible(bool(value))

    def _apply(self, value: Any, gesture: int = 0) -> str:
        if value:
            return super()._apply(value, gesture)
        self._remove()
        return ""

    def _remove(self) -> None:
        """Remove the image and its values from the scene."""
        scene = with_values(self._document.scene, {"ground.picture": None})
        self._document.edit(scene, "Remove friction image")
