"""Base of all charts: two or three axes around a view box, whose grid is the background of the widget."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsItem, QWidget

from snakestudio.gui.charts.axes import ChartAxis
from snakestudio.gui.core import theme


class Margins(NamedTuple):
    """Margins around the curves for axes, titles and a colour bar, px."""

    left: int
    top: int
    right: int
    below: int


_MARGIN = 10.0
_ABOVE = 8.0
"""Space between the headline and the curves, px."""


class Headline(pg.GraphicsObject):
    """Title of the left axis, above it, and a note to the right if there is space."""

    def __init__(self, chart: PlotBase) -> None:
        super().__init__()
        self._chart = chart
        self._title = ""
        self._note = ""
        self._frame = QRectF()
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def show_texts(self, title: str, note: str = "") -> None:
        """Set the texts."""
        if (title, note) != (self._title, self._note):
            self._title = title
            self._note = note
            self.update()

    def fit(self, frame: QRectF) -> None:
        """Adapt the line above the curves to the size of the chart."""
        self.prepareGeometryChange()
        self._frame = QRectF(
            frame.left(), frame.top(), frame.width(), float(self._chart.margins.top)
        )
        self.update()

    def boundingRect(self) -> QRectF:
        return self._frame

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        font = theme.chart_font()
        metrics = QFontMetricsF(font)
        top = self._chart.margins.top
        width = self._frame.width()
        painter.setFont(font)
        painter.setPen(theme.colour("text"))
        title = metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, width - 2 * _MARGIN)
        line = QRectF(_MARGIN, top - metrics.height() - _ABOVE, width, metrics.height() + 2)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        if self._note:
            taken = _MARGIN + metrics.horizontalAdvance(self._title) + 12
            right = min(width - self._chart.margins.right + 22, width - _MARGIN)
            space = QRectF(taken, 0, right - taken, top - _ABOVE)
            painter.setPen(theme.colour("dim"))
            note = metrics.elidedText(
                self._note, Qt.TextElideMode.ElideRight, max(0.0, space.width())
            )
            painter.drawText(
                space, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, note
            )


class PlotBase(pg.PlotWidget):
    """A view box with axes to the left and below, and an optional one to the right.

    Parameters
    ----------
    ground, around : str
        Colours of the palette behind the curves and behind the axes.
    unit : str
        Unit of the lower axis.
    density : float
        Density of the ticks as in `ticks.tick_step`.
    """

    def __init__(
        self,
        view: pg.ViewBox,
        margins: Margins,
        parent: QWidget | None = None,
        *,
        ground: str = "card",
        around: str = "card",
        unit: str = "",
        density: float = 1.25,
    ) -> None:
        self.view = view
        self.margins = margins
        self._ground = ground
        self._around = around
        self.bottom_axis = ChartAxis("bottom", margins.below, unit, density=density)
        self.left_axis = ChartAxis("left", margins.left, density=density)
        self.right_axis = ChartAxis("right", margins.right, density=density)
        axes = {"bottom": self.bottom_axis, "left": self.left_axis, "right": self.right_axis}
        super().__init__(parent, viewBox=view, axisItems=axes, enableMenu=False)
        theme.follow(self, type(self).apply_theme)
        self.viewport().setAutoFillBackground(False)  # the grid's background fills all of it
        self.plotItem.hideButtons()
        # The menu stays hidden, but pyqtgraph stores settings in it, and without an owner it would
        # outlive the chart.
        menu = self.plotItem.ctrlMenu
        menu.setParent(self, menu.windowFlags())
        self.right_axis.unlinkFromView()
        self.plotItem.getAxis(
            "top"
        ).unlinkFromView()  # the label is never shown, but would be updated continually
        self.right_axis.setVisible(False)
        self.set_margins(margins)
        view.sigRangeChanged.connect(self.refresh_grid)
        view.sigResized.connect(self._on_laid_out)

    def set_margins(self, margins: Margins) -> None:
        """Set the margins around the curves; a visible right axis sets the right margin itself."""
        self.margins = margins
        self.left_axis.setWidth(margins.left)
        self.bottom_axis.setHeight(margins.below)
        right = 0 if self.right_axis.isVisible() else margins.right
        self.right_axis.setWidth(margins.right)
        self.plotItem.layout.setContentsMargins(0, margins.top, right, 0)

    @property
    def area(self) -> QRectF:
        """Area of the curves."""
        return QRectF(self.view.sceneBoundingRect())

    @property
    def has_grid(self) -> bool:
        """Return whether there are grid lines at the ticks."""
        return True

    def apply_theme(self) -> None:
        """Apply the present palette."""
        for axis in (self.bottom_axis, self.left_axis, self.right_axis):
            axis.apply_theme()
        self.refresh_grid()

    def refresh_grid(self, *_: Any) -> None:
        """Repaint the grid."""
        self.resetCachedContent()
        self.viewport().update()

    def _on_laid_out(self) -> None:
        self.refresh_grid()

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:
        # Qt caches the background as pixels until the axes change: a grid drawn by the axes would be
        # redrawn with every new sample.
        painter.fillRect(rect, theme.colour(self._around))
        area = QRectF(self.area.toRect())
        line = theme.colour("line")
        painter.fillRect(area, theme.colour(self._ground))
        if not self.has_grid:
            return
        (left, right), (low, high) = self.view.viewRange()
        for value in self.bottom_axis.places():
            x = area.left() + (value - left) / (right - left) * area.width()
            painter.fillRect(
                QRectF(min(round(x), area.right() - 1), area.top(), 1, area.height()), line
            )
        for value in self.left_axis.places():
            y = area.bottom() - (value - low) / (high - low) * area.height()
            painter.fillRect(
                QRectF(area.left(), min(round(y), area.bottom() - 1), area.width(), 1), line
            )
