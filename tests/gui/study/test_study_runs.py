"""From results back to the window: a run is repeated bit for bit and shown, and its values are applied to the scene."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from snakestudio.engines import registry
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.study.open_run import StudyRuns
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.scene_file import dump_scene, load_scene, save_scene
from snakestudio.paths import scenes_dir
from snakestudio.study.evaluate import Chunk, evaluate, files_of
from snakestudio.study.goals import measured
from snakestudio.study.results import Table
from snakestudio.study.run_key import code_hash, run_key, study_hash
from snakestudio.study.running import check_measures, open_plan, results_of
from snakestudio.study.store import RunOutcome, RunRequest, Store, store_path
from snakestudio.study.study_file import dump_study
from tests.gui.pages.notices import NoticePage

pytestmark = pytest.mark.gui

STUDY = """\
format = 1
scene = "snake.toml"

[fixed]
"ground.mu_along" = 0.15

[[vary]]
key = "gait.amplitude_deg"
low = 20.0
high = 40.0
steps = 3

[repeats]
count = 2

[[repeats.jitter]]
key = "ground.mu_across"
spread = 0.05

[[goals]]
measure = "net_speed"

[[limits]]
measure = "largest_torque"
at_most = 100.0
"""


def run_here(
    path: Path, code: str | None = None, change: Callable[[RunOutcome], RunOutcome] = lambda o: o
) -> Table:
    """Run a study in this process, like its driver and a worker, and store the results."""
    plan = open_plan(path)
    units = check_measures(plan)
    scene, files = files_of(plan.scene, plan.base_dir)
    measures = tuple(part.measure for part in plan.study.measured)
    shared = study_hash(measures, files)
    requests = []
    for number in range(plan.study.n_points):
        for repeat in range(plan.study.repeats.count):
            values = plan.repeat(plan.grid_point(number), repeat)
            requests.append(
                RunRequest(number, repeat, run_key(shared, plan.scene_at(values)), values)
            )
    chunk = Chunk(
        "s",
        dump_scene(scene),
        files,
        measures,
        code_hash(),
        tuple((a.key, a.changes) for a in requests),
    )
    with Store(store_path(path), writing=True) as store:
        about = {"study": dump_study(plan.study), "scene": chunk.scene, "code": code or code_hash()}
        store.begin({**about, "units": json.dumps(units)})
        store.add_requests(requests)
        store.add_outcomes([change(outcome) for outcome in evaluate(chunk)])
    return results_of(path)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Three points of two repeats, half a second each."""
    values = {"run.duration_s": 0.5, "run.log_rate_hz": 20.0}
    save_scene(
        with_values(load_scene(scenes_dir() / "lagrangian_undulation.toml"), values),
        tmp_path / "snake.toml",
    )
    path = tmp_path / "friction.study.toml"
    path.write_text(STUDY)
    if not registry.is_warm("planar_lagrangian"):
        registry.warm_up("planar_lagrangian", lambda fraction, doing: None)
    return path


@pytest.fixture
def runs(window: MainWindow) -> Any:
    created = StudyRuns(window.context, window.context.banners.files, window)
    yield created
    created.close()


def banner(window: MainWindow) -> Banner:
    return window.context.banners.files


def buttons(window: MainWindow) -> list[QPushButton]:
    """Buttons of the notice."""
    return NoticePage(banner(window)).buttons


def opened(qtbot: QtBot, runs: StudyRuns) -> None:
    qtbot.waitUntil(lambda: not runs.busy)


def test_run_is_repeated_bit_for_bit_and_shown(
    window: MainWindow, runs: StudyRuns, study: Path, qtbot: QtBot
) -> None:
    table = run_here(study)
    units = {"net_speed": "mps", "largest_torque": "nm"}
    runs.open(study, table, units, row=2, repeat=1)
    assert runs.busy
    assert "friction, point 2, repeat 2 of 2" in banner(window).text
    opened(qtbot, runs)
    session_controller = window.context.session_controller
    assert "bit for bit" in banner(window).text
    assert session_controller.source == "replay"
    assert session_controller.source_name == "friction, point 2, repeat 2 of 2"
    recording = session_controller.recording
    assert recording is not None
    requests, outcome = table.rows[2][1]
    assert outcome is not None
    again = measured(["net_speed", "largest_torque"], recording)
    assert np.array(again).tobytes() == np.array(outcome.measures).tobytes()
    for key, value in {**requests.changes, "ground.mu_along": 0.15}.items():
        assert get_value(recording.scene, key) == value
    assert requests.changes["ground.mu_across"] != table.rows[2][0][0].changes["ground.mu_across"]


def test_next_repeat_is_one_click_away(
    window: MainWindow, runs: StudyRuns, study: Path, qtbot: QtBot
) -> None:
    table = run_here(study)
    runs.open(study, table, {}, row=0)
    opened(qtbot, runs)
    qtbot.waitUntil(lambda: len(buttons(window)) == 2)
    offered = {button.text(): button for button in buttons(window)}
    assert list(offered) == ["Open Repeat 2", "Apply to Scene"]
    offered["Open Repeat 2"].click()
    opened(qtbot, runs)
    assert window.context.session_controller.source_name == "friction, point 0, repeat 2 of 2"
    qtbot.waitUntil(lambda: [button.text() for button in buttons(window)] == ["Apply to Scene"])


def test_changed_program_is_reported(
    window: MainWindow, runs: StudyRuns, study: Path, qtbot: QtBot
) -> None:
    table = run_here(study, code="of another version")
    other = [
        [(replace(requests, key="another"), outcome) for requests, outcome in row]
        for row in table.rows
    ]
    table = Table(table.study, [run for row in other for run in row])
    runs.open(study, table, {}, row=1)
    opened(qtbot, runs)
    assert "program has changed" in banner(window).text
    assert "bit for bit" in banner(window).text

    def less(outcome: RunOutcome | None) -> RunOutcome:
        assert outcome is not None
        return replace(outcome, measures=(0.5, *outcome.measures[1:]))

    changed = Table(
        table.study, [(requests, less(outcome)) for row in table.rows for requests, outcome in row]
    )
    runs.open(study, changed, {"net_speed": "mps"}, row=1)
    opened(qtbot, runs)
    text = banner(window).text
    assert "program has changed" in text
    assert "bit for bit" not in text
    assert "Net speed is " in text
    assert "but was 0.5 m/s." in text
    assert "again" in text


def test_missing_run_is_reported(
    window: MainWindow, runs: StudyRuns, study: Path, qtbot: QtBot
) -> None:
    table = run_here(study)
    nans = (math.nan, math.nan)
    sentences = {
        None: "Friction, point 0, repeat 1 of 2 ",
        "refused": "There is no ground.",
        "killed": "crash the window",
    }
    for state, sentence in sentences.items():
        outcome = None if state is None else RunOutcome("k", state, "There is no ground.", nans)  # type: ignore[arg-type]
        rows = [(requests, outcome) for row in table.rows for requests, _ in row]
        runs.open(study, Table(table.study, rows), {}, row=0)
        opened(qtbot, runs)
        assert sentence in banner(window).text
        assert window.context.session_controller.source == "simulation"


def test_time_step_of_a_point_is_checked(window: MainWindow, study: Path, qtbot: QtBot) -> None:
    table = run_here(study)
    feature = window.context.study
    checker = window.context.step_checker
    assert feature.open(study, with_scene=False)
    qtbot.waitUntil(lambda: feature.open_study.results is not None)
    assert feature.check_step(1)
    assert checker.subject is not None
    assert checker.subject.name == "friction, point 1, repeat 1 of 2"
    assert get_value(checker.subject.scene, "gait.amplitude_deg") == table["gait.amplitude_deg"][1]
    qtbot.waitUntil(lambda: not checker.busy)
    assert checker.comparison is not None
    assert checker.comparison.settled


def test_opening_can_be_cancelled(
    window: MainWindow, runs: StudyRuns, study: Path, qtbot: QtBot
) -> None:
    table = run_here(study)
    runs.open(study, table, {}, row=0)
    runs.cancel()
    assert not runs.busy
    assert "was cancelled" in banner(window).text
    runs.close()
    assert window.context.session_controller.source == "simulation"


# --- taking over ----------------------------------------------------------------------------------


def test_values_are_applied_as_one_edit(window: MainWindow, runs: StudyRuns, study: Path) -> None:
    table = run_here(study)
    document = window.context.document
    assert window.context.files.open(study.parent / "snake.toml")
    before = document.scene
    runs.apply_point(study, table, 2)
    assert document.scene == with_values(
        before, {"gait.amplitude_deg": 40.0, "ground.mu_along": 0.15}
    )
    assert document.undo_stack.count() == 1
    assert document.undo_stack.undoText() == "Apply friction, point 2"
    for name in ("friction, point 2", "Ground: Friction along", "Gait: Amplitude"):
        assert name in banner(window).text
    document.undo_stack.undo()
    assert document.scene == before
    document.undo_stack.redo()
    runs.apply_point(study, table, 2)
    assert document.undo_stack.count() == 1
    assert "already" in banner(window).text


def test_values_for_another_scene_need_confirmation(
    window: MainWindow, runs: StudyRuns, study: Path
) -> None:
    table = run_here(study)
    document = window.context.document
    before = document.scene
    runs.apply_point(study, table, 2)
    runs.apply_point(study, table, 1)  # the notice is for the last request
    assert document.scene == before
    assert "snake.toml" in banner(window).text
    assert "Copy of obstacle_aided.toml" in banner(window).text
    offered = {button.text(): button for button in buttons(window)}
    offered["Apply to Copy of obstacle_aided.toml"].click()
    assert document.scene == with_values(
        before, {"gait.amplitude_deg": 30.0, "ground.mu_along": 0.15}
    )
    document.undo_stack.undo()
    runs.apply_point(study, table, 1)
    next(button for button in buttons(window) if button.text() == "Open snake.toml").click()
    assert document.path == (study.parent / "snake.toml").resolve()
    assert get_value(document.scene, "gait.amplitude_deg") == 30.0
    document.undo_stack.undo()
    document.undo_stack.setClean()


def test_values_that_a_scene_lacks_are_refused(
    window: MainWindow, runs: StudyRuns, study: Path
) -> None:
    table = run_here(study)
    document = window.context.document
    before = document.scene
    key = "obstacles[40].x_m"
    fields = table.study.model_copy(
        update={"vary": (table.study.vary[0].model_copy(update={"key": key}),)}
    )
    rows = [
        (replace(requests, changes={key: 1.0}), outcome)
        for row in table.rows
        for requests, outcome in row
    ]
    runs.apply_point(study, Table(fields, rows), 1)
    buttons(window)[1].click()
    assert document.scene == before
    text = banner(window).text
    assert text.startswith("The values of friction, point 1 ")
    assert key in text
