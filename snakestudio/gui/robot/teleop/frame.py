"""Frame and status line over the viewport that show that teleoperation is on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.robot.teleop.teleop import Teleop
from snakestudio.model.teleop import TeleopCommand

_TALL = 30
_PAD = 14


def command_words(command: TeleopCommand) -> str:
    """Return the short text of a command."""
    if command.still:
        return "at rest"
    parts = []
    if command.speed:
        parts.append(f"{'ahead' if command.speed > 0 else 'back'} {abs(100 * command.speed):.0f} %")
    if command.turn:
        parts.append(f"{'left' if command.turn > 0 else 'right'} {abs(100 * command.turn):.0f} %")
    return ", ".join(parts)


class TeleopFrame(QWidget):
    """Overlay of the viewport that takes no mouse events.

    Parameters
    ----------
    below : QWidget
        Viewport.
    free_range : callable
        Returns the free range along its upper edge, px.
    waiting : callable
        Returns why nothing moves despite a command, as a short text; empty if it moves.
    """

    def __init__(
        self,
        teleop: Teleop,
        below: QWidget,
        free_range: Callable[[], tuple[int, int]],
        waiting: Callable[[], str],
    ) -> None:
        super().__init__(below)
        self._teleop = teleop
        self._below = below
        self._free_range = free_range
        self._waiting = waiting
        self._last_text = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Teleoperation")
        self.hide()
        below.installEventFilter(self)
        teleop.changed.connect(self._refresh)
        teleop.steered.connect(self._refresh)

    @property
    def text(self) -> str:
        """Shown text."""
        return (
            self._teleop.notice
            or f"{self._waiting() or command_words(self._teleop.command)}  ·  Esc leaves"
        )

    def _refresh(self) -> None:
        if self._teleop.on and self.isHidden():
            self.setGeometry(self._below.rect())
            self.show()
            self.raise_()
        elif not self._teleop.on:
            self.hide()
        if self.text != self._last_text:
            self._last_text = self.text
            self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._below.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            edge = theme.colour("warning" if self._teleop.notice else "accent")
            painter.setPen(QPen(edge, 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
            name = theme.text_font(13, strong=True)
            text = theme.text_font(13)
            wide = QFontMetricsF(name).horizontalAdvance("Teleoperation")
            total = wide + QFontMetricsF(text).horizontalAdvance(self.text) + 3 * _PAD
            # Between legend and buttons; a longer text is shown at the bottom, over the hint.
            tall = theme.scaled(_TALL)
            (first, last) = self._free_range()
            first = first + _PAD if first else 0
            last = last - _PAD
            left = max(min(0.5 * (self.width() - total), last - total), first)
            top = 0.0
            if total > last - first:
                left = max(0.5 * (self.width() - total), 0.0)
                top = self.height() - 2.5 * tall
            plate = QRectF(left, top, total, tall)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(edge)
            painter.drawRoundedRect(plate.adjusted(0, -6 if top == 0.0 else 0, 0, 0), 6, 6)
            painter.setPen(theme.colour("on_accent"))
            painter.setFont(name)
            middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(plate.adjusted(_PAD, 0, 0, 0), middle, "Teleoperation")
            painter.setFont(text)
            painter.drawText(plate.adjusted(2 * _PAD + wide, 0, 0, 0), middle, self.text)
        finally:
            painter.end()
