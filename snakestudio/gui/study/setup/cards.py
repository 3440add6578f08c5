"""Cards for varied values, goals and other lists, rebuilt only if another object takes their position."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.binding import Binding
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.editor import reset_entry
from snakestudio.gui.forms.editors import make_editor
from snakestudio.gui.forms.form_fields import Choice, FormField, field_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.row_layouts import DialogLayout
from snakestudio.gui.forms.value_menu import open_field_menu
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.model.fields import FieldDoc

_CHARACTERS = 6
"""Least number of visible characters of a choice."""
LEAST_WIDTH = 44
"""Minimum width of a number in a narrow dock, px of the design."""


class Card(ThemedWidget):
    """Card for one part of a study.

    Parameters
    ----------
    index : int
        0-based position.
    key : str
        Key of its list, such as "vary".

    Signals
    -------
    removed()
        The user removed the part.
    """

    removed = Signal()

    def __init__(self, open_study: OpenStudy, index: int, key: str, title: str) -> None:
        super().__init__()
        self._open = open_study
        self.index = index
        self.key = f"{key}[{index + 1}]"
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 8, 8, 10)
        self.column.setSpacing(6)
        self.title = QLabel(title)
        self.title.setWordWrap(True)
        self.title.setProperty("role", "value")
        self.remove_button = QToolButton()
        self.remove_button.setProperty("role", "flat")
        self.remove_button.setIconSize(QSize(12, 12))
        self.remove_button.setToolTip("Remove it from the study")
        self.remove_button.setAccessibleName(f"Remove {title}")
        self.remove_button.clicked.connect(self.removed)
        self.head = QHBoxLayout()
        self.head.setSpacing(6)
        self.head.addWidget(self.title, 1)
        self.head.addWidget(self.remove_button, 0, Qt.AlignmentFlag.AlignTop)
        self.column.addLayout(self.head)
        self.message = Message()
        self.note = QLabel()
        self.note.setProperty("role", "dim")
        self.note.setWordWrap(True)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._rows: list[ValueRow] = []
        self._typed = ""
        self.apply_theme()

    def add_row(
        self, name: str, field: FormField, value: Callable[[], Any], edit: Callable[[Any], object]
    ) -> ValueRow:
        """Return the row of a value, which the card refreshes and whose problems it shows.

        Parameters
        ----------
        name : str
            Name of the value in the part.
        value : callable
            Returns the value.
        edit : callable
            Sets the value.
        """
        binding = PartBinding(field.doc, name, value, edit)
        editor = make_editor(field, binding.value(), self)
        row = ValueRow(editor, binding, layout=DialogLayout(has_unit=False), parent=self)
        if isinstance(row.field, ChoiceBox):
            narrow_choice(row.field)
        row.problem_changed.connect(self.show_problems)
        self._rows.append(row)
        return row

    def end(self) -> None:
        """Add the message at the end of the card; call after all other widgets."""
        self.column.addWidget(self.message)
        self.column.addWidget(self.note)
        self.refresh()

    def refresh(self) -> None:
        """Show the values of the study."""
        for row in self._rows:
            row.refresh()
        self.show_problems()

    def show_problems(self) -> None:
        """Show the problems of the part."""
        typed = [
            sentence for sentence in (*(row.problem for row in self._rows), self._typed) if sentence
        ]
        self.message.show_text(
            "\n".join(dict.fromkeys([*typed, *self._open.study_check.about(self.key).splitlines()]))
        )
        note = self._open.study_check.notes.get(self.key, "")
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def show_typed_problem(self, sentence: str) -> None:
        """Show a problem with an expression that is being typed, which is not in the study."""
        self._typed = sentence
        self.show_problems()

    def apply_theme(self) -> None:
        self.remove_button.setIcon(theme.icon("close", "dim"))


class Form(QWidget):
    """Part of the set-up."""

    @abstractmethod
    def refresh(self) -> None:
        """Show the values of the study."""


C = TypeVar("C", bound=Card)


class CardForm(Form, Generic[C]):
    """Cards below each other, a widget that adds another one, and the problems of the whole list.

    Parameters
    ----------
    make : callable
        Creates the card at a position.

    Attributes
    ----------
    cards : list
        Cards in their order.
    """

    def __init__(
        self, open_study: OpenStudy, make: Callable[[OpenStudy, int], C], add: QWidget
    ) -> None:
        super().__init__()
        self._open = open_study
        self._make = make
        self._of: list[object] = []
        self.cards: list[C] = []
        self.message = Message()
        self._list = QWidget()
        self._cards = QVBoxLayout(self._list)
        self.column = QVBoxLayout(self)
        for column in (self._cards, self.column):
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(8)
        for widget in (self._list, add, self.message):
            self.column.addWidget(widget)

    def show_parts(self, of: Sequence[object]) -> None:
        """Show a card for each of these parts; a card with the same part as before stays."""
        for index, part in enumerate(of):
            if index < len(self._of) and self._of[index] == part:
                self.cards[index].refresh()
                continue
            if index < len(self.cards):
                self._discard(self.cards[index])
                self.cards[index] = self._make(self._open, index)
            else:
                self.cards.append(self._make(self._open, index))
            self._cards.insertWidget(index, self.cards[index])
        for card in self.cards[len(of) :]:
            self._discard(card)
        del self.cards[len(of) :]
        self._of = list(of)
        self._list.setVisible(bool(of))

    def _discard(self, card: C) -> None:
        self._cards.removeWidget(card)
        card.hide()
        card.deleteLater()


# ---------------------------------------------------------------------------------- widgets


class PartBinding(Binding):
    """A value of a part of the study, such as a goal, which is saved with each edit.

    Parameters
    ----------
    name : str
        Name of the value in its part.
    value : callable
        Returns the value.
    edit : callable
        Sets the value.
    """

    def __init__(
        self,
        doc: FieldDoc,
        name: str,
        value: Callable[[], Any],
        edit: Callable[[Any], object],
    ) -> None:
        super().__init__([name], doc, value())
        self._value = value
        self._edit = edit

    def value(self) -> Any:
        return self._value()

    def values(self) -> list[Any]:
        return [self._value()]

    def apply_each(self, values: Sequence[Any], *, again: bool = False) -> str:
        self._edit(values[0])
        return ""

    def begin_gesture(self) -> None:
        """Do nothing: studies have no undo."""

    def explanation(self, unused: str) -> str:
        return self.doc.help

    def open_menu(self, row: QWidget, event: QContextMenuEvent) -> None:
        assert isinstance(row, ValueRow)
        open_field_menu(row, event, [reset_entry(row.editor, self.default, None, row.reset)])


def number(
    doc: FieldDoc, name: str, *, integer: bool = False, optional: bool = False, width: int = 68
) -> FormField:
    """Return the declaration of a number of a study."""
    unit = f" ({doc.unit})" if doc.unit else ""
    return field_of(
        doc._replace(label=name, help=f"{name}{unit}: {doc.help}"),
        kind="number",
        integer=integer,
        optional=optional,
        width=width,
        least_width=min(width, LEAST_WIDTH),
        live=False,
    )


def text(name: str, tip: str, placeholder: str = "") -> FormField:
    """Return the declaration of a text of a study."""
    return FormField(name, help=tip, placeholder=placeholder, live=False)


def choice(name: str, items: Mapping[str, str], tips: Sequence[str] = ()) -> FormField:
    """Return the declaration of a choice among values of a study by their titles."""
    choices = [
        Choice(value, title, tips[index] if index < len(tips) else "")
        for index, (value, title) in enumerate(items.items())
    ]
    return FormField(name, help=name, choices=choices, characters=_CHARACTERS, live=False)


def narrow_choice(box: ChoiceBox) -> ChoiceBox:
    """Let a box fill its line and become narrow in a narrow dock."""
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return narrow(box, _CHARACTERS)


def dim(text: str) -> QLabel:
    """Return a dim label between fields."""
    label = QLabel(text)
    label.setProperty("role", "dim")
    return label


def line_of(*widgets: QWidget | int) -> QHBoxLayout:
    """Return widgets in a line; a number is a stretch."""
    line = QHBoxLayout()
    line.setSpacing(6)
    for widget in widgets:
        if isinstance(widget, int):
            line.addStretch(widget)
        else:
            line.addWidget(widget)
    return line
