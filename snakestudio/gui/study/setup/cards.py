"""Cards: one for each value that varies, each goal and the like, made anew only where another thing stands there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.forms.text_field import TextField
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.model.fields import FieldDoc

LEAST_WIDTH = 44
"""Width that a number can be brought down to in a narrow dock, px of the design."""


class Card(Themed):
    """One part of a study.

    Parameters
    ----------
    index : int
        Its place, from 0.
    key : str
        Of the list that it is in: "vary".

    Signals
    -------
    removed()
        Somebody wants it away.
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
        self.renew_theme()

    def end(self) -> None:
        """Put at the end what is wrong and doubtful; call when all else is there."""
        self.column.addWidget(self.message)
        self.column.addWidget(self.note)
        self.refresh()

    @abstractmethod
    def refresh(self) -> None:
        """Show what the study says now."""

    def show_findings(self) -> None:
        """Say what is wrong with it."""
        typed = [sentence for sentence in self._typed.values() if sentence]
        self.message.say(
            "\n".join(dict.fromkeys([*typed, *self._open.findings.about(self.key).splitlines()]))
        )
        note = self._open.findings.notes.get(self.key, "")
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def say(self, field: object, sentence: str) -> None:
        """Say what is wrong with what stands in a field of it, which the study does not have."""
        self._typed[field] = sentence
        self.show_findings()

    def renew_theme(self) -> None:
        self.remove_button.setIcon(theme.icon("close", "dim"))


class Form(QWidget):
    """A part of what is set up."""

    @abstractmethod
    def refresh(self) -> None:
        """Show what the study says now."""


C = TypeVar("C", bound=Card)


class CardForm(Form, Generic[C]):
    """Cards below each other, what adds another one, and what is wrong with them as a whole.

    Parameters
    ----------
    make : callable
        Makes the card at a place.

    Attributes
    ----------
    cards : list
        In their order.
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
        """Show a card for each of these; one that stands for the same as before stays."""
        for index, part in enumerate(of):
            if index < len(self._of) and self._of[index] == part:
                self.cards[index].refresh()
                continue
            if index < len(self.cards):
                self._take_away(self.cards[index])
                self.cards[index] = self._make(self._open, index)
            else:
                self.cards.append(self._make(self._open, index))
            self._cards.insertWidget(index, self.cards[index])
        for card in self.cards[len(of) :]:
            self._take_away(card)
        del self.cards[len(of) :]
        self._of = list(of)
        self._list.setVisible(bool(of))

    def _take_away(self, card: C) -> None:
        self._cards.removeWidget(card)
        card.hide()
        card.deleteLater()


# ---------------------------------------------------------------------------------- what is in them


def number(
    doc: FieldDoc,
    name: str,
    commit: Callable[[float | None], object],
    card: Card | None = None,
    *,
    integer: bool = False,
    optional: bool = False,
    width: int = 68,
) -> NumberField:
    """A field for a number of a study."""
    field = NumberField(doc._replace(label=name), integer=integer, optional=optional)
    field.setMinimumWidth(theme.scaled(min(width, LEAST_WIDTH)))
    field.setMaximumWidth(theme.scaled(width))
    unit = f" ({doc.unit})" if doc.unit else ""
    field.setToolTip(f"{name}{unit}: {doc.help}")
    field.committed.connect(lambda value, again: commit(value))
    if card is not None:
        field.problem_changed.connect(lambda sentence: card.say(field, sentence))
    return field


def text_field(name: str, tip: str, commit: Callable[[str], object]) -> TextField:
    """A field for a text of a study."""
    field = TextField()
    field.setAccessibleName(name)
    field.setToolTip(tip)
    field.committed.connect(commit)
    field.restored.connect(field.undo)
    return field


def narrow_choice(box: ChoiceBox) -> ChoiceBox:
    """A box that fills its line, and can be narrow: a dock may be."""
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return narrow(box, 6)


def choice(
    name: str, items: dict[str, str], choose: Callable[[str], object], tips: Sequence[str] = ()
) -> ChoiceBox:
    """A choice among words of a study by what people call them."""
    box = narrow_choice(ChoiceBox())
    box.setAccessibleName(name)
    box.setToolTip(name)
    for place, (word, title) in enumerate(items.items()):
        box.addItem(title, word)
        if place < len(tips):
            box.setItemData(place, tips[place], Qt.ItemDataRole.ToolTipRole)
    box.activated.connect(lambda index: choose(str(box.itemData(index))))
    return box


def dim(text: str) -> QLabel:
    """A word between fields."""
    label = QLabel(text)
    label.setProperty("role", "dim")
    return label


def line_of(*widgets: QWidget | int) -> QHBoxLayout:
    """Widgets in a line; a number is room that stretches."""
    line = QHBoxLayout()
    line.setSpacing(6)
    for widget in widgets:
        if isinstance(widget, int):
            line.addStretch(widget)
        else:
            line.addWidget(widget)
    return line
