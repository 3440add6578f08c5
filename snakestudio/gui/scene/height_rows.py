"""Form rows for the heights of a height field: its image file, and the table in the scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind
from snakestudio.gui.forms.form import PICTURE_FILES, FileRow, FormRow
from snakestudio.model.edits import with_values
from snakestudio.viewmodel.scene.message_labels import refusal


class PictureRow(FileRow):
    """Image file of a height field, typed or chosen. An image replaces a table."""

    kind = FileKind.PICTURE
    files = PICTURE_FILES
    title = "Height Image"
    tip = "Choose an image file"
    placeholder = "none"

    def _text(self, value: Any) -> str:
        return value or ""

    def _value(self, text: str) -> str | None:
        return text.strip() or None

    def _apply(self, value: Any, gesture: int = 0) -> str:
        values: dict[str, Any] = dict.fromkeys(self.keys, value)
        if value is not None:
            values |= {key.rpartition(".")[0] + ".heights_m": None for key in self.keys}
        try:
            text = f"Change image of {self._of}"
            self._document.edit(with_values(self._document.scene, values), text, gesture)
        except SnakeStudioError as error:
            return refusal(error, self._document.scene)
        return ""


class HeightsRow(FormRow):
    """Size of the table of heights, which is edited in the scene file."""

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(document, keys, of, parent)
        self.field = QLabel()
        self.field.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._place(self.field, wide=True)
        self.refresh()

    def _show(self, value: Any) -> None:
        if isinstance(value, tuple) and value:
            self.field.setText(f"{len(value[0])} × {len(value)} heights")
        else:
            self.field.setText("none" if value is None else "several")
