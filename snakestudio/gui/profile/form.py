"""Rows of single profile values with label, unit and explanation, created from their declarations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QFormLayout, QWidget

from snakestudio.errors import ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.binding import ABSENT, Binding
from snakestudio.gui.forms.editor import reset_entry
from snakestudio.gui.forms.editors import LongTextEditor, SuggestionEditor, make_editor
from snakestudio.gui.forms.form_fields import Choice, Choices, field_for
from snakestudio.gui.forms.lines import line_of
from snakestudio.gui.forms.row_layouts import BARE
from snakestudio.gui.forms.value_menu import open_field_menu
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.model.field_kind import field_kind
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.text import uncapitalized

_CAPTION_WIDTH = 136
"""Minimum width of captions, px of the design; aligns the editors of a page."""
_CHARACTERS = 8
"""Least number of visible characters of a choice."""


class ProfileBinding(Binding):
    """A value of the profile, edited through the undo stack of its document.

    Parameters
    ----------
    name : str
        Key of the value in its part, for explanations.
    key : callable
        Returns the dotted key; "" while there is nothing to edit.
    """

    def __init__(
        self, document: ProfileDocument, name: str, key: Callable[[], str], doc: FieldDoc
    ) -> None:
        self._document = document
        self._key = key
        self._gesture = 0
        super().__init__([name], doc)

    @property
    def locked(self) -> str:
        return self._document.locked

    def value(self) -> Any:
        key = self._key()
        return self._document.value(key) if key else ABSENT

    def values(self) -> list[Any]:
        return [self.value()]

    def apply_each(self, values: Sequence[Any], *, again: bool = False) -> str:
        if not again:
            self.begin_gesture()
        text = f"Change {uncapitalized(self.doc.label)}"
        try:
            self._document.set_values({self._key(): values[0]}, text, self._gesture)
        except ProfileError as error:
            return str(error).splitlines()[0]
        return ""

    def begin_gesture(self) -> None:
        self._gesture = self._document.new_gesture()

    def open_menu(self, row: QWidget, event: QContextMenuEvent) -> None:
        assert isinstance(row, ValueRow)
        if self.default is ABSENT:
            open_field_menu(row, event, [])
        else:
            open_field_menu(row, event, [reset_entry(row.editor, self.default, None, row.reset)])


def profile_row(
    document: ProfileDocument,
    model: type[BaseModel],
    name: str,
    key: Callable[[], str],
    suggestions: Callable[[], Sequence[str]] | None = None,
    parent: QWidget | None = None,
) -> ValueRow:
    """Return the row of a value of the profile, with its editor, unit and messages.

    Parameters
    ----------
    key : callable
        Returns the dotted key; "" while there is nothing to edit.
    suggestions : callable, optional
        Suggested texts.
    """
    kind = field_kind(model, name)
    special: dict[str, Any] = {}
    values = kind.choices
    if kind.kind == "switch" and kind.optional:
        values = (True, False)
    if values:
        absent = [Choice(None, "from the DBC")] if kind.optional else []
        special["choices"] = [*absent, *(Choice(value, _choice_text(value)) for value in values)]
    elif suggestions is not None:
        special = {"editor": SuggestionEditor, "choices": partial(_suggested, suggestions)}
    elif name == "description":
        special["editor"] = LongTextEditor
    field = field_for(model, name, live=False, characters=_CHARACTERS, **special)
    binding = ProfileBinding(document, name, key, field_doc(model, name))
    editor = make_editor(field, binding.value(), parent)
    row = ValueRow(editor, binding, layout=BARE, parent=parent)
    document.changed.connect(row.refresh)
    document.locked_changed.connect(row.refresh)
    return row


def _suggested(suggestions: Callable[[], Sequence[str]], value: Any) -> Choices:
    return [Choice(text, text) for text in suggestions()]


def _choice_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")


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
        names = list(model.model_fields) if names is None else names
        height = -(-len(names) // columns)
        self.rows: dict[str, ValueRow] = {}
        forms: list[QFormLayout] = []
        for number, name in enumerate(names):
            if number % height == 0:
                forms.append(value_form())
            full = f"{key}.{name}" if key else name
            row = profile_row(document, model, name, partial(str, full), parent=self)
            row.set_default(document.value(full))  # a reset restores the opened value
            self.rows[name] = row
            forms[-1].addRow(row.make_caption(width=_CAPTION_WIDTH), row)
        columns_of_rows = [(form, 1) for form in forms]
        self.setLayout(line_of(*columns_of_rows, spacing=theme.scaled(24)))

    def focus_value(self, name: str) -> bool:
        """Focus a value; returns whether the form contains it."""
        row = self.rows.get(name)
        if row is None:
            return False
        row.field.setFocus()
        return True


def value_form() -> QFormLayout:
    """Return an empty column of rows with captions."""
    form = QFormLayout()
    form.setHorizontalSpacing(12)
    form.setVerticalSpacing(8)
    return form
