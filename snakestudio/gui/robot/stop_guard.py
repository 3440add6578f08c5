"""The stop that is never out of reach: the space bar and the Stop button, whatever the program is doing.

While a robot is connected an event filter sees every event of the program before anybody else. A press of the space
bar stops, wherever the keyboard is: in a text field, a dialog, a menu, another window of the program; also one that an
input method hands over as text. A press of the mouse on the Stop button stops, also one that an open menu would take.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from snakestudio.gui.robot.stop_button import StopButton

__all__ = ["StopGuard"]

_KINDS = QEvent.Type
_KEYS = frozenset((_KINDS.ShortcutOverride, _KINDS.KeyPress))
_PRESSES = frozenset((_KINDS.MouseButtonPress, _KINDS.MouseButtonDblClick))
_SAME_S = 0.03
_ATTRIBUTE = Qt.ApplicationAttribute.AA_DontUseNativeDialogs


class StopGuard(QObject):
    """Filters the program's events while it is on: at other times it costs nothing.

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
        self.on = False

    def set_on(self, on: bool) -> None:
        """Watch, or do not."""
        if on == self.on:
            return
        self.on = on
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        if on:
            app.installEventFilter(self)
            # The system's own file dialogs keep the keyboard to themselves.
            self._native = not QCoreApplication.testAttribute(_ATTRIBUTE)
            QCoreApplication.setAttribute(_ATTRIBUTE, True)
        else:
            app.removeEventFilter(self)
            if self._native:
                QCoreApplication.setAttribute(_ATTRIBUTE, False)

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
