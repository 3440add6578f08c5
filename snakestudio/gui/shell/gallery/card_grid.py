"""Cards of equal width in rows that fill the room there is; arrows go from one to its neighbour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.shell.gallery.card import Card

__all__ = ["CardGrid"]

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
