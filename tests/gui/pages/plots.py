"""Page object of the panel of plots."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.plots.plot import LivePlot
from tests.gui.pages.parts import timer


def _opened(menu: QMenu) -> list[QAction]:
    menu.aboutToShow.emit()
    return menu.actions()


def views_offered(plot: LivePlot) -> list[QAction]:
    """Views in the menu of a plot."""
    return _opened(plot.head.view_menu)


def parts_offered(plot: LivePlot) -> list[QAction]:
    """Links, joints or quantities in the menu of a plot."""
    return _opened(plot.head.index_menu)


def settle(qtbot: QtBot, panel: PlotPanel) -> None:
    """Wait until all rows are read and every plot shows the current view and cursor."""

    def settled() -> bool:
        histories = [panel.series_cache, *(overlay.series_cache for overlay in panel.overlays)]
        return panel.settled and not any(series_cache.missing for series_cache in histories)

    qtbot.waitUntil(settled)


class PlotsPage:
    """A panel of plots that a test can stop and advance."""

    def __init__(self, panel: PlotPanel) -> None:
        self.panel = panel

    @property
    def redraw_timer(self) -> QTimer:
        """Timer that redraws outdated plots while the panel is visible."""
        return timer(self.panel, "redraw_timer")

    @property
    def rest_timer(self) -> QTimer:
        """Timer that delays the plots of a run that has not begun."""
        return timer(self.panel, "rest_timer")

    def hold(self) -> None:
        """Draw nothing until `tick`."""
        self.redraw_timer.stop()

    def tick(self) -> None:
        """Run the panel's periodic update once."""
        self.redraw_timer.timeout.emit()

    def pens(self) -> list[Any]:
        """Pens of all curves."""
        return [curve.opts["pen"] for plot in self.panel.plots for curve in plot.chart.curves]
