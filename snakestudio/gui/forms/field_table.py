"""A table of editors: a row for each value of a dataclass, below headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.editors import make_editor
from snakestudio.gui.forms.field_editors import FieldEditors
from snakestudio.gui.forms.form_fields import FormField

T = TypeVar("T")

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TableColumn(NamedTuple):
    """Layout of a column of a table."""

    heading: str = ""
    stretch: int = 0
    """Share of the spare width."""
    width: int = 0
    """Least width, px of the design."""
    is_right: bool = False
    """Whether its texts are right-aligned."""


class TableLine(FieldEditors[T]):
    """One line of a `FieldTable`: the editors of one value."""

    def __init__(self, values: T, fields: Mapping[str, FormField], parent: QWidget) -> None:
        editors: dict[str, Editor] = {
            name: make_editor(declared, getattr(values, name), parent, enter_accepts=False)
            for name, declared in fields.items()
        }
        super().__init__(values, editors, parent)
        for name, declared in fields.items():
            widget = self.editors[name].widget
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # the table has one
            if declared.visible_if is not None:  # the columns keep their widths
                policy = widget.sizePolicy()
                policy.setRetainSizeWhenHidden(True)
                widget.setSizePolicy(policy)

    def widget_of(self, name: str) -> Any:
        """Return the widget of a field."""
        return self.editors[name].widget

    @property
    def problem(self) -> str:
        """Message about the first invalid field; "" if all are valid."""
        return next(iter(self.problems().values()), "")

    def refresh(self) -> None:
        values = self.values
        for name, declared in self.fields.items():
            widget = self.editors[name].widget
            if declared.visible_if is not None:
                widget.setVisible(declared.visible_if(values))
            if declared.enabled is not None:
                widget.setEnabled(declared.enabled(values))
            widget.setAccessibleDescription(self.editors[name].problem)


class FieldTable(QWidget, Generic[T]):
    """Rows of editors below headings. The tab order is row by row.

    Editors are in the cells of one grid, whose columns have one label and one unit for all rows. That is
    why each value has an editor, and not a `ValueRow` with a separate label, unit and message.

    Parameters
    ----------
    columns : mapping of str to TableColumn
        The columns from left to right, by the names of their fields.
    remove : str
        Tooltip of the button that removes a row; "" for no button.
    spacing : (int, int)
        Space between columns, and between rows, px.

    Signals
    -------
    changed()
        The user changed a value or removed a row.
    """

    changed = Signal()

    def __init__(
        self,
        columns: Mapping[str, TableColumn],
        *,
        remove: str = "",
        spacing: tuple[int, int] = (8, 6),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._columns = columns
        self._remove = remove
        self._remove_buttons: dict[TableLine[T], QToolButton] = {}
        self.rows: list[TableLine[T]] = []
        # Tab order can follow only what can have the focus; Tab skips what is hidden.
        self._tab_anchor = QWidget(self)
        self._tab_anchor.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tab_anchor.hide()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(spacing[0])
        self._grid.setVerticalSpacing(spacing[1])
        for index, column in enumerate(columns.values()):
            self._grid.setColumnStretch(index, column.stretch)
            self._grid.setColumnMinimumWidth(index, theme.scaled(column.width))
        if any(column.heading for column in columns.values()):
            for index, column in enumerate(columns.values()):
                heading = QLabel(column.heading, self)
                heading.setProperty("role", "dim")
                if column.is_right:
                    heading.setAlignment(_RIGHT)
                self._grid.addWidget(heading, 0, index)

    @property
    def problem(self) -> str:
        """Message about the first invalid row; "" if all are valid."""
        return next((row.problem for row in self.rows if row.problem), "")

    def commit(self) -> bool:
        """Commit pending input; return whether all of it is valid."""
        committed = [row.commit() for row in self.rows]
        return all(committed)

    def show_rows(self, values: Sequence[T], fields: Sequence[Mapping[str, FormField]]) -> None:
        """Show these rows, with the fields of each; existing rows are reused and keep pending input."""
        if len(values) != len(self.rows):
            for row in self.rows[:]:
                self.remove_row(row)
            for each, declared in zip(values, fields, strict=True):
                self.add_row(each, declared)
            return
        for row, each in zip(self.rows, values, strict=True):
            row.set_values(each)

    def add_row(self, values: T, fields: Mapping[str, FormField]) -> TableLine[T]:
        """Add a row below all others.

        Parameters
        ----------
        fields : mapping of str to FormField
            Fields of this row; a column without a field stays empty.
        """
        row = TableLine(values, fields, self)
        line = self._grid.rowCount()
        before = self._last_in_tab_order()
        self.rows.append(row)
        for index, (name, column) in enumerate(self._columns.items()):
            if name in row.editors:
                widget = row.editors[name].widget
                if isinstance(widget, QLabel) and column.is_right:
                    widget.setAlignment(_RIGHT)
                self._grid.addWidget(widget, line, index)
        if self._remove:
            self._grid.addWidget(self._make_remove_button(row), line, len(self._columns))
        for widget in self._in_tab_order(row):
            QWidget.setTabOrder(before, widget)
            before = widget
        row.changed.connect(self.changed)
        return row

    def remove_row(self, row: TableLine[T]) -> None:
        """Remove a row."""
        self.rows.remove(row)
        for widget in self._widgets(row):
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._remove_buttons.pop(row, None)
        row.deleteLater()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_keyboard = event.reason() is QContextMenuEvent.Reason.Keyboard
        at = self.focusWidget() if by_keyboard else self.childAt(event.pos())
        for row in self.rows:
            for name, editor in row.editors.items():
                widget = editor.widget
                inside = at is not None and (widget is at or widget.isAncestorOf(at))
                if inside:
                    row.open_menu(name, self, event)
                    return

    def _make_remove_button(self, row: TableLine[T]) -> QToolButton:
        button = QToolButton(self)
        theme.set_icon(button, "close", "dim")
        button.setProperty("role", "flat")
        button.setToolTip(self._remove)
        button.setAccessibleName(self._remove)
        button.clicked.connect(lambda: self._on_removed(row))
        self._remove_buttons[row] = button
        return button

    def _on_removed(self, row: TableLine[T]) -> None:
        self.remove_row(row)
        self.changed.emit()

    def _widgets(self, row: TableLine[T]) -> list[QWidget]:
        """Return the widgets of a row from left to right."""
        widgets = [row.editors[name].widget for name in self._columns if name in row.editors]
        button = self._remove_buttons.get(row)
        return widgets if button is None else [*widgets, button]

    def _in_tab_order(self, row: TableLine[T]) -> list[QWidget]:
        return [each for each in self._widgets(row) if each.focusPolicy() & Qt.FocusPolicy.TabFocus]

    def _last_in_tab_order(self) -> QWidget:
        """Return the last widget of all rows in tab order, after which the next row is inserted."""
        rows = reversed(self.rows)
        last = next((widgets[-1] for row in rows if (widgets := self._in_tab_order(row))), None)
        return self._tab_anchor if last is None else last
