"""Autosave: unsaved edits are stored soon, and removed once they are saved or discarded."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.document import Document
from snakestudio.gui.shell.autosave import Autosave
from snakestudio.gui.shell.crash import CrashGuard
from snakestudio.model.atomic import write_atomically
from snakestudio.model.scene_file import load_scene
from snakestudio.session import recovery
from snakestudio.session.recovery import process_start, recovery_dir, unsaved_scenes
from tests.gui.conftest import MAIN_SCENE


@pytest.fixture
def document(own_document: Document) -> Document:
    return own_document


@pytest.fixture
def autosave(document: Document) -> Iterator[Autosave]:
    autosave = Autosave(document, interval_s=0.05)
    yield autosave
    autosave.close()


def kept() -> list[Path]:
    return list(recovery_dir().glob("unsaved-*.toml"))


def edit(document: Document, amplitude: float) -> None:
    document.set_value("gait.amplitude_deg", amplitude, "Amplitude")


def orphan() -> None:
    """Make the stored file look as if its process had ended."""
    (path,) = kept()
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace(f"started: {process_start(os.getpid())}", "started: 1"), encoding="utf-8"
    )


def test_unsaved_edits_are_stored_soon(
    document: Document, autosave: Autosave, qtbot: QtBot
) -> None:
    qtbot.wait(100)
    assert kept() == [], "there are no unsaved edits"
    edit(document, 12.0)
    qtbot.waitUntil(lambda: bool(kept()) and load_scene(kept()[0]) == document.scene)
    edit(document, 13.0)
    qtbot.waitUntil(lambda: load_scene(kept()[0]) == document.scene)
    orphan()
    (unsaved,) = unsaved_scenes()
    assert unsaved.path == document.path
    assert unsaved.scene.gait.amplitude_deg == 13.0


def test_saving_undoing_and_opening_remove_the_file(
    document: Document, autosave: Autosave, qtbot: QtBot
) -> None:
    for finish in (
        document.save,
        document.undo_stack.undo,
        lambda: document.open(MAIN_SCENE),
        document.new,
    ):
        edit(document, document.scene.gait.amplitude_deg + 1)
        qtbot.waitUntil(lambda: len(kept()) == 1)
        finish()
        assert kept() == []
        assert not document.dirty


def test_scene_kept_over_a_changed_file_is_unsaved(
    document: Document, autosave: Autosave, qtbot: QtBot
) -> None:
    assert document.path is not None
    document.path.write_text("format = 1\n", encoding="utf-8")
    document.keep_mine()
    qtbot.waitUntil(lambda: len(kept()) == 1)
    assert load_scene(kept()[0]) == document.scene


def test_normal_end_removes_discarded_edits(document: Document, qtbot: QtBot) -> None:
    autosave = Autosave(document, interval_s=0.05)
    edit(document, 12.0)
    qtbot.waitUntil(lambda: len(kept()) == 1)
    autosave.close()
    assert kept() == []
    autosave.write_now()
    assert kept() == []


def test_internal_error_stores_edits_immediately(document: Document) -> None:
    autosave = Autosave(document, interval_s=1000)
    guard = CrashGuard(lambda sentence: None, autosave.write_now)
    try:
        edit(document, 12.0)
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        assert load_scene(kept()[0]).gait.amplitude_deg == 12.0
    finally:
        guard.close()
        autosave.close(keep=True)
    assert len(kept()) == 1, "an abnormal end keeps it"


def test_full_disk_is_reported_once_and_retried(
    document: Document, autosave: Autosave, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    tries: list[int] = []
    autosave.failed.connect(told.append)

    def full(path: Path, data: bytes) -> None:
        tries.append(len(data))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(recovery, "write_atomically", full)
    edit(document, 12.0)
    qtbot.waitUntil(lambda: len(tries) >= 3)
    assert len(told) == 1
    assert "No space left on device" in told[0]
    monkeypatch.setattr(recovery, "write_atomically", write_atomically)
    qtbot.waitUntil(lambda: len(kept()) == 1)
    monkeypatch.setattr(recovery, "write_atomically", full)
    edit(document, 13.0)
    qtbot.waitUntil(lambda: len(told) == 2)
    document.save()
    assert kept() == [], "the file from before the full disk is removed, too"


def test_restoring_is_one_edit_of_the_file(document: Document, tmp_path: Path) -> None:
    before = document.scene
    path = document.path
    edit(document, 12.0)
    unsaved = document.scene
    document.restore(unsaved, path)
    assert document.scene == unsaved
    assert document.dirty
    document.undo_stack.undo()
    assert document.scene == before
    assert not document.dirty
    document.restore(unsaved, None)
    assert (document.path, document.dirty) == (None, True)
    document.restore(unsaved, tmp_path / "gone.toml")
    assert document.scene == unsaved
    document.save()
    assert load_scene(tmp_path / "gone.toml") == unsaved
