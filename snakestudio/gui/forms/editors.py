"""Editors of declared fields: each shows a value, and provides the input and a message about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QToolButton,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.binding import SEVERAL
from snakestudio.gui.forms.boxes import ChoiceBox, DoubleSpinBox, SpinBox, make_editable, narrow
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.form_fields import Choice, Choices, FormField
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.gui.forms.text_field import TextField
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.text import exact_text
from snakestudio.viewmodel.numbers import Change, parse_change


class TextEditor(Editor):
    """A line of text."""

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
        super().__init__(field, parent)
        self._value: Any = field.value_of("") if field.live else None
        self._problem = ""
        self._is_mixed = False
        self.clear_button: QToolButton | None = None
        self.widget: QLineEdit
        if field.live:
            self.widget = QLineEdit(parent)
            self.widget.textChanged.connect(self._read)
        else:
            text_field = self.widget = TextField(parent)
            text_field.committed.connect(self._read)
            text_field.restored.connect(self.discard_input)
        self.widget.setMaxLength(field.max_length)
        self.widget.setPlaceholderText(field.placeholder)
        if field.clear_tip:
            button = self.clear_button = QToolButton(parent)
            theme.set_icon(button, "delete")
            button.setToolTip(field.clear_tip)
            button.setAccessibleName(field.clear_tip)
            button.hide()
            button.clicked.connect(lambda: self.enter(field.value_of("")))

    @property
    def widgets(self) -> Sequence[QWidget]:
        return (*super().widgets, *(() if self.clear_button is None else (self.clear_button,)))

    @property
    def problem(self) -> str:
        return self._problem

    @property
    def value(self) -> Any:
        return self._value

    def set_value(self, value: Any) -> None:
        if self.field.live:
            if value != self._value:
                self.widget.setText(self.field.text_of(value))
            return
        self._value = value
        if self.clear_button is not None:
            self.clear_button.setVisible(bool(value))
        if not self.widget.isModified():
            mixed = value is SEVERAL
            if mixed != self._is_mixed:
                self._is_mixed = mixed
                self.widget.setPlaceholderText("mixed" if mixed else self.field.placeholder)
            self.widget.setText("" if mixed else self.field.text_of(value))
            self.widget.setCursorPosition(0)

    def enter(self, value: Any) -> None:
        self.set_value(value)
        if not self.field.live:
            self._publish(value, "")

    def discard_input(self) -> None:
        self.widget.setModified(False)
        self.set_value(self._value)
        if self._problem:
            self._problem = ""
        self.problem_changed.emit()

    def _read(self) -> None:
        try:
            self._publish(self.field.value_of(self.widget.text()), "")
        except NumberTextError as error:
            self._publish(self._value, str(error))

    def _publish(self, value: Any, problem: str) -> None:
        self._value = value
        self._problem = problem
        self.changed.emit()


class LongTextEditor(Editor):
    """A text of several lines, applied when the focus leaves it."""

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
        super().__init__(field, parent)
        self.widget: _LongText = _LongText(parent)
        self.widget.setFixedHeight(theme.scaled(72))
        self.widget.left.connect(self._on_left)

    @property
    def value(self) -> str:
        return self.widget.toPlainText()

    def set_value(self, value: Any) -> None:
        if value != self.value:
            self.widget.setPlainText(value)
            self.widget.document().setModified(False)

    def _on_left(self) -> None:
        if self.widget.document().isModified():
            self.widget.document().setModified(False)
            self.changed.emit()


class _LongText(QPlainTextEdit):
    """Text of several lines that signals when the focus leaves it."""

    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


class NumberEditor(Editor):
    """A typed number."""

    def __init__(
        self, field: FormField, parent: QWidget | None, *, enter_accepts: bool = True
    ) -> None:
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
            self.widget.committed.connect(self._on_committed)
            self.widget.change_requested.connect(self._on_change_requested)
            self.widget.problem_changed.connect(self._on_problem)

    @property
    def problem(self) -> str:
        return self._problem and (self.field.refusal or self._problem)

    @property
    def value(self) -> Any:
        return self.field.empty if self._value is None else self._value

    def set_value(self, value: Any) -> None:
        if (value is SEVERAL) != self.widget.mixed:
            self.widget.set_mixed(value is SEVERAL)
        if value is SEVERAL or (self.field.optional and value == self.field.empty):
            value = None
        self._setting = True
        self.widget.set_value(value)
        self._setting = False
        if not self.widget.isModified():  # pending input is kept
            self._value = value
            self._problem = self.widget.problem

    def commit(self) -> bool:
        return self.widget.commit() and not self._problem

    def refuse(self, sentence: str) -> None:
        self._value = self.widget.value
        self.widget.refuse(sentence)

    def discard_input(self) -> None:
        self.widget.restore()

    def after(self, change: Change, value: float) -> float:
        changed = change.of(value)
        return round(changed) if self.field.integer else changed

    def range_problem(self, value: float) -> str:
        return self.widget.range_problem(value)

    def _on_committed(self, value: float | None, again: bool) -> None:
        self._value = value
        self.again = again
        self.changed.emit()

    def _on_change_requested(self, change: Change, again: bool) -> None:
        self.again = again
        self.change_requested.emit(change)

    def _on_problem(self, problem: str) -> None:
        self._problem = problem
        self.problem_changed.emit()

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

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
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

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
        super().__init__(field, parent)
        self.widget: QCheckBox = QCheckBox(field.text, parent)
        self.widget.checkStateChanged.connect(lambda _: self.changed.emit())

    @property
    def value(self) -> bool:
        return self.widget.isChecked()

    def set_value(self, value: Any) -> None:
        self.widget.setTristate(value is SEVERAL)
        if value is SEVERAL:
            self.widget.setCheckState(Qt.CheckState.PartiallyChecked)
        else:
            self.widget.setChecked(bool(value))


class ChoiceEditor(Editor):
    """One of several values."""

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
        super().__init__(field, parent)
        self.widget: ChoiceBox = ChoiceBox(parent)
        if field.characters:
            narrow(self.widget, field.characters)
        self._choices: tuple[Choice, ...] = ()
        self.widget.currentIndexChanged.connect(self.changed)

    def offer(self, choices: Choices) -> None:
        if tuple(choices) == self._choices:
            return
        value = self.value
        with QSignalBlocker(self.widget):
            self.widget.clear()
            self._choices = tuple(choices)
            for index, choice in enumerate(self._choices):
                self.widget.addItem(choice.text, choice.value)
                if choice.icon:
                    self.widget.setItemIcon(index, theme.icon(choice.icon))
                if choice.tip:
                    self.widget.setItemData(index, choice.tip, Qt.ItemDataRole.ToolTipRole)
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
        if value is SEVERAL:
            self.widget.setPlaceholderText("mixed")
            self.widget.setCurrentIndex(-1)
        elif value in values:
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

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
        super().__init__(field, parent)
        self.widget: ChoiceBox = ChoiceBox(parent)
        if field.live:
            self.widget.setEditable(True)
            self.widget.editTextChanged.connect(self.changed)
        else:
            narrow(self.widget)
            make_editable(self.widget, self.changed.emit)
        if field.choices is not None and not callable(field.choices):
            self.offer(field.choices)

    def offer(self, choices: Choices) -> None:
        texts = [choice.text for choice in choices]
        if texts != [self.widget.itemText(row) for row in range(self.widget.count())]:
            text = self.widget.currentText()
            with QSignalBlocker(self):
                self.widget.clear()
                self.widget.addItems(texts)
                self.widget.setEditText(text)

    @property
    def value(self) -> Any:
        return self.field.value_of(self.widget.currentText())

    def set_value(self, value: Any) -> None:
        text = self.field.text_of(value)
        if text == self.widget.currentText():
            return
        if not self.field.live:
            self.widget.setCurrentIndex(self.widget.findText(text))
        self.widget.setEditText(text)


class ShownText(Editor):
    """A read-only text."""

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
        super().__init__(field, parent)
        self.widget: QLabel = QLabel(parent)
        self.widget.setTextFormat(Qt.TextFormat.PlainText)
        self._value: Any = None

    @property
    def value(self) -> Any:
        return self._value

    def set_value(self, value: Any) -> None:
        self._value = value
        self.widget.setText(self.field.text_of(value))


def make_editor(
    field: FormField, value: Any, parent: QWidget | None = None, *, enter_accepts: bool = True
) -> Editor:
    """Return the editor for a field, by its declaration and its initial value."""
    editor: Editor
    if field.editor is not None:
        editor = field.editor(field, parent)
    elif field.choices is not None:
        editor = ChoiceEditor(field, parent)
    elif field.kind == "switch" or isinstance(value, bool):
        editor = SwitchEditor(field, parent)
    elif isinstance(value, int | float) and field.decimals is not None:
        editor = SpinEditor(field, parent)
    elif isinstance(value, int | float) or field.optional or field.kind in ("integer", "number"):
        editor = NumberEditor(field, parent, enter_accepts=enter_accepts)
    else:
        editor = TextEditor(field, parent)
    if isinstance(editor, ChoiceEditor) and not callable(field.choices):
        editor.offer(field.choices or ())
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
