"""Editors of declared fields: each shows a value, and provides the input and a message about it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.boxes import ChoiceBox, DoubleSpinBox, SpinBox
from snakestudio.gui.forms.form_fields import Choice, Choices, FormField
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.text import exact_text
from snakestudio.viewmodel.numbers import parse_change

_LONGEST = 40
"""Largest number of characters of a value in a menu."""
_VALUE_TEXTS = {True: "on", False: "off", None: "none", "": "empty"}


class Editor(QObject):
    """The widgets of one value.

    Signals
    -------
    changed()
        The user changed the value.
    """

    changed = Signal()

    widget: QWidget
    """The widget that gets the keyboard focus."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = field
        self.browse_button: QPushButton | None = None

    @property
    def widgets(self) -> Sequence[QWidget]:
        """Return all widgets, from left to right."""
        return (self.widget,) if self.browse_button is None else (self.widget, self.browse_button)

    def add_browse_button(self) -> None:
        """Add the button of the file dialog."""
        self.browse_button = QPushButton(self.field.browse_text, self.widget.parentWidget())
        self.browse_button.setAutoDefault(False)
        self.browse_button.clicked.connect(self._browse)

    def _browse(self) -> None:
        assert self.field.browse is not None
        value = self.field.browse(self.value)
        if value is not None:
            self.set_value(value)

    @property
    def problem(self) -> str:
        """Message about invalid input; "" if it is valid."""
        return ""

    @property
    @abstractmethod
    def value(self) -> Any:
        """The present value; for invalid input, the last valid one."""

    @abstractmethod
    def set_value(self, value: Any) -> None:
        """Show another value."""

    @property
    def stored(self) -> Any:
        """The value in the form in which it is stored in the settings."""
        return self.value

    def restore(self, stored: Any) -> None:
        """Show a value from the settings; an invalid one is ignored."""
        value = self.value
        try:
            self.set_value(_bool(stored) if isinstance(value, bool) else type(value)(stored))
        except (TypeError, ValueError):
            return

    def offer(self, choices: Choices) -> None:
        """Offer other choices."""

    def commit(self) -> bool:
        """Commit input as if the focus left the field; return whether it is valid."""
        return not self.problem


def _bool(stored: Any) -> bool:
    return str(stored).lower() == "true"


class TextEditor(Editor):
    """A line of text."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: QLineEdit = QLineEdit(parent)
        self.widget.setMaxLength(field.max_length)
        self.widget.setPlaceholderText(field.placeholder)
        if field.live:
            self.widget.textChanged.connect(self.changed)
        else:
            self.widget.editingFinished.connect(self.changed)

    @property
    def value(self) -> str:
        return self.widget.text().strip()

    def set_value(self, value: Any) -> None:
        if value != self.value:
            self.widget.setText(value)


class NumberEditor(Editor):
    """A typed number."""

    def __init__(self, field: FormField, parent: QWidget, *, enter_accepts: bool = True) -> None:
        super().__init__(field, parent)
        self.widget: NumberField = NumberField(
            field.doc,
            integer=field.integer,
            optional=field.optional,
            parent=parent,
            in_form=field.live,
            enter_accepts=enter_accepts and field.live,
        )
        if field.plain:
            self.widget.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            self.widget.setFont(QApplication.font(self.widget))
        if field.placeholder:
            self.widget.set_absent_text(field.placeholder)
        self._value: Any = None
        self._problem = ""
        self._setting = False
        if field.live:
            self.widget.textChanged.connect(self._read)
        else:
            self.widget.committed.connect(lambda value, again: self._publish(value, ""))
            self.widget.problem_changed.connect(lambda problem: self._publish(self._value, problem))

    @property
    def problem(self) -> str:
        return self._problem and (self.field.refusal or self._problem)

    @property
    def value(self) -> Any:
        return self.field.empty if self._value is None else self._value

    def set_value(self, value: Any) -> None:
        value = None if self.field.optional and value == self.field.empty else value
        self._setting = True
        self.widget.set_value(value)
        self._setting = False
        if not self.widget.isModified():  # pending input is kept
            self._value = value
            self._problem = self.widget.problem

    def commit(self) -> bool:
        return self.widget.commit() and not self._problem

    def _publish(self, value: Any, problem: str) -> None:
        if (value, problem) != (self._value, self._problem):
            self._value = value
            self._problem = problem
            self.changed.emit()

    def _read(self, text: str) -> None:
        if self._setting:
            return
        value = self._value
        problem = ""
        try:
            value = self._parse(text.strip())
            problem = "" if value is None else self.widget.range_problem(value)
        except NumberTextError as error:
            problem = str(error)
        if problem:
            value = self._value
        elif value is not None and self.field.integer:
            value = round(value)
        self._publish(value, problem)

    def _parse(self, text: str) -> float | None:
        committed = self.widget.value
        if not text and self.field.optional:
            return None
        if committed is not None and text == exact_text(committed, self.widget.step):
            return committed  # with all digits, some of which are not shown
        change = parse_change(text, self.field.unit)
        if change is not None and committed is not None:
            return change.of(committed)
        return parse_number(text, self.field.unit)


class SpinEditor(Editor):
    """A number in a box with arrows."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        low = field.minimum or 0.0
        high = field.maximum if field.maximum is not None else 1e9
        self.widget: SpinBox | DoubleSpinBox
        if field.integer:
            self.widget = SpinBox(parent)
            self.widget.setRange(round(low), round(high))
            self.widget.setSingleStep(round(field.step))
        else:
            self.widget = DoubleSpinBox(parent)
            self.widget.setRange(low, high)
            self.widget.setDecimals(field.decimals or 0)
            self.widget.setSingleStep(field.step)
            self.widget.setKeyboardTracking(False)
        if field.unit:
            self.widget.setSuffix(f" {field.unit}")
        if not field.arrows:
            self.widget.setButtonSymbols(DoubleSpinBox.ButtonSymbols.NoButtons)
        self.widget.valueChanged.connect(self.changed)

    @property
    def value(self) -> float:
        return self.widget.value()

    def set_value(self, value: Any) -> None:
        self.widget.setValue(value)


class SwitchEditor(Editor):
    """A value that is on or off."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: QCheckBox = QCheckBox(field.text, parent)
        self.widget.toggled.connect(self.changed)

    @property
    def value(self) -> bool:
        return self.widget.isChecked()

    def set_value(self, value: Any) -> None:
        self.widget.setChecked(bool(value))


class ChoiceEditor(Editor):
    """One of several values."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: ChoiceBox = ChoiceBox(parent)
        self._choices: tuple[Choice, ...] = ()
        self.widget.currentIndexChanged.connect(self.changed)

    def offer(self, choices: Choices) -> None:
        if tuple(choices) == self._choices:
            return
        value = self.value
        with QSignalBlocker(self.widget):
            self.widget.clear()
            self._choices = tuple(choices)
            for place, choice in enumerate(self._choices):
                self.widget.addItem(choice.text, choice.value)
                if choice.icon:
                    self.widget.setItemIcon(place, theme.icon(choice.icon))
                if choice.tip:
                    self.widget.setItemData(place, choice.tip, Qt.ItemDataRole.ToolTipRole)
            self.set_value(value)
            if self.widget.currentIndex() < 0 and self._choices:
                self.widget.setCurrentIndex(0)
        self.widget.refresh_tip()

    @property
    def value(self) -> Any:
        # The box would return a tuple as a list.
        index = self.widget.currentIndex()
        return self._choices[index].value if 0 <= index < len(self._choices) else None

    def set_value(self, value: Any) -> None:
        values = [choice.value for choice in self._choices]
        if value in values:
            self.widget.setCurrentIndex(values.index(value))

    @property
    def stored(self) -> str:
        return self.widget.currentText()

    def restore(self, stored: Any) -> None:
        texts = [choice.text for choice in self._choices]
        if stored in texts:
            self.widget.setCurrentIndex(texts.index(stored))


class SuggestionEditor(Editor):
    """A text with suggestions."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: QComboBox = QComboBox(parent)
        self.widget.setEditable(True)
        if field.choices is not None and not callable(field.choices):
            self.widget.addItems([choice.text for choice in field.choices])
        self.widget.editTextChanged.connect(self.changed)

    @property
    def value(self) -> str:
        return self.widget.currentText().strip()

    def set_value(self, value: Any) -> None:
        if value != self.value:
            self.widget.setEditText(value)


class ShownText(Editor):
    """A read-only text."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: QLabel = QLabel(parent)
        self.widget.setTextFormat(Qt.TextFormat.PlainText)

    @property
    def value(self) -> str:
        return self.widget.text()

    def set_value(self, value: Any) -> None:
        self.widget.setText(value)


def make_editor(
    field: FormField, value: Any, parent: QWidget, *, enter_accepts: bool = True
) -> Editor:
    """Return the editor for a field, by its declaration and its initial value."""
    editor: Editor
    if field.editor is not None:
        editor = field.editor(field, parent)
    elif field.choices is not None:
        editor = ChoiceEditor(field, parent)
    elif isinstance(value, bool):
        editor = SwitchEditor(field, parent)
    elif isinstance(value, int | float) and field.decimals is not None:
        editor = SpinEditor(field, parent)
    elif isinstance(value, int | float) or field.optional:
        editor = NumberEditor(field, parent, enter_accepts=enter_accepts)
    else:
        editor = TextEditor(field, parent)
    if field.browse is not None:
        editor.add_browse_button()
    if field.width:
        editor.widget.setMinimumWidth(theme.scaled(field.least_width or field.width))
        editor.widget.setMaximumWidth(theme.scaled(field.width))
    if not isinstance(editor, SwitchEditor) or not field.text:
        editor.widget.setAccessibleName(field.title)
    if field.help:
        editor.widget.setToolTip(field.help)
    return editor


def value_text(field: FormField, value: Any, values: Any) -> str:
    """Return the text of a value in a menu; `values` are those of the form, on which choices may depend."""
    offered = field.choices(values) if callable(field.choices) else field.choices
    text = next((choice.text for choice in offered or () if choice.value == value), None)
    if text is not None:
        return text
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{exact_text(value)} {field.unit}".strip()
    text = _VALUE_TEXTS[value] if value in _VALUE_TEXTS else str(value)
    return text if len(text) <= _LONGEST else f"… {text[-_LONGEST:]}"


def is_editable(widget: QWidget) -> bool:
    """Return whether the value of an editor's widget can be changed."""
    if isinstance(widget, QLabel) or not widget.isEnabled():
        return False
    return not (isinstance(widget, QLineEdit) and widget.isReadOnly())
