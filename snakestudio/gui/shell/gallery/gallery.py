"""The gallery over the window: what one can start with, at first start and whenever it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.shell.files import Files
from snakestudio.gui.shell.gallery.card import Card, SceneCard, StartCard
from snakestudio.gui.shell.modal_overlay import ModalOverlay, card_frame, make_head
from snakestudio.viewmodel.formulations import MODELS
from snakestudio.viewmodel.gallery import entries, found

__all__ = ["CardGrid", "Chips", "Gallery"]

_GAP = 16
_NARROWEST = 216
"""Of a card, px."""


class CardGrid(QWidget):
    """Lays out the cards that are shown.

    Parameters
    ----------
    rows : int, optional
        Rows that are shown at most; cards beyond them are left out.
    """

    def __init__(self, parent: QWidget, rows: int | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self._all: list[Card] = []
        self._shown: list[Card] = []
        self._columns = 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def cards(self) -> list[Card]:
        """The cards that are to be seen, in their order."""
        return [card for card in self._shown if not card.isHidden()]

    def fill(self, cards: Sequence[Card]) -> None:
        """Take over all cards there are."""
        self._all = list(cards)
        self.show_cards(self._all)

    def show_cards(self, cards: Sequence[Card]) -> None:
        """Show only these."""
        self._shown = list(cards)
        for card in self._all:
            card.setVisible(card in self._shown)
        self._arrange()

    def neighbour(self, card: Card, right: int, down: int) -> Card | None:
        """The card beside, above or below; None beyond the edge."""
        cards = self.cards
        here = cards.index(card)
        place = here + right + down * self._columns
        if down > 0 and place >= len(cards) and here // self._columns < (len(cards) - 1) // self._columns:
            place = len(cards) - 1  # the last row is a short one
        return cards[place] if 0 <= place < len(cards) else None

    def column(self, card: Card) -> int:
        """The column a card stands in."""
        return self.cards.index(card) % self._columns

    def _fit(self, width: int) -> tuple[int, int]:
        """Columns, and the width of each."""
        columns = max(1, (width + _GAP) // (theme.scaled(_NARROWEST) + _GAP))
        return columns, (width - (columns - 1) * _GAP) // columns

    def _arrange(self) -> None:
        self._columns, width = self._fit(self.width())
        for place, card in enumerate(self._shown):
            if self._rows is not None and place >= self._rows * self._columns:
                card.hide()
                continue
            card.show()
            row, column = divmod(place, self._columns)
            height = card.height_for(width)
            card.setGeometry(column * (width + _GAP), row * (height + _GAP), width, height)
        self.setFixedHeight(self._height(self.width()))

    def _height(self, width: int) -> int:
        if not self._shown:
            return 0
        columns, each = self._fit(width)
        rows = -(-len(self._shown) // columns)
        rows = rows if self._rows is None else min(rows, self._rows)
        return rows * self._shown[0].height_for(each) + (rows - 1) * _GAP

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.scaled(_NARROWEST), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._arrange()


class Chips(QWidget):
    """One row: papers, then models; of each at most one is on.

    Signals
    -------
    changed()
        Another one is on, or none.
    """

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        papers = sorted({paper for entry in entries() for paper in entry.papers})
        used = {entry.model for entry in entries()}
        self.papers = self._group("Paper", papers, "Scenes of paper {}")
        row.addSpacing(18)
        models = [info.short for info in MODELS.values() if info.short in used]
        self.models = self._group("Model", models, "Scenes that run in the {} model")
        row.addStretch(1)

    def _group(self, caption: str, names: Sequence[str], tip: str) -> dict[str, QToolButton]:
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        label = QLabel(caption, self)
        label.setProperty("role", "dim")
        row.addWidget(label)
        buttons: dict[str, QToolButton] = {}
        for name in names:
            button = QToolButton(self)
            button.setText(name)
            button.setCheckable(True)
            button.setProperty("role", "chip")
            button.setToolTip(tip.format(name))
            row.addWidget(button)
            buttons[name] = button
        for button in buttons.values():
            button.clicked.connect(lambda on, chosen=button: self._choose(buttons, chosen, on))
        return buttons

    def _choose(self, group: dict[str, QToolButton], chosen: QToolButton, on: bool) -> None:
        for button in group.values():
            button.setChecked(on and button is chosen)
        self.changed.emit()

    @property
    def paper(self) -> str:
        """The paper that is wanted, "" for any."""
        return _on(self.papers)

    @property
    def model(self) -> str:
        """The model that is wanted, by its short name, "" for any."""
        return _on(self.models)


def _on(group: dict[str, QToolButton]) -> str:
    return next((name for name, button in group.items() if button.isChecked()), "")


_WIDEST, _HIGHEST = 1180, 900
_MARGIN = 24
_RECENT = 6


class Gallery(ModalOverlay):
    """Every shipped scene, an empty one, and the recent files, as cards.

    Parameters
    ----------
    window : QMainWindow
    files : Files
        Opens them.
    document : Document
        When it holds another scene, the gallery is put away.
    """

    def __init__(self, window: QMainWindow, files: Files, document: Document) -> None:
        super().__init__(window)
        self._files = files
        self.frame = card_frame(self)
        column = QVBoxLayout(self.frame)
        column.setContentsMargins(0, 20, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._make_head())
        self.chips = Chips(self.frame)
        self.chips.changed.connect(self._filter)
        holder = QHBoxLayout()
        holder.setContentsMargins(_MARGIN, 12, _MARGIN, 12)
        holder.addWidget(self.chips, 1)
        column.addLayout(holder)
        column.addWidget(_rule(self.frame))
        self._area = scrolled(self._make_cards())
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.addWidget(self._area, 1)
        column.addWidget(_rule(self.frame))
        column.addWidget(self._make_foot())
        self._filter()
        document.opened.connect(self.close_sheet)

    # --- what it is made of ---------------------------------------------------------------------------------------

    def _make_head(self) -> QHBoxLayout:
        head, self.search = make_head(self, self.frame, "Scene Gallery", "Search scenes")
        head.setContentsMargins(_MARGIN, 0, 16, 0)
        self.search.textChanged.connect(self._filter)
        return head

    def _make_cards(self) -> QWidget:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(_MARGIN, 16, _MARGIN, _MARGIN)
        column.setSpacing(0)
        self.starts = CardGrid(inner, rows=2)
        column.addWidget(self.starts)
        column.addSpacing(20)
        self._count = heading("")
        column.addWidget(self._count)
        column.addSpacing(10)
        self.scenes = CardGrid(inner)
        column.addWidget(self.scenes)
        self._nothing = QLabel("No scene matches. Take away a word or a filter.", inner)
        self._nothing.setProperty("role", "dim")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setMinimumHeight(theme.scaled(160))
        column.addWidget(self._nothing)
        column.addStretch(1)
        empty = StartCard("new", "New empty scene", "A robot on an open floor", self.starts)
        empty.clicked.connect(lambda: self._files.new())
        other = StartCard("open", "Open ...", "A scene or an exported run", self.starts)
        other.clicked.connect(lambda: self._files.ask_open())
        starts: list[Card] = [empty, other, *(self._recent(path) for path in self._files.recent[:_RECENT])]
        scenes: list[Card] = [self._scene(SceneCard(entry, self.scenes)) for entry in entries()]
        self.starts.fill(starts)
        self.scenes.fill(scenes)
        for card in (*starts, *scenes):
            card.arrow.connect(self._go)
            card.looked_at.connect(self._look_at)
            card.typed.connect(self._type)
        return inner

    def _recent(self, path: Path) -> StartCard:
        card = StartCard("recent", path.name, str(path.parent), self.starts, path)
        card.clicked.connect(lambda: self._files.open(path))
        return card

    def _scene(self, card: SceneCard) -> SceneCard:
        card.clicked.connect(lambda: self._files.open(card.entry.path))
        return card

    def _make_foot(self) -> QWidget:
        """What to look for in the scene that is looked at, in full."""
        foot = QWidget(self.frame)
        row = QHBoxLayout(foot)
        row.setContentsMargins(_MARGIN, 12, 16, 14)
        row.setSpacing(16)
        self.text = QLabel(foot)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setFixedHeight(4 * self.text.fontMetrics().lineSpacing() + 4)
        row.addWidget(self.text, 1)
        self.open_button = QPushButton("&Open", foot)
        self.open_button.setProperty("role", "primary")
        self.open_button.clicked.connect(self._open_looked_at)
        row.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignBottom)
        self._looked_at: Card | None = None
        return foot

    def arrange(self) -> None:
        width = min(self.width() - 48, theme.scaled(_WIDEST))
        height = min(self.height() - 48, theme.scaled(_HIGHEST))
        self.frame.setGeometry((self.width() - width) // 2, (self.height() - height) // 2, width, height)

    # --- what it does ---------------------------------------------------------------------------------------------

    def _filter(self) -> None:
        query, paper, model = self.search.text(), self.chips.paper, self.chips.model
        shown = [card for card in self._scene_cards if found(card.entry, query, paper, model)]
        self.scenes.show_cards(shown)
        self._nothing.setVisible(not shown)
        every = len(self._scene_cards)
        self._count.setText(f"Scenes ({every})" if len(shown) == every else f"Scenes ({len(shown)} of {every})")
        # While one types, Enter opens the first: that is what the foot tells of.
        at = self._looked_at
        if query or at is None or (isinstance(at, SceneCard) and at not in shown):
            self._look_at(shown[0] if shown else None)

    @property
    def _scene_cards(self) -> list[SceneCard]:
        return list(self.scenes.findChildren(SceneCard))

    def _look_at(self, card: Card | None) -> None:
        if card is self._looked_at and card is not None:
            return
        self._looked_at = card
        self.open_button.setEnabled(card is not None)
        dim = theme.current().dim
        if isinstance(card, SceneCard):
            entry = card.entry
            self.text.setText(f"<b>{entry.title}</b> <span style='color:{dim}'>· {entry.source}</span><br>"
                              f"{entry.description}")  # fmt: skip
        elif isinstance(card, StartCard):
            self.text.setText(f"<b>{card.text()}</b><br><span style='color:{dim}'>{card.below}</span>")
        else:
            self.text.clear()

    def _open_looked_at(self) -> None:
        if self._looked_at is not None:
            self._looked_at.click()

    def _go(self, card: Card, right: int, down: int) -> None:
        """To the neighbour of a card; from row to row also between the two groups, and up into the search."""
        here, there = (self.scenes, self.starts) if card in self.scenes.cards else (self.starts, self.scenes)
        target = here.neighbour(card, right, down)
        if target is None and there is self.scenes and down > 0 and there.cards:
            target = there.cards[min(here.column(card), len(there.cards) - 1)]
        elif target is None and there is self.starts and down < 0:
            row = there.cards
            target = next((each for each in reversed(row) if there.column(each) == here.column(card)), row[-1])
        if target is not None:
            target.setFocus(Qt.FocusReason.TabFocusReason)
            self._area.ensureWidgetVisible(target, 0, _MARGIN)
        elif down < 0:
            self.search.setFocus(Qt.FocusReason.BacktabFocusReason)

    def _type(self, text: str) -> None:
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self.search.insert(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            if key == Qt.Key.Key_Down:
                cards = self.scenes.cards if self.search.text() else self.starts.cards
                if cards:
                    cards[0].setFocus(Qt.FocusReason.TabFocusReason)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if self.scenes.cards:
                    self.scenes.cards[0].click()
                return True
            if key == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        moved = super().focusNextPrevChild(forward)
        now = self.window().focusWidget()
        if isinstance(now, Card):
            self._area.ensureWidgetVisible(now, 0, _MARGIN)
        return moved


def _rule(parent: QWidget) -> QFrame:
    rule = QFrame(parent)
    rule.setProperty("role", "line")
    return rule
