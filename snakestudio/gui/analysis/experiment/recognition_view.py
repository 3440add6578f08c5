"""Recognized properties of a measured file, as captions and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.editors import ShownText
from snakestudio.gui.forms.field_table import FieldTable, TableColumn, TableLine
from snakestudio.gui.forms.form_fields import fields_of, form_field
from snakestudio.gui.forms.lines import column_of


@dataclass(frozen=True)
class _Line:
    caption: str = form_field("", "Caption", editor=ShownText)
    text: str = form_field("", "Text", editor=ShownText)


class RecognitionView(QWidget):
    """Rows of a `Recognition`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[tuple[str, str], ...] = ()
        columns = {"caption": TableColumn(), "text": TableColumn(stretch=1)}
        self._table = FieldTable[_Line](columns, spacing=(12, 4))
        self.setLayout(column_of(self._table, margins=(0, 0, 8, 0)))
        self.setAccessibleName("Recognised")
        self.hide()

    @property
    def text(self) -> str:
        """All rows, one per line."""
        return "\n".join(f"{caption}: {text}" for caption, text in self._rows)

    def show_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Show these captions and texts."""
        if tuple(rows) == self._rows:
            return
        self._rows = tuple(rows)
        lines = [_Line(caption, text) for caption, text in rows]
        self._table.show_rows(lines, [fields_of(line) for line in lines])
        for row in self._table.rows:
            _set_looks(row)
        self.setVisible(bool(rows))


def _set_looks(row: TableLine[_Line]) -> None:
    for name in ("caption", "text"):
        row.widget_of(name).setFont(theme.text_font(12))
        row.widget_of(name).setAlignment(Qt.AlignmentFlag.AlignTop)
        row.widget_of(name).setAccessibleName("")
    row.widget_of("caption").setProperty("role", "dim")
    row.widget_of("text").setWordWrap(True)
    row.widget_of("text").setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
