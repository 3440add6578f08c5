"""Field that finds values of a scene by their titles or keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

from snakestudio.gui.core import theme
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.study.study_values import properties_found, title_of

_SHOWN = 60
_FRAME = 10
"""Height of the list's borders, px, which Qt does not include."""


class KeyField(QLineEdit):
    """Field for a word of a value's name, completed from a list, or for a key; several keys are joined by "+".

    Parameters
    ----------
    what : str
        Placeholder that names the purpose of the value.
    scene : callable
        Returns the scene whose values are offered; None if it is not known yet.
    all_obstacles : bool
        Whether a value of all obstacles is allowed: ``obstacles[*].x_m``.

    Signals
    -------
    chosen(keys: tuple of str)
    """

    chosen = Signal(tuple)

    def __init__(
        self, what: str, scene: Callable[[], Scene | None], *, all_obstacles: bool = False
    ) -> None:
        super().__init__()
        self._scene = scene
        self._all = all_obstacles
        self._offered: dict[str, str] = {}
        self.setPlaceholderText(what)
        self.setAccessibleName(what)
        self.setClearButtonEnabled(True)
        self.setToolTip(
            "Name, symbol or key of any value of the scene; keys joined by + get the same value"
        )
        self._list = QStringListModel(self)
        self.popup = QListView()
        self.popup.setProperty("role", "completion")
        self.popup.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.completer_ = QCompleter(self._list, self)
        self.completer_.setPopup(self.popup)
        self.completer_.setWidget(self)
        self.completer_.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.completer_.setMaxVisibleItems(10)
        self.completer_.activated.connect(self._choose_entry)
        self.textEdited.connect(self._offer)

    def _offer(self) -> None:
        scene = self._scene()
        text = self.text().strip()
        self._offered = {}
        if scene is None or not text or "+" in text:
            self.popup.hide()
            return
        for item in properties_found(scene, text, _SHOWN):
            key = item.keys[0]
            if self._all and key.startswith("obstacles["):
                every = f"obstacles[*].{key.rpartition('.')[2]}"
                self._offered.setdefault(f"{title_of(scene, [every])}  –  {every}", every)
            unused = "  (no effect)" if item.unused else ""
            self._offered[f"{title_of(scene, [key])}{unused}  –  {key}"] = key
        self._list.setStringList(list(self._offered))
        if not self._offered:
            self.popup.hide()
            return
        self.popup.setMinimumWidth(max(self.width(), theme.scaled(380)))
        self.completer_.complete()
        self.popup.resize(self.popup.width(), self.popup.height() + _FRAME)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.popup.hide()
            self.clear()
            event.accept()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            index = self.popup.currentIndex()
            if self.popup.isVisible() and index.isValid():
                self._choose_entry(str(index.data()))
            else:
                self._choose_typed()
            event.accept()
        else:
            super().keyPressEvent(event)

    def _choose_entry(self, entry: str) -> None:
        self._choose((self._offered.get(entry, entry),))

    def _choose_typed(self) -> None:
        """Choose the typed keys, or the only value that a name fits best."""
        text = self.text().strip()
        keys = tuple(part.strip() for part in text.split("+") if part.strip())
        known = set(self._offered.values())
        if len(keys) == 1 and keys[0] not in known and "." not in keys[0] and self._offered:
            keys = (next(iter(self._offered.values())),)
        if keys:
            self._choose(keys)

    def _choose(self, keys: tuple[str, ...]) -> None:
        self.popup.hide()
        self.chosen.emit(keys)
        # The completer sets its text in the field after this has returned.
        QTimer.singleShot(0, self, self.clear)
