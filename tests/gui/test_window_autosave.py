"""The state of the window is stored soon after each change, so a kill loses nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from snakestudio.gui.plots.channel_library import DerivedChannel
from snakestudio.gui.shell import window_autosave
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.shell.window_autosave import WindowAutosave
from snakestudio.viewmodel.plots.content import Content, Curve
from tests.gui.conftest import MAIN_SCENE
from tests.gui.pages.parts import timer

pytestmark = pytest.mark.gui


def on_disk(folder: Path) -> dict[str, object]:
    """The settings as a program that starts now would read them, not from this one's memory."""
    copy = folder / f"copy-{len(list(folder.glob('copy-*')))}.ini"
    shutil.copy(folder / "settings.ini", copy)
    settings = QSettings(str(copy), QSettings.Format.IniFormat)
    return {key: settings.value(key) for key in settings.allKeys()}


def test_layout_plots_and_derived_channels_survive_a_kill(
    make_window: Callable[[], MainWindow],
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(window_autosave, "INTERVAL_MS", 20)
    window = make_window()
    c = window.context
    assert c.files.open(MAIN_SCENE)
    c.docks["inspector"].hide()
    c.plot_docks.library.put(DerivedChannel("double_x", "2 * com_x_m", "m"))
    c.plot_docks.new_panel([Content("time", curves=(Curve("double_x"), Curve("com_y_m")))])
    c.viewport.options.set(grid=not c.viewport.options.now.grid)
    window.resize(window.width() - 60, window.height() - 40)

    def stored() -> bool:
        if not (tmp_path / "settings.ini").exists():
            return False
        settings = on_disk(tmp_path)
        return (
            settings.get("window/state") == window.saveState(4)
            and settings.get("window/geometry") == window.saveGeometry()
        )

    qtbot.waitUntil(stored)
    found = on_disk(tmp_path)
    plots = json.loads(str(found["window/plots"]))
    assert "double_x" in plots["plots_2"]
    assert "2 * com_x_m" in str(found["plots/derived"])
    assert str(found["view/grid"]).lower() == str(c.viewport.options.now.grid).lower()


def test_state_is_stored_once_after_changes(qtbot: QtBot) -> None:
    values = [0]
    stored = []
    autosave = WindowAutosave(lambda: values[0], lambda: stored.append(values[0]))
    autosave.start()
    for value in (0, 0, 1, 2, 2, 2, 3, 0, 0):
        values[0] = value
        timer(autosave, "poll_timer").timeout.emit()
    assert stored == [0, 2, 0]
    autosave.stop()
