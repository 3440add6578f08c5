"""A row that gives up its least important parts one after the other where a window is narrow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import Themed

_AROUND_ICON = 6
"""Room between a button's icon and its text, px."""
_SLACK = 12
"""Room that is left when something comes back, px: it must not go again at once, by a pixel more
than it said."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One thing to do without: `take(True)` does, and saves so many pixels."""

    take: Callable[[bool], object]
    saves: Callable[[], int]


class NarrowRow(Themed):
    """A row of widgets that can be as narrow as `least` (px of the design).

    What is given up must be hidden or shown by nobody else.
    """

    def __init__(self, least: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = least
        self._steps: list[_Step] = []
        self._given_up = 0
        self.row = QHBoxLayout(self)

    def give_up(self, *widgets: QWidget) -> None:
        """Hide these together, next."""

        def take(on: bool) -> None:
            for widget in widgets:
                widget.setVisible(not on)

        def saves() -> int:
            gap = self.row.spacing()
            return sum(
                max(widget.minimumWidth(), widget.minimumSizeHint().width()) + gap
                for widget in widgets
            )

        self._steps.append(_Step(take, saves))

    def give_up_text(self, button: QToolButton) -> None:
        """Leave a button its icon only, next."""
        styles = Qt.ToolButtonStyle

        def take(on: bool) -> None:
            button.setToolButtonStyle(
                styles.ToolButtonIconOnly if on else styles.ToolButtonTextBesideIcon
            )

        self._steps.append(
            _Step(
                take, lambda: button.fontMetrics().horizontalAdvance(button.text()) + _AROUND_ICON
            )
        )

    def give_up_by(self, take: Callable[[bool], object], saves: Callable[[], int]) -> None:
        """Save some pixels by `take(True)`, next."""
        self._steps.append(_Step(take, saves))

    def fit(self) -> None:
        """Give up as little as there is room for."""
        before = self._given_up
        while self._given_up:
            step = self._steps[self._given_up - 1]
            if self.row.minimumSize().width() + step.saves() + _SLACK > self.width():
                break
            self._given_up -= 1
            step.take(False)
        while self._given_up < len(self._steps) and self.row.minimumSize().width() > self.width():
            self._steps[self._given_up].take(True)
            self._given_up += 1
        if self._given_up != before:
            self.row.invalidate()
            self.row.activate()

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.scaled(self._least), self.row.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # something in it wants more room, or less
            self.fit()
        return handled

    def renew_theme(self) -> None:
        """It has no colours of its own."""
