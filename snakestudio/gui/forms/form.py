"""Rows of a form, made from what is declared about scene values: number, text, choice, switch, list of numbers."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QWidget,
)

from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.field_texts import declared, number_kind
from snakestudio.gui.forms.form_row import SEVERAL, FormRow
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.model.edits import get_value
from snakestudio.model.formula.quantity import NumberTextError, parse_numbers
from snakestudio.model.ground_path import Waypoint
from snakestudio.viewmodel.numbers import Change, format_number

__all__ = [
    "ChoiceRow",
    "ListRow",
    "NumberRow",
    "OptionalListRow",
    "PointsRow",
    "TextRow",
    "ToggleRow",
    "make_row",
]

_SHORTEST = 7
"""Characters that a choice shows at least."""


class NumberRow(FormRow):
    """A number."""

    def __init__(self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None) -> None:
        super().__init__(document, keys, of, parent)
        integer, optional = number_kind(self.model, self.name) or (False, False)
        self.field = NumberField(self.doc, integer=integer, optional=optional)
        self._integer = integer
        self.field.committed.connect(self._commit)
        self.field.change_asked.connect(self._change)
        self.field.problem_changed.connect(self._say)
        self._place(self.field)
        self.refresh()

    def _show(self, value: Any) -> None:
        self.field.set_mixed(value is SEVERAL)
        self.field.set_value(None if value is SEVERAL else value)

    def _commit(self, value: float | None, again: bool) -> None:
        if not again:
            self._gesture = self._document.new_gesture()
        problem = self._apply(value, self._gesture)
        if problem:
            self.field.refuse(problem)

    def _change(self, change: Change, again: bool) -> None:
        """Change each of several values by its own."""
        if not again:
            self._gesture = self._document.new_gesture()
        values: dict[str, Any] = {}
        for key in self.keys:
            old = get_value(self._document.scene, key)
            if old is None:
                continue
            value = change.of(old)
            problem = self.field.range_problem(round(value) if self._integer else value)
            if problem:
                self.field.refuse(problem)
                return
            values[key] = round(value) if self._integer else value
        problem = self._apply_values(values, self._gesture)
        if problem:
            self.field.refuse(problem)


class _Line(QLineEdit):
    """A line that commits on Enter and on leaving, and restores on Esc."""

    committed = Signal(str)
    restored = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.editingFinished.connect(self._finish)

    def _finish(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.committed.emit(self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setModified(False)
            self.restored.emit()
            event.accept()
        else:
            super().keyPressEvent(event)


class TextRow(FormRow):
    """A text."""

    placeholder = ""
    """What stands in the field while it is empty."""

    def __init__(self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None) -> None:
        super().__init__(document, keys, of, parent)
        self.field = _Line()
        self.field.committed.connect(self._commit)
        self.field.restored.connect(self._restore)
        self._place(self.field, wide=True)
        self.refresh()

    def _show(self, value: Any) -> None:
        if not self.field.isModified():
            self.field.setPlaceholderText("mixed" if value is SEVERAL else self.placeholder)
            self.field.setText("" if value is SEVERAL else self._text(value))
            self.field.setCursorPosition(0)

    def _text(self, value: Any) -> str:
        return str(value)

    def _value(self, text: str) -> Any:
        return text.strip()

    def _restore(self) -> None:
        self._say("")
        self.refresh()

    def _commit(self, text: str) -> None:
        try:
            self._say(self._apply(self._value(text)))
        except NumberTextError as error:
            self._say(str(error))
        self.refresh()


class ListRow(TextRow):
    """Several numbers in a line, apart by spaces."""

    def _text(self, value: Any) -> str:
        return " ".join(format_number(number) for number in value or ())

    def _value(self, text: str) -> Any:
        return parse_numbers(text)


class OptionalListRow(ListRow):
    """Several numbers in a line, or none at all, which leaves the value out."""

    placeholder = "all alike"

    def _value(self, text: str) -> Any:
        return parse_numbers(text) or None


class PointsRow(TextRow):
    """Points of the ground, x and y of each apart by a space, one from the next by a semicolon."""

    placeholder = "x y; x y"

    def _text(self, value: Any) -> str:
        return "; ".join(" ".join(format_number(number) for number in point) for point in value)

    def _value(self, text: str) -> Any:
        numbers = parse_numbers(text)
        if len(numbers) % 2:
            raise NumberTextError("A point has two numbers, x and y: give them like 0 0; 1.5 0; 3 2.")
        return tuple(zip(numbers[::2], numbers[1::2], strict=True))


class ChoiceRow(FormRow):
    """One of several words."""

    def __init__(self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None) -> None:
        super().__init__(document, keys, of, parent)
        self.field = ChoiceBox()
        self.field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.field.setMinimumContentsLength(_SHORTEST)  # its longest word must not make a panel wider than its dock
        for word in typing.get_args(self.model.model_fields[self.name].annotation):
            self.field.addItem(str(word).replace("_", " "), word)
        self.field.setPlaceholderText("mixed")
        self.field.activated.connect(self._commit)
        self._place(self.field, wide=True)
        self.refresh()

    def _show(self, value: Any) -> None:
        self.field.setCurrentIndex(-1 if value is SEVERAL else self.field.findData(value))

    def _commit(self, index: int) -> None:
        self._say(self._apply(self.field.itemData(index)))
        self.refresh()


class ToggleRow(FormRow):
    """Something that is on or off."""

    def __init__(self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None) -> None:
        super().__init__(document, keys, of, parent)
        self.field = QCheckBox()
        self.field.clicked.connect(self._commit)
        self._place(self.field, wide=True)
        self.refresh()

    def _show(self, value: Any) -> None:
        self.field.setTristate(value is SEVERAL)
        if value is SEVERAL:
            self.field.setCheckState(Qt.CheckState.PartiallyChecked)
        else:
            self.field.setChecked(bool(value))

    def _commit(self) -> None:
        self._say(self._apply(self.field.checkState() != Qt.CheckState.Unchecked))
        self.refresh()


def make_row(document: Document, keys: Sequence[str], of: str = "") -> FormRow | None:
    """The row that edits a value, by what is declared about it; None if it cannot be edited in a row."""
    model, name = declared(document.scene, keys[0])
    annotation = model.model_fields[name].annotation
    if number_kind(model, name) is not None:
        return NumberRow(document, keys, of)
    if typing.get_origin(annotation) is typing.Literal:
        return ChoiceRow(document, keys, of) if len(typing.get_args(annotation)) > 1 else None
    if annotation is bool:
        return ToggleRow(document, keys, of)
    if annotation is str:
        return TextRow(document, keys, of)
    if annotation == tuple[float, ...]:
        return ListRow(document, keys, of)
    if annotation == tuple[Waypoint, ...]:
        return PointsRow(document, keys, of)
    return None
