from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from snakestudio.gui.plugins.code_dialog import CodeDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.plugins.loaded import loaded
from snakestudio.plugins.loading import unload
from tests.gui.conftest import COMPILING_MS, fill_docks
from tests.plugins.plugin_files import scene_file, written


@pytest.fixture(autouse=True)
def own_plugins(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Load no plug-in before or after a test and trust none; returns the folder with the list of trusted plug-ins."""
    folder = tmp_path_factory.mktemp("config")
    monkeypatch.setenv("SNAKESTUDIO_CONFIG_DIR", str(folder))
    yield folder
    for plugin in loaded():
        unload(plugin.name)


class Answers:
    """Answers the question whether code may run, and records the files of the questions."""

    def __init__(self) -> None:
        self.agree = True
        self.own = False
        self.asked: list[str] = []

    def __call__(self, dialog: CodeDialog) -> int:
        self.asked.append(dialog.code.toPlainText())
        dialog.own.setChecked(self.own)
        return int(self.agree)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    answers = Answers()
    monkeypatch.setattr(CodeDialog, "exec", lambda dialog: answers(dialog))
    return answers


@pytest.fixture
def named(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, answers: Answers
) -> MainWindow:
    """A window whose scene names an untrusted plug-in."""
    written(tmp_path)
    window = make_window()
    fill_docks(window, "parameters")
    assert window.context.files.open(scene_file(tmp_path))
    qtbot.waitUntil(
        lambda: window.context.session_controller.status.state == "blocked", timeout=COMPILING_MS
    )
    return window
