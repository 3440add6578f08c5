"""The gallery over the window: scenes to start with, shown at the first start and from the Help menu."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.recent_files import RecentFiles
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.shell.card_view import (
    GAP,
    CardModel,
    CardView,
    SceneDelegate,
    SceneFilter,
    Start,
    StartDelegate,
)
from snakestudio.gui.shell.modal_overlay import ModalOverlay, card_frame, make_head
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.viewmodel.gallery import Entry, entries
from snakestudio.viewmodel.papers import cited, short_name


class Chips(QWidget):
    """One row of filters: papers, then models; at most one of each is on.

    Signals
    -------
    changed()
        Another filter is on, or none.
    """

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        papers = sorted({paper for entry in entries() for paper in entry.papers})
        used = {entry.model for entry in entries()}
        self.papers = self._group(
            "Paper", {paper: short_name(paper) for paper in papers}, "Scenes from the paper {}"
        )
        row.addSpacing(18)
        models = [info.short for info in FORMULATIONS.values() if info.short in used]
        self.models = self._group(
            "Model", {model: model for model in models}, "Scenes that use the {} model"
        )
        row.addStretch(1)

    def _group(self, caption: str, names: Mapping[str, str], tip: str) -> dict[str, QToolButton]:
        """Return the buttons by their names, with their texts."""
        row = self.layout()
        assert isinstance(row, QHBoxLayout)
        label = QLabel(caption, self)
        label.setProperty("role", "dim")
        row.addWidget(label)
        buttons: dict[str, QToolButton] = {}
        for name, text in names.items():
            button = QToolButton(self)
            button.setText(text)
            button.setCheckable(True)
            button.setProperty("role", "chip")
            button.setToolTip(tip.format(text))
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
        """The chosen paper, "" for any."""
        return _on(self.papers)

    @property
    def model(self) -> str:
        """Short name of the chosen model, "" for any."""
        return _on(self.models)


def _on(group: dict[str, QToolButton]) -> str:
    return next((name for name, button in group.items() if button.isChecked()), "")


_WIDEST = 1180
_HIGHEST = 900
_MARGIN = 24
_RECENT = 6


class SceneFiles(Protocol):
    """Methods of `Files` that open scenes."""

    @property
    def recent(self) -> RecentFiles:
        """Recent scene files, newest first."""

    def new(self) -> object:
        """Open an empty scene."""

    def ask_open(self) -> object:
        """Ask which scene to open."""

    def open(self, path: Path) -> object:
        """Open a scene."""


class Gallery(ModalOverlay):
    """Every bundled scene, an empty one, and the recent files, as cards.

    Parameters
    ----------
    files : SceneFiles
        Opens the scenes.
    document : Document
        The gallery closes when another scene is opened.
    """

    def __init__(self, window: QMainWindow, files: SceneFiles, document: Document) -> None:
        super().__init__(window)
        self._files = files
        self._highlighted: Entry | Start | None = None
        self.frame = card_frame(self)
        self.chips = Chips(self.frame)
        self.starts = CardView(
            "Start", CardModel(self._make_starts(), self), StartDelegate, self.frame
        )
        self._scene_filter = SceneFilter(self)
        self._scene_filter.setSourceModel(CardModel(entries(), self))
        self.scenes = CardView("Scenes", self._scene_filter, SceneDelegate, self.frame)
        column = QVBoxLayout(self.frame)
        column.setContentsMargins(0, 20, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._make_head())
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
        self.chips.changed.connect(self._filter)
        for view in (self.starts, self.scenes):
            view.opened.connect(self._open_item)
            view.highlighted.connect(self._highlight)
            view.typed.connect(self._type)
            view.selectionModel().currentChanged.connect(partial(self._show_current, view))
        self.starts.edge_reached.connect(self._on_starts_edge)
        self.scenes.edge_reached.connect(self._on_scenes_edge)
        self._filter()
        document.opened.connect(self.close_sheet)

    # --- parts ------------------------------------------------------------------------------------

    def _make_starts(self) -> list[Start]:
        files = self._files
        recent = [
            Start("recent", path.name, str(path.parent), partial(files.open, path), path)
            for path in files.recent.paths[:_RECENT]
        ]
        return [
            Start("new", "New empty scene", "A robot on an open floor", files.new),
            Start("open", "Open...", "A scene or an exported run", files.ask_open),
            *recent,
        ]

    def _make_head(self) -> QHBoxLayout:
        head, self.search = make_head(self, self.frame, "Scene Gallery", "Search scenes")
        head.setContentsMargins(_MARGIN, 0, 16, 0)
        self.search.textChanged.connect(self._filter)
        return head

    def _make_cards(self) -> QWidget:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(_MARGIN, 16, _MARGIN - GAP, _MARGIN - GAP)
        column.setSpacing(0)
        column.addWidget(self.starts)
        column.addSpacing(20 - GAP)
        self._count = heading("")
        column.addWidget(self._count)
        column.addSpacing(10)
        column.addWidget(self.scenes)
        self._nothing = QLabel("No matching scenes. Remove a word or a filter.", inner)
        self._nothing.setObjectName("nothing_found")
        self._nothing.setProperty("role", "dim")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setMinimumHeight(theme.scaled(160))
        column.addWidget(self._nothing)
        column.addStretch(1)
        return inner

    def _make_foot(self) -> QWidget:
        """Return the description of the highlighted card, in full."""
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
        self.open_button.clicked.connect(lambda: self._open_item(self._highlighted))
        row.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignBottom)
        return foot

    def arrange(self) -> None:
        width = min(self.width() - 48, theme.scaled(_WIDEST))
        height = min(self.height() - 48, theme.scaled(_HIGHEST))
        self.frame.setGeometry(
            (self.width() - width) // 2, (self.height() - height) // 2, width, height
        )

    # --- actions ----------------------------------------------------------------------------------

    def _filter(self) -> None:
        query = self.search.text()
        self._scene_filter.set_filter(query, self.chips.paper, self.chips.model)
        scenes = self.scenes.items
        self._nothing.setVisible(not scenes)
        every = len(entries())
        self._count.setText(
            f"Scenes ({every})" if len(scenes) == every else f"Scenes ({len(scenes)} of {every})"
        )
        # While the user types, Enter opens the first scene, so that is the one described below.
        at = self._highlighted
        if query or at is None or (isinstance(at, Entry) and at not in scenes):
            self._highlight(scenes[0] if scenes else None)

    def _highlight(self, item: Entry | Start | None) -> None:
        if item is self._highlighted and item is not None:
            return
        self._highlighted = item
        self.open_button.setEnabled(item is not None)
        dim = theme.current().dim
        if isinstance(item, Entry):
            source = f"<span style='color:{dim}'>· {escape(cited(item.source))}</span>"
            self.text.setText(
                f"<b>{escape(item.title)}</b> {source}<br>{escape(cited(item.description))}"
            )
        elif isinstance(item, Start):
            description = f"<span style='color:{dim}'>{escape(cited(item.description))}</span>"
            self.text.setText(f"<b>{escape(item.title)}</b><br>{description}")
        else:
            self.text.clear()

    def _open_item(self, item: Entry | Start | None) -> None:
        if isinstance(item, Entry):
            self._files.open(item.path)
        elif item is not None:
            item.open()

    def _show_current(self, view: CardView, index: QModelIndex, before: QModelIndex) -> None:
        """Scroll to the card with the keyboard focus."""
        if index.isValid():
            card = view.card_at(index.row()).translated(view.pos())
            middle = card.center()
            self._area.ensureVisible(middle.x(), middle.y(), 0, card.height() // 2 + _MARGIN)

    def _on_starts_edge(self, key: Qt.Key) -> None:
        """Move down to the scenes, or up to the search field."""
        if key == Qt.Key.Key_Up:
            self.search.setFocus(Qt.FocusReason.BacktabFocusReason)
        elif self.scenes.items:
            column = self.starts.currentIndex().row() % self.starts.columns
            self.scenes.focus_card(min(column, len(self.scenes.items) - 1))

    def _on_scenes_edge(self, key: Qt.Key) -> None:
        """Move up to the starts."""
        if key == Qt.Key.Key_Up:
            column = self.scenes.currentIndex().row() % self.scenes.columns
            last = len(self.starts.items) - 1
            row = last // self.starts.columns * self.starts.columns + column
            self.starts.focus_card(row if row <= last else max(row - self.starts.columns, 0))

    def _type(self, text: str) -> None:
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self.search.insert(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.search
            and event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
        ):
            key = event.key()
            if key == Qt.Key.Key_Down:
                view = self.scenes if self.search.text() else self.starts
                if view.items:
                    view.focus_card(0)
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if self.scenes.items:
                    self._open_item(self.scenes.items[0])
                return True
            if key == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)


def _rule(parent: QWidget) -> QFrame:
    rule = QFrame(parent)
    rule.setProperty("role", "line")
    return rule
