"""The cards of goals: their direction follows the measure, unless it was chosen manually."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.setup.measures import Goals
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import scenes_dir
from snakestudio.study.study_file import load_study

pytestmark = pytest.mark.gui

STUDY = """\
format = 2
scene = "snake.toml"
[[vary]]
key = "gait.amplitude_deg"
values = [20.0, 30.0]
[repeats]
count = 2
[[goals]]
measure = "net_distance"
[[goals]]
measure = "net_speed"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_scene(load_scene(scenes_dir() / "lagrangian_undulation.toml"), tmp_path / "snake.toml")
    path = tmp_path / "a.study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture
def goals(path: Path, qtbot: QtBot) -> Iterator[Goals]:
    open_study = OpenStudy()
    open_study.open(path)
    qtbot.waitUntil(lambda: open_study.study_check.scene is not None)
    goals = Goals(open_study)
    qtbot.addWidget(goals)
    for signal in (open_study.changed, open_study.checked):
        signal.connect(goals.refresh)
    goals.refresh()
    yield goals
    open_study.close()


def choose(box: QComboBox, argument: str) -> None:
    """Choose an entry like a click."""
    box.setCurrentIndex(box.findData(argument))
    box.activated.emit(box.currentIndex())


def test_direction_follows_the_measure(goals: Goals, path: Path, qtbot: QtBot) -> None:
    card = goals.cards[0]
    for measure, aim in (
        ("cost_of_transport", "minimise"),
        ("straightness", "maximise"),
        ("time_jammed", "minimise"),
    ):
        choose(card.measure.field, measure)
        assert load_study(path).goals[0].aim == aim
        assert card.aim.field.currentData() == aim
    choose(goals.cards[1].over.field, "spread")
    assert load_study(path).goals[1].aim == "minimise", "less spread is better"
    choose(card.measure.field, "")
    card.expression.setText("max(solver_residual)")
    card.expression.setModified(True)
    card.expression.editingFinished.emit()
    assert load_study(path).goals[0].aim == "minimise"


def test_direction_chosen_by_hand_stays(goals: Goals, path: Path, qtbot: QtBot) -> None:
    card = goals.cards[0]
    choose(card.aim.field, "maximise")  # it is the current value already, now chosen manually
    assert card.note.isHidden()
    choose(card.measure.field, "cost_of_transport")
    assert load_study(path).goals[0].aim == "maximise"
    qtbot.waitUntil(lambda: "A cost is maximised" in card.note.text())
    choose(card.aim.field, "minimise")
    choose(card.measure.field, "straightness")
    assert load_study(path).goals[0].aim == "minimise"
    qtbot.waitUntil(card.note.isHidden)


def test_manual_choice_applies_to_its_goal_only(goals: Goals, path: Path) -> None:
    choose(goals.cards[0].aim.field, "maximise")
    goals.cards[0].remove_button.click()
    choose(goals.cards[0].measure.field, "cost_of_transport")
    assert load_study(path).goals[0].aim == "minimise"
