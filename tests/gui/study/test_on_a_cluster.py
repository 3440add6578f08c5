"""A study that a cluster computes for the window: a dask scheduler and workers started separately, and their end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.study.cluster_dialog import ClusterDialog
from snakestudio.study.running import results_of
from tests.gui.conftest import COMPILING_MS
from tests.gui.test_study import bar, checked, open_window, opened, panel, study_file
from tests.study.lab import joined, scheduler

pytestmark = pytest.mark.gui

__all__ = ["open_window", "opened", "study_file"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, contextlib.ExitStack]]:
    """The address of a scheduler with one worker, and the stack that ends it."""
    with contextlib.ExitStack() as end:
        address, _ = end.enter_context(scheduler(tmp_path / "scheduler.json"))
        with joined("--scheduler", address):
            yield address, end


def choose(window: MainWindow, address: str) -> None:
    """Name a cluster in its dialog."""
    who = bar(window).workers_box

    def answer() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, ClusterDialog)
        QTest.keyClicks(dialog.address, address)
        dialog.ok_button.click()

    QTimer.singleShot(0, answer)
    who.activated.emit(who.findText("Cluster..."))
    assert who.currentText() == address


def finished(window: MainWindow) -> int:
    progress = window.context.study.runner.progress
    return 0 if progress is None else progress.finished


def test_local_workers_continue_the_study_of_a_lost_cluster(
    opened: MainWindow, study_file: Path, cluster: tuple[str, contextlib.ExitStack], qtbot: QtBot
) -> None:
    address, end = cluster
    choose(opened, address)
    bar(opened).run_button.click()
    qtbot.waitUntil(lambda: bar(opened).workers.model().rowCount() == 1, timeout=COMPILING_MS)
    name = bar(opened).workers.model().index(0, 0).data()
    assert name.startswith("tcp://127.0.0.1:"), "the one that was started manually"
    qtbot.waitUntil(bar(opened).run_button.isVisible, timeout=COMPILING_MS)
    assert bar(opened).error.text == ""
    assert results_of(study_file)["runs"].tolist() == [1] * 6
    qtbot.waitUntil(lambda: panel(opened).results.linked.has_results)
    # Thousands of runs, during which the scheduler ends:
    study_file.write_text(study_file.read_text().replace("steps = 3", "steps = 5000"))
    qtbot.waitUntil(lambda: opened.context.study.open_study.study.n_points == 10_000)
    checked(opened, qtbot)
    bar(opened).run_button.click()
    qtbot.waitUntil(lambda: finished(opened) > 6, timeout=COMPILING_MS)
    end.close()
    qtbot.waitUntil(lambda: bar(opened).error.text != "", timeout=COMPILING_MS)
    assert bar(opened).error.text.startswith(f"{address}: ")
    assert "scheduler" in bar(opened).error.text
    assert bar(opened).run_button.isVisible()
    completed = int(results_of(study_file)["runs"].sum())
    assert completed >= finished(opened) > 6
    who = bar(opened).workers_box
    who.activated.emit(who.findText("1 worker"))
    bar(opened).run_button.click()
    assert bar(opened).error.text == ""
    qtbot.waitUntil(lambda: finished(opened) > completed, timeout=COMPILING_MS)
    progress = opened.context.study.runner.progress
    assert progress is not None
    assert progress.known == completed
    bar(opened).cancel_button.click()
    qtbot.waitUntil(bar(opened).run_button.isVisible)
