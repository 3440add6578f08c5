"""Time bar below the viewport: the track, transport buttons and time display."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics, QMoveEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QToolButton, QWidget

from snakestudio.drawing.camera import Camera
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.runs.speed_chooser import SPEEDS
from snakestudio.gui.runs.timeline.track import TimelineTrack
from snakestudio.model.run_time import run_time_of

_MENU = (
    "continue_here",
    "",
    "play_recorded",
    "loop",
    "mark_in",
    "mark_out",
    "play_all",
    "",
    "event_back",
    "event_on",
    "show_all_time",
)


_LOW = 840
"""Height of the window, px of the design, below which the bar is compact."""

_NARROW = 560
"""Width of the bar, px of the design, below which it is narrow."""

_NARROWEST = 320
"""Minimum width of the bar, px of the design."""

_LINE = 48
_LINES = 80
"""Height in a low window and otherwise, px of the design."""


class TimeBar(QWidget):
    """Time bar; `set_actions` adds its buttons once the commands exist.

    Parameters
    ----------
    camera : callable
        Returns the camera of the viewport, which thumbnails use, too.
    """

    def __init__(
        self,
        session_controller: SessionController,
        document: Document,
        parent: QWidget | None = None,
        camera: Callable[[], Camera] = Camera,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._layout = column = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        column.setContentsMargins(4, 2, 4, 2)
        column.setSpacing(0)
        self._row = QHBoxLayout()
        self._row.setContentsMargins(4, 0, 8, 0)
        self._row.setSpacing(8)
        self.track = TimelineTrack(session_controller, document, self, camera)
        self.times = _Times(self.track, self)
        self.live = QToolButton(self)
        self.live.setText("Live")
        self.live.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.live.setFixedHeight(theme.scaled(28))
        self.live.clicked.connect(lambda: session_controller.set_cursor(None))
        self.transport: Transport | None = None
        column.addWidget(self.track, 1)
        column.addLayout(self._row)
        self._row.addStretch(1)
        self._row.addWidget(self.times)
        self._row.addWidget(self.live)
        session_controller.cursor_changed.connect(self._on_cursor)
        session_controller.source_changed.connect(self._on_cursor)
        self.track.refreshed.connect(self.times.refresh)
        theme.set_icon(self.live, "live")
        self._on_cursor()

    def set_actions(self, action: Callable[[str], QAction]) -> None:
        """Add the buttons of the commands that act on time."""
        self.transport = Transport(self._session_controller, action, self)
        self._row.insertWidget(0, self.transport)
        menu = Menu(self.track)
        for name in _MENU:
            if name:
                menu.addAction(action(name))
            else:
                menu.addSeparator()
        self.track.set_menu(menu)

    def close_pictures(self) -> None:
        """Release the resources of thumbnails; called before the program quits."""
        self.track.close_pictures()

    def _on_cursor(self) -> None:
        loaded = self._session_controller.source == "replay"
        self.live.setText("End" if loaded else "Live")
        self.live.setToolTip(
            "Go to the last sample (End)" if loaded else "Return to the newest state (End)"
        )
        self.live.setAccessibleName(
            "Go to the last sample" if loaded else "Return to the newest state"
        )
        self.live.setEnabled(not self._session_controller.live)
        self.times.refresh()

    def _fit(self) -> None:
        """Use a single line in a low window; omit the time display there and in a narrow window.

        The bar at the top shows the times, too.
        """
        low = self.window().height() < theme.scaled(_LOW)
        self.times.setVisible(not low and self.width() >= theme.scaled(_NARROW))
        narrow = low and self.width() < theme.scaled(_NARROW)
        if self.transport is not None:
            self.transport.set_narrow(narrow)
        styles = Qt.ToolButtonStyle
        self.live.setToolButtonStyle(
            styles.ToolButtonIconOnly if narrow else styles.ToolButtonTextBesideIcon
        )
        directions = QBoxLayout.Direction
        self._layout.setDirection(directions.LeftToRight if low else directions.TopToBottom)
        self.setFixedHeight(theme.scaled(_LINE if low else _LINES))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.scaled(_NARROWEST), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def moveEvent(self, event: QMoveEvent) -> None:
        self._fit()  # at the lower edge: moves when the height of the window changes


_TIMES = 164
"""Width of the times of a short run, px of the design; constant so that digits do not shift it."""


class _Times(QWidget):
    """Display of the shown time and the total time."""

    def __init__(self, track: TimelineTrack, parent: QWidget) -> None:
        super().__init__(parent)
        self._track = track
        self.font_of_times = theme.value_font(13)
        self._fit()

    def refresh(self) -> None:
        """Show the times of the track, with the width of the widest text."""
        self._fit()
        self.update()

    def _fit(self) -> None:
        end = self._track.end
        needed = QFontMetrics(self.font_of_times).horizontalAdvance(
            run_time_of(end, end)
        ) + theme.scaled(8)
        self.setFixedSize(max(theme.scaled(_TIMES), needed), theme.scaled(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setFont(self.font_of_times)
            painter.setPen(theme.colour("text"))
            # A robot reports its state after its run has ended: the shown time is then the end
            # of the run.
            end = self._track.end
            text = run_time_of(min(self._track.shown_time, end), end)
            painter.drawText(
                self.rect(), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text
            )
        finally:
            painter.end()


BUTTONS = ("to_start", "event_back", "row_back", "play_recorded", "row_on", "event_on", "loop")
"""Commands that have a button, from left to right."""


class Transport(QWidget):
    """Transport buttons and playback speed.

    Parameters
    ----------
    action : callable
        Returns a command by its name.
    """

    def __init__(
        self,
        session_controller: SessionController,
        action: Callable[[str], QAction],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.buttons = {name: self._button(action(name)) for name in BUTTONS}
        for button in self.buttons.values():
            row.addWidget(button)
        self.speed = QToolButton(self)
        self.speed.setProperty("role", "flat")
        self.speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.speed.setAccessibleName("Playback speed")
        self.speed.setToolTip("Playback speed relative to real time")
        self.speed.setFixedSize(theme.scaled(64), theme.scaled(28))
        menu = Menu(self.speed)
        for speed in SPEEDS:
            menu.addAction(_name(speed)).triggered.connect(
                lambda _=False, chosen=speed: self._choose(chosen)
            )
        self.speed.setMenu(menu)
        row.addWidget(self.speed)
        self._spare = self.buttons["event_back"], self.buttons["event_on"], self.speed
        session_controller.replay_changed.connect(self._show)
        self._show()

    def set_narrow(self, narrow: bool) -> None:
        """Hide the buttons that are also in menus when the window is narrow."""
        for button in self._spare:
            button.setVisible(not narrow)

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setProperty("role", "flat")
        button.setIconSize(QSize(16, 16))
        button.setFixedSize(theme.scaled(28), theme.scaled(28))
        return button

    def _choose(self, speed: float) -> None:
        self._session_controller.set_playing_speed(speed)

    def _show(self) -> None:
        replay = self._session_controller.replay
        self.speed.setEnabled(replay is not None)
        self.speed.setText(_name(replay.speed if replay is not None else 1.0))


def _name(speed: float) -> str:
    return "max" if math.isinf(speed) else f"{speed:g} ×"
