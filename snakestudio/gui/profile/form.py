"""Rows of single profile values with label, unit and explanation, created from their declarations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from snakestudio.errors import ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.boxes import ChoiceBox, make_editable, narrow
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.editors import (
    ChoiceEditor,
    Editor,
    NumberEditor,
    SwitchEditor,
    TextEditor,
)
from snakestudio.gui.forms.form_fields import Choice, FormField, field_of
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.model.formula.quantity import NumberTextError
from snakestudio.viewmodel.cells import CellColumn, columns_of
from snakestudio.viewmodel.field_texts import explanation

_CAPTION_WIDTH = 136
"""Minimum width of captions, px of the design; aligns the editors of a page."""


class FieldRow(QWidget):
    """Editor of one value with its unit and a message about refused input.

    Parameters
    ----------
    key : callable
        Returns the dotted key; "" while there is nothing to edit.
    column : Column
        Declaration of the value.
    suggestions : callable, optional
        Suggested texts.
    long : bool
        Whether a text has several lines.
    """

    def __init__(
        self,
        document: ProfileDocument,
        key: Callable[[], str],
        column: CellColumn,
        suggestions: Callable[[], Sequence[str]] | None = None,
        *,
        long: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._key = key
        self.column = column
        self._suggestions = suggestions
        self._last_value: object = _NOTHING
        self.message = Message()
        self.editor = self._make(long)
        self.editor.changed.connect(self._on_changed)
        self.field = self.editor.widget
        self.field.setAccessibleName(column.doc.label)
        self.setFocusProxy(self.field)
        self.setToolTip(explanation(column.doc, column.name, theme.current().dim))
        unit = QLabel(column.doc.unit)
        unit.setProperty("role", "unit")
        units = (unit,) if column.doc.unit else ()
        self.setLayout(column_of(line_of((self.field, 1), *units), self.message, spacing=2))
        document.changed.connect(self.refresh)
        document.locked_changed.connect(self._on_locked)
        self.refresh()
        self._on_locked()

    def _make(self, long: bool) -> Editor:
        column = self.column
        if column.kind in ("integer", "number"):
            integer = column.kind == "integer"
            field = field_of(column.doc, integer=integer, optional=column.optional, live=False)
            return NumberEditor(field, self)
        if column.kind == "switch" and not column.optional:
            return SwitchEditor(field_of(column.doc), self)
        if column.kind in ("choice", "switch"):
            values = column.choices if column.kind == "choice" else (True, False)
            choices = [Choice(None, "from the DBC")] if column.optional else []
            editor = ChoiceEditor(field_of(column.doc), self)
            editor.offer([*choices, *(Choice(value, _choice_text(value)) for value in values)])
            narrow(editor.widget)
            return editor
        if self._suggestions is not None:
            return _SuggestionEditor(field_of(column.doc), self)
        if long:
            return _LongTextEditor(field_of(column.doc), self)
        return TextEditor(field_of(column.doc, live=False), self)

    @property
    def _is_text(self) -> bool:
        """Whether the editor holds the text of a value instead of the value."""
        return isinstance(self.editor, TextEditor | _SuggestionEditor | _LongTextEditor)

    def _on_locked(self) -> None:
        self.setEnabled(not self._document.locked)

    def value(self) -> Any:
        """Value in the profile."""
        key = self._key()
        return self._document.value(key) if key else None

    def refresh(self) -> None:
        """Show the current value of the profile."""
        value = self.value()
        if value is self._last_value and not isinstance(
            self.editor, ChoiceEditor | _SuggestionEditor
        ):
            return
        self._last_value = value
        if isinstance(self.editor, _SuggestionEditor) and self._suggestions is not None:
            self.editor.suggest(self._suggestions())
        with QSignalBlocker(self.editor):
            self.editor.set_value(self.column.text(value) if self._is_text else value)
        if isinstance(self.editor, TextEditor):
            self.editor.widget.setCursorPosition(0)

    # --- edits ------------------------------------------------------------------------------------

    def _on_changed(self) -> None:
        value = self.editor.value
        if self.editor.problem:
            self.message.show_text(self.editor.problem)
        elif isinstance(self.editor, NumberEditor):
            problem = self._apply(value)
            self.message.show_text(problem)
            if problem:
                self.editor.widget.refuse(problem)
        elif not self._is_text:
            self.put(value)
        elif self._key() and value != self.column.text(self.value()):
            try:
                self.put(self.column.value(value))
            except NumberTextError as error:
                self.message.show_text(str(error))

    def put(self, value: Any) -> None:
        """Change the value in the profile, or show why it is refused."""
        self.message.show_text(self._apply(value))
        self._last_value = _NOTHING
        self.refresh()

    def _apply(self, value: Any) -> str:
        try:
            self._document.set_values(
                {self._key(): value}, f"Change {self.column.doc.label.lower()}"
            )
        except ProfileError as error:
            return str(error).splitlines()[0]
        return ""


class _SuggestionEditor(Editor):
    """Text field with suggestions; applied when one is chosen or the field loses the focus."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: ChoiceBox = narrow(ChoiceBox(parent))
        make_editable(self.widget, self.changed.emit)

    @property
    def value(self) -> str:
        return self.widget.currentText()

    def set_value(self, value: Any) -> None:
        self.widget.setCurrentIndex(self.widget.findText(value))
        self.widget.setEditText(value)

    def suggest(self, suggestions: Sequence[str]) -> None:
        """Set the suggestions."""
        if [self.widget.itemText(row) for row in range(self.widget.count())] != [*suggestions]:
            self.widget.clear()
            self.widget.addItems(suggestions)


class _LongTextEditor(Editor):
    """Text field of several lines; applied when it loses the focus."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: _Text = _Text(parent)
        self.widget.setFixedHeight(theme.scaled(72))
        self.widget.left = self.changed.emit

    @property
    def value(self) -> str:
        return self.widget.toPlainText()

    def set_value(self, value: Any) -> None:
        self.widget.setPlainText(value)


class _Text(QPlainTextEdit):
    """Multi-line text that reports when it loses the focus."""

    left: Callable[[], None]

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self.left()


class _RowEditor(Editor):
    """Row of a value as an editor of a form; it edits the profile directly."""

    def __init__(self, field: FormField, row: FieldRow, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: FieldRow = row

    @property
    def value(self) -> Any:
        return self.widget.value()

    def set_value(self, value: Any) -> None:
        if value != self.value:
            self.widget.put(value)


class PartForm(QWidget):
    """Values of one part of the profile in one or two columns.

    Parameters
    ----------
    key : str
        Key of the part; "" for the profile itself.
    names : sequence of str, optional
        Names of its values; all if omitted.
    columns : int
        Number of columns.
    """

    def __init__(
        self,
        document: ProfileDocument,
        key: str,
        model: type[BaseModel],
        names: Sequence[str] | None = None,
        columns: int = 2,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.rows: dict[str, FieldRow] = {}
        declared = columns_of(model, names)
        height = -(-len(declared) // columns)
        fields = {}
        for number, column in enumerate(declared):
            full = f"{key}.{column.name}" if key else column.name
            row = FieldRow(document, partial(str, full), column, long=column.name == "description")
            self.rows[column.name] = row
            fields[column.name] = FormField(
                column.doc.label,
                help=row.toolTip(),
                editor=partial(_make_row_editor, row),
                place="column" if number and number % height == 0 else "row",
            )
        self.form = DeclaredForm(
            document.value(key) if key else document.profile,
            fields,
            self,
            enter_accepts=False,
            caption_role="dim",
            caption_width=_CAPTION_WIDTH,
            spacing=(12, 8),
        )
        self.setLayout(column_of(self.form))

    def focus_value(self, name: str) -> bool:
        """Focus a value; returns whether the form contains it."""
        row = self.rows.get(name)
        if row is None:
            return False
        row.field.setFocus()
        return True


_NOTHING = object()


def _make_row_editor(row: FieldRow, field: FormField, parent: QWidget) -> Editor:
    return _RowEditor(field, row, parent)


def _choice_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")
