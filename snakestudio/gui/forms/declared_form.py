"""A form made from declared fields: rows, conditions, messages, reset to defaults, and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.editors import NumberEditor, make_editor
from snakestudio.gui.forms.field_editors import FieldBinding, FieldEditors
from snakestudio.gui.forms.form_fields import FormField, Note, fields_of
from snakestudio.gui.forms.lines import Part, column_of, line_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.row_layouts import DialogLayout
from snakestudio.gui.forms.value_row import ValueRow

T = TypeVar("T")
W = TypeVar("W", bound=QWidget)

_COLUMN_SPACING = 24
"""Space between columns of rows, px of the design."""

Check = Callable[[Any], Mapping[str, str] | str]
"""Checks the values: a message, or messages by the names of the fields concerned."""


@dataclass(frozen=True)
class _Lines:
    """Rows with a common caption, in one or several lines."""

    layout: QFormLayout
    index: int
    names: tuple[str, ...]
    content: QWidget | None
    """Contains the rows, if there are several."""


class DeclaredForm(QWidget, Generic[T]):
    """Rows for the values of a frozen dataclass, or of a part that is checked by pydantic.

    Each editor has the name of its value as ``objectName``. The tab order is that of the declarations.

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
        self._check = check
        self._settings = settings
        self._group = group
        self._caption_role = caption_role
        self._caption_width = caption_width
        declared = fields_of(values) if fields is None else fields
        self.fields = {name: each for name, each in declared.items() if isinstance(each, FormField)}
        self.editors: dict[str, Editor] = {}
        for name, each in self.fields.items():
            first = getattr(values, name)
            editor = make_editor(each, first, self, enter_accepts=enter_accepts)
            editor.widget.setObjectName(name)
            self.editors[name] = editor
        self._field_editors = FieldEditors(values, self.editors, self)
        self.rows: dict[str, ValueRow] = {}
        self.notes: dict[str, QLabel] = {}
        self.touched: set[str] = set()
        """Names of the values that the user has edited."""
        self.problems: dict[str, str] = {}
        """Messages by the names of the fields; "" is the key of messages about the whole form."""
        self.message = Message()
        self._reported = ""
        self._inline_labels: dict[str, list[QLabel]] = {}
        """Captions and units between the fields of a line, by the names of the fields."""
        self._lines: list[_Lines] = []
        self._has_units = any(_has_unit(each) for each in self.fields.values())
        self._spacing = spacing
        self._columns = [self._make_column()]
        self._note_rows: dict[str, tuple[QFormLayout, int]] = {}
        for name, note, lines in _grouped(declared):
            if note is not None:
                self._add_note(name, note)
            else:
                self._add_lines(lines)
        columns = [(column, 1) for column in self._columns]
        rows = line_of(*columns, spacing=theme.scaled(_COLUMN_SPACING))
        self.setLayout(column_of(rows, self.message, spacing=spacing[1] + 2))
        self._load()
        self.refresh()
        self._field_editors.changed.connect(self._on_changed)

    # --- rows -------------------------------------------------------------------------------------

    def _make_column(self) -> QFormLayout:
        column = QFormLayout()
        column.setHorizontalSpacing(self._spacing[0])
        column.setVerticalSpacing(self._spacing[1])
        return column

    def _add_lines(self, lines: Sequence[Sequence[str]]) -> None:
        """Add the rows of some fields, whose first one has its caption in the column of captions."""
        first = self.fields[lines[0][0]]
        if first.place == "column":
            self._columns.append(self._make_column())
        column = self._columns[-1]
        names = tuple(name for line in lines for name in line)
        content = QWidget(self) if len(names) > 1 else None
        for line in lines:
            for name in line:
                binding = FieldBinding(self._field_editors, name)
                layout = DialogLayout(has_unit=len(line) == 1 and self._shows_unit(name))
                self.rows[name] = ValueRow(
                    self.editors[name], binding, layout=layout, parent=content or self
                )
        self._lines.append(_Lines(column, column.rowCount(), names, content))
        field = content or self.rows[names[0]]
        if first.wide:
            column.addRow(field)
        else:
            caption = self.rows[names[0]].make_caption(
                first.caption, self._caption_width, self._caption_role, parent=self
            )
            column.addRow(caption, field)
        if content is not None:
            layouts = [self._line_of(line, content) for line in lines]
            content.setLayout(column_of(*layouts, spacing=6))

    def _shows_unit(self, name: str) -> bool:
        return self._has_units and isinstance(self.editors[name], NumberEditor)

    def _unit_follows(self, name: str, names: Sequence[str]) -> bool:
        """Return whether the next field of a line has the same unit, which is shown once, after the last."""
        following = names[names.index(name) + 1 :][:1]
        return any(self.fields[each].unit == self.fields[name].unit for each in following)

    def _line_of(self, names: Sequence[str], content: QWidget) -> QHBoxLayout:
        """Return the rows of a line, with captions and units between them, so that editors are equally wide."""
        parts: list[Part] = []
        has_stretch = False
        for name in names:
            declared = self.fields[name]
            row = self.rows[name]
            if name != names[0] and declared.label and not declared.text:
                caption = row.make_caption(declared.label, role=self._caption_role, parent=content)
                self._inline_labels[name] = [caption]
                parts.append(caption)
            is_stretched = not declared.width and not isinstance(row.field, QLabel)
            has_stretch = has_stretch or is_stretched
            parts.append((row, 1 if is_stretched else 0))
            if len(names) > 1 and self._shows_unit(name) and not self._unit_follows(name, names):
                self._inline_labels.setdefault(name, []).append(row.make_unit(content))
                parts.append(self._inline_labels[name][-1])
        return line_of(*parts, *(() if has_stretch else (1,)))

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
        return self._field_editors.values

    @property
    def problem(self) -> str:
        """The first message of `problems`, in the order of the rows; "" if there are no problems."""
        named = [self.problems[name] for name in self.editors if self.problems.get(name)]
        return next(iter(named), self.problems.get("", ""))

    def set_values(self, values: T) -> None:
        """Show other values."""
        self._field_editors.set_values(values)
        self.refresh()
        self.changed.emit()

    def set(self, **values: Any) -> None:
        """Show other values of some fields."""
        self._field_editors.set(**values)
        self.refresh()
        self.changed.emit()

    def commit(self) -> bool:
        """Commit pending input; return whether all visible fields are valid."""
        is_valid = self._field_editors.commit()
        self.refresh()
        return is_valid and not self.problem

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
        return self._field_editors.matters(name)

    def _on_changed(self, name: str) -> None:
        self.touched.add(name)
        with self._field_editors.quiet():
            self.follow(name)
        self.refresh()
        self.changed.emit()

    def follow(self, name: str) -> None:
        """Update dependent values in `editors` after an edit of the field `name`; for subclasses."""

    def refresh(self) -> None:
        """Update everything that depends on the values: choices, visible and enabled fields, messages."""
        self._field_editors.offer_choices()
        values = self.values
        visible = {name for name in self.fields if self._field_editors.is_visible(name, values)}
        for lines in self._lines:
            lines.layout.setRowVisible(lines.index, bool(visible.intersection(lines.names)))
            if lines.content is None:
                continue
            for name in lines.names:
                for part in self._parts(name):
                    part.setVisible(name in visible)
            _activate(lines.content)
            lines.content.updateGeometry()
        for name, declared in self.fields.items():
            if declared.enabled is not None:
                for part in self._parts(name):
                    part.setEnabled(declared.enabled(values))
        self.problems = self._field_editors.problems()
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

    def _parts(self, name: str) -> Iterator[QWidget]:
        """Yield the row of a field, and its caption and unit in a line with others."""
        yield self.rows[name]
        yield from self._inline_labels.get(name, ())

    # --- reset ------------------------------------------------------------------------------------

    def set_first(self, **values: Any) -> None:
        """Set the values to which fields are reset."""
        self._field_editors.set_first(**values)
        for name, value in values.items():
            self.rows[name].set_default(value)

    def reset(self, name: str) -> None:
        """Reset a field to its initial value."""
        self._field_editors.reset(name)

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
    """Return whether the unit is shown next to the editor."""
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
