"""Parts of all charts: line charts, colour bars, and layers that are drawn once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.charts.colour_bar import ColourBar
from snakestudio.gui.charts.line_chart import LineChart
from snakestudio.gui.charts.raster_item import PaintedItem, RasterItem
from snakestudio.gui.core import theme

pytestmark = pytest.mark.gui


@pytest.fixture
def chart(qtbot: QtBot) -> Iterator[LineChart]:
    """A line chart in a window, which closes it."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.setContentsMargins(0, 0, 0, 0)
    chart = LineChart("Links n", "Error")
    column.addWidget(chart)
    window.resize(420, 300)
    window.show()
    qtbot.waitExposed(window)
    yield chart
    window.close()


def test_line_chart_shows_ticks_of_both_logarithmic_axes(chart: LineChart, qtbot: QtBot) -> None:
    chart.setLogMode(True, True)
    chart.plot(np.array([10.0, 100.0]), np.array([0.001, 1.0]), name="speed")
    qtbot.waitUntil(
        lambda: (
            [text for _, text in chart.left_axis.visible_labels()] == ["0.001", "0.01", "0.1", "1"]
        )
    )
    assert [text for _, text in chart.bottom_axis.visible_labels()] == ["10", "20", "50", "100"]
    assert chart.bottom_axis.title == "Links n"
    chart.clear_curves()
    assert not chart.listDataItems()
    assert not chart.plotItem.legend.items


def test_line_chart_adopts_another_theme(
    chart: LineChart, qtbot: QtBot, qapp: QApplication
) -> None:
    for look in ("light", "dark"):
        theme.apply(qapp, look)
        qtbot.waitUntil(lambda: chart.grab().toImage().pixelColor(2, 290) == theme.colour("card"))


@pytest.mark.parametrize(
    ("ends", "categories", "texts"),
    [
        ((0.0, 0.25, False), (), ["0", "0.05", "0.10", "0.15", "0.20", "0.25"]),
        ((-1.0, 1.0, True), (), ["−1.0", "−0.5", "0", "0.5", "1.0"]),
        ((0.0, 2.0, False), ("done", "failed", "killed"), ["done", "failed", "killed"]),
    ],
)
def test_colour_bar_shows_ticks_or_categories(
    qtbot: QtBot, ends: tuple[float, float, bool], categories: tuple[str, ...], texts: list[str]
) -> None:
    bar = ColourBar()
    bar.fit(QRectF(54.0, 26.0, 200.0, 180.0), 320.0)
    bar.show_ends(ends, categories, "m/s")
    assert [text for _, text in bar.axis.visible_labels()] == texts


def test_layers_are_redrawn_only_after_changes(qtbot: QtBot) -> None:
    made: list[str] = []

    def make(area: QRectF, scale: float) -> np.ndarray:
        made.append("raster")
        return np.full((20, 30), 0xFFFF0000, np.uint32)

    raster = RasterItem(make, 0.0)
    painted = PaintedItem(lambda painter: made.append("painted"), 1.0, once=True)
    image = QImage(40, 40, QImage.Format.Format_ARGB32_Premultiplied)
    with QPainter(image) as painter:
        for item in (raster, painted):
            item.fit(QRectF(5.0, 6.0, 30.0, 20.0))
            item.paint(painter)
            item.paint(painter)
        assert made == ["raster", "painted"]
        raster.invalidate()
        raster.paint(painter)
        assert made == ["raster", "painted", "raster"]
    assert image.pixelColor(6, 7).name() == "#ff0000"
