"""The frame of analyses: actions on a result, and reports while files are written."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from snakestudio.export.report import Report
from snakestudio.export.tables import Column, Row, Table, text_cells
from snakestudio.gui.analysis.frame import AnalysisFrame
from snakestudio.gui.core.task import Task
from snakestudio.gui.forms.menu import plain
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.work import Progress
from tests.gui.fake import FakeExporter

pytestmark = pytest.mark.gui

TABLE = Table("Values", (Column("value", is_text=True),), (Row(text_cells("mass")),))
REPORT = Report(subject="test", title="Test", lead="", tables=(TABLE,), scene=Scene())


@pytest.fixture
def exporter() -> FakeExporter:
    return FakeExporter()


@pytest.fixture
def cancelled() -> list[bool]:
    return []


@pytest.fixture
def frame(qtbot: QtBot, exporter: FakeExporter, cancelled: list[bool]) -> AnalysisFrame:
    frame = AnalysisFrame(lambda: REPORT, exporter, lambda: cancelled.append(True))
    qtbot.addWidget(frame)
    frame.show()
    return frame


def test_results_are_needed_to_copy_and_export(frame: AnalysisFrame) -> None:
    assert not frame.copy_button.isEnabled()
    assert not frame.export_button.isEnabled()
    frame.show_state(None, "", has_result=True)
    frame.copy_button.click()
    assert QGuiApplication.clipboard().text() == REPORT.text


def test_every_format_is_in_the_export_menu(frame: AnalysisFrame, exporter: FakeExporter) -> None:
    frame.show_state(None, "", has_result=True)
    for action in frame.export_menu.actions():
        action.trigger()
    assert [suffix for _, suffix in exporter.asked] == [".csv", ".html", ".pdf", ".md"]
    assert all(plain(action.text()).endswith("...") for action in frame.export_menu.actions())


def test_progress_has_a_bar_and_a_cancel_button(
    frame: AnalysisFrame, cancelled: list[bool], qtbot: QtBot
) -> None:
    assert not frame.bar.isVisible()
    end = threading.Event()

    def work(progress: Progress) -> bool:
        progress(0.25)
        return end.wait()

    task = Task("test", work, frame)
    frame.show_state(task, "Running", has_result=False)
    assert frame.bar.isVisible()
    qtbot.waitUntil(lambda: frame.bar.value() == 250)
    frame.cancel_button.click()
    assert cancelled
    with qtbot.waitSignal(task.finished):
        end.set()
    frame.show_state(None, "", has_result=False)
    assert not frame.bar.isVisible()


def test_end_of_an_export_is_reported(frame: AnalysisFrame, exporter: FakeExporter) -> None:
    frame.show_state(None, "", has_result=True)
    exporter.finished.emit(Path("other.csv"))
    assert frame.note.text() == "", "another export"
    frame.export(".csv")
    exporter.busy = True
    exporter.changed.emit()
    assert not frame.export_button.isEnabled()
    exporter.busy = False
    exporter.changed.emit()
    exporter.finished.emit(Path("a.csv"))
    assert frame.note.text() == "Wrote a.csv."
    frame.export(".csv")
    exporter.error = "The disk is full. Free some space."
    exporter.finished.emit(None)
    assert frame.note.text() == exporter.error
    assert frame.note.property("role") == "warning"
