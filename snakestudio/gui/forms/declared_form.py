"""A form made from declared fields: rows, conditions, messages, reset to defaults, and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.editors import (
    Editor,
    NumberEditor,
    is_editable,
    make_editor,
    value_text,
)
from snakestudio.gui.forms.form_fields import (
    Choices,
    FormField,
    Note,
    fields_of,
    with_changes,
)
from snakestudio.gui.forms.lines import column_of, line_of
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.number_field import Message

T = TypeVar("T")
W = TypeVar("W", bound=QWidget)

_UNIT_WIDTH = 28
"""Least width of the units next to numbers, px of the design."""
_COLUMN_SPACING = 24
"""Space between columns of rows, px of the design."""

Check = Callable[[Any], Mapping[str, str] | str]
"""Checks the values: a message, or messages by the names of the fields concerned."""


@dataclass(frozen=True)
class _Row:
    """The parts of the layout that form a row."""

    layout: QFormLayout
    index: int
    names: tuple[str, ...]
    content: QWidget | None
    """Contains the editors, if there are several widgets."""


class DeclaredForm(QWidget, Generic[T]):
    """Rows for the values of a frozen dataclass, or of a part that is checked by pydantic.

    Each editor has the name of its value as `objectName`. The tab order is that of the declarations.

    Parameters
    ----------
    values : T
        The initial values, whose field declarations determine the rows.
    fields : mapping of str to FormField or Note, optional
        Fields that replace the declared ones, for values of another layer or fields specific to the
        dialog. A `Note` is a text between them.
    check : callable, optional
        Checks all values.
    settings : QSettings, optional
        Storage of the values of `stored` fields.
    group : str
        Settings group of these values.
    enter_accepts : bool
        Whether Enter in a number presses the default button of the dialog.
    caption_role : str
        Role of captions in the style sheet.
    caption_width : int
        Least width of captions, px of the design.
    spacing : (int, int)
        Space between captions and editors, and between rows, px.

    Signals
    -------
    changed()
        The user changed a value.
    """

    changed = Signal()

    def __init__(
        self,
        values: T,
        fields: Mapping[str, FormField | Note] | None = None,
        parent: QWidget | None = None,
        *,
        check: Check | None = None,
        settings: QSettings | None = None,
        group: str = "",
        enter_accepts: bool = True,
        caption_role: str = "",
        caption_width: int = 0,
        spacing: tuple[int, int] = (16, 10),
    ) -> None:
        super().__init__(parent)
        self._values = values
        self._first = values
        self._check = check
        self._settings = settings
        self._group = group
        self._enter_accepts = enter_accepts
        self._caption_role = caption_role
        self._caption_width = caption_width
        self._setting = False
        declared = fields_of(values) if fields is None else fields
        self.fields = {name: each for name, each in declared.items() if isinstance(each, FormField)}
        self.editors: dict[str, Editor] = {}
        self.notes: dict[str, QLabel] = {}
        self.touched: set[str] = set()
        """Names of the values that the user has edited."""
        self.problems: dict[str, str] = {}
        """Messages by the names of the fields; "" is the key of messages about the whole form."""
        self.message = Message()
        self._reported = ""
        self._inline_labels: dict[str, QLabel] = {}
        """Labels before fields that are not the first of their line, by the names of the fields."""
        self._rows: list[_Row] = []
        self._has_units = any(_has_unit(each) for each in self.fields.values())
        self._spacing = spacing
        self._columns = [self._make_column()]
        self._note_rows: dict[str, tuple[QFormLayout, int]] = {}
        for name, note, lines in _grouped(declared):
            if note is not None:
                self._add_note(name, note)
            else:
                self._add_row(lines)
        columns = [(column, 1) for column in self._columns]
        rows = line_of(*columns, spacing=theme.scaled(_COLUMN_SPACING))
        self.setLayout(column_of(rows, self.message, spacing=spacing[1] + 2))
        self._load()
        self.refresh()
        for name, editor in self.editors.items():
            editor.changed.connect(lambda name=name: self._on_changed(name))
            editor.problem_changed.connect(lambda name=name: self._on_changed(name))

    # --- rows -------------------------------------------------------------------------------------

    def _make_column(self) -> QFormLayout:
        column = QFormLayout()
        column.setHorizontalSpacing(self._spacing[0])
        column.setVerticalSpacing(self._spacing[1])
        return column

    def _add_row(self, lines: Sequence[Sequence[str]]) -> None:
        first = self.fields[lines[0][0]]
        if first.place == "column":
            self._columns.append(self._make_column())
        column = self._columns[-1]
        editors = [[part for name in line for part in self._parts(name, line)] for line in lines]
        names = tuple(name for line in lines for name in line)
        single = len(editors) == 1 and len(editors[0]) == 1
        content = None if single else QWidget(self)
        self._rows.append(_Row(column, column.rowCount(), names, content))
        row = content or editors[0][0]
        if first.wide:
            column.addRow(row)
        else:
            caption = QLabel(first.caption, self)
            caption.setBuddy(self.editors[names[0]].widget)
            caption.setToolTip(first.help)
            caption.setProperty("role", self._caption_role)
            caption.setMinimumWidth(theme.scaled(self._caption_width))
            column.addRow(caption, row)
        if content is None:
            return
        unlimited = [self.editors[name].widget for name in names if not self.fields[name].width]
        stretched = {widget for widget in unlimited if not isinstance(widget, QLabel)}
        lines_of_parts = []
        for parts in editors:
            stretches = [(part, 1 if part in stretched else 0) for part in parts]
            space = () if stretched.intersection(parts) else (1,)
            lines_of_parts.append(line_of(*stretches, *space))
        content.setLayout(column_of(*lines_of_parts, spacing=6))

    def _parts(self, name: str, line: Sequence[str]) -> list[QWidget]:
        """Return the widgets of a field in its line; a common unit of several numbers follows the last."""
        declared = self.fields[name]
        value = getattr(self._values, name)
        editor = make_editor(declared, value, self, enter_accepts=self._enter_accepts)
        editor.widget.setObjectName(name)
        self.editors[name] = editor
        editor.set_value(value)
        parts = list(editor.widgets)
        if name != line[0] and declared.label and not declared.text:
            self._inline_labels[name] = QLabel(declared.label, self)
            self._inline_labels[name].setBuddy(editor.widget)
            self._inline_labels[name].setProperty("role", self._caption_role)
            parts.insert(0, self._inline_labels[name])
        following = self.fields[line[line.index(name) + 1]] if name != line[-1] else None
        unit_follows = following is not None and following.unit == declared.unit
        if self._has_units and isinstance(editor, NumberEditor) and not unit_follows:
            unit = QLabel(declared.unit, self)
            unit.setProperty("role", "unit")
            unit.setFixedWidth(max(theme.scaled(_UNIT_WIDTH), unit.sizeHint().width()))
            parts.append(unit)
        return parts

    def _add_note(self, name: str, note: Note) -> None:
        label = QLabel(self)
        label.setWordWrap(True)
        label.setProperty("role", note.role)
        self.notes[name] = label
        column = self._columns[-1]
        self._note_rows[name] = (column, column.rowCount())
        if note.wide:
            column.addRow(label)
        else:
            column.addRow("", label)
        self._show_note_row(name, False)

    def show_note(self, name: str, sentence: str, role: str = "") -> None:
        """Set the text of a note between the rows; "" hides it."""
        label = self.notes[name]
        label.setText(sentence)
        if role and label.property("role") != role:
            theme.set_role(label, role)
        self._show_note_row(name, bool(sentence))

    def _show_note_row(self, name: str, visible: bool) -> None:
        column, index = self._note_rows[name]
        column.setRowVisible(index, visible)

    # --- values -----------------------------------------------------------------------------------

    @property
    def values(self) -> T:
        """The present values; for invalid input, the last valid value."""
        changes = {name: editor.value for name, editor in self.editors.items()}
        return with_changes(self._values, changes)  # type: ignore[no-any-return]

    @property
    def problem(self) -> str:
        """The first message of `problems`, in the order of the rows; "" if there are no problems."""
        named = [self.problems[name] for name in self.editors if self.problems.get(name)]
        return next(iter(named), self.problems.get("", ""))

    def set_values(self, values: T) -> None:
        """Show other values."""
        self._values = values
        self.set(**{name: getattr(values, name) for name in self.editors})

    def set(self, **values: Any) -> None:
        """Show other values of some fields."""
        self._setting = True
        for name, value in values.items():
            self.editors[name].set_value(value)
        self._setting = False
        self.refresh()
        self.changed.emit()

    def commit(self) -> bool:
        """Commit pending input; return whether all visible fields are valid."""
        committed = [editor.commit() for name, editor in self.editors.items() if self.matters(name)]
        self.refresh()
        return all(committed) and not self.problem

    def widget_of(self, name: str) -> Any:
        """Return the widget of a value."""
        return self.editors[name].widget

    def widget(self, name: str, kind: type[W]) -> W:
        """Return the widget of a value, as an instance of `kind`."""
        widget = self.editors[name].widget
        assert isinstance(widget, kind)
        return widget

    def matters(self, name: str) -> bool:
        """Return whether a field is visible and enabled with the present values."""
        values = self.values
        conditions = (self.fields[name].visible_if, self.fields[name].enabled)
        return all(condition is None or condition(values) for condition in conditions)

    def _on_changed(self, name: str) -> None:
        if self._setting:
            return
        self.touched.add(name)
        self._setting = True
        self.follow(name)
        self._setting = False
        self.refresh()
        self.changed.emit()

    def follow(self, name: str) -> None:
        """Update dependent values in `editors` after an edit of the field `name`; for subclasses."""

    def refresh(self) -> None:
        """Update everything that depends on the values: choices, visible and enabled fields, messages."""
        self._offer_choices()
        values = self.values
        fields = self.fields.items()
        visible = {
            name for name, each in fields if each.visible_if is None or each.visible_if(values)
        }
        for row in self._rows:
            row.layout.setRowVisible(row.index, bool(visible.intersection(row.names)))
            if row.content is None or len(row.names) == 1:
                continue
            for name in row.names:
                for part in self._all_parts(name):
                    part.setVisible(name in visible)
            _activate(row.content)
            row.content.updateGeometry()
        for name, declared in fields:
            if declared.enabled is not None:
                for part in self._all_parts(name):
                    part.setEnabled(declared.enabled(values))
        self.problems = {
            name: editor.problem
            for name, editor in self.editors.items()
            if editor.problem and self.matters(name)
        }
        checked = self._check(values) if self._check is not None else ""
        for name, sentence in ({"": checked} if isinstance(checked, str) else checked).items():
            self.problems.setdefault(name, sentence)
        for name, editor in self.editors.items():
            editor.widget.setAccessibleDescription(self.problems.get(name, ""))
        self.message.show_text(self.problem or self._reported)

    def report(self, problem: str) -> None:
        """Show a message of the caller about the form; "" for none."""
        self._reported = problem
        self.message.show_text(self.problem or problem)

    def _all_parts(self, name: str) -> Iterator[QWidget]:
        yield from self.editors[name].widgets
        if name in self._inline_labels:
            yield self._inline_labels[name]

    def _offer_choices(self) -> None:
        for name, declared in self.fields.items():
            if callable(declared.choices):
                choices: Choices = declared.choices(self.values)
                self.editors[name].offer(choices)

    # --- reset ------------------------------------------------------------------------------------

    def set_first(self, **values: Any) -> None:
        """Set the values to which fields are reset."""
        self._first = with_changes(self._first, values)

    def reset(self, name: str) -> None:
        """Reset a field to its initial value."""
        self.set(**{name: getattr(self._first, name)})

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_keyboard = event.reason() is QContextMenuEvent.Reason.Keyboard
        name = self._name_of(self.focusWidget() if by_keyboard else self.childAt(event.pos()))
        if not name or not is_editable(self.editors[name].widget):
            return
        first = getattr(self._first, name)
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        text = value_text(self.fields[name], first, self.values)
        action = menu.addAction(f"&Reset to {text}")
        action.setEnabled(first != self.editors[name].value)
        action.triggered.connect(lambda _=False: self.reset(name))
        menu.popup(event.globalPos())

    def _name_of(self, widget: QWidget | None) -> str:
        """Return the field that a widget belongs to; "" for none."""
        while widget is not None and widget is not self:
            if isinstance(widget, QLabel) and widget.buddy() is not None:
                widget = widget.buddy()
            if widget.objectName() in self.editors:
                return widget.objectName()
            widget = widget.parentWidget()
        return ""

    # --- settings ---------------------------------------------------------------------------------

    def _load(self) -> None:
        for name, declared in self.fields.items():
            if declared.stored and self._settings is not None:
                stored = self._settings.value(f"{self._group}/{name}")
                if stored is not None:
                    self.editors[name].restore(stored)

    def save(self) -> None:
        """Store the values of the fields that are `stored`."""
        for name, declared in self.fields.items():
            if declared.stored and self._settings is not None:
                self._settings.setValue(f"{self._group}/{name}", self.editors[name].stored)


def _activate(content: QWidget) -> None:
    """Discard cached sizes of the lines of a row after widgets were hidden or shown."""
    layout = content.layout()
    assert layout is not None
    layout.activate()


def _has_unit(declared: FormField) -> bool:
    """Whether the unit is shown next to the editor."""
    return bool(declared.unit) and declared.decimals is None and not declared.plain


def _grouped(
    declared: Mapping[str, FormField | Note],
) -> Iterator[tuple[str, Note | None, list[list[str]]]]:
    """Yield notes, and rows as the names of the fields in each of their lines."""
    lines: list[list[str]] = []
    for name, each in declared.items():
        if isinstance(each, FormField) and each.place == "beside":
            lines[-1].append(name)
        elif isinstance(each, FormField) and each.place == "below":
            lines.append([name])
        else:
            if lines:
                yield lines[0][0], None, lines
            lines = [] if isinstance(each, Note) else [[name]]
            if isinstance(each, Note):
                yield name, each, []
    if lines:
        yield lines[0][0], None, lines
