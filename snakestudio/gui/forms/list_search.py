"""Search field above the open list of a combo box."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QLineEdit

_OF_LIST = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_Escape,
)
"""Keys that act on the list while the field has the focus."""


class ListSearch(QLineEdit):
    """Field that hides the entries of an open list that do not match its text.

    Parameters
    ----------
    box : QComboBox
        The box; the field is added to the window of its list.
    is_found : callable
        Returns whether the entry with an index matches a query.
    """

    def __init__(self, box: QComboBox, is_found: Callable[[int, str], bool]) -> None:
        super().__init__()
        self._box = box
        self._is_found = is_found
        self.setPlaceholderText("Search")
        self.setAccessibleName(f"Search {box.accessibleName().lower()}")
        self.setClearButtonEnabled(True)
        window = box.view().parentWidget()
        layout = None if window is None else window.layout()
        assert layout is not None
        layout.insertWidget(0, self)  # type: ignore[attr-defined]  # a QBoxLayout
        self.textChanged.connect(self._filter)
        self.installEventFilter(self)

    def begin(self) -> None:
        """Show all entries, and take the keyboard."""
        self.clear()
        self._filter("")
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def _filter(self, query: str) -> None:
        view = self._box.view()
        listed = [index for index in range(self._box.count()) if self._is_found(index, query)]
        for index in range(self._box.count()):
            view.setRowHidden(index, index not in listed)  # type: ignore[attr-defined]  # a QListView
        model = self._box.model()
        if listed and query:
            view.setCurrentIndex(model.index(listed[0], self._box.modelColumn()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _OF_LIST
        ):
            QCoreApplication.sendEvent(self._box.view(), event)
            return True
        return super().eventFilter(watched, event)
