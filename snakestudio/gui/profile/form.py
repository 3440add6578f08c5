"""Single values of the profile in rows with label, unit and explanation, made from what is declared about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QFormLayout, QGridLayout, QLabel, QPlainTextEdit, QWidget

from snakestudio.errors import ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
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
from snakestudio.viewmodel.cells import Column, columns_of
from snakestudio.viewmodel.field_texts import explanation

__all__ = ["FieldRow", "PartForm"]


class FieldRow(QWidget):
    """The editor of one value, with its unit beside and what was refused below.

    Parameters
    ----------
    key : callable
        Gives the dotted key, "" while there is nothing to edit.
    column : Column
        What is declared about it.
    suggestions : callable, optional
        Texts that are offered for a text.
    long : bool
        Whether a text takes several lines.
    """

    def __init__(
        self,
        document: ProfileDocument,
        key: Callable[[], str],
        column: Column,
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
        self._shown: object = _NOTHING
        self.message = Message()
        self.editor = self._make(long)
        self.editor.changed.connect(self._on_changed)
        self.field = self.editor.widget
        self.field.setAccessibleName(column.doc.label)
        self.setToolTip(explanation(column.doc, column.name, theme.current().dim))
        unit = QLabel(column.doc.unit)
        unit.setProperty("role", "unit")
        units = (unit,) if column.doc.unit else ()
        self.setLayout(column_of(line_of((self.field, 1), *units), self.message, spacing=2))
        document.changed.connect(self.refresh)
        document.locked_changed.connect(self._dress)
        self.refresh()
        self._dress()

    def _make(self, long: bool) -> Editor:
        column = self.column
        if column.kind in ("integer", "number"):
            integer = column.kind == "integer"
            field = field_of(column.doc, integer=integer, optional=column.optional, live=False)
            return NumberEditor(field, self)
        if column.kind == "switch" and not column.optional:
            return SwitchEditor(field_of(column.doc), self)
        if column.kind in ("choice", "switch"):
            words = column.choices if column.kind == "choice" else (True, False)
            choices = [Choice(None, "as in the DBC")] if column.optional else []
            editor = ChoiceEditor(field_of(column.doc), self)
            editor.offer([*choices, *(Choice(word, _spoken(word)) for word in words)])
            narrow(editor.widget)
            return editor
        if self._suggestions is not None:
            return _SuggestionEditor(field_of(column.doc), self)
        if long:
            return _LongTextEditor(field_of(column.doc), self)
        return TextEditor(field_of(column.doc, live=False), self)

    @property
    def _is_text(self) -> bool:
        """Whether the editor holds the text of a value, and not the value."""
        return isinstance(self.editor, TextEditor | _SuggestionEditor | _LongTextEditor)

    def _dress(self) -> None:
        self.field.setEnabled(not self._document.locked)

    def value(self) -> Any:
        """The value in the profile."""
        key = self._key()
        return self._document.value(key) if key else None

    def refresh(self) -> None:
        """Show what the profile says now."""
        value = self.value()
        if value is self._shown and not isinstance(self.editor, ChoiceEditor | _SuggestionEditor):
            return
        self._shown = value
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
            self.message.say(self.editor.problem)
        elif isinstance(self.editor, NumberEditor):
            problem = self._apply(value)
            self.message.say(problem)
            if problem:
                self.editor.widget.refuse(problem)
        elif not self._is_text:
            self._put(value)
        elif self._key() and value != self.column.text(self.value()):
            try:
                self._put(self.column.value(value))
            except NumberTextError as error:
                self.message.say(str(error))

    def _put(self, value: Any) -> None:
        self.message.say(self._apply(value))
        self._shown = _NOTHING
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
    """A text, of which some are offered; it counts when one is chosen, or the field is left."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: ChoiceBox = narrow(ChoiceBox(parent))
        self.widget.setEditable(True)
        self.widget.setInsertPolicy(ChoiceBox.InsertPolicy.NoInsert)
        self.widget.activated.connect(self.changed)
        line = self.widget.lineEdit()
        assert line is not None
        line.editingFinished.connect(self.changed)

    @property
    def value(self) -> str:
        return self.widget.currentText()

    def set_value(self, value: Any) -> None:
        self.widget.setCurrentIndex(self.widget.findText(value))
        self.widget.setEditText(value)

    def suggest(self, words: Sequence[str]) -> None:
        """Offer other texts."""
        if [self.widget.itemText(row) for row in range(self.widget.count())] != [*words]:
            self.widget.clear()
            self.widget.addItems(words)


class _LongTextEditor(Editor):
    """A text on several lines; it counts when the field is left."""

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
    """Several lines that are taken when one leaves them."""

    left: Callable[[], None]

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self.left()


class PartForm(QWidget):
    """The values of one part of the profile, in one or two columns.

    Parameters
    ----------
    key : str
        Where the part stands; "" for the profile itself.
    names : sequence of str, optional
        Which of its values; all if left out.
    columns : int
        How many columns of rows.
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
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme.scaled(32))
        height = -(-len(declared) // columns)
        for number in range(columns):
            form = QFormLayout()
            form.setHorizontalSpacing(12)
            form.setVerticalSpacing(8)
            for column in declared[number * height : (number + 1) * height]:
                full = f"{key}.{column.name}" if key else column.name
                row = FieldRow(
                    document, partial(str, full), column, long=column.name == "description"
                )
                self.rows[column.name] = row
                label = QLabel(column.doc.label)
                label.setProperty("role", "dim")
                label.setToolTip(row.toolTip())
                label.setMinimumWidth(theme.scaled(136))
                label.setBuddy(row.field)
                form.addRow(label, row)
            grid.addLayout(form, 0, number)
            grid.setColumnStretch(number, 1)

    def go_to(self, name: str) -> bool:
        """Give a value the keyboard; whether it is here."""
        row = self.rows.get(name)
        if row is None:
            return False
        row.field.setFocus()
        return True


_NOTHING = object()


def _spoken(word: Any) -> str:
    if isinstance(word, bool):
        return "yes" if word else "no"
    return str(word).replace("_", " ")
