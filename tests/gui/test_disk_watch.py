"""A file that another program changes, replaces or removes is detected, and no edits are lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from snakestudio.errors import SceneError
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.shell.disk_watch import DiskNotice, DiskWatch
from snakestudio.model.edits import with_value
from snakestudio.model.scene_file import load_scene, save_scene
from tests.gui.conftest import MAIN_SCENE
from tests.gui.pages.notices import NoticePage


@pytest.fixture
def document(own_document: Document) -> Document:
    return own_document


@pytest.fixture
def banner(document: Document, qtbot: QtBot) -> Iterator[Banner]:
    banner = Banner()
    qtbot.addWidget(banner)
    watch = DiskWatch(document)
    DiskNotice(watch, document, banner, document.revert, document.save)
    document.title_changed.emit()
    yield banner
    watch.close()


def change(document: Document, amplitude: float) -> None:
    """Write the file like an editor that replaces it."""
    assert document.path is not None
    save_scene(
        with_value(load_scene(document.path), "gait.amplitude_deg", amplitude), document.path
    )


@pytest.mark.parametrize("way", ["replaced", "written in place"])
def test_change_is_detected_and_can_be_reloaded(
    document: Document, banner: Banner, qtbot: QtBot, way: str
) -> None:
    assert document.path is not None
    before = document.scene
    for amplitude in (21.0, 22.0):  # the second time the file is another one
        if way == "replaced":
            change(document, amplitude)
        else:
            text = document.path.read_text(encoding="utf-8")
            old = f"amplitude_deg = {document.scene.gait.amplitude_deg}\nfrequency"
            document.path.write_text(
                text.replace(old, f"amplitude_deg = {amplitude}\nfrequency"), encoding="utf-8"
            )
        qtbot.waitUntil(lambda: "mine.toml was changed" in banner.text)
        NoticePage(banner).press("reload")
        assert document.scene.gait.amplitude_deg == amplitude
        assert not document.dirty
        assert banner.text == ""
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert document.scene == before, "reloading is undone like any edit"
    assert document.dirty


def test_own_version_is_kept_and_saved(document: Document, banner: Banner, qtbot: QtBot) -> None:
    document.set_value("run.duration_s", 3.0, "Duration")
    change(document, 21.0)
    qtbot.waitUntil(lambda: "unsaved changes" in banner.text)
    NoticePage(banner).press("keep")
    assert banner.text == ""
    assert document.dirty
    assert document.on_disk() == "same"
    document.save()
    assert load_scene(MAIN_SCENE).gait == document.scene.gait
    assert load_scene(document.path or "") == document.scene


def test_removed_file_is_reported_and_saved_again(
    document: Document, banner: Banner, qtbot: QtBot
) -> None:
    assert document.path is not None
    document.path.unlink()
    qtbot.waitUntil(lambda: "no longer exists" in banner.text)
    NoticePage(banner).press("save")
    assert load_scene(document.path) == document.scene
    qtbot.waitUntil(lambda: banner.text == "")
    change(document, 5.0)
    qtbot.waitUntil(lambda: "was changed" in banner.text)


def test_same_text_and_own_save_are_not_changes(
    document: Document, banner: Banner, qtbot: QtBot
) -> None:
    assert document.path is not None
    data = document.path.read_bytes()
    document.path.write_bytes(data)
    os.utime(document.path)
    document.set_value("run.duration_s", 3.0, "Duration")
    document.save()
    qtbot.wait(400)
    assert banner.text == ""
    assert document.on_disk() == "same"


def test_reverted_change_removes_the_notice(
    document: Document, banner: Banner, qtbot: QtBot
) -> None:
    assert document.path is not None
    data = document.path.read_bytes()
    change(document, 21.0)
    qtbot.waitUntil(lambda: banner.text != "")
    document.path.write_bytes(data)
    qtbot.waitUntil(lambda: banner.text == "")


def test_revert_restores_the_file_and_can_be_undone(document: Document, tmp_path: Path) -> None:
    before = document.scene
    document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    after = document.scene
    document.revert()
    assert document.scene == before
    assert not document.dirty
    assert document.undo_stack.undoText() == "Revert to file"
    document.undo_stack.undo()
    assert document.scene == after
    assert document.dirty


def test_unreadable_file_is_not_restored(document: Document) -> None:
    assert document.path is not None
    document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    scene = document.scene
    document.path.write_text("format = 1\n[robot]\nmass_kg = -1\n")
    with pytest.raises(SceneError, match="mass_kg"):
        document.revert()
    assert document.scene is scene
    assert document.on_disk() == "changed"
    document.new()
    with pytest.raises(SceneError, match="no file yet"):
        document.revert()
