"""What all editors of declared fields have in common: value, input, messages, and texts for menus."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from snakestudio.gui.forms.form_fields import Choices, FormField
from snakestudio.text import exact_text
from snakestudio.viewmodel.numbers import Change

_LONGEST = 40
"""Largest number of characters of a value in a menu."""
_VALUE_TEXTS = {True: "on", False: "off", None: "none", "": "empty"}


class Editor(QObject):
    """The widgets of one value.

    Signals
    -------
    changed()
        The user changed the value. A receiver that cannot accept it calls `refuse`.
    change_requested(change: Change)
        A relative change of several values that are edited together; otherwise like `changed`.
    problem_changed()
        The message about the input changed.
    """

    changed = Signal()
    change_requested = Signal(object)
    problem_changed = Signal()

    widget: QWidget
    """The widget that gets the keyboard focus."""

    again = False
    """Whether the last change continues the gesture of the change before, as a repeated key does."""

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.field = field
        self.browse_button: QAbstractButton | None = None

    @property
    def widgets(self) -> Sequence[QWidget]:
        """Return all widgets, from left to right."""
        return (self.widget,) if self.browse_button is None else (self.widget, self.browse_button)

    def add_browse_button(self) -> None:
        """Add the button of the file dialog."""
        parent = self.widget.parentWidget()
        if self.field.browse_tip:
            self.browse_button = QToolButton(parent)
            self.browse_button.setText("…")
            self.browse_button.setToolTip(self.field.browse_tip)
            self.browse_button.setAccessibleName(self.field.browse_tip)
        else:
            button = self.browse_button = QPushButton(self.field.browse_text, parent)
            button.setAutoDefault(False)
        self.browse_button.clicked.connect(self._browse)

    def _browse(self) -> None:
        assert self.field.browse is not None
        value = self.field.browse(self.value)
        if value is not None:
            self.enter(value)

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
        """Show another value; `SEVERAL` for items that differ in it."""

    def enter(self, value: Any) -> None:
        """Set a value as if the user had entered it."""
        self.set_value(value)

    def refuse(self, sentence: str) -> None:
        """Refuse the value with a message; call it from a slot of `changed` or `change_requested`."""

    def discard_input(self) -> None:
        """Discard input that is not applied."""

    @property
    def has_input(self) -> bool:
        """Whether there is input that is not applied, valid or not."""
        return False

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

    def after(self, change: Change, value: float) -> float:
        """Return a value after a relative change; of editors that emit `change_requested`."""
        raise NotImplementedError

    def range_problem(self, value: float) -> str:
        """Return why a number is out of range; "" if it is valid."""
        return ""

    def commit(self) -> bool:
        """Commit input as if the focus left the field; return whether it is valid."""
        return not self.problem


def _bool(stored: Any) -> bool:
    return str(stored).lower() == "true"


def value_text(field: FormField, value: Any, values: Any) -> str:
    """Return the text of a value in a menu; `values` are those of the form, on which choices may depend."""
    offered = field.choices(values) if callable(field.choices) else field.choices
    text = next((choice.text for choice in offered or () if choice.value == value), None)
    if text is not None:
        return text
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{exact_text(value)} {field.unit}".strip()
    text = _VALUE_TEXTS[value] if value in _VALUE_TEXTS else field.text_of(value)
    return text if len(text) <= _LONGEST else f"… {text[-_LONGEST:]}"


def reset_entry(
    editor: Editor, default: Any, values: Any, reset: Callable[[], object]
) -> tuple[str, Callable[[], object] | None]:
    """Return the entry of a menu that resets the value of an editor, disabled if it is unchanged.

    Parameters
    ----------
    values : Any
        Values of the form, on which choices may depend.
    """
    text = f"Reset to {value_text(editor.field, default, values)}"
    return text, reset if editor.value != default else None


def is_editable(widget: QWidget) -> bool:
    """Return whether the value of an editor's widget can be changed."""
    if isinstance(widget, QLabel) or not widget.isEnabled():
        return False
    return not (isinstance(widget, QLineEdit) and widget.isReadOnly())
