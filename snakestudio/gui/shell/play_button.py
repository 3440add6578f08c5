"""The Play button: while there is no engine it is wider and says what it waits for, how far that is, and how long."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QActionEvent, QFontMetrics, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.session.compile_texts import ENGINE_NAMES, percent, time_left

__all__ = ["PlayButton"]

_RADIUS = 6.0
_BAR = 3
_WIDEST = "88 % · longer than expected"


class PlayButton(QToolButton):
    """Plays and pauses; while the engine is prepared it shows the progress, and a cross in it cancels.

    Parameters
    ----------
    action : QAction
        What it does.
    bridge : SessionController
        What it waits for.
    """

    def __init__(self, action: QAction, bridge: SessionController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._short = False
        self._caption = self._value = self._tip = self._name = ""
        self._progress: float | None = None
        self._queued = False
        self.setDefaultAction(action)
        self.setProperty("role", "primary")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setIconSize(QSize(18, 18))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.cancel = QToolButton(self)
        self.cancel.setProperty("role", "flat")
        self.cancel.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.cancel.setToolTip("Cancel preparing the engine")
        self.cancel.setAccessibleName("Cancel preparing the engine")
        self.cancel.clicked.connect(bridge.session.cancel_preparing)
        self._small, self._large = theme.text_font(11), theme.value_font(13)
        self.renew_theme()
        bridge.status_changed.connect(self._refresh)
        bridge.source_changed.connect(self._refresh)
        self._refresh()

    @property
    def says(self) -> str:
        """Everything that stands on it; empty while it is the plain button."""
        return " ".join(part for part in (self._caption, self._value) if part)

    @property
    def progress(self) -> float | None:
        """Finished fraction it shows, if it shows one."""
        return self._progress

    def make_room(self, room: bool) -> None:
        """Do without the caption: the window is narrow."""
        self._short = room
        self._refresh()

    def renew_theme(self) -> None:
        """The palette is another one."""
        self.cancel.setIcon(theme.icon("close", "dim"))
        self.update()

    def _refresh(self) -> None:
        status = self._bridge.status  # once: the session goes on meanwhile
        caption = value = tip = ""
        progress, queued = None, False
        if self._bridge.source == "simulation" and status.state == "preparing":
            self._name, progress, queued = ENGINE_NAMES[status.engine], status.progress, status.queued
            caption = "Plays when ready" if queued else f"Preparing the {self._name} engine"
            value = f"{percent(progress)} · {time_left(status.seconds_left)}"
            then = "It plays when ready; press again if it shall not" if queued else "Press to play when ready"
            tip = f"Preparing the {self._name} engine {value}\n{then} (Space)"
        elif self._bridge.source == "simulation" and status.state == "unprepared":
            self._name = ENGINE_NAMES[status.engine]
            caption, value = f"The {self._name} engine is not prepared", "Prepare and play"
            tip = f"{status.message}\nPress to prepare it and play (Space)"
        if (caption, value, progress, tip) != (self._caption, self._value, self._progress, self._tip):
            self._caption, self._value, self._progress, self._tip = caption, value, progress, tip
            self._queued = queued
            self.setAccessibleName(caption)
            self.setAccessibleDescription(tip)
            self._explain()
            self.update()
        self.cancel.setVisible(progress is not None)
        size = QSize(self._width(short=self._short), theme.scaled(34))
        if size != self.minimumSize():
            self.setFixedSize(size)

    def _explain(self) -> None:
        """Say in the tip what it waits for, or what the action says."""
        self.setToolTip(self._tip or "".join(action.toolTip() for action in self.actions()))

    @property
    def spare(self) -> int:
        """What it saves to do without the caption, px."""
        return self._width(short=False) - self._width(short=True)

    def _width(self, *, short: bool) -> int:
        plain = theme.scaled(44)
        if not self.says:
            return plain
        waits = self._progress is not None
        # As wide as it can get while the engine is prepared, so that nothing beside it moves as the seconds pass.
        values = [_WIDEST if waits and not short else self._value]
        captions = [] if short else [self._caption]
        if waits and not short:
            captions = [f"Preparing the {self._name} engine", "Plays when ready"]
        small, large = QFontMetrics(self._small), QFontMetrics(self._large)
        wide = max(*(large.horizontalAdvance(text) for text in values), *map(small.horizontalAdvance, captions), 0)
        return plain + wide + theme.scaled(26 if waits else 12)

    def actionEvent(self, event: QActionEvent) -> None:
        super().actionEvent(event)  # which takes the action's words
        self._explain()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.says:
            super().paintEvent(event)
            return
        painter = QPainter(self)
        try:
            self._paint(painter)
        finally:
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        outline = QPainterPath()
        outline.addRoundedRect(frame, _RADIUS, _RADIUS)
        painter.fillPath(outline, theme.colour("raised" if self.underMouse() else "card"))
        if self._progress is not None:
            painter.save()
            painter.setClipPath(outline)
            done = round(self._progress * self.width())
            painter.fillRect(0, self.height() - _BAR, self.width(), _BAR, theme.colour("line"))
            painter.fillRect(0, self.height() - _BAR, done, _BAR, theme.colour("accent"))
            painter.restore()
        pen = painter.pen()
        pen.setColor(theme.colour("accent" if self.hasFocus() or self._queued else "line"))
        painter.setPen(pen)
        painter.drawPath(outline)
        size, plain = self.iconSize().width(), theme.scaled(44)
        glyph = theme.icon("play", "dim" if self._progress is not None and not self._queued else "accent")
        area = QRect(0, 0, self.width(), self.height() - (_BAR if self._progress is not None else 0))
        glyph.paint(painter, QRect((plain - size) // 2, area.center().y() - size // 2 + 1, size, size))
        left, half = plain, area.height() // 2
        room = self.width() - left - (theme.scaled(26) if self._progress is not None else theme.scaled(8))
        middle = Qt.AlignmentFlag.AlignVCenter
        if not self._short:
            painter.setFont(self._small)
            painter.setPen(theme.colour("accent" if self._queued else "dim"))
            painter.drawText(QRect(left, 1, room, half), middle, self._caption)
        painter.setFont(self._large)
        painter.setPen(theme.colour("text"))
        lower = QRect(left, 0, room, area.height()) if self._short else QRect(left, half - 1, room, half)
        painter.drawText(lower, middle, self._value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = theme.scaled(22)
        self.cancel.setGeometry(self.width() - side - 4, (self.height() - _BAR - side) // 2, side, side)
