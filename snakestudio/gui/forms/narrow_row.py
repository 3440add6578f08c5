"""A row that hides its least important parts one by one in a narrow window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget

_AROUND_ICON = 6
"""Space between a button's icon and its text, px."""
_SLACK = 12
"""Spare width that is required before a part is shown again, px, so that a rounding error does not
hide it immediately."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of saving width: `apply(True)` carries it out, and saves `saving()` pixels."""

    apply: Callable[[bool], object]
    saving: Callable[[], int]


class NarrowRow(ThemedWidget):
    """A row of widgets that can be as narrow as `least` (px of the design).

    No other code may hide or show these parts.
    """

    def __init__(self, least: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = least
        self._steps: list[_Step] = []
        self._steps_applied = 0
        self.row = QHBoxLayout(self)

    def hide_if_narrow(self, *widgets: QWidget) -> None:
        """Add a step that hides these widgets together."""

        def apply(on: bool) -> None:
            for widget in widgets:
                widget.setVisible(not on)

        def saving() -> int:
            gap = self.row.spacing()
            return sum(
                max(widget.minimumWidth(), widget.minimumSizeHint().width()) + gap
                for widget in widgets
            )

        self._steps.append(_Step(apply, saving))

    def shorten_if_narrow(self, button: QToolButton) -> None:
        """Add a step that reduces a button to its icon."""
        styles = Qt.ToolButtonStyle

        def apply(on: bool) -> None:
            button.setToolButtonStyle(
                styles.ToolButtonIconOnly if on else styles.ToolButtonTextBesideIcon
            )

        self._steps.append(
            _Step(
                apply, lambda: button.fontMetrics().horizontalAdvance(button.text()) + _AROUND_ICON
            )
        )

    def reduce_if_narrow(self, apply: Callable[[bool], object], saving: Callable[[], int]) -> None:
        """Add a step that saves `saving()` pixels by `apply(True)`."""
        self._steps.append(_Step(apply, saving))

    def fit(self) -> None:
        """Carry out as few steps as the width allows."""
        before = self._steps_applied
        while self._steps_applied:
            step = self._steps[self._steps_applied - 1]
            if self.row.minimumSize().width() + step.saving() + _SLACK > self.width():
                break
            self._steps_applied -= 1
            step.apply(False)
        while (
            self._steps_applied < len(self._steps) and self.row.minimumSize().width() > self.width()
        ):
            self._steps[self._steps_applied].apply(True)
            self._steps_applied += 1
        if self._steps_applied != before:
            self.row.invalidate()
            self.row.activate()

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.scaled(self._least), self.row.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # a part needs more or less space
            self.fit()
        return handled

    def apply_theme(self) -> None:
        """Do nothing: the row has no colours."""
