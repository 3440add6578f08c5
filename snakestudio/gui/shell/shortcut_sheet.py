"""All keys and mouse gestures on one sheet, in columns by topic, searchable."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.shell.modal_overlay import ModalOverlay, card_frame, make_head

__all__ = ["ShortcutSheet", "Topic"]

_WIDEST, _COLUMN, _MARGIN, _GAP = 1240, 350, 24, 32

Topic = tuple[str, Sequence[tuple[str, str]]]
"""A heading, and pairs of keys (several ways joined by " or ") and what they do."""


class ShortcutSheet(ModalOverlay):
    """What every key does, and what the mouse does where.

    Parameters
    ----------
    window : QMainWindow
    keys, mouse : sequence of Topic
    """

    def __init__(self, window: QMainWindow, keys: Sequence[Topic], mouse: Sequence[Topic]) -> None:
        super().__init__(window)
        self.frame = card_frame(self)
        column = QVBoxLayout(self.frame)
        column.setContentsMargins(_MARGIN, 20, 8, 12)
        column.setSpacing(14)
        head, self.search = make_head(self, self.frame, "Keys and Mouse", "Search keys and commands")
        head.setContentsMargins(0, 0, 8, 0)
        self.search.textChanged.connect(self._filter)
        column.addLayout(head)
        self._tall = 0
        self._inner = QWidget(self.frame)
        self._columns = QHBoxLayout(self._inner)
        self._columns.setContentsMargins(0, 0, 16, 8)
        self._columns.setSpacing(_GAP)
        self.topics = [_Topic(topic, True, self._inner) for topic in keys]
        self.topics += [_Topic(topic, False, self._inner) for topic in mouse]
        self._area = scrolled(self._inner)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.addWidget(self._area, 1)
        self._nothing = QLabel("Nothing is called that.", self.frame)
        self._nothing.setProperty("role", "dim")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.hide()
        column.addWidget(self._nothing, 1)

    def arrange(self) -> None:
        width = min(self.width() - 48, theme.scaled(_WIDEST))
        self._set_columns(max(1, (width - _MARGIN) // (theme.scaled(_COLUMN) + _GAP)))
        if not self.search.text():  # while one searches, the sheet stays as large as it is
            self._tall = self._columns.totalHeightForWidth(width - _MARGIN - 8) + theme.scaled(96)
        height = min(self.height() - 48, self._tall)
        self.frame.setGeometry((self.width() - width) // 2, (self.height() - height) // 2, width, height)

    def _set_columns(self, count: int) -> None:
        """Share the topics out, in their order, so that the columns become about equally long."""
        while (item := self._columns.takeAt(0)) is not None:
            layout = item.layout()
            assert isinstance(layout, QVBoxLayout)
            while layout.takeAt(0) is not None:
                pass
            layout.deleteLater()
        shown = [topic for topic in self.topics if not topic.isHidden()]
        for topics in _shared_out(shown, [topic.length for topic in shown], count):
            column = QVBoxLayout()
            column.setSpacing(20)
            for topic in topics:
                column.addWidget(topic)
            column.addStretch(1)
            self._columns.addLayout(column, 1)

    def _filter(self, query: str) -> None:
        for topic in self.topics:
            topic.filter(query)
        found = any(not topic.isHidden() for topic in self.topics)
        self._area.setVisible(found)
        self._nothing.setVisible(not found)
        self.arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            bar, key = self._area.verticalScrollBar(), event.key()
            steps = {
                Qt.Key.Key_Down: bar.singleStep(),
                Qt.Key.Key_Up: -bar.singleStep(),
                Qt.Key.Key_PageDown: bar.pageStep(),
                Qt.Key.Key_PageUp: -bar.pageStep(),
            }
            if key in steps:
                bar.setValue(bar.value() + steps[Qt.Key(key)])
                return True
            if key == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)


class _Topic(QWidget):
    """A heading over its rows.

    Parameters
    ----------
    topic : Topic
    caps : bool
        Whether keys are drawn as caps; gestures of the mouse are sentences.
    """

    def __init__(self, topic: Topic, caps: bool, parent: QWidget) -> None:
        super().__init__(parent)
        name, entries = topic
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.addWidget(heading(name), 0, 0, 1, 2)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 0 if caps else 2)
        self._name = name
        self._rows: list[tuple[str, QWidget, QWidget]] = []
        for place, (keys, text) in enumerate(entries, start=1):
            label = QLabel(text, self)
            label.setWordWrap(True)
            beside = _caps(keys, self) if caps else _gesture(keys, self)
            grid.addWidget(label, place, 0, Qt.AlignmentFlag.AlignVCenter if caps else Qt.AlignmentFlag.AlignTop)
            grid.addWidget(beside, place, 1)
            self._rows.append((f"{name} {keys} {text}".casefold(), label, beside))
        self._lines = 1.0 if caps else 2.0

    @property
    def length(self) -> float:
        """About how long it is, in rows."""
        return 2.0 + self._lines * sum(not label.isHidden() for _, label, _ in self._rows)

    def filter(self, query: str) -> None:
        """Show only the rows that have all words of `query`."""
        words = query.casefold().split()
        found = False
        for text, label, beside in self._rows:
            fits = all(word in text for word in words)
            label.setVisible(fits)
            beside.setVisible(fits)
            found = found or fits
        self.setVisible(found)

    @property
    def shown(self) -> list[str]:
        """What the rows that are to be seen say."""
        return [text for text, label, _ in self._rows if not label.isHidden()]


def _caps(keys: str, parent: QWidget) -> QWidget:
    """Keys as caps, the first way at the left."""
    holder = QWidget(parent)
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    row.addStretch(1)
    for way in keys.split(" or "):
        cap = QLabel(way, holder)
        cap.setProperty("role", "key")
        row.addWidget(cap)
    return holder


def _gesture(text: str, parent: QWidget) -> QWidget:
    label = QLabel(text, parent)
    label.setProperty("role", "dim")
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
    return label


def _shared_out(topics: Sequence[_Topic], lengths: Sequence[float], count: int) -> list[list[_Topic]]:
    """Topics in at most `count` columns, the longest column as short as it gets without changing their order."""
    if not topics:
        return []
    low, high = max(lengths), sum(lengths)
    while high - low > 0.5:
        middle = (low + high) / 2
        low, high = (low, middle) if len(_cut(lengths, middle)) <= count else (middle, high)
    columns = [[topics[place] for place in places] for places in _cut(lengths, high)]
    return columns + [[] for _ in range(count - len(columns))]


def _cut(lengths: Sequence[float], longest: float) -> list[list[int]]:
    """Places in columns that are filled one after the other up to `longest`."""
    columns: list[list[int]] = [[]]
    filled = 0.0
    for place, length in enumerate(lengths):
        if columns[-1] and filled + length > longest + 1e-9:
            columns.append([])
            filled = 0.0
        columns[-1].append(place)
        filled += length
    return columns
