"""The parts of the window one can go to by a key: F6 leads round, Shift+F6 back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget

from snakestudio.gui.shell.docking import Docks


class FocusCycle(QObject):
    """What is in the middle, the docks that are to be seen, and the bar at the top, in this order."""

    def __init__(
        self, docks: Docks, middle: Sequence[QWidget], bar: QWidget, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.docks = docks
        self._middle = middle
        self._bar = bar

    @property
    def all(self) -> list[QWidget]:
        """Those that are to be seen now."""
        docks = [
            dock
            for dock in self.docks.all.values()
            if dock.isVisible() and not dock.visibleRegion().isEmpty()
        ]
        return [*self._middle, *docks, self._bar]

    def present(self) -> QWidget | None:
        """The one that has the keyboard."""
        now = QApplication.focusWidget()
        return next(
            (
                pane
                for pane in self.all
                if now is not None and (pane is now or pane.isAncestorOf(now))
            ),
            None,
        )

    def go_on(self, step: int) -> None:
        """Give the next one the keyboard (step 1), or the one before (step -1)."""
        panes = self.all
        now = self.present()
        place = panes.index(now) if now is not None else (-1 if step > 0 else 0)
        for offset in range(1, len(panes) + 1):
            if _focus(panes[(place + offset * step) % len(panes)]):
                return

    def go_to(self, name: str) -> None:
        """Open the dock called `name` and give it the keyboard."""
        self.docks.show(name)
        _focus(self.docks[name])


def _focus(pane: QWidget) -> bool:
    """Give the keyboard to what of a pane takes it first; False if nothing does."""
    if pane.focusPolicy() & Qt.FocusPolicy.TabFocus:
        target: QWidget | None = pane
    else:
        takers = [w for w in pane.findChildren(QWidget) if _takes(w)]
        target = min(takers, key=lambda w: _corner(w, pane), default=None)
    if target is None:
        return False
    target.setFocus(Qt.FocusReason.TabFocusReason)
    return True


def _takes(widget: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.isEnabled()
        and widget.isVisible()
    )


def _corner(widget: QWidget, pane: QWidget) -> tuple[int, int]:
    corner = widget.mapTo(pane, QPoint(0, 0))
    return corner.y(), corner.x()
