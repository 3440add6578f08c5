"""A chart of a few curves over two titled axes with a legend, for static results."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from snakestudio.gui.charts.plot_base import Headline, Margins, PlotBase
from snakestudio.gui.core import theme

_MARGINS = Margins(left=54, top=26, right=16, below=44)
"""Margins, px of the design."""
_LEGEND_INSET = 8


class LineChart(PlotBase):
    """A chart of curves, which are added with pyqtgraph's `plot`.

    Parameters
    ----------
    x_title, y_title : str
        Titles of the axes with units.
    movable : bool
        Whether the mouse pans and zooms.
    """

    def __init__(
        self, x_title: str, y_title: str, parent: QWidget | None = None, *, movable: bool = True
    ) -> None:
        view = pg.ViewBox(enableMenu=False)
        view.setMouseEnabled(movable, movable)
        super().__init__(view, Margins(*map(theme.scaled, _MARGINS)), parent, density=2.0)
        self.headline = Headline(self)
        self.scene().addItem(self.headline)
        self.addLegend(offset=(-_LEGEND_INSET, _LEGEND_INSET))
        self.set_titles(x_title, y_title)
        self._apply_legend_style()

    def set_titles(self, x_title: str, y_title: str) -> None:
        """Show other titles below and above the axes."""
        self.bottom_axis.set_title(x_title)
        self.headline.show_texts(y_title)

    def legend_at_bottom_left(self) -> None:
        """Move the legend from the upper right to the lower left corner."""
        self.plotItem.legend.anchor((0, 1), (0, 1), offset=(_LEGEND_INSET, -_LEGEND_INSET))

    def clear_curves(self) -> None:
        """Remove all curves and their entries of the legend."""
        self.clear()
        self.plotItem.legend.clear()

    def apply_theme(self) -> None:
        super().apply_theme()
        self.headline.update()
        self._apply_legend_style()

    def _apply_legend_style(self) -> None:
        self.plotItem.legend.setLabelTextColor(theme.colour("text"))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if event is not None:  # pyqtgraph calls it while it constructs the widget
            self.headline.fit(QRectF(self.rect()))

    def _on_laid_out(self) -> None:
        super()._on_laid_out()
        self.headline.update()
