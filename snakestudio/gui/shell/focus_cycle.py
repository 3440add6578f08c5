"""The parts of the window one can go to by a key: F6 leads round, Shift+F6 back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["FocusCycle"]


class FocusCycle(QObject):
    """Viewport, time bar, the docks that are to be seen, and the bar at the top, in this order.

    Parameters
    ----------
    window : MainWindow
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    @property
    def all(self) -> list[QWidget]:
        """Those that are to be seen now."""
        window = self._window
        docks = [dock for dock in window.docks.values() if dock.isVisible() and not dock.visibleRegion().isEmpty()]
        return [window.viewport, window.time_bar, *docks, window.run_bar]

    def present(self) -> QWidget | None:
        """The one that has the keyboard."""
        now = QApplication.focusWidget()
        return next((pane for pane in self.all if now is not None and (pane is now or pane.isAncestorOf(now))), None)

    def go_on(self, step: int) -> None:
        """Give the next one the keyboard (step 1), or the one before (step -1)."""
        panes, now = self.all, self.present()
        place = panes.index(now) if now is not None else (-1 if step > 0 else 0)
        for offset in range(1, len(panes) + 1):
            if _focus(panes[(place + offset * step) % len(panes)]):
                return

    def go_to(self, name: str) -> None:
        """Open the dock called `name` and give it the keyboard."""
        dock = self._window.docks[name]
        dock.show()
        dock.raise_()
        _focus(dock)


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
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled() and widget.isVisible()


def _corner(widget: QWidget, pane: QWidget) -> tuple[int, int]:
    corner = widget.mapTo(pane, QPoint(0, 0))
    return corner.y(), corner.x()
