"""Single values of the profile in rows with label, unit and explanation, made from what is declared about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.model.formula.quantity import NumberTextError
from snakestudio.viewmodel.cells import Column, columns_of
from snakestudio.viewmodel.field_texts import explanation

__all__ = ["FieldRow", "PartForm"]


class FieldRow(QWidget):
    """The editor of one value, with its unit beside and what was refused below.

    Parameters
    ----------
    document : ProfileDocument
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
        self, document: ProfileDocument, key: Callable[[], str], column: Column,
        suggestions: Callable[[], Sequence[str]] | None = None, *, long: bool = False, parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._document, self._key, self.column = document, key, column
        self._suggestions = suggestions
        self._shown: object = _NOTHING
        self.message = Message()
        self.field: QWidget = self._make(long)
        self.field.setAccessibleName(column.doc.label)
        self.setToolTip(explanation(column.doc, column.name, theme.current().dim))
        unit = QLabel(column.doc.unit)
        unit.setProperty("role", "unit")
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        if column.doc.unit:
            row.addWidget(unit)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(2)
        box.addLayout(row)
        box.addWidget(self.message)
        document.changed.connect(self.refresh)
        document.locked_changed.connect(self._dress)
        self.refresh()
        self._dress()

    def _make(self, long: bool) -> QWidget:
        column = self.column
        if column.kind in ("integer", "number"):
            number = NumberField(column.doc, integer=column.kind == "integer", optional=column.optional)
            number.committed.connect(lambda value, again: self._commit_number(number, value))
            number.problem_changed.connect(self.message.say)
            return number
        if column.kind == "switch" and not column.optional:
            switch = QCheckBox()
            switch.clicked.connect(lambda on: self._put(bool(on)))
            return switch
        if column.kind in ("choice", "switch"):
            box = narrow(ChoiceBox())
            words = column.choices if column.kind == "choice" else (True, False)
            if column.optional:
                box.addItem("as in the DBC", None)
            for word in words:
                box.addItem(_spoken(word), word)
            box.activated.connect(lambda index: self._put(box.itemData(index)))
            return box
        if self._suggestions is not None:
            free = narrow(ChoiceBox())
            free.setEditable(True)
            free.setInsertPolicy(ChoiceBox.InsertPolicy.NoInsert)
            free.activated.connect(lambda index: self._put_text(free.itemText(index)))
            line = free.lineEdit()
            if line is not None:
                line.editingFinished.connect(lambda: self._put_text(free.currentText()))
            return free
        if long:
            text = _Text()
            text.setFixedHeight(theme.scaled(72))
            text.left = lambda: self._put_text(text.toPlainText())
            return text
        plain = QLineEdit()
        plain.editingFinished.connect(lambda: self._put_text(plain.text()))
        return plain

    def _dress(self) -> None:
        self.field.setEnabled(not self._document.locked)

    def value(self) -> Any:
        """The value in the profile."""
        key = self._key()
        return self._document.value(key) if key else None

    def refresh(self) -> None:
        """Show what the profile says now."""
        value, field = self.value(), self.field
        if value is self._shown and not isinstance(field, ChoiceBox):
            return
        self._shown = value
        if isinstance(field, NumberField):
            field.set_value(value)
        elif isinstance(field, QCheckBox):
            field.setChecked(bool(value))
        elif isinstance(field, ChoiceBox):
            if self._suggestions is not None:
                self._offer(field, self.column.text(value))
            else:
                field.setCurrentIndex(field.findData(value))
        elif isinstance(field, QPlainTextEdit):
            field.setPlainText(self.column.text(value))
        elif isinstance(field, QLineEdit):
            field.setText(self.column.text(value))
            field.setCursorPosition(0)

    def _offer(self, box: ChoiceBox, text: str) -> None:
        words = list(self._suggestions()) if self._suggestions is not None else []
        if [box.itemText(i) for i in range(box.count())] != words:
            box.clear()
            box.addItems(words)
        box.setCurrentIndex(box.findText(text))
        box.setEditText(text)

    # --- edits ----------------------------------------------------------------------------------------------------

    def _commit_number(self, field: NumberField, value: float | None) -> None:
        problem = self._apply(value)
        if problem:
            field.refuse(problem)

    def _put_text(self, text: str) -> None:
        if self._key() and text != self.column.text(self.value()):
            try:
                self._put(self.column.value(text))
            except NumberTextError as error:
                self.message.say(str(error))

    def _put(self, value: Any) -> None:
        self.message.say(self._apply(value))
        self._shown = _NOTHING
        self.refresh()

    def _apply(self, value: Any) -> str:
        try:
            self._document.set_values({self._key(): value}, f"Change {self.column.doc.label.lower()}")
        except ProfileError as error:
            return str(error).splitlines()[0]
        return ""


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
    document : ProfileDocument
    key : str
        Where the part stands; "" for the profile itself.
    model : type of part
    names : sequence of str, optional
        Which of its values; all if left out.
    columns : int
        How many columns of rows.
    """

    def __init__(
        self, document: ProfileDocument, key: str, model: type[BaseModel], names: Sequence[str] | None = None,
        columns: int = 2, parent: QWidget | None = None,
    ) -> None:  # fmt: skip
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
                row = FieldRow(document, partial(str, full), column, long=column.name == "description")
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
