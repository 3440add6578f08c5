"""Redraws of plots: once per change, fast while the user moves them, and at full quality afterwards."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.plots.plot import LivePlot
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.hands import show_widget
from tests.gui.pages.plots import PlotsPage, settle

pytestmark = pytest.mark.gui


@pytest.fixture
def session_controller(document: Document) -> FakeSessionController:
    return FakeSessionController(make_recording(document.scene, 2000))


@pytest.fixture
def panel(qtbot: QtBot, document: Document, session_controller: FakeSessionController) -> PlotPanel:
    panel = PlotPanel(session_controller, document)  # type: ignore[arg-type]
    show_widget(qtbot, panel, 900, 400)
    settle(qtbot, panel)
    return panel


class _Paints(QObject):
    """Counts how often widgets are painted."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


def widths(panel: PlotPanel) -> list[float]:
    return [pen.widthF() for pen in PlotsPage(panel).pens()]


def test_lines_are_thin_only_while_the_view_moves(
    panel: PlotPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    PlotsPage(panel).hold()
    # the view moves until the test ends it
    monkeypatch.setattr("snakestudio.gui.plots.redraws._REST_S", 1e9)
    for stop in (3.9, 3.0, 2.0):
        panel.set_view(1.0, stop)
    while panel.redraws.stale:
        panel.redraws.draw((1.0, 2.0), None, None)
    assert set(widths(panel)) == {1.0}
    assert not panel.settled
    monkeypatch.setattr("snakestudio.gui.plots.redraws._REST_S", 0.0)
    while not panel.settled:
        panel.redraws.draw((1.0, 2.0), None, None)
    rested = widths(panel)
    assert max(rested) > 1.0
    panel.set_view(1.0, 3.0)
    panel.set_view(1.0, 2.0)
    panel.draw_now()
    assert widths(panel) == rested


def test_redraw_paints_every_plot_once(qtbot: QtBot, panel: PlotPanel) -> None:
    panel.set_view(1.0, 4.0)
    qtbot.waitUntil(lambda: panel.settled)
    qtbot.wait(50)
    PlotsPage(panel).hold()
    counters = []
    for plot in panel.plots:
        counters.append(_Paints())
        plot.chart.viewport().installEventFilter(counters[-1])
    panel.set_view(1.0, 3.5)
    panel.draw_now()
    qtbot.wait(100)
    assert [counter.count for counter in counters] == [1] * len(panel.plots)


def test_plots_wait_while_the_start_of_a_run_changes(
    qtbot: QtBot, panel: PlotPanel, document: Document, session_controller: FakeSessionController
) -> None:
    """As during a drag: every move gives another run with only its first row."""
    page = PlotsPage(panel)
    session_controller.set_recording(make_recording(document.scene, 1))
    qtbot.waitUntil(lambda: panel.settled)
    page.redraw_timer.timeout.disconnect()
    page.rest_timer.setInterval(10**6)
    for _ in range(20):
        session_controller.set_recording(make_recording(document.scene, 1))
        assert not panel.settled
        assert not panel.redraws.stale
    page.rest_timer.timeout.emit()
    assert set(panel.redraws.stale) == set(panel.plots)
    panel.redraws.stale.clear()
    session_controller.set_recording(make_recording(document.scene, 2))
    assert set(panel.redraws.stale) == set(
        panel.plots
    )  # a run that has started is drawn immediately
    page.rest_timer.stop()


class _Seen(QObject):
    """Records what a chart shows each time it is painted."""

    def __init__(self, plot: LivePlot) -> None:
        super().__init__()
        self._chart = plot.chart
        self.what: tuple[float, ...] = ()
        plot.chart.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.what = (self._chart.cursor_line.value(), *self._chart.view.viewRange()[0])
        return False


def test_all_plots_show_the_same_time(
    panel: PlotPanel, session_controller: FakeSessionController, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine so slow that only one plot is drawn at a time: cursors and spans of time move together."""
    for name, value in (
        ("redraws._BUDGET_S", 0.0),
        ("redraws._REDRAW_S", 0.0),
        ("redraws._SHARE", 1e9),
    ):
        monkeypatch.setattr(f"snakestudio.gui.plots.{name}", value)
    monkeypatch.setattr("snakestudio.gui.plots.panel._PULL_EVERY_S", 0.0)
    page = PlotsPage(panel)
    page.hold()
    panel.follow(2.0)
    panel.draw_now()
    seen = [_Seen(plot) for plot in panel.plots]
    moments = set()
    for _ in range(100):
        session_controller.append(20)
        page.tick()
        QApplication.processEvents()
        times = {each.what for each in seen if each.what}
        assert len(times) <= 1, times
        moments |= times
    assert len(moments) > 10
    assert len({start for _, start, _ in moments}) >= 2, "more than one page"
