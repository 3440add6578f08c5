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
from snakestudio.viewmodel.study.checking import StudyCheck

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
    first, second = paths
    begun = threading.Event()
    free = threading.Event()
    read: list[Path] = []

    def landed(path: Path, before: object) -> None:
        if path == first:
            begun.set()
            free.wait()
        read.append(path)

    monkeypatch.setattr(open_study, "landed", landed)
    monkeypatch.setattr(open_study, "checked", lambda study, path: StudyCheck())
    study = OpenStudy()
    study.open(first)
    begun.wait()
    study.open(second)
    free.set()
    qtbot.waitUntil(lambda: second in read)
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

    monkeypatch.setattr(open_study, "landed", lambda path, before: None)
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
