"""Keyboard as an input of teleoperation: mapped keys are taken from the focus widget unless it takes text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from snakestudio.gui.robot.teleop.inputs import Input, key_input

_OURS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
"""Modifiers with which a key still counts; with all others it is a shortcut of the window."""


def takes_text(widget: QWidget | None) -> bool:
    """Return whether keys are typed into a widget as text."""
    if isinstance(widget, QComboBox):
        return widget.isEditable()
    return isinstance(widget, QLineEdit | QAbstractSpinBox | QPlainTextEdit | QTextEdit)


class Keys(QObject):
    """Mapped keys that are held while `window` has the keyboard.

    Only the focus widget is watched: watching all of them would cost time at every
    event.

    Signals
    -------
    left()
        Escape was pressed.
    """

    left = Signal()

    def __init__(self, window: QWidget, parent: QObject | None = None) -> None:
        super().__init__(parent or window)
        self._window = window
        self._watched: QWidget | None = None
        self._mapped: frozenset[int] = frozenset()
        self._held: set[int] = set()
        self._tapped: set[int] = set()
        self.on = False

    def set_mapped(self, keys: frozenset[int]) -> None:
        """Set the keys to take."""
        self._mapped = keys
        self._held &= keys
        self._tapped &= keys

    def set_on(self, on: bool) -> None:
        """Take mapped keys, or leave all of them to the window."""
        if on == self.on:
            return
        self.on = on
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        if on:
            app.focusChanged.connect(self._on_focus)
            self._window.installEventFilter(self)
            self._watch(QApplication.focusWidget())
        else:
            app.focusChanged.disconnect(self._on_focus)
            self._window.removeEventFilter(self)
            self._watch(None)
        self.release()

    @property
    def readings(self) -> dict[Input, float]:
        """Keys that are held, or were since the last `looked`, each 1."""
        return {key_input(key): 1.0 for key in self._held | self._tapped}

    def looked(self) -> None:
        """Discard keys that were only tapped, after they were read."""
        self._tapped.clear()

    def release(self) -> None:
        """Release all keys: held keys must be pressed again."""
        self._held.clear()
        self._tapped.clear()

    @property
    def has_keyboard(self) -> bool:
        """Whether keys arrive: the window is in front, and no menu or dialog has the keyboard."""
        return (
            QGuiApplication.applicationState() == Qt.ApplicationState.ApplicationActive
            and self._window.isActiveWindow()
            and QApplication.activePopupWidget() is None
            and QApplication.activeModalWidget() is None
        )

    def _on_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        self._watch(now)
        if takes_text(now):
            self.release()

    def _watch(self, widget: QWidget | None) -> None:
        if self._watched is not None and self._watched is not self._window:
            self._watched.removeEventFilter(self)
            self._watched.destroyed.disconnect(self._discard)
        self._watched = widget
        if widget is not None and widget is not self._window:
            widget.installEventFilter(self)
            widget.destroyed.connect(self._discard)

    def _discard(self) -> None:
        self._watched = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            return False
        assert isinstance(event, QKeyEvent)
        key = int(event.key())
        if kind == QEvent.Type.KeyRelease:
            if key in self._held and not event.isAutoRepeat():
                self._held.discard(key)
            return key in self._mapped and not self._typed(watched)
        if self._typed(watched) or event.modifiers() & ~_OURS:
            return False
        leaves = key == Qt.Key.Key_Escape
        if not (leaves or key in self._mapped):
            return False
        event.accept()
        if kind == QEvent.Type.KeyPress and not event.isAutoRepeat():
            if leaves:
                self.left.emit()
            elif self.has_keyboard:
                self._held.add(key)
                self._tapped.add(key)
        return True

    def _typed(self, watched: QObject) -> bool:
        """Return whether a key is typed into a text; the window also receives keys that its widgets ignored."""
        focus = QApplication.focusWidget() if watched is self._window else watched
        return isinstance(focus, QWidget) and takes_text(focus)
