"""A study while a robot is armed: workers, link and robot are separate processes, and only the robot is emulated.

The times of the robot's profile are so long that a busy machine does not stop it in these tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.robot.arming import Arming
from snakestudio.gui.robot.stop_button import StopButton
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.study.cluster_dialog import WorkerChoice
from snakestudio.gui.study.runner import ARMED
from snakestudio.link.messages import LinkState
from snakestudio.link.profile.loading import load_profile
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.viewmodel.robot.services import LiveChoices
from tests.gui.conftest import COMPILING_MS, fill_docks
from tests.gui.test_study import bar, open_window, opened, study_file
from tests.link.rig import STOP_ID, Witness, patient_robot

# before the window opens the scene
pytestmark = [pytest.mark.gui, pytest.mark.usefixtures("endless")]

__all__ = ["open_window", "opened", "study_file"]

LEFT = Qt.MouseButton.LeftButton
_SET_POINTS_HZ = 0.5
"""Low, because the link stops after a delay of 2.5 periods."""
_WINDOW_S = 10.0
"""The longest timeout of a window that a profile may have."""


@pytest.fixture
def endless(study_file: Path) -> Path:
    """Thousands of runs of a scene with as many joints as the lab robot."""
    scene = study_file.parent / "snake.toml"
    save_scene(with_values(load_scene(scene), {"robot.n_links": 11}), scene)
    study_file.write_text(study_file.read_text().replace("steps = 3", "steps = 5000"))
    return study_file


@pytest.fixture
def robot(opened: MainWindow, tmp_path: Path, qtbot: QtBot) -> Iterator[RobotController]:
    """An emulated robot that is connected to the window and ready to be armed."""
    c = opened.context
    fill_docks(opened, "teleop", "robot", "robot_data")
    loaded = load_profile(patient_robot(tmp_path, _SET_POINTS_HZ, _WINDOW_S))
    c.robot_controller.connect_emulated(loaded, LiveChoices(twin=False), on_ground=False)
    c.docks.show("robot")
    qtbot.waitUntil(lambda: c.robot_controller.state is LinkState.LISTENING)
    arming(opened).talk.click()
    qtbot.waitUntil(arming(opened).hold.isEnabled)
    yield c.robot_controller
    c.robot_controller.disconnect_robot()


def arming(window: MainWindow) -> Arming:
    widget = window.context.docks["robot"].findChild(Arming)
    assert isinstance(widget, Arming)
    return widget


def arm(window: MainWindow, qtbot: QtBot) -> None:
    """Hold the button until the robot reports that it is armed."""
    hold = arming(window).hold
    robot = window.context.robot_controller
    window.context.docks.show("robot")
    qtbot.waitUntil(hold.isVisible)
    QTest.mousePress(hold, LEFT)
    qtbot.waitUntil(lambda: not hold.isVisible())
    QTest.mouseRelease(hold, LEFT)
    qtbot.waitUntil(lambda: robot.state is LinkState.ARMED and robot.status.armed)


def disarm(window: MainWindow, qtbot: QtBot) -> None:
    arming(window).disarm.click()
    qtbot.waitUntil(lambda: not window.context.robot_controller.movable)


def answered(button: str, act: Callable[[], object]) -> tuple[str, bool]:
    """Answer the question of an action; returns the default button, and whether the question is about the robot."""
    questions: list[tuple[str, bool]] = []

    def answer() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        names = {each.text().replace("&", ""): each for each in box.buttons()}
        questions.append((plain(box.defaultButton().text()), "Robot" in box.windowTitle()))
        names[button].click()

    QTimer.singleShot(0, answer)
    act()
    return questions[0]


def finished(window: MainWindow) -> int:
    progress = window.context.study.runner.progress
    return 0 if progress is None else progress.finished


def test_armed_robot_pauses_the_study_until_resumed(
    opened: MainWindow, robot: RobotController, qtbot: QtBot
) -> None:
    study = opened.context.study
    runner = opened.context.study.runner
    assert study.run(), "a connected robot that is not armed causes no question"
    qtbot.waitUntil(lambda: bool(runner.progress and runner.progress.workers), timeout=COMPILING_MS)
    assert not runner.pausing
    arm(opened, qtbot)
    assert runner.pausing
    assert bar(opened).notice.text == ARMED
    qtbot.waitUntil(
        lambda: bool(runner.progress and runner.progress.state == "paused"), timeout=COMPILING_MS
    )
    assert robot.state is LinkState.ARMED, robot.status.sentence
    assert answered("Cancel", bar(opened).resume_button.click) == ("Cancel", True)
    assert runner.pausing
    disarm(opened, qtbot)
    assert runner.pausing, "only the user resumes it"
    assert bar(opened).notice.text == ARMED
    idle = bar(opened).workers.model().index(0, 1)
    # the current runs have ended
    qtbot.waitUntil(lambda: idle.data() == "0", timeout=COMPILING_MS)
    before = finished(opened)
    bar(opened).resume_button.click()
    assert not runner.pausing
    assert bar(opened).notice.text == ""
    qtbot.waitUntil(lambda: finished(opened) > before, timeout=COMPILING_MS)
    bar(opened).cancel_button.click()
    qtbot.waitUntil(lambda: not runner.busy)
    assert runner.error == ""


def test_only_local_study_with_armed_robot_asks_to_stop(
    opened: MainWindow, robot: RobotController, qtbot: QtBot
) -> None:
    """A study that a cluster computes does not ask."""
    runner = opened.context.study.runner
    settings = opened.context.settings
    arm(opened, qtbot)
    WorkerChoice(scheduler="tcp://cluster.invalid:8786").keep(settings)
    assert opened.context.study.run(), "without a question"
    assert runner.busy
    assert not runner.pausing
    runner.cancel()
    qtbot.waitUntil(lambda: not runner.busy)
    WorkerChoice(1).keep(settings)
    assert answered("Cancel", bar(opened).run_button.click) == ("Cancel", True)
    assert not runner.busy
    assert answered("Run Anyway", bar(opened).run_button.click) == ("Cancel", True)
    qtbot.waitUntil(lambda: finished(opened) > 0, timeout=COMPILING_MS)
    assert not runner.pausing, "it was armed before, and the user has confirmed"
    assert robot.state is LinkState.ARMED, robot.status.sentence
    stop = next(button for button in opened.findChildren(StopButton) if button.isVisible())
    assert robot.link is not None
    with Witness(robot.link.profile.bus) as witness:
        QTest.mousePress(stop, LEFT)
        qtbot.waitUntil(lambda: robot.state is LinkState.FAULT and not robot.movable)
        assert witness.first(STOP_ID, 0.0) is not None
    QTest.mouseRelease(stop, LEFT)
    assert runner.busy
    before = finished(opened)
    qtbot.waitUntil(lambda: finished(opened) > before, timeout=COMPILING_MS)
    runner.cancel()
    qtbot.waitUntil(lambda: not runner.busy)
