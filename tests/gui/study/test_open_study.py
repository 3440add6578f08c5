"""The open study: its check and its results are not those of the previous study."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.study import open_study
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.paths import scenes_dir
from snakestudio.study.results import Table
from snakestudio.viewmodel.study.checking import StudyCheck
from snakestudio.viewmodel.study.landing import StoredResults
from snakestudio.viewmodel.study.study_on_disk import StudyOnDisk

pytestmark = pytest.mark.gui


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    first = tmp_path / "first.study.toml"
    second = tmp_path / "second.study.toml"
    for path in (first, second):
        shutil.copy(scenes_dir() / "studies" / "undulation_speed.toml", path)
    return first, second


def test_results_are_those_of_the_study_opened_last(
    qtbot: QtBot, paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if those of the previous study are read later."""
    first, second = paths
    begun = threading.Event()
    free = threading.Event()
    table = Table(StudyOnDisk(first).study, [])
    results = {path: StoredResults(number, table, {}) for number, path in enumerate(paths)}

    def newer_results(path: Path, before: object) -> StoredResults:
        if path == first:
            begun.set()
            free.wait()
        return results[path]

    monkeypatch.setattr(open_study, "newer_results", newer_results)
    study = OpenStudy()
    emitted: list[StoredResults | None] = []
    study.results_changed.connect(lambda: emitted.append(study.results))
    study.open(first)
    begun.wait()
    study.open(second)
    qtbot.waitUntil(lambda: study.results is results[second])
    free.set()
    readings = {"snakestudio-study results"}
    qtbot.waitUntil(lambda: readings.isdisjoint(each.name for each in threading.enumerate()))
    QCoreApplication.processEvents()  # a result of the first reading would arrive now
    assert emitted == [None, None, results[second]]
    assert study.results is results[second]
    study.close()


def test_closing_a_study_discards_its_check(
    qtbot: QtBot, paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()
    free = threading.Event()

    def checked(study: object, path: Path) -> StudyCheck:
        begun.set()
        free.wait()
        return StudyCheck()

    monkeypatch.setattr(open_study, "newer_results", lambda path, before: None)
    monkeypatch.setattr(open_study, "checked", checked)
    study = OpenStudy()
    emitted: list[bool] = []
    study.checked.connect(lambda: emitted.append(True))
    study.open(paths[0])
    begun.wait()
    study.close_study()
    free.set()
    study.close()
    QCoreApplication.sendPostedEvents()
    assert emitted == []
