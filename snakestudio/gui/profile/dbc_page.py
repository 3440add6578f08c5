"""Page of the DBC: messages, signals, their bits and their use in the profile."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.profile.bit_grid import BitGrid, legend, signal_colour
from snakestudio.gui.profile.dbc_dialog import DbcDialog
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.link.profile.dbc_editing import MessageDraft, drafts_of, without_message
from snakestudio.link.profile.ids import free_id
from snakestudio.link.profile.layout import MessageLayout, message_layouts
from snakestudio.text import counted

_HEADS = ("Message or signal", "Id, bits", "Coding", "Range", "Bound to")


class DbcPage(QWidget):
    """Tree of messages and signals, and the bits of the selected message.

    Signals
    -------
    message_activated(row: int)
        Request to show this message of the profile, 0-based.
    """

    message_activated = Signal(int)

    def __init__(self, document: ProfileDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a message or signal")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels(_HEADS)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.setAccessibleName("Messages of the DBC")
        self.tree.currentItemChanged.connect(lambda now, before: self._show())
        self.tree.itemDoubleClicked.connect(self._on_double_click)
        self.grid = BitGrid()
        self.grid.picked.connect(self._pick)
        self.title = heading("")
        self.summary = QLabel()
        self.summary.setWordWrap(True)
        self.summary.setTextFormat(Qt.TextFormat.RichText)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.search)
        left.addWidget(self.tree, 1)
        tools = QHBoxLayout()
        tools.setSpacing(8)
        self.new = QPushButton("&New Message...")
        self.change = QPushButton("&Edit...")
        self.drop = QPushButton("Remove")
        for button, act in (
            (self.new, self.add_message),
            (self.change, self.edit_message),
            (self.drop, self.remove),
        ):
            button.setAutoDefault(False)
            button.clicked.connect(act)
            tools.addWidget(button)
        tools.addStretch(1)
        left.addLayout(tools)
        side = QWidget()
        right = QVBoxLayout(side)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(8)
        right.addWidget(self.title)
        right.addWidget(self.grid)
        right.addWidget(self.summary)
        right.addStretch(1)
        area = scrolled(side)
        area.setFixedWidth(theme.scaled(320))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(20)
        row.addLayout(left, 1)
        row.addWidget(area)
        self._layouts: tuple[MessageLayout, ...] = ()
        self._filled: tuple[object, object] = (None, None)
        document.changed.connect(self._refresh)
        document.locked_changed.connect(self._show_tools)
        theme.follow(self, DbcPage._reload)
        self._refresh()

    def _refresh(self) -> None:
        now = (self._document.loaded.database, self._document.profile.messages)
        if now[0] is self._filled[0] and now[1] == self._filled[1]:
            return
        self._filled = now
        self._layouts = message_layouts(self._document.loaded)
        chosen = self._chosen()
        self.tree.clear()
        for layout in self._layouts:
            self._add(layout, chosen)
        for column in range(len(_HEADS)):
            self.tree.resizeColumnToContents(column)
        first = self.tree.topLevelItem(0)
        if self.tree.currentItem() is None and first is not None:
            self.tree.setCurrentItem(first)
        self._filter(self.search.text())
        self._show()

    def _reload(self) -> None:
        self._filled = None, None
        self._refresh()

    def _add(self, layout: MessageLayout, chosen: str) -> None:
        bound = self._bound(layout)
        top = QTreeWidgetItem(self.tree)
        roles = ", ".join(dict.fromkeys(self._document.profile.messages[row].role for row in bound))
        self._fill(
            top,
            (
                layout.name,
                layout.id_text(),
                f"{counted(layout.length, 'byte')}",
                "",
                roles.replace("_", " "),
            ),
        )
        top.setToolTip(0, layout.comment)
        carried = self._carried(layout, bound)
        for number, signal in enumerate(layout.signals):
            item = QTreeWidgetItem(top)
            low, high = signal.low, signal.high
            span = (
                f"{low:g} to {high:g} {signal.unit}".rstrip()
                if low is not None and high is not None
                else ""
            )
            least = signal.places[0]
            position = f"byte {least // 8} bit {least % 8}"
            self._fill(
                item, (signal.name, position, signal.text(), span, carried.get(signal.name, ""))
            )
            item.setForeground(1, QBrush(signal_colour(number)))
            item.setToolTip(0, signal.comment)
        if not bound:
            for column in range(len(_HEADS)):
                top.setForeground(column, QBrush(theme.colour("dim")))
        top.setExpanded(bool(bound) and len(self._layouts) < 30)
        if layout.name == chosen:
            self.tree.setCurrentItem(top)

    def _fill(self, item: QTreeWidgetItem, texts: Sequence[str]) -> None:
        for column, text in enumerate(texts):
            item.setText(column, text)

    def _bound(self, layout: MessageLayout) -> list[int]:
        return [
            i
            for i, message in enumerate(self._document.profile.messages)
            if message.message == layout.name
        ]

    def _carried(self, layout: MessageLayout, rows: Sequence[int]) -> dict[str, str]:
        """Use of each signal of a message in the profile."""
        uses: dict[str, list[str]] = {}
        for row in rows:
            message = self._document.profile.messages[row]
            for signal in message.signals:
                slot = "" if signal.slot is None else f" of slot {signal.slot}"
                uses.setdefault(signal.signal, []).append(f"{signal.quantity}{slot}")
            for name, fixed in message.fixed.items():
                uses.setdefault(name, []).append(f"always {fixed}")
        return {name: ", ".join(dict.fromkeys(texts)) for name, texts in uses.items()}

    def _chosen(self) -> str:
        item = self.tree.currentItem()
        if item is None:
            return ""
        parent = item.parent()
        return (parent if parent is not None else item).text(0)

    def _show(self) -> None:
        name = self._chosen()
        self._show_tools()
        layout = next((layout for layout in self._layouts if layout.name == name), None)
        item = self.tree.currentItem()
        signal = item.text(0) if item is not None and item.parent() is not None else ""
        if layout is None:
            self.title.setText("")
            self.grid.show_message(None)
            self.summary.setText("This DBC has no messages." if not self._layouts else "")
            return
        bound = set(self._carried(layout, self._bound(layout)))
        self.title.setText(f"{layout.name}  {layout.id_text()}")
        self.grid.show_message(layout, bound, signal)
        self.summary.setText(
            (f"{layout.comment}<br><br>" if layout.comment else "") + legend(layout, bound)
        )

    # --- edits ------------------------------------------------------------------------------------

    def add_message(self) -> DbcDialog:
        """Open the dialog for a new message."""
        names = {draft.name for draft in self._drafts()}
        name = next(f"Message{n}" for n in range(1, 10_000) if f"Message{n}" not in names)
        return self._ask(MessageDraft(name, *free_id(self._document.loaded), 8, ()), "")

    def edit_message(self) -> DbcDialog | None:
        """Open the dialog for the selected message."""
        draft = next((draft for draft in self._drafts() if draft.name == self._chosen()), None)
        return None if draft is None else self._ask(draft, draft.name)

    def remove(self) -> None:
        """Remove the selected message from the DBC, unless the profile uses it."""
        name = self._chosen()
        try:
            self._document.edit(
                self._document.profile,
                f"Remove {name}",
                dbc=without_message(self._document.dbc, name),
            )
        except ProfileError as error:
            QMessageBox.warning(self, "DBC", str(error))

    def _ask(self, draft: MessageDraft, replaced: str) -> DbcDialog:
        dialog = DbcDialog(self._document, draft, replaced, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self.choose(dialog.draft.name))
        dialog.open()
        return dialog

    def choose(self, name: str) -> None:
        """Select a message and show it, even if the search hides it."""
        for item in self.tree.findItems(name, Qt.MatchFlag.MatchExactly):
            if item.isHidden():
                self.search.clear()
            self.tree.setCurrentItem(item)
            self.tree.scrollToItem(item)

    def _drafts(self) -> tuple[MessageDraft, ...]:
        return drafts_of(self._document.loaded.database)

    def _show_tools(self) -> None:
        locked = bool(self._document.locked)
        name = self._chosen()
        bound = any(message.message == name for message in self._document.profile.messages)
        self.new.setEnabled(not locked)
        self.change.setEnabled(bool(name) and not locked)
        self.drop.setEnabled(bool(name) and not locked and not bound)
        self.drop.setToolTip(
            "The profile uses this message. Remove it from Messages first." if bound else ""
        )

    def _pick(self, name: str) -> None:
        item = self.tree.currentItem()
        top = None if item is None else item.parent() or item
        if top is not None:
            for child in _children(top):
                if child.text(0) == name:
                    self.tree.setCurrentItem(child)

    def _filter(self, text: str) -> None:
        query = text.strip().lower()
        for i in range(self.tree.topLevelItemCount()):
            top = self.tree.topLevelItem(i)
            if top is not None:
                names = [top.text(0), top.text(1), *(child.text(0) for child in _children(top))]
                top.setHidden(bool(query) and not any(query in name.lower() for name in names))

    def _on_double_click(self, item: QTreeWidgetItem, column: int) -> None:
        name = self._chosen()
        rows = [
            i
            for i, message in enumerate(self._document.profile.messages)
            if message.message == name
        ]
        if rows:
            self.message_activated.emit(rows[0])


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (item.child(row) for row in range(item.childCount()))
    return [child for child in children if child is not None]
