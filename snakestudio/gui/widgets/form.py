"""Rows of a form, made from what is declared about scene values: number, text, choice, switch, list of numbers."""

from __future__ import annotations

import typing
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QLineEdit, QWidget

from snakestudio.errors import SceneError, SnakeStudioError
from snakestudio.gui import theme
from snakestudio.gui.document import Document
from snakestudio.gui.widgets.number_field import Message, NumberField
from snakestudio.gui.widgets.numbers import format_number
from snakestudio.gui.widgets.parameter_row import declared, explanation, number_kind, refusal
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.fields import field_doc
from snakestudio.model.ground_path import Waypoint
from snakestudio.model.quantity import NumberTextError, parse_numbers

__all__ = [
    "ChoiceBox",
    "ChoiceRow",
    "FormRow",
    "ListRow",
    "NumberRow",
    "OptionalListRow",
    "PointsRow",
    "TextRow",
    "ToggleRow",
    "make_row",
]

_SEVERAL = object()
"""Several things are edited at once and do not have the same value."""


class FormRow(QWidget):
    """Label, editor and unit of one scene value, or of the same value of several things.

    Parameters
    ----------
    document : Document
    keys : sequence of str
        Dotted scene keys.
    of : str
        Whose value it is, for the undo list: "cylinder 3".
    """

    def __init__(self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.keys = list(keys)
        self._document, self._of = document, of
        self.model, self.name = declared(document.scene, self.keys[0])
        self.doc = field_doc(self.model, self.name)
        self._gesture = 0
        self.message = Message()
        self._label = QLabel(self.doc.label)
        self._label.setProperty("role", "dim")
        self._label.setFixedWidth(theme.scaled(96))
        self._label.setWordWrap(True)
        self._unit = QLabel(self.doc.unit)
        self._unit.setProperty("role", "unit")
        self._unit.setFixedWidth(theme.scaled(44))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._grid.addWidget(self._label, 0, 0)
        self._grid.addWidget(self._unit, 0, 2)
        self._grid.addWidget(self.message, 1, 1, 1, 2)

    def _place(self, editor: QWidget, *, wide: bool = False) -> None:
        self._label.setBuddy(editor)
        editor.setAccessibleName(self.doc.label)
        self._grid.addWidget(editor, 0, 1, 1, 2 if wide else 1)
        self._unit.setHidden(wide)
        tip = explanation(self.doc, self.keys[0])
        for widget in (self._label, editor, self._unit):
            widget.setToolTip(tip)

    def value(self) -> Any:
        """The value in the scene, `_SEVERAL` if it is not one."""
        values = [get_value(self._document.scene, key) for key in self.keys]
        return values[0] if all(value == values[0] for value in values[1:]) else _SEVERAL

    def refresh(self) -> None:
        """Show what the scene says now."""
        try:
            value = self.value()
        except SceneError:
            return  # what is edited has just gone; the form goes with it
        self._show(value)

    @abstractmethod
    def _show(self, value: Any) -> None:
        """Show a value, or `_SEVERAL`."""

    def _apply(self, value: Any, gesture: int = 0) -> str:
        """Put a value into the scene; why it cannot be, if it cannot."""
        text = f"Change {self.doc.label.lower()}" + (f" of {self._of}" if self._of else "")
        try:
            self._document.edit(with_values(self._document.scene, dict.fromkeys(self.keys, value)), text, gesture)
        except SnakeStudioError as error:
            return refusal(error)
        return ""


class NumberRow(FormRow):
    """A number."""

    def __init__(self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None) -> None:
        super().__init__(document, keys, of, parent)
        integer, optional = number_kind(self.model, self.name) or (False, False)
        self.field = NumberField(self.doc, integer=integer, optional=optional)
        self.field.committed.connect(self._commit)
        self.field.problem_changed.connect(self.message.say)
        self._place(self.field)
        self.refresh()

    def _show(self, value: Any) -> None:
        several = value is _SEVERAL
        self.field.setPlaceholderText("several" if several else "none")
        self.field.set_value(None if several else value)

    def _commit(self, value: float | None, again: bool) -> None:
        if not again:
            self._gesture = self._document.new_gesture()
        problem = self._apply(value, self._gesture)
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
            self.field.setPlaceholderText("several" if value is _SEVERAL else self.placeholder)
            self.field.setText("" if value is _SEVERAL else self._text(value))
            self.field.setCursorPosition(0)

    def _text(self, value: Any) -> str:
        return str(value)

    def _value(self, text: str) -> Any:
        return text.strip()

    def _restore(self) -> None:
        self.message.say("")
        self.refresh()

    def _commit(self, text: str) -> None:
        try:
            self.message.say(self._apply(self._value(text)))
        except NumberTextError as error:
            self.message.say(str(error))
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


class ChoiceBox(QComboBox):
    """A box that leaves the wheel to the panel it stands in."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class ChoiceRow(FormRow):
    """One of several words."""

    def __init__(self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None) -> None:
        super().__init__(document, keys, of, parent)
        self.field = ChoiceBox()
        for word in typing.get_args(self.model.model_fields[self.name].annotation):
            self.field.addItem(str(word).replace("_", " "), word)
        self.field.activated.connect(self._commit)
        self._place(self.field, wide=True)
        self.refresh()

    def _show(self, value: Any) -> None:
        self.field.setCurrentIndex(-1 if value is _SEVERAL else self.field.findData(value))

    def _commit(self, index: int) -> None:
        self.message.say(self._apply(self.field.itemData(index)))
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
        self.field.setTristate(value is _SEVERAL)
        if value is _SEVERAL:
            self.field.setCheckState(Qt.CheckState.PartiallyChecked)
        else:
            self.field.setChecked(bool(value))

    def _commit(self) -> None:
        self.message.say(self._apply(self.field.checkState() != Qt.CheckState.Unchecked))
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
