"""Cards for varied values, goals and the like, rebuilt only if another object takes their position."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.editors import NumberEditor, TextEditor, make_editor
from snakestudio.gui.forms.form_fields import FormField, field_of
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.model.fields import FieldDoc

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
        self._typed: dict[object, str] = {}
        self.apply_theme()

    def end(self) -> None:
        """Add the message at the end of the card; call after all other widgets."""
        self.column.addWidget(self.message)
        self.column.addWidget(self.note)
        self.refresh()

    @abstractmethod
    def refresh(self) -> None:
        """Show the values of the study."""

    def show_problems(self) -> None:
        """Show the problems of the part."""
        typed = [sentence for sentence in self._typed.values() if sentence]
        self.message.show_text(
            "\n".join(dict.fromkeys([*typed, *self._open.study_check.about(self.key).splitlines()]))
        )
        note = self._open.study_check.notes.get(self.key, "")
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def show_field_problem(self, field: object, sentence: str) -> None:
        """Show a problem with the text in a field, which is not in the study."""
        self._typed[field] = sentence
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


def number(
    doc: FieldDoc,
    name: str,
    commit: Callable[[float | None], object],
    card: Card,
    *,
    integer: bool = False,
    optional: bool = False,
    width: int = 68,
) -> NumberEditor:
    """Return the editor of a number of a study."""
    unit = f" ({doc.unit})" if doc.unit else ""
    field = field_of(
        doc._replace(label=name, help=f"{name}{unit}: {doc.help}"),
        kind="number",
        integer=integer,
        optional=optional,
        width=width,
        least_width=min(width, LEAST_WIDTH),
        live=False,
    )
    editor = make_editor(field, None, card)
    assert isinstance(editor, NumberEditor)
    editor.changed.connect(lambda: commit(editor.value))
    editor.problem_changed.connect(lambda: card.show_field_problem(editor, editor.problem))
    return editor


def text(name: str, tip: str, commit: Callable[[str], object], card: Card) -> TextEditor:
    """Return the editor of a text of a study."""
    editor = make_editor(FormField(name, help=tip, live=False), "", card)
    assert isinstance(editor, TextEditor)
    editor.changed.connect(lambda: commit(editor.value))
    return editor


def narrow_choice(box: ChoiceBox) -> ChoiceBox:
    """Let a box fill its line and become narrow in a narrow dock."""
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return narrow(box, 6)


def choice(
    name: str, items: dict[str, str], choose: Callable[[str], object], tips: Sequence[str] = ()
) -> ChoiceBox:
    """Return a choice among values of a study by their titles."""
    box = narrow_choice(ChoiceBox())
    box.setAccessibleName(name)
    box.setToolTip(name)
    for place, (value, title) in enumerate(items.items()):
        box.addItem(title, value)
        if place < len(tips):
            box.setItemData(place, tips[place], Qt.ItemDataRole.ToolTipRole)
    box.activated.connect(lambda index: choose(str(box.itemData(index))))
    return box


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
