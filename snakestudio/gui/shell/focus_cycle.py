"""Cycle of the keyboard focus through the parts of the window: F6 forwards, Shift+F6 backwards."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget

from snakestudio.gui.shell.docking import Docks


class FocusCycle(QObject):
    """Cycle through the widgets in the middle, the visible docks, and the bar at the top, in this order."""

    def __init__(
        self, docks: Docks, middle: Sequence[QWidget], bar: QWidget, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.docks = docks
        self._middle = middle
        self._bar = bar

    @property
    def all(self) -> list[QWidget]:
        """The visible parts."""
        docks = [
            dock
            for dock in self.docks.all.values()
            if dock.isVisible() and not dock.visibleRegion().isEmpty()
        ]
        return [*self._middle, *docks, self._bar]

    def present(self) -> QWidget | None:
        """Return the part that has the keyboard focus."""
        now = QApplication.focusWidget()
        return next(
            (
                pane
                for pane in self.all
                if now is not None and (pane is now or pane.isAncestorOf(now))
            ),
            None,
        )

    def advance(self, step: int) -> None:
        """Move the focus to the next part (step 1) or the previous one (step -1)."""
        panes = self.all
        now = self.present()
        index = panes.index(now) if now is not None else (-1 if step > 0 else 0)
        for offset in range(1, len(panes) + 1):
            if _focus(panes[(index + offset * step) % len(panes)]):
                return

    def focus_dock(self, name: str) -> None:
        """Show the dock `name` and move the focus to it."""
        self.docks.show(name)
        _focus(self.docks[name])


def _focus(pane: QWidget) -> bool:
    """Move the focus to the first widget of a pane that accepts it; return whether one does."""
    if pane.focusPolicy() & Qt.FocusPolicy.TabFocus:
        target: QWidget | None = pane
    else:
        candidates = [w for w in pane.findChildren(QWidget) if _accepts_focus(w)]
        target = min(candidates, key=lambda w: _corner(w, pane), default=None)
    if target is None:
        return False
    target.setFocus(Qt.FocusReason.TabFocusReason)
    return True


def _accepts_focus(widget: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.isEnabled()
        and widget.isVisible()
    )


def _corner(widget: QWidget, pane: QWidget) -> tuple[int, int]:
    corner = widget.mapTo(pane, QPoint(0, 0))
    return corner.y(), corner.x()
