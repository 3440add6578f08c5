"""Random edits, undo, redo, gestures, saves, loads and reverts: the scene always equals its history."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.document import Document
from snakestudio.model.scene import Scene
from snakestudio.model.scene_diff import difference_in_words
from snakestudio.model.scene_file import dump_scene, load_scene, parse_scene
from snakestudio.viewmodel.scene.empty_scene import empty_scene
from tests.document_edits import EDITS, edited
from tests.gui.conftest import MAIN_SCENE


class DocumentMachine(RuleBasedStateMachine):
    """The document compared with the simplest history: a list of scenes and a position in it."""

    edits_made = 0

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="snakestudio-machine-"))
        self.document = Document()
        self.seen: list[Scene] = []
        self.document.scene_changed.connect(lambda before, after: self.seen.append(after))
        self.gesture = 0
        self.saved = 0
        self.begin(self.document.scene)

    def begin(self, scene: Scene) -> None:
        self.history = [scene]
        self.position = 0
        self.clean = 0
        self.gesture_step = -1

    @property
    def scene(self) -> Scene:
        return self.history[self.position]

    def push(self, scene: Scene) -> None:
        if scene == self.scene:
            return
        if self.clean > self.position:
            self.clean = -1
        self.history[self.position + 1 :] = [scene]
        self.position += 1
        self.gesture_step = -1

    @initialize(main=st.booleans())
    def start(self, main: bool) -> None:
        if main:
            self.document.open(MAIN_SCENE)
            self.document.save(self.folder / "mine.toml")
            self.begin(load_scene(MAIN_SCENE))

    @rule(names=st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=20), data=st.data())
    def edit(self, names: list[str], data: Any) -> None:
        for name in names:
            scene = edited(self.scene, name, data.draw)
            if scene is not None:
                self.document.edit(scene, name)
                self.push(scene)
                self.the_scene_equals_its_history()
                DocumentMachine.edits_made += 1

    @rule(values=st.lists(st.floats(0, 60), min_size=1, max_size=4), back=st.booleans())
    def gesture_of_one_slider(self, values: list[float], back: bool) -> None:
        """Drag a slider, possibly back to its start: one undo step, or none."""
        gesture = self.document.new_gesture()
        before = self.scene
        count = self.document.undo_stack.count()
        for value in [*values, *([before.gait.amplitude_deg] if back else [])]:
            self.document.set_value("gait.amplitude_deg", value, "Amplitude", gesture)
        after = self.document.scene
        moved = any(value != before.gait.amplitude_deg for value in values)
        if after != before:
            self.push(after)
            assert self.document.undo_stack.count() == self.position
        elif moved:  # the step was created, which removed the redo steps, and was removed again
            if self.clean > self.position:
                self.clean = -1
            del self.history[self.position + 1 :]
        else:
            assert self.document.undo_stack.count() == count

    @rule()
    def undo(self) -> None:
        self.document.undo_stack.undo()
        self.position = max(0, self.position - 1)

    @rule()
    def redo(self) -> None:
        self.document.undo_stack.redo()
        self.position = min(len(self.history) - 1, self.position + 1)

    @rule(fraction=st.floats(0, 1))
    def jump(self, fraction: float) -> None:
        """Like a history panel."""
        self.position = round(fraction * (len(self.history) - 1))
        self.document.undo_stack.setIndex(self.position)

    @rule(under_new_name=st.booleans())
    def save(self, under_new_name: bool) -> None:
        if under_new_name or self.document.path is None:
            self.saved += 1
            self.document.save(self.folder / f"scene{self.saved}.toml")
        else:
            self.document.save()
        self.clean = self.position
        assert self.document.path is not None
        assert load_scene(self.document.path) == self.scene
        assert self.document.on_disk() == "same"

    @precondition(lambda self: self.document.path is not None)
    @rule()
    def load(self) -> None:
        scene = self.document.read_file()
        self.document.open(self.document.path)
        self.begin(scene)

    @precondition(lambda self: self.document.path is not None)
    @rule()
    def revert(self) -> None:
        scene = self.document.read_file()
        self.document.revert()
        self.push(scene)
        self.clean = self.position

    @precondition(lambda self: self.document.path is not None)
    @rule(name=st.sampled_from(sorted(EDITS)), data=st.data())
    def another_program_writes(self, name: str, data: Any) -> None:
        other = edited(self.document.read_file(), name, data.draw)
        if other is not None:
            self.document.path.write_text(dump_scene(other), encoding="utf-8")
            assert self.document.on_disk() in ("same", "changed")

    @rule()
    def restore_unsaved(self) -> None:
        scene = self.scene
        path = self.document.path
        saved = self.document.read_file() if path is not None else empty_scene()
        self.document.restore(scene, path)
        self.begin(saved)
        self.push(scene)

    @invariant()
    def the_scene_equals_its_history(self) -> None:
        assert self.document.scene == self.scene
        assert self.document.undo_stack.count() == len(self.history) - 1
        assert self.document.undo_stack.index() == self.position
        assert self.document.dirty == (self.position != self.clean)
        assert not self.seen or self.seen[-1] is self.document.scene, "listeners were notified"

    @invariant()
    def it_saves_and_loads_to_itself(self) -> None:
        scene = self.document.scene
        text = dump_scene(scene, self.document.text)
        assert parse_scene(text) == scene
        assert difference_in_words(scene, parse_scene(text)) == []

    def teardown(self) -> None:
        self.document.deleteLater()
        shutil.rmtree(self.folder)


def run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        DocumentMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_document_equals_its_history(qtbot: QtBot) -> None:
    DocumentMachine.edits_made = 0
    run(examples=8, steps=20)
    assert DocumentMachine.edits_made > 10


@pytest.mark.soak
def test_ten_thousand_edits_equal_their_history(qtbot: QtBot) -> None:
    DocumentMachine.edits_made = 0
    while DocumentMachine.edits_made < 10_000:
        run(examples=50, steps=60)
