"""The open study: its check and its results are not those of the previous study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.study.store import store_path
from snakestudio.study.study_file import dump_study
from tests.study.made_up import made_up_study, write_store

pytestmark = pytest.mark.gui


class HeldWork:
    """Work that runs when a test lets it, in any order."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._jobs: list[tuple[Callable[[], Any], Future[Any]]] = []

    def submit(self, name: str, work: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self.names.append(name)
        self._jobs.append((work, future))
        return future

    def run(self, index: int) -> None:
        """Run a piece of work, and deliver its result."""
        work, future = self._jobs[index]
        if not future.done():
            future.set_result(work())
            QCoreApplication.sendPostedEvents()


@pytest.fixture
def work() -> HeldWork:
    return HeldWork()


@pytest.fixture
def study(work: HeldWork) -> Iterator[OpenStudy]:
    """An open study whose work runs when the test lets it."""
    study = OpenStudy(submit=work.submit)
    yield study
    study.close_study()
    for index in range(len(work.names)):  # `close` waits for all work
        work.run(index)
    study.close()


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    """Two studies with results of 3 and of 5 points."""
    first, second = tmp_path / "first.study.toml", tmp_path / "second.study.toml"
    for path, points in ((first, 3), (second, 5)):
        study = made_up_study(("amplitude",), search='kind = "grid"', steps=points)
        path.write_text(dump_study(study), encoding="utf-8")
        write_store(store_path(path), study)
    return first, second


def test_results_are_those_of_the_study_opened_last(
    qtbot: QtBot, paths: tuple[Path, Path], study: OpenStudy, work: HeldWork
) -> None:
    """Also if those of the previous study are read later."""
    counts: list[int] = []
    study.results_changed.connect(
        lambda: counts.append(len(study.results.table.rows) if study.results is not None else 0)
    )
    for path in paths:
        study.open(path)
    readings = [k for k, name in enumerate(work.names) if name == "study results"]
    for reading in reversed(readings):
        work.run(reading)
    assert len(readings) == 2
    assert counts == [0, 0, 5]
    assert study.path == paths[1]


def test_results_follow_the_order_of_opened_studies(
    qtbot: QtBot, paths: tuple[Path, Path], study: OpenStudy, work: HeldWork
) -> None:
    for path, points in zip(paths, (3, 5), strict=True):
        study.open(path)
        work.run(len(work.names) - 1)
        assert study.results is not None
        assert len(study.results.table.rows) == points


def test_closing_a_study_discards_its_check(
    qtbot: QtBot, paths: tuple[Path, Path], study: OpenStudy, work: HeldWork
) -> None:
    checks: list[bool] = []
    study.checked.connect(lambda: checks.append(True))
    study.open(paths[0])
    study.close_study()
    work.run(work.names.index("check"))
    assert checks == []
    study.open(paths[0])
    work.run(len(work.names) - 1 - work.names[::-1].index("check"))
    assert checks == [True]
