"""Stop button and space bar: both stop the robot when pressed, not when released."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from shiboken6 import isValid

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget

_TIP = "Stop the robot immediately (Space, from anywhere)"


class StopButton(QPushButton):
    """Large red button; the filter sees the press before the button does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("STOP ROBOT", parent)
        self.setObjectName("stop_robot")
        self.setToolTip(_TIP)
        self.setAccessibleName("Stop the robot")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # the space bar stops anyway; the keyboard focus stays unchanged
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedSize(theme.scaled(132), theme.scaled(36))
        self.apply_theme()

    def apply_theme(self) -> None:
        """Apply the current theme."""
        p = theme.current()
        fill = theme.mixed(p.danger, "#000000", 0.14)
        self.setStyleSheet(
            f"QPushButton {{ background: {fill}; color: #ffffff; border: 2px solid {p.danger}; border-radius: 7px;"
            f" font-weight: 700; padding: 0; }}"
            f"QPushButton:hover {{ background: {p.danger}; }}"
            f"QPushButton:pressed {{ background: {theme.mixed(p.danger, '#000000', 0.4)}; }}"
        )

    @property
    def screen_rect(self) -> QRect:
        """Rectangle on the screen; empty if hidden."""
        return QRect(self.mapToGlobal(QPoint()), self.size()) if self.isVisible() else QRect()

    def is_under(self, point: QPoint) -> bool:
        """Return whether a point of the screen lies on the visible button."""
        return (
            self.isVisible()
            and not self.window().isMinimized()
            and self.screen_rect.contains(point)
        )


class ModalStop(ThemedWidget):
    """Copy of the Stop button over the original while a modal dialog blocks the window.

    It is a window of the dialog, so that the dialog does not block it.

    Parameters
    ----------
    button : StopButton
        Original button.
    """

    def __init__(self, button: StopButton, dialog: QWidget) -> None:
        super().__init__(dialog)
        self.setWindowFlags(
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowDoesNotAcceptFocus
        )
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.button = StopButton(self)
        self._over = button
        self.setFixedSize(button.size())
        self.follow()

    def follow(self) -> None:
        """Move to the position of the original button."""
        rect = self._over.screen_rect
        self.move(rect.topLeft())
        self.setVisible(not rect.isEmpty())

    def apply_theme(self) -> None:
        self.button.apply_theme()

    @staticmethod
    def needed() -> QWidget | None:
        """Return the dialog that blocks the window, or None."""
        return QApplication.activeModalWidget()


# The stop that is always within reach: the space bar and the Stop button, in every state
# of the program.
#
# While a robot is connected, keyboard and mouse events are seen here first. Pressing the space bar
# stops the robot regardless of the keyboard focus: in a text field, a dialog, a menu or another
# window of the program; also if an input method delivers it as text. Pressing the mouse on the Stop
# button stops the robot, even if an open menu would take the event.
#
# All external events pass through one of the program's windows (QWindow, not widgets), and key
# events further to the focus object: these are watched. A filter of the whole application would
# work, too, but it would run all events of all widgets through Python: changing the palette then
# took seconds, in which the robot could not be stopped.


_KINDS = QEvent.Type
_KEYS = frozenset((_KINDS.ShortcutOverride, _KINDS.KeyPress))
_PRESSES = frozenset((_KINDS.MouseButtonPress, _KINDS.MouseButtonDblClick))
_SAME_S = 0.03
_LOOK_MS = 25
"""Interval of the search for new windows, ms; windows that get the keyboard focus are seen immediately."""
_ATTRIBUTE = Qt.ApplicationAttribute.AA_DontUseNativeDialogs


class StopKeyFilter(QObject):
    """Event filter of keyboard and mouse while it is on; costs nothing otherwise.

    Parameters
    ----------
    stop : callable
        Stops the robot; called immediately, in the middle of the event.
    button : StopButton
        Visible Stop button.
    """

    def __init__(
        self, stop: Callable[[str], None], button: StopButton, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._stop = stop
        self._button = button
        self._native = False
        self._acted = -math.inf
        self._watched: list[QObject] = []
        self.on = False
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._watch)

    def set_on(self, on: bool) -> None:
        """Switch the filter on or off."""
        if on == self.on:
            return
        self.on = on
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        if on:
            app.focusObjectChanged.connect(self._watch)
            app.focusWindowChanged.connect(self._watch)
            self._timer.start()
            # Native file dialogs of the system keep the keyboard for themselves.
            self._native = not QCoreApplication.testAttribute(_ATTRIBUTE)
            QCoreApplication.setAttribute(_ATTRIBUTE, True)
        else:
            self._timer.stop()
            app.focusObjectChanged.disconnect(self._watch)
            app.focusWindowChanged.disconnect(self._watch)
            if self._native:
                QCoreApplication.setAttribute(_ATTRIBUTE, False)
        self._watch()

    def _watch(self) -> None:
        """Filter the events of all windows and of the focus object."""
        targets: list[QObject] = []
        if self.on:
            targets += QGuiApplication.topLevelWindows()
            # None if another program has the keyboard
            focus: QObject | None = QGuiApplication.focusObject()
            for each in (focus, QApplication.activePopupWidget()):
                targets += [each] if isinstance(each, QObject) and each not in targets else []
        for widget in self._watched:
            if isValid(widget) and widget not in targets:
                widget.removeEventFilter(self)
        for new in targets:
            if new not in self._watched:
                new.installEventFilter(self)
        self._watched = targets

    @property
    def _just_now(self) -> bool:
        """Whether this press was already handled; no one presses twice in such a short time."""
        return time.monotonic() - self._acted < _SAME_S

    def _act(self, reason: str) -> None:
        self._stop(reason)
        self._acted = time.monotonic()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _KEYS:
            if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
                # One press arrives twice, as a shortcut override and as a key: the first one stops the
                # robot, and no other object receives either.
                if not event.isAutoRepeat() and not (kind == _KINDS.KeyPress and self._just_now):
                    self._act("Stopped by the space bar.")
                event.accept()
                return True
        elif kind in _PRESSES:
            if (
                isinstance(event, QMouseEvent)
                and event.button() == Qt.MouseButton.LeftButton
                and QApplication.activePopupWidget() is not None
                and self._button.is_under(event.globalPosition().toPoint())
                and not self._just_now
            ):
                self._act("Stopped by the Stop button.")
        elif (
            kind == _KINDS.InputMethod
            and isinstance(event, QInputMethodEvent)
            and " " in event.commitString()
        ):
            self._stop("Stopped by the space bar.")
            event.accept()
            return True
        return False
