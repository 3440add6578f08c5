"""Opening and saving: unreadable files are refused with all messages, and unsaved changes are never lost silently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.menu import plain
from snakestudio.gui.shell.main_window import MainWindow
from tests.gui.conftest import MAIN_SCENE
from tests.gui.pages.notices import answer

BAD = "format = 1\n[robot]\nmass_kg = -1\n[gait]\namplitud_deg = 3\n"


def test_invalid_file_is_refused_with_all_messages(window: MainWindow, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(BAD)
    before = window.context.document.scene
    assert not window.context.files.open(bad)
    assert window.context.document.scene is before
    assert window.context.document.origin == MAIN_SCENE.resolve()
    assert "bad.toml was not opened" in window.context.banners.files.text
    assert "mass_kg" in window.context.banners.files.text
    assert "amplitud_deg" in window.context.banners.files.text
    assert bad.resolve() not in window.context.files.recent.paths


def test_missing_file_is_refused(window: MainWindow, tmp_path: Path) -> None:
    assert not window.context.files.open(tmp_path / "nowhere.toml")
    assert "no such file" in window.context.banners.files.text
    assert window.context.document.origin == MAIN_SCENE.resolve()


def test_opening_a_valid_file_removes_the_notice(window: MainWindow, tmp_path: Path) -> None:
    window.context.files.open(tmp_path / "nowhere.toml")
    assert window.context.files.open(MAIN_SCENE)
    assert window.context.banners.files.text == ""


@pytest.mark.parametrize(
    ("button", "goes"),
    [(QMessageBox.StandardButton.Cancel, False), (QMessageBox.StandardButton.Discard, True)],
)
def test_unsaved_changes_cause_a_question(
    window: MainWindow, button: QMessageBox.StandardButton, goes: bool
) -> None:
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    asked = answer(button)
    assert window.context.files.open(MAIN_SCENE) is goes
    assert len(asked) == 1
    assert "obstacle_aided.toml" in asked[0]
    assert (window.context.document.scene.gait.amplitude_deg == 12.0) is not goes


def test_saving_from_the_question_saves_first(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.context.document.save(tmp_path / "mine.toml")
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    answer(QMessageBox.StandardButton.Save)
    assert window.context.files.open(MAIN_SCENE)
    assert "amplitude_deg = 12.0" in (tmp_path / "mine.toml").read_text()


def test_closing_with_unsaved_changes_asks(window: MainWindow, qtbot: QtBot) -> None:
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    asked = answer(QMessageBox.StandardButton.Cancel)
    assert not window.close()
    assert asked
    assert window.isVisible()


def test_save_as_gives_a_new_name(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = tmp_path / "copy"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args: (str(chosen), ""))
    window.context.action_registry["save_as"].trigger()
    assert (tmp_path / "copy.toml").is_file()
    assert window.context.document.name == "copy.toml"
    assert window.windowTitle().startswith("copy.toml")


def test_failed_save_is_reported(window: MainWindow, tmp_path: Path) -> None:
    window.context.document.path = tmp_path / "no" / "such" / "folder" / "a.toml"
    window.context.document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    (tmp_path / "no").write_text("a file where a folder should be")
    assert not window.context.files.save()
    assert "was not saved" in window.context.banners.files.text
    assert window.context.document.dirty


def test_recent_files_are_listed_newest_first(
    make_window: Callable[[], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    first = make_window()
    copies = [tmp_path / "a.toml", tmp_path / "b.toml"]
    for path in copies:
        path.write_text(MAIN_SCENE.read_text())
        assert first.context.files.open(path)
    (tmp_path / "b.toml").unlink()
    assert first.context.files.open(MAIN_SCENE)
    first.close()
    second = make_window()
    assert second.context.files.recent.paths == [MAIN_SCENE.resolve(), copies[0].resolve()]


def test_dropped_scene_is_opened(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "dropped.toml"
    path.write_text(MAIN_SCENE.read_text())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(QPoint(50, 50)),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)  # Qt delivers drops only from a real drag
    assert event.isAccepted()
    qtbot.waitUntil(lambda: window.context.document.name == "dropped.toml")


def test_dropped_file_is_not_moved(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """File managers may propose a move: they delete files that were accepted as moved."""
    path = tmp_path / "dropped.toml"
    path.write_text(MAIN_SCENE.read_text())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    every = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction | Qt.DropAction.LinkAction
    left = Qt.MouseButton.LeftButton
    shift = Qt.KeyboardModifier.ShiftModifier
    enter = QDragEnterEvent(QPoint(50, 50), every, data, left, shift)
    over = QDragMoveEvent(QPoint(50, 50), every, data, left, shift)
    drop = QDropEvent(QPointF(50, 50), every, data, left, shift)
    assert drop.proposedAction() == Qt.DropAction.MoveAction
    for event in (enter, over, drop):
        QApplication.sendEvent(window, event)
        assert event.isAccepted()
        assert event.dropAction() == Qt.DropAction.CopyAction, event
    qtbot.waitUntil(lambda: window.context.document.name == "dropped.toml")
    assert path.exists()
    only_move = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.MoveAction, data, left, shift)
    QApplication.sendEvent(window, only_move)
    assert not only_move.isAccepted(), "the other program allows only a move"


def test_examples_are_the_bundled_scenes(window: MainWindow) -> None:
    window.context.action_registry.menus["File/Open Example"].aboutToShow.emit()
    texts = [
        plain(action.text())
        for action in window.context.action_registry.menus["File/Open Example"].actions()
    ]
    assert "Obstacle-aided locomotion" in texts
    assert texts[0].startswith("Scene Gallery")


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (Qt.DropAction.MoveAction | Qt.DropAction.CopyAction, True),
        (Qt.DropAction.MoveAction, False),
    ],
)
def test_dropped_file_is_copied_and_never_moved(
    window: MainWindow, tmp_path: Path, offered: Qt.DropAction, taken: bool
) -> None:
    path = tmp_path / "dropped.toml"
    path.write_text(MAIN_SCENE.read_text())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    given = data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
    over = QDragEnterEvent(QPoint(50, 50), offered, *given)
    over.setDropAction(Qt.DropAction.MoveAction)
    over.setAccepted(False)
    window.dragEnterEvent(over)
    assert over.isAccepted() is taken
    drop = QDropEvent(QPointF(50, 50), offered, *given)
    drop.setDropAction(Qt.DropAction.MoveAction)
    window.dropEvent(drop)
    assert (drop.dropAction() == Qt.DropAction.CopyAction) is taken
    assert path.is_file()


def test_example_is_opened_as_a_copy(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = MAIN_SCENE.read_bytes()
    document = window.context.document
    assert (document.path, document.origin, document.dirty) == (None, MAIN_SCENE.resolve(), False)
    assert window.windowTitle().startswith("Copy of obstacle_aided.toml")
    document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    offered: list[str] = []
    chosen = tmp_path / "mine.toml"

    def ask(parent: object, title: str, suggested: str, kinds: str) -> tuple[str, str]:
        offered.append(suggested)
        return str(chosen), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    window.context.action_registry["save"].trigger()
    assert offered == [str(Path.home() / "obstacle_aided.toml")]
    assert document.path == document.origin == chosen.resolve()
    assert window.windowTitle().startswith("mine.toml")
    # Neither is it written with Save As, directly or through a link.
    link = tmp_path / "link"
    link.symlink_to(MAIN_SCENE.parent)
    for target in (MAIN_SCENE, link / MAIN_SCENE.name, MAIN_SCENE.with_name("another.toml")):
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *args, target=target: (str(target), "")
        )
        assert not window.context.files.ask_save()
        assert "the program" in window.context.banners.files.text
        assert document.path == chosen.resolve()
    assert MAIN_SCENE.read_bytes() == before
    assert not MAIN_SCENE.with_name("another.toml").exists()


def test_initial_scene_is_not_a_recent_file(window: MainWindow) -> None:
    window.context.files.recent.clear()
    assert window.context.files.open(MAIN_SCENE, remember=False)
    assert window.context.files.recent.paths == []
    assert window.context.files.open(MAIN_SCENE)
    assert window.context.files.recent.paths == [MAIN_SCENE.resolve()]
