"""The document: one undo stack for all edits, gestures that merge, and unreadable files that change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.errors import SceneError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.model.edits import remove_obstacles, transform
from snakestudio.model.scene_file import load_scene
from tests.gui.conftest import MAIN_SCENE


def test_every_edit_is_undone_and_redone(document: Document) -> None:
    before = document.scene
    document.set_value("gait.amplitude_deg", 20.0, "Amplitude")
    document.set_value("ground.mu_along", 0.5, "Friction")
    after = document.scene
    assert document.dirty
    document.undo_stack.undo()
    assert document.scene.ground.mu_along == before.ground.mu_along
    assert document.scene.gait.amplitude_deg == 20.0
    document.undo_stack.undo()
    assert document.scene == before
    assert not document.dirty
    document.undo_stack.redo()
    document.undo_stack.redo()
    assert document.scene == after


def test_edits_of_a_gesture_are_one_step(document: Document) -> None:
    before = document.scene
    gesture = document.new_gesture()
    for amplitude in (35.0, 30.0, 25.0):
        document.set_value("gait.amplitude_deg", amplitude, "Amplitude", gesture)
    document.set_value("gait.amplitude_deg", 10.0, "Amplitude", document.new_gesture())
    assert document.undo_stack.count() == 2
    document.undo_stack.undo()
    assert document.scene.gait.amplitude_deg == 25.0
    document.undo_stack.undo()
    assert document.scene == before


def test_gesture_without_effect_leaves_no_step(document: Document) -> None:
    before = document.scene
    gesture = document.new_gesture()
    document.edit(transform.move(before, [0], (0.1, 0.0, 0.0)), "Move", gesture)
    document.edit(before, "Move", gesture)
    assert document.undo_stack.count() == 0
    assert not document.dirty


def test_lost_saved_step_leaves_the_document_unsaved(document: Document, tmp_path: Path) -> None:
    document.save(tmp_path / "mine.toml")
    document.set_value("gait.amplitude_deg", 12.0, "Amplitude")
    document.save()
    document.undo_stack.undo()
    gesture = document.new_gesture()
    before = document.scene.gait.amplitude_deg
    for value in (20.0, before):
        document.set_value("gait.amplitude_deg", value, "Amplitude", gesture)
    assert document.undo_stack.count() == 0
    assert document.dirty  # the file contains 12 degrees, and no step leads there
    document.open(tmp_path / "mine.toml")
    assert not document.dirty


def test_invalid_value_changes_nothing(document: Document) -> None:
    before = document.scene
    with pytest.raises(SceneError, match="mass"):
        document.set_value("robot.mass_kg", -1.0, "Mass")
    assert document.scene is before
    assert document.undo_stack.count() == 0


def test_unreadable_file_changes_nothing(document: Document, tmp_path: Path) -> None:
    before = document.scene
    path = document.path
    bad = tmp_path / "bad.toml"
    bad.write_text("format = 1\n[robot]\nmass_kg = -1\n")
    with pytest.raises(SceneError, match="mass_kg"):
        document.open(bad)
    assert document.scene is before
    assert document.path == path


def test_saving_keeps_comments_and_cleans(document: Document, tmp_path: Path) -> None:
    document.set_value("ground.mu_along", 0.35, "Friction")
    target = tmp_path / "mine.toml"
    document.save(target)
    assert not document.dirty
    assert document.name == "mine.toml"
    text = target.read_text()
    assert "mu_along = 0.35  # measured by pulling" in text
    again = Document()
    again.open(target)
    assert again.scene == document.scene


def test_selection_follows_the_obstacles(document: Document) -> None:
    selection = Selection(document)
    selection.set([("obstacle", 1), ("obstacle", 4), ("link", 3), ("obstacle", 99)])
    assert selection.items == {("obstacle", 1), ("obstacle", 4), ("link", 3)}
    document.edit(remove_obstacles(document.scene, [1, 2]), "Delete")
    assert selection.items == {("obstacle", 2), ("link", 3)}, (
        "obstacle 5 is number 3 now, obstacle 2 was removed"
    )
    document.undo_stack.undo()
    assert selection.items == {("obstacle", 4), ("link", 3)}
    document.new()
    assert selection.items == frozenset()


def test_selection_follows_equal_reloaded_obstacles(document: Document) -> None:
    selection = Selection(document)
    selection.set([("obstacle", 1), ("obstacle", 4)])
    again = load_scene(MAIN_SCENE)
    assert again.obstacles[4] is not document.scene.obstacles[4]
    document.edit(remove_obstacles(again, [0, 1]), "Reload")
    assert selection.items == {("obstacle", 2)}


def test_removed_link_is_not_selected(document: Document) -> None:
    selection = Selection(document)
    selection.set([("link", 10), ("link", 2)])
    document.set_value("robot.n_links", 8, "Links")
    assert selection.items == {("link", 2)}
