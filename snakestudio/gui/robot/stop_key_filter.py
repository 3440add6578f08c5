"""The stop that is never out of reach: the space bar and the Stop button, whatever the program is doing.

While a robot is connected, what comes from keyboard and mouse is seen here before anybody else sees it. A press of the
space bar stops, wherever the keyboard is: in a text field, a dialog, a menu, another window of the program; also one
that an input method hands over as text. A press of the mouse on the Stop button stops, also one that an open menu would
take.

Everything that comes from outside goes through one of the program's windows (on the screen, not widgets), and keys
further to the one object that has the keyboard: these are watched. A filter of the whole application would do, too, but
all events of all widgets would go through Python: changing the palette took seconds so, in which nobody could stop.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

if TYPE_CHECKING:
    from snakestudio.gui.robot.stop_button import StopButton

__all__ = ["StopKeyFilter"]

_KINDS = QEvent.Type
_KEYS = frozenset((_KINDS.ShortcutOverride, _KINDS.KeyPress))
_PRESSES = frozenset((_KINDS.MouseButtonPress, _KINDS.MouseButtonDblClick))
_SAME_S = 0.03
_LOOK_MS = 25
"""How often it is looked for new windows; ones that get the keyboard are seen at once."""
_ATTRIBUTE = Qt.ApplicationAttribute.AA_DontUseNativeDialogs


class StopKeyFilter(QObject):
    """Filters what comes from keyboard and mouse while it is on: at other times it costs nothing.

    Parameters
    ----------
    stop : callable
        Stops the robot; called at once, in the middle of the event.
    button : StopButton
        The button that is seen.
    """

    def __init__(self, stop: Callable[[str], None], button: StopButton, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop, self._button = stop, button
        self._native = False
        self._acted = -math.inf
        self._watched: list[QObject] = []
        self.on = False
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._watch)

    def set_on(self, on: bool) -> None:
        """Watch, or do not."""
        if on == self.on:
            return
        self.on = on
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        if on:
            app.focusObjectChanged.connect(self._watch)
            app.focusWindowChanged.connect(self._watch)
            self._look.start()
            # The system's own file dialogs keep the keyboard to themselves.
            self._native = not QCoreApplication.testAttribute(_ATTRIBUTE)
            QCoreApplication.setAttribute(_ATTRIBUTE, True)
        else:
            self._look.stop()
            app.focusObjectChanged.disconnect(self._watch)
            app.focusWindowChanged.disconnect(self._watch)
            if self._native:
                QCoreApplication.setAttribute(_ATTRIBUTE, False)
        self._watch()

    def _watch(self) -> None:
        """Filter the events of all windows, and of what has the keyboard now."""
        wanted: list[QObject] = []
        if self.on:
            wanted += QGuiApplication.topLevelWindows()
            focus: QObject | None = QGuiApplication.focusObject()  # none where another program has the keyboard
            wanted += [focus] if isinstance(focus, QObject) and focus not in wanted else []
        for gone in self._watched:
            if isValid(gone) and gone not in wanted:
                gone.removeEventFilter(self)
        for new in wanted:
            if new not in self._watched:
                new.installEventFilter(self)
        self._watched = wanted

    @property
    def _just_now(self) -> bool:
        """Whether this is the press that was acted on already: nobody presses twice within so short a time."""
        return time.monotonic() - self._acted < _SAME_S

    def _act(self, reason: str) -> None:
        self._stop(reason)
        self._acted = time.monotonic()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _KEYS:
            if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
                # One press comes twice, as a shortcut that is asked for and as a key: the first stops, and nobody else
                # sees either.
                if not event.isAutoRepeat() and not (kind == _KINDS.KeyPress and self._just_now):
                    self._act("Stopped by the space bar.")
                event.accept()
                return True
        elif kind in _PRESSES:
            if (
                isinstance(event, QMouseEvent)
                and event.button() == Qt.MouseButton.LeftButton
                and QApplication.activePopupWidget() is not None
                and self._button.lies_under(event.globalPosition().toPoint())
                and not self._just_now
            ):
                self._act("Stopped by the Stop button.")
        elif kind == _KINDS.InputMethod and isinstance(event, QInputMethodEvent) and " " in event.commitString():
            self._stop("Stopped by the space bar.")
            event.accept()
            return True
        return False
