"""Initial folders of file dialogs: the user's documents, then the last one used, per kind of file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from snakestudio import gui
from snakestudio.gui.core.file_dialogs import (
    EXPORT_FOLDERS,
    FileFolders,
    FileKind,
    ask_folder,
    ask_open,
    ask_save,
)
from snakestudio.paths import resource, scenes_dir

pytestmark = pytest.mark.gui


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a folder of documents."""
    home = tmp_path / "ada"
    (home / "Documents").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    FileFolders(settings, window)
    return window


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | str], list[Path]]:
    """Answer every dialog with a file; the suggestions of the dialogs are listed."""
    suggested: list[Path] = []

    def answer(path: Path | str, kind: str = "") -> list[Path]:
        def ask(parent: object, title: str, at: str, *_: str) -> tuple[str, str]:
            suggested.append(Path(at))
            return str(path), kind

        monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
        monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *args: ask(*args)[0])
        return suggested

    return answer


def test_every_kind_of_file_has_its_folder(
    home: Path, window: QWidget, tmp_path: Path, answers: Callable[[Path | str], list[Path]]
) -> None:
    (tmp_path / "out").mkdir()
    suggested = answers(tmp_path / "out" / "a.csv")
    dialog = QWidget(window)  # a dialog of the window has the same folders
    exported = False
    for kind in FileKind:
        ask_save(dialog, "Save", kind, "run.csv", "CSV (*.csv)")
        # Exports start in the folder of the last one.
        first = tmp_path / "out" if exported else home / "Documents"
        assert suggested.pop() == first / "run.csv"
        ask_open(window, "Open", kind, "CSV (*.csv)")
        assert suggested.pop() == tmp_path / "out"
        exported = exported or kind.startswith(EXPORT_FOLDERS)


def test_folder_of_the_program_is_never_suggested(
    home: Path, window: QWidget, tmp_path: Path, answers: Callable[[Path | str], list[Path]]
) -> None:
    for folder in (
        scenes_dir(),
        scenes_dir() / "studies",
        resource("profiles"),
        Path(gui.__file__).parent,
    ):
        suggested = answers(folder / "a.csv")
        for _ in range(2):  # neither at first, nor because it was used last
            ask_save(window, "Save", FileKind.CSV, "run.csv", "CSV (*.csv)", near=folder)
            assert suggested.pop() == home / "Documents" / "run.csv"
    own = tmp_path / "own"
    own.mkdir()
    ask_save(window, "Save", FileKind.CSV, "run.csv", "CSV (*.csv)", near=own)
    assert suggested.pop() == own / "run.csv"


def test_removed_folder_is_not_suggested(
    home: Path, window: QWidget, tmp_path: Path, answers: Callable[[Path | str], list[Path]]
) -> None:
    (tmp_path / "out").mkdir()
    suggested = answers(tmp_path / "out")
    assert ask_folder(window, "Figures", FileKind.FIGURES) == tmp_path / "out"
    answers("")
    assert ask_folder(window, "Figures", FileKind.FIGURES) is None
    (tmp_path / "out").rmdir()
    ask_folder(window, "Figures", FileKind.FIGURES)
    (home / "Documents").rmdir()
    ask_folder(window, "Figures", FileKind.FIGURES)
    assert suggested == [home / "Documents", tmp_path / "out", home / "Documents", home]


def test_exports_start_in_the_folder_of_an_earlier_version(
    home: Path,
    window: QWidget,
    settings: QSettings,
    tmp_path: Path,
    answers: Callable[[Path | str], list[Path]],
) -> None:
    settings.setValue("export/folder", str(tmp_path))
    suggested = answers("")
    ask_save(window, "Save", FileKind.VIDEO, "run.mp4", "Video (*.mp4)")
    ask_save(window, "Save", FileKind.SCENE, "a.toml", "Scenes (*.toml)")
    assert suggested == [tmp_path / "run.mp4", home / "Documents" / "a.toml"]


@pytest.mark.parametrize(
    ("typed", "filters", "chosen", "name"),
    [
        ("run", "CSV (*.csv)", "", "run.csv"),
        ("run", "Web page (*.html);;Document (*.pdf)", "Document (*.pdf)", "run.pdf"),
        ("run", "HDF5 (*.h5 *.hdf5)", "", "run.h5"),
        ("run", "All files (*)", "", "run"),
        ("run.txt", "CSV (*.csv)", "CSV (*.csv)", "run.txt"),
    ],
)
def test_name_gets_the_ending_of_the_chosen_kind(
    typed: str,
    filters: str,
    chosen: str,
    name: str,
    window: QWidget,
    tmp_path: Path,
    answers: Callable[..., list[Path]],
) -> None:
    answers(tmp_path / typed, chosen)
    assert ask_save(window, "Save", FileKind.CSV, "a", filters) == tmp_path / name


def test_all_file_dialogs_share_one_function() -> None:
    asking = re.compile(r"QFileDialog|getSaveFileName|getOpenFileName|getExistingDirectory")
    places = [
        path
        for path in Path(gui.__file__).parent.rglob("*.py")
        if asking.search(path.read_text("utf-8"))
    ]
    assert [path.name for path in places] == ["file_dialogs.py"]
