"""Editors of the fields of one value, such as the choices of a dialog or a line of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QWidget

from snakestudio.gui.forms.binding import Binding
from snakestudio.gui.forms.editor import Editor, is_editable, reset_entry
from snakestudio.gui.forms.form_fields import with_changes
from snakestudio.gui.forms.value_menu import open_field_menu

T = TypeVar("T")


class FieldEditors(QObject, Generic[T]):
    """Editors of the fields of a frozen dataclass, or of a part that is checked by pydantic.

    The editors hold the values.

    Parameters
    ----------
    values : T
        The initial values.
    editors : mapping of str to Editor
        The editors, by the names of their fields in `values`.

    Signals
    -------
    changed(name: str)
        The user changed the value of a field, or the message about it.
    """

    changed = Signal(str)

    def __init__(self, values: T, editors: Mapping[str, Editor], parent: QObject) -> None:
        super().__init__(parent)
        self._values = values
        self._first = values
        self._is_quiet = False
        self.editors = editors
        self.fields = {name: editor.field for name, editor in editors.items()}
        self.set_values(values)
        for name, editor in self.editors.items():
            editor.changed.connect(lambda name=name: self._on_changed(name))
            editor.problem_changed.connect(lambda name=name: self._on_changed(name))

    # --- values -----------------------------------------------------------------------------------

    @property
    def values(self) -> T:
        """The present values; for invalid input, the last valid value."""
        changes = {name: editor.value for name, editor in self.editors.items()}
        return with_changes(self._values, changes)  # type: ignore[no-any-return]

    def set_values(self, values: T) -> None:
        """Show other values; pending input is kept."""
        self._values = values
        self._show({name: getattr(values, name) for name in self.editors}, values)

    def set(self, **values: Any) -> None:
        """Show other values of some fields."""
        self._show(values, with_changes(self.values, values))

    def _show(self, changes: Mapping[str, Any], values: T) -> None:
        with self.quiet():
            self._offer_choices(values)
            for name, value in changes.items():
                self.editors[name].set_value(value)
        self.refresh()

    def refresh(self) -> None:
        """Update what depends on the values; for subclasses."""

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Emit no `changed` while values are set."""
        was_quiet = self._is_quiet
        self._is_quiet = True
        try:
            yield
        finally:
            self._is_quiet = was_quiet

    def _on_changed(self, name: str) -> None:
        if not self._is_quiet:
            self.offer_choices()
            self.refresh()
            self.changed.emit(name)

    def commit(self) -> bool:
        """Commit pending input of all fields that matter; return whether it is valid."""
        committed = [editor.commit() for name, editor in self.editors.items() if self.matters(name)]
        return all(committed)

    # --- conditions -------------------------------------------------------------------------------

    def offer_choices(self) -> None:
        """Offer the choices that depend on the present values."""
        with self.quiet():
            self._offer_choices(self.values)

    def _offer_choices(self, values: T) -> None:
        for name, declared in self.fields.items():
            if callable(declared.choices):
                self.editors[name].offer(declared.choices(values))

    def is_visible(self, name: str, values: T) -> bool:
        """Return whether a field is visible with some values."""
        condition = self.fields[name].visible_if
        return condition is None or condition(values)

    def is_enabled(self, name: str, values: T) -> bool:
        """Return whether a field can be edited with some values."""
        condition = self.fields[name].enabled
        return condition is None or condition(values)

    def matters(self, name: str) -> bool:
        """Return whether a field is visible and enabled with the present values."""
        values = self.values
        return self.is_visible(name, values) and self.is_enabled(name, values)

    def problems(self) -> dict[str, str]:
        """Return the messages about invalid input in the fields that matter, by name."""
        return {
            name: editor.problem
            for name, editor in self.editors.items()
            if editor.problem and self.matters(name)
        }

    # --- reset ------------------------------------------------------------------------------------

    def first(self, name: str) -> Any:
        """Return the value to which a field is reset."""
        return getattr(self._first, name)

    def set_first(self, **values: Any) -> None:
        """Set the values to which fields are reset."""
        self._first = with_changes(self._first, values)

    def reset(self, name: str) -> None:
        """Reset a field, as if the user had entered the value."""
        self.enter(name, self.first(name))

    def enter(self, name: str, value: Any) -> None:
        """Set the value of a field as if the user had entered it."""
        self.set(**{name: value})
        self._on_changed(name)

    def open_menu(self, name: str, row: QWidget, event: QContextMenuEvent) -> None:
        """Open the context menu of a field in its row."""
        editor = self.editors[name]
        if is_editable(editor.widget):
            reset = partial(self.reset, name)
            open_field_menu(row, event, [reset_entry(editor, self.first(name), self.values, reset)])


class FieldBinding(Binding):
    """The value of a field of `FieldEditors`, for a row of a form."""

    in_editor = True

    def __init__(self, editors: FieldEditors[Any], name: str) -> None:
        field = editors.fields[name]
        doc = field.doc
        if field.plain:
            doc = doc._replace(unit="")  # the caption has the unit
        super().__init__([name], doc, editors.first(name))
        self._editors = editors

    def value(self) -> Any:
        return self._editors.editors[self.keys[0]].value

    def values(self) -> list[Any]:
        return [self.value()]

    def apply_each(self, values: Sequence[Any], *, again: bool = False) -> str:
        self._editors.enter(self.keys[0], values[0])
        return ""

    def begin_gesture(self) -> None:
        """Do nothing: a dialog has no undo."""

    def explanation(self, unused: str) -> str:
        return self.doc.help

    def open_menu(self, row: QWidget, event: QContextMenuEvent) -> None:
        self._editors.open_menu(self.keys[0], row, event)
