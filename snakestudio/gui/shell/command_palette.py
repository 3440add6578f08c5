"""The command palette: runs a command of the window that is found by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSettings,
    QSize,
    QStringListModel,
    Qt,
    QTimer,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QListView,
    QMainWindow,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.actions import ActionRegistry
from snakestudio.gui.shell.focus_cycle import FocusCycle
from snakestudio.gui.shell.key_cap import key_cap_width, paint_key_cap
from snakestudio.gui.shell.layouts import Layouts
from snakestudio.gui.shell.modal_overlay import ModalOverlay, card_frame
from snakestudio.viewmodel.gallery import entries
from snakestudio.viewmodel.matching import Match, match
from snakestudio.viewmodel.papers import cited


@dataclass(frozen=True)
class CommandEntry:
    """One line of the palette."""

    id: str
    """Identifier in the list of recently used commands."""

    text: str
    where: str
    """Menu of a command; source of a scene."""

    run: Callable[[], object]
    keys: str = ""
    """Shortcut in the notation of this platform."""

    icon: str = ""
    """Name of a file in `resources/icons`."""

    enabled: bool = True
    """Whether it can be used now."""

    checked: bool = False
    """Whether it is on."""

    also: str = ""
    """Further words by which it is found: the file name of a scene."""


def command_entries(
    table: ActionRegistry,
    focus_cycle: FocusCycle,
    layouts: Layouts,
    open_scene: Callable[[Path], object],
) -> list[CommandEntry]:
    """Return all entries that can be found, in the order of the menus."""
    table.refresh()
    result = []
    for spec in table.commands:
        if spec.run is None or spec.id == "command_palette":
            continue
        action = table[spec.id]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        top, _, below = spec.menu.partition("/")
        text = plain(action.text())
        result.append(
            CommandEntry(
                spec.id,
                f"{below.replace('/', ': ')}: {text}"
                if below
                else text,  # "Cylinder" alone is not clear
                top,
                action.trigger,
                keys,
                spec.icon,
                action.isEnabled(),
                action.isCheckable() and action.isChecked(),
            )
        )
    for name, dock in focus_cycle.docks.all.items():
        result.append(
            CommandEntry(
                f"panel_{name}",
                f"Go to {dock.windowTitle()}",
                "Panel",
                partial(focus_cycle.focus_dock, name),
                icon="layout",
                checked=dock.isVisible(),
            )
        )
    for name in layouts.saved:
        result.append(
            CommandEntry(
                f"saved_layout_{name}",
                f"Layouts: {name}",
                "View",
                partial(layouts.choose, name),
                icon="layout",
            )
        )
    for entry in entries():
        result.append(
            CommandEntry(
                f"scene_{entry.path.stem}",
                f"Open: {entry.title}",
                f"{cited(entry.source)} · {entry.model}",
                partial(open_scene, entry.path),
                icon="gallery",
                also=f"{entry.path.stem} {entry.path.stem.replace('_', ' ')}",
            )
        )
    return result


_RECENT: Setting[tuple[str, ...]] = Setting(
    "palette/recent", (), "Recent commands", "Commands of the palette used last", remembered=True
)
_MAX_RECENT = 12
_WIDTH = 680
_ROW = 34
_ROWS = 12

RankedEntry = tuple[CommandEntry, Match]
_Index = QModelIndex | QPersistentModelIndex


def ranked(entries: list[CommandEntry], query: str, recent: Sequence[str]) -> list[RankedEntry]:
    """Return the entries that match a query, the best first; recently used and enabled entries rank higher.

    The menu is searched too, but counts less than the text. A hyphen separates words like a space.
    """
    query = query.replace("-", " ")
    matches: list[tuple[tuple[float, int, int], RankedEntry]] = []
    for order, entry in enumerate(entries):
        fits = match(query, entry.text)
        worth = 0.0 if fits is None else fits.score
        if fits is None:
            wide = match(query, f"{entry.text} {entry.where} {entry.also}")
            if wide is None:
                continue
            inside = frozenset(letter for letter in wide.letters if letter < len(entry.text))
            worth = wide.score - 200.0
            fits = Match(wide.score, inside)
        age = recent.index(entry.id) if entry.id in recent else _MAX_RECENT
        # A recently used entry rises by at most one class of matches.
        rank = -worth - (8.0 if age < _MAX_RECENT else 0.0) + (0.0 if entry.enabled else 25.0)
        matches.append(((rank if query.strip() else 0.0, age, order), (entry, fits)))
    return [each for _, each in sorted(matches, key=lambda item: item[0])]


class CommandPalette(ModalOverlay):
    """A search field and the list of matching entries.

    Parameters
    ----------
    entries : list of CommandEntry
        Entries that can be found.
    settings : QSettings
        Settings that store the recently used entries.
    """

    def __init__(
        self, window: QMainWindow, entries: list[CommandEntry], settings: QSettings
    ) -> None:
        super().__init__(window)
        self._entries, self._settings, self._recent = entries, settings, _RECENT.load(settings)
        self.frame = card_frame(self)
        column = QVBoxLayout(self.frame)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        self.field = QLineEdit(self.frame)
        space = QKeySequence(Qt.Key.Key_Space).toString(QKeySequence.SequenceFormat.NativeText)
        stops = any(entry.id == "stop_robot" and entry.keys == space for entry in entries)
        self.field.setPlaceholderText(
            "Space stops the robot: type - between words"
            if stops
            else "Find a command, a panel or a scene"
        )
        self.field.setAccessibleName("Find a command")
        self.field.setFont(theme.text_font(15))
        self.field.addAction(theme.icon("search", "dim"), QLineEdit.ActionPosition.LeadingPosition)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        column.addWidget(self.field)
        self._model = QStringListModel(self)
        self.view = QListView(self.frame)
        self.view.setModel(self._model)
        self.view.setItemDelegate(_Lines(self))
        self.view.setUniformItemSizes(True)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMouseTracking(True)
        self.view.viewport().installEventFilter(self)
        self.view.clicked.connect(self._run)
        column.addWidget(self.view, 1)
        self._nothing = QLabel("No matching commands.", self.frame)
        self._nothing.setObjectName("nothing_found")
        self._nothing.setProperty("role", "dim")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self._nothing, 1)
        self.matches: list[RankedEntry] = []
        self._search()

    def arrange(self) -> None:
        width = min(theme.scaled(_WIDTH), self.width() - 32)
        rows = min(_ROWS, max(2, len(self.matches)))
        height = self.field.sizeHint().height() + 22 + rows * theme.scaled(_ROW) + 4
        top = max(16, min(self.height() // 8, 110))
        self.frame.setGeometry(
            (self.width() - width) // 2, top, width, min(height, self.height() - top - 16)
        )

    def _search(self) -> None:
        self.matches = ranked(self._entries, self.field.text(), self._recent)
        self._model.setStringList([entry.text for entry, _ in self.matches])
        self.view.setVisible(bool(self.matches))
        self._nothing.setVisible(not self.matches)
        self._choose(0)
        self.arrange()

    def _choose(self, row: int) -> None:
        if self.matches:
            index = self._model.index(max(0, min(row, len(self.matches) - 1)))
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)

    def _run(self, index: QModelIndex) -> None:
        """Run the entry of a row; a disabled entry does nothing."""
        if not index.isValid() or not self.matches[index.row()][0].enabled:
            return
        entry = self.matches[index.row()][0]
        recent = (entry.id, *(name for name in self._recent if name != entry.id))[:_MAX_RECENT]
        _RECENT.store(self._settings, recent)
        run = entry.run
        window = self.window_area
        self.close_sheet()
        # Run after the keyboard focus has returned: many commands act on the focused widget.
        QTimer.singleShot(0, window, run)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.field
            and event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
        ):
            row = self.view.currentIndex().row()
            key = event.key()
            steps = {
                Qt.Key.Key_Down: 1,
                Qt.Key.Key_Up: -1,
                Qt.Key.Key_PageDown: _ROWS - 1,
                Qt.Key.Key_PageUp: 1 - _ROWS,
            }
            if key in steps:
                step = steps[Qt.Key(key)]
                around = abs(step) == 1 and self.matches
                self._choose((row + step) % len(self.matches) if around else row + step)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self.view.currentIndex())
                return True
            if key == Qt.Key.Key_K and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.close_sheet()
                return True
        if (
            watched is self.view.viewport()
            and event.type() == QEvent.Type.MouseMove
            and isinstance(event, QMouseEvent)
        ):
            # Not when a row moves under a mouse at rest: then the keyboard chooses.
            self.view.setCurrentIndex(self.view.indexAt(event.position().toPoint()))
        return super().eventFilter(watched, event)


class _Lines(QStyledItemDelegate):
    """Paints an entry: icon, text with the matched letters highlighted, menu, shortcut."""

    def __init__(self, palette: CommandPalette) -> None:
        super().__init__(palette)
        self._palette = palette

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(100, theme.scaled(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry, fits = self._palette.matches[index.row()]
        area: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("raised"))
            painter.drawRoundedRect(QRectF(area).adjusted(0, 1, 0, -1), 6, 6)
        size = theme.scaled(18)
        icon = "check" if entry.checked else entry.icon
        if icon:
            role = "accent" if entry.checked else ("text" if entry.enabled else "line")
            theme.icon(icon, role).paint(
                painter, QRect(area.left() + 10, area.center().y() - size // 2, size, size)
            )
        right = self._keys(painter, entry, area) - 14
        left = area.left() + 10 + size + 12
        where_font = theme.text_font(12)
        text_width = QFontMetrics(theme.text_font(13, strong=True)).horizontalAdvance(entry.text)
        width = min(
            QFontMetrics(where_font).horizontalAdvance(entry.where) + 2,
            max(0, right - left - text_width - 16),
        )
        painter.setFont(where_font)
        painter.setPen(theme.colour("dim" if entry.enabled else "line"))
        where = painter.fontMetrics().elidedText(entry.where, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRect(right - width, area.top(), width, area.height()), _RIGHT, where)
        self._text(
            painter, entry, fits, QRect(left, area.top(), right - width - 12 - left, area.height())
        )
        painter.restore()

    def _keys(self, painter: QPainter, entry: CommandEntry, area: QRect) -> int:
        """Paint the shortcut as a key cap; return its left edge, px."""
        if not entry.keys:
            return area.right() + 2
        left = QPoint(area.right() - key_cap_width(entry.keys) - 8, area.center().y())
        paint_key_cap(painter, entry.keys, left, "text" if entry.enabled else "dim")
        return left.x()

    def _text(self, painter: QPainter, entry: CommandEntry, fits: Match, area: QRect) -> None:
        """Paint the text, the matched letters in bold and in colour."""
        plain = theme.text_font(13)
        bold = theme.text_font(13, strong=True)
        painter.save()
        painter.setClipRect(area)
        x = area.left()
        for begin, end, matched in _pieces(len(entry.text), fits.letters):
            painter.setFont(bold if matched else plain)
            painter.setPen(
                theme.colour(("accent" if matched else "text") if entry.enabled else "dim")
            )
            piece = entry.text[begin:end]
            painter.drawText(QRect(x, area.top(), area.right() - x, area.height()), _LEFT, piece)
            x += painter.fontMetrics().horizontalAdvance(piece)
        painter.restore()


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _pieces(length: int, letters: frozenset[int]) -> list[tuple[int, int, bool]]:
    """Return alternating runs of matched and unmatched letters."""
    pieces: list[tuple[int, int, bool]] = []
    begin = 0
    for end in range(1, length + 1):
        if end == length or (end in letters) != (begin in letters):
            pieces.append((begin, end, begin in letters))
            begin = end
    return pieces
