"""The check of the time step in the window: the table, the button that sets the step, and the estimate in files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from snakestudio.export.formats import EXPORTS
from snakestudio.gui.analysis.comparison.step_checker import StepChecker, Subject
from snakestudio.gui.analysis.comparison.step_dialog import StepDialog
from snakestudio.gui.core.document import Document
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, save_scene, scene_hash
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run
from tests.gui.conftest import COMPILING_MS
from tests.gui.fake import FakeExporter

pytestmark = pytest.mark.gui


def creeping(**values: object) -> Scene:
    """0.3 s of the creeping wave with a step that is too long."""
    scene = load_scene(scenes_dir() / "lateral_undulation_isotropic.toml")
    short = {"run.duration_s": 0.3, "solver.joints": "implicit", "solver.step_s": 0.005}
    return with_values(scene, {**short, **values})


@pytest.fixture
def document(qtbot: QtBot) -> Document:
    document = Document()
    document.new(creeping())
    return document


@pytest.fixture
def checker(document: Document) -> Iterator[StepChecker]:
    checker = StepChecker(document)
    yield checker
    checker.close()


@pytest.fixture
def dialog(checker: StepChecker, qtbot: QtBot) -> StepDialog:
    dialog = StepDialog(checker, FakeExporter())
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def finished(checker: StepChecker, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not checker.busy, timeout=COMPILING_MS)
    assert checker.message == ""


def test_proposed_step_is_set_by_a_button_and_undone(
    document: Document, checker: StepChecker, dialog: StepDialog, qtbot: QtBot
) -> None:
    checker.start()
    assert dialog.frame.bar.isVisible()
    assert "5 ms, 2.5 ms and, if needed, 1.25 ms" in dialog.intro.text()
    finished(checker, qtbot)
    heads = [column.title for column in dialog.table.table_model.table.columns]
    assert heads[1:5] == ["5 ms", "2.5 ms", "1.25 ms", "error at 5 ms"]
    assert [row[0] for row in dialog.table.texts] == [
        "Net displacement, m",
        "Mean speed, m/s",
        "Largest force, N",
        "Actuator work, J",
        "Friction work, J",
    ]
    assert dialog.table.texts[0][5].startswith("order ")
    last = dialog.table.visualRect(dialog.table.table_model.index(4, 0))
    assert dialog.table.viewport().rect().contains(last), "no row is clipped"
    dialog.frame.copy_button.click()
    assert "Net displacement" in QGuiApplication.clipboard().text()
    assert checker.comparison is not None
    assert checker.comparison.proposal is not None
    step = checker.comparison.proposal["solver.step_s"]
    assert dialog.apply_button.text() == f"&Use {1000 * step:.4g} ms"
    dialog.apply_button.click()
    assert document.scene.solver.step_s == step
    assert not dialog.apply_button.isVisible()
    assert "Check again" in dialog.frame.note.text()
    document.undo_stack.undo()
    assert document.scene.solver.step_s == 0.005
    assert dialog.apply_button.isVisible()
    document.edit(with_values(document.scene, {"gait.amplitude_deg": 30.0}), "Amplitude")
    assert "edited since" in dialog.frame.note.text()
    assert not dialog.apply_button.isVisible()


def test_escape_closes_and_cancels(
    document: Document, checker: StepChecker, dialog: StepDialog, qtbot: QtBot
) -> None:
    document.new(creeping(**{"run.duration_s": 2000.0}))
    checker.start()
    assert checker.busy
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert not checker.busy
    assert checker.comparison is None
    assert checker.message == "The check was cancelled."


def test_scene_that_cannot_run_is_reported(
    checker: StepChecker, dialog: StepDialog, qtbot: QtBot
) -> None:
    subject = Subject(
        creeping(**{"start.kind": "recording", "start.file": "missing.mcap"}),
        None,
        "point 3",
        own=False,
    )
    checker.check(subject)
    qtbot.waitUntil(lambda: not checker.busy, timeout=COMPILING_MS)
    assert checker.comparison is None
    assert "missing.mcap" in dialog.frame.note.text()
    assert dialog.check_button.isVisible()


def test_point_of_a_study_gets_values_and_no_button(
    checker: StepChecker, dialog: StepDialog, qtbot: QtBot
) -> None:
    checker.check(Subject(creeping(), None, "friction, point 3", own=False))
    finished(checker, qtbot)
    assert "friction, point 3" in dialog.subject.text()
    assert "solver.step_s = " in dialog.notes.text()
    assert not dialog.apply_button.isVisible()


def test_runs_and_exports_contain_the_estimate(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "creeping.toml"
    save_scene(creeping(), path)
    window = make_window()
    context = window.context
    assert context.files.open(path)
    qtbot.waitUntil(
        lambda: context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    context.action_registry["check_step_size"].trigger()
    dialog = window.findChild(StepDialog)
    assert dialog is not None
    assert dialog.isVisible()
    finished(context.step_checker, qtbot)
    dialog.close()
    context.session_controller.session.set_speed(math.inf)
    context.session_controller.session.play()
    qtbot.waitUntil(lambda: context.session_controller.status.state == "finished")
    qtbot.waitUntil(
        lambda: (
            context.session_controller.recording is not None
            and len(context.session_controller.recording) == 31
        )
    )
    for name, kind in (("run.csv", "csv"), ("run.mcap", "mcap")):
        with qtbot.waitSignal(context.exporter.finished):
            context.exporter.export(EXPORTS[kind], tmp_path / name)
    text = (tmp_path / "run.csv").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("# step_check: "))
    estimate = json.loads(line.removeprefix("# step_check: "))
    assert estimate["scene_sha256"] == scene_hash(context.document.scene)
    with open_run(tmp_path / "run.mcap") as run:
        assert run.step_estimate is not None
        assert run.step_estimate.values == estimate
