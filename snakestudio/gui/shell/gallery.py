"""The gallery over the window: what one can start with, at first start and whenever it is asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
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
from snakestudio.gui.core.recent_files import RecentFiles
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.shell.modal_overlay import ModalOverlay, card_frame, make_head
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.viewmodel.gallery import Entry, entries, found

__all__ = ["Card", "CardGrid", "Chips", "Gallery", "SceneCard", "StartCard"]

_RADIUS = 8.0
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class Card(QAbstractButton):
    """Something to open, by a click, Enter or the space bar.

    Signals
    -------
    looked_at(card: Card)
        It got the keyboard, or the mouse was moved over it.
    arrow(card: Card, right: int, down: int)
        The neighbour in that direction is wanted.
    typed(text: str)
        Text was typed while it had the keyboard.
    """

    looked_at = Signal(object)
    arrow = Signal(object, int, int)
    typed = Signal(str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    @abstractmethod
    def height_for(self, width: int) -> int:
        """Its height at a width, px."""

    def sizeHint(self) -> QSize:
        width = theme.scaled(236)
        return QSize(width, self.height_for(width))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _ARROWS:
            self.arrow.emit(self, *_ARROWS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif key != Qt.Key.Key_Space and event.text().isprintable() and event.text():
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.looked_at.emit(self)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # Not when it is entered: cards that move under a mouse at rest, as while one types, are not looked at.
        super().mouseMoveEvent(event)
        self.looked_at.emit(self)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
            painter.fillPath(outline, theme.colour("raised" if self.underMouse() else "card"))
            painter.save()
            painter.setClipPath(outline)
            self.paint_inside(painter)
            painter.restore()
            pen = painter.pen()
            pen.setColor(theme.colour("accent" if self.hasFocus() else "line"))
            pen.setWidthF(2.0 if self.hasFocus() else 1.0)
            painter.setPen(pen)
            painter.drawPath(outline)
        finally:
            painter.end()

    @abstractmethod
    def paint_inside(self, painter: QPainter) -> None:
        """Paint what it shows."""


class SceneCard(Card):
    """A shipped scene: picture, title, where it is from, and the beginning of what to look for.

    Parameters
    ----------
    entry : Entry
    """

    def __init__(self, entry: Entry, parent: QWidget) -> None:
        super().__init__(entry.title, parent)
        self.entry = entry
        self.setAccessibleDescription(entry.description)
        self._picture = QPixmap()
        self._theme = ""

    def _pixmap(self) -> QPixmap:
        if self._theme != theme.current().name:
            self._theme = theme.current().name
            self._picture = QPixmap(str(self.entry.picture(self._theme)))
        return self._picture

    def height_for(self, width: int) -> int:
        title, small = QFontMetrics(theme.text_font(13, strong=True)), QFontMetrics(theme.text_font(12))
        return _picture_height(width) + 8 + title.height() + 2 + small.height() + 6 + 2 * small.height() + 12

    def paint_inside(self, painter: QPainter) -> None:
        width, left = self.width(), 12
        top = _picture_height(width)
        pixmap = self._pixmap()
        if not pixmap.isNull():
            painter.drawPixmap(QRect(0, 0, width, top), pixmap)
        room = width - 2 * left
        top += 8
        painter.setFont(theme.text_font(13, strong=True))
        painter.setPen(theme.colour("text"))
        top = _line(painter, self.entry.title, QRect(left, top, room, 0)) + 2
        painter.setFont(theme.text_font(12))
        painter.setPen(theme.colour("accent"))
        top = _line(painter, f"{self.entry.source} · {self.entry.model}", QRect(left, top, room, 0)) + 6
        painter.setPen(theme.colour("dim"))
        _two_lines(painter, self.entry.description, QRect(left, top, room, 0))


class StartCard(Card):
    """A small card: an icon, a name, and a dim line below it.

    Parameters
    ----------
    icon : str
        File name in `resources/icons`.
    text, below : str
    path : Path, optional
        The file it opens.
    """

    def __init__(self, icon: str, text: str, below: str, parent: QWidget, path: Path | None = None) -> None:
        super().__init__(text, parent)
        self._icon, self._text, self.below, self.path = icon, text, below, path
        self.setText(text)

    def height_for(self, width: int) -> int:
        return (
            24
            + QFontMetrics(theme.text_font(13, strong=True)).height()
            + QFontMetrics(theme.text_font(12)).height()
        )  # fmt: skip

    def paint_inside(self, painter: QPainter) -> None:
        size = theme.scaled(20)
        icon: QIcon = theme.icon(self._icon, "accent")
        icon.paint(painter, QRect(14, (self.height() - size) // 2, size, size))
        left = 14 + size + 12
        room = self.width() - left - 10
        painter.setFont(theme.text_font(13, strong=True))
        painter.setPen(theme.colour("text"))
        below = _line(painter, self._text, QRect(left, 11, room, 0)) + 1
        painter.setFont(theme.text_font(12))
        painter.setPen(theme.colour("dim"))
        _line(painter, self.below, QRect(left, below, room, 0), Qt.TextElideMode.ElideMiddle)


def _picture_height(width: int) -> int:
    return round(width * 0.6)


def _line(
    painter: QPainter, text: str, place: QRect, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> int:  # fmt: skip
    """Paint one line as far as there is room; returns where it ends, px."""
    metrics = painter.fontMetrics()
    place = QRect(place.x(), place.y(), place.width(), metrics.height())
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(text, mode, place.width()))
    return place.y() + metrics.height()


def _two_lines(painter: QPainter, text: str, place: QRect) -> None:
    """Paint what of a text has room on two lines."""
    metrics = painter.fontMetrics()
    first = ""
    words = text.split()
    while words and metrics.horizontalAdvance(f"{first} {words[0]}".strip()) <= place.width():
        first = f"{first} {words.pop(0)}".strip()
    below = _line(painter, first, place)
    if words:
        _line(painter, " ".join(words), QRect(place.x(), below, place.width(), 0))


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
        models = [info.short for info in FORMULATIONS.values() if info.short in used]
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


class SceneFiles(Protocol):
    """What opens scenes; as in `Files`."""

    @property
    def recent(self) -> RecentFiles:
        """Files of scenes, the newest first."""

    def new(self) -> object:
        """Open an empty scene."""

    def ask_open(self) -> object:
        """Ask which scene to open."""

    def open(self, path: Path) -> object:
        """Open a scene."""


class Gallery(ModalOverlay):
    """Every shipped scene, an empty one, and the recent files, as cards.

    Parameters
    ----------
    window : QMainWindow
    files : SceneFiles
        Opens them.
    document : Document
        When it holds another scene, the gallery is put away.
    """

    def __init__(self, window: QMainWindow, files: SceneFiles, document: Document) -> None:
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
        starts: list[Card] = [empty, other, *(self._recent(path) for path in self._files.recent.paths[:_RECENT])]
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
