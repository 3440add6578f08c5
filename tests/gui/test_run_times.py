"""Times of long runs in the window: all digits are visible."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.live_value import LiveValue, LiveValueRow
from snakestudio.gui.runs.timeline.bar import TimeBar
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import show_widget

pytestmark = pytest.mark.gui


def test_times_of_a_long_run_are_not_clipped(
    qtbot: QtBot, document: Document, session_controller: FakeSessionController
) -> None:
    bar = TimeBar(session_controller, document)  # type: ignore[arg-type]
    show_widget(qtbot, bar, 1200, 80)
    usual = bar.times.width()
    for seconds, text in (
        (40_000.0, "11:06:40.000 / 11:06:40.000"),
        (1e6, "277:46:40.000 / 277:46:40.000"),
    ):
        document.set_value("run.duration_s", seconds, "Duration")
        qtbot.waitUntil(lambda text=text: bar.times.width() >= _width(bar, text))
    document.set_value("run.duration_s", 10.0, "Duration")
    qtbot.waitUntil(lambda: bar.times.width() == usual)


def _width(bar: TimeBar, text: str) -> int:
    return QFontMetrics(bar.times.font_of_times).horizontalAdvance(text)


def test_value_widens_and_moves_the_next_ones(qtbot: QtBot) -> None:
    time = LiveValue("time", "0.000 s", "")
    factor = LiveValue("factor", "1.00", "")
    row = LiveValueRow((time, factor), always=2)
    qtbot.addWidget(row)
    row.resize(row.sizeHint())
    row.show()
    before = factor.x()
    time.show_value("1:57:18.190")
    qtbot.waitUntil(lambda: factor.x() > before)
    assert time.width() >= QFontMetrics(theme.value_font(14)).horizontalAdvance("1:57:18.190")
    assert row.minimumSizeHint().width() >= time.sizeHint().width() + factor.sizeHint().width()
