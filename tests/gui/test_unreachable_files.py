"""Recent files and folders on a drive that cannot be reached: the window works, and they return with the drive."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings

from snakestudio.gui.core.file_dialogs import FileFolders, FileKind
from snakestudio.gui.robot.connect_dialog import ConnectDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.scene_file import load_scene
from tests.gui.conftest import MAIN_SCENE, fill_docks

pytestmark = pytest.mark.gui

_ERRORS = (errno.EACCES, errno.ESTALE, errno.ENOTCONN, errno.EIO)


class Drive:
    """A folder that can be disconnected: every access to it fails with one error."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.error = 0
        for name in ("stat", "lstat", "scandir", "listdir", "open", "readlink"):
            monkeypatch.setattr(os, name, self._guarded(getattr(os, name)))

    def _guarded(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(path: Any = ".", *rest: Any, **named: Any) -> Any:
            if (
                self.error
                and isinstance(path, str | os.PathLike)
                and str(self.folder) in os.fspath(path)
            ):
                raise OSError(self.error, os.strerror(self.error), os.fspath(path))
            return call(path, *rest, **named)

        return guarded


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drive:
    folder = tmp_path / "drive"
    folder.mkdir()
    return Drive(folder, monkeypatch)


def settings_of(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.mark.parametrize("error", _ERRORS, ids=[errno.errorcode[error] for error in _ERRORS])
def test_window_works_without_the_drive_of_its_recent_files(
    make_window: Callable[[], MainWindow], drive: Drive, tmp_path: Path, error: int
) -> None:
    scene = drive.folder / "mine.toml"
    scene.write_text(MAIN_SCENE.read_text(encoding="utf-8"), encoding="utf-8")
    local = tmp_path / "local.toml"
    local.write_text(MAIN_SCENE.read_text(encoding="utf-8"), encoding="utf-8")
    settings = settings_of(tmp_path)
    for key in ("files/recent", "study/recent", "robot/profiles"):
        settings.setValue(key, [str(scene), str(local)])
    settings.setValue("robot/edited_profile", str(drive.folder / "mine.yaml"))
    settings.setValue("plugins/files", [str(drive.folder / "mine.py")])
    for kind in FileKind:
        settings.setValue(kind, str(drive.folder))
    settings.sync()
    drive.error = error
    window = make_window()
    context = window.context
    files = context.files
    assert files.recent.paths == [local]
    assert files.open(local)
    context.document.set_value("run.duration_s", 3.0, "Duration")
    assert files.save()
    assert load_scene(local).run.duration_s == 3.0
    fill_docks(window)
    for kind in FileKind:
        assert FileFolders.of(window).start(kind) != drive.folder
    dialog = ConnectDialog(context.robot_controller, context.settings, window)
    dialog.close()
    dialog.deleteLater()
    assert not files.open(scene)
    assert "mine.toml was not opened" in context.banners.files.text
    drive.error = 0
    assert files.recent.paths == [local, scene]
    assert context.study.recent.paths == [scene, local]


def test_scene_on_a_drive_that_disappears_can_be_saved_elsewhere(
    make_window: Callable[[], MainWindow], drive: Drive, tmp_path: Path
) -> None:
    scene = drive.folder / "mine.toml"
    scene.write_text(MAIN_SCENE.read_text(encoding="utf-8"), encoding="utf-8")
    window = make_window()
    document = window.context.document
    assert window.context.files.open(scene)
    drive.error = errno.ENOTCONN
    document.set_value("run.duration_s", 3.0, "Duration")
    window.context.document_recovery.watch.check()
    assert not window.context.files.save()
    assert "was not saved" in window.context.banners.files.text
    document.save(tmp_path / "saved.toml")
    assert load_scene(tmp_path / "saved.toml").run.duration_s == 3.0
