"""A window that starts with the settings of an earlier version has the choices of its user."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from snakestudio.gui.analysis.experiment.import_dialog import recall_layout
from snakestudio.gui.plots.channel_library import DerivedChannel
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.session.recovery import unsaved_scenes
from snakestudio.viewmodel.plots.content import Content, read_content
from tests.gui.conftest import fill_docks
from tests.gui.pages.parts import timer
from tests.stored import choices
from tests.stored.test_stored_files import (
    HERE,
    VERSIONS,
    assert_camera,
    chosen_mapping,
    chosen_table,
)


@pytest.fixture(params=VERSIONS)
def stored(request: pytest.FixtureRequest) -> Path:
    """Folder with the files of a version."""
    return HERE / str(request.param)


@pytest.fixture
def window(
    stored: Path, tmp_path: Path, make_window: Callable[[], MainWindow], qtbot: QtBot
) -> MainWindow:
    """A window that starts with these settings, with all panels created."""
    shutil.copy(stored / "settings.ini", tmp_path / "settings.ini")
    window = make_window()
    fill_docks(window)
    return window


def contents(plots: list[dict[str, Any]]) -> list[Content]:
    """Plots as they are stored."""
    contents_list = [content for plot in plots if (content := read_content(plot)) is not None]
    assert len(contents_list) == len(plots)
    return contents_list


def assert_docks(window: MainWindow, hidden: tuple[str, ...], visible: tuple[str, ...]) -> None:
    assert {name: window.context.docks[name].isHidden() for name in (*hidden, *visible)} == {
        **dict.fromkeys(hidden, True),
        **dict.fromkeys(visible, False),
    }
    assert "another version" not in window.context.banners.program.text


def test_settings_of_earlier_versions_are_applied(
    window: MainWindow, stored: Path, tmp_path: Path
) -> None:
    """One window for all checks: starting one with all panels takes seconds."""
    assert_begins_as_left(window)
    assert_choices_come_back(window)
    assert_camera_path_comes_back(window, stored, tmp_path)
    assert_no_setting_is_lost(window, stored, tmp_path)


def assert_begins_as_left(window: MainWindow) -> None:
    assert_docks(window, choices.LAST_HIDDEN, choices.LAST_SHOWN)
    assert set(window.context.plot_docks.panels) == {"plots"}
    assert window.context.plot_docks.panels["plots"].contents == contents(choices.PLOTS[:2])
    view = window.context.viewport.options.now
    editor = window.context.viewport.tools.editor.options.now
    assert {name: getattr(view, name) for name in choices.VIEW} == choices.VIEW
    assert {name: getattr(editor, name) for name in choices.EDITOR} == choices.EDITOR
    assert window.context.teleop_feature.teleop.mapping == chosen_mapping()
    assert recall_layout(window.context.settings, choices.SIGNATURE) == chosen_table()
    assert not window.context.run_archiver.recording_enabled
    assert (
        timer(window.context.document_recovery.autosave, "autosave_timer").interval()
        == 1000 * choices.PLAIN["autosave/interval_s"]
    )
    recent = choices.PLAIN["palette/recent"]
    offered = [entry.id for entry, _ in window.context.help_controller.palette().matches]
    assert offered[: len(recent)] == recent


def assert_choices_come_back(window: MainWindow) -> None:
    assert window.context.plot_docks.library.derived == (DerivedChannel(*choices.DERIVED),)
    assert window.context.plot_docks.sets.names == [choices.PRESET]
    assert window.context.plot_docks.sets.load(choices.PRESET) == contents(choices.PLOTS)
    assert window.context.layouts.saved == [choices.LAYOUT]
    window.context.layouts.choose(choices.LAYOUT)
    assert_docks(window, choices.HIDDEN, (*choices.SHOWN, "plots_2"))
    assert window.context.plot_docks.panels["plots_2"].contents == contents(choices.PLOTS)


def assert_camera_path_comes_back(window: MainWindow, stored: Path, tmp_path: Path) -> None:
    assert not window.context.camera_keys.path.keys
    shutil.copy(stored / "files" / "unsaved-99999999-1.toml", tmp_path)
    (unsaved,) = unsaved_scenes(tmp_path)
    assert window.context.files.restore(unsaved)
    assert window.context.document.path == Path(choices.SCENE_PATH)
    assert_camera(window.context.camera_keys.path)


def assert_no_setting_is_lost(window: MainWindow, stored: Path, tmp_path: Path) -> None:
    window.context.document.undo_stack.setClean()
    window.close()
    window.context.settings.sync()
    # read again: as text, like at the next start
    shutil.copy(tmp_path / "settings.ini", tmp_path / "after.ini")
    before, after = stored_values(stored / "settings.ini"), stored_values(tmp_path / "after.ini")
    assert {key: value for key, value in after.items() if key in before} == before


def stored_values(path: Path) -> dict[str, object]:
    """Settings of a file, except the size of the window and the positions of its panels."""
    settings = QSettings(str(path), QSettings.Format.IniFormat)
    return {key: settings.value(key) for key in settings.allKeys() if not key.startswith("window/")}
