"""How plots are drawn anew: once, in haste while the user moves them, and as well as they can be once that rests."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from pytestqt.qtbot import QtBot

from snakestudio.gui.document import Document
from snakestudio.gui.plots.panel import PlotPanel
from tests.gui.fake import FakeBridge, make_recording

pytestmark = pytest.mark.gui


@pytest.fixture
def panel(qtbot: QtBot, document: Document) -> PlotPanel:
    panel = PlotPanel(FakeBridge(make_recording(document.scene, 2000)), document)  # type: ignore[arg-type]
    qtbot.addWidget(panel)
    panel.resize(900, 400)
    panel.show()
    qtbot.waitExposed(panel)
    qtbot.waitUntil(lambda: not panel.history.missing and panel.settled)
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
    return [curve.opts["pen"].widthF() for plot in panel.plots for curve in plot.chart._curves]


def test_lines_are_thin_only_while_the_view_moves(panel: PlotPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    panel._timer.stop()
    monkeypatch.setattr("snakestudio.gui.plots.redraws._REST_S", 1e9)  # it moves for as long as it is told to
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


def test_a_redraw_paints_every_plot_once(qtbot: QtBot, panel: PlotPanel) -> None:
    panel.set_view(1.0, 4.0)
    qtbot.waitUntil(lambda: panel.settled)
    qtbot.wait(50)
    panel._timer.stop()
    counters = []
    for plot in panel.plots:
        counters.append(_Paints())
        plot.chart.viewport().installEventFilter(counters[-1])
    panel.set_view(1.0, 3.5)
    panel.draw_now()
    qtbot.wait(100)
    assert [counter.count for counter in counters] == [1] * len(panel.plots)


def test_plots_wait_while_a_run_that_has_not_begun_gets_other_beginnings(
    qtbot: QtBot, panel: PlotPanel, document: Document
) -> None:
    """As while something is dragged: every move gives another run, of which nothing but its beginning is there."""
    bridge = panel._bridge
    bridge.set_recording(make_recording(document.scene, 1))  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: panel.settled)
    panel._timer.timeout.disconnect()
    panel._resting.setInterval(10**6)
    for _ in range(20):
        bridge.set_recording(make_recording(document.scene, 1))  # type: ignore[attr-defined]
        assert not panel.settled
        assert not panel.redraws.stale
    panel._resting.timeout.emit()
    assert set(panel.redraws.stale) == set(panel.plots)
    panel.redraws.stale.clear()
    bridge.set_recording(make_recording(document.scene, 2))  # type: ignore[attr-defined]
    assert set(panel.redraws.stale) == set(panel.plots)  # one that has begun is seen at once
    panel._resting.stop()
